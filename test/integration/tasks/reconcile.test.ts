// Git and the board brought to agree again, from half states made by hand: the way a kill, an agent's rm or a
// person leaves them. What nobody can be sure about is told and left alone.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryPath } from '../../../src/git/scratch-folders.ts';
import { findTrouble, type Mended } from '../../../src/tasks/find-mismatches.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { bareRepository } from '../../support/exchange.ts';
import { approvedTask, type Project, type ProjectOptions, project, succeeded } from '../../support/project.ts';

let p: Project;

/** As a reservation names a process that has ended. */
const GONE = `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/999999999/1`;
const told = (mended: readonly Mended[]): readonly string[] =>
  mended.map(({ subject, problem, done, resists }) => `${subject}: ${problem} → ${done ?? resists?.message ?? '?'}`);
const look = async (): Promise<readonly string[]> => told(succeeded(await findTrouble(p.as())) as readonly Mended[]);
const mend = async (): Promise<readonly string[]> => told(succeeded(await reconcile(p.as())) as readonly Mended[]);

/** The second time there is nothing to do. */
async function expectSettled(): Promise<void> {
  expect(await mend()).toEqual([]);
  expect(p.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
}

describe.each(isolations('clone'))('%s', (isolation) => {
  const start = (options: ProjectOptions = {}): void => {
    p = project({ ...options, config: { isolation, ...options.config } });
  };

  test('a claim that was killed: reservation, branch and folder go', async () => {
    start({ tasks: ['t', 'u', 'v'] });
    // u: killed before the folder was there; t: killed before the board had it.
    await p.run('coder-1', { name: 'reserve-claim', task: 'u', agent: 'coder-1', process: GONE });
    p.git('update-ref', 'refs/liza/seen/u', 'integration');
    if (isolation === 'worktree') p.git('branch', 'task/u', 'integration');
    write(temporaryPath(p.context, p.file('.worktrees'), 'making', 'u'), { 'half.txt': 'x\n' });
    fs.mkdirSync(temporaryPath(p.context, p.file('.git', 'liza'), 'trash', 'u'), { recursive: true });
    await p.claim('v');
    fs.renameSync(p.folder('v'), p.folder('t'));
    await p.run(undefined, { name: 'release-claim', task: 'v' });
    if (isolation === 'worktree') {
      fs.renameSync(p.file('.git', 'worktrees', 'liza-v'), p.file('.git', 'worktrees', 'liza-t'));
      p.git('branch', '-m', 'task/v', 'task/t');
    }
    p.git('update-ref', 'refs/liza/seen/t', 'integration');
    p.git('update-ref', '-d', 'refs/liza/seen/v');
    await p.run('coder-1', { name: 'reserve-claim', task: 't', agent: 'coder-1', process: GONE });

    expect(await look()).toEqual([
      't: a claim was under way in a process that is gone → ?',
      't: a worktree or branch that no task owns now → ?',
      'u: a claim was under way in a process that is gone → ?',
      'u: a half-made or half-removed worktree → ?',
      'u: a worktree or branch that no task owns now → ?',
    ]);
    expect(await mend()).toHaveLength(5);
    expect(p.refs('refs/liza')).toEqual({});
    expect(p.refs('refs/heads/task')).toEqual({});
    expect(fs.readdirSync(p.file('.worktrees'))).toEqual([]);
    for (const id of ['t', 'u']) expect(await p.task(id)).not.toHaveProperty('claiming');
    await expectSettled();
    await p.claim('t');
  });

  test('a release that was killed: the work is kept, then put away', async () => {
    start();
    await p.claim('t');
    const commit = p.work('t');
    write(p.folder('t'), { 'notes.txt': 'uncommitted\n' });
    await p.run(undefined, { name: 'release-claim', task: 't' });
    expect(await mend()).toEqual([
      't: a worktree or branch that no task owns now → removed; its work is kept as refs/liza/attempts/t/1',
    ]);
    expect(p.git('rev-parse', 'refs/liza/attempts/t/1^')).toBe(commit);
    expect(p.git('show', 'refs/liza/attempts/t/1:notes.txt')).toBe('uncommitted');
    await expectSettled();
  });

  test('a folder that is gone or broken comes back; where it was is not forgotten on the way', async () => {
    start({ config: { post_worktree_cmd: 'test -e "$HOME/ready"; echo made > made.log' } });
    fs.writeFileSync(path.join(p.base, 'ready'), '');
    await p.begun('t');
    const commit = p.work('t');
    await p.submit('t', '0'.repeat(40)); // refused, but seen
    fs.rmSync(p.folder('t'), { recursive: true });
    await p.config({ post_worktree_cmd: 'exit 9' });
    expect(await mend()).toEqual([expect.stringContaining('t: its worktree is gone or broken → post_worktree_cmd')]);
    await p.config({ post_worktree_cmd: 'echo made > made.txt' });
    expect(await mend()).toEqual([
      `t: its worktree is gone or broken → created again at ${commit.slice(0, 12)}, the last commit that Liza saw`,
    ]);
    expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(commit);
    expect(p.gitIn(p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
    await expectSettled();
  });
});

test('an integration fix whose folder is lost before it began comes back with its merge', async () => {
  p = project({
    tasks: (made) => [
      approvedTask(made, 'other', { 'src/app.ts': 'other\n', 'test/other.test.ts': 'x\n' }),
      approvedTask(made, 't', { 'src/app.ts': 'mine\n', 'test/app.test.ts': 'mine\n' }),
    ],
  });
  succeeded(await p.merge('other'));
  await p.merge('t');
  await p.claim('t');
  fs.rmSync(p.folder('t'), { recursive: true });
  expect(await mend()).toHaveLength(1);
  expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('UU src/app.ts\nA  test/other.test.ts');
  expect(await p.begin('t')).toMatchObject({ ok: true });
  await expectSettled();
});

test('the project was moved, or its agent bent the link: it points to the right place again', async () => {
  p = project({ tasks: ['t', 'u'] });
  await p.claim('t');
  await p.claim('u', 'coder-2');
  const victim = path.join(p.base, 'victim');
  fs.writeFileSync(victim, 'precious');
  fs.writeFileSync(p.folder('t', '.git'), 'gitdir: /where/it/was/.git/worktrees/liza-t\n');
  fs.rmSync(p.folder('u', '.git'));
  fs.symlinkSync(victim, p.folder('u', '.git'));
  expect(await mend()).toEqual(
    ['t', 'u'].map(
      (id) => `${id}: its worktree points to the project’s old folder → it points to the right place again`,
    ),
  );
  for (const id of ['t', 'u']) expect(p.gitIn(p.folder(id), 'rev-parse', '--abbrev-ref', 'HEAD')).toBe(`task/${id}`);
  expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  await expectSettled();
});

test('what Liza did not make is told and left alone; a live claim is left to its process', async () => {
  p = project({ tasks: ['t', 'u'] });
  write(p.folder('stranger'), { 'mine.txt': 'x\n' });
  p.git('branch', 'task/t');
  await p.run('coder-1', { name: 'reserve-claim', task: 'u', agent: 'coder-1' });
  p.git('update-ref', 'refs/liza/seen/u', 'integration');
  const unknown = 'stranger: a folder in .worktrees that Liza did not make; it is left alone';
  expect(await look()).toEqual([expect.stringContaining(unknown)]);
  expect(await mend()).toEqual([expect.stringContaining(unknown)]);
  expect(fs.readFileSync(p.folder('stranger', 'mine.txt'), 'utf8')).toBe('x\n');
  expect(p.refs()).toMatchObject({ 'refs/heads/task/t': p.head('main'), 'refs/liza/seen/u': p.head() });
});

describe('merges', () => {
  /** Announced, by a process that died; `moved`: after the branch had moved; `judged`: its test was over. */
  async function killed(moved: boolean, judged = moved): Promise<string> {
    p = project({ tasks: (made) => [approvedTask(made, 't', { 'a.txt': 'a\n' })] });
    const candidate = (await p.task('t')).review_commit ?? '';
    const onto = p.head();
    const intent = { name: 'reserve-merge', task: 't', candidate, onto, process: GONE } as const;
    await p.run('code-reviewer-1', intent);
    if (judged) await p.run('code-reviewer-1', { ...intent, judged: { tested: 'npm test' } });
    p.git('update-ref', 'refs/liza/merging/t', candidate);
    write(temporaryPath(p.context, p.file('.worktrees'), 'merge', 't'), { 'a.txt': 'a\n' });
    if (moved) p.git('update-ref', 'refs/heads/integration', candidate);
    return candidate;
  }

  test('killed before the branch moved: undone', async () => {
    await killed(false);
    expect(await look()).toEqual(['t: its merge was under way in a process that is gone → ?']);
    expect(await mend()).toEqual([
      'merges: a merge was interrupted → the merge of t had not reached the branch and is undone',
    ]);
    expect(await p.task('t')).toMatchObject({ status: 'APPROVED' });
    expect(await p.task('t')).not.toHaveProperty('merging');
    expect(p.refs('refs/liza/merging')).toEqual({});
    expect(fs.readdirSync(p.file('.worktrees'))).toEqual([]);
    await expectSettled();
    expect(await p.merge('t')).toMatchObject({ how: 'fast-forward' });
  });

  test('killed after it: recorded, and no alarm about a moved branch', async () => {
    const candidate = await killed(true);
    expect(await mend()).toEqual([
      'merges: a merge was interrupted → the merge of t is recorded: it had reached the branch',
    ]);
    expect(await p.task('t')).toMatchObject({ status: 'MERGED', merge_commit: candidate });
    expect(await p.last('t', 'merged')).toMatchObject({ tested: 'npm test' });
    expect((await p.state()).goal).toMatchObject({ integration_head: candidate });
    expect((await p.state()).goal).not.toHaveProperty('integration_moved');
    await expectSettled();
  });

  test('killed while its test ran, and somebody else moved the branch to it: undone, and an alarm', async () => {
    const candidate = await killed(true, false);
    const left = (await p.task('t')).merging?.onto;
    expect(await mend()).toEqual([
      expect.stringContaining('it was not tested yet, and somebody else moved the branch to it'),
      expect.stringContaining('integration was moved outside Liza'),
    ]);
    expect(await p.task('t')).toMatchObject({ status: 'APPROVED' });
    expect((await p.state()).goal.integration_moved).toMatchObject({ expected: left, found: candidate });
  });

  test('the next merge settles the one before by itself', async () => {
    const candidate = await killed(true);
    expect(await p.merge('t')).toMatchObject({ how: 'before', commit: candidate });
    expect(p.refs('refs/liza/merging')).toEqual({});
  });

  test('a branch that moved otherwise is an alarm', async () => {
    p = project();
    const left = p.head();
    const found = p.commitTo('integration', { 'x.txt': 'x\n' });
    const line = `integration: integration was moved outside Liza: it is at ${found}, Liza left it at ${left}`;
    expect(await mend()).toEqual([expect.stringContaining(line)]);
    expect((await p.state()).goal.integration_moved).toMatchObject({ expected: left, found });
    p.git('branch', '-D', '-q', 'integration');
    expect(await mend()).toEqual([expect.stringContaining('the branch integration is gone')]);
  });
});

test('lock files of a git that was killed go, after a look at who lives', async () => {
  p = project();
  await p.claim('t');
  const lock = p.file('.git', 'worktrees', 'liza-t', 'index.lock');
  fs.writeFileSync(lock, '');
  expect(await mend()).toEqual([`t: lock files of a git process that is gone → removed ${lock}`]);
  expect(p.gitIn(p.folder('t'), 'add', '-A')).toBe('');
});

test('a branch that other processes bring on meanwhile was moved by nobody, whenever that is', async () => {
  for (let at = 1, reads = at; reads >= at; at += 1) {
    p = project({ config: { exchange: bareRepository().path } });
    const start = p.head('integration');
    const here = p.commitTo('integration', { 'one.txt': '1\n' }, 'one');
    const there = p.commitTo('integration', { 'two.txt': '2\n' }, 'two');
    p.git('update-ref', 'refs/heads/integration', start);
    await p.run(undefined, { name: 'accept-integration', head: start });
    reads = 0;
    const read: Project['store']['read'] = async (within) => {
      const seen = await p.store.read(within);
      reads += 1;
      if (reads === at) {
        p.git('update-ref', 'refs/heads/integration', here);
        await p.run(undefined, { name: 'accept-integration', head: there });
      }
      return seen;
    };
    succeeded(await reconcile(p.as('coder-1', { store: { ...p.store, read } })));
    expect((await p.state()).goal, `after ${at} reads`).not.toHaveProperty('integration_moved');
  }
});
