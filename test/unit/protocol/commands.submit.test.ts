// One test per rule about submitting a commit for review.

import { describe, expect, it } from 'vitest';
import type { SubmitFacts } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  BASE,
  begin,
  CHECKPOINT,
  CODER,
  changes,
  claim,
  claimed,
  claimReview,
  commit,
  declare,
  PLANNER,
  REVIEWER,
  SUPERVISOR,
  submit,
  toClaimed,
  UNCHANGED,
  type World,
  world,
} from './world.ts';

describe('submit-for-review', () => {
  function begun(type?: 'docs' | 'config'): World {
    const w = world();
    w.run(PLANNER, addReady('a', type === undefined ? {} : { type, scope: 'IN: the guide\nOUT: the UI' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    return w;
  }

  it('sets review_commit, clears the coder’s lease, agent WAITING', () => {
    const w = begun();
    w.run(CODER, submit('a', commit(1)));
    expect(w.task('a')).toMatchObject({ status: 'READY_FOR_REVIEW', review_commit: commit(1), assigned_to: 'coder-1' });
    expect(w.task('a')).not.toHaveProperty('lease_expires');
    expect(w.agent('coder-1')).toMatchObject({ status: 'WAITING', current_task: 'a', iterations_total: 1 });
  });

  it('submit refuses without the checkpoint', () => {
    expect(claimed().refused(CODER, submit('a', commit(1))).guard).toBe<RefusalName>('checkpoint-first');
  });

  it.each([
    ['uncommitted files are named', { dirty: ['src/a.ts', 'new.txt'] }, 'src/a.ts, new.txt'],
    ['HEAD is the submitted commit', { head: commit(2) }, 'HEAD is'],
    ['on branch task/<id>', { branch: 'main' }, 'is on main, not on task/a'],
    ['descends from base_commit', { descends_from_base: false }, 'does not descend from the base'],
  ])('clean sync: %s', (_rule, facts, said) => {
    const refusal = begun().refused(CODER, submit('a', commit(1), facts));
    expect(refusal).toMatchObject(refusedBy('clean-sync', { code: 1 }));
    expect(refusal.message).toContain(said);
  });

  it('an uncommitted file beyond the scope is to be removed or declared, and no new HEAD is spoken of', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: src/, test/. OUT: the rest' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const { hint } = w.refused(CODER, submit('a', commit(1), { dirty: ['src/a.ts', 'notes.txt'] }));
    expect(hint).toMatch(
      /^notes\.txt is beyond SCOPE: remove it, or, if the task needs it, declare it \(liza begin a --also/,
    );
    expect(hint).toMatch(/; commit the others; then liza submit-for-review a HEAD$/);
    expect(hint).not.toContain('new HEAD');
  });

  it('an uncommitted file that is OUT is to be removed: it cannot be declared', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: src/, test/. OUT: docs/' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const { hint } = w.refused(CODER, submit('a', commit(1), { dirty: ['docs/debug.txt'] }));
    expect(hint).toMatch(/^docs\/debug\.txt is beyond SCOPE: remove it; then liza submit-for-review/);
  });

  it('a commit id is full, not short and not an option', () => {
    const w = begun();
    for (const id of ['abc1234', '--all', 'HEAD', ''])
      expect(w.refused(CODER, submit('a', id)).guard).toBe<RefusalName>('clean-sync');
  });

  it('it changes something, and the rejected commit unchanged is refused', () => {
    const w = begun();
    expect(w.refused(CODER, submit('a', commit(1), { changes: changes() })).guard).toBe<RefusalName>('something-new');
    expect(w.refused(CODER, submit('a', BASE)).guard).toBe<RefusalName>('something-new');
    w.run(CODER, submit('a', commit(1)));
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, { name: 'submit-verdict', task: 'a', verdict: 'REJECTED', reason: REASON, facts: UNCHANGED });
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(1) }));
    const early = w.refused(CODER, submit('a', commit(1)));
    expect(early.guard).toBe<RefusalName>('not-rejected-before');
    expect(early.message).toContain('is the rejected commit, unchanged');
    expect(early.hint).toContain('liza show a, then its checkpoint: liza begin a');
    expect(early.hint).not.toContain('--set-aside');
    w.run(CODER, begin('a', commit(1)));
    expect(w.refused(CODER, submit('a', commit(1))).message).toContain('is the rejected commit, unchanged');
    const again = w.refused(CODER, submit('a', commit(1))).hint;
    expect(again).toBe('Address the feedback first: liza show a, change the files, commit, and submit the new HEAD');
    // Merging the base into what changes nothing leads nowhere.
    const apart = { descends_from_base: false } as const;
    expect(w.refused(CODER, submit('a', commit(2), apart)).hint).toContain('git merge');
    expect(w.refused(CODER, submit('a', commit(2), { ...apart, changes: [] })).hint).toContain('git reset --hard');
  });

  it('without a checkpoint it is told to set work aside only where it has some', () => {
    const w = claimed();
    expect(w.refused(CODER, submit('a', BASE)).guard).toBe<RefusalName>('checkpoint-first');
    expect(w.refused(CODER, submit('a', BASE)).hint).not.toContain('--set-aside');
    expect(w.refused(CODER, submit('a', commit(1))).hint).toContain('--set-aside');
    const dirty = submit('a', BASE, { dirty: ['src/app.ts'] });
    expect(w.refused(CODER, dirty).hint).toMatch(/what you have is kept for after it: liza begin a .*--set-aside/);
  });

  it('another commit with the very files of a rejected one is refused too', () => {
    const refusal = begun().refused(CODER, submit('a', commit(2), { same_tree_as: commit(1) }));
    expect(refusal.guard).toBe<RefusalName>('something-new');
    expect(refusal.message).toContain(`${commit(2)} has the same files as ${commit(1)}, which was rejected`);
  });

  it('a merge laid out in the worktree must be concluded', () => {
    const refusal = begun().refused(CODER, submit('a', commit(1), { merging: true, dirty: ['src/a.ts'] }));
    expect(refusal).toMatchObject(
      refusedBy('clean-sync', { hint: 'Resolve it, git add, git commit, then submit the new HEAD' }),
    );
    expect(refusal.message).toContain('the merge laid out in the worktree is not concluded');
  });

  it('worktree_files are never committed; taking one out of the tree is fine', () => {
    const w = world({ worktree_files: ['.env', './secrets/'] });
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const held = changes('.env', 'secrets/key.pem', 'src/a.ts', 'test/a.test.ts');
    const refusal = w.refused(CODER, submit('a', commit(1), { changes: held }));
    expect(refusal.guard).toBe<RefusalName>('no-worktree-files');
    expect(refusal.message).toContain('copied in and never committed: .env, secrets/key.pem');
    const removed = [{ path: '.env', kind: 'removed' as const }, ...changes('test/a.test.ts')];
    w.run(CODER, declare('a', '.env'));
    w.run(CODER, submit('a', commit(1), { changes: removed }));
  });

  it('a name that cannot be read cannot be reviewed', () => {
    const w = begun();
    const refusal = w.refused(
      CODER,
      submit('a', commit(1), { changes: changes('src/caf\ufffd.ts', 'test/a.test.ts') }),
    );
    expect(refusal.guard).toBe<RefusalName>('readable-names');
  });

  it.each(['.liza/ABORT', '.LIZA/state.yaml', '.worktrees/b/x', '.l\u200ciza/cache/x'])(
    'nothing is committed into Liza’s own folders: %s',
    (path) => {
      const w = begun();
      const refusal = w.refused(CODER, submit('a', commit(1), { changes: changes(path, 'test/a.test.ts') }));
      expect(refusal.guard).toBe<RefusalName>('no-worktree-files');
      expect(refusal.message).toContain(`written into Liza’s own folders: ${path}`);
    },
  );

  it('the event tells the pin and what the diff does', () => {
    const w = begun();
    const given = [...changes('src/client.ts', 'CLAUDE.md'), { path: 'test/new.test.ts', kind: 'added' as const }];
    w.run(CODER, declare('a', 'CLAUDE.md'));
    const told = w.run(CODER, submit('a', commit(1), { changes: given, pin: 3 })).notes?.join('\n');
    expect(told).toMatch(
      /beyond the task’s IN, .*: CLAUDE\.md; the reviewer is told\. If one came along by mistake, take it back: liza retract a/,
    );
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'submitted',
      pin: 3,
      diff: {
        files: 3,
        undeclared: { paths: ['test/new.test.ts'] },
        declared_late: { paths: ['CLAUDE.md (the retry is set up there)'] },
        beyond_scope: { paths: ['CLAUDE.md'] },
        tests_added: { paths: ['test/new.test.ts'] },
        instructions: { paths: ['CLAUDE.md'] },
      },
    });
    expect(w.task('a').history?.at(-1)).not.toHaveProperty('diff.tests_changed');
  });

  it.each([
    ['IN: src/', ['test/new.test.ts']],
    ['IN: src/, test/a.test.ts', ['test/new.test.ts']],
    ['IN: src/, test/', undefined],
    ['the client and its retries', undefined],
  ])('%s: a new test file that neither it nor the plan names is told to coder and reviewer', (scope, paths) => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a', BASE, { ...CHECKPOINT, files_to_modify: ['src/'] }));
    const given = [...changes('src/a.ts'), { path: 'test/new.test.ts', kind: 'added' } as const];
    const done = w.run(CODER, submit('a', commit(1), { changes: given, pin: 1 }));
    const told = (done.notes ?? []).filter((note) => note.includes('adds test files that neither'));
    expect(told).toHaveLength(paths === undefined ? 0 : 1);
    const last = w.task('a').history?.at(-1) as { readonly diff?: Readonly<Record<string, unknown>> } | undefined;
    expect(last?.diff?.['tests_beyond']).toEqual(paths && { paths });
  });

  it.each(['OUT: tests', 'OUT: docs/, test changes', 'OUT: docs/. No new tests.'])(
    '%s: a test that comes along is refused like any other file that is OUT',
    (out) => {
      const w = world();
      w.run(PLANNER, addReady('a', { type: 'docs', scope: `IN: README.md\n${out}` }));
      toClaimed(w, 'a');
      w.run(CODER, begin('a', BASE, { ...CHECKPOINT, files_to_modify: ['README.md'] }));
      const refusal = w.refused(CODER, submit('a', commit(1), { changes: changes('README.md', 'test/new.test.ts') }));
      expect(refusal.guard).toBe<RefusalName>('in-scope');
      expect(refusal.message).toContain('touches files that the task declares OUT: test/new.test.ts');
    },
  );

  it('a new test that asserts nothing, beside one that does, is told to the coder, too', () => {
    const w = begun();
    const test = { path: 'test/new.test.ts', kind: 'added', unasserted: ['handles zero'] } as const;
    const done = w.run(CODER, submit('a', commit(1), { changes: [...changes('src/a.ts'), test], pin: 1 }));
    expect(done.notes?.join('\n')).toContain(
      'These new tests assert nothing in their own lines: test/new.test.ts › handles zero',
    );
  });

  it('what is OUT, what no plan names and the missing test are told in one refusal', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: src/\nOUT: docs/' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const refusal = w.refused(
      CODER,
      submit('a', commit(1), { changes: changes('docs/a.md', 'tools/b.js', 'src/a.ts') }),
    );
    expect(refusal.guard).toBe<RefusalName>('in-scope');
    expect(refusal.message).toContain(
      'touches files that the task declares OUT: docs/a.md; the commit touches files that neither the task’s IN',
    );
    expect(refusal.message).toContain('tools/b.js; a code task without a changed test file');
    expect(refusal.hint).toMatch(
      /1\. Take these changes out of your commits.*git restore --source=.*-- docs\/a\.md.*\n2\. .*--also tools\/b\.js.*\n3\. Add a test.*declare it: liza begin a --also/,
    );
  });

  it('a link in place of a test is none', () => {
    const linked = changes('src/a.ts', 'test/a.test.ts').map((one) =>
      one.path.startsWith('test/') ? { ...one, form: 'link' as const } : one,
    );
    const refusal = begun().refused(CODER, submit('a', commit(1), { changes: linked }));
    expect(refusal.guard).toBe<RefusalName>('tests-with-code');
  });

  it('a path the task declares OUT refuses the submit', () => {
    const refusal = begun().refused(CODER, submit('a', commit(1), { changes: changes('docs/x.md', 'test/a.test.ts') }));
    expect(refusal.guard).toBe<RefusalName>('in-scope');
    expect(refusal.message).toContain('docs/x.md');
  });

  it.each(['src/add.js and README.md', 'src/add.js README.md', 'do not touch src/add.js', 'src/add.js (public API)'])(
    'OUT: %s refuses a commit and a declaration of src/add.js',
    (entry) => {
      const w = world();
      w.run(PLANNER, addReady('a', { scope: `IN: src/, test/\nOut of scope: ${entry}` }));
      toClaimed(w, 'a');
      w.run(CODER, begin('a'));
      const given = { changes: changes('src/add.js', 'test/a.test.ts') };
      expect(w.refused(CODER, submit('a', commit(1), given)).guard).toBe<RefusalName>('in-scope');
      expect(w.refused(CODER, declare('a', './src/add.js')).guard).toBe<RefusalName>('in-scope');
    },
  );

  it('OUT of a part of a file refuses nothing, and the reviewer is told with what it says', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: src/, test/\nOUT: src/add.js: all but add' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(1), { changes: changes('src/add.js', 'src/b.js', 'test/a.test.ts') }));
    expect(w.task('a').history?.at(-1)).toMatchObject({
      diff: { out_parts: { paths: ['src/add.js: all but add'] } },
    });
  });

  it('a file that neither IN nor the plan names refuses the submit; declared late it is taken, and told', () => {
    const w = begun();
    const given = { changes: changes('src/client.ts', 'lib/a b.ts', 'test/a.test.ts') };
    const refusal = w.refused(CODER, submit('a', commit(1), given));
    expect(refusal.guard).toBe<RefusalName>('in-scope');
    expect(refusal.message).toContain('lib/a b.ts');
    expect(refusal.hint).toContain(`liza begin a --also 'lib/a b.ts' --reason "…"`);
    w.run(CODER, declare('a', 'lib/a b.ts'));
    w.run(CODER, submit('a', commit(1), given));
    expect(w.task('a').history?.at(-1)).toMatchObject({
      diff: { declared_late: { paths: ['"lib/a b.ts" (the retry is set up there)'] } },
    });
  });

  it('tests, and a lock file beside an allowed file, are IN; a scope of areas asks for nothing', () => {
    const tests = { changes: changes('src/client.ts', 'src/package-lock.json', 'spec/x.test.ts') };
    begun().run(CODER, submit('a', commit(1), tests));
    const w = world();
    w.run(PLANNER, addReady('a', { scope: 'IN: the retry logic\nOUT: the UI' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(1), { changes: changes('lib/other.ts', 'test/a.test.ts') }));
  });

  it('a word of IN is a path where the base has something of that name', () => {
    const area = (facts: Partial<SubmitFacts>) => {
      const w = world();
      w.run(PLANNER, addReady('a', { scope: 'IN: client\nOUT: the UI' }));
      toClaimed(w, 'a');
      w.run(CODER, begin('a'));
      return { w, command: submit('a', commit(1), { changes: changes('lib/other.ts', 'test/a.test.ts'), ...facts }) };
    };
    const folder = area({ on_base: ['client'] });
    expect(folder.w.refused(CODER, folder.command).guard).toBe<RefusalName>('in-scope');
    const word = area({});
    word.w.run(CODER, word.command);
  });

  it('a code task’s diff without a test file is refused, naming what counts as one', () => {
    const refusal = begun().refused(CODER, submit('a', commit(1), { changes: changes('src/a.ts') }));
    expect(refusal.guard).toBe<RefusalName>('tests-with-code');
    expect(refusal.hint).toContain('**/*.test.*');
  });

  it('a stray file of code in a docs task is told one way out, and no test is asked for', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { type: 'docs', scope: 'IN: docs/' }));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    const stray = (...more: readonly string[]) => submit('a', commit(1), { changes: changes('docs/a.md', ...more) });
    const refusal = w.refused(CODER, stray('src/a.ts'));
    expect(refusal.message).toContain('a docs task touches code that neither its IN nor your plan names: src/a.ts');
    expect(refusal.hint).toMatch(
      /^Remove it from the commit, then submit the new HEAD\. If .* only the planner .*liza block a/,
    );
    expect(`${refusal.message} ${refusal.hint}`).not.toMatch(/Add a test|--also|without a test/);
    expect(w.refused(CODER, stray('src/a.ts', 'notes.txt')).hint).toContain('remove or declare the others: notes.txt');
    const dirty = w.refused(CODER, submit('a', commit(1), { dirty: ['src/a.ts'] }));
    expect(dirty.hint).toContain('src/a.ts is beyond SCOPE, and a docs task leaves code as it is: remove it;');
    expect(dirty.hint).not.toContain('--also');
    w.run(CODER, stray());
  });

  it('a test file in which nothing could run is no test of a code task', () => {
    const [code, ...tests] = changes('src/a.ts', 'test/a.test.ts');
    const hollow = tests.map((one) => ({ ...one, hollow: true }));
    const both = { changes: code === undefined ? [] : [code, ...hollow] };
    const refusal = begun().refused(CODER, submit('a', commit(1), both));
    expect(refusal).toMatchObject({ guard: 'tests-with-code' });
    expect(refusal.message).toContain(
      'no test of its own stands in test/a.test.ts: no more than comments, imports, empty tests and assertions about constants',
    );
    expect(refusal.hint).toContain('Write the test into it');
    const grown = both.changes.map((one) => ('hollow' in one ? { ...one, hollow: 'gained' as const } : one));
    expect(begun().refused(CODER, submit('a', commit(1), { changes: grown })).message).toContain(
      'nothing that is new in test/a.test.ts could fail: empty tests, or assertions about constants',
    );
    const beside = { changes: [...both.changes, ...changes('test/b.test.ts')] };
    begun().run(CODER, submit('a', commit(1), beside));
  });

  it.each([
    'test/README.md',
    'test/fixtures/rates.json',
    'test/fixtures/broken.js',
    'test/__snapshots__/a.test.ts.snap',
    'test/.gitkeep',
  ])('%s alone is no test of a code task', (path) => {
    const refusal = begun().refused(CODER, submit('a', commit(1), { changes: changes('src/a.ts', path) }));
    expect(refusal.guard).toBe<RefusalName>('tests-with-code');
    expect(refusal.hint).toContain('documents, data, fixtures and snapshots do not');
  });

  it.each(['test/cli.bats', 'test/run', 'src/a_test.go', 'test/fixtures/a.test.ts'])('%s is a test', (path) => {
    begun().run(CODER, submit('a', commit(1), { changes: changes('src/a.ts', path) }));
  });

  it('a pattern of the project that names the ending makes data a test', () => {
    const w = world({ test_patterns: ['**/*_test.yaml'] });
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(1), { changes: changes('src/a.ts', 'rules/a_test.yaml') }));
  });

  it('a config task may change settings written as code, and no other code', () => {
    begun('config').run(CODER, submit('a', commit(1), { changes: changes('eslint.config.js', '.mocharc.cjs') }));
    const more = { changes: changes('eslint.config.js', 'src/a.js') };
    expect(begun('config').refused(CODER, submit('a', commit(1), more)).guard).toBe<RefusalName>('tests-with-code');
    const docs = { changes: changes('eslint.config.js') };
    expect(begun('docs').refused(CODER, submit('a', commit(1), docs)).guard).toBe<RefusalName>('tests-with-code');
  });

  it('code that holds its own tests is code and test at once, and the reviewer is told', () => {
    const w = begun();
    const within = { path: 'src/a.rs', kind: 'changed' as const, tests_within: true };
    w.run(CODER, submit('a', commit(1), { changes: [within] }));
    expect(w.task('a').history?.at(-1)).toMatchObject({ diff: { tests_within: { paths: ['src/a.rs'] } } });
    const docs = { changes: [{ ...within, kind: 'changed' as const }] };
    expect(begun('docs').refused(CODER, submit('a', commit(1), docs)).guard).toBe<RefusalName>('tests-with-code');
  });

  it('a coder hears that its new tests pass on the base too', () => {
    const w = begun();
    const green = submit('a', commit(1));
    if (green.name !== 'submit-for-review' || green.facts.proof === undefined) throw new Error('no proof');
    const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'green', base_tests: 'same' } as const;
    const proved = { ...green, facts: { ...green.facts, proof: { ...green.facts.proof, tests } } };
    expect(w.run(CODER, proved).notes?.join(' ')).toContain('Your new tests pass on the base too');
    expect(begun().run(CODER, green).notes?.join(' ')).not.toContain('on the base');
    // One that only takes from tests has no new ones.
    const none = { ...green.facts.proof, tests: { ...tests, none_new: true as const } };
    const told = begun().run(CODER, { ...green, facts: { ...green.facts, proof: none } });
    expect(told.notes?.join(' ')).toContain('The tests that your commit changes pass on the base too');
  });

  it.each([
    ['code', 'green', 'same', 'In a code task they should fail there'],
    ['config', 'green', 'same', 'If they should prove it'],
    ['code', 'red', 'red', 'Tests of the base fail on your commit'],
  ] as const)(
    'a coder of a %s task hears what tests that are %s on the base, and %s, mean',
    (type, on_base, base_tests, told) => {
      const w = type === 'code' ? begun() : begun(type);
      const green = submit('a', commit(1));
      if (green.name !== 'submit-for-review' || green.facts.proof === undefined) throw new Error('no proof');
      const tests = { mode: 'evidence', base: BASE, base_alone: 'green', on_base, base_tests } as const;
      const facts = { ...green.facts, proof: { ...green.facts.proof, tests } };
      const notes = w.run(CODER, { ...green, facts }).notes?.join(' ');
      expect(notes).toContain(told);
      expect(notes).toContain('liza retract a');
    },
  );

  it('a coder hears of lines that its tests lost, and of files that only the history has', () => {
    const w = begun();
    const test_edits = { lines: ['test/a.test.ts:5 - assert.equal(a, 1) → assert.ok(true)'] };
    const changed = [
      { path: 'src/a.ts', kind: 'changed' as const },
      { path: 'test/a.test.ts', kind: 'changed' as const, weakened: true },
    ];
    const more = { changes: changed, test_edits, changed_back: ['lib/b.ts'] };
    const notes = w.run(CODER, submit('a', commit(1), more)).notes?.join('\n');
    expect(notes).toContain(
      'takes or changes lines of existing tests, and these assert less than before (test/a.test.ts): test/a',
    );
    expect(notes).toContain('add or change these files and undo that again, so that the history keeps it: lib/b.ts');
    expect(notes?.match(/liza retract a/g)).toHaveLength(2);
  });

  it('a code task without a test is told first what to do, then which files are tests', () => {
    const { hint } = begun().refused(
      CODER,
      submit('a', commit(1), { changes: [{ path: 'src/a.ts', kind: 'changed' }] }),
    );
    expect(hint).toMatch(
      /^Add a test that fails without your change, and submit the new HEAD\. These names count as tests/,
    );
  });

  it('a coder hears that no command can run its tests', () => {
    const green = submit('a', commit(1));
    if (green.name !== 'submit-for-review' || green.facts.proof === undefined) throw new Error('no proof');
    const tests = {
      mode: 'evidence',
      base: BASE,
      base_alone: 'unknown',
      on_base: 'not_run',
      base_tests: 'not_run',
    } as const;
    const proof = { ...green.facts.proof, tests, runs_no_tests: true } as const;
    const notes = begun()
      .run(CODER, { ...green, facts: { ...green.facts, proof } })
      .notes?.join(' ');
    expect(notes).toContain('no command that Liza runs can run them');
    expect(notes).not.toContain('pass on the base');
    expect(begun().run(CODER, green).notes?.join(' ')).not.toContain('can run them');
    // A command runs tests, and not these: perhaps because of the change itself.
    const passed = { ...green.facts.proof, tests, unrun_tests: ['test/a.test.ts'] } as const;
    const told = begun()
      .run(CODER, { ...green, facts: { ...green.facts, proof: passed } })
      .notes?.join(' ');
    expect(told).toContain('no command that Liza ran runs test/a.test.ts');
    expect(told).toContain('liza retract a');
    expect(told).not.toContain('there is no test_command');
  });

  it('a removed test file is no test; a removed code file is code', () => {
    const removed = (path: string) => ({ path, kind: 'removed' as const });
    const gone = { changes: [...changes('src/a.ts'), removed('test/a.test.ts')] };
    expect(begun().refused(CODER, submit('a', commit(1), gone)).guard).toBe<RefusalName>('tests-with-code');
    const both = { changes: [removed('src/a.ts'), removed('test/a.test.ts')] };
    const deletion = begun().refused(CODER, submit('a', commit(1), both));
    expect(deletion.message).toContain('other than those that it deletes (test/a.test.ts)');
    expect(deletion.hint).toMatch(
      /^What is taken away needs a test, too: add one that shows that it is gone, such as one in which importing src\/a\.ts fails, .*submit the new HEAD/,
    );
    begun().run(CODER, submit('a', commit(1), { changes: [...both.changes, ...changes('test/gone.test.ts')] }));
    const docs = { changes: [...changes('guide.md'), removed('src/a.ts')] };
    expect(begun('docs').refused(CODER, submit('a', commit(1), docs)).guard).toBe<RefusalName>('tests-with-code');
  });

  it('the docs exemption holds only if the diff touches no code', () => {
    const w = begun('docs');
    expect(
      w.refused(CODER, submit('a', commit(1), { changes: changes('guide.md', 'src/a.ts') })).guard,
    ).toBe<RefusalName>('tests-with-code');
    w.run(CODER, submit('a', commit(1), { changes: changes('guide.md') }));
  });

  it('an expired lease refuses the submit with the reason', () => {
    const w = begun();
    w.pass(301);
    const refusal = w.refused(CODER, submit('a', commit(1)));
    expect(refusal).toMatchObject(refusedBy('holds-task', { hint: 'Stop now: liza exit 42 --reason "lease lost"' }));
    expect(refusal.message).toContain('ended 1s ago');
  });

  it('a stale epoch is told to stop with 42', () => {
    const w = begun();
    const refusal = w.refused({ ...CODER, epoch: 0 }, submit('a', commit(1)));
    expect(refusal.message).toContain('lease lost: a is at epoch 1, this session has 0');
    expect(refusal.hint).toContain('liza exit 42');
    w.run({ ...CODER, epoch: 1 }, submit('a', commit(1)));
  });

  const REASON = 'Blockers: 1\n- [blocker] src/a.ts:1 — x\n  Why: y\n  Suggestion: z\nConcerns: 0\nOverall: no';
});

it.each([
  ['*.js', true],
  ['**/util.js', true],
  ['lib/*.js', false],
  ['lib/util.js', false],
])('a plan of %s names a file beyond IN only with its folder', (file, refused) => {
  const w = world();
  w.run(PLANNER, addReady('a', { scope: 'IN: src/' }));
  toClaimed(w, 'a');
  w.run(CODER, begin('a', undefined, { ...CHECKPOINT, files_to_modify: ['src/', 'test/', file] }));
  const beyond = submit('a', commit(1), { changes: changes('src/a.js', 'lib/util.js', 'test/a.test.js') });
  if (refused) expect(w.refused(CODER, beyond).message).toContain('lib/util.js');
  else w.run(CODER, beyond);
});
