// A person's branch comes into the integration branch whole, tested and by one step of the branch, or not at all.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { leftoversIn } from '../../../src/git/scratch-folders.ts';
import { watchBranches } from '../../../src/identity/branch-watch.ts';
import { acceptIntegration } from '../../../src/project/doctor-work.ts';
import { transact } from '../../../src/store/transact.ts';
import { findTrouble } from '../../../src/tasks/find-mismatches.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { syncBase } from '../../../src/tasks/sync.ts';
import { refusedBy } from '../../refused-by.ts';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
const GREEN = '#!/bin/sh\ntest ! -e broken.txt && echo all is well\n';

/** A process that is no more: its id is above what the kernel gives. */
const GONE = `${fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/999999999/1`;

let p: Project;
let start: string;

/** main is checked out in the root; integration has a commit of its own, `files`. */
function diverged(files: Readonly<Record<string, string>> = { 'task.txt': 'task\n' }): void {
  p = project({ config: { base_branch: 'main' }, files });
  start = p.head();
}

const sync = (request: Partial<Parameters<typeof syncBase>[1]> = {}, by = p.as()) =>
  syncBase(by, { withUnreviewed: false, ...request });

async function expectUntouched(head = start): Promise<void> {
  expect(p.head()).toBe(head);
  expect((await p.state()).goal).not.toHaveProperty('moving');
  expect((await p.state()).goal).not.toHaveProperty('syncs');
  expect(p.refs('refs/liza/merging')).toEqual({});
  expect(leftoversIn(p.context.disk, p.file('.worktrees'))).toEqual([]);
}

