// The merge queue as processes, tortured at random: killed, held, released, reordered, its branch moved by hand, with tests
// that break down for a while. Whatever happens: each head of the branch was green itself, nothing good is lost or blamed,
// and nothing is left behind. `LIZA_SEEDS=1-40` plays those seeds.

import path from 'node:path';
import { expect, test } from 'vitest';
import { runs } from '../runs.ts';
import { meddle, type Tortured, torturedQueue, wrongIn } from './tortured-queue.ts';

const PRELOAD = path.join(import.meta.dirname, 'kill-at.cjs');
const [from = 1, to = from] = (process.env['LIZA_SEEDS'] ?? `1-${runs(8)}`).split('-').map(Number);

/** Killed at one of its changes of the board, or anywhere, or not at all; a person comes in between. */
async function oneRun(queue: Tortured): Promise<void> {
  const { built, chance, below, told, steps } = queue;
  const [how, at] = [chance(), 1 + below(14)];
  const env = how < 0.3 ? { KILL_AT: String(at), NODE_OPTIONS: `--require=${PRELOAD}` } : {};
  const run = built.start(['queue', 'run'], { env });
  let isOver = false;
  void run.ended.then(() => {
    isOver = true;
  });
  for (let times = 0; times < 3 && !isOver; times++) {
    // Some steps later, however fast the machine is, and anywhere between two of them.
    const until = steps() + 1 + below(5);
    while (!isOver && steps() < until) await later(10);
    await later(below(300));
    if (!isOver && chance() < 0.7) meddle(queue);
  }
  if (how > 0.7) run.child.kill('SIGKILL');
  const { code, signal, stderr } = await run.ended;
  told.push(`run: ${code ?? signal} ${stderr.trim().slice(-200)}`);
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test.each(Array.from({ length: to - from + 1 }, (_, n) => from + n))(
  'seed %i',
  async (seed) => {
    const queue = torturedQueue(seed);
    const { ids, say, waiting, told } = queue;
    for (let times = 0; times < 5 && waiting() > 0; times++) await oneRun(queue);
    for (const id of ids) say('queue', 'release', id);
    for (let times = 0; times < 40 && waiting() > 0; times++) {
      say('doctor', '--accept-integration');
      say('queue', 'release');
      say('queue', 'run');
    }
    say('queue', 'release');
    const wrong = Object.entries(wrongIn(queue)).filter(([, all]) => (all as readonly unknown[]).length > 0);
    expect(wrong.length === 0 ? [] : [wrong, told]).toEqual([]);
  },
  300_000,
);
