// The built program on repositories of every kind, and with a person at work in them: a task goes from claim
// to merge, and whatever is the person's own is as it was before, to the byte. What leads up to the merge is done in this
// process, but for one of them: the start of a program for each of its commands takes longer than the commands.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { inFull, isolations } from '../runs.ts';
import { addTask, SHOWN, write } from '../support/core.mjs';
import { inProcess, succeeding } from '../support/in-process.ts';
import { type BuiltProject, builtIn, type Ran } from '../support/program.ts';
import { type RepositoryOptions, repository, repositoryIn } from '../support/repository.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const built = (options: RepositoryOptions = {}): BuiltProject => builtIn(repository(options));

type Ok = (argv: readonly string[], options?: { readonly as?: string; readonly cwd?: string }) => unknown;
const inside = (p: BuiltProject): Ok => succeeding(inProcess({ ...p, now: Date.now }));

/** Up to an approved commit; the person's checkout is not needed for it. */
async function approve(p: BuiltProject, id = 'greet', ok = inside(p)): Promise<void> {
  if (!existsSync(p.file('.liza'))) await begin(ok);
  await ok(addTask(id));
  await ok(['claim-task', id, 'coder-1'], { as: 'coder-1' });
  const inFolder = { as: 'coder-1', cwd: p.folder(id) };
  const plan = [
    '--intent',
    'a file',
    '--risks',
    'none',
    '--validation',
    'node --test: passes',
    '--file',
    'src',
    '--file',
    'test',
  ];
  await ok(['begin', id, ...plan], inFolder);
  p.commit({ [`src/${id}.test.js`]: `${id} src\n`, [`test/${id}.test.js`]: `${id} test\n` }, id, p.folder(id));
  await ok(['submit-for-review', id, 'HEAD'], inFolder);
  await ok(['claim-review', id, 'code-reviewer-1'], { as: 'code-reviewer-1' });
  await ok(['submit-verdict', id, 'APPROVED', SHOWN], { as: 'code-reviewer-1' });
}

async function begin(ok: Ok): Promise<void> {
  await ok(['init', 'Greet']);
  for (const as of ['coder-1', 'code-reviewer-1']) await ok(['register', as], { as });
}

const merge = (p: BuiltProject, id = 'greet'): Ran => p.liza(['wt', 'merge', id], { as: 'code-reviewer-1' });
const merged = ({ root }: BuiltProject, id = 'greet'): boolean =>
  spawnSync('git', ['cat-file', '-e', `integration:src/${id}.test.js`], { cwd: root }).status === 0;

/** Everything of the person's own: files, index, stash, HEAD. */
function belongings(p: BuiltProject): string {
  const files = p.git('ls-files', '-s', '--', '.');
  const status = p.git('status', '--porcelain=v2', '--branch', '--untracked-files=all');
  const stash = p.git('stash', 'list', '--format=%H');
  const index = readFileSync(p.file('.git/index')).toString('hex');
  const text = p.read('README.md');
  return [files, status, stash, index, text, p.git('rev-parse', 'HEAD')].join('\n---\n');
}

describe('repositories', () => {
  test.each([
    ['without a commit', ['init', '-q', '.'], 'has no commit yet'],
    ['that is bare', ['init', '-q', '--bare', '.'], 'bare'],
    ['that is none at all', ['version'], 'not in a git repository'],
  ])('one %s is refused with one sentence', (_, args, sentence) => {
    const p = builtIn(repositoryIn(temporaryFolder()));
    mkdirSync(p.root);
    p.git(...args);
    expect(p.liza(['init', 'Greet'])).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) });
    expect(existsSync(p.file('.liza'))).toBe(false);
  });

  test.runIf(inFull)('a detached HEAD works (in test:all)', async () => {
    const p = built();
    p.git('checkout', '-q', '--detach');
    await approve(p, 'greet', p.ok);
    expect(merge(p).code).toBe(0);
    expect(merged(p)).toBe(true);
    expect(p.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
  });

  test.each(['with spaces and ünïcödé 漢字', "quote's and $dollar"])(
    'a path %s works, in both isolations',
    async (name) => {
      const p = built({ name });
      await approve(p, 'one');
      expect(merge(p, 'one').code).toBe(0);
      p.ok(['config', 'set', 'isolation', 'clone']);
      await approve(p, 'two');
      expect(merge(p, 'two').code).toBe(0);
      expect(merged(p, 'one') && merged(p, 'two')).toBe(true);
      expect(p.git('worktree', 'list').split('\n')).toHaveLength(1);
    },
  );

  test.each(isolations('clone'))('SHA-256 objects work in a %s', async (isolation) => {
    const p = built({ format: 'sha256' });
    await begin(inside(p));
    p.ok(['config', 'set', 'isolation', isolation]);
    await approve(p);
    expect(merge(p).code).toBe(0);
    expect(p.git('rev-parse', 'integration')).toHaveLength(64);
    expect(p.liza(['blame', 'integration']).code).toBe(0);
  });

  test.each(isolations('worktree'))('a linked worktree as the project root works with a %s', async (isolation) => {
    const main = repository();
    main.git('worktree', 'add', '-q', '-b', 'mine', path.join(main.base, 'linked'));
    const p = builtIn(repositoryIn(main.base, 'linked'));
    await begin(inside(p));
    p.ok(['config', 'set', 'isolation', isolation]);
    await approve(p);
    expect(merge(p).code).toBe(0);
    expect(merged(p)).toBe(true);
    expect(main.git('status', '--porcelain')).toBe('');
    expect(p.git('status', '--porcelain')).toBe('');
  });

  test('a partial clone is refused with one sentence', () => {
    const p = built();
    p.git('config', 'extensions.partialClone', 'origin');
    p.git('config', 'core.repositoryformatversion', '1');
    expect(p.liza(['init', 'Greet']).stderr).toContain('partial clone');
  });

  test('a git that is too old is named with what is needed', () => {
    const p = built();
    write(p.base, {
      'bin/git': (file) => writeFileSync(file, '#!/bin/sh\necho "git version 2.30.1"\n', { mode: 0o755 }),
    });
    const ran = p.liza(['init', 'x'], { env: { PATH: `${p.base}/bin:${p.env['PATH']}` } });
    expect(ran).toMatchObject({ code: 5, stderr: expect.stringMatching(/2\.30\.1.*2\.38/) });
  });
});

