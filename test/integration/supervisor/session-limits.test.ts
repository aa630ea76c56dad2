// Memory and processes of an agent's whole tree: who takes more is ended, and it is told as what it was.

import { spawn, spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { usageBelow } from '../../../src/process/resource-usage.ts';
import { hostAt } from '../../host.ts';
import { inFull } from '../../runs.ts';
import { open, r } from './harness.ts';

const ended = (): string | undefined =>
  r()
    .said()
    .find((text) => text.startsWith('session ended'));

test.runIf(inFull)(
  'memory: the children count, too (in test:all)',
  async () => {
    const eats = `node -e 'const b = Buffer.alloc(400 << 20, 1); setInterval(() => b.length, 1000)' & wait`;
    await open({ config: { agent_memory_mb: 300 }, parts: { 'coder-1': [{ end: eats }] } });
    await r().until('the end', () => ended() !== undefined);
    expect(ended()).toMatch(/^session ended: ended: it used \d+ MB of memory, and agent_memory_mb is 300/);
  },
  30_000,
);

test('processes', async () => {
  const forks = 'for n in 1 2 3 4 5 6 7 8 9; do sleep 100 & done; wait';
  await open({ config: { agent_processes: 5 }, parts: { 'coder-1': [{ end: forks }] } });
  await r().until('the end', () => ended() !== undefined);
  expect(ended()).toMatch(/it had \d+ processes, and agent_processes is 5/);
}, 30_000);

const python = spawnSync('python3', ['--version']).status === 0;

test.skipIf(process.platform !== 'linux' || !python)(
  'memory that is shared counts once, not for nobody',
  async () => {
    // Two processes over the same 200 MB: more than 150, less than 350.
    const shares = [
      'import mmap, os, time',
      'm = mmap.mmap(-1, 200 << 20)',
      'm.write(bytes(1) * (200 << 20))',
      'os.fork()',
      'len(m[::4096])',
      'print("shared", flush=True)',
      'time.sleep(60)',
    ].join('\n');
    const child = spawn('python3', ['-c', shares], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    try {
      let said = '';
      child.stdout.on('data', (text: Buffer) => {
        said += text;
      });
      await expect.poll(() => said.split('shared').length, { timeout: 25_000 }).toBe(3);
      const usage = () => usageBelow(hostAt(), child.pid ?? 0);
      // A look at the machine serves for half a second: the one before may be older than the child.
      await expect.poll(() => usage().processes).toBe(2);
      const { memoryMb } = usage();
      expect(memoryMb).toBeGreaterThan(190);
      expect(memoryMb).toBeLessThan(350);
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    }
  },
  30_000,
);
