// The lock of the one watcher that publishes: cache/watch/lock. The kernel frees it when that watcher ends; the others
// try to take it over now and then.

import { join } from 'node:path';
import { errorCode } from '../ports/files.ts';
import type { Lock } from '../ports/locks.ts';
import type { BoardContext } from '../store/context.ts';

/** A watcher without the lock tries to take it at every n-th look. */
const TRY_EVERY = 15;
const TRY_AGAIN_MS = 20;

export class PublisherLock {
  readonly #context: BoardContext;
  readonly #folder: string;
  #lock: Lock | undefined;
  #looksWithout = 0;

  constructor(context: BoardContext, folder: string) {
    this.#context = context;
    this.#folder = folder;
  }

  get isHeld(): boolean {
    return this.#lock !== undefined;
  }

  /** `kept`: held since an earlier look. `other`: another watcher has it, or there is no board. */
  async hold(): Promise<'kept' | 'acquired' | 'other'> {
    if (this.#lock?.stillOurs() === true) return 'kept';
    this.release();
    this.#looksWithout += 1;
    if (this.#looksWithout % TRY_EVERY !== 1 || !this.#makeFolder()) return 'other';
    this.#lock = await this.#tryTwice();
    if (this.#lock === undefined) return 'other';
    this.#looksWithout = 0;
    return 'acquired';
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  /** A process that is just being started holds for an instant what its parent had open. */
  async #tryTwice(): Promise<Lock | undefined> {
    const { clock, locks } = this.#context;
    for (const ms of [0, TRY_AGAIN_MS]) {
      if (ms > 0) await clock.sleep(ms);
      const result = await locks.acquire(join(this.#folder, 'lock'), 0);
      if ('release' in result) return result;
    }
    return undefined;
  }

  /** Without its parents: where there is no board, none must appear. */
  #makeFolder(): boolean {
    for (const path of [join(this.#folder, '..'), this.#folder]) {
      try {
        this.#context.disk.mkdirSync(path);
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') return false;
      }
    }
    return true;
  }
}
