// One test per rule about the coder's work and what agents report.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import { withTask } from '../../../src/protocol/change.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { afterRefused } from '../../../src/protocol/commands/messages/said-done.ts';
import { declaredFiles } from '../../../src/protocol/facts/diff-facts.ts';
import { checkInput } from '../../../src/protocol/input.ts';
import { discoveryHead, openDiscoveries } from '../../../src/protocol/messages/discoveries.ts';
import { commandLine } from '../../../src/protocol/next-commands.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import type { Discovery } from '../../../src/protocol/state.ts';
import { iso } from '../../../src/text/time.ts';
import {
  addReady,
  BASE,
  begin,
  block,
  CHECKPOINT,
  CODER,
  claim,
  claimed,
  commit,
  declare,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  ready,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toClaimed,
  toMerged,
  toRejected,
  world,
} from './world.ts';

describe('begin --also', () => {
  it('records the files and the reason, once, and they count as declared', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(CODER, declare('a', 'lib/other.ts'));
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'declared',
      files: ['lib/other.ts'],
      reason: 'the retry is set up there',
    });
    expect(w.run(CODER, declare('a', 'lib/other.ts')).already).toBe(true);
  });

  it('no more often than a board can bear, nor more files than one plan has', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    for (let n = 0; n < 30; n += 1) w.run(CODER, declare('a', `lib/${n}.ts`));
    expect(w.refused(CODER, declare('a', 'lib/last.ts'))).toMatchObject({
      guard: 'files' satisfies RefusalName,
      message: expect.stringContaining('30 times'),
    });
    const many = claimed();
    many.run(CODER, begin('a'));
    const names = (from: number) => Array.from({ length: 300 }, (_, n) => `lib/${from + n}.ts`);
    many.run(CODER, declare('a', ...names(0)));
    expect(many.refused(CODER, declare('a', ...names(300))).message).toContain('600 files');
  });

  it('a file that the plan has is not declared late', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const [planned = ''] = declaredFiles(w.task('a'));
    expect(w.run(CODER, declare('a', planned)).already).toBe(true);
    expect(w.task('a').history?.at(-1)?.event).toBe('pre_execution_checkpoint');
  });

  it('gives the reason for a planned file beyond IN, of which begin says at once that it lacks one', () => {
    const w = claimed();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({ ...task, scope: 'IN: src/client.ts\nOUT: docs' })),
    }));
    const files_to_modify = ['src/client.ts', 'lib/other.ts', 'test/a.test.ts', 'src/'];
    const { notes = [] } = w.run(CODER, {
      name: 'begin',
      task: 'a',
      checkpoint: { ...CHECKPOINT, files_to_modify },
      facts: { head: BASE, branch: 'task/a', dirty: [] },
    });
    expect(notes.join()).toContain('Beyond the task’s IN: lib/other.ts. The reviewer is told');
    expect(notes.join()).toContain('liza begin a --also lib/other.ts --reason "…"');
    expect(w.run(CODER, declare('a', 'lib/other.ts')).already).toBeUndefined();
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'declared', files: ['lib/other.ts'] });
    expect(w.run(CODER, declare('a', 'lib/other.ts')).already).toBe(true);
    expect(w.run(CODER, declare('a', 'src/client.ts')).already).toBe(true);
  });

  it('comes after the plan, and is asked of its coder alone', () => {
    const w = claimed();
    expect(w.refused(CODER, declare('a', 'lib/other.ts')).guard).toBe<RefusalName>('checkpoint-first');
    w.run(CODER, begin('a'));
    expect(w.refused(OTHER_CODER, declare('a', 'lib/other.ts')).guard).toBe<RefusalName>('holds-task');
  });

  it.each(['.git/config', 'sub/.git/hooks/x', '/etc/passwd', '../x', 'a/../../x', '', ' '])(
    '%j is no path of the repository',
    (file) => {
      const w = claimed();
      w.run(CODER, begin('a'));
      expect(w.refused(CODER, declare('a', file)).guard).toBe<RefusalName>('files');
      expect(w.refused(CODER, declare('a')).guard).toBe<RefusalName>('files');
    },
  );

  it.each(['**', '*', 'src/*.ts', '.', './', '-', 'src/', 'src/.'])('%j is no single file', (file) => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const no = w.refused(CODER, declare('a', 'lib/other.ts', file));
    expect(no.guard).toBe<RefusalName>('files');
    expect(no.message).toContain(`--also takes single files, and ${file} is not one`);
  });

  it('a folder of the worktree is no single file', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const command = { ...declare('a', 'lib'), folders: ['lib'] } as Command;
    expect(w.refused(CODER, command).message).toContain('lib is not one');
    w.run(CODER, declare('a', 'pages/[id].tsx', '.env'));
  });

  it('needs a reason, and never opens what the task declares OUT', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const bare = { ...declare('a', 'lib/other.ts'), reason: ' ' } as Command;
    expect(w.refused(CODER, bare).guard).toBe<RefusalName>('reason');
    for (const reason of ['x', '.', 'needed']) {
      const thin = w.refused(CODER, { ...bare, reason } as Command);
      expect([thin.guard, thin.message]).toEqual(['reason', expect.stringContaining(`“${reason}” does not say why`)]);
    }
    const out = w.refused(CODER, declare('a', 'docs/guide.md'));
    expect(out.guard).toBe<RefusalName>('in-scope');
    expect(out.hint).toContain('liza block a');
  });
});

