// A commit is offered for review: what is refused and why, what is pinned, and that the pin is what counts.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { submitForReview } from '../../../src/tasks/submit.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull, isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Project, type ProjectOptions, project, SHOWN, succeeded, WORK } from '../../support/project.ts';
import { approve } from '../../unit/protocol/world.ts';

let p: Project;

describe.each(isolations('worktree'))('%s', (isolation) => {
  const start = (options: ProjectOptions = {}): void => {
    p = project({ ...options, config: { isolation, ...options.config } });
  };
  const gitIn = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
  const refusal = async (commit = 'HEAD') => {
    const outcome = await p.submit('t', commit);
    if (outcome.ok) throw new Error('not refused');
    return `${outcome.guard}: ${outcome.message.replace('submit-for-review t refused: ', '')}`;
  };
  const pins = () => p.refs('refs/liza/review/t');

  test.each(['--skip-worktree', '--assume-unchanged'])('an edit that %s hides is found', async (bit) => {
    start();
    await p.begun('t');
    p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    gitIn('update-index', bit, 'README.md');
    write(p.folder('t'), { 'README.md': 'only in the folder\n' });
    expect(gitIn('status', '--porcelain')).toBe('');
    expect(await refusal()).toBe('clean-sync: these files are not committed: README.md');
  });

  test.each([
    ['.GIT', 'hasDotgit'],
    ['.gi\u200ct', 'hasDotgit'],
  ])('a tree with %j is refused with git’s reason, as often as it is offered', async (name, fault) => {
    start();
    await p.begun('t');
    p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    const inner = gitIn('rev-parse', 'HEAD:src');
    const tree = execFileSync('git', ['-C', p.folder('t'), 'mktree'], {
      input: `${gitIn('ls-tree', 'HEAD')}\n040000 tree ${inner}\t${name}\n`,
      env: p.env as NodeJS.ProcessEnv,
      encoding: 'utf8',
    }).trim();
    gitIn('update-ref', 'HEAD', gitIn('commit-tree', '-p', 'HEAD', '-m', 'bad', tree));
    for (const commit of ['HEAD', 'HEAD', gitIn('rev-parse', 'HEAD')])
      expect(await refusal(commit)).toMatch(new RegExp(`^commit-fit: git does not accept the commit .*${fault}`));
    expect(pins()).toEqual({});
  });

  test('files that a diff does not show, and paths that are one on other machines, are told to the reviewer', async () => {
    start();
    await p.begun('t');
    const files = { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n', 'src/zero.ts': 'export const z = 1; // \0\n' };
    p.work('t', { ...files, 'src/APP.ts': 'other\n', 'Test/app2.test.ts': 'two\n' });
    succeeded(await p.submit('t'));
    expect((await p.task('t')).history?.findLast(({ event }) => event === 'submitted')).toMatchObject({
      diff: {
        binary: { paths: ['src/zero.ts'] },
        case_twins: { paths: ['Test/app2.test.ts = test', 'src/APP.ts = src/app.ts'] },
      },
    });
  });

  test('what its commits bring and its diff does not show is told to the reviewer', async () => {
    start();
    await p.begun('t');
    p.work('t', { 'src/dump.sql': 'insert into users …\n', 'src/gone.ts': 'x\n' });
    p.work('t', { 'src/dump.sql': null, 'src/gone.ts': null, 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    const root = gitIn('commit-tree', '-m', 'another history', gitIn('rev-parse', 'HEAD^{tree}'));
    const bare = gitIn('commit-tree', '-m', 'nothing but words', gitIn('hash-object', '-t', 'tree', '-w', '/dev/null'));
    for (const one of [root, bare])
      gitIn('merge', '-q', '--allow-unrelated-histories', '-s', 'ours', '-m', 'joined', one);
    succeeded(await p.submit('t'));
    expect((await p.task('t')).history?.findLast(({ event }) => event === 'submitted')).toMatchObject({
      diff: {
        passing: { paths: ['src/dump.sql', 'src/gone.ts'] },
        foreign_roots: { paths: expect.arrayContaining([root, bare]) },
      },
    });
  });

  test('a path that no system opens is told like any other that its commits bring and take away', async () => {
    start();
    await p.begun('t');
    const blob = gitIn('rev-parse', 'HEAD:README.md');
    const tree = (lines: string): string =>
      execFileSync('git', ['mktree'], { cwd: p.folder('t'), input: lines, encoding: 'utf8' }).trim();
    let deep = tree(`100644 blob ${blob}\tf\n`);
    for (let n = 0; n < 40; n += 1) deep = tree(`040000 tree ${deep}\t${'d'.repeat(4000)}\n`);
    const root = tree(`${gitIn('ls-tree', 'HEAD')}\n040000 tree ${deep}\tdeep\n`);
    gitIn('reset', '-q', '--soft', gitIn('commit-tree', root, '-p', 'HEAD', '-m', 'deep'));
    p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    succeeded(await p.submit('t'));
    const { diff } = ((await p.last('t', 'submitted')) ?? {}) as { diff?: { passing?: { paths: string[] } } };
    expect(diff?.passing?.paths).toEqual([expect.stringMatching(/^"deep\/d{995}… \(160046 characters\)"$/)]);
  });

  test.runIf(inFull)(
    'millions of files that its commits bring and take away are refused, and not read (in test:all)',
    async () => {
      start();
      await p.begun('t');
      const blob = gitIn('rev-parse', 'HEAD:README.md');
      const tree = (mode: string, id: string, count: number): string =>
        execFileSync('git', ['mktree'], {
          cwd: p.folder('t'),
          input: Array.from({ length: count }, (_, n) => `${mode} ${id}\t${'0'.repeat(12)}${1000 + n}\n`).join(''),
          encoding: 'utf8',
        }).trim();
      const files = tree('100644 blob', blob, 100);
      const many = tree('040000 tree', tree('040000 tree', files, 200), 95);
      const root = execFileSync('git', ['mktree'], {
        cwd: p.folder('t'),
        input: `${gitIn('ls-tree', 'HEAD')}\n040000 tree ${many}\tzz\n`,
        encoding: 'utf8',
      }).trim();
      gitIn('reset', '-q', '--soft', gitIn('commit-tree', root, '-p', 'HEAD', '-m', 'bomb'));
      p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
      await expect(p.submit('t')).rejects.toThrow('these commits change more files than can be looked at');
      expect((await p.task('t')).status).toBe('CLAIMED');
    },
  );

  test.each([
    ['few commits', 0],
    ['many commits', 8],
  ])('a file that its commits change and change back, and an empty commit, are told: %s', async (_what, more) => {
    start();
    await p.begun('t');
    const before = fs.readFileSync(`${p.folder('t')}/src/app.ts`, 'utf8');
    p.work('t', { 'src/app.ts': `${before}// off\n`, 'src/other.ts': 'one\n' });
    p.work('t', { 'src/app.ts': before, 'src/other.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    gitIn('commit', '-q', '--allow-empty', '-m', 'nothing');
    const empty = gitIn('rev-parse', '--short=12', 'HEAD');
    for (let n = 0; n < more; n += 1) p.work('t', { 'src/other.ts': `more ${n}\n` });
    succeeded(await p.submit('t'));
    const { diff } = ((await p.last('t', 'submitted')) ?? {}) as { diff?: object };
    expect(diff).toMatchObject({ changed_back: { paths: ['src/app.ts'] }, empty_commits: { paths: [empty] } });
    expect(diff).not.toHaveProperty('passing');
  });

  test('commits under another name than the coder’s are told to the reviewer and by audit', async () => {
    start();
    await p.claim('t');
    succeeded(await p.begin('t'));
    const own = p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    const by = (email: string) => ['-c', 'user.name=N', '-c', `user.email=${email}`];
    const commit = (...args: readonly string[]) => gitIn(...args, 'commit', '-q', '--allow-empty', '-m', 'more');
    commit(...by('person@example.org'));
    const whole = gitIn('rev-parse', '--short=12', 'HEAD');
    gitIn(
      ...by('coder-1@liza.invalid'),
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'x',
      '--author',
      'Person <p@x.invalid>',
    );
    const half = gitIn('rev-parse', '--short=12', 'HEAD');
    commit(...by('coder-2@liza.invalid'));
    const other = gitIn('rev-parse', '--short=12', 'HEAD');
    succeeded(await p.submit('t'));
    const submitted = await p.last('t', 'submitted');
    expect(submitted).toMatchObject({
      diff: {
        named_otherwise: {
          paths: [
            `${other} by N <coder-2@liza.invalid>`,
            `${half} by Person <p@x.invalid>, committed by N <coder-1@liza.invalid>`,
            `${whole} by N <person@example.org>`,
          ],
        },
      },
    });
    expect(JSON.stringify(submitted)).not.toContain(`${own.slice(0, 12)} by`);
    const said = (await p.liza(['audit'])).stdout.replace(/\s+/g, ' ');
    expect(said).toContain(`its commits bear the name of its coder: ${whole} by N <person@example.org>`);
  });

  test('commits that the integration branch has are whose they are', async () => {
    start();
    await p.claim('t');
    succeeded(await p.begin('t'));
    await p.accepted({ 'docs/person.md': 'by a person\n' });
    gitIn('-c', 'user.email=coder-1@liza.invalid', 'merge', '-q', '--no-edit', 'refs/heads/integration');
    p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    succeeded(await p.submit('t'));
    expect((await p.last('t', 'submitted'))?.['diff']).not.toHaveProperty('named_otherwise');
  });

  test('pointers of Git LFS, and .mailmap, are told to the reviewer', async () => {
    p = project({ tasks: [{ id: 't', scope: 'IN: src/, test/, .mailmap. OUT: docs/' }] });
    await p.claim('t');
    succeeded(await p.begin('t'));
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a1'.repeat(32)}\nsize 41\n`;
    const files = { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n', 'src/run.bin': pointer };
    p.work('t', { ...files, 'src/none.txt': `about ${pointer}`, '.mailmap': 'Person <p@x> <coder-1@liza.invalid>\n' });
    succeeded(await p.submit('t'));
    const { diff } = (await p.last('t', 'submitted')) as { diff: Record<string, unknown> };
    expect(diff['lfs_pointers']).toEqual({ paths: [`src/run.bin (sha256:${'a1'.repeat(32)}, 41 bytes)`] });
    expect(diff['instructions']).toEqual({ paths: ['.mailmap'] });
  });

  test('refused until it is a clean, new commit on its branch with a test; then pinned', async () => {
    start();
    await p.claim('t');
    const base = p.head();
    p.work('t', { 'src/early.ts': 'early\n' });
    expect(await refusal()).toContain('checkpoint-first: iteration 1 has no checkpoint');
    gitIn('reset', '-q', '--hard', base);
    succeeded(await p.begin('t'));
    expect(await refusal()).toContain(`something-new: ${base} changes nothing`);

    write(p.folder('t'), { 'README.md': 'changed\n', 'new file.txt': 'x\n' });
    expect(await refusal()).toBe('clean-sync: these files are not committed: README.md, new file.txt');
    gitIn('add', '-A');
    expect(await refusal()).toBe('clean-sync: these files are not committed: README.md, new file.txt');
    gitIn('reset', '-q', '--hard');

    const first = p.work('t', { 'src/app.ts': 'two\n' });
    expect(await refusal()).toContain('tests-with-code: a code task without a changed test file');
    const out = p.work('t', { 'secret/key.ts': 'x\n', 'test/app.test.ts': 'two\n' });
    expect(await refusal()).toBe('in-scope: the commit touches files that the task declares OUT: secret/key.ts');
    p.work('t', { 'secret/key.ts': null });
    if (isolation === 'worktree') {
      expect(await refusal(out)).toContain('not the submitted');
      expect(await refusal('task/t')).toContain('task/t is not a full commit id');
    }
    gitIn('checkout', '-q', '--detach');
    expect(await refusal()).toBe('clean-sync: the worktree is on no branch, not on task/t');
    if (isolation === 'worktree') {
      gitIn('checkout', '-q', '-b', 'mine');
      expect(await refusal()).toBe('clean-sync: the worktree is on mine, not on task/t');
    }
    gitIn('checkout', '-q', 'task/t');

    // The same files, but a history of its own.
    const good = gitIn('rev-parse', 'HEAD');
    const stranger = gitIn('commit-tree', 'HEAD^{tree}', '-m', 'stranger');
    gitIn('reset', '-q', '--hard', stranger);
    expect(await refusal()).toContain(`the commit does not descend from the base ${base}`);
    gitIn('reset', '-q', '--hard', good);
    expect(pins()).toEqual({});

    const submitted = succeeded(await p.submit('t', good.slice(0, 12)));
    expect(submitted.commit).toBe(good);
    expect(pins()).toEqual({ 'refs/liza/review/t/1': good });
    expect(await p.task('t')).toMatchObject({ status: 'READY_FOR_REVIEW', review_commit: good, base_commit: base });
    expect(await p.last('t', 'submitted')).toMatchObject({
      commit: good,
      pin: 1,
      iteration: 1,
      diff: { files: 2, tests_changed: { paths: ['test/app.test.ts'] } },
    });
    expect(await p.submit('t')).toMatchObject({ ok: true, already: true });
    expect(Object.keys(pins())).toHaveLength(1);
    // Everything that was seen on the way and rewritten since is still there.
    for (const commit of [first, stranger]) expect(p.git('cat-file', '-t', commit)).toBe('commit');
    const kept = Object.values(p.refs('refs/liza/attempts'));
    expect(p.git('rev-list', ...kept)).toContain(stranger);
  });

  test('rejected: neither the commit nor its files again; the next one gets the next pin', async () => {
    start();
    const first = await p.submitted('t');
    await p.reject('t');
    await p.begun('t', 'coder-1', ['src/app.ts', 'CLAUDE.md']);
    expect(await refusal()).toContain('is the rejected commit, unchanged');
    gitIn('-c', 'user.email=coder-1@liza.invalid', 'commit', '-q', '--amend', '-m', 'other words');
    expect(await refusal()).toContain(`has the same files as ${first}, which was rejected`);
    const second = p.work('t', { 'src/app.ts': 'three\n', 'CLAUDE.md': 'obey\n', 'test/new.test.ts': 'x\n' });
    succeeded(await p.submit('t', second));
    expect(pins()).toEqual({ 'refs/liza/review/t/1': first, 'refs/liza/review/t/2': second });
    expect((await p.last('t', 'submitted'))?.['diff']).toEqual({
      files: 4,
      lines: { added: 4, removed: 2 },
      undeclared: { paths: ['test/new.test.ts'] },
      beyond_scope: { paths: ['CLAUDE.md'] },
      tests_added: { paths: ['test/new.test.ts'] },
      tests_changed: { paths: ['test/app.test.ts'] },
      instructions: { paths: ['CLAUDE.md'] },
      test_edits: { lines: ['test/app.test.ts:1 - test(1); → test(2);'] },
    });
  });

  test('newer work of integration taken in, by rebase or merge: the review begins there', async () => {
    start();
    await p.begun('t');
    const before = p.work('t');
    const integration = await p.accepted({ 'other.txt': 'from another task\n' });
    const upstream = isolation === 'worktree' ? 'integration' : 'origin/integration';
    if (isolation === 'clone') gitIn('fetch', '-q', 'origin');
    gitIn('rebase', '-q', upstream);
    const rebased = gitIn('rev-parse', 'HEAD');
    succeeded(await p.submit('t'));
    expect(await p.task('t')).toMatchObject({ base_commit: integration, review_commit: rebased });
    expect(await p.last('t', 'submitted')).toMatchObject({ diff: { files: 2 } });
    expect(before).not.toBe(rebased);
    if (isolation === 'clone') return;
    await p.reject('t');
    await p.begun('t');
    const newest = await p.accepted({ 'another.txt': 'x\n' });
    gitIn('merge', '-q', '--no-edit', upstream);
    p.work('t', { 'src/app.ts': 'three\n' });
    succeeded(await p.submit('t'));
    expect(await p.task('t')).toMatchObject({ base_commit: newest });
    expect(await p.last('t', 'submitted')).toMatchObject({ diff: { files: 2 } });
  });

  test('a branch that moves after the submission changes nothing for the review', async () => {
    start();
    const commit = await p.submitted('t');
    gitIn('commit', '-q', '--amend', '-m', 'afterwards');
    const review = succeeded(await claimReview(p.as('code-reviewer-1'), 't', 'code-reviewer-1'));
    expect(review).toMatchObject({ commit, base: p.head(), remarks: [expect.stringContaining('has moved on to')] });
    expect(p.git('cat-file', '-t', commit)).toBe('commit');
  });
});

describe('a history that takes a branch in', () => {
  const theirs = (ref: string) => {
    const start = p.head();
    const commit = p.git('commit-tree', '-p', start, '-m', 'the fix', `${start}^{tree}`);
    p.git('update-ref', ref, commit);
    return commit;
  };
  const work = async (setup: () => string): Promise<string> => {
    p = project();
    const taken = setup();
    await p.claim('t');
    succeeded(await p.begin('t'));
    p.work('t', { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' });
    p.gitIn(p.folder('t'), 'merge', '-q', '-s', 'ours', '-m', 'takes it in', taken);
    return taken;
  };

  test.each([
    ['refs/remotes/origin/main', 'origin/main'],
    ['refs/heads/feature', 'feature'],
    ['refs/tags/v2', 'v2'],
  ])('which is on %s alone is refused: it would count as merged', async (ref, name) => {
    const taken = await work(() => theirs(ref));
    expect(await p.submit('t')).toMatchObject(
      refusedBy('own-history', {
        message: expect.stringContaining(`${taken.slice(0, 12)} of ${name}`),
        hint: expect.stringContaining('git reset --soft'),
      }),
    );
    p.gitIn(p.folder('t'), 'reset', '-q', '--soft', p.head());
    p.gitIn(p.folder('t'), 'commit', '-q', '-m', 'anew');
    succeeded(await p.submit('t'));
  });

  test('of the person’s own branch is not, wherever else that is', async () => {
    await work(() => {
      const own = p.commit({ 'mine.txt': 'mine\n' });
      p.git('update-ref', 'refs/remotes/origin/main', own);
      return own;
    });
    succeeded(await p.submit('t'));
  });
});

test('a submission that is exchanged while its review is being claimed is not claimed as the one before', async () => {
  p = project();
  await p.submitted('t');
  const reviewer = p.as('code-reviewer-1');
  let isFirst = true;
  // Between the look at the board and the transaction.
  const read: typeof reviewer.store.read = async () => {
    const seen = await reviewer.store.read();
    if (!isFirst) return seen;
    isFirst = false;
    await p.ok(['retract', 't', '--reason', 'a line is wrong'], { as: 'coder-1' });
    p.work('t', { 'src/app.ts': 'another\n' });
    succeeded(await p.submit('t'));
    return seen;
  };
  const exchanged: typeof reviewer = { ...reviewer, store: { ...reviewer.store, read } };
  expect(await claimReview(exchanged, 't', 'code-reviewer-1')).toMatchObject(refusedBy('this-commit'));
  expect((await p.task('t')).reviewing_by).toBeUndefined();
});

test('a folder that is not usable is said to be so, and nothing is pinned', async () => {
  p = project();
  await p.begun('t');
  p.work('t', WORK);
  fs.renameSync(p.folder('t'), `${p.folder('t')}-away`);
  expect(await p.submit('t')).toMatchObject(
    refusedBy('folder', { code: 3, message: expect.stringContaining('is gone') }),
  );
  expect(await submitForReview(p.as('coder-2'), 't', 'HEAD')).toMatchObject(refusedBy('holds-task'));
  expect(await submitForReview(p.as('coder-1'), 'none', 'HEAD')).toMatchObject(refusedBy('task-exists'));
  expect(p.refs('refs/liza/review')).toEqual({});
});

test('a review of what is no longer there is refused; a pin that was taken away comes back', async () => {
  p = project({ tasks: ['t', 'u'] });
  p.git('update-ref', 'refs/liza/review/t/mine', 'main');
  const commit = await p.submitted('t');
  p.git('update-ref', '-d', 'refs/liza/review/t/1');
  p.git('update-ref', '-d', 'refs/liza/review/t/mine');
  succeeded(await claimReview(p.as('code-reviewer-1'), 't', 'code-reviewer-1'));
  expect(p.refs('refs/liza/review')).toEqual({ 'refs/liza/review/t/1': commit });
  const lost = await p.submitted('u', { 'src/u.ts': 'u\n', 'test/u.test.ts': 'u\n' }, 'coder-2');
  await p.run('code-reviewer-1', approve('t', SHOWN));
  fs.rmSync(p.file('.git', 'objects', lost.slice(0, 2), lost.slice(2)));
  expect(await claimReview(p.as('code-reviewer-1'), 'u', 'code-reviewer-1')).toMatchObject(
    refusedBy('commit', { code: 3 }),
  );
});

test('links and submodules of a commit, and files outside its scope, are called that to the reviewer', async () => {
  p = project({ tasks: [{ id: 't', scope: 'IN: src/, test/. OUT: secret/' }] });
  await p.begun('t', 'coder-1', [...Object.keys(WORK), 'README.md', 'docs/']);
  write(p.folder('t'), { ...WORK, 'README.md': null, 'docs/page.md': 'x\n' });
  fs.symlinkSync('../../../../etc/passwd', p.folder('t', 'README.md'));
  fs.mkdirSync(p.folder('t', 'src', 'vendor'));
  const gitIn = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
  gitIn('add', '-A');
  gitIn('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},src/vendor`);
  gitIn('commit', '-q', '-m', 'work');
  succeeded(await p.submit('t'));
  expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({
    links: { paths: ['README.md'] },
    submodules: { paths: ['src/vendor'] },
    beyond_scope: { paths: ['README.md', 'docs/page.md'] },
  });
});

describe('a stray file', () => {
  const SCOPED = { tasks: [{ id: 't', scope: 'IN: src/, test/. OUT: docs/' }], config: { tdd: 'off' } } as const;
  const GOOD = { 'src/app.ts': 'two\n', 'test/app.test.ts': 'two\n' };
  /** What the hint says, word by word. */
  const follow = (hint: string): void => {
    const [, to = '', paths = ''] =
      /git reset --soft (\S+), git restore --source=\1 --staged --worktree -- (\S+),/.exec(hint) ?? [];
    expect([to, paths]).not.toContain('');
    p.gitIn(p.folder('t'), 'reset', '-q', '--soft', to);
    p.gitIn(p.folder('t'), 'restore', `--source=${to}`, '--staged', '--worktree', '--', paths);
    p.gitIn(p.folder('t'), 'commit', '-q', '-m', 'anew');
  };
  const hint = async (): Promise<string> => {
    const no = await p.submit('t');
    if (no.ok) throw new Error('not refused');
    return no.hint;
  };

  test.each(['docs/stray.md', 'stray.txt'])(
    '%s of this iteration: the step that is named takes it out',
    async (stray) => {
      p = project(SCOPED);
      await p.begun('t');
      p.work('t', { ...GOOD, [stray]: 'x\n' });
      follow(await hint());
      succeeded(await p.submit('t'));
      expect((await p.last('t', 'submitted'))?.['diff']).not.toHaveProperty('passing');
    },
  );

  test('of an earlier iteration: the start of this one holds it, so the base is named', async () => {
    p = project({ ...SCOPED, tasks: [{ id: 't', scope: 'IN: src/, test/, docs/' }] });
    const base = p.head();
    await p.begun('t');
    p.work('t', { ...GOOD, 'docs/stray.md': 'x\n' });
    succeeded(await p.submit('t'));
    await p.reject('t');
    await p.ok(['ask', 'may documents change with it?', '--task', 't', '--assume', 'they may'], { as: 'coder-1' });
    await p.ok(['answer', 'q-1', 'no, leave them out of this task']);
    await p.ok(['amend', 't', '--scope', 'IN: src/, test/. OUT: docs/']);
    await p.claim('t');
    succeeded(await p.begin('t'));
    p.work('t', { 'src/app.ts': 'three\n' });
    const told = await hint();
    expect(told).toContain(
      `git reset --soft ${base}, git restore --source=${base} --staged --worktree -- docs/stray.md`,
    );
    follow(told);
    succeeded(await p.submit('t'));
  });
});

describe('the same files after a retraction', () => {
  const again = (): string => p.gitIn(p.folder('t'), 'commit', '-q', '--amend', '-m', 'said otherwise');
  const retract = (reason: string) => p.ok(['retract', 't', '--reason', reason], { as: 'coder-1' });

  test('with other commits: what is so is said, and what leads on', async () => {
    p = project({ config: { tdd: 'off' } });
    await p.begun('t');
    const first = p.work('t', WORK);
    succeeded(await p.submit('t'));
    await retract('the message says the wrong thing');
    again();
    expect(await p.submit('t')).toMatchObject(
      refusedBy('not-retracted-before', {
        message: expect.stringMatching(
          new RegExp(`has the same files as ${first.slice(0, 12)}, which was retracted: .*Only its commits are others`),
        ),
        hint: expect.stringContaining('If the commits were what was wrong, say what is mended'),
      }),
    );
    await p.ok(['submit-for-review', 't', 'HEAD', '--unchanged', 'the message is right now'], { as: 'coder-1' });
  });

  test('with a history that is mended as Liza had told: it is taken', async () => {
    p = project({ config: { tdd: 'off' } });
    await p.begun('t');
    p.work('t', { ...WORK, 'src/stray.ts': 'x\n' });
    const last = p.work('t', { 'src/stray.ts': null });
    succeeded(await p.submit('t'));
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({ passing: { paths: ['src/stray.ts'] } });
    await retract('a commit adds and removes a stray file');
    p.gitIn(p.folder('t'), 'reset', '-q', '--soft', `${last}~2`);
    p.gitIn(p.folder('t'), 'commit', '-q', '-m', 'once');
    succeeded(await p.submit('t'));
  });
});

describe('refs of a clone', () => {
  test('moved under the project’s names they stay there, are refused nothing, and are told to the reviewer', async () => {
    p = project({ config: { isolation: 'clone', tdd: 'off' } });
    await p.begun('t');
    const commit = p.work('t', WORK);
    const before = p.refs('refs');
    const integration = (await p.state()).config.integration_branch ?? 'integration';
    const gitIn = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
    gitIn('branch', '-f', integration, commit);
    gitIn('tag', 'v9');
    gitIn('update-ref', 'refs/heads/my-note', commit);
    gitIn('pack-refs', '--all');
    expect(p.refs('refs')).toEqual(before);
    succeeded(await p.submit('t'));
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({
      refs_in_clone: { paths: expect.arrayContaining([`refs/heads/${integration}`, 'refs/tags/v9']) },
    });
    expect(JSON.stringify(await p.last('t', 'submitted'))).not.toContain('my-note');
    const now = p.refs('refs');
    expect([now[`refs/heads/${integration}`], now['refs/tags/v9']]).toEqual([
      before[`refs/heads/${integration}`],
      undefined,
    ]);
    expect((await p.ok(['show', 't'])).stdout.replace(/\s+/g, ' ')).toContain(
      'made or moved in its clone, where they stay',
    );
  });

  test('a clone in which nobody moved any says nothing of them', async () => {
    p = project({ config: { isolation: 'clone', tdd: 'off' } });
    await p.submitted('t');
    expect((await p.last('t', 'submitted'))?.['diff']).not.toHaveProperty('refs_in_clone');
  });
});
