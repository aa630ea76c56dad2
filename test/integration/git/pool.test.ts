// Folders that are used again: the next one is what a new checkout would be, whatever its former owner left there. That a
// folder was used at all is told by a file that is the same on the disk (its inode).

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished } from 'vitest';
import { writeClone } from '../../../src/git/clone.ts';
import { readIndex } from '../../../src/git/index-file.ts';
import { isolationFor } from '../../../src/git/isolation.ts';
import { knowCheckout } from '../../../src/git/pool/known-checkouts.ts';
import { emptyPools, giveBack, mayComeBack, noteLent, sweepPools } from '../../../src/git/pool/pool.ts';
import { type FolderRecord, keepsTimes, recordOf } from '../../../src/git/pool/record.ts';
import type { Files, PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { leftoversOf } from '../../../src/git/scratch-folders.ts';
import type { Place } from '../../../src/git/task-folder.ts';
import { layOutAgain, trackedChanges } from '../../../src/git/tracked-files.ts';
import { type Disk, realDisk } from '../../../src/ports/disk.ts';
import { removeTree } from '../../../src/process/remove-tree.ts';
import { inFull, longTestOnDisk as longTest, onDisk, testOnDisk as test, ways } from '../../runs.ts';
import type { Contents } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';

onDisk();

const FILES: Contents = {
  ...Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`src/d${n % 13}/f${n}.txt`, `line ${n}\n`])),
  'deep/er/and/ä b.txt': 'odd\n',
  run: (file) => fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 }),
  link: (file) => fs.symlinkSync('run', file),
  '.gitignore': '*.log\nbuild/\n',
};
/** Nobody touches it. */
const STEADY = 'src/d7/f7.txt';

let repo: Repository;
let gitDir: PrivateGitDir;
let start: string;

beforeEach(async () => {
  repo = repository({ branch: 'integration', files: FILES });
  gitDir = await repo.gitDir();
  start = repo.head('HEAD');
});

const at = (folder: string, file: string): string => path.join(folder, file);
const inode = (folder: string, file = STEADY): number => fs.lstatSync(at(folder, file)).ino;
const pooled = (): readonly string[] => fs.readdirSync(gitDir.worktrees).filter((name) => name.startsWith('.pool-'));

/** Everything in it but its git directory, with rights, links and content. */
function listing(folder: string): Readonly<Record<string, string>> {
  const names = fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.git(\/|$)/.test(name));
  return Object.fromEntries(
    names.sort().map((name) => {
      const stat = fs.lstatSync(at(folder, name));
      const what = stat.isSymbolicLink()
        ? fs.readlinkSync(at(folder, name))
        : stat.isFile()
          ? `${stat.nlink} ${fs.readFileSync(at(folder, name), 'utf8')}`
          : '';
      return [name, `${stat.mode.toString(8)} ${what}`];
    }),
  );
}

/** A checkout that nobody had before. */
async function fresh(commit: string): Promise<Readonly<Record<string, string>>> {
  const folder = path.join(repo.base, `fresh-${commit}`);
  fs.mkdirSync(folder);
  await writeClone(gitDir, folder, { start: commit });
  const made = listing(folder);
  fs.rmSync(folder, { recursive: true });
  return made;
}

async function make(kind: 'worktree' | 'clone', task: string, commit: string): Promise<Place> {
  if (kind === 'worktree') repo.git('branch', '-f', `task/${task}`, commit);
  return isolationFor(gitDir, kind).make(gitDir, task, commit);
}

/** So few files are written within one tick of the clock, and of those nothing is known: as if there were thousands. */
async function known(files: Files): Promise<FolderRecord> {
  await new Promise((done) => setTimeout(done, 30));
  fs.copyFileSync(files.index, `${files.index}.new`);
  fs.renameSync(`${files.index}.new`, files.index);
  return recordOf(gitDir, files) as FolderRecord;
}

