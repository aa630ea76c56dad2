// alerts.log: one line per alarm that began or is over. Bounded: a full one is kept beside it as alerts.log.1. Lines of
// one look are written at once, so that they stay together. Lines that the disk did not take wait for the next look.

import { join } from 'node:path';
import { appendBounded } from '../ports/files.ts';
import type { BoardContext } from '../store/context.ts';
import { iso } from '../text/time.ts';

export const LOG_LIMIT = 2 * 1024 * 1024;
const MOST_UNWRITTEN = 10_000;

export class AlertsLog {
  readonly #context: BoardContext;
  readonly #path: string;
  #unwritten: readonly string[] = [];

  constructor(context: BoardContext) {
    this.#context = context;
    this.#path = join(context.paths.liza, 'alerts.log');
  }

  /** Lines that the disk did not take yet. */
  get unwritten(): readonly string[] {
    return this.#unwritten;
  }

  set unwritten(lines: readonly string[]) {
    this.#unwritten = lines.slice(-MOST_UNWRITTEN);
  }

  get size(): number {
    try {
      return Number(this.#context.files.stat(this.#path)?.size ?? 0);
    } catch {
      return 0; // writing to it will say why
    }
  }

  /** Writes what is unwritten; throws when the disk does not take it. */
  flush(): void {
    if (this.#unwritten.length === 0) return;
    this.append(this.#unwritten);
    this.#unwritten = [];
  }

  append(lines: readonly string[]): void {
    const { clock, files } = this.#context;
    const time = iso(clock.now());
    appendBounded(files, this.#path, Buffer.from(lines.map((line) => `${time} ${line}\n`).join('')), LOG_LIMIT);
  }

  /** Lines from that size on, without their time; none when the size is not known. */
  since(size: number | undefined): readonly string[] {
    if (size === undefined) return [];
    const full = this.size;
    // Smaller than it was: a new one has begun since.
    const from = size > full ? 0 : size;
    const text = full === 0 ? '' : this.#context.files.readRange(this.#path, from, full - from).toString('utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(line.indexOf(' ') + 1));
  }
}
