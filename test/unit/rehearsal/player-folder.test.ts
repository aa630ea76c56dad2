// Both sides of a played session write one folder: what the other left there is never followed, awaited or believed.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  announce,
  answerTo,
  ask,
  isTaken,
  nextAsked,
  reply,
  sessionIn,
  take,
} from '../../../src/rehearsal/player-folder.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NOW = Date.UTC(2026, 0, 1);
const SESSION = { agent: 'coder-1', role: 'coder', session: 's1', cwd: '/work', prompt: 'Do it.' };

function played() {
  const folder = temporaryFolder();
  const host = hostAt(() => NOW);
  announce(host, folder, SESSION);
  return { folder, host };
}

test('what is asked is answered once, in the order in which it was asked', () => {
  const { folder, host } = played();
  const first = ask(host, folder, { kind: 'say', text: 'one' });
  expect(nextAsked(host.disk, folder)).toEqual({ name: first, asked: { kind: 'say', text: 'one' } });
  reply(host, folder, first, { output: '', status: 0 });
  expect(nextAsked(host.disk, folder)).toBeUndefined();
  expect(answerTo(host.disk, folder, first)).toEqual({ output: '', status: 0 });
});

test('a session is taken once and is over when it no longer beats', () => {
  const { folder, host } = played();
  expect(sessionIn(host, folder)).toEqual(SESSION);
  expect(isTaken(host.disk, folder)).toBe(false);
  take(host, folder);
  expect(isTaken(host.disk, folder)).toBe(true);
  expect(
    sessionIn(
      hostAt(() => NOW + 11_000),
      folder,
    ),
  ).toBeUndefined();
});

test('links, pipes, huge files and broken JSON in the folder are as if they were not there', () => {
  const { folder, host } = played();
  const secret = path.join(temporaryFolder(), 'secret');
  fs.writeFileSync(secret, JSON.stringify({ output: 'secret', status: 0 }));
  fs.symlinkSync(secret, path.join(folder, 'a.answer'));
  execFileSync('mkfifo', [path.join(folder, 'b.answer')]);
  fs.writeFileSync(path.join(folder, 'c.answer'), ' '.repeat(1024 * 1024 + 1));
  fs.writeFileSync(path.join(folder, 'd.answer'), '{');
  for (const name of ['a', 'b', 'c', 'd']) expect(answerTo(host.disk, folder, name)).toBeUndefined();
});

test('a link in place of a file is replaced, and what it leads to stays as it was', () => {
  const { folder, host } = played();
  const other = path.join(temporaryFolder(), 'other');
  fs.writeFileSync(other, 'mine');
  fs.symlinkSync(other, path.join(folder, 'taken'));
  expect(isTaken(host.disk, folder)).toBe(false);
  take(host, folder);
  expect(isTaken(host.disk, folder)).toBe(true);
  expect(fs.readFileSync(other, 'utf8')).toBe('mine');
});
