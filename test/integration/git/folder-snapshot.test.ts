// What a folder holds beyond its commit: everything an agent may have done to it is seen, nothing there is
// touched, and what was seen can be kept as a tree.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { changedSince, pathsBetween, treeOf } from '../../../src/git/folder-snapshot.ts';
import { isolationFor } from '../../../src/git/isolation.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { linkedPlace, type Place } from '../../../src/git/task-folder.ts';
import { inFull } from '../../runs.ts';
import { type Contents, write } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';
import { filesIn } from './outside.ts';

const START: Contents = {
  'a.txt': 'a\n',
  'b.txt': 'b\n',
  'src/one.ts': '1\n',
  'src/two.ts': '2\n',
  '.gitignore': 'ignored/\n*.log\n',
};

const repo: Repository = repository({ branch: 'integration', files: START });
const head = repo.git('rev-parse', 'HEAD');
let gitDir: PrivateGitDir;
let place: Place;

/** The root itself stands in for a task's folder: a checkout is a checkout. */
beforeEach(async () => {
  repo.git('reset', '-q', '--hard', head);
  repo.git('clean', '-q', '-f', '-f', '-d', '-x');
  gitDir ??= await repo.gitDir();
  const gitDirectory = path.join(repo.root, '.git');
  place = { ...linkedPlace(gitDir, 't', gitDirectory), folder: repo.root };
});

const changed = () => changedSince(gitDir, place, head);
const inFolder = (name: string): string => path.join(repo.root, name);
/** Path → content of the tree that is kept. */
async function kept(leaveOut: readonly string[] = []): Promise<Readonly<Record<string, string>>> {
  const tree = await treeOf(gitDir, place, head, leaveOut);
  const names = repo.git('ls-tree', '-r', '-z', '--name-only', tree).split('\0').filter(Boolean);
  return Object.fromEntries(names.map((name) => [name, repo.blob(`${tree}:${name}`)]));
}
const start = Object.fromEntries(Object.entries(START)) as Record<string, string>;

test('a clean folder', async () => {
  write(repo.root, { 'x.log': 'ignored\n', 'ignored/y': 'ignored\n' });
  expect(await changed()).toEqual([]);
  expect(await kept()).toEqual(start);
});

test.runIf(process.platform === 'linux')(
  'a name that is no UTF-8 is kept too, with all that is beside it',
  async () => {
    write(repo.root, {
      'a.txt': 'changed\n',
      'b.txt': null,
      'new.txt': 'new\n',
      '.env': 'SECRET=1\n',
      'x.log': 'ignored\n',
    });
    const latin1 = (name: string): Buffer => Buffer.from(path.join(repo.root, name), 'latin1');
    fs.writeFileSync(latin1('caf\u00e9.txt'), 'kept\n');
    const tree = await treeOf(gitDir, place, head, ['.env']);
    fs.rmSync(latin1('caf\u00e9.txt'));
    const listed = execFileSync('git', ['-C', repo.root, 'ls-tree', '-z', '--name-only', tree], { encoding: 'latin1' });
    expect(listed.split('\0').filter(Boolean).sort()).toEqual([
      '.gitignore',
      'a.txt',
      'caf\u00e9.txt',
      'new.txt',
      'src',
    ]);
    expect(repo.blob(`${tree}:a.txt`)).toBe('changed\n');
  },
);

test('changed, staged, deleted, untracked, odd names; declared files are left out', async () => {
  write(repo.root, { 'a.txt': 'changed\n', 'b.txt': null, 'src/new ä\n".ts': 'new\n', '.env': 'SECRET=1\n' });
  write(repo.root, { 'src/one.ts': 'staged\n' });
  repo.git('add', 'src/one.ts');
  write(repo.root, { 'src/one.ts': 'and changed again\n' });
  const before = { files: filesIn(repo.root), index: fs.readFileSync(path.join(repo.root, '.git/index')) };
  expect(await changed()).toEqual(['.env', 'a.txt', 'b.txt', 'src/new ä\n".ts', 'src/one.ts']);
  const { 'b.txt': _gone, ...rest } = start;
  expect(await kept(['.env'])).toEqual({
    ...rest,
    'a.txt': 'changed\n',
    'src/one.ts': 'and changed again\n',
    'src/new ä\n".ts': 'new\n',
  });
  expect({ files: filesIn(repo.root), index: fs.readFileSync(path.join(repo.root, '.git/index')) }).toEqual(before);
});

