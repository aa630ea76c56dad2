// The lock that a small process takes for a busy one: it excludes other processes and others in this one, and no death of
// either leaves it taken or gives it away.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { acquireLock, keepReady, type Lock } from '../../../src/ports/locks.ts';
import { childrenWhose, until } from '../../support/children.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let file = '';
let end: () => void;

beforeEach(() => {
  file = path.join(temporaryFolder(), 'lock');
  end = keepReady(file);
});
afterEach(() => end());

const held = async (timeoutMs = 5000): Promise<Lock> => {
  const lock = await acquireLock(file, timeoutMs);
  if (!('release' in lock)) throw new Error(`not locked: ${JSON.stringify(lock)}`);
  return lock;
};
/** What a shell finds. */
const isFree = (): boolean => spawnSync('flock', ['-n', '-x', file, 'true']).status === 0;
/** Our children that lock for us. */
const helpers = (): number[] => childrenWhose((line) => line.startsWith('/usr/bin/perl'));

test('it excludes a shell and is free afterwards, again and again, by one and the same process', async () => {
  for (let n = 0; n < 20; n += 1) {
    const lock = await held();
    expect(lock.stillOurs()).toBe(true);
    if (n % 5 === 0) expect(isFree()).toBe(false);
    lock.release();
    lock.release();
  }
  await until(isFree);
  expect(helpers()).toHaveLength(1);
});

test('a shell that has it is waited for, and told as busy when it keeps it', async () => {
  const shell = spawn('flock', ['-x', file, 'sh', '-c', 'echo has it; sleep 1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await new Promise((got) => shell.stdout.once('data', got));
  expect(await acquireLock(file, 0)).toMatchObject({
    busy: expect.arrayContaining([expect.stringContaining(`pid ${shell.pid}`)]),
  });
  const lock = await held();
  expect(isFree()).toBe(false);
  lock.release();
});

test('within this process one has it at a time, in the order in which they asked', async () => {
  const order: number[] = [];
  let inside = 0;
  await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const lock = await held();
      inside += 1;
      expect(inside).toBe(1);
      order.push(n);
      await wait(2);
      inside -= 1;
      lock.release();
    }),
  );
  expect(order).toEqual([...order].sort((a, b) => a - b));
});

test('who waits too long within this process is told', async () => {
  const lock = await held();
  expect(await acquireLock(file, 30)).toMatchObject({ busy: expect.anything() });
  lock.release();
  (await held()).release();
});

test('if the small process is killed while we have the lock, we keep it, and give it back', async () => {
  const lock = await held();
  const [helper = Number.NaN] = helpers();
  process.kill(helper, 'SIGKILL');
  await until(() => !helpers().includes(helper));
  expect(isFree()).toBe(false);
  expect(lock.stillOurs()).toBe(true);
  lock.release();
  await until(isFree);
  (await held()).release();
});

test('a small process that was stopped is not waited for', async () => {
  (await held()).release();
  await until(isFree);
  process.kill(helpers()[0] ?? Number.NaN, 'SIGSTOP');
  (await held(0)).release();
  await until(() => helpers().length <= 1);
  await until(isFree);
}, 10_000);

test('a lock file that was replaced is noticed, and the new one is locked', async () => {
  (await held()).release();
  fs.rmSync(file);
  const lock = await held();
  expect(isFree()).toBe(false);
  fs.rmSync(file);
  expect(lock.stillOurs()).toBe(false);
  lock.release();
});

test('without its folder there is no board', async () => {
  (await held()).release();
  fs.rmSync(path.dirname(file), { recursive: true });
  expect(await acquireLock(file)).toEqual({ gone: true });
});

test('it ends with us, killed while it has the lock', async () => {
  const program = `import { acquireLock, keepReady } from ${JSON.stringify(path.join(import.meta.dirname, '../../../src/ports/locks.ts'))};
keepReady(${JSON.stringify(file)});
await acquireLock(${JSON.stringify(file)});
process.kill(process.pid, 'SIGKILL');`;
  const bundled = path.join(path.dirname(file), 'killed.mjs');
  const esbuild = path.join(import.meta.dirname, '../../../node_modules/.bin/esbuild');
  fs.writeFileSync(`${bundled}.ts`, program);
  execFileSync(esbuild, ['--bundle', '--platform=node', '--format=esm', `--outfile=${bundled}`, `${bundled}.ts`], {
    stdio: 'ignore',
  });
  const ended = spawnSync(process.execPath, [bundled]);
  expect(ended.signal).toBe('SIGKILL');
  await until(isFree);
});

test('once nobody needs it any more, it ends', async () => {
  const lock = await held();
  end();
  expect(isFree()).toBe(false);
  lock.release();
  await until(() => helpers().length === 0 && isFree());
});
