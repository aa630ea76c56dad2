// What set-up made, taken out of one checkout and copied into another: as copies, and never through what a commit planted.

import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { copyHeld, copyMade, fits, isPlain, keepOnlyMade, listing } from '../../../src/tasks/setup-files.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let made = '';
let target = '';
let outside = '';

beforeEach(() => {
  const home = temporaryFolder();
  [made, target, outside] = ['made', 'target', 'outside'].map((name) => path.join(home, name)) as [
    string,
    string,
    string,
  ];
  for (const folder of [path.join(made, 'node_modules/b'), target, outside]) fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(made, 'node_modules/b/index.js'), 'b', { mode: 0o755 });
  fs.symlinkSync('b/index.js', path.join(made, 'node_modules/c'));
});

test('a copy has content, mode and links, and is no second name of the same file', async () => {
  expect(fits(realDisk, made, target, new Set())).toBe(true);
  await copyMade(realDisk, made, target, 0);
  const copy = path.join(target, 'node_modules/b/index.js');
  expect(fs.readFileSync(copy, 'utf8')).toBe('b');
  expect(fs.statSync(copy).mode & 0o777).toBe(0o755);
  expect(fs.readlinkSync(path.join(target, 'node_modules/c'))).toBe('b/index.js');
  fs.writeFileSync(copy, 'poisoned');
  expect(fs.readFileSync(path.join(made, 'node_modules/b/index.js'), 'utf8')).toBe('b');
  expect(fs.statSync(copy).ino).not.toBe(fs.statSync(path.join(made, 'node_modules/b/index.js')).ino);
});

test('of a folder that somebody may still have open, the copy is nobody’s but Liza’s', async () => {
  const [index, copy] = [path.join(made, 'node_modules/b/index.js'), path.join(target, 'copy')];
  fs.utimesSync(index, 1000, 2000);
  const open = [fs.openSync(index, 'r+'), fs.openSync(path.dirname(index), 'r')];
  await copyHeld(hostAt(), made, copy);
  const copied = path.join(copy, 'node_modules/b/index.js');
  fs.writeSync(open[0] as number, 'poisoned');
  fs.writeFileSync(`/proc/self/fd/${open[1]}/more.js`, 'planted');
  for (const fd of open) fs.closeSync(fd);
  expect(fs.readFileSync(copied, 'utf8')).toBe('b');
  expect(fs.statSync(copied)).toMatchObject({ mtimeMs: 2_000_000, mode: 0o100755 });
  expect(fs.readdirSync(path.dirname(copied))).toEqual(['index.js']);
  expect(fs.readlinkSync(path.join(copy, 'node_modules/c'))).toBe('b/index.js');
});

test.each([
  ['a link in place of a folder', (at: string) => fs.symlinkSync(outside, path.join(at, 'node_modules'))],
  ['a file in place of a folder', (at: string) => fs.writeFileSync(path.join(at, 'node_modules'), '')],
  [
    'a file that is not to be replaced',
    (at: string) => {
      fs.mkdirSync(path.join(at, 'node_modules/b'), { recursive: true });
      fs.writeFileSync(path.join(at, 'node_modules/b/index.js'), 'theirs');
    },
  ],
])('%s: it does not fit', (_, plant) => {
  plant(target);
  expect(fits(realDisk, made, target, new Set())).toBe(false);
  expect(fs.readdirSync(outside)).toEqual([]);
});

test('a file of the commit that set-up changed is replaced', async () => {
  fs.writeFileSync(path.join(made, 'lock'), 'new');
  fs.writeFileSync(path.join(target, 'lock'), 'old');
  expect(fits(realDisk, made, target, new Set(['lock']))).toBe(true);
  await copyMade(realDisk, made, target, 0);
  expect(fs.readFileSync(path.join(target, 'lock'), 'utf8')).toBe('new');
});

test('unchanged files of the commit are no result, nor are folders of theirs; an empty folder that set-up made is', async () => {
  for (const name of ['src/deep/a.js', 'node_modules/kept.js']) {
    fs.mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    fs.writeFileSync(path.join(made, name), '');
  }
  fs.mkdirSync(path.join(made, 'build'));
  keepOnlyMade(realDisk, made, ['src/deep/a.js', 'node_modules/kept.js']);
  expect(fs.readdirSync(made).sort()).toEqual(['build', 'node_modules']);
  expect(await isPlain(hostAt(), made)).toBe(true);
});

test('of more entries than are copied no result is made, and others go on while they are looked at', async () => {
  const entry = { name: 'a', isDirectory: () => true, isSymbolicLink: () => false, isFile: () => false };
  let looked = 0;
  const heldEntries = function* (_: string, walk: { most: number }) {
    for (; walk.most > 0; looked++) {
      walk.most -= 1;
      yield { entry, path: 'a', at: 'a', isTooDeep: false };
    }
    walk.most = -1;
  };
  const { clock, disk } = hostAt();
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
  };
  const host = { clock: { ...clock, nextTurn }, disk: { ...disk, heldEntries } as never };
  expect(await isPlain(host, made)).toBe(false);
  expect(turns).toBeGreaterThan(looked / 500);
});

test('a git directory with very many files has no listing, so that each checkout is set up by itself', () => {
  fs.mkdirSync(path.join(made, 'many'));
  const all = path.join(made, 'many');
  for (let n = 0; n <= 20_000; n++) fs.writeFileSync(path.join(all, String(n)), '');
  expect(listing(realDisk, all, new Set())).toBeUndefined();
  for (let n = 3; n <= 20_000; n++) fs.unlinkSync(path.join(all, String(n)));
  expect(listing(realDisk, all, new Set(['1']))).toMatch(/^0 0 [\d.]+\n2 0 [\d.]+$/);
});