test('attributes that give a file another size do not make it changed; an edit does', async () => {
  expect(await changed()).toEqual([]);
  write(repo.root, { '.gitattributes': '*.txt eol=crlf\n*.ts ident\n' });
  write(repo.root, { 'a.txt': 'a\r\n', 'b.txt': 'edited\r\n' });
  expect(await changed()).toEqual(['.gitattributes', 'b.txt']);
  // What the next test begins with is written without them.
  write(repo.root, { '.gitattributes': null });
});

test('staged only, and taken back on the disk, is still a difference', async () => {
  write(repo.root, { 'a.txt': 'staged\n' });
  repo.git('add', 'a.txt');
  write(repo.root, { 'a.txt': 'a\n' });
  expect(await changed()).toEqual(['a.txt']);
});

test('an edit that git would take for clean by its times is seen', async () => {
  repo.git('config', 'core.trustctime', 'false');
  gitDir = await repo.gitDir();
  const then = 1_600_000_000;
  const index = path.join(repo.root, '.git', 'index');
  for (const name of Object.keys(START)) fs.utimesSync(inFolder(name), then, then);
  repo.git('update-index', '--refresh');
  fs.utimesSync(index, then, then);
  // The same size, in the same second as the index: only its content tells.
  fs.writeFileSync(inFolder('a.txt'), 'A\n');
  fs.utimesSync(inFolder('a.txt'), then, then);
  expect(repo.git('-c', 'core.trustctime=false', 'diff', '--name-only')).toBe('a.txt');
  fs.utimesSync(index, then, then);
  expect(await changed()).toEqual(['a.txt']);
  expect((await kept())['a.txt']).toBe('A\n');
});

describe('an edit that the folder’s own index hides is seen', () => {
  const edit = (): void => write(repo.root, { 'a.txt': 'edited\n' });
  afterEach(() => fs.rmSync(path.join(repo.root, '.git/index')));
  const ways: Readonly<Record<string, () => void>> = {
    'assume-unchanged': () => {
      repo.git('update-index', '--assume-unchanged', 'a.txt');
      edit();
    },
    'skip-worktree': () => {
      repo.git('update-index', '--skip-worktree', 'a.txt');
      edit();
    },
    'an index that takes the edited file for the committed one': () => {
      edit();
      repo.git('add', 'a.txt');
      const index = path.join(repo.root, '.git/index');
      const [edited, before] = [repo.git('hash-object', 'a.txt'), repo.git('rev-parse', `${head}:a.txt`)];
      const bytes = fs.readFileSync(index);
      Buffer.from(before, 'hex').copy(bytes, bytes.indexOf(Buffer.from(edited, 'hex')));
      createHash('sha1')
        .update(bytes.subarray(0, -20))
        .digest()
        .copy(bytes, bytes.length - 20);
      fs.writeFileSync(index, bytes);
      const later = Date.now() / 1000 + 10;
      fs.utimesSync(index, later, later);
    },
  };

  test.each(Object.entries(ways))('%s', async (_name, hide) => {
    expect(await changed()).toEqual([]);
    hide();
    expect(repo.git('status', '--porcelain')).toBe('');
    expect(await changed()).toEqual(['a.txt']);
    expect((await kept())['a.txt']).toBe('edited\n');
  });

  test('excluded by the folder alone: an untracked file is seen', async () => {
    const clone = await isolationFor(gitDir, 'clone').make(gitDir, 'excluded', head);
    write(clone.folder, { '.git/info/exclude': '*\n', 'new.txt': 'new\n' });
    expect(repo.gitIn(clone.folder, 'status', '--porcelain')).toBe('');
    expect(await changedSince(gitDir, clone, head)).toEqual(['new.txt']);
    await isolationFor(gitDir, 'clone').remove(gitDir, clone);
    expect(fs.readdirSync(path.join(gitDir.common, 'liza/indexes'))).not.toContain('excluded');
  });

  test('a sparse checkout leaves files out on purpose; one that is put there counts', async () => {
    repo.git('sparse-checkout', 'set', 'src');
    try {
      expect(fs.existsSync(inFolder('src/one.ts'))).toBe(true);
      fs.rmSync(inFolder('a.txt'), { force: true });
      repo.git('update-index', '--skip-worktree', 'a.txt');
      expect(repo.git('status', '--porcelain')).toBe('');
      expect(await changed()).toEqual([]);
      edit();
      expect(await changed()).toEqual(['a.txt']);
      fs.rmSync(inFolder('src/one.ts'));
      expect(await changed()).toEqual(['a.txt', 'src/one.ts']);
    } finally {
      repo.git('sparse-checkout', 'disable');
    }
  });

  test('times that were set back do not hide one from a second look', async () => {
    repo.git('config', 'core.trustctime', 'false');
    gitDir = await repo.gitDir();
    const then = 1_600_000_000;
    fs.utimesSync(inFolder('a.txt'), then, then);
    expect(await changed()).toEqual([]);
    fs.writeFileSync(inFolder('a.txt'), 'A\n');
    fs.utimesSync(inFolder('a.txt'), then, then);
    expect(await changed()).toEqual(['a.txt']);
  });
});

