// The state's text while a journal is replayed: many thousand small changes to a long text. Lines in blocks, changed in
// place, so that a change costs what it changes, however long the text is. Means the same as applyHunks: every removed
// line is checked. After a change that does not fit, the text must not be used any more.

import { createHash } from 'node:crypto';
import { type Hunk, HunkMismatch } from './yaml/hunks.ts';

/** A block becomes two when it has more lines. */
const MOST = 1024;
const HALF = MOST / 2;

export class ReplayText {
  /** No block is empty, and there is always a line. */
  readonly #blocks: string[][];
  #length: number;

  constructor(blocks: readonly (readonly string[])[] = [['']], length = 1) {
    this.#blocks = blocks.map((lines) => [...lines]);
    this.#length = length;
  }

  /** Characters, with a newline behind each line. */
  get length(): number {
    return this.#length;
  }

  copy(): ReplayText {
    return new ReplayText(this.#blocks, this.#length);
  }

  /** Throws HunkMismatch where the change was not made for this text. */
  apply(hunks: readonly Hunk[]): void {
    let [done, shift] = [0, 0];
    for (const { at, del, ins } of hunks) {
      if (at < done) throw new HunkMismatch(at, undefined, undefined);
      const put = ins.some((line) => line.includes('\n')) ? ins.flatMap((line) => line.split('\n')) : ins;
      this.#splice(at + shift, del, put);
      done = at + del.length;
      shift += put.length - del.length;
    }
    if (this.#blocks.length > 0) return;
    this.#blocks.push(['']);
    this.#length = 1;
  }

  *lines(from = 0, to = Number.POSITIVE_INFINITY): Generator<string> {
    let [block, at] = this.#find(from);
    for (let left = to - from; left > 0 && block < this.#blocks.length; block++, at = 0) {
      for (const line of this.#blocks[block]?.slice(at, at + left) ?? []) {
        left--;
        yield line;
      }
    }
  }

  hash(): string {
    const hash = createHash('sha256');
    const last = this.#blocks.length - 1;
    this.#blocks.forEach((lines, at) => void hash.update(at === last ? lines.join('\n') : `${lines.join('\n')}\n`));
    return hash.digest('hex');
  }

  toString(): string {
    return this.#blocks.map((lines) => lines.join('\n')).join('\n');
  }

  #splice(line: number, del: readonly string[], put: readonly string[]): void {
    const [first, start] = this.#find(line);
    if (start > (this.#blocks[first]?.length ?? 0)) throw new HunkMismatch(line, del[0], undefined);
    this.#join(first, start + del.length);
    const lines = this.#blocks[first] ?? [];
    del.forEach((expected, n) => {
      if (lines[start + n] !== expected) throw new HunkMismatch(line + n, expected, lines[start + n]);
    });
    this.#blocks.splice(first, 1, ...spliced(lines, start, del.length, put));
    for (const gone of del) this.#length -= gone.length + 1;
    for (const come of put) this.#length += come.length + 1;
  }

  /** Makes one block of as many as it takes to have so many lines in the first of them, or of all that follow. */
  #join(first: number, lines: number): void {
    let [last, have] = [first, this.#blocks[first]?.length ?? 0];
    while (have < lines && last < this.#blocks.length - 1) have += this.#blocks[++last]?.length ?? 0;
    if (last > first) this.#blocks.splice(first, last - first + 1, this.#blocks.slice(first, last + 1).flat());
  }

  /** The block that has the line, or ends before it, and the line's place there. */
  #find(line: number): readonly [number, number] {
    let [block, left] = [0, line];
    for (; block < this.#blocks.length - 1; block++) {
      const lines = this.#blocks[block]?.length ?? 0;
      if (left < lines) break;
      left -= lines;
    }
    return [block, left];
  }
}

/** A block after a change: itself, or several that are not too long, or none where no line is left. */
function spliced(block: string[], start: number, removed: number, put: readonly string[]): readonly string[][] {
  if (block.length - removed + put.length <= MOST) {
    block.splice(start, removed, ...put);
    return block.length === 0 ? [] : [block];
  }
  const lines = [...block.slice(0, start), ...put, ...block.slice(start + removed)];
  return Array.from({ length: Math.ceil(lines.length / HALF) }, (_, n) => lines.slice(n * HALF, (n + 1) * HALF));
}
