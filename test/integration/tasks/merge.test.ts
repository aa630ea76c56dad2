// An approved commit reaches the integration branch whole, tested and by one step of the branch, or not at all.

import fs from 'node:fs';
import path from 'node:path';
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { isRunning, leftoversIn } from '../../../src/git/scratch-folders.ts';
import { acceptIntegration } from '../../../src/project/doctor-work.ts';
import type { MergeFailure } from '../../../src/tasks/judge-candidate.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull, isolations } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
const lines = (...changed: readonly (readonly [number, string])[]): string =>
  Array.from({ length: 12 }, (_, n) => `${changed.find(([at]) => at === n)?.[1] ?? `line ${n}`}\n`).join('');

let p: Project;
let start: string;

/** Tasks that are approved, each with its files; `script` is what integration has as its test. */
function approved(tasks: Readonly<Record<string, Contents>>, script?: string, seconds = 20): void {
  p = project({
    files: { 'list.txt': lines(), ...(script === undefined ? {} : { [SCRIPT]: script }) },
    config: { integration_test_timeout: seconds },
    tasks: (made) => Object.entries(tasks).map(([id, files]) => approvedTask(made, id, files)),
  });
  start = p.head();
}

const commitOf = async (task: string): Promise<string> => (await p.task(task)).review_commit ?? '';
const failure = async (merged: ReturnType<Project['merge']>): Promise<MergeFailure> => {
  const outcome = await merged;
  if (!('ok' in outcome)) throw new Error('it was merged');
  return outcome;
};

/** Still approved, the branch and the board as if nobody had tried. */
async function expectUntouched(head = start): Promise<void> {
  expect(p.head()).toBe(head);
  expect(await p.task('t')).toMatchObject({ status: 'APPROVED' });
  expect(await p.task('t')).not.toHaveProperty('merging');
  expect(p.refs('refs/liza/merging')).toEqual({});
  expect(leftoversIn(p.context.disk, p.file('.worktrees'))).toEqual([]);
}