describe('begin', () => {
  const facts = { head: BASE, branch: 'task/a', dirty: [] as string[] };
  const beginWith = (checkpoint: object, more: object = {}): Command =>
    ({
      name: 'begin',
      task: 'a',
      checkpoint: { ...CHECKPOINT, ...checkpoint },
      facts: { ...facts, ...more },
    }) as Command;

  it('records pre_execution_checkpoint with the HEAD it binds to', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'pre_execution_checkpoint',
      checkpoint: CHECKPOINT,
      head: BASE,
    });
  });

  it.each(['intent', 'risks', 'validation'])('%s is required', (field) => {
    expect(claimed().refused(CODER, beginWith({ [field]: ' ' })).message).toContain(field);
  });

  it.each([
    [{ intent: 'x', risks: 'x', validation: 'npm test: x' }, ['an intent', 'risks in words', 'the expected result']],
    [{ intent: 'do it', risks: 'none' }, ['an intent that says what you will do in this task (not “do it”)']],
    [{ intent: 'Implement the task.' }, ['an intent']],
  ])('a plan that says nothing is refused, all of it at once: %j', (fields, lacks) => {
    const refusal = claimed().refused(CODER, beginWith(fields));
    expect(refusal.guard).toBe<RefusalName>('checkpoint');
    for (const lack of lacks) expect(refusal.message).toContain(lack);
  });

  it.each(['wrap login', 'Retry in the client', 'fix the off-by-one in parse', '重试登录'])(
    'the intent %j will do',
    (intent) => {
      claimed().run(CODER, beginWith({ intent, risks: 'none' }));
    },
  );

  it.each(['npm test', 'run it', 'npm test: x', 'read: the guide names each option'])(
    'validation %j has no expected result for code',
    (validation) => {
      const refusal = claimed().refused(CODER, beginWith({ validation }));
      expect(refusal.guard).toBe<RefusalName>('checkpoint');
      expect(refusal.message).toContain('the expected result of the validation');
    },
  );

  it.each([
    'npm test: 3 more pass',
    'make check exits 0',
    './sds-test -> 0 failed',
    '#1: exit 0',
    'make test passes',
    'go vet ./... prints nothing',
    'pytest passes',
    'pytest: 3 passed',
    'wc -l README.md: prints 12',
    '`sed -n 1p README.md` prints the title',
    '`pytest -q`: 3 new tests pass',
    'node --test test/x.test.js -> all pass',
    'npm test -- --coverage: above 90 %',
    'the command npm test: 2 more',
    'just test: green',
    'tests/run-all.sh: exit 0',
    'bin/check passes',
    'run node --test; 3 tests OK',
    'all four commands: pass',
    '#1, #2 and #3: exit 0',
    'the three VALIDATION commands: exit 0; the suite stays green',
    'read the output of node --test: 3 tests, 0 failures',
    'read the output of `mycli add 2 3` and find 5',
    '`npm test`, green',
    'npm run test:unit passes',
    'I run ./check.sh and it prints OK',
    'go test ./... ok',
    'mycli add --json 2 3 prints {"sum":5}',
    'python -m pytest -q => 12 passed',
    'sh scripts/smoke.sh → exit 0',
    '1. npm run build\n2. npm test\nboth succeed',
    'CI=1 make check: no warnings',
    'cargo test (all 14 green)',
    'the unit tests all pass, by npm test',
    'the test suite (`npm test`) stays green',
    'mycheck: exits 0',
    'calc mul 2 3: 6',
    'R CMD check: 0 errors',
    'check: npm test passes',
    'src/mul.js: prints 6',
    'expected: `calc mul 2 3` prints 6',
    'Step 1: npm test exits 0',
    'execute test/run.py, it reports 0 failures',
    'npm test && npm run lint, both exit with 0',
    'npm test läuft fehlerfrei durch: 12 bestanden',
    'npm test: green with test/sum.js',
    'npm test: passes with test/sum.js and test/other.js',
    'npm test: 3 more with test/sum.js',
    'npm run lint: no warnings of src/sum.js',
    'npm test: exit 0 by scripts/run.sh',
    'green with ./check.sh',
    'all green by `npm test`',
  ])('validation %j has one', (validation) => {
    claimed().run(CODER, beginWith({ validation }));
  });

  it.each([
    ['I hope it will give joy', 'it names no command'],
    ['it will be fine and return good things', 'it names no command'],
    ['make sure that it works', 'it names no command'],
    ['I will find out whether it is good', 'it names no command'],
    ['it: works', 'it names no command'],
    ['done: yes', 'it names no command'],
    ['see: below', 'it names no command'],
    ['true: exit 0', 'it names no command'],
    ['echo ok: prints ok', 'it names no command'],
    ['npm test and look', 'it does not say what result'],
    ['npm test: then run test/sum.js', 'it does not say what result'],
    ['npm run build: and look with test/sum.js', 'it does not say what result'],
    ['run test/sum.js with npm test', 'it does not say what result'],
    ['show npm test', 'it does not say what result'],
    ['read: src/mul.js', 'it names neither'],
    ['read: src/mul.js, mul is there', 'it names no command'],
    ['check: npm test', 'it does not say what result is expected'],
    ['calc mul 2 3:', 'it names no command'],
    ['npm run test:unit', 'it does not say what result is expected'],
    ['npm run build; npm test', 'it does not say what result is expected'],
    ['run `npm test`', 'it does not say what result is expected'],
    ['run the tests', 'it names neither'],
    ['tests pass', 'it names no command'],
    ['all tests green', 'it names no command'],
    ['all tests pass, and lint is green', 'it names no command'],
    ['the unit tests all pass', 'it names no command'],
    ['the suite passes', 'it names no command'],
    ['the test suite stays green', 'it names no command'],
    ['it works: ok', 'it names no command'],
    ['tests: pass', 'it names no command'],
    ['test passes', 'it names no command'],
    ['test suite: green', 'it names no command'],
    ['lint: clean', 'it names no command'],
    ['CI: green', 'it names no command'],
    ['make tests pass', 'it names no command'],
    ['unit/integration tests pass', 'it names no command'],
    ['`tests`: all pass', 'it names no command'],
    ['`true`: exit 0', 'it names no command'],
    ['just run the tests: all pass', 'it names no command'],
    ['#7: exit 0', 'it names no command'],
    ['go green', 'it names no command'],
    ['ship: ok', 'it names no command'],
    ['npm: green', 'it names no command'],
    ['node: exit 0', 'it names no command'],
    ['I run the test suite: it is green', 'it names no command'],
    ['run it and see', 'it names neither'],
  ])('validation %j is refused because %s, with the task’s own command as the mend', (validation, why) => {
    const w = claimed();
    w.edit((state) => withTask(state, { ...w.task('a'), validation: ['node --test test/a.test.js'] }));
    const refusal = w.refused(CODER, beginWith({ validation }));
    expect(refusal.message).toContain(why);
    expect(refusal.hint).toContain('--validation "node --test test/a.test.js: what it should print or exit with"');
    w.run(CODER, beginWith({ validation: 'node --test test/a.test.js: exit 0' }));
  });

  it('the words of our own examples are nobody’s plan: one refusal names all of them', () => {
    const w = claimed();
    const copied = w.refused(
      CODER,
      beginWith({
        intent: 'what you will do',
        assumptions: ['what you assume'],
        risks: 'What could go wrong.',
        validation: 'npm test: expected result',
        files_to_modify: ['path/of/file', 'path/of/its/test'],
      }),
    );
    expect(copied.guard).toBe<RefusalName>('checkpoint');
    for (const lack of [
      'an intent that says what you will do in this task (not “what you will do”)',
      'assumptions in words of your own, or none (not “what you assume”)',
      'risks in words (not “What could go wrong.”)',
      'the expected result of the validation',
      'files of this task (not “path/of/file”, “path/of/its/test”)',
    ])
      expect(copied.message).toContain(lack);
    const open = w.refused(CODER, beginWith({ intent: '…', risks: '…', validation: '…', files_to_modify: ['<path>'] }));
    for (const lack of ['an intent', 'risks in words', 'validation (command', 'files of this task (not “<path>”)'])
      expect(open.message).toContain(lack);
    expect(open.hint).toMatch(/^Give them all: /);
    expect(w.refused(CODER, beginWith({ intent: 'do it' })).hint).toMatch(/^Give it, and the rest as it was: /);
    for (const validation of ['npm test: what it should print or exit with', 'the command: expected result'])
      expect(w.refused(CODER, beginWith({ validation })).message).toContain('the expected result of the validation');
    w.run(CODER, beginWith({ validation: 'npm test: the expected result is 3 more tests' }));
  });

  it('what lacks and what is OUT are one refusal', () => {
    const w = claimed();
    w.edit((state) => withTask(state, { ...w.task('a'), scope: 'IN: src/\nOUT: docs/' }));
    const { message, hint } = w.refused(
      CODER,
      beginWith({ intent: 'do it', files_to_modify: ['src/a.ts', 'docs/a.md'] }),
    );
    expect(message).toMatch(/the checkpoint lacks an intent.*; and the task declares OUT: docs\/a\.md$/);
    expect(hint).toMatch(/^Do without it; .*Give it, and the rest as it was but for those files: /);
  });

  it('a command of the task counts wherever it stands, also one that nobody knows', () => {
    const w = claimed();
    w.edit((state) => withTask(state, { ...w.task('a'), validation: ['zorp verify all'] }));
    w.run(CODER, beginWith({ validation: 'I expect that zorp verify all finds nothing' }));
  });

  it.each(['**', '*', '.', './', '**/*', '*/**', './**', '*.*'])(
    'a plan for every file (%s) is refused with how to name them',
    (all) => {
      const refusal = claimed().refused(CODER, beginWith({ files_to_modify: ['src/a.ts', all] }));
      expect(refusal.guard).toBe<RefusalName>('files');
      expect(refusal.hint).toContain("--file 'test/**'; one that you find later: liza begin a --also");
    },
  );
  it.each(['src/**', 'src', 'test/*.test.ts', '*.md', '.github/'])('a plan for %s is taken', (some) => {
    const w = claimed();
    w.run(CODER, beginWith({ files_to_modify: [some] }));
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'pre_execution_checkpoint' });
  });
  it.each(['/etc/passwd', '../other/a.ts', 'src/../../a.ts', '..', '~/a.ts', 'C:\\a.ts'])(
    '%s is no path of the repository: not in a plan, not after it',
    (file) => {
      const w = claimed();
      const refusal = w.refused(CODER, beginWith({ files_to_modify: ['src/a.ts', file] }));
      expect(refusal.guard).toBe<RefusalName>('files');
      expect(refusal.message).toContain('is not a path of the repository');
      w.run(CODER, begin('a'));
      expect(w.refused(CODER, declare('a', file)).message).toContain('is not a path of the repository');
    },
  );

  it('what is OUT cannot be planned, and a test task plans no code: the coder hears it before the work', () => {
    const w = claimed();
    const out = w.refused(CODER, beginWith({ files_to_modify: ['src/a.ts', './docs/guide.md'] }));
    expect(out.guard).toBe<RefusalName>('in-scope');
    expect(out.message).toContain('declares OUT: docs/guide.md');
    expect(out.hint).toContain(commandLine('block', 'a'));
    const tests = world();
    tests.run(PLANNER, addReady('a', { type: 'test', scope: 'IN: test/' }));
    toClaimed(tests, 'a');
    expect(tests.refused(CODER, beginWith({ files_to_modify: ['src/a.ts'] })).guard).toBe<RefusalName>('in-scope');
    tests.run(CODER, beginWith({ files_to_modify: ['test/a.test.ts', 'test/**'] }));
  });

  it('files_to_modify is required, assumptions may be empty', () => {
    const w = claimed();
    expect(w.refused(CODER, beginWith({ files_to_modify: [] })).guard).toBe<RefusalName>('checkpoint');
    w.run(CODER, beginWith({ assumptions: [] }));
  });

  it('more than assumption_budget 3 → BLOCKED', () => {
    const w = claimed();
    w.run(CODER, beginWith({ assumptions: ['a', 'b', 'c', 'd'] }));
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: 'assumption budget exceeded: 4 assumptions, 3 allowed',
    });
    expect(w.task('a').failed_by).toBeUndefined();
  });

  it('HEAD = the iteration’s start commit and a clean tree', () => {
    const w = claimed();
    expect(w.refused(CODER, beginWith({}, { head: commit(1) })).message).toContain(
      'the code came before the checkpoint',
    );
    expect(w.refused(CODER, beginWith({}, { dirty: ['src/a.ts'] })).message).toContain('src/a.ts');
    expect(w.refused(CODER, { name: 'begin', task: 'a', checkpoint: CHECKPOINT }).guard).toBe<RefusalName>(
      'before-code',
    );
  });

  it('binds to start_commit where the iteration starts from kept work', () => {
    const w = ready('a');
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(8) }));
    expect(w.refused(CODER, begin('a', BASE)).guard).toBe<RefusalName>('before-code');
    w.run(CODER, begin('a', commit(8)));
  });

  it('a takeover does not move the start: code without a checkpoint stays refused', () => {
    const w = claimed();
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(66) }));
    expect(w.refused(CODER, begin('a', commit(66))).guard).toBe<RefusalName>('before-code');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'claimed', takeover: true, start_commit: BASE });
  });

  it('once per iteration; the same again says so', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    expect(w.run(CODER, begin('a')).already).toBe(true);
    expect(w.refused(CODER, beginWith({ intent: 'something else' })).guard).toBe<RefusalName>('once');
  });
});