describe('a person at work', () => {
  test('on another branch with changes, a stash and an untracked file: all of it is as before', async () => {
    const p = built();
    await approve(p);
    p.write({ 'README.md': 'stashed\n' });
    p.git('stash');
    p.write({ 'README.md': 'changed\n', new: 'untracked\n' });
    p.git('status');
    const before = belongings(p);
    expect(merge(p).code).toBe(0);
    expect(merged(p)).toBe(true);
    expect(belongings(p)).toBe(before);
  });

  test('on the integration branch, clean: it is advanced, and told', async () => {
    const p = built();
    await approve(p);
    p.git('checkout', '-q', 'integration');
    const ran = merge(p);
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('is updated to') });
    expect(p.git('status', '--porcelain')).toBe('');
    expect(p.read('src/greet.test.js')).toBe('greet src\n');
    expect(p.git('symbolic-ref', '--short', 'HEAD')).toBe('integration');
  });

  test('on the integration branch with changes: the merge is held until they are gone', async () => {
    const p = built();
    await approve(p);
    p.git('checkout', '-q', 'integration');
    p.write({ 'README.md': 'changed\n' });
    p.git('status');
    const before = belongings(p);
    const head = p.git('rev-parse', 'integration');
    const ran = merge(p);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/is held.*README/s) });
    expect(belongings(p)).toBe(before);
    expect(p.git('rev-parse', 'integration')).toBe(head);
    expect(p.ok(['status']).stdout).toMatch(/held/);
    p.git('checkout', '-q', 'README.md');
    expect(merge(p).code).toBe(0);
    expect(p.git('status', '--porcelain')).toBe('');
  });

  test.runIf(inFull)('in the middle of a rebase of another branch: nothing of it changes (in test:all)', async () => {
    const p = built();
    await approve(p);
    for (const branch of ['side', 'mine']) p.git('branch', branch, 'main');
    p.git('checkout', '-q', 'side');
    p.commit({ 'README.md': 'side\n' }, 'side');
    p.git('checkout', '-q', 'mine');
    p.commit({ 'README.md': 'mine\n' }, 'mine');
    expect(() => p.git('rebase', 'side')).toThrow();
    const before = belongings(p);
    expect(merge(p).code).toBe(0);
    expect(belongings(p)).toBe(before);
    expect(existsSync(p.file('.git/rebase-merge'))).toBe(true);
  });

  test('a rebase of the integration branch itself holds the merge', async () => {
    const p = built();
    await approve(p, 'one');
    expect(merge(p, 'one').code).toBe(0);
    await approve(p, 'two');
    p.git('checkout', '-q', '-b', 'side', 'main');
    p.commit({ 'src/one.test.js': 'in the way\n' }, 'side');
    p.git('checkout', '-q', 'integration');
    expect(() => p.git('rebase', 'side')).toThrow();
    const before = belongings(p);
    expect(merge(p, 'two')).toMatchObject({ code: 1, stderr: expect.stringMatching(/held.*rebase/s) });
    expect(belongings(p)).toBe(before);
    p.git('rebase', '--abort');
    expect(merge(p, 'two').code).toBe(0);
  });

  test.runIf(inFull)(
    'a stale index.lock: on another branch it does not matter, on the integration branch it holds the merge (in test:all)',
    async () => {
      const p = built();
      await approve(p, 'one');
      const lock = p.file('.git/index.lock');
      writeFileSync(lock, '');
      expect(merge(p, 'one').code).toBe(0);
      expect(existsSync(lock)).toBe(true);
      rmSync(lock);
      await approve(p, 'two');
      p.git('checkout', '-q', 'integration');
      writeFileSync(lock, '');
      expect(merge(p, 'two')).toMatchObject({ code: 1, stderr: expect.stringContaining('index.lock') });
      expect(existsSync(lock)).toBe(true);
      rmSync(lock);
      expect(p.git('status', '--porcelain')).toBe('');
      expect(merge(p, 'two').code).toBe(0);
    },
  );
});
