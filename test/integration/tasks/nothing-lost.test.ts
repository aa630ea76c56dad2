// What a black-box attack once lost or bent, each as the shortest way to it.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { releaseClaim } from '../../../src/tasks/release.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

const SCRIPT = 'scripts/integration-test.sh';

test.each(['worktree', 'clone'] as const)(
  '%s: a repository inside the folder is kept whole, and told',
  async (kind) => {
    p = project({ config: { isolation: kind } });
    await p.claim('t');
    const inner = p.folder('t', 'inner');
    p.git('init', '-q', inner);
    write(inner, { 'precious.txt': 'precious\n' });
    write(p.folder('t'), { 'plain.txt': 'plain\n' });
    const released = succeeded(await releaseClaim(p.as(), 't', undefined));
    expect(released.attempt?.uncommitted).toBe(1);
    expect(released.keptFolder).toMatchObject({ why: 'it contains other repositories', isOdd: false });
    expect(readFileSync(p.file(released.keptFolder?.path ?? '', 'inner', 'precious.txt'), 'utf8')).toBe('precious\n');
    await p.claim('t');
    expect(existsSync(p.folder('t', 'inner'))).toBe(false);
  },
);

test('a clone’s stash, tags and other branches stay reachable', async () => {
  p = project({ config: { isolation: 'clone' } });
  await p.claim('t');
  const folder = p.folder('t');
  write(folder, { 'stashed.txt': 's\n' });
  p.gitIn(folder, 'add', '-A');
  p.gitIn(folder, 'stash', '-q');
  p.gitIn(folder, 'checkout', '-q', '-b', 'experiment');
  const experiment = p.work('t', { 'e.txt': 'e\n' });
  p.gitIn(folder, 'tag', '-a', '-m', 'x', 'marked');
  const stash = p.gitIn(folder, 'rev-parse', 'refs/stash');
  p.gitIn(folder, 'checkout', '-q', 'task/t');
  succeeded(await releaseClaim(p.as(), 't', undefined));
  const reachable = p.git('rev-list', '--all').split('\n');
  expect(reachable).toEqual(expect.arrayContaining([experiment, stash]));
});

test('a fix that merged the branch into itself does not bend the branch’s history', async () => {
  p = project({ tasks: ['a', 'b'], files: { 'list.txt': 'one\n' } });
  await p.approved('a', { 'list.txt': 'a\n', 'test/a.test.js': 'a\n' });
  await p.approved('b', { 'list.txt': 'b\n', 'test/b.test.js': 'b\n' }, 'coder-2');
  const first = succeeded(await p.merge('a')).commit;
  expect(await p.merge('b')).toMatchObject(refusedBy('conflict', { ok: false }));
  await p.begun('b', 'coder-2');
  write(p.folder('b'), { 'list.txt': 'both\n' });
  p.gitIn(p.folder('b'), 'add', '-A');
  p.gitIn(p.folder('b'), 'commit', '-qm', 'resolve');
  succeeded(await p.submit('b', 'HEAD', 'coder-2'));
  await p.approve('b');
  const merged = succeeded(await p.merge('b'));
  expect(merged.how).toBe('merge');
  expect(p.git('rev-list', '--first-parent', 'integration').split('\n').slice(0, 2)).toEqual([merged.commit, first]);
  expect(p.git('show', '-s', '--format=%(trailers:key=Liza-Task,valueonly)', merged.commit)).toBe('b');
});

test('a folder that is gone comes back where its branch is, not where Liza last looked', async () => {
  p = project();
  await p.claim('t');
  const tip = p.work('t', { 'a.txt': 'a\n' });
  rmSync(p.folder('t'), { recursive: true });
  succeeded(await reconcile(p.as()));
  expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(tip);
});

test('after a red test the same commit may be reviewed again by the same reviewer', async () => {
  p = project({ files: { [SCRIPT]: '! grep -q "app = 2" src/app.ts\n' } });
  const commit = await p.approved('t');
  expect(await p.merge('t')).toMatchObject(refusedBy('integration-test', { ok: false }));
  await p.begun('t');
  succeeded(await p.submit('t', commit));
  expect((await p.task('t')).approvals).toBeUndefined();
  succeeded(await claimReview(p.as('code-reviewer-1'), 't', 'code-reviewer-1'));
});

test('a user’s branch called task does not trip the doctor', async () => {
  p = project();
  p.git('branch', 'task');
  expect(succeeded(await reconcile(p.as()))).toEqual([]);
});

