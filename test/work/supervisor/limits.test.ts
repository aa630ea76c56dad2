// Memory and processes of an agent's whole tree: who takes more is ended, and it is told as what it was.

import { expect, test } from 'vitest';
import { open, r } from './room.ts';

const ended = (): string | undefined =>
  r()
    .said()
    .find((text) => text.startsWith('session ended'));

test('memory: the children count, too', async () => {
  const eats = `node -e 'const b = Buffer.alloc(400 << 20, 1); setInterval(() => b.length, 1000)' & wait`;
  await open({ config: { agent_memory_mb: 300 }, parts: { 'coder-1': [{ end: eats }] } });
  await r().until('the end', () => ended() !== undefined);
  expect(ended()).toMatch(/^session ended: ended: it used \d+ MB of memory, and agent_memory_mb is 300/);
}, 30_000);

test('processes', async () => {
  const forks = 'for n in 1 2 3 4 5 6 7 8 9; do sleep 100 & done; wait';
  await open({ config: { agent_processes: 5 }, parts: { 'coder-1': [{ end: forks }] } });
  await r().until('the end', () => ended() !== undefined);
  expect(ended()).toMatch(/it had \d+ processes, and agent_processes is 5/);
}, 30_000);
