// A few begin at a time, reviews before new work, and nobody waits for long.

import { expect, test } from 'vitest';
import { realClock } from '../../../src/ports/real-host.ts';
import { type Leave, makeStartGate } from '../../../src/supervisor/start-gate.ts';

/** A clock on which whoever waits is called by the test. */
function gate({ isMerging = () => false }: { isMerging?: () => boolean } = {}) {
  let now = 0;
  const due = new Set<{ readonly at: number; readonly call: () => void }>();
  const after = (ms: number, call: () => void): (() => void) => {
    const one = { at: now + ms, call };
    due.add(one);
    return () => due.delete(one);
  };
  const clock = {
    after,
    monotonic: () => now,
    sleep: (ms: number) => new Promise<void>((done) => void after(ms, done)),
  };
  const pass = async (ms: number): Promise<void> => {
    for (const until = now + ms; now < until; ) {
      now += 10;
      for (const one of [...due].filter(({ at }) => at <= now)) {
        due.delete(one);
        one.call();
      }
      await realClock.nextTurn();
    }
  };
  return { pass, ...makeStartGate({ clock, processors: 2, isMerging }) };
}

const NEVER = new AbortController().signal;
const full = ({ tryEnter }: ReturnType<typeof gate>): Leave[] =>
  Array.from({ length: 4 }, () => tryEnter('code') ?? expect.fail('there was room'));

test('so many at once, and the next one when one has ended', async () => {
  const one = gate();
  const inside = full(one);
  expect(one.tryEnter('review')).toBeUndefined();
  const seen: string[] = [];
  void one.enter('code', NEVER).then(() => seen.push('next'));
  await one.pass(100);
  expect(seen).toEqual([]);
  inside[0]?.();
  inside[0]?.(); // once is enough: a second time gives nobody a place
  await one.pass(20);
  expect(seen).toEqual(['next']);
  expect(one.tryEnter('review')).toBeUndefined();
});

test('reviews come before new work that waited for longer; whoever waits keeps others out', async () => {
  const one = gate();
  const inside = full(one);
  const seen: string[] = [];
  for (const kind of ['code', 'review', 'plan', 'code'] as const)
    void one.enter(kind, NEVER).then((leave) => {
      seen.push(kind);
      leave();
    });
  inside[0]?.();
  await one.pass(50);
  expect(seen).toEqual(['review', 'plan', 'code', 'code']);
});

test('who is still at it after some seconds holds up nobody', async () => {
  const one = gate();
  full(one);
  let isIn = false;
  void one.enter('code', NEVER).then(() => {
    isIn = true;
  });
  await one.pass(4900);
  expect(isIn).toBe(false);
  await one.pass(200);
  expect(isIn).toBe(true);
});

test('new work waits for a merge, not for ever; a review does not', async () => {
  let isMerging = true;
  const one = gate({ isMerging: () => isMerging });
  expect(one.tryEnter('review')).toBeDefined();
  expect(one.tryEnter('code')).toBeUndefined();
  const seen: string[] = [];
  void one.enter('code', NEVER).then(() => seen.push('first'));
  await one.pass(1000);
  expect(seen).toEqual([]);
  isMerging = false;
  await one.pass(100);
  expect(seen).toEqual(['first']);
  isMerging = true;
  void one.enter('code', NEVER).then(() => seen.push('second'));
  await one.pass(2200);
  expect(seen).toEqual(['first', 'second']);
});

test('who is told to stop waits no longer, and takes no place from the next one', async () => {
  const one = gate();
  const inside = full(one);
  const stop = new AbortController();
  const seen: string[] = [];
  void one.enter('review', stop.signal).then(() => seen.push('stopped'));
  void one.enter('code', NEVER).then(() => seen.push('next'));
  stop.abort();
  await one.pass(50);
  expect(seen).toEqual(['stopped']);
  inside[0]?.();
  await one.pass(50);
  expect(seen).toEqual(['stopped', 'next']);
});