describe('block, limits, handoff', () => {
  it('a block needs the reason and 1–3 questions', () => {
    const w = claimed();
    const ask = (reason: string, ...questions: readonly string[]): Command => ({
      name: 'block',
      task: 'a',
      reason,
      questions,
    });
    for (const command of [ask('unclear'), ask('', 'why?'), ask('r', ' '), ask('r', '1', '2', '3', '4')]) {
      expect(w.refused(CODER, command).guard).toBe<RefusalName>('reason-and-questions');
    }
    w.run(CODER, { ...ask('r', '1', '2', '3'), attempted: ['the stub'] } as Command);
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_questions: ['1', '2', '3'],
      attempted: ['the stub'],
      worktree: '.worktrees/a',
    });
    expect(w.agent('coder-1').status).toBe('IDLE');
  });

  it.each(['spin', 'silence'] as const)('%s blocks with default questions and counts against the coder', (limit) => {
    const w = claimed();
    w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit, detail: 'printed nothing' });
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', failed_by: ['coder-1'], failures_current: ['coder-1'] });
    expect(w.task('a').blocked_reason).toContain(limit);
    expect(w.task('a').blocked_reason).toContain('printed nothing');
    expect(w.task('a').blocked_questions?.length).toBeGreaterThan(0);
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'limit', limit });
  });

  it('max_iterations blocks only at the limit, and only for the holder’s supervisor', () => {
    const w = claimed();
    expect(w.refused(SUPERVISOR, { name: 'limit', task: 'a', limit: 'max_iterations' }).guard).toBe<RefusalName>(
      'limit-reached',
    );
    expect(w.refused(supervisorOf('coder-2'), { name: 'limit', task: 'a', limit: 'spin' }).guard).toBe<RefusalName>(
      'own-task',
    );
  });

  it('handoff: summary and next_action required, handoff_pending, a map keyed by task id', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    const hand = (summary: string, next_action: string): Command => ({
      name: 'handoff',
      task: 'a',
      summary,
      next_action,
    });
    expect(w.refused(CODER, hand('half', '')).guard).toBe<RefusalName>('notes');
    w.run(CODER, hand('half', 'the rest'));
    expect(w.task('a').handoff_pending).toBe(true);
    expect(w.state.handoff['a']).toMatchObject({ agent: 'coder-1', summary: 'half', next_action: 'the rest' });
    expect(w.agent('coder-1')).toMatchObject({ status: 'HANDOFF', current_task: 'a' });
  });

  it('the next session gets the notes, the flag is cleared, the checkpoint continues', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(CODER, { name: 'handoff', task: 'a', summary: 'half', next_action: 'rest' });
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('lease-past');
    w.run(SUPERVISOR, claim('a'));
    expect(w.task('a')).toMatchObject({ iteration: 1, epoch: 2 });
    expect(w.task('a')).not.toHaveProperty('handoff_pending');
    expect(w.state.handoff['a']?.summary).toBe('half');
    w.run(CODER, submit('a', commit(3)));
  });

  const discovery: Command = { name: 'discover', description: 'x', severity: 'low' };

  it.each(['CHECKPOINT', 'ABORT'] as const)('while %s is on, agents have only handoff, block and exit', (one) => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.board = { ...w.board, switches: { [one]: w.now } };
    const refusal = w.refused(CODER, submit('a', commit(1)));
    expect(refusal.guard).toBe<RefusalName>('switches');
    expect(refusal.message).toContain(`${one} is on since 2026-03-01T09:00:00Z`);
    expect(refusal.hint).toContain('block, handoff and exit stay open');
    expect(w.refused(PLANNER, addReady('b')).guard).toBe<RefusalName>('switches');
    expect(w.refused(CODER, discovery).guard).toBe<RefusalName>('switches');
    w.run(HUMAN, addReady('b'));
    w.run(CODER, { name: 'handoff', task: 'a', summary: 's', next_action: 'n' });
    w.run(CODER, { name: 'exit', code: 42 });
    w.run(CODER, block('a'));
  });

  it('while PAUSE is on, a coder that holds its task writes its checkpoint and submits, and is told until when', () => {
    const w = claimed();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    const begun = w.run({ ...CODER, session: 's-1' }, begin('a'));
    expect(begun.notes?.join()).toContain('PAUSE is on since 2026-03-01T09:00:00Z: start nothing else.');
    expect(begun.notes?.join()).toContain('Finish what you have by 2026-03-01T09:02:00Z, or liza handoff a');
    w.run(CODER, submit('a', commit(1)));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  });

  it('while PAUSE is on, a long operation is not begun, saying why', () => {
    const w = claimed();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    const refusal = w.refused(CODER, { name: 'long-heartbeat', reason: 'a build' });
    expect(refusal.guard).toBe<RefusalName>('switches');
    expect(refusal.message).toContain('PAUSE is on since 2026-03-01T09:00:00Z');
    expect(refusal.hint).toContain('what you have finished is taken, and block, handoff and exit stay open');
  });

  it.each(['CHECKPOINT', 'ABORT'] as const)('while %s is on, no checkpoint is written', (one) => {
    const w = claimed();
    w.board = { ...w.board, switches: { [one]: w.now } };
    expect(w.refused(CODER, begin('a')).guard).toBe<RefusalName>('switches');
  });

  it('while PAUSE is on, what running agents have finished is taken, and nothing follows from it', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    const found = w.run({ ...CODER, session: 's-1' }, discovery);
    expect(found.notes?.join()).toContain('PAUSE is on since 2026-03-01T09:00:00Z: start nothing else.');
    expect(found.notes?.join()).toContain('Finish what you have by 2026-03-01T09:02:00Z, or liza handoff a');
    w.run(PLANNER, addReady('b'));
    w.run(CODER, submit('a', commit(1)));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
    expect(w.refused(SUPERVISOR, claim('b')).guard).toBe<RefusalName>('switches');
  });

  it('a paused task: the coder that holds it may still write its checkpoint and submit; nobody claims it', () => {
    const w = claimed();
    w.run(HUMAN, { name: 'pause', task: 'a' });
    const begun = w.run({ ...CODER, session: 's-1' }, begin('a'));
    expect(begun.notes?.join()).toContain('a is paused: start nothing else. Finish what you have within 120s');
    w.run(CODER, submit('a', commit(1)));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  });

  it('a coder’s commands are for the holder only', () => {
    const w = claimed();
    for (const command of [begin('a'), submit('a', commit(1)), block('a')]) {
      expect(w.refused(OTHER_CODER, command).guard).toBe<RefusalName>('holds-task');
    }
  });

  it('an id with no live session may act as either: supervisor or its agent', () => {
    const w = ready('a');
    const both: Actor = { id: 'coder-1', parts: ['supervisor', 'coder'] };
    w.run(both, claim('a'));
    w.run(both, begin('a'));
    w.run(both, block('a'));
    expect(w.task('a').failed_by).toEqual(['coder-1']);
  });
});

