// Git that a small process starts for a large one: the same answers, the same ends, and nothing left behind.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runGit } from '../../../src/ports/git-program.ts';
import { startAside } from '../../../src/ports/git-starter.ts';
import { childrenWhose, until } from '../../support/children.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder = '';
let startHere: () => void;
const ENV = process.env;

beforeEach(async () => {
  folder = temporaryFolder();
  await runGit(ENV, folder, ['init', '-q']);
  startHere = startAside(0);
  // It is looked at now and then whether it pays.
  for (let n = 0; n < 8; n += 1) await runGit(ENV, folder, ['version']);
});
afterEach(() => startHere());

/** Our children that start programs for us. */
const starters = (): number[] => childrenWhose((line) => line.includes('node:child_process'));

test('what it answers is what git said: status, both outputs, and what it was given to read', async () => {
  expect(starters()).toHaveLength(1);
  const hashed = await runGit(ENV, folder, ['hash-object', '-w', '--stdin'], { input: 'grün\n' });
  expect(hashed).toMatchObject({ status: 0, stderr: '' });
  const shown = await runGit(ENV, folder, ['cat-file', 'blob', hashed.stdout.trim()]);
  expect(shown.stdout).toBe('grün\n');
  const none = await runGit(ENV, folder, ['rev-parse', '--verify', 'nowhere']);
  expect(none).toMatchObject({ status: 128, stdout: '' });
  expect(none.stderr).toContain('fatal: Needed a single revision');
  expect(starters()).toHaveLength(1);
});

test('many at once are each told their own', async () => {
  const all = Array.from({ length: 40 }, (_, n) =>
    runGit(ENV, folder, ['hash-object', '--stdin'], { input: `${n}` }).then(({ stdout }) => stdout),
  );
  expect(new Set(await Promise.all(all)).size).toBe(40);
});

test('one that takes too long or prints too much is ended, and says so', async () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const waits = runGit(ENV, folder, ['hash-object', pipe], { longest: 300 });
  await expect(waits).rejects.toThrow('git hash-object took longer than 0.3 s and was ended');
  await expect(runGit(ENV, folder, ['version'], { most: 3 })).rejects.toThrow('git version printed more than 3 bytes');
});

test('its death fails what it had to do; the next call starts another one', async () => {
  execFileSync('mkfifo', [path.join(folder, 'pipe')]);
  const [pid = 0] = starters();
  const waiting = runGit(ENV, folder, ['hash-object', 'pipe']);
  const failed = expect(waiting).rejects.toThrow('the process that starts git ended');
  await wait(100);
  process.kill(pid, 'SIGKILL');
  await failed;
  fs.writeFileSync(path.join(folder, 'pipe'), ''); // git itself goes on, as after a crash of ours
  for (let n = 0; n < 9; n += 1)
    expect(await runGit(ENV, folder, ['rev-parse', '--is-inside-work-tree'])).toMatchObject({ status: 0 });
  expect(starters()).toHaveLength(1);
  expect(starters()).not.toEqual([pid]);
});

test('it ends when nobody wants it any more', async () => {
  startHere();
  await until(() => starters().length === 0);
  expect(await runGit(ENV, folder, ['version'])).toMatchObject({ status: 0 });
  expect(starters()).toEqual([]);
  startHere = startAside(0);
});

test('a command line that is too long for the system fails alone', async () => {
  const waiting = runGit(ENV, folder, ['hash-object', '--stdin'], { input: 'a' });
  const [pid] = starters();
  await expect(runGit(ENV, folder, ['ls-files', 'x'.repeat(3_000_000)])).rejects.toThrow('git could not be started');
  expect((await waiting).status).toBe(0);
  expect(starters()).toEqual([pid]);
  startHere();
  await expect(runGit(ENV, folder, ['ls-files', 'x'.repeat(3_000_000)])).rejects.toThrow('git could not be started');
});
