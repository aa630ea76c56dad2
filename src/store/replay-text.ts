// The state's text while a journal is replayed: many thousand small changes to a long text. Lines in blocks, changed in
// place, so that a change costs what it changes, however long the text is. Means the same as applyHunks: every removed
// line is checked. After a change that does not fit, the text must not be used any more.

import { createHash } from 'node:crypto';
import { type Hunk, HunkMismatch } from './yaml/hunks.ts';

/** A block becomes two when it has more lines. */
const MOST = 1024;
const HALF = MOST / 2;

interface Block {
  readonly lines: string[];
  /** Only the text that has the same may change it. */
  readonly of: object;
  /** What it was when it was hashed last, until it changes. */
  bytes?: Buffer | undefined;
}

export class ReplayText {
  /** No block is empty, and there is always a line. */
  readonly #blocks: Block[];
  /** The first line of each block; the first so many of them are known. */
  readonly #starts: number[] = [0];
  #known = 1;
  #length: number;
  /** A copy and its original have the same blocks until one of them changes them. */
  #own: object = {};

  constructor(blocks: readonly Block[] = [{ lines: [''], of: {} }], length = 1) {
    this.#blocks = [...blocks];
    this.#length = length;
  }

  /** Characters, with a newline behind each line. */
  get length(): number {
    return this.#length;
  }

  copy(): ReplayText {
    this.#own = {};
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
    this.#blocks.push({ lines: [''], of: this.#own });
    this.#known = 1;
    this.#length = 1;
  }

  *lines(from = 0, to = Number.POSITIVE_INFINITY): Generator<string> {
    let [block, at] = this.#find(from);
    for (let left = to - from; left > 0 && block < this.#blocks.length; block++, at = 0) {
      for (const line of this.#blocks[block]?.lines.slice(at, at + left) ?? []) {
        left--;
        yield line;
      }
    }
  }

  hash(): string {
    const hash = createHash('sha256');
    for (const [at, block] of this.#blocks.entries()) {
      if (at > 0) hash.update('\n');
      block.bytes ??= Buffer.from(block.lines.join('\n'));
      hash.update(block.bytes);
    }
    return hash.digest('hex');
  }

  toString(): string {
    return this.#blocks.map(({ lines }) => lines.join('\n')).join('\n');
  }

  #splice(line: number, del: readonly string[], put: readonly string[]): void {
    const [first, start] = this.#find(line);
    if (start > this.#linesIn(first)) throw new HunkMismatch(line, del[0], undefined);
    this.#join(first, start + del.length);
    const lines = this.#changeable(first);
    del.forEach((expected, n) => {
      if (lines[start + n] !== expected) throw new HunkMismatch(line + n, expected, lines[start + n]);
    });
    const after = spliced(lines, start, del.length, put);
    if (after.length === 1) this.#moveAfter(first, put.length - del.length);
    else this.#known = Math.min(this.#known, Math.max(1, first));
    if (after[0] !== lines || after.length !== 1)
      this.#blocks.splice(first, 1, ...after.map((part) => ({ lines: part, of: this.#own })));
    for (const gone of del) this.#length -= gone.length + 1;
    for (const come of put) this.#length += come.length + 1;
  }

  /** The block's lines, nobody else's. */
  #changeable(at: number): string[] {
    const block = this.#blocks[at];
    if (block?.of === this.#own) {
      block.bytes = undefined;
      return block.lines;
    }
    const mine = { lines: [...(block?.lines ?? [])], of: this.#own };
    this.#blocks[at] = mine;
    return mine.lines;
  }

  /** Makes one block of as many as it takes to have so many lines in the first of them, or of all that follow. */
  #join(first: number, lines: number): void {
    let [last, have] = [first, this.#linesIn(first)];
    while (have < lines && last < this.#blocks.length - 1) have += this.#linesIn(++last);
    if (last === first) return;
    const all = this.#blocks.slice(first, last + 1).flatMap((block) => block.lines);
    this.#blocks.splice(first, last - first + 1, { lines: all, of: this.#own });
    this.#known = Math.min(this.#known, first + 1);
  }

  #linesIn(at: number): number {
    return this.#blocks[at]?.lines.length ?? 0;
  }

  #moveAfter(first: number, by: number): void {
    if (by === 0) return;
    for (let at = first + 1; at < this.#known; at += 1) this.#starts[at] = (this.#starts[at] ?? 0) + by;
  }

  /** The block that has the line, or ends before it, and the line's place there. */
  #find(line: number): readonly [number, number] {
    const starts = this.#starts;
    for (; this.#known < this.#blocks.length && (starts[this.#known - 1] ?? 0) <= line; this.#known += 1)
      starts[this.#known] = (starts[this.#known - 1] ?? 0) + this.#linesIn(this.#known - 1);
    let [low, high] = [0, Math.min(this.#known, this.#blocks.length) - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= line) low = middle;
      else high = middle - 1;
    }
    return [low, line - (starts[low] ?? 0)];
  }
}

/** A block after a change: itself, or several that are not too long, or none where no line is left. */
function spliced(block: string[], start: number, removed: number, put: readonly string[]): readonly string[][] {
  if (removed === put.length) {
    put.forEach((line, n) => {
      block[start + n] = line;
    });
    return [block];
  }
  if (block.length - removed + put.length <= MOST) {
    block.splice(start, removed, ...put);
    return block.length === 0 ? [] : [block];
  }
  const lines = [...block.slice(0, start), ...put, ...block.slice(start + removed)];
  return Array.from({ length: Math.ceil(lines.length / HALF) }, (_, n) => lines.slice(n * HALF, (n + 1) * HALF));
}
