// Who belongs to a run, and that nobody else is ever sent a signal.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { family, treeOf } from '../../../src/process/end-process-tree.ts';
import { fromPs, processesOf, type Running, startTime } from '../../../src/process/process-table.ts';
import { hostAt } from '../../host.ts';

const ROOT = { pid: 100, started: 's100', tag: 'f00d' };
const one = (pid: number, more: Partial<Running> = {}): Running => ({
  pid,
  parent: 1,
  group: pid,
  session: pid,
  started: `s${pid}`,
  tagged: false,
  ...more,
});
const pids = (all: readonly Running[], known?: ReadonlyMap<number, string>): readonly number[] =>
  family(ROOT, all, known)
    .map(({ pid }) => pid)
    .sort((a, b) => a - b);

test('the tag, the session, the group, and the children of any of these', () => {
  const all = [
    one(1),
    one(20),
    one(100, { tagged: true }),
    one(101, { session: 100 }),
    one(102, { group: 100 }),
    one(103, { tagged: true }),
    one(106, { parent: 105 }),
    one(105, { parent: 103 }),
    one(107, { parent: 20 }),
  ];
  expect(pids(all)).toEqual([100, 101, 102, 103, 105, 106]);
});

test('a stranger under the old number has a session of its own', () => {
  const all = [one(100, { started: 'later' }), one(101, { session: 100, group: 100 }), one(102, { tagged: true })];
  expect(pids(all)).toEqual([102]);
});

test('who was known stays known, but not whoever got its number', () => {
  const known = new Map([
    [200, 's200'],
    [201, 's201'],
  ]);
  expect(pids([one(200), one(201, { started: 'later' })], known)).toEqual([200]);
});

test('what ps prints on macOS', () => {
  const listed = [
    '    1     0     1 Ss   Sat Mar  1 08:00:00 2026     /sbin/launchd',
    '  345     1   345 S    Sat Mar  1 12:00:01 2026     node x.js --f00d PATH=/bin LIZA_PROGRAM=beef/f00d HOME=/x',
    '  346   345   345 R+   Sun Mar 15 12:00:02 2026     grep LIZA_PROGRAM f00d',
    '  347   345   345 Z    Sat Mar  1 12:00:02 2026     (sleep) LIZA_PROGRAM=f00d',
    '',
  ].join('\n');
  expect(fromPs(listed, 'f00d')).toEqual([
    { pid: 1, parent: 0, group: 1, session: 0, started: 'Sat Mar  1 08:00:00 2026', tagged: false },
    { pid: 345, parent: 1, group: 345, session: 0, started: 'Sat Mar  1 12:00:01 2026', tagged: true },
    { pid: 346, parent: 345, group: 345, session: 0, started: 'Sun Mar 15 12:00:02 2026', tagged: false },
  ]);
});

test.runIf(process.platform === 'linux')('of an environment no more than its beginning is read', () => {
  let read = 0;
  const host = hostAt();
  const huge = Buffer.alloc(8_000_000);
  huge.write('A=1\0LIZA_PROGRAM=aaaa/f00d\0');
  const disk: typeof host.disk = {
    ...host.disk,
    readSync: ((_: number, into: Buffer) => {
      read = huge.copy(into);
      return read;
    }) as typeof host.disk.readSync,
  };
  expect(processesOf({ ...host, disk }, { tag: 'f00d' }).some(({ tagged }) => tagged)).toBe(true);
  expect(read).toBeLessThanOrEqual(256 * 1024);
});

test('real processes: seen with their tag, and left alone under a wrong start time', async () => {
  const child = spawn(process.execPath, ['-e', 'console.log(); setInterval(() => {}, 1000)'], {
    detached: true,
    env: { ...process.env, LIZA_PROGRAM: 'aaaa/f00d' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const pid = child.pid ?? 0;
  try {
    await once(child.stdout, 'data');
    const seen = processesOf(hostAt(), { tag: 'f00d' }).filter(({ tagged }) => tagged);
    expect(seen).toMatchObject([{ pid, group: pid, started: startTime(hostAt(), pid) }]);
    const options = process.platform === 'linux' ? ['axeww'] : ['-AEww'];
    const ps = spawnSync('ps', [...options, '-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
    });
    expect(fromPs(ps.stdout, 'f00d').filter(({ tagged }) => tagged)).toMatchObject([{ pid, group: pid }]);

    expect(await treeOf(hostAt(), { pid, started: 'earlier', tag: 'another' }).end()).toBe(0);
    expect(child.exitCode ?? child.signalCode).toBe(null);
    expect(process.kill(pid, 0)).toBe(true);

    const gone = once(child, 'exit');
    expect(await treeOf(hostAt(), { pid, started: startTime(hostAt(), pid), tag: 'f00d' }).end()).toBe(0);
    expect(await gone).toEqual([null, 'SIGKILL']);
  } finally {
    child.kill('SIGKILL');
  }
});
