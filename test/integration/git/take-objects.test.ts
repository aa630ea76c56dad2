// Commits are taken out of an agent's clone without any git running there: what its configuration, its refs, its
// index and its object folder say or lead to has no effect, and nobody waits.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { saveAttempt } from '../../../src/git/attempts.ts';
import { changedSince } from '../../../src/git/folder-snapshot.ts';
import { isolationFor } from '../../../src/git/isolation.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { seenOf, updateRefs } from '../../../src/git/refs.ts';
import { faultOf, takeCommit } from '../../../src/git/take-objects.ts';
import { headOf, type Place } from '../../../src/git/task-folder.ts';
import type { Disk } from '../../../src/ports/disk.ts';
import type { Contents } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let gitDir: PrivateGitDir;
let place: Place;
let start: string;

beforeEach(async () => {
  repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n' } });
  gitDir = await repo.gitDir();
  start = repo.git('rev-parse', 'HEAD');
  await updateRefs(gitDir, [{ ref: seenOf('t'), to: start, from: null }]);
  place = await isolationFor(gitDir, 'clone').make(gitDir, 't', start);
});

const work = (files: Contents = { 'b.txt': 'b\n' }): string => repo.commit(files, 'work', place.folder);
const inClone = (...parts: readonly string[]): string => path.join(place.folder, '.git', ...parts);
const objectOf = (name: string): string => {
  const id = repo.gitIn(place.folder, 'rev-parse', name);
  return inClone('objects', id.slice(0, 2), id.slice(2));
};
const pipe = (name: string): string => {
  const file = path.join(repo.base, name);
  execFileSync('mkfifo', [file]);
  return file;
};
const seconds = async (waited: Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await waited;
  return (performance.now() - begun) / 1000;
};
const isTaken = async (commit: string): Promise<string> => (await takeCommit(gitDir, place, commit)).how;
const isWhole = (commit: string): boolean => {
  repo.git('rev-list', '--objects', commit);
  return true;
};

describe('a configuration that leads to a pipe', () => {
  test.each([
    ['included', (to: string) => `[include]\n\tpath = ${to}\n`],
    ['of attributes', (to: string) => `[core]\n\tattributesFile = ${to}\n\texcludesFile = ${to}\n`],
    ['included when in that folder', (to: string) => `[includeIf "gitdir:/**"]\n\tpath = ${to}\n`],
  ])('%s: the commit is taken at once, and what is not committed is told', async (_, text) => {
    const commit = work();
    fs.appendFileSync(inClone('config'), text(pipe('waiting')));
    fs.writeFileSync(path.join(place.folder, 'c.txt'), 'c\n');
    const looked = Promise.all([headOf(gitDir, place), headOf(gitDir, place)]);
    expect(await seconds(looked)).toBeLessThan(3);
    expect((await looked)[0]).toEqual({ commit, branch: 'refs/heads/task/t' });
    expect(isWhole(commit)).toBe(true);
    expect(await changedSince(gitDir, place, commit)).toEqual(['c.txt']);
    const discard = { task: 't', why: 'x', leaveOut: [], integration: start };
    expect(await saveAttempt(gitDir, place, discard)).toMatchObject({ tip: commit, uncommitted: 1, commits: 1 });
  });

  test('a format that git does not know, and a configuration that is no text', async () => {
    const commit = work();
    for (const text of ['[core]\n\trepositoryFormatVersion = 99\n', '[\0\n']) {
      fs.writeFileSync(inClone('config'), text);
      expect(await headOf(gitDir, place)).toMatchObject({ commit });
    }
  });
});