/** The same bytes in number and the same time of the last write, as a coder that hides an edit leaves them. */
function hiddenEdit(file: string): void {
  const { atime, mtime, size } = fs.statSync(file);
  fs.writeFileSync(file, 'x'.repeat(size));
  fs.utimesSync(file, atime, mtime);
}

describe.each(ways(['worktree', 'clone'] as const))('the folder of a task, %s', (kind) => {
  test('is used again at another commit, with nothing that its coder left', async () => {
    const made = await make(kind, 't', start);
    const { folder } = made;
    noteLent(gitDir, 't', await known(made));
    const steady = inode(folder);
    const outside = path.join(repo.base, 'outside');
    fs.writeFileSync(at(folder, 'planted.js'), 'planted\n');
    fs.writeFileSync(at(folder, 'src/d1/.git'), 'gitdir: /elsewhere\n');
    fs.writeFileSync(at(folder, 'secrets.log'), 'ignored\n');
    fs.mkdirSync(at(folder, 'build/deep'), { recursive: true });
    fs.mkdirSync(at(folder, 'src/empty'));
    spawnSync('git', ['init', '-q', at(folder, 'src/d2/nested')]);
    spawnSync('mkfifo', [at(folder, 'src/d3/pipe')]);
    fs.writeFileSync(at(folder, 'src/d4/.gitattributes'), '* eol=crlf\n');
    hiddenEdit(at(folder, 'src/d5/f5.txt'));
    fs.linkSync(at(folder, 'src/d6/f6.txt'), outside);
    fs.chmodSync(at(folder, 'src/d8'), 0o777);
    fs.chmodSync(at(folder, 'src/d9/f9.txt'), 0o600);
    fs.renameSync(at(folder, 'src/d10'), path.join(repo.base, 'd10'));
    fs.symlinkSync(path.join(repo.base, 'd10'), at(folder, 'src/d10'));
    fs.rmSync(at(folder, 'src/d11'), { recursive: true });
    fs.writeFileSync(at(folder, 'src/d11'), 'a file now\n');
    fs.rmSync(at(folder, 'link'));
    fs.symlinkSync('/etc/passwd', at(folder, 'link'));
    if (kind === 'clone') {
      fs.mkdirSync(at(folder, '.git/hooks'));
      fs.writeFileSync(at(folder, '.git/hooks/post-checkout'), '#!/bin/sh\ntouch hooked\n', { mode: 0o755 });
      fs.appendFileSync(at(folder, '.git/config'), '[core]\n\tfsmonitor = /bin/false\n');
    }
    await isolationFor(gitDir, kind).remove(gitDir, { task: 't' });
    expect(pooled()).toHaveLength(1);
    expect(fs.readdirSync(at(gitDir.worktrees, pooled()[0] ?? ''))).not.toContain('planted.js');

    const next = repo.commit({ 'src/d0/f0.txt': 'changed\n', 'new/one.txt': 'new\n' });
    const place = await make(kind, 'u', next);
    expect(inode(place.folder)).toBe(steady);
    expect(pooled()).toEqual([]);
    expect(listing(place.folder)).toEqual(await fresh(next));
    fs.writeFileSync(outside, 'written through a link\n');
    expect(fs.readFileSync(at(place.folder, 'src/d6/f6.txt'), 'utf8')).toBe('line 6\n');
    expect(repo.gitIn(place.folder, 'status', '--porcelain', '--ignored')).toBe('');
    expect(repo.gitIn(place.folder, 'rev-parse', 'HEAD')).toBe(next);
    if (kind === 'clone') {
      expect(fs.existsSync(at(place.folder, '.git/hooks'))).toBe(false);
      expect(fs.readFileSync(at(place.folder, '.git/config'), 'utf8')).not.toContain('fsmonitor');
    }
  });

  test('with an edit in the very moment after it was handed over', async () => {
    for (const task of ['a', 'b', 'c']) {
      const { folder } = await make(kind, task, start);
      for (let n = 0; n < 520; n += 40) hiddenEdit(at(folder, `src/d${n % 13}/f${n}.txt`));
      await isolationFor(gitDir, kind).remove(gitDir, { task });
    }
    const { folder } = await make(kind, 'last', start);
    expect(listing(folder)).toEqual(await fresh(start));
  });

  test('is not used again while a process works in it, or has a file of it open', async () => {
    for (const [task, argv] of [
      ['works', ['sleep', '60']],
      ['reads', ['sh', '-c', `cd / && exec sleep 60 < "$OLDPWD/run"`]],
    ] as const) {
      const { folder } = await make(kind, task, start);
      const living = spawn(argv[0], argv.slice(1), { cwd: folder, stdio: 'ignore' });
      onTestFinished(() => void living.kill('SIGKILL'));
      const readsIt = (): boolean => {
        const link = (name: string): string => fs.readlinkSync(`/proc/${living.pid}/${name}`);
        return task === 'works' ? link('cwd') === folder : link('cwd') === '/' && link('fd/0').startsWith(folder);
      };
      await expect.poll(readsIt, { timeout: 10_000 }).toBe(true);
      await isolationFor(gitDir, kind).remove(gitDir, { task });
      expect(pooled()).toEqual([]);
      expect(fs.existsSync(folder)).toBe(false);
    }
  });

  test('attributes that change what git writes: all files are written', async () => {
    await make(kind, 't', start);
    await isolationFor(gitDir, kind).remove(gitDir, { task: 't' });
    const next = repo.commit({ '.gitattributes': '*.txt eol=crlf\n' });
    const { folder } = await make(kind, 'u', next);
    expect(fs.readFileSync(at(folder, STEADY), 'utf8')).toBe('line 7\r\n');
    expect(listing(folder)).toEqual(await fresh(next));
  });
});

