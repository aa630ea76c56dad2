import { expect, test } from 'vitest';
import { leaseDeadline } from '../../../src/supervisor/lease-deadline.ts';

/** A clock in the test's hand; timers fire when it is moved. */
function handClock() {
  let now = 0;
  let timers: { at: number; call: () => void }[] = [];
  return {
    monotonic: () => now,
    after: (ms: number, call: () => void) => {
      const timer = { at: now + ms, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
    move: (ms: number) => {
      now += ms;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers = timers.filter((one) => one !== timer);
        timer.call();
      }
    },
  };
}

test('the deadline passes before the lease could end', () => {
  const clock = handClock();
  let passed = 0;
  const deadline = leaseDeadline(clock, () => passed++);
  const mark = deadline.mark();
  clock.move(2000); // the server took its time to answer
  deadline.renewed(mark, 300);
  clock.move(282_999);
  expect(passed).toBe(0);
  clock.move(1);
  // 15 s before the lease ends, counted from when it was asked for.
  expect([passed, clock.monotonic()]).toEqual([1, 285_000]);
});

test('a renewal puts it off, and one that was asked for earlier does not bring it back', () => {
  const clock = handClock();
  let passed = 0;
  const deadline = leaseDeadline(clock, () => passed++);
  const early = deadline.mark();
  clock.move(10_000);
  deadline.renewed(deadline.mark(), 60);
  deadline.renewed(early, 60);
  clock.move(47_999);
  expect(passed).toBe(0);
  clock.move(1);
  expect(passed).toBe(1);
});

test('a machine that slept finds the deadline passed at once', () => {
  const clock = handClock();
  let passed = 0;
  const deadline = leaseDeadline(clock, () => passed++);
  deadline.renewed(deadline.mark(), 60);
  clock.move(3_600_000);
  expect(passed).toBe(1);
});

test('whoever holds nothing has none', () => {
  const clock = handClock();
  let passed = 0;
  const deadline = leaseDeadline(clock, () => passed++);
  deadline.renewed(deadline.mark(), 60);
  deadline.clear();
  clock.move(3_600_000);
  expect(passed).toBe(0);
});