describe('ways', () => {
  test('integration has nothing of its own: it goes forward, once', async () => {
    p = project({ config: { base_branch: 'main' } });
    start = p.head();
    const commit = p.commit({ 'mine.txt': 'mine\n' });
    expect(await sync()).toMatchObject({ branch: 'main', how: 'fast-forward', commits: 1, test: { verdict: 'none' } });
    expect(p.head()).toBe(commit);
    expect((await p.state()).goal).toMatchObject({
      integration_head: commit,
      syncs: [{ branch: 'main', commit, merge_commit: commit, onto: start, by: 'human' }],
    });
    expect((await p.state()).goal).not.toHaveProperty('moving');
    expect(await sync()).toMatchObject({ how: 'contained' });
    expect(p.git('status', '--porcelain')).toBe('');
  });

  test('main was rewritten: what it had and has no more stays on integration, and is named', async () => {
    p = project({ config: { base_branch: 'main' } });
    p.commit({ 'secret.txt': 'a\n' }, 'a secret');
    expect(await sync()).toMatchObject({ how: 'fast-forward', kept: [] });
    p.git('reset', '--hard', '--quiet', 'HEAD~1');
    p.commit({ 'mine.txt': 'mine\n' });
    expect(await sync()).toMatchObject({
      how: 'merge',
      commits: 1,
      kept: [expect.stringMatching(/^[0-9a-f]+ a secret$/)],
    });
    expect(await sync()).toMatchObject({ how: 'contained', kept: [expect.stringMatching(/ a secret$/)] });
  });

  test('both went on: a merge commit with both, tested with the integration branch’s own script', async () => {
    diverged({ [SCRIPT]: GREEN });
    const commit = p.commit({ 'mine.txt': 'mine\n', [SCRIPT]: '#!/bin/sh\nexit 1\n' });
    // The script of main would fail it: both sides added one, so that this is a conflict of its own.
    expect(await sync()).toMatchObject(refusedBy('conflict', { code: 3 }));
    p.git('rm', '-q', SCRIPT);
    p.git('commit', '-q', '--amend', '--no-edit');
    const merged = succeeded(await sync());
    expect(merged).toMatchObject({ how: 'merge', commits: 1, test: { verdict: 'green' } });
    expect(p.git('show', '-s', '--format=%P', 'integration')).toBe(`${start} ${p.head('main')}`);
    expect(p.head('main')).not.toBe(commit);
    expect(p.git('ls-tree', '--name-only', 'integration').split('\n')).toContain('mine.txt');
    expect((await p.state()).goal.integration_head).toBe(p.head());
  });

  test('without an integration test the project’s test_command decides, as in finish', async () => {
    p = project({ config: { base_branch: 'main', test_command: 'test ! -e broken.txt && echo all is well' } });
    start = p.head();
    p.commit({ 'broken.txt': 'x\n' });
    expect(await sync()).toMatchObject({
      ...refusedBy('integration-test', { code: 3 }),
      hint: expect.stringMatching(/integration alone is green: fix it on main; then: liza sync$/),
    });
    await expectUntouched();
    await p.ok(['config', 'set', 'test_command', 'ls no-such-file']);
    expect(await sync()).toMatchObject({
      message:
        'main is not merged in: ls no-such-file ended with 2, and on integration alone it is the same; nothing is changed',
      hint: expect.stringMatching(/have it fixed by a task: liza note "…"; or fix it on main, then: liza sync$/),
    });
    await p.ok(['config', 'set', 'test_command', 'sh test.sh']);
    const none = await sync();
    expect(none).toMatchObject({
      message: expect.stringMatching(
        /^main is not merged in: sh test\.sh finds no tests yet \(.*No such file\), and on integration alone/,
      ),
      hint: expect.stringMatching(
        /^a task of this goal may write them, or you do: commit them on main, then: liza sync;/,
      ),
    });
    await expectUntouched();
    // Each way that it names works.
    p.commit({ 'test.sh': 'test ! -e broken.txt\n' });
    p.git('rm', '-q', 'broken.txt');
    p.commit({ 'mine.txt': 'mine\n' });
    expect(await sync()).toMatchObject({ how: 'fast-forward', test: { verdict: 'green' } });
  });

  test('a person merged integration into main: it goes forward there, and all is contained from then on', async () => {
    diverged();
    p.git('merge', '-q', '--no-ff', '--no-edit', 'integration');
    expect(await sync()).toMatchObject({ how: 'fast-forward' });
    expect(p.head()).toBe(p.head('main'));
    expect(p.git('rev-parse', 'integration^{tree}')).toBe(p.git('rev-parse', 'main^{tree}'));
    expect(await sync()).toMatchObject({ how: 'contained' });
  });

  test('a branch that is named, also one of a remote', async () => {
    diverged();
    p.git('branch', 'develop');
    p.commitTo('develop', { 'dev.txt': 'dev\n' });
    p.git('update-ref', 'refs/remotes/origin/main', p.commitTo('develop', { 'dev2.txt': 'dev\n' }));
    expect(await sync({ branch: 'develop' })).toMatchObject({ branch: 'develop', how: 'merge' });
    expect(await sync({ branch: 'origin/main' })).toMatchObject({ branch: 'origin/main', how: 'contained' });
  });

  test('a task that is merged afterwards is built upon it, and the audit accounts for every step', async () => {
    p = project({ config: { base_branch: 'main' }, tasks: (made) => [approvedTask(made, 't', { 'a.txt': 'a\n' })] });
    const mine = p.commit({ 'mine.txt': 'mine\n' });
    succeeded(await sync());
    succeeded(await p.merge('t'));
    p.commit({ 'more.txt': 'more\n' });
    succeeded(await sync());
    const { stdout } = await p.ok(['audit']);
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '1 recorded merge, 1 of a person’s branch (liza sync), and nothing else',
    );
    expect((await p.liza(['blame', mine])).stderr).toContain('it came from main, which human merged in');
    expect((await p.liza(['blame', 'integration'])).stderr).toContain(
      'the merge commit by which human brought main in',
    );
  });
});

