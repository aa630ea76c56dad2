// What runs beside the agents breaks without taking them along.

import { expect, test } from 'vitest';
import { AGAIN_MS, keepUp } from '../../../src/supervisor/restart-on-error.ts';

const setUp = () => {
  const told: string[] = [];
  const slept: number[] = [];
  const beside = {
    tell: (line: string) => void told.push(line),
    sleep: (ms: number) => {
      slept.push(ms);
      return Promise.resolve();
    },
  };
  return { told, slept, beside };
};

test('what breaks is told once for each reason, and starts again until it is over', async () => {
  const { told, slept, beside } = setUp();
  const reasons = ['no disk', 'no disk', 'no memory'];
  const over = new AbortController();
  await keepUp(
    'watching',
    async () => {
      const why = reasons.shift();
      if (why !== undefined) throw new Error(why);
    },
    beside,
    over.signal,
  );
  expect(told).toEqual(['watching failed and starts again: no disk', 'watching failed and starts again: no memory']);
  expect(slept).toEqual([AGAIN_MS, AGAIN_MS, AGAIN_MS]);
});

test('what breaks at the very end does not start again', async () => {
  const { told, beside } = setUp();
  const over = new AbortController();
  let starts = 0;
  const work = (): Promise<void> => {
    starts += 1;
    over.abort();
    return Promise.reject(new Error('late'));
  };
  await keepUp('watching', work, beside, over.signal);
  expect([starts, told]).toEqual([1, ['watching failed: late']]);
});

test('a listener that is broken itself changes nothing about that', async () => {
  const { beside } = setUp();
  const tell = (): void => {
    throw new Error('nobody listens');
  };
  let starts = 0;
  const work = async (): Promise<void> => {
    starts += 1;
    if (starts < 3) throw new Error(`no ${starts}`);
  };
  await keepUp('watching', work, { ...beside, tell }, new AbortController().signal);
  expect(starts).toBe(3);
});
