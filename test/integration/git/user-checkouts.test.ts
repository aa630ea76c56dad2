// A person's checkout of the integration branch: found wherever it is, held when it is not clean,
// brought along when it is, and finished after a kill without touching what the person did.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { advance, finishAdvance, reserve } from '../../../src/git/advance-checkout.ts';
import { type Checkout, checkoutsOf } from '../../../src/git/branch-checkouts.ts';
import { whyHeld } from '../../../src/git/held-checkout.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { hostAt } from '../../host.ts';
import { type Contents, write } from '../../support/core.mjs';
import { INTEGRATION, type Repository, repository } from '../../support/repository.ts';
import { addWorktree, filesIn, outside } from './outside.ts';

const BEFORE: Contents = {
  'README.md': 'hello\n',
  'src/kept.ts': 'kept\n',
  'src/changed.ts': 'old\n',
  'src/gone.ts': 'gone\n',
  'moved from.txt': 'the same text in another place\n',
  'run.sh': '#!/bin/sh\n',
  'folder/one': '1\n',
  'folder/deep/two': '2\n',
  file: 'becomes a folder\n',
  'link-to-be': 'text\n',
  '.gitignore': 'ignored*\n',
};
const CHANGES: Contents = {
  'src/changed.ts': 'new, and longer than a word\n',
  'src/gone.ts': null,
  'src/added/deep/er.ts': 'added\n',
  'moved from.txt': null,
  'moved to ✓ ä.txt': 'the same text in another place\n',
  'run.sh': (file) => fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 }),
  folder: 'a file now\n',
  file: null,
  'file/inside': 'a folder now\n',
  'link-to-be': (file) => fs.symlinkSync('README.md', file),
  'big.bin': Buffer.alloc(300_000, 7),
  empty: '',
};

interface Scene {
  readonly repo: Repository;
  readonly from: string;
  readonly to: string;
}

/** The branch at `from`, with the files of `from`; the merge at `to` is made and its branch not moved yet. */
function makeScene(format: 'sha1' | 'sha256' = 'sha1', changes: Contents = CHANGES): Scene {
  const made = repository({ branch: 'integration', format, files: BEFORE });
  const before = made.git('rev-parse', 'HEAD').trim();
  const after = made.commit(changes, 'merge');
  made.git('reset', '-q', '--hard', before);
  return { repo: made, from: before, to: after };
}

let repo: Repository;
let gitDir: PrivateGitDir;
let from: string;
let to: string;

async function enter(scene: Scene): Promise<void> {
  ({ repo, from, to } = scene);
  gitDir = await repo.gitDir();
}

beforeEach(() => enter(makeScene()));

const holder = async (): Promise<Checkout> => {
  const [found] = await checkoutsOf(gitDir, INTEGRATION);
  if (found === undefined) throw new Error('nobody has the branch');
  return found;
};
const moveBranch = (): string => repo.git('update-ref', INTEGRATION, to, from);
const inGit = (...name: readonly string[]): string => path.join(repo.root, '.git', ...name);
const status = (folder = repo.root): string =>
  repo.gitIn(folder, 'status', '--porcelain', '--untracked-files=all', '--ignored');
const filesOf = (commit: string): unknown => {
  const folder = path.join(repo.base, 'fresh');
  repo.git('worktree', 'add', '-q', '--detach', folder, commit);
  const files = filesIn(folder);
  repo.git('worktree', 'remove', '--force', folder);
  return files;
};