describe('refused, and everything is as it was', () => {
  test('a conflict names the files', async () => {
    diverged({ 'README.md': 'theirs\n' });
    p.commit({ 'README.md': 'mine\n' });
    expect(await sync()).toMatchObject(
      refusedBy('conflict', {
        code: 3,
        message: 'main and integration do not merge: conflict in README.md; nothing is changed',
        hint: 'resolve it on a branch of yours: git switch main && git merge refs/heads/integration, then: liza sync',
      }),
    );
    await expectUntouched();
  });

  test('a red test shows the end of its output', async () => {
    diverged({ [SCRIPT]: GREEN.replace('test !', 'ls; test !') });
    p.commit({ 'broken.txt': 'x\n' });
    const refused = await sync();
    expect(refused).toMatchObject(refusedBy('integration-test', { code: 3 }));
    expect(refused).toMatchObject({ lines: expect.arrayContaining(['  broken.txt']) });
    await expectUntouched();
  });

  test('a test that is red itself, which main mends: judged by that one, on a person’s word, and journalled', async () => {
    diverged({ [SCRIPT]: '#!/bin/sh\necho no such tool; exit 127\n' });
    p.git('merge', '-q', 'integration');
    p.commit({ [SCRIPT]: GREEN });
    const refused = await sync();
    expect(refused).toMatchObject(refusedBy('integration-test', { code: 3 }));
    expect(refused).toMatchObject({ hint: expect.stringContaining('liza sync --test-from candidate') });
    await expectUntouched();
    await p.ok(['sync', '--test-from', 'candidate']);
    expect(p.head()).toBe(p.head('main'));
    expect((await p.state()).goal.syncs).toMatchObject([{ branch: 'main', test_from: 'candidate' }]);
    expect(p.read('.liza/journal.jsonl')).toMatch(
      /"command":"reserve-sync".*judged by the integration test that it brings/,
    );
    // It is a person's word alone, and still has to be green.
    p.commit({ [SCRIPT]: '#!/bin/sh\nexit 1\n' });
    expect(await sync({ testFrom: 'candidate' })).toMatchObject(refusedBy('integration-test', { code: 3 }));
    expect(await sync({ testFrom: 'candidate' }, p.as('code-reviewer-1'))).toMatchObject({ ok: false });
    expect(await sync()).toMatchObject({ test: { verdict: 'green' } });
  });

  test('while paused, by an agent’s supervisor, and of Liza’s own branches', async () => {
    diverged();
    p.commit({ 'mine.txt': 'mine\n' });
    expect(await sync({}, p.as('planner-1'))).toMatchObject(refusedBy('role'));
    expect(await sync({ branch: 'integration' })).toMatchObject(refusedBy('branch'));
    p.git('branch', 'task/x');
    expect(await sync({ branch: 'task/x' })).toMatchObject(refusedBy('branch'));
    expect(await sync({ branch: 'nowhere' })).toMatchObject(refusedBy('no-base', { code: 1 }));
    fs.writeFileSync(p.file('.liza', 'PAUSE'), '');
    expect(await sync()).toMatchObject(refusedBy('switches'));
    fs.rmSync(p.file('.liza', 'PAUSE'));
    await expectUntouched();
  });

  test('paused while the test ran', async () => {
    diverged({ [SCRIPT]: '#!/bin/sh\n: > "$PAUSE"\n' });
    const pause = p.file('.liza', 'PAUSE');
    p.commit({ 'mine.txt': 'mine\n' });
    const by = p.as(undefined, { env: { ...p.env, PAUSE: pause } });
    expect(await sync({}, by)).toMatchObject(refusedBy('switches'));
    fs.rmSync(pause);
    await expectUntouched();
  });

  test('the integration branch was moved outside Liza', async () => {
    diverged();
    const found = p.commitTo('integration', { 'sneaked.txt': 'x\n' });
    expect(await sync()).toMatchObject(refusedBy('integration-moved'));
    await expectUntouched(found);
    succeeded(await acceptIntegration(p.as()));
    p.commit({ 'mine.txt': 'mine\n' });
    expect(await sync()).toMatchObject({ how: 'merge' });
  });

  test('a checkout of integration with changes; a clean one moves along', async () => {
    diverged();
    p.commit({ 'mine.txt': 'mine\n' });
    p.git('checkout', '-q', 'integration');
    fs.writeFileSync(p.file('task.txt'), 'being edited\n');
    expect(await sync()).toMatchObject(refusedBy('held', { code: 1 }));
    expect(fs.readFileSync(p.file('task.txt'), 'utf8')).toBe('being edited\n');
    await expectUntouched();
    p.git('checkout', '-q', 'task.txt');
    expect(succeeded(await sync()).remarks).toEqual([expect.stringContaining('is updated to')]);
    expect(p.git('status', '--porcelain')).toBe('');
    expect(p.read('mine.txt')).toBe('mine\n');
  });

  test('commits of an agent that nobody reviewed, unless a person takes them', async () => {
    diverged();
    fs.writeFileSync(p.file('sneaked.txt'), 'x\n');
    p.git('add', '-A');
    p.git('-c', 'user.email=coder-1@liza.invalid', 'commit', '-q', '-m', 'sneaked');
    const refused = await sync();
    expect(refused).toMatchObject(refusedBy('no-unreviewed-work'));
    expect(refused).toMatchObject({ message: expect.stringContaining(p.head('main').slice(0, 12)) });
    await expectUntouched();
    expect(await sync({ withUnreviewed: true })).toMatchObject({ how: 'merge' });
  });

  describe('a commit that an agent submitted, and nobody approved, whatever its author says', () => {
    async function submitted(): Promise<string> {
      p = project({ config: { base_branch: 'main' }, tasks: [{ id: 't' }] });
      await p.claim('t');
      succeeded(await p.begin('t'));
      p.work('t', { 'src/app.ts': 'one\n', 'test/app.test.ts': 'test\n' });
      p.gitIn(p.folder('t'), 'commit', '-q', '--amend', '--reset-author', '--no-edit');
      const commit = p.gitIn(p.folder('t'), 'rev-parse', 'HEAD');
      succeeded(await p.submit('t'));
      start = p.head();
      return commit;
    }
    const squash = (commit: string): void => {
      p.git('merge', '-q', '--squash', commit);
      p.git('commit', '-q', '-m', 'mine');
    };
    test.each([
      ['merged by hand', (commit: string) => p.git('merge', '-q', '--no-edit', commit)],
      ['squashed', squash],
      [
        'squashed upon other work',
        (commit: string) => {
          p.commit({ 'mine.txt': 'mine\n' });
          squash(commit);
        },
      ],
    ])('%s', async (_how, take) => {
      take(await submitted());
      expect(p.git('log', '--format=%ae %ce', 'main', '--not', 'integration')).not.toContain('liza.invalid');
      expect(await sync()).toMatchObject(refusedBy('no-unreviewed-work'));
      await expectUntouched();
      expect(await sync({ withUnreviewed: true })).toMatchObject({ branch: 'main' });
    });

    test('the person’s own commits are none, also while agents work', async () => {
      await submitted();
      p.commit({ 'mine.txt': 'mine\n' });
      expect(await sync()).toMatchObject({ how: 'fast-forward' });
    });
  });

  test('no branch is known', async () => {
    diverged();
    const state = p.read('.liza', 'state.yaml').replace(/^ {2}base_branch: .*\n/m, '');
    p.write({ '.liza/state.yaml': state });
    p.git('checkout', '-q', '--detach');
    expect(await sync()).toMatchObject(refusedBy('no-base', { hint: expect.stringContaining('liza sync main') }));
  });
});