describe('objects', () => {
  test('in a pack of the clone, whose index lies', async () => {
    const commit = work();
    repo.gitIn(place.folder, 'repack', '-a', '-d', '-l', '-q');
    const packs = fs.readdirSync(inClone('objects', 'pack'));
    const index = packs.find((name) => name.endsWith('.idx')) ?? '';
    fs.chmodSync(inClone('objects', 'pack', index), 0o600);
    fs.writeFileSync(inClone('objects', 'pack', index), 'no index');
    expect(fs.existsSync(objectOf('HEAD'))).toBe(false);
    expect(await isTaken(commit)).toBe('taken');
    expect(isWhole(commit)).toBe(true);
  });

  test('many of them stay one pack, few become single files', async () => {
    const count = () => Number(/^count: (\d+)/m.exec(repo.git('count-objects', '-v'))?.[1]);
    const before = count();
    expect(await isTaken(work({ 'few.txt': 'few\n' }))).toBe('taken');
    expect(count()).toBe(before + 3);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`many/${n}.txt`, `${n}\n`]));
    const commit = work(many);
    expect(await isTaken(commit)).toBe('taken');
    expect(count()).toBe(before + 3);
    expect(isWhole(commit)).toBe(true);
  });

  test.each<[string, (blob: string) => void]>([
    ['gone', () => {}],
    ['a pipe', (blob) => execFileSync('mkfifo', [blob])],
    ['a link to a device', (blob) => fs.symlinkSync('/dev/zero', blob)],
    ['a link to another object', (blob) => fs.symlinkSync(objectOf('HEAD:a.txt'), blob)],
    ['under a false name', (blob) => fs.copyFileSync(path.join(repo.root, '.git/objects', looseIn(repo.root)), blob)],
    ['no object at all', (blob) => fs.writeFileSync(blob, 'nothing')],
    ['only where the clone says that it borrows', (blob) => lend(blob)],
  ])('one that is %s: the commit is missing, at once', async (_, spoil) => {
    const commit = work({ 'b.txt': 'only here\n' });
    const blob = objectOf('HEAD:b.txt');
    fs.renameSync(blob, `${repo.base}/kept`);
    spoil(blob);
    const taken = takeCommit(gitDir, place, commit);
    expect(await seconds(taken)).toBeLessThan(3);
    expect(await taken).toEqual({ how: 'missing' });
    expect(await headOf(gitDir, place)).toBeUndefined();
    expect(() => repo.git('cat-file', '-e', commit)).toThrow();
  });

  /** Another repository that has the object, and is named where borrowed objects are looked for. */
  function lend(blob: string): void {
    const lender = path.join(repo.base, 'lender');
    const parts = blob.split('/').slice(-2);
    fs.mkdirSync(path.join(lender, parts[0] ?? ''), { recursive: true });
    fs.copyFileSync(`${repo.base}/kept`, path.join(lender, ...parts));
    fs.appendFileSync(inClone('objects/info/alternates'), `${lender}\n`);
    expect(repo.gitIn(place.folder, 'cat-file', '-p', 'HEAD:b.txt')).toBe('only here');
  }

  /** Some object of the project that is a file of its own. */
  function looseIn(root: string): string {
    const id = repo.gitIn(root, 'rev-parse', 'HEAD:a.txt');
    return `${id.slice(0, 2)}/${id.slice(2)}`;
  }

  test('a whole object folder that is a link is not followed', async () => {
    const commit = work();
    fs.renameSync(inClone('objects'), path.join(repo.base, 'objects'));
    fs.symlinkSync(path.join(repo.base, 'objects'), inClone('objects'));
    expect(await isTaken(commit)).toBe('missing');
  });

  test('a commit that git does not take is refused with git’s reason, and the ones before it are kept', async () => {
    const good = work();
    const bad = execFileSync(
      'git',
      ['-C', place.folder, 'hash-object', '-t', 'commit', '-w', '--stdin', '--literally'],
      {
        input: `tree ${repo.gitIn(place.folder, 'rev-parse', 'HEAD^{tree}')}\nparent ${good}\nauthor nobody\n\nbad\n`,
        env: repo.env as NodeJS.ProcessEnv,
        encoding: 'utf8',
      },
    ).trim();
    fs.writeFileSync(inClone('refs/heads/task/t'), `${bad}\n`);
    expect(await takeCommit(gitDir, place, bad)).toMatchObject({
      how: 'refused',
      fault: expect.stringContaining('mail'),
    });
    const discard = { task: 't', why: 'x', leaveOut: [], integration: start };
    expect(await saveAttempt(gitDir, place, discard)).toMatchObject({ tip: good, commits: 1 });
  });
});

test('what git refuses only at the end is refused again: nothing of it is in the project', async () => {
  repo.gitIn(place.folder, 'update-index', '--add', '--cacheinfo', `160000,${start},lib`);
  const bad = work({ '.gitmodules': '[submodule "x"]\n\tpath = lib\n\turl = --upload-pack=x\n' });
  for (const _ of [1, 2]) {
    expect(await takeCommit(gitDir, place, bad)).toMatchObject({
      how: 'refused',
      fault: expect.stringContaining('gitmodulesUrl'),
    });
  }
  expect(() => repo.git('cat-file', '-e', bad)).toThrow();
});

