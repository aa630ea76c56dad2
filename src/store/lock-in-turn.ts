// The writers' lock among the transactions of one process: they wait in a line, not each with a child that waits for the
// kernel, and one that ends hands the lock on to the next. After a few it is given back, so that a busy crew does not
// keep out other processes.

import type { Clock } from '../ports/host.ts';
import type { Lock, LockResult } from '../ports/locks.ts';

/** In a row, before other processes get their turn. */
const HANDED_ON = 8;
const PATIENCE_MS = 10_000;

export type AcquireLock = () => Promise<LockResult>;

export function lockInTurn(clock: Clock, acquire: AcquireLock): AcquireLock {
  const line: ((lock: Lock | undefined) => void)[] = [];
  let isTaken = false;
  let handedOn = 0;

  const giveBack = (lock: Lock): void => {
    const next = line[0];
    // A lock file that was replaced excludes nobody any more.
    if (next !== undefined && handedOn < HANDED_ON && lock.stillOurs()) {
      line.shift();
      handedOn += 1;
      return next(lock);
    }
    lock.release();
    free();
  };
  /** Whoever is next asks the kernel; nobody comes between. */
  const free = (): void => {
    const next = line.shift();
    if (next === undefined) isTaken = false;
    else next(undefined);
  };
  const held = (lock: Lock): Lock => {
    let isOpen = true;
    return {
      descriptor: lock.descriptor,
      stillOurs: lock.stillOurs,
      release: () => {
        if (isOpen) giveBack(lock);
        isOpen = false;
      },
    };
  };
  const ask = async (): Promise<LockResult> => {
    isTaken = true;
    handedOn = 0;
    try {
      const lock = await acquire();
      if ('release' in lock) return held(lock);
      free();
      return lock;
    } catch (error) {
      free();
      throw error;
    }
  };

  return async () => {
    if (!isTaken) return ask();
    const over = new AbortController();
    const turn = new Promise<Lock | undefined | 'late'>((resolve) => {
      const take = (lock: Lock | undefined): void => {
        over.abort();
        resolve(lock);
      };
      line.push(take);
      void clock.sleep(PATIENCE_MS, over.signal).then(() => {
        const at = line.indexOf(take);
        if (at === -1) return;
        line.splice(at, 1);
        resolve('late');
      });
    });
    const lock = await turn;
    if (lock === 'late') return { busy: [] };
    return lock === undefined ? ask() : held(lock);
  };
}