describe('killed on the way, the next one finishes or undoes it', () => {
  const announced = async (): Promise<string> => {
    const commit = p.commit({ 'mine.txt': 'mine\n' });
    const command = { name: 'reserve-sync', branch: 'main', commit, candidate: commit, onto: start } as const;
    succeeded(await transact(p.as(), { ...command, process: GONE }));
    return commit;
  };

  test('before the branch moved: undone', async () => {
    p = project({ config: { base_branch: 'main' } });
    start = p.head();
    const commit = await announced();
    p.git('update-ref', 'refs/liza/merging/_sync', commit);
    expect(await findTrouble(p.as())).toMatchObject([
      { subject: 'main', problem: expect.stringContaining('a sync was') },
    ]);
    expect(await reconcile(p.as('coder-1'))).toMatchObject([{ done: expect.stringContaining('is undone') }]);
    await expectUntouched();
  });

  test('after it: recorded, by whoever comes first, and nobody calls it moved outside Liza', async () => {
    p = project({ config: { base_branch: 'main' } });
    start = p.head();
    const commit = await announced();
    p.git('update-ref', 'refs/heads/integration', commit);
    expect(await watchBranches(p.as('coder-1')).look()).toEqual([]);
    expect(await reconcile(p.as('coder-1'))).toMatchObject([{ done: expect.stringContaining('is recorded') }]);
    expect((await p.state()).goal).toMatchObject({ integration_head: commit, syncs: [{ merge_commit: commit }] });
    expect((await p.state()).goal).not.toHaveProperty('integration_moved');
  });

  test('a sync that runs is waited for, and two at once both succeed', async () => {
    diverged({ [SCRIPT]: '#!/bin/sh\nsleep 1\n' });
    p.commit({ 'mine.txt': 'mine\n' });
    const both = await Promise.all([sync(), sync()]);
    expect(both.map((one) => 'how' in one && one.how).sort()).toEqual(['contained', 'merge']);
  });
});