describe('refs', () => {
  test('packed, symbolic and detached ones are read', async () => {
    const commit = work();
    repo.gitIn(place.folder, 'pack-refs', '--all');
    expect(fs.existsSync(inClone('refs/heads/task/t'))).toBe(false);
    expect(await headOf(gitDir, place)).toEqual({ commit, branch: 'refs/heads/task/t' });
    repo.gitIn(place.folder, 'checkout', '-q', '--detach');
    expect(await headOf(gitDir, place)).toEqual({ commit });
    repo.gitIn(place.folder, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/task/t');
    repo.gitIn(place.folder, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
    expect(await headOf(gitDir, place)).toEqual({ commit, branch: 'refs/heads/alias' });
  });

  test.each([
    ['out of the clone', 'ref: refs/../../../../project/.git/refs/heads/integration'],
    ['to itself', 'ref: refs/heads/task/t'],
    ['to a folder', 'ref: refs/heads/task'],
    ['to a blob', undefined],
    ['to nothing', '1'.repeat(40)],
    ['nowhere', 'x'],
  ])('a branch that leads %s is no commit', async (_, text) => {
    const line = text ?? repo.git('rev-parse', 'HEAD:a.txt');
    fs.writeFileSync(inClone('refs/heads/task/t'), `${line}\n`);
    expect(await headOf(gitDir, place)).toBeUndefined();
  });

  test('a ref that replaces the commit shows no other one', async () => {
    const commit = work();
    repo.gitIn(place.folder, 'replace', commit, start);
    expect(await headOf(gitDir, place)).toMatchObject({ commit });
    expect(repo.git('show', '--no-patch', '--format=%P', commit)).toBe(start);
    expect(repo.refs('refs/replace')).toEqual({});
  });
});

describe('an agent that still works in the clone', () => {
  const withDisk = (more: Partial<Disk>): PrivateGitDir => ({
    ...gitDir,
    host: { ...gitDir.host, disk: { ...gitDir.host.disk, ...more } },
  });

  test('exchanges a folder of objects for a link: no object of another repository is taken', async () => {
    const commit = work();
    const file = objectOf('HEAD^{tree}');
    const [folder, outside] = [path.dirname(file), path.join(repo.base, 'elsewhere')];
    const { lstatSync } = gitDir.host.disk;
    let looked = false;
    const disk = {
      // Right after it was seen to be a folder.
      lstatSync: ((at: string, options: object) => {
        const stat = lstatSync(at, options);
        if (!looked && at === folder) {
          looked = true;
          fs.renameSync(folder, outside);
          fs.symlinkSync(outside, folder);
        }
        return stat;
      }) as Disk['lstatSync'],
    };
    expect(await takeCommit(withDisk(disk), place, commit)).toEqual({ how: 'missing' });
    expect(looked).toBe(true);
  });

  test('has more objects than anybody could copy: told before one is copied, with what helps', async () => {
    const commit = work();
    const { readdirSync, openSync } = gitDir.host.disk;
    const many = Array.from({ length: 50_001 }, (_, n) => n.toString(16).padStart(38, '0'));
    const opened: string[] = [];
    fs.mkdirSync(inClone('objects', '00'), { recursive: true });
    const disk = {
      readdirSync: ((at: string, ...rest: []) =>
        at === inClone('objects', '00') ? many : readdirSync(at, ...rest)) as Disk['readdirSync'],
      openSync: ((at: string, ...rest: [string]) => {
        opened.push(at);
        return openSync(at, ...rest);
      }) as Disk['openSync'],
    };
    const taken = await takeCommit(withDisk(disk), place, commit);
    expect(taken).toMatchObject({ how: 'refused', next: expect.stringContaining('git gc') });
    expect(taken).toMatchObject({ fault: expect.stringContaining('50000 objects') });
    expect(opened.filter((at) => at.includes('/objects/'))).toEqual([]);
  });

  test('others go on while many objects are copied', async () => {
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`f${n}`, `${n}\n`]));
    const commit = work(files);
    let turns = 0;
    const { clock } = gitDir.host;
    const slow = {
      ...clock,
      monotonic: () => performance.now() * 100,
      nextTurn: () => {
        turns += 1;
        return clock.nextTurn();
      },
    };
    expect(await takeCommit({ ...gitDir, host: { ...gitDir.host, clock: slow } }, place, commit)).toEqual({
      how: 'taken',
    });
    expect(turns).toBeGreaterThan(10);
  });
});

describe('what was held against git’s rules when it was taken', () => {
  const asked = async (commit: string, base: string): Promise<number> => {
    let runs = 0;
    const counting: PrivateGitDir = {
      ...gitDir,
      objects: (...call) => {
        runs += 1;
        return gitDir.objects(...call);
      },
    };
    expect(await faultOf(counting, commit, base)).toBeUndefined();
    return runs;
  };

  test('is not looked at again, also when others’ work landed meanwhile', async () => {
    repo.commit({ 'other.txt': 'o\n' }, 'landed');
    const commit = work();
    expect(await isTaken(commit)).toBe('taken');
    expect(await asked(commit, start)).toBe(0);
  });

  test('is looked at when the base lies further back, and when it was another commit', async () => {
    const first = work();
    expect(await isTaken(first)).toBe('taken');
    await updateRefs(gitDir, [{ ref: seenOf('t'), to: first, from: start }]);
    const second = work({ 'c.txt': 'c\n' });
    expect(await isTaken(second)).toBe('taken');
    expect(await asked(second, start)).toBeGreaterThan(0);
    expect(await asked(first, start)).toBeGreaterThan(0);
    expect(await asked(second, first)).toBe(0);
  });
});
