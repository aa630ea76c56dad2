// Transactions of one process take turns with the writers' lock.

import { describe, expect, test } from 'vitest';
import type { Lock, LockResult } from '../../../src/ports/locks.ts';
import { realClock } from '../../../src/ports/real-host.ts';
import { lockInTurn } from '../../../src/store/lock-in-turn.ts';

/** A kernel that counts, and fails the test where two hold its lock. */
function kernel(answer?: (asked: number) => LockResult | undefined) {
  const seen = { asked: 0, holders: 0, ours: true };
  const acquire = async (): Promise<LockResult> => {
    seen.asked += 1;
    await Promise.resolve();
    const other = answer?.(seen.asked);
    if (other !== undefined) return other;
    seen.holders += 1;
    expect(seen.holders).toBe(1);
    return { descriptor: 7, stillOurs: () => seen.ours, release: () => (seen.holders -= 1) };
  };
  return { seen, lock: lockInTurn(realClock, acquire) };
}
const lockOf = (result: LockResult): Lock => {
  if (!('release' in result)) throw new Error(JSON.stringify(result));
  return result;
};

describe('the lock within a process', () => {
  test('goes from one to the next in the order in which they came, and is given back after a few', async () => {
    const { seen, lock } = kernel();
    const order: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const held = lockOf(await lock());
        order.push(n);
        await Promise.resolve();
        held.release();
        held.release(); // once is enough, and a second time takes nothing from the next one
      }),
    );
    expect(order).toEqual(Array.from({ length: 20 }, (_, n) => n));
    expect(seen).toMatchObject({ asked: 3, holders: 0 });
  });

  test('is asked for again where its file was replaced meanwhile', async () => {
    const { seen, lock } = kernel();
    const first = lockOf(await lock());
    const second = lock();
    seen.ours = false;
    first.release();
    lockOf(await second).release();
    expect(seen).toMatchObject({ asked: 2, holders: 0 });
  });

  test('that another process has is told to the one who asked, and the next one asks for itself', async () => {
    const { seen, lock } = kernel((asked) => (asked === 1 ? { busy: ['pid 1'] } : undefined));
    const [first, second] = await Promise.all([lock(), lock()]);
    expect(first).toEqual({ busy: ['pid 1'] });
    lockOf(second).release();
    expect(seen).toMatchObject({ asked: 2, holders: 0 });
  });
});