longTest('settings that change what git writes: the folder is not used (in test:all)', async () => {
  await make('clone', 't', start);
  await isolationFor(gitDir, 'clone').remove(gitDir, { task: 't' });
  repo.git('config', 'core.autocrlf', 'true');
  gitDir = await repo.gitDir();
  const { folder } = await make('clone', 'u', start);
  expect(fs.readFileSync(at(folder, STEADY), 'utf8')).toBe('line 7\r\n');
});

/** As a proof does, in which a program of the commit ran. */
async function proof(task: string, commit: string, work: (folder: string) => void = () => {}): Promise<number> {
  const folder = at(gitDir.worktrees, `.proof-${task}-${gitDir.host.random.hex(4)}`);
  await writeClone(gitDir, folder, { start: commit }, 'proof');
  expect(listing(folder)).toEqual(await fresh(commit));
  const record = await known({ folder, index: at(folder, '.git/index') });
  const steady = inode(folder);
  work(folder);
  const mayReturn = await mayComeBack(gitDir, 'proof', folder, record);
  await giveBack(gitDir, 'proof', folder, mayReturn ? record : undefined);
  return steady;
}

test('a checkout for proofs serves proofs alone, and a task’s folder tasks alone', async () => {
  const first = await proof('t', start, (folder) => {
    hiddenEdit(at(folder, 'src/d5/f5.txt'));
    fs.mkdirSync(at(folder, 'node_modules/evil'), { recursive: true });
  });
  const { folder } = await make('clone', 't', start);
  expect(inode(folder)).not.toBe(first);
  await isolationFor(gitDir, 'clone').remove(gitDir, { task: 't' });
  expect(
    pooled()
      .map((name) => name.slice(0, 11))
      .sort(),
  ).toEqual(['.pool-proof', '.pool-task-'].sort());
  expect(await proof('u', start)).toBe(first);
  expect(await proof('v', repo.commit({ 'src/d0/f0.txt': 'v\n' }))).toBe(first);
});

