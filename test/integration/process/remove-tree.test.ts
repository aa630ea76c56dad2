// Folders that are thrown away, whatever an agent or a test has put into them, and while a program still works there.

import { spawn, spawnSync } from 'node:child_process';
import fs, { existsSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';
import { removeTree } from '../../../src/process/remove-tree.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('folders in folders, deeper than any path can say', async () => {
  const folder = temporaryFolder();
  const dig = `for (let n = 0; n < 60; n += 1) { require('fs').mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }`;
  expect(spawnSync(process.execPath, ['-e', dig], { cwd: folder }).status).toBe(0);
  expect(await removeTree(hostAt(), folder)).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
});

test('deeper than a process may hold folders open', async () => {
  const folder = temporaryFolder();
  const dig = `for (let n = 0; n < 400; n += 1) { require('fs').mkdirSync('d'); require('fs').writeFileSync('f', ''); process.chdir('d'); }`;
  expect(spawnSync(process.execPath, ['-e', dig], { cwd: folder }).status).toBe(0);
  expect(await removeTree(hostAt(), folder)).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
});

test('folders that their owner closed, as any user but root meets them', () => {
  const folder = temporaryFolder();
  const script = path.join(folder, 'remove.cjs');
  buildSync({
    stdin: {
      contents: `import { removeTree } from './src/process/remove-tree.ts'; import { realHost } from './src/ports/real-host.ts';
        const fs = require('node:fs'); const [top] = process.argv.slice(2);
        fs.mkdirSync(top + '/a/b/c', { recursive: true }); fs.writeFileSync(top + '/a/b/f', '');
        for (const [path, mode] of [['/a/b/c', 0], ['/a/b', 0o500], ['/a', 0], ['', 0o500]]) fs.chmodSync(top + path, mode);
        removeTree(realHost(process.env), top).then((left) => console.log(left, fs.existsSync(top)));`,
      resolveDir: path.join(import.meta.dirname, '../../..'),
    },
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'cjs',
  });
  fs.chmodSync(folder, 0o777);
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const ran = spawnSync(process.execPath, [script, path.join(folder, 'top')], { ...user, encoding: 'utf8' });
  expect(`${ran.stdout}${ran.stderr}`).toBe('undefined false\n');
});

test('a folder of very many files is read piece by piece, and others go on meanwhile', async () => {
  const folder = temporaryFolder();
  for (let n = 0; n < 5000; n += 1) fs.writeFileSync(path.join(folder, String(n)), '');
  const { clock, disk, ...host } = hostAt();
  let turns = 0;
  const nextTurn = async () => {
    turns += 1;
    await clock.nextTurn();
  };
  const readdirSync = () => {
    throw new Error('read as a whole');
  };
  const patient = { ...host, clock: { ...clock, nextTurn }, disk: { ...disk, readdirSync: readdirSync as never } };
  expect(await removeTree(patient, folder)).toBeUndefined();
  expect(existsSync(folder)).toBe(false);
  expect(turns).toBeGreaterThanOrEqual(25);
});

test('links are removed, and not what they lead to', async () => {
  const base = temporaryFolder();
  const [folder, outside] = [path.join(base, 'folder'), path.join(base, 'outside')];
  for (const one of [folder, outside]) fs.mkdirSync(one);
  fs.writeFileSync(path.join(outside, 'kept'), '');
  fs.symlinkSync(outside, path.join(folder, 'link'));
  fs.symlinkSync(outside, path.join(base, 'top'));
  for (const one of [folder, path.join(base, 'top'), path.join(base, 'none')])
    expect(await removeTree(hostAt(), one)).toBeUndefined();
  expect(fs.readdirSync(base)).toEqual(['outside']);
  expect(fs.readdirSync(outside)).toEqual(['kept']);
});

// The program waits for the first file to go, and puts a link in the folder's place: every further file that is removed
// by its path is one of the user's.
const SWAP = `
const fs = require('fs');
const [folder] = process.argv.slice(1);
fs.watch(folder + '/d', () => {
  try { fs.renameSync(folder + '/d', folder + '/old'); fs.renameSync(folder + '/link', folder + '/d'); } catch {}
  process.exit(0);
});
process.stdout.write('ready');
`;

test('a folder that becomes a link while it is removed leads nowhere', async () => {
  const base = temporaryFolder();
  const [folder, outside] = [path.join(base, 'folder'), path.join(base, 'outside')];
  for (const one of [`${folder}/d`, outside]) fs.mkdirSync(one, { recursive: true });
  const names = Array.from({ length: 4000 }, (_, n) => `f${n}`);
  for (const name of names) for (const at of [`${folder}/d`, outside]) fs.closeSync(fs.openSync(`${at}/${name}`, 'w'));
  fs.symlinkSync(outside, `${folder}/link`);
  const swapper = spawn(process.execPath, ['-e', SWAP, folder]);
  const ended = new Promise((done) => swapper.once('exit', done));
  await new Promise((done) => swapper.stdout.once('data', done));
  await removeTree(hostAt(), folder);
  await ended;
  expect(fs.readdirSync(outside).length).toBe(names.length);
});

test('one that cannot be removed is told, and nothing is thrown', async () => {
  const base = temporaryFolder();
  fs.mkdirSync(path.join(base, 'd'));
  const host = hostAt();
  const refusing = () => {
    throw Object.assign(new Error('ENOTDIR: not a directory'), { code: 'ENOTDIR' });
  };
  const disk = { ...host.disk, rmdirSync: refusing, rmSync: refusing };
  expect(await removeTree({ ...host, disk }, base)).toContain('ENOTDIR');
});