describe('who has the branch', () => {
  test('the root, or a linked worktree, or nobody', async () => {
    expect(await checkoutsOf(gitDir, INTEGRATION)).toEqual([
      { folder: repo.root, gitDirectory: inGit(), branch: INTEGRATION },
    ]);
    repo.git('checkout', '-q', '-b', 'mine');
    expect(await checkoutsOf(gitDir, INTEGRATION)).toEqual([]);
    const linked = addWorktree(repo, 'with space', 'integration');
    expect(await checkoutsOf(gitDir, INTEGRATION)).toEqual([{ ...linked, branch: INTEGRATION }]);
  });

  test('also while it is rebased or bisected', async () => {
    repo.git('update-ref', 'refs/heads/other', repo.git('commit-tree', `${to}^{tree}`, '-m', 'x'));
    write(repo.root, { 'src/changed.ts': 'mine\n' });
    repo.git('commit', '-qam', 'mine');
    expect(() => repo.git('rebase', '-q', '--onto', 'other', 'HEAD~1')).toThrow();
    expect(repo.git('rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
    expect(await whyHeld(gitDir, await holder(), { from, to })).toMatchObject({
      message: expect.stringContaining('rebase under way'),
      hint: expect.stringContaining('rebase --abort'),
    });
    repo.git('rebase', '--abort');
    repo.git('bisect', 'start');
    repo.git('checkout', '-q', '--detach');
    expect(await whyHeld(gitDir, await holder(), { from, to })).toMatchObject({
      message: expect.stringContaining('bisect under way'),
    });
  });

  test('folders that are gone, lie about themselves or are bare are nobody', async () => {
    repo.git('checkout', '-q', '--detach');
    const linked = addWorktree(repo, 'linked', 'integration');
    const dot = path.join(linked.folder, '.git');
    const text = fs.readFileSync(dot, 'utf8');
    fs.writeFileSync(dot, `gitdir: ${inGit()}\n`);
    expect(await checkoutsOf(gitDir, INTEGRATION)).toEqual([]);
    fs.writeFileSync(dot, text);
    expect(await checkoutsOf(gitDir, INTEGRATION)).toHaveLength(1);
    fs.rmSync(linked.folder, { recursive: true });
    expect(await checkoutsOf(gitDir, INTEGRATION)).toEqual([]);
  });

  test('a bare main repository has no files, its worktrees do', async () => {
    repo.git('branch', 'mine-too');
    const linked = addWorktree(repo, 'linked', 'mine-too').folder;
    repo.git('config', 'core.bare', 'true');
    expect((await checkoutsOf(gitDir, INTEGRATION)).map(({ folder }) => folder)).toEqual([]);
    expect((await checkoutsOf(gitDir, 'refs/heads/mine-too')).map(({ folder }) => folder)).toEqual([linked]);
  });

  test('a submodule, whose git directory is elsewhere', async () => {
    const outer = path.join(repo.base, 'outer');
    fs.mkdirSync(outer);
    repo.gitIn(outer, 'init', '-q');
    repo.gitIn(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', repo.root, 'sub');
    const inner: Repository = { ...repo, root: path.join(outer, 'sub') };
    const { openPrivateGitDir } = await import('../../../src/git/private-git-dir.ts');
    const opened = await openPrivateGitDir(hostAt(Date.now, repo.env), inner.root);
    if ('ok' in opened) throw new Error(opened.message);
    expect((await checkoutsOf(opened, INTEGRATION)).map(({ folder }) => folder)).toEqual([inner.root]);
  });
});

describe('why a checkout is held', () => {
  const cases: readonly (readonly [name: string, make: () => void, says: RegExp, hint: RegExp])[] = [
    ['a changed file', () => write(repo.root, { 'src/kept.ts': 'mine\n' }), /not committed: src\/kept\.ts/, /stash/],
    ['a deleted file', () => write(repo.root, { 'README.md': null }), /README\.md/, /commit/],
    [
      'a staged file, whose edit was taken back',
      () => {
        write(repo.root, { 'src/kept.ts': 'mine\n' });
        repo.git('add', '.');
        write(repo.root, { 'src/kept.ts': 'kept\n' });
      },
      /src\/kept\.ts/,
      /commit/,
    ],
    [
      'an edit of the same length in the second of the last git add',
      () => {
        const file = path.join(repo.root, 'src/kept.ts');
        const rewrite = (text: string) =>
          fs.writeFileSync(file, text) ?? fs.utimesSync(file, 1_600_000_000, 1_600_000_000);
        repo.git('config', 'core.trustctime', 'false');
        rewrite('kept\n');
        repo.git('update-index', '--refresh');
        rewrite('mine\n');
        fs.utimesSync(inGit('index'), 1_600_000_000, 1_600_000_000);
      },
      /src\/kept\.ts/,
      /commit/,
    ],
    [
      'many files: five are named',
      () => {
        const more = Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [`new${n}`, 'x']));
        write(repo.root, more);
        repo.git('add', '.');
      },
      /new1, new2, new3, new4, new5 and 2 more/,
      /commit/,
    ],
    ['a merge', () => fs.writeFileSync(inGit('MERGE_HEAD'), `${to}\n`), /a merge under way/, /merge --abort/],
    ['a cherry-pick', () => fs.writeFileSync(inGit('CHERRY_PICK_HEAD'), `${to}\n`), /cherry-pick/, /--abort/],
    ['a revert', () => fs.writeFileSync(inGit('REVERT_HEAD'), `${to}\n`), /revert/, /revert --abort/],
    ['a lock', () => fs.writeFileSync(inGit('index.lock'), ''), /project\/\.git\/index\.lock/, /rm .*index\.lock/],
    ['an unfinished advance', () => fs.writeFileSync(inGit('liza-advance'), ''), /not finished/, /doctor/],
    ['an untracked file in the way', () => write(repo.root, { empty: 'mine\n' }), /overwrite .*: empty/, /move/],
    [
      'an ignored file in the way',
      () => fs.appendFileSync(inGit('info/exclude'), '/big.bin\n') ?? write(repo.root, { 'big.bin': 'mine' }),
      /overwrite .*: big\.bin/,
      /move/,
    ],
    [
      'an untracked file where a folder comes',
      () => write(repo.root, { 'src/added': 'mine\n' }),
      /overwrite .*: src\/added/,
      /move/,
    ],
    [
      'a link where a folder comes, even an ignored one',
      () => {
        fs.appendFileSync(inGit('info/exclude'), '/src/added\n');
        fs.symlinkSync(repo.base, path.join(repo.root, 'src/added'));
      },
      /overwrite .*: src\/added/,
      /move/,
    ],
    [
      'an ignored file in a folder where a file comes',
      () => write(repo.root, { 'folder/deep/ignored-by-git': 'mine\n' }),
      /overwrite .*: folder\/deep\/ignored-by-git/,
      /move/,
    ],
    [
      'another commit on the branch',
      () => repo.git('commit', '-q', '--allow-empty', '-m', 'mine'),
      /at \w{12}, not at \w{12}/,
      /status/,
    ],
    ['a sparse checkout', () => repo.git('sparse-checkout', 'set', 'src'), /sparse/, /sparse-checkout disable/],
    ['a split index', () => repo.git('update-index', '--split-index'), /split index/, /no-split-index/],
    ['a broken index', () => fs.writeFileSync(inGit('index'), 'DIRC broken'), /index cannot be read/, /status/],
    [
      'a changed file that git was told to overlook',
      () => {
        repo.git('update-index', '--skip-worktree', 'src/changed.ts');
        write(repo.root, { 'src/changed.ts': 'mine\n' });
      },
      /leave alone there: src\/changed\.ts/,
      /no-skip-worktree/,
    ],
  ];
  for (const [name, make, says, hint] of cases) {
    test(name, async () => {
      make();
      gitDir = await repo.gitDir();
      const checkout = await holder();
      const before = outside(repo, repo.root, inGit());
      const held = await whyHeld(gitDir, checkout, { from, to });
      expect(held?.message).toMatch(says);
      expect(held?.hint).toMatch(hint);
      expect(outside(repo, repo.root, inGit())).toEqual(before);
    });
  }

  test('nothing: a clean one, with a stash, files of its own and stale times', async () => {
    write(repo.root, { 'src/kept.ts': 'stashed\n' });
    repo.git('stash', '-q');
    write(repo.root, { 'mine.txt': 'untracked\n', 'ignored-too': 'x', 'src/mine/too': 'x' });
    fs.utimesSync(path.join(repo.root, 'src/changed.ts'), 1, 1);
    const before = outside(repo, repo.root, inGit());
    expect(await whyHeld(gitDir, await holder(), { from, to })).toBeUndefined();
    expect(outside(repo, repo.root, inGit())).toEqual(before);
  });

  test('a skip-worktree file that the merge does not change stays as it is', async () => {
    repo.git('update-index', '--skip-worktree', 'src/kept.ts');
    write(repo.root, { 'src/kept.ts': 'mine\n' });
    expect(await whyHeld(gitDir, await holder(), { from, to })).toBeUndefined();
    moveBranch();
    expect(await advance(gitDir, await holder(), from, to)).toBe('advanced');
    expect(fs.readFileSync(path.join(repo.root, 'src/kept.ts'), 'utf8')).toBe('mine\n');
    expect(status()).toBe('');
  });

  describe('submodules: what is in their folders is in no git that Liza sees', () => {
    const link = (at: string): string => `160000,${from},${at}`;
    const commitOf = (...steps: readonly (readonly string[])[]): string => {
      for (const step of steps) repo.git('update-index', ...step);
      repo.git('commit', '-qm', 'step', '--allow-empty');
      return repo.git('rev-parse', 'HEAD').trim();
    };
    const text = (at: string, mode = '100644'): readonly string[] => {
      const id = repo.git('rev-parse', `${from}:src/kept.ts`).trim();
      return ['--add', '--cacheinfo', `${mode},${id},${at}`];
    };
    const gone = (at: string): readonly string[] => ['--force-remove', at];
    const cases: readonly (readonly [string, string, () => readonly (readonly string[])[]])[] = [
      ['becomes a file', 'sub', () => [gone('sub'), text('sub')]],
      ['becomes a link', 'sub', () => [gone('sub'), text('sub', '120000')]],
      ['becomes a folder', 'sub', () => [gone('sub'), text('sub/mine.txt')]],
      ['goes with its folder, which becomes a file', 'deep/sub', () => [gone('deep/sub'), text('deep')]],
    ];
    for (const [name, at, steps] of cases) {
      test(`one that ${name} is held while its folder has files`, async () => {
        const older = commitOf(['--add', '--cacheinfo', link(at)]);
        const newer = commitOf(...steps());
        repo.git('reset', '-q', '--hard', older);
        write(path.join(repo.root, at), { 'mine.txt': 'the only copy\n' });
        repo.gitIn(path.join(repo.root, at), 'init', '-q');
        const held = await whyHeld(gitDir, await holder(), { from: older, to: newer });
        expect(held?.message).toMatch(`files there that are not in git: ${at}`);
        fs.rmSync(path.join(repo.root, at), { recursive: true });
        fs.mkdirSync(path.join(repo.root, at));
        expect(await whyHeld(gitDir, await holder(), { from: older, to: newer })).toBeUndefined();
      });
    }

    test('a new one is held by a file in its place, and takes the folder that is there', async () => {
      const newer = commitOf(['--add', '--cacheinfo', link('ignored-env')]);
      repo.git('reset', '-q', '--hard', from);
      write(repo.root, { 'ignored-env': 'the only copy\n' });
      const held = await whyHeld(gitDir, await holder(), { from, to: newer });
      expect(held?.message).toMatch('files there that are not in git: ignored-env');
      fs.rmSync(path.join(repo.root, 'ignored-env'));
      write(repo.root, { 'ignored-env/mine.txt': 'the only copy\n' });
      expect(await whyHeld(gitDir, await holder(), { from, to: newer })).toBeUndefined();
      repo.git('update-ref', INTEGRATION, newer, from);
      expect(await advance(gitDir, await holder(), from, newer)).toBe('advanced');
      expect(fs.readFileSync(path.join(repo.root, 'ignored-env/mine.txt'), 'utf8')).toBe('the only copy\n');
    });
  });

  describe('filters', () => {
    const filtered: Contents = { '.gitattributes': '*.lfs filter=shout\n', 'a.lfs': 'a\n', 'plain.txt': 'p\n' };
    const configure = (scope: '--local' | '--global') => {
      repo.git('config', scope, 'filter.shout.smudge', `touch ${repo.base}/ran; tr a-z A-Z`);
      repo.git('config', scope, 'filter.shout.clean', 'tr A-Z a-z');
    };
    beforeEach(async () => {
      await enter(makeScene('sha1', filtered));
    });

    for (const scope of ['--local', '--global'] as const) {
      test(`configured ${scope}: held until they are allowed`, async () => {
        configure(scope);
        gitDir = await repo.gitDir();
        const held = await whyHeld(gitDir, await holder(), { from, to });
        expect(held?.message).toMatch(/a\.lfs must go through the filter shout, but allow_filters is off/);
        expect(held?.hint).toMatch('liza config set allow_filters true');
        expect(fs.existsSync(path.join(repo.base, 'ran'))).toBe(false);
        gitDir = await repo.gitDir({ allowFilters: true });
        expect(await whyHeld(gitDir, await holder(), { from, to })).toBeUndefined();
        moveBranch();
        expect(await advance(gitDir, await holder(), from, to)).toBe('advanced');
        expect(fs.readFileSync(path.join(repo.root, 'a.lfs'), 'utf8')).toBe('A\n');
        expect(status()).toBe('');
      });
    }

    test('that nobody has do not hold: git writes such files as they are', async () => {
      expect(await whyHeld(gitDir, await holder(), { from, to })).toBeUndefined();
    });

    test('of files that the merge leaves alone do not hold', async () => {
      configure('--local');
      repo.git('reset', '-q', '--hard', to);
      const next = repo.commit({ 'plain.txt': 'q\n' });
      repo.git('reset', '-q', '--hard', to);
      gitDir = await repo.gitDir();
      expect(await whyHeld(gitDir, await holder(), { from: to, to: next })).toBeUndefined();
    });
  });
});

describe('an advance', () => {
  for (const format of ['sha1', 'sha256'] as const) {
    test(`of the root, with every kind of change (${format})`, async () => {
      await enter(makeScene(format));
      const expected = filesOf(to);
      write(repo.root, { 'mine.txt': 'untracked\n', 'src/kept.ts': 'stashed\n' });
      repo.git('stash', '-q');
      const checkout = await holder();
      const names = fs.readdirSync(inGit()).sort();
      moveBranch();
      expect(await advance(gitDir, checkout, from, to)).toBe('advanced');
      expect(status()).toBe('?? mine.txt');
      expect(filesIn(repo.root)).toEqual({ ...(expected as object), 'mine.txt': expect.stringContaining('untracked') });
      expect(fs.readdirSync(inGit()).sort()).toEqual(names);
      expect(repo.git('stash', 'list')).toContain('stash@{0}');
      expect(repo.git('rev-parse', 'HEAD')).toBe(to);
    });
  }

  test('of a linked worktree, while the root is on another branch and dirty', async () => {
    const expected = filesOf(to);
    repo.git('checkout', '-q', '-b', 'mine');
    write(repo.root, { 'README.md': 'mine\n' });
    const root = outside(repo, repo.root, inGit());
    const linked = addWorktree(repo, 'linked', 'integration');
    const checkout = await holder();
    expect(await whyHeld(gitDir, checkout, { from, to })).toBeUndefined();
    moveBranch();
    expect(await advance(gitDir, checkout, from, to)).toBe('advanced');
    expect(filesIn(linked.folder)).toEqual(expected);
    expect(status(linked.folder)).toBe('');
    const { files, index } = root as { files: unknown; index: unknown };
    expect(outside(repo, repo.root, inGit())).toMatchObject({ files, index });
    expect(fs.readdirSync(linked.gitDirectory)).not.toContain('liza-advance');
  });

  test('twice is once', async () => {
    moveBranch();
    expect(await advance(gitDir, await holder(), from, to)).toBe('advanced');
    expect(await advance(gitDir, await holder(), from, to)).toBe('advanced');
    expect(status()).toBe('');
  });

  test('refused for an edit, a lock, an ignored file or another commit leaves everything', async () => {
    const refusals: readonly (readonly [() => void, RegExp, () => void])[] = [
      [
        () => write(repo.root, { 'src/changed.ts': 'mine\n' }),
        /changed\.ts.* when that is settled: git -C .* read-tree -m -u/,
        () => write(repo.root, { 'src/changed.ts': 'old\n' }),
      ],
      [() => fs.writeFileSync(inGit('index.lock'), ''), /index\.lock/, () => fs.rmSync(inGit('index.lock'))],
      [() => write(repo.root, { empty: 'mine' }), /in the way: empty/, () => write(repo.root, { empty: null })],
      [() => repo.git('update-ref', INTEGRATION, from), /instead of/, () => repo.git('update-ref', INTEGRATION, to)],
    ];
    const checkout = await holder();
    moveBranch();
    for (const [make, says, undo] of refusals) {
      make();
      const before = outside(repo, repo.root, inGit());
      expect(await advance(gitDir, checkout, from, to)).toEqual({ failed: expect.stringMatching(says) });
      expect(outside(repo, repo.root, inGit())).toEqual(before);
      undo();
    }
    expect(await advance(gitDir, checkout, from, to)).toBe('advanced');
    expect(status()).toBe('');
  });

  test('does not concern someone who has left the branch meanwhile', async () => {
    const checkout = await holder();
    repo.git('checkout', '-q', '-b', 'mine');
    const before = filesIn(repo.root);
    moveBranch();
    expect(await advance(gitDir, checkout, from, to)).toBe('advanced');
    expect(filesIn(repo.root)).toEqual(before);
    expect(status()).toBe('');
  });

  test('reserved before the branch moves keeps other gits out, and can be given back', async () => {
    const before = outside(repo, repo.root, inGit());
    const reserved = reserve(gitDir, await holder(), from, to);
    if ('failed' in reserved) throw new Error(reserved.failed);
    expect(() => repo.git('commit', '-q', '--allow-empty', '-m', 'mine')).toThrow(/index\.lock/);
    expect(() => repo.git('checkout', '-q', from)).toThrow(/index\.lock/);
    reserved.release();
    expect(outside(repo, repo.root, inGit())).toEqual(before);
    const again = reserve(gitDir, await holder(), from, to);
    if ('failed' in again) throw new Error(again.failed);
    moveBranch();
    expect(await again.complete()).toBe('advanced');
    expect(status()).toBe('');
  });

  test.each([1, 2])('a disk that is full at the text of file %i: nothing stays that holds up a git', async (nth) => {
    const before = outside(repo, repo.root, inGit());
    let written = 0;
    const { disk } = gitDir.host;
    const writeFileSync = ((...args: Parameters<typeof disk.writeFileSync>) => {
      written += typeof args[0] === 'number' ? 1 : 0;
      if (written === nth) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      disk.writeFileSync(...args);
    }) as typeof disk.writeFileSync;
    const full = { ...gitDir, host: { ...gitDir.host, disk: { ...disk, writeFileSync } } };
    expect(reserve(full, await holder(), from, to)).toMatchObject({ failed: expect.stringContaining('ENOSPC') });
    expect(outside(repo, repo.root, inGit())).toEqual(before);
  });
});

describe('an advance that was killed', () => {
  let expected: unknown;
  let marker: string;
  beforeEach(() => {
    expected = filesOf(to);
    marker = `${JSON.stringify({ from, to })}\n`;
  });
  const mark = (lock = true): void => {
    fs.writeFileSync(inGit('liza-advance'), marker);
    if (lock) fs.writeFileSync(inGit('index.lock'), marker);
  };
  /** Some of the changed paths as they are in the new commit. */
  const bringSome = (wanted: (name: string) => boolean): void =>
    write(repo.root, Object.fromEntries(Object.entries(CHANGES).filter(([name]) => wanted(name))));

  const states: readonly (readonly [name: string, make: () => void])[] = [
    ['before the lock', () => mark(false)],
    ['before the first file', () => mark()],
    ['with the lock made and not written', () => fs.writeFileSync(inGit('index.lock'), '') ?? mark(false)],
    [
      'while the index was copied',
      () => {
        mark();
        fs.writeFileSync(inGit('liza-index'), 'DIRC');
        fs.writeFileSync(inGit('liza-index.lock'), '');
      },
    ],
    ['when the old files were gone', () => mark() ?? write(repo.root, goneIn(CHANGES))],
    ['with half of the files new', () => mark() ?? bringSome((name) => name < 'file')],
    ['with the other half new', () => mark() ?? bringSome((name) => name >= 'file')],
    ['with all files new', () => mark() ?? bringSome(() => true)],
    [
      'in the middle of a file',
      () => {
        mark();
        bringSome((name) => name < 'file');
        write(repo.root, { 'big.bin': Buffer.alloc(100_000, 7), 'src/changed.ts': 'new, and' });
      },
    ],
    ['with a file made and still empty', () => mark() ?? write(repo.root, { 'src/changed.ts': '', 'big.bin': '' })],
    [
      'after the index',
      () => {
        repo.git('reset', '-q', '--hard', to);
        mark();
      },
    ],
    [
      'after the lock was given back',
      () => {
        repo.git('reset', '-q', '--hard', to);
        mark(false);
      },
    ],
  ];
  for (const [name, make] of states) {
    test(`${name} is finished`, async () => {
      moveBranch();
      make();
      expect(await finishAdvance(gitDir, await holder())).toBe('finished');
      expect(status()).toBe('');
      expect(filesIn(repo.root)).toEqual(expected);
      expect(fs.readdirSync(inGit()).filter((file) => /liza-|lock/.test(file))).toEqual([]);
      expect(await finishAdvance(gitDir, await holder())).toBe('nothing');
    });

    if (name.includes('not written')) continue; // it waits a second

    test(`${name}, with a file the person has edited since: it stays`, async () => {
      moveBranch();
      make();
      write(repo.root, { 'src/changed.ts': 'mine\n', 'README.md': 'mine too\n' });
      const before = filesIn(repo.root);
      const finished = await finishAdvance(gitDir, await holder());
      if (name.startsWith('after')) expect(finished).toBe('finished');
      else
        expect(finished).toEqual({
          failed: expect.stringMatching(/changed: src\/changed\.ts; nothing was overwritten/),
        });
      expect(filesIn(repo.root)).toEqual(before);
      expect(fs.readdirSync(inGit()).filter((file) => /liza-|lock/.test(file))).toEqual([]);
    });

    test(`${name}, with other files the person has edited since: it is finished around them`, async () => {
      moveBranch();
      make();
      write(repo.root, { 'README.md': 'mine\n', 'mine.txt': 'mine\n' });
      expect(await finishAdvance(gitDir, await holder())).toBe('finished');
      expect(status()).toBe(' M README.md\n?? mine.txt');
      const mine = { 'README.md': expect.stringContaining('mine'), 'mine.txt': expect.stringContaining('mine') };
      expect(filesIn(repo.root)).toEqual({ ...(expected as object), ...mine });
    });
  }

  test('writes through no link that a folder was replaced with', async () => {
    moveBranch();
    mark();
    const elsewhere = path.join(repo.base, 'elsewhere');
    fs.renameSync(path.join(repo.root, 'src'), elsewhere);
    fs.symlinkSync(elsewhere, path.join(repo.root, 'src'));
    const before = filesIn(elsewhere);
    expect(await finishAdvance(gitDir, await holder())).toEqual({ failed: expect.stringContaining('in the way: src') });
    expect(filesIn(elsewhere)).toEqual(before);
  });

  test('reads no pipe, and overwrites none', async () => {
    moveBranch();
    mark();
    write(repo.root, { 'src/changed.ts': (file) => spawnSync('mkfifo', [file]) });
    expect(await finishAdvance(gitDir, await holder())).toEqual({
      failed: expect.stringContaining('src/changed.ts'),
    });
    expect(fs.lstatSync(path.join(repo.root, 'src/changed.ts')).isFIFO()).toBe(true);
  });

  test('keeps an ignored file that came into the way since', async () => {
    moveBranch();
    mark();
    write(repo.root, { 'folder/deep/ignored-mine': 'mine' });
    const before = filesIn(repo.root);
    expect(await finishAdvance(gitDir, await holder())).toEqual({ failed: expect.stringContaining('ignored-mine') });
    expect(filesIn(repo.root)).toEqual(before);
  });

  test('with a lock that is not ours waits', async () => {
    moveBranch();
    mark(false);
    fs.copyFileSync(inGit('index'), inGit('index.lock'));
    const before = outside(repo, repo.root, inGit());
    expect(await finishAdvance(gitDir, await holder())).toEqual({ failed: expect.stringContaining('index.lock') });
    expect(outside(repo, repo.root, inGit())).toEqual(before);
    fs.rmSync(inGit('index.lock'));
    expect(await finishAdvance(gitDir, await holder())).toBe('finished');
    expect(status()).toBe('');
  });

  test('before the branch moved was nothing', async () => {
    mark();
    write(repo.root, { 'src/changed.ts': 'mine\n', 'src/gone.ts': null });
    const before = filesIn(repo.root);
    expect(await finishAdvance(gitDir, await holder())).toBe('nothing');
    expect(filesIn(repo.root)).toEqual(before);
    expect(fs.readdirSync(inGit()).filter((file) => /liza-|lock/.test(file))).toEqual([]);
  });

  test('is left to a person who has committed since', async () => {
    moveBranch();
    mark(false);
    const mine = repo.commit({ 'mine.txt': 'mine\n' });
    expect(await finishAdvance(gitDir, await holder())).toEqual({ failed: expect.stringContaining(mine.slice(0, 12)) });
    expect(status()).toBe('');
    expect(fs.existsSync(inGit('liza-advance'))).toBe(false);
  });

  test('with a marker that was torn is nothing', async () => {
    fs.writeFileSync(inGit('liza-advance'), '{"from":"12');
    expect(await finishAdvance(gitDir, await holder())).toBe('nothing');
    expect(fs.existsSync(inGit('liza-advance'))).toBe(false);
  });

  test('with line ends that the merge itself sets is finished', async () => {
    await enter(
      makeScene('sha1', { '.gitattributes': '*.txt eol=crlf\n', 'new.txt': '1\n2\n', 'moved from.txt': 'x\ny\n' }),
    );
    marker = `${JSON.stringify({ from, to })}\n`;
    const fresh = filesOf(to);
    moveBranch();
    for (const files of [
      { 'new.txt': '1\r\n2' },
      { '.gitattributes': '*.t', 'new.txt': '1\r\n2\r\n', 'moved from.txt': '' },
    ]) {
      repo.git('read-tree', from);
      mark();
      write(repo.root, files);
      expect(await finishAdvance(gitDir, await holder())).toBe('finished');
      expect(filesIn(repo.root)).toEqual(fresh);
      expect(status()).toBe('');
    }
  });

  test('with submodules, whose folders are only made', async () => {
    const link = (commit: string) => `160000,${commit},sub`;
    repo.git('update-index', '--add', '--cacheinfo', link(from));
    repo.git('commit', '-qm', 'submodule');
    const added = repo.git('rev-parse', 'HEAD');
    repo.git('update-index', '--cacheinfo', link(to));
    repo.git('commit', '-qm', 'submodule moves');
    const moved = repo.git('rev-parse', 'HEAD');
    repo.git('reset', '-q', '--hard', from);
    for (const [older, newer] of [
      [from, added],
      [added, moved],
      [moved, from],
    ] as const) {
      for (const kill of [false, true]) {
        repo.git('reset', '-q', '--hard', older);
        repo.git('update-ref', INTEGRATION, newer, older);
        marker = `${JSON.stringify({ from: older, to: newer })}\n`;
        if (kill) mark();
        const done = kill
          ? await finishAdvance(gitDir, await holder())
          : await advance(gitDir, await holder(), older, newer);
        expect(done).toBe(kill ? 'finished' : 'advanced');
        expect(status()).toBe('');
        expect(fs.existsSync(path.join(repo.root, 'sub'))).toBe(newer !== from);
      }
    }
  });

  test('because a file could not be written goes on from there', async () => {
    await enter(makeScene('sha1', { ...CHANGES, '.gitattributes': 'big.bin filter=broken\n' }));
    repo.git('config', 'filter.broken.clean', 'cat');
    repo.git('config', 'filter.broken.required', 'true');
    repo.git('config', 'filter.broken.smudge', 'false');
    gitDir = await repo.gitDir({ allowFilters: true });
    moveBranch();
    const checkout = await holder();
    expect(await advance(gitDir, checkout, from, to)).toEqual({ failed: expect.stringContaining('doctor --fix') });
    // It had begun, and nobody's git can make a commit of the half.
    expect(fs.existsSync(path.join(repo.root, 'src/gone.ts'))).toBe(false);
    expect(() => repo.git('commit', '-qm', 'half')).toThrow(/index\.lock/);
    expect(await finishAdvance(gitDir, checkout)).toEqual({ failed: expect.stringContaining('doctor --fix') });
    repo.git('config', 'filter.broken.smudge', 'cat');
    gitDir = await repo.gitDir({ allowFilters: true });
    expect(await finishAdvance(gitDir, checkout)).toBe('finished');
    expect(status()).toBe('');
    expect(filesIn(repo.root)).toEqual(filesOf(to));
  });
});

function goneIn(changes: Contents): Contents {
  return Object.fromEntries(Object.keys(changes).map((name) => [name, null]));
}
