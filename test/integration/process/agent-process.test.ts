// An agent's output: line by line, whatever it prints, and at a cost that grows with its length alone.

import fs from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { beforeEach, describe, expect, test } from 'vitest';
import { endAgent, startAgent } from '../../../src/process/agent-process.ts';
import { markAt } from '../../../src/process/own-rlimit-mark.ts';
import { markOf } from '../../../src/process/rlimit-mark.ts';
import { agentTag } from '../../../src/process/tags.ts';
import { hostAt } from '../../host.ts';
import { inFull } from '../../runs.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const run = (script: string) => started(['node', '-e', script]);

async function started(argv: readonly [string, ...string[]]) {
  const lines: string[] = [];
  let chunks = 0;
  const running = await startAgent(hostAt(), {
    argv,
    cwd: folder,
    env: process.env,
    tag: agentTag({ root: folder, repository: folder }, 'coder-1'),
    logFile: path.join(folder, 'log'),
    onLine: (_stream, line) => lines.push(line),
    onOutput: () => {
      chunks += 1;
    },
  });
  if ('reason' in running) throw new Error(running.reason);
  return { running, lines, chunks: () => chunks };
}

test('lines come whole, wherever the pieces are cut; the last one needs no end', async () => {
  const { running, lines } = await run(`
    const w = (t) => new Promise((d) => process.stdout.write(t, () => setTimeout(d, 30)));
    (async () => { await w('on'); await w('e\\ntwo\\n'); await w(Buffer.from([0xe2, 0x82])); await w(Buffer.from([0xac])); await w('\\n\\nlast'); })()`);
  await running.exited;
  await running.end(0);
  expect(lines).toEqual(['one', 'two', '€', '', 'last']);
});

test('a line of 100 MB costs no more than its length, counts as life, and is told by its beginning', async () => {
  const { running, lines, chunks } = await run(`
    const piece = 'x'.repeat(1 << 20);
    const put = (n) => n === 0 ? process.stdout.end('\\nafter\\n') : process.stdout.write(piece, () => put(n - 1));
    put(100)`);
  const begun = process.cpuUsage();
  await running.exited;
  const { user, system } = process.cpuUsage(begun);
  await running.end(0);
  expect(lines.map((line) => line.length)).toEqual([1 << 20, 5]);
  expect(chunks()).toBeGreaterThan(100);
  expect((user + system) / 1e6).toBeLessThan(10);
});

test.runIf(inFull)(
  'a flood of short lines: memory stays flat, others get their turn, the log its bounds, and an event is heard (in test:all)',
  async () => {
    const megabytes = 200;
    const { running, lines } = await run(`
    const piece = 'y\\n'.repeat(1 << 19);
    const put = (n) => n === 0 ? process.stdout.end('{"last":1}\\n') : process.stdout.write(n === ${megabytes / 2} ? '{"half":1}\\n' + piece : piece, () => put(n - 1));
    put(${megabytes})`);
    const before = process.memoryUsage().rss;
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 50);
    await running.exited;
    const { outputBytes } = await running.end(0);
    clearInterval(watch);
    delay.disable();
    expect(outputBytes).toBeGreaterThan(megabytes * 1e6);
    expect(lines.filter((line) => line.startsWith('{'))).toEqual(['{"half":1}', '{"last":1}']);
    expect(lines.length).toBeLessThan(1_000_000);
    expect((most - before) / 1e6).toBeLessThan(150);
    expect(delay.percentile(99) / 1e6).toBeLessThan(300);
    expect(fs.statSync(path.join(folder, 'log')).size).toBeLessThan(17 * 1024 * 1024);
  },
);

test.runIf(inFull)('the last words of one that has exited are heard (in test:all)', async () => {
  for (let n = 0; n < 10; n += 1) {
    const { running, lines } = await run(
      `process.stdout.write('x'.repeat(200000) + '\\nlast words\\n'); process.exitCode = 3`,
    );
    await running.exited;
    await running.end(10_000);
    expect(lines.at(-1)).toBe('last words');
  }
});