describe('what an agent may leave', () => {
  const shapes: Readonly<Record<string, readonly [() => void, Readonly<Record<string, string | undefined>>]>> = {
    'a file became a folder': [
      () => write(repo.root, { 'a.txt': null, 'a.txt/inside': 'in\n' }),
      { 'a.txt': undefined, 'a.txt/inside': 'in\n' },
    ],
    'a folder became a file': [
      () => write(repo.root, { src: 'a file now\n' }),
      { 'src/one.ts': undefined, 'src/two.ts': undefined, src: 'a file now\n' },
    ],
    'a folder became a link to its new place': [
      () => {
        fs.renameSync(inFolder('src'), inFolder('lib'));
        fs.symlinkSync('lib', inFolder('src'));
      },
      { 'src/one.ts': undefined, 'src/two.ts': undefined, src: 'lib', 'lib/one.ts': '1\n', 'lib/two.ts': '2\n' },
    ],
    'a file became a link that leads out': [
      () => write(repo.root, { 'a.txt': (file) => fs.symlinkSync('/etc/passwd', file) }),
      { 'a.txt': '/etc/passwd' },
    ],
    'a file became a pipe': [
      () => {
        fs.rmSync(inFolder('a.txt'));
        execFileSync('mkfifo', [inFolder('a.txt'), inFolder('untracked-pipe')]);
      },
      { 'a.txt': undefined },
    ],
    'the index is gone': [() => fs.rmSync(path.join(repo.root, '.git/index')), {}],
    'the index is torn': [() => fs.truncateSync(path.join(repo.root, '.git/index'), 40), {}],
    'the index is a pipe': [
      () => {
        fs.rmSync(path.join(repo.root, '.git/index'));
        execFileSync('mkfifo', [path.join(repo.root, '.git/index')]);
      },
      {},
    ],
  };

  test.each(Object.entries(shapes))('%s', async (_name, [leave, expected]) => {
    leave();
    write(repo.root, { 'b.txt': 'changed\n' });
    const wanted = Object.entries({ ...start, 'b.txt': 'changed\n', ...expected }).filter(
      ([, text]) => text !== undefined,
    );
    try {
      expect(await changed()).toContain('b.txt');
      expect(await kept()).toEqual(Object.fromEntries(wanted));
    } finally {
      // A pipe there would keep the next test's git waiting.
      if (!fs.lstatSync(place.index, { throwIfNoEntry: false })?.isFile()) fs.rmSync(place.index, { force: true });
      for (const name of ['a.txt', 'src']) fs.rmSync(inFolder(name), { recursive: true, force: true });
    }
  });

  test('a repository inside is named, and its files are its own', async () => {
    fs.mkdirSync(inFolder('inner'));
    repo.gitIn(inFolder('inner'), 'init', '-q');
    write(repo.root, { 'inner/file': 'x\n', 'b.txt': 'changed\n' });
    expect(await changed()).toEqual(['b.txt', 'inner/']);
    expect(await kept()).toEqual({ ...start, 'b.txt': 'changed\n' });
  });
});

test('paths in which two trees differ', async () => {
  write(repo.root, { 'a.txt': 'changed\n', 'src/new.ts': 'new\n', 'b.txt': null });
  const tree = await treeOf(gitDir, place, head, []);
  expect(await pathsBetween(gitDir, head, tree)).toEqual(['a.txt', 'b.txt', 'src/new.ts']);
  expect(await pathsBetween(gitDir, tree, tree)).toEqual([]);
});

test.runIf(inFull)(
  'an index of far more files than the commit has is refused, and not read (in test:all)',
  async () => {
    const blob = repo.git('rev-parse', 'HEAD:a.txt');
    const input = Array.from({ length: 240_000 }, (_, n) => `100644 ${blob}\tstaged/${n}\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], { cwd: repo.root, input });
    await expect(changed()).rejects.toThrow('the index of this folder holds far more files than its commit');
    repo.git('reset', '-q');
    expect(await changed()).toEqual([]);
  },
);