describe('reports', () => {
  it('a discovery is logged, not fixed, and gets an id', () => {
    const w = claimed();
    w.run(CODER, { name: 'discover', description: 'no timeout', severity: 'high', urgency: 'immediate', during: 'a' });
    w.run(CODER, { name: 'discover', description: 'a typo', severity: 'low' });
    expect(w.state.discovered.map((one) => [one.id, one.by])).toEqual([
      ['disc-1', 'coder-1'],
      ['disc-2', 'coder-1'],
    ]);
    expect(w.refused(CODER, { name: 'discover', description: 'x', severity: 'odd' as 'low' }).guard).toBe<RefusalName>(
      'discovery',
    );
  });

  it('planner converts or dismisses a discovery once', () => {
    const w = claimed();
    w.run(CODER, { name: 'discover', description: 'no timeout', severity: 'high' });
    expect(
      w.refused(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'gone' }).guard,
    ).toBe<RefusalName>('task-exists');
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' });
    expect(w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' }).already).toBe(true);
    expect(
      w.refused(PLANNER, { name: 'discovery dismiss', discovery: 'disc-1', reason: 'no' }).guard,
    ).toBe<RefusalName>('open-discovery');
  });

  it('a discovery is not taken up by a task that is done, and the goal does not end over it', () => {
    const w = ready('a', 'b');
    toApproved(w, 'a');
    w.run(CODER, { name: 'discover', description: 'any password is accepted', severity: 'critical' });
    const convert = { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' } as const;
    expect(w.refused(PLANNER, convert).message).toContain('a is APPROVED and takes up nothing any more');
    toMerged(w, 'a');
    for (const by of [PLANNER, HUMAN]) {
      const refused = w.refused(by, convert);
      expect(refused.guard).toBe<RefusalName>('task-exists');
      expect(refused.message).toContain('a is MERGED and takes up nothing any more');
      expect(refused.hint).toContain('liza discovery dismiss disc-1 --reason');
    }
    expect(openDiscoveries(w.state)).toMatchObject([{ id: 'disc-1' }]);
    w.run(PLANNER, { ...convert, to_task: 'b' });
  });

  it('a discovery that the wrong task took up goes to the right one; a dismissed one does not', () => {
    const w = claimed();
    w.run(PLANNER, addReady('b'));
    w.run(CODER, { name: 'discover', description: 'no timeout', severity: 'high' });
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' });
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'b' });
    expect(w.state.discovered[0]).toMatchObject({ converted_to_task: 'b' });
    w.run(CODER, { name: 'discover', description: 'a typo', severity: 'low' });
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'no' });
    expect(
      w.refused(PLANNER, { name: 'discovery convert', discovery: 'disc-2', to_task: 'b' }).guard,
    ).toBe<RefusalName>('open-discovery');
  });

  it('a dismissed discovery can be opened again, for a reason; its dismissal stays on record', () => {
    const w = claimed();
    const reopen = { name: 'discovery reopen', discovery: 'disc-1', reason: 'upstream took the fix back' } as const;
    expect(w.refused(PLANNER, reopen).guard).toBe<RefusalName>('dismissed-discovery');
    w.run(CODER, { name: 'discover', description: 'no timeout', severity: 'high' });
    expect(w.refused(PLANNER, reopen).guard).toBe<RefusalName>('dismissed-discovery');
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-1', reason: 'fixed upstream' });
    expect(w.refused(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' }).hint).toContain(
      'liza discovery reopen disc-1',
    );
    expect(w.refused(PLANNER, { ...reopen, reason: ' ' }).guard).toBe<RefusalName>('reason');
    w.run(PLANNER, reopen);
    expect(openDiscoveries(w.state)).toMatchObject([
      { id: 'disc-1', reopened: { by: 'planner-1', reason: reopen.reason, dismissed: 'fixed upstream' } },
    ]);
    expect(discoveryHead(w.state.discovered[0] as Discovery)).toContain('opened again by planner-1: upstream took');
    expect(w.run(PLANNER, reopen).already).toBe(true);
    w.run(HUMAN, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' });
    expect(w.refused(PLANNER, reopen).hint).toContain('liza discovery convert disc-1 <task>');
  });

  it('each anomaly type is for its roles, with its required details', () => {
    const w = claimed();
    const log = (type: string, details: Record<string, unknown> = {}): Command => ({
      name: 'anomaly',
      type,
      task: 'a',
      details,
    });
    expect(w.refused(CODER, log('retry_loop', { count: 3 })).message).toContain('needs error_pattern');
    expect(w.refused(CODER, log('spec_gap')).message).toContain('logged by planner');
    expect(w.refused(PLANNER, log('trade_off')).guard).toBe<RefusalName>('type');
    expect(w.refused(CODER, log('toString')).guard).toBe<RefusalName>('type');
    w.run(CODER, log('retry_loop', { count: 3, error_pattern: 'EPIPE' }));
    w.run(HUMAN, log('spec_gap'));
    expect(w.state.anomalies.map((one) => [one.type, one.reporter, one.task])).toEqual([
      ['retry_loop', 'coder-1', 'a'],
      ['spec_gap', 'human', 'a'],
    ]);
  });

  it('heartbeat --long asks for long_lease_duration and never shortens', () => {
    const w = claimed();
    w.run(CODER, { name: 'long-heartbeat', reason: 'the whole suite' });
    expect(w.task('a').lease_expires).toBe(iso(w.now + 900_000));
    const lease = w.task('a').lease_expires;
    w.pass(-60);
    w.run(CODER, { name: 'long-heartbeat', reason: 'again' });
    expect(w.task('a').lease_expires).toBe(lease);
    w.pass(2000);
    expect(w.refused(CODER, { name: 'long-heartbeat', reason: 'too late' }).guard).toBe<RefusalName>('lease-lives');
  });

  it('exit declares a code, which a new claim forgets', () => {
    const w = claimed();
    expect(w.refused(CODER, { name: 'exit', code: 999 }).guard).toBe<RefusalName>('code');
    expect(w.run(CODER, { name: 'exit', code: 42, reason: 'waiting' }).detail).toBe(
      'coder-1 ends its session: "waiting"',
    );
    expect(w.agent('coder-1').declared_exit).toMatchObject({ code: 42, reason: 'waiting' });
    w.pass(301);
    w.run(SUPERVISOR, claim('a'));
    expect(w.agent('coder-1')).not.toHaveProperty('declared_exit');
  });

  it('exit says what is not there: refused where the reason says that it is, told otherwise', () => {
    const w = claimed();
    const said = (reason: string) => w.refused(CODER, { name: 'exit', code: 42, reason });
    expect(said('submitted for review').guard).toBe<RefusalName>('said-done');
    expect(said('submitted').message).toContain('nothing of yours is submitted for a');
    expect(said('submitted').hint).toMatch(/^Do it first, with everything committed: liza submit-for-review a/);
    expect(said('submitted').hint).toContain('liza exit 42 --reason "not submitted: why"');
    const last =
      'liza submit-for-review: submit-for-review a refused: it is unchanged → Say why: liza x --unchanged "…"';
    const after = afterRefused(said('submitted'), last);
    expect(after.message).toMatch(/nothing of yours is submitted for a: the last one was refused: .* it is unchanged$/);
    expect(after.hint).toMatch(/^Say why: liza x --unchanged "…"\. If you cannot, leave what you know/);
    const told = w.run(CODER, { name: 'exit', code: 42, reason: 'not submitted: the tests need a database' });
    expect(told.notes).toEqual(['nothing of yours is submitted for a; the next session begins it again']);
  });

  it('a session declares ten different ends at most: the same again is no entry, an eleventh is refused', () => {
    const w = claimed();
    const ends = (n: number): Command => ({ name: 'exit', code: 42, reason: `reason ${n}` });
    for (let n = 1; n <= 10; n += 1) {
      expect(w.run(CODER, ends(n)).already).toBeUndefined();
      expect(w.run(CODER, ends(n)).already).toBe(true);
    }
    expect(w.refused(CODER, ends(11))).toMatchObject({ guard: 'few-exits' satisfies RefusalName });
    expect(w.agent('coder-1').declared_exit).toMatchObject({ reason: 'reason 10' });
    w.pass(301);
    w.run(SUPERVISOR, claim('a'));
    w.run({ ...CODER, epoch: 2 }, ends(11));
  });

  it('a stale session cannot declare the exit of its successor', () => {
    const w = claimed();
    w.pass(301);
    w.run(SUPERVISOR, claim('a'));
    expect(w.refused({ ...CODER, epoch: 1 }, { name: 'exit', code: 0 }).guard).toBe<RefusalName>('epoch');
    w.run({ ...CODER, epoch: 2 }, { name: 'exit', code: 0 });
  });
});