longTest('where somebody may have kept it open in another sandbox, it does not come back (in test:all)', async () => {
  const apart = { ...gitDir, keepsApart: async (pool: string) => pool === 'task' };
  const folder = path.join(gitDir.worktrees, '.proof-a-00000001');
  const record = await writeClone(apart, folder, { start }, 'proof');
  expect(record).toBeDefined();
  expect(await mayComeBack(apart, 'proof', folder, record)).toBe(false);
  expect(await mayComeBack(apart, 'task', folder, record)).toBe(true);
});

test('what a program does to tracked files of a checkout is seen by their times, and laid out again', async () => {
  const folder = at(gitDir.worktrees, '.proof-t-00000000');
  await writeClone(gitDir, folder, { start });
  const record = await known({ folder, index: at(folder, '.git/index') });
  // As if all of it were from long ago: git is to go by the times.
  onTestFinished(knowCheckout(folder, { ...record, at: record.at + 60_000 }));
  expect(await trackedChanges(gitDir, folder, start)).toEqual([]);
  await new Promise((done) => setTimeout(done, 1100));
  hiddenEdit(at(folder, 'src/d5/f5.txt'));
  fs.renameSync(at(folder, 'deep'), path.join(repo.base, 'deep'));
  fs.symlinkSync(path.join(repo.base, 'deep'), at(folder, 'deep'));
  expect(await trackedChanges(gitDir, folder, start)).toEqual(['deep/er/and/ä b.txt', 'src/d5/f5.txt']);
  await layOutAgain(gitDir, folder, start);
  expect(listing(folder)).toEqual(await fresh(start));
  expect(await trackedChanges(gitDir, folder, repo.commit({ 'src/d0/f0.txt': 'next\n' }))).toEqual(['src/d0/f0.txt']);
});

test('a file that is as young as its record is not known: it could be changed once more without a trace', async () => {
  const { index, folder } = await make('clone', 't', start);
  const bytes = fs.readFileSync(index);
  const first = readIndex(bytes, 20)?.entries[0]?.at ?? 0;
  bytes.writeUInt32BE(Math.floor(Date.now() / 1000) + 60, first);
  fs.writeFileSync(index, bytes);
  const record = recordOf(gitDir, { folder, index });
  expect(record?.index.subarray(first, first + 8)).toEqual(Buffer.alloc(8));
});

longTest('there are no more than some; a crash’s halves are swept, and all of them go (in test:all)', async () => {
  for (let n = 0; n < 10; n += 1) await make('clone', `t${n}`, start);
  for (let n = 0; n < 10; n += 1) await isolationFor(gitDir, 'clone').remove(gitDir, { task: `t${n}` });
  expect(pooled()).toHaveLength(8);
  const records = repo.file('.git', 'liza', 'pool');
  expect(fs.readdirSync(records)).toHaveLength(8);
  expect(await sweepPools(gitDir)).toBe(0);
  fs.rmSync(path.join(records, fs.readdirSync(records)[0] ?? ''));
  expect(await sweepPools(gitDir)).toBe(1);
  expect(pooled()).toHaveLength(7);
  await emptyPools(gitDir);
  expect(pooled()).toEqual([]);
});

/** A machine whose process is killed at its nth change of the disk: nothing is written any more. */
function dyingAt(nth: number): { readonly gitDir: PrivateGitDir; readonly isDead: () => boolean } {
  let left = nth;
  const CHANGING = ['renameSync', 'rmSync', 'rmdirSync', 'unlinkSync', 'mkdirSync', 'writeFileSync'] as const;
  const dying =
    (name: string) =>
    (...args: readonly unknown[]) => {
      left -= 1;
      if (left < 0) throw new Error('killed');
      return (gitDir.host.disk as unknown as Record<string, (...all: readonly unknown[]) => unknown>)[name]?.(...args);
    };
  const disk = { ...gitDir.host.disk, ...Object.fromEntries(CHANGING.map((name) => [name, dying(name)])) } as Disk;
  return { gitDir: { ...gitDir, host: { ...gitDir.host, disk } }, isDead: () => left < 0 };
}