/** G19: each leaves a process behind in its own way and says its pid. */
const DAEMONS = {
  'a child': 'sleep 1000 & echo $!',
  'a session of its own': 'setsid sleep 1000 & echo $!',
  'a double fork': `(sh -c 'echo $$; exec sleep 1000' &)`,
  'a double fork into a session of its own': `(setsid sh -c 'echo $$; exec sleep 1000' &)`,
  'a cleared environment': `env -i /bin/sh -c 'echo $$; exec sleep 1000' &`,
  'a double fork with a cleared environment': `(env -i /bin/sh -c 'echo $$; exec sleep 1000' &)`,
  'a session of its own with a cleared environment, two forks away': `(env -i /usr/bin/setsid /bin/sh -c 'sleep 1000 & echo $!' &)`,
  'one that forks on after its parent is gone': `(env -i /usr/bin/setsid /bin/sh -c 'sleep 0.3; sleep 1000 & echo $!; wait' &)`,
} as const;

const isLinux = process.platform === 'linux';

describe.skipIf(!isLinux)('G19: nothing that an agent leaves behind is alive when its session is over', () => {
  test.each(Object.entries(DAEMONS))('%s', async (_how, script) => {
    const { running, lines } = await run(`
      require('child_process').spawnSync('sh', ['-c', ${JSON.stringify(`${script}; sleep 0.05`)}], { stdio: 'inherit' });
      setTimeout(() => {}, 500)`);
    await running.exited;
    await running.end(0);
    const pids = lines.map(Number);
    expect(pids.length).toBeGreaterThan(0);
    for (const pid of pids) expect(isAlive(pid), `${pid}`).toBe(false);
  });

  test('forked as its very first act, with a cleared environment, in a session of its own', async () => {
    for (let n = 0; n < 5; n += 1) {
      const first = `(/usr/bin/setsid /usr/bin/env -i /bin/sh -c 'sleep 0.2; echo $$; exec sleep 1000' &); sleep 0.4`;
      const { running, lines } = await started(['/bin/sh', '-c', first]);
      await running.exited;
      const pid = Number(lines[0]);
      expect(isAlive(pid)).toBe(true);
      expect(markAt(hostAt(), pid)).toEqual(markOf(agentTag({ root: folder, repository: folder }, 'coder-1')));
      await running.end(0);
      expect(isAlive(pid)).toBe(false);
    }
  });

  test('also when the supervisor is gone, by project and id alone', async () => {
    const { running, lines } = await run(`
      require('child_process').spawnSync('sh', ['-c', ${JSON.stringify(DAEMONS['a double fork with a cleared environment'])}], { stdio: 'inherit' });
      setTimeout(() => {}, 300)`);
    await running.exited;
    const [pid] = lines.map(Number);
    expect(isAlive(pid ?? 0)).toBe(true);
    expect(await endAgent(hostAt(), { root: folder, repository: folder }, 'coder-2')).toBe(0);
    expect(isAlive(pid ?? 0)).toBe(true);
    expect(await endAgent(hostAt(), { root: folder, repository: folder }, 'coder-1')).toBe(0);
    expect(isAlive(pid ?? 0)).toBe(false);
    await running.end(0);
  });
});

test('a program that is not there, or may not be run, is told as that', async () => {
  const of = (...argv: readonly [string, ...string[]]) =>
    startAgent(hostAt(), {
      argv,
      cwd: folder,
      env: process.env,
      tag: 'ab',
      logFile: path.join(folder, 'log'),
      onLine: () => {},
    });
  expect(await of('liza-no-such-program')).toEqual({ reason: expect.stringContaining('was not found') });
  expect(await of('./no-such')).toEqual({ reason: expect.stringContaining('was not found') });
  fs.writeFileSync(path.join(folder, 'plain'), '');
  expect(await of('./plain')).toEqual({ reason: expect.stringContaining('may not be executed') });
});

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(fs.readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('whoever comes after can end what an agent left, by project and id alone', async () => {
  const { running } = await run(`
    require('child_process').spawn('setsid', ['sleep', '1000'], { detached: true, stdio: 'ignore' }).unref();
    setInterval(() => {}, 1000)`);
  expect(await endAgent(hostAt(), { root: folder, repository: folder }, 'coder-2')).toBe(0);
  expect(await Promise.race([running.exited, 'alive'])).toBe('alive');
  expect(await endAgent(hostAt(), { root: folder, repository: folder }, 'coder-1')).toBe(0);
  expect(await running.exited).toEqual({ kind: 'signalled', signal: 'SIGKILL' });
  await running.end(0);
});
