// What runs beside the agents breaks without taking them along.

import { expect, test } from 'vitest';
import { AGAIN_MS, restartOnError } from '../../../src/supervisor/restart-on-error.ts';

const setUp = () => {
  const told: string[] = [];
  const slept: number[] = [];
  const options = {
    warn: (line: string) => void told.push(line),
    sleep: (ms: number) => {
      slept.push(ms);
      return Promise.resolve();
    },
  };
  return { told, slept, options };
};

test('what breaks is told once for each reason, and starts again until it is over', async () => {
  const { told, slept, options } = setUp();
  const reasons = ['no disk', 'no disk', 'no memory'];
  const over = new AbortController();
  await restartOnError(
    'watching',
    async () => {
      const why = reasons.shift();
      if (why !== undefined) throw new Error(why);
    },
    options,
    over.signal,
  );
  expect(told).toEqual(['watching failed and starts again: no disk', 'watching failed and starts again: no memory']);
  expect(slept).toEqual([AGAIN_MS, AGAIN_MS, AGAIN_MS]);
});

test('what breaks at the very end does not start again', async () => {
  const { told, options } = setUp();
  const over = new AbortController();
  let starts = 0;
  const work = (): Promise<void> => {
    starts += 1;
    over.abort();
    return Promise.reject(new Error('late'));
  };
  await restartOnError('watching', work, options, over.signal);
  expect([starts, told]).toEqual([1, ['watching failed: late']]);
});

test('a listener that is broken itself changes nothing about that', async () => {
  const { options } = setUp();
  const warn = (): void => {
    throw new Error('nobody listens');
  };
  let starts = 0;
  const work = async (): Promise<void> => {
    starts += 1;
    if (starts < 3) throw new Error(`no ${starts}`);
  };
  await restartOnError('watching', work, { ...options, warn }, new AbortController().signal);
  expect(starts).toBe(3);
});