describe('what a coder leaves costs nobody more than seconds, and what was not kept stays in its folder, with the reason', () => {
  const timed = async <T>(work: Promise<T>): Promise<readonly [T, number]> => {
    const begun = performance.now();
    return [await work, (performance.now() - begun) / 1000];
  };
  /** A commit with a tree that git's rules refuse, and a large file. */
  function refused(folder: string, parent: string, message: string): string {
    const env = {
      ...process.env,
      GIT_AUTHOR_NAME: 'x',
      GIT_AUTHOR_EMAIL: 'x',
      GIT_COMMITTER_NAME: 'x',
      GIT_COMMITTER_EMAIL: 'x',
    };
    const run = (args: readonly string[], input: Buffer | string) =>
      execFileSync('git', ['-C', folder, ...args], { input, env, maxBuffer: 2 ** 26 })
        .toString()
        .trim();
    const blob = run(['hash-object', '-w', '--stdin'], Buffer.alloc(30_000_000));
    const entry = (name: string) => Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(blob, 'hex')]);
    const tree = run(
      ['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'],
      Buffer.concat([entry('.git'), entry('big')]),
    );
    return run(['commit-tree', tree, '-p', parent], message);
  }

  /** So many branches, each at a commit of its own. */
  function branches(folder: string, count: number, commit: (n: number) => string): void {
    const refs = Array.from({ length: count }, (_, n) => `create refs/heads/r${n} ${commit(n)}\n`);
    execFileSync('git', ['-C', folder, 'update-ref', '--stdin'], { input: refs.join('') });
  }

  test.runIf(inFull)(
    '200 refs over commits that git refuses: the good commit is kept, at once (in test:all)',
    async () => {
      p = project({ config: { isolation: 'clone' } });
      await p.claim('t');
      const good = p.work('t');
      const folder = p.folder('t');
      let bad = good;
      for (let n = 0; n < 51; n++)
        bad =
          n === 0
            ? refused(folder, bad, `${n}`)
            : p.gitIn(folder, 'commit-tree', `${bad}^{tree}`, '-p', bad, '-m', `${n}`);
      branches(folder, 200, (n) => p.gitIn(folder, 'commit-tree', `${bad}^{tree}`, '-p', bad, '-m', `r${n}`));
      const [released, seconds] = await timed(releaseClaim(p.as(), 't', undefined));
      expect(seconds).toBeLessThan(20);
      expect(succeeded(released).attempt).toMatchObject({ tip: good, commits: 1 });
    },
  );

  test.runIf(inFull)('as many that share nothing: the time is over, and the folder stays (in test:all)', async () => {
    p = project({ config: { isolation: 'clone' } });
    await p.claim('t');
    const good = p.work('t');
    const folder = p.folder('t');
    const first = refused(folder, good, 'first');
    branches(folder, 100, (n) => p.gitIn(folder, 'commit-tree', `${first}^{tree}`, '-p', good, '-m', `${n}`));
    const alarms: string[] = [];
    const context = { ...p.as(), alarm: (line: string) => alarms.push(line) };
    const [released, seconds] = await timed(releaseClaim(context, 't', undefined));
    expect(seconds).toBeLessThan(20);
    const { attempt, keptFolder } = succeeded(released);
    expect(attempt).toMatchObject({ tip: good });
    expect(keptFolder).toMatchObject({ why: expect.stringMatching(/branches .* within 8 s/), isOdd: true });
    expect(existsSync(p.file(keptFolder?.path ?? '', '.git'))).toBe(true);
    expect(alarms).toEqual([expect.stringContaining(keptFolder?.path ?? '?')]);
  });

  test.runIf(inFull)(
    'very many files: none is written into the project, and the reason is the true one (in test:all)',
    async () => {
      p = project({ config: { isolation: 'clone' } });
      await p.claim('t');
      const good = p.work('t');
      mkdirSync(p.folder('t', 'wide'));
      for (let n = 0; n < 21_000; n++) writeFileSync(p.folder('t', 'wide', `f${n}`), `${n}`);
      const count = () => Number(p.git('count-objects').split(' ')[0]);
      const before = count();
      const [released, seconds] = await timed(releaseClaim(p.as(), 't', undefined));
      expect(seconds).toBeLessThan(20);
      const { attempt, keptFolder } = succeeded(released);
      expect(attempt).toMatchObject({ tip: good, commits: 1, uncommitted: 0 });
      expect(keptFolder?.why).toMatch(/not committed are more than 20000 files .*21000 files/);
      expect(existsSync(p.file(keptFolder?.path ?? '', 'wide', 'f1'))).toBe(true);
      expect(count() - before).toBeLessThan(100);
      await p.claim('t');
      expect(existsSync(p.folder('t', 'wide'))).toBe(false);
    },
  );
});
