// Processes with very many open files hold up nobody who looks for one of them.

import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { newLook, openOf } from '../../../src/process/descriptors.ts';
import { isAnyoneIn, pidsIn } from '../../../src/process/who-is-in.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const onLinux = test.runIf(process.platform === 'linux');

/** It has so many open. */
async function holder(count: number): Promise<number> {
  const opens = `const fs = require('fs'); for (let n = 0; n < ${count}; n++) fs.openSync('/dev/null'); console.log('ready'); setInterval(() => {}, 1000)`;
  const child = spawn(process.execPath, ['-e', opens], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await new Promise((done) => child.stdout.once('data', done));
  return child.pid ?? 0;
}

onLinux('of one process no more than some thousand files are looked at, and it is said', async () => {
  const { disk } = hostAt();
  const [many, few] = [await holder(6000), await holder(10)];
  const look = newLook();
  expect(openOf(disk, few, look)?.filter((path) => path === '/dev/null').length).toBeGreaterThanOrEqual(10);
  expect(look.cutOff).toBe(false);
  expect(openOf(disk, many, look)?.length).toBeLessThanOrEqual(4097);
  expect(look.cutOff).toBe(true);
});

onLinux('nor of all together', async () => {
  const { disk } = hostAt();
  const pid = await holder(3000);
  const look = newLook();
  let seen = 0;
  for (let n = 0; n < 100; n++) seen += openOf(disk, pid, look)?.length ?? 0;
  expect(seen).toBeLessThan(160_000);
  expect(look.cutOff).toBe(true);
});

onLinux('of one that has ended nothing is open', () => {
  expect(openOf(hostAt().disk, 2 ** 22 + 1, newLook())).toEqual([]);
});

onLinux('with so many, a process may be in a folder that would be used again, and is not ended for it', async () => {
  const folder = temporaryFolder();
  const pid = await holder(6000);
  expect(await isAnyoneIn(hostAt(), folder)).toBe(true);
  const found: number[] = [];
  for await (const one of pidsIn(hostAt(), folder)) found.push(one);
  expect(found).not.toContain(pid);
});