it('an empty text of a list is refused by its field and number, whoever sends it', () => {
  const w = claimed();
  const plan = (fields: object): Command => ({ ...begin('a'), checkpoint: { ...CHECKPOINT, ...fields } }) as Command;
  const said = (command: Command): string => w.refused(CODER, command).message;
  expect(said(plan({ assumptions: ['x', ' '] }))).toContain('checkpoint.assumptions number 2 of 2 is empty');
  expect(said(plan({ files_to_modify: ['', 'src/a.ts'] }))).toContain('files_to_modify number 1 of 2 is empty');
  expect(said({ name: 'block', task: 'a', reason: 'r', questions: ['which?', ''] })).toContain('question');
  const amend = { name: 'amend', task: 'a', changes: { validation: ['npm test', ''] }, facts: {} } as const;
  expect(checkInput(amend)).toMatchObject({ message: 'changes.validation number 2 of 2 is empty' });
});

describe('the placeholder of an example', () => {
  const plan = (fields: object): Command => ({ ...begin('a'), checkpoint: { ...CHECKPOINT, ...fields } }) as Command;

  it.each(['…', '...', ' “…” ', '<why>', 'TODO'])(
    '%s where words belong is refused, and the hint says what to do',
    (text) => {
      const w = claimed();
      expect(w.refused(CODER, plan({ intent: text })).guard).toBe<RefusalName>('checkpoint');
      expect(w.refused(CODER, plan({ validation: text })).message).toContain('validation (command');
      const blocking = { name: 'block', task: 'a', reason: text, questions: ['which?'] } as const;
      expect(w.refused(CODER, blocking).guard).toBe<RefusalName>('placeholder');
      expect(w.refused(CODER, blocking).hint).toBe('Replace the words of the example by your own');
    },
  );

  it('in every field of every command, whatever it is called; a setting may have any value', () => {
    const unblock = { name: 'unblock', task: 'a', withdraw: '…', facts: {} } as const;
    expect(checkInput(unblock)).toMatchObject({ guard: 'placeholder' });
    expect(checkInput({ ...unblock, withdraw: 'the spec says <why>' })).toBeUndefined();
    expect(checkInput({ name: 'config set', key: 'test_command', value: '...' })).toBeUndefined();
    expect(checkInput({ name: 'session-end', last: '...' } as never)).toBeUndefined();
  });

  it('words that end with it are words', () => {
    const w = claimed();
    w.run(CODER, { name: 'block', task: 'a', reason: 'the server answers …', questions: ['which?'] });
    expect(w.task('a').status).toBe('BLOCKED');
  });
});