longTest(
  'killed at any step of going to the pool and coming from it: nothing half-made is ever used (in test:all)',
  async () => {
    const expected = await fresh(start);
    const clone = isolationFor(gitDir, 'clone');
    let steps = 0;
    // `npm run test:all` takes three times as many.
    for (let isOver = false; !isOver; steps += (steps < 12 ? 1 : 7) * (inFull ? 1 : 3)) {
      await make('clone', 't', start);
      fs.writeFileSync(at(gitDir.worktrees, 't/planted.js'), 'planted\n');
      const dying = dyingAt(steps);
      try {
        await clone.remove(dying.gitDir, { task: 't' });
        await clone.make(dying.gitDir, 'u', start);
      } catch (error) {
        if (!dying.isDead()) throw error;
      }
      isOver = !dying.isDead();
      // As reconcile does, under the locks of both.
      for (const { path: left } of leftoversOf(gitDir)) await removeTree(gitDir.host, left);
      for (const task of ['t', 'u'])
        if (fs.existsSync(at(gitDir.worktrees, task))) await clone.remove(gitDir, { task });
      await sweepPools(gitDir);
      expect(fs.readdirSync(gitDir.worktrees).filter((name) => !name.startsWith('.pool-task-'))).toEqual([]);
      const { folder } = await make('clone', 'next', start);
      expect(listing(folder)).toEqual(expected);
      await clone.remove(gitDir, { task: 'next' });
    }
    expect(steps).toBeGreaterThan(12);
  },
);

/** Without a sandbox an agent can write the record of a folder, too: a file, and what is known of it. */
function forge(name: string): void {
  const [pool] = pooled();
  const file = at(at(gitDir.worktrees, pool ?? ''), name);
  hiddenEdit(file);
  const { ctimeNs, mtimeNs, ino } = fs.statSync(file, { bigint: true });
  const record = path.join(gitDir.common, 'liza/pool', (pool ?? '').replace(/^\.pool-/, ''));
  const bytes = fs.readFileSync(record);
  const index = bytes.subarray(bytes.indexOf(10) + 1);
  const entry = readIndex(index, 20)?.entries.find(({ key }) => key === name);
  if (entry === undefined) throw new Error(`${name} is not in the record`);
  for (const [n, time] of [ctimeNs, mtimeNs].entries()) {
    index.writeUInt32BE(Number(time / 1_000_000_000n), entry.at + 8 * n);
    index.writeUInt32BE(Number(time % 1_000_000_000n), entry.at + 8 * n + 4);
  }
  index.writeUInt32BE(Number(ino % 2n ** 32n), entry.at + 20);
  fs.writeFileSync(record, bytes);
}

test('a record that this process did not write is held against what the files hold', async () => {
  const made = await make('clone', 't', start);
  noteLent(gitDir, 't', await known(made));
  const kept = inode(made.folder);
  await isolationFor(gitDir, 'clone').remove(gitDir, { task: 't' });
  forge('src/d1/f1.txt');
  const { folder } = await make('clone', 'u', start);
  expect(listing(folder)).toEqual(await fresh(start));
  // What is as it should be is taken over all the same.
  expect(inode(folder)).toBe(kept);
});

test('on a file system that keeps no times of writes through memory, no folder is used again', async () => {
  expect(keepsTimes(realDisk, repo.root)).toBe(true);
  const inMemory: Disk = { ...realDisk, statfsSync: (() => ({ type: 0x01021994 })) as unknown as Disk['statfsSync'] };
  expect(keepsTimes(inMemory, repo.root)).toBe(false);
  if (fs.statfsSync('/dev/shm').type === 0x01021994) expect(keepsTimes(realDisk, '/dev/shm')).toBe(false);
});