test('other content under the name of what was reviewed is held, and nothing of it lands', async () => {
  approved({ t: { 'list.txt': lines([1, 'reviewed']) } });
  const id = p.git('rev-parse', `${await commitOf('t')}:list.txt`);
  const object = p.file(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`);
  const reviewed = fs.readFileSync(object);
  const other = Buffer.from(lines([1, 'exchanged']));
  fs.chmodSync(object, 0o644);
  fs.writeFileSync(object, deflateSync(Buffer.concat([Buffer.from(`blob ${other.length}\0`), other])));
  expect(await failure(p.merge('t'))).toMatchObject(
    refusedBy('held', { message: expect.stringContaining('not what their names say') }),
  );
  expect(p.head()).toBe(start);
  fs.writeFileSync(object, reviewed);
  expect(await p.merge('t')).toMatchObject({ how: 'fast-forward' });
});

describe('ways', () => {
  test('forward, then with a merge commit that says whose work it is, then what is there already', async () => {
    approved({
      first: { 'list.txt': lines([1, 'first']) },
      t: { 'list.txt': lines([10, 'second']) },
    });
    const [one, two] = [await commitOf('first'), await commitOf('t')];
    expect(await p.merge('first')).toMatchObject({ how: 'fast-forward', commit: one, test: { verdict: 'none' } });
    expect(p.head()).toBe(one);
    expect((await p.state()).goal.integration_head).toBe(one);
    expect(await p.last('first', 'merged')).toMatchObject({ merge_commit: one, onto: start, drift: 0 });

    const merged = succeeded(await p.merge('t'));
    expect(merged).toMatchObject({ how: 'merge', commit: p.head() });
    expect(p.git('show', '-s', '--format=%P', 'integration')).toBe(`${one} ${two}`);
    expect(p.git('show', '-s', '--format=%B', 'integration')).toBe(
      [
        'Merge task t: Build t',
        '',
        'Liza-Task: t',
        'Liza-Author: coder-1',
        'Liza-Reviewer: code-reviewer-1',
        `Liza-Reviewed-Commit: ${two}`,
      ].join('\n'),
    );
    expect(`${p.git('show', 'integration:list.txt')}\n`).toBe(lines([1, 'first'], [10, 'second']));
    expect(await p.task('t')).toMatchObject({ status: 'MERGED', merge_commit: merged.commit });
    expect(await p.last('t', 'merged')).toMatchObject({
      onto: one,
      commit: two,
      drift: 1,
      approved_by: 'code-reviewer-1',
    });
    expect(await p.merge('t')).toMatchObject({ how: 'before', commit: merged.commit });
    // The root is on main: nothing of it has changed.
    expect(p.git('status', '--porcelain')).toBe('');
  });

  test('what a person has merged and accepted meanwhile needs no second merge', async () => {
    approved({ t: { 'list.txt': lines([1, 'x']) } });
    p.git('branch', '-f', 'integration', await commitOf('t'));
    succeeded(await acceptIntegration(p.as()));
    expect(await p.merge('t')).toMatchObject({ how: 'contained', commit: p.head() });
    expect(await p.task('t')).toMatchObject({ status: 'MERGED', merge_commit: p.head() });
  });

  test('two at once: one after the other, both are there', async () => {
    approved({ t: { 'a.txt': 'a\n' }, u: { 'b.txt': 'b\n' } });
    const merged = await Promise.all([p.merge('t'), p.merge('u')]);
    expect(merged.map((one) => 'how' in one && one.how).sort()).toEqual(['fast-forward', 'merge']);
    expect(p.git('ls-tree', '--name-only', 'integration').split('\n')).toEqual(
      expect.arrayContaining(['a.txt', 'b.txt']),
    );
    expect((await p.state()).goal.integration_head).toBe(p.head());
  });

  test('a conflict names paths and whose work is on the other side', async () => {
    approved({
      other: { 'list.txt': lines([3, 'other']) },
      unrelated: { 'unrelated.txt': 'x\n' },
      t: { 'list.txt': lines([3, 'mine']), 'fine.txt': 'x\n' },
    });
    succeeded(await p.merge('other'));
    succeeded(await p.merge('unrelated'));
    const head = p.head();
    expect(await failure(p.merge('t'))).toMatchObject(
      refusedBy('conflict', {
        code: 3,
        message: 't does not merge: conflict in list.txt, against other; it is INTEGRATION_FAILED now',
      }),
    );
    expect(p.head()).toBe(head);
    expect(await p.task('t')).toMatchObject({ status: 'INTEGRATION_FAILED' });
    expect(await p.last('t', 'integration_failed')).toMatchObject({ paths: ['list.txt'], with: ['other'] });
    expect(await p.task('t')).not.toHaveProperty('merging');
  });

  test('nobody merges while halted; any supervisor does otherwise', async () => {
    approved({ t: { 'a.txt': 'a\n' } });
    fs.writeFileSync(p.file('.liza', 'PAUSE'), '');
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('switches'));
    fs.rmSync(p.file('.liza', 'PAUSE'));
    await expectUntouched();
    expect(await p.merge('t', {}, p.as('coder-2'))).toMatchObject({ how: 'fast-forward' });
  });
});

describe.each(isolations('clone'))('%s: a branch that moved on after the approval', (isolation) => {
  test.runIf(inFull)('what was approved is merged; what came after is recorded and kept (in test:all)', async () => {
    p = project({ config: { isolation } });
    const commit = await p.approved('t');
    p.gitIn(p.folder('t'), 'commit', '-q', '--amend', '-m', 'afterwards');
    const amended = p.gitIn(p.folder('t'), 'rev-parse', 'HEAD');
    fs.writeFileSync(p.folder('t', 'late.txt'), 'uncommitted');
    const merged = succeeded(await p.merge('t'));
    expect(merged).toMatchObject({ commit, tidied: { attempt: { ref: 'refs/liza/attempts/t/1', tip: amended } } });
    expect(p.head()).toBe(commit);
    expect((await p.state()).anomalies).toEqual([
      expect.objectContaining({
        type: 'branch_moved',
        task: 't',
        details: expect.objectContaining({ branch: 'task/t', commit: amended, merged: commit }),
      }),
    ]);
    const kept = p.refs('refs/liza/attempts')['refs/liza/attempts/t/1'];
    expect(p.git('rev-parse', `${kept}^`)).toBe(amended);
    expect(p.git('show', `${kept}:late.txt`)).toBe('uncommitted');
    expect(fs.existsSync(p.folder('t'))).toBe(false);
    expect({ ...p.refs('refs/heads/task'), ...p.refs('refs/liza/seen') }).toEqual({});
  });
});

describe('the branch', () => {
  test('moved outside Liza: refused and recorded, until a person accepts it', async () => {
    approved({ t: { 'a.txt': 'a\n' } });
    const found = p.commitTo('integration', { 'sneaked.txt': 'x\n' });
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('integration-moved', { code: 1 }));
    expect((await p.state()).goal.integration_moved).toMatchObject({ expected: start, found });
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('integration-accepted'));
    await expectUntouched(found);
    succeeded(await acceptIntegration(p.as()));
    expect(await p.merge('t')).toMatchObject({ how: 'merge' });
    expect(p.git('rev-parse', 'integration^1')).toBe(found);
    p.git('branch', '-f', 'integration', found);
    expect(await acceptIntegration(p.as())).toMatchObject({ head: found, gone: ['t'] });
  });

  test('gone: refused with how to bring it back', async () => {
    approved({ t: { 'a.txt': 'a\n' } });
    p.git('branch', '-D', '-q', 'integration');
    expect(await failure(p.merge('t'))).toMatchObject(
      refusedBy('no-integration', {
        code: 3,
        hint: `bring it back: LIZA_INTEGRATION=mine git branch integration ${start}`,
      }),
    );
    p.git('branch', 'integration', start);
    await expectUntouched();
  });

  test('a history that takes in the person’s commits without their content waits for liza sync, and loses nothing', async () => {
    p = project({
      tasks: (made) => {
        const own = made.commit({ 'mine.txt': 'mine\n' }, 'the person’s own');
        const task = approvedTask(made, 't', { 't.txt': 't\n' }, made.head());
        const tree = `${task.review_commit}^{tree}`;
        const commit = made.git(
          'commit-tree',
          '-p',
          String(task.review_commit),
          '-p',
          own,
          '-m',
          'takes main in',
          tree,
        );
        made.git('update-ref', 'refs/liza/review/t/1', commit);
        const history = task.history?.map((event) => ('commit' in event ? { ...event, commit } : event)) ?? [];
        return [{ ...task, review_commit: commit, history }];
      },
    });
    start = p.head();
    expect(await failure(p.merge('t'))).toMatchObject(
      refusedBy('held', { hint: expect.stringContaining('liza sync') }),
    );
    expect(await p.task('t')).toMatchObject({
      status: 'APPROVED',
      merge_held: { reason: expect.stringContaining('its history has 1 commit of main that integration lacks') },
    });
    expect(p.head()).toBe(start);
    await p.ok(['sync', 'main']);
    succeeded(await p.merge('t'));
    expect(p.git('show', 'integration:mine.txt', 'integration:t.txt')).toBe('mine\nt');
  });

  test('checked out by a person: a clean checkout comes along, one with changes holds the merge', async () => {
    approved({ t: { 'list.txt': lines([1, 't']) }, u: { 'list.txt': lines([10, 'u']) } });
    p.git('checkout', '-q', 'integration');
    fs.writeFileSync(p.file('list.txt'), 'being edited\n');
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('held', { code: 1 }));
    expect(await p.task('t')).toMatchObject({
      status: 'APPROVED',
      merge_held: { reason: expect.stringContaining('list.txt') },
    });
    expect(fs.readFileSync(p.file('list.txt'), 'utf8')).toBe('being edited\n');
    p.git('checkout', '-q', 'list.txt');
    const merged = succeeded(await p.merge('t'));
    expect(merged.remarks).toEqual([expect.stringContaining('is updated to')]);
    expect(p.git('status', '--porcelain')).toBe('');
    expect(fs.readFileSync(p.file('list.txt'), 'utf8')).toBe(lines([1, 't']));
    expect(await p.task('t')).not.toHaveProperty('merge_held');
  });
});

describe('the integration test', () => {
  test('red: the branch stays, the log and its end are shown', async () => {
    approved({ t: { 'a.txt': 'a\n' } }, 'echo looking at a.txt; test ! -e a.txt\n');
    const failed = await failure(p.merge('t'));
    expect(failed).toMatchObject(
      refusedBy('integration-test', {
        code: 3,
        message: expect.stringContaining('the integration test ended with 1'),
        lines: ['  looking at a.txt'],
      }),
    );
    expect(p.head()).toBe(start);
    expect(await p.task('t')).toMatchObject({ status: 'INTEGRATION_FAILED' });
    const { log, reason, output } = (await p.last('t', 'integration_failed')) ?? {};
    expect(reason).toBe('the integration test ended with 1');
    // For the prompt of whoever fixes it: a sandbox hides the log.
    expect(output).toBe('looking at a.txt');
    expect(fs.readFileSync(p.file(String(log)), 'utf8')).toBe('looking at a.txt\n');
    expect(p.refs('refs/liza/merging')).toEqual({});
    expect(leftoversIn(p.context.disk, p.file('.worktrees'))).toEqual([]);
  });

  test('that cannot be started anywhere says nothing about the candidate: the queue is held, and no coder is sent to mend it', async () => {
    approved({ t: { 'a.txt': 'a\n' } }, 'exit 0\n');
    await p.config({ sandbox: 'require' });
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('not-started', { code: 5 }));
    await expectUntouched();
    expect((await p.state()).goal.queue?.held).toMatchObject({
      by: 'liza',
      reason: expect.stringContaining('started'),
    });
    await p.config({ sandbox: 'off' });
    await p.ok(['queue', 'release']);
    expect(await p.merge('t')).toMatchObject({ commit: await commitOf('t') });
  });

  test('hanging: ended at its limit, with all that it started', async () => {
    approved({ t: { 'a.txt': 'a\n' } }, 'sleep 987 & echo $! > "$TMPDIR/child"; sleep 987\n', 1);
    const env = { ...p.env, TMPDIR: p.base };
    expect(await failure(p.merge('t', {}, p.as('code-reviewer-1', { env })))).toMatchObject({
      code: 3,
      message: expect.stringContaining('did not end within 1 s'),
    });
    const child = Number(fs.readFileSync(path.join(p.base, 'child'), 'utf8'));
    // Ended at once; its number goes when whoever inherited it has looked.
    await expect.poll(() => isRunning(p.context, child), { timeout: 30_000 }).toBe(false);
    expect(p.head()).toBe(start);
  });

  test('green: on the candidate, with its neighbours; what it does to its tree or to git changes nothing', async () => {
    const script = `set -e
cat list.txt scripts/neighbour.txt; git log --oneline | wc -l; test -z "\${SECRET_TOKEN-}"
echo spoilt > list.txt; git commit -qam spoilt; git update-ref refs/heads/integration HEAD; git checkout -q -b x
rm -rf src .git/objects\n`;
    p = project({
      files: { 'list.txt': lines(), [SCRIPT]: script, 'scripts/neighbour.txt': 'near\n' },
      tasks: (made) => [
        approvedTask(made, 'other', { 'b.txt': 'b\n' }),
        approvedTask(made, 't', { 'list.txt': lines([2, 't']) }),
      ],
    });
    succeeded(await p.merge('other'));
    const hands = p.as('code-reviewer-1', { env: { ...p.env, SECRET_TOKEN: 'sesame' } });
    const merged = succeeded(await p.merge('t', {}, hands));
    expect(merged).toMatchObject({ how: 'merge', test: { verdict: 'green' } });
    if (merged.test?.verdict !== 'green') throw new Error('not green');
    expect(fs.readFileSync(p.file(merged.test.log), 'utf8')).toBe(`${lines([2, 't'])}near\n5\n`);
    expect(`${p.git('show', 'integration:list.txt')}\n`).toBe(lines([2, 't']));
    expect(p.git('show', '-s', '--format=%s', 'integration')).toBe('Merge task t: Build t');
    expect(p.git('fsck', '--no-dangling')).toBe('');
    expect(p.said.filter((line) => line.includes('integration test of t'))).toHaveLength(1);
  });

  test('the base side’s judges, whatever the candidate brings; a person may let the candidate’s', async () => {
    approved(
      {
        t: { [SCRIPT]: 'touch "$HOME/candidate-judged"; exit 0\n', 'a.txt': 'a\n' },
        link: { [SCRIPT]: null, 'a.txt': 'a\n' },
      },
      'test ! -e a.txt\n',
    );
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('integration-test'));
    expect(await failure(p.merge('link'))).toMatchObject(refusedBy('integration-test'));
    expect(fs.existsSync(path.join(p.base, 'candidate-judged'))).toBe(false);
    approved({ t: { [SCRIPT]: 'exit 0\n', 'a.txt': 'a\n' } }, 'exit 1\n');
    expect(await p.merge('t', { testFrom: 'candidate' }, p.as())).toMatchObject({ test: { verdict: 'green' } });
  });

  test('a link in place of its folder or file does not lead it elsewhere', async () => {
    p = project({
      files: { [SCRIPT]: 'exit 0\n' },
      tasks: (made) => {
        const folder = path.join(made.base, 'linked');
        made.git('worktree', 'add', '-q', '-b', 'linked', folder, 'integration');
        fs.rmSync(path.join(folder, 'scripts'), { recursive: true });
        fs.symlinkSync(made.base, path.join(folder, 'scripts'));
        made.gitIn(folder, 'add', '-A');
        made.gitIn(folder, 'commit', '-q', '-m', 'a link');
        const task = approvedTask(made, 't', { 'a.txt': 'a\n' }, made.head('linked'));
        made.git('worktree', 'remove', '--force', folder);
        return [task];
      },
    });
    expect(await failure(p.merge('t'))).toMatchObject({ message: expect.stringContaining('has a link in the path') });
    expect(fs.existsSync(path.join(p.base, 'integration-test.sh'))).toBe(false);
  });

  test('while it runs: a pause, a moved branch, a withdrawn intent or a stop, and nothing is merged', async () => {
    // What the test does comes from a file; where it was green it lands by that run later, so each has its own project.
    const begin = () => approved({ t: { 'a.txt': 'a\n' } }, '. "$HOME/meanwhile"\n');
    begin();
    const meanwhile = (script: string) => fs.writeFileSync(path.join(p.base, 'meanwhile'), `${script}\n`);

    meanwhile(`touch ${p.file('.liza', 'PAUSE')}`);
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('switches'));
    fs.rmSync(p.file('.liza', 'PAUSE'));
    await expectUntouched();

    begin();
    meanwhile(`git -C ${p.root} update-ref -d refs/liza/merging/t`);
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('stopped', { message: 'the merge of t was stopped' }));
    await expectUntouched();

    begin();
    meanwhile('sleep 100');
    const hands = p.as('code-reviewer-1', { stop: () => stopped });
    const stopped = AbortSignal.timeout(200);
    expect(await failure(p.merge('t', {}, hands))).toMatchObject(refusedBy('stopped', { code: 1 }));
    await expectUntouched();

    meanwhile('exit 0');
    // Also where the branch is.
    await p.config({ post_worktree_cmd: 'false' });
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('post-worktree-cmd', { code: 3 }));
    await expectUntouched();
    await p.config({ post_worktree_cmd: null });

    const other = p.commitTo('main', { 'sneaked.txt': 'x\n' });
    meanwhile(`git -C ${p.root} update-ref refs/heads/integration ${other}`);
    expect(await failure(p.merge('t'))).toMatchObject(refusedBy('integration-moved', { code: 1 }));
    await expectUntouched(other);
    expect((await p.state()).goal.integration_moved).toMatchObject({ expected: start, found: other });
  });
});
