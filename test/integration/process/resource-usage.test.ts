// What a tree of processes uses, looked up without reading all of /proc where nothing was born since.

import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { realHost } from '../../../src/ports/real-host.ts';
import { usageBelow } from '../../../src/process/resource-usage.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const one of started) one.kill('SIGKILL');
});

/** A machine that says which process was born last, and counts what is read of others. */
function machine() {
  const host = realHost(process.env);
  const seen = { newest: 1, stats: 0 };
  const readFileSync = ((file: string, ...rest: readonly never[]) => {
    if (file === '/proc/loadavg') return `0.00 0.00 0.00 1/2 ${seen.newest}\n`;
    if (file.endsWith('/stat')) seen.stats += 1;
    return host.disk.readFileSync(file, ...rest);
  }) as typeof host.disk.readFileSync;
  const processes = { ...host.processes };
  return { seen, host: { ...host, processes, disk: { ...host.disk, readFileSync } } };
}

const begin = async (): Promise<ChildProcess & { pid: number }> => {
  const child = spawn('sh', ['-c', 'sleep 30 & echo ready; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
  started.push(child);
  await new Promise((done) => child.stdout.once('data', done));
  return child as never;
};

test.runIf(process.platform === 'linux')('no process was born: /proc is not read through again', async () => {
  const { pid } = await begin();
  const { host, seen } = machine();
  expect(usageBelow(host, pid)).toMatchObject({ processes: 2 });
  const all = seen.stats;
  expect(all).toBeGreaterThan(2);
  await wait(600);
  expect(usageBelow(host, pid)).toMatchObject({ processes: 2 });
  expect(seen.stats).toBe(all);
  seen.newest += 1;
  await wait(600);
  expect(usageBelow(host, pid)).toMatchObject({ processes: 2 });
  expect(seen.stats).toBeGreaterThan(all);
});

test.runIf(process.platform === 'linux')('one that has ended meanwhile does not count', async () => {
  const child = await begin();
  const { host } = machine();
  expect(usageBelow(host, child.pid)).toMatchObject({ processes: 2 });
  const ended = new Promise((done) => child.once('exit', done));
  child.kill('SIGKILL');
  await ended;
  await wait(600);
  expect(usageBelow(host, child.pid).processes).toBeLessThan(2);
});

test.runIf(process.platform === 'linux')(
  'where no memory is asked for, no process can make its reader wait',
  async () => {
    const { pid } = await begin();
    const { host } = machine();
    const read: string[] = [];
    const readFileSync = ((file: string, ...rest: readonly never[]) => {
      read.push(file);
      return host.disk.readFileSync(file, ...rest);
    }) as typeof host.disk.readFileSync;
    expect(usageBelow({ ...host, disk: { ...host.disk, readFileSync } }, pid, 'processes')).toEqual({
      processes: 2,
      memoryMb: 0,
    });
    expect(read.filter((file) => /status|smaps/.test(file))).toEqual([]);
  },
);

test.runIf(process.platform === 'linux')(
  'a look at shared memory that takes long is ended by an estimate',
  async () => {
    const { pid } = await begin();
    const { host } = machine();
    let now = 0;
    let asked = 0;
    const readFileSync = ((file: string, ...rest: readonly never[]) => {
      if (file.endsWith('/status')) return 'RssAnon:\t0 kB\nRssShmem:\t102400 kB\n';
      if (!file.endsWith('/smaps_rollup')) return host.disk.readFileSync(file, ...rest);
      asked += 1;
      now += 10_000;
      return 'Pss_Shmem: 51200 kB\n';
    }) as typeof host.disk.readFileSync;
    const slow = { ...host, clock: { ...host.clock, monotonic: () => now }, disk: { ...host.disk, readFileSync } };
    expect(usageBelow(slow, pid)).toEqual({ processes: 2, memoryMb: 100 });
    expect(asked).toBe(1);
  },
);
