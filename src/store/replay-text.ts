// The state's text while a journal is replayed: thousands of small changes to a long text, and its hash after each of
// them. Bytes in chunks of whole lines, shared by one text and the next; the hash of what is before the first changed
// chunk is not computed again. Means the same as applyHunks and sha256 on a string: every removed line is checked.

import { createHash, type Hash } from 'node:crypto';
import { type Hunk, HunkMismatch } from './yaml/hunks.ts';

interface Chunk {
  /** Whole lines, each with its newline; the last line of the text, too, is kept with one. */
  readonly bytes: Buffer;
  readonly lines: number;
}

/** The hash of all bytes before a chunk. */
interface HashBefore {
  readonly chunk: number;
  readonly hash: Hash;
}

const NEWLINE = 10;
const LEAST = 2 * 1024;
const MOST_CHUNKS = 256;
/** The hash is remembered at every so many chunks: a copy costs as much as a few of them. */
const STRIDE = 8;

export class ReplayText {
  static readonly empty = new ReplayText([{ bytes: Buffer.from('\n'), lines: 1 }], []);

  readonly #chunks: readonly Chunk[];
  readonly #hashes: HashBefore[];

  private constructor(chunks: readonly Chunk[], hashes: HashBefore[]) {
    this.#chunks = chunks;
    this.#hashes = hashes;
  }

  /** The text after a change. Throws HunkMismatch where the change was not made for this text. */
  next(hunks: readonly Hunk[]): ReplayText {
    const chunks = [...this.#chunks];
    let untouched = chunks.length;
    let shift = 0;
    let done = 0;
    for (const { at, del, ins } of hunks) {
      if (at < done) throw new HunkMismatch(at, undefined, undefined);
      const put = chunkOf(Buffer.from(ins.length === 0 ? '' : `${ins.join('\n')}\n`));
      untouched = Math.min(untouched, splice(chunks, at + shift, del, put));
      done = at + del.length;
      shift += put.lines - del.length;
    }
    if (chunks.every(({ lines }) => lines === 0)) return ReplayText.empty;
    if (chunks.length <= MOST_CHUNKS)
      return new ReplayText(
        chunks,
        this.#hashes.filter(({ chunk }) => chunk <= untouched),
      );
    const all = Buffer.concat(chunks.map(({ bytes }) => bytes));
    return new ReplayText(pieces(all, sizeFor(all.length)), []);
  }

  hash(): string {
    const known = this.#hashes.at(-1);
    let so = known?.hash.copy() ?? createHash('sha256');
    const last = this.#chunks.length - 1;
    for (let at = known?.chunk ?? 0; at < last; at++) {
      if (at % STRIDE === 0 && at > (known?.chunk ?? 0)) this.#hashes.push({ chunk: at, hash: so.copy() });
      so = so.update(bytesOf(this.#chunks, at));
    }
    const bytes = bytesOf(this.#chunks, last);
    return so.update(bytes.subarray(0, bytes.length - 1)).digest('hex');
  }

  toString(): string {
    const all = Buffer.concat(this.#chunks.map(({ bytes }) => bytes));
    return all.toString('utf8', 0, all.length - 1);
  }
}

const bytesOf = (chunks: readonly Chunk[], at: number): Buffer => chunks[at]?.bytes ?? Buffer.alloc(0);

/** Returns the first chunk that it changed. */
function splice(chunks: Chunk[], line: number, del: readonly string[], put: Chunk): number {
  let first = 0;
  let left = line;
  for (; first < chunks.length - 1 && left > (chunks[first]?.lines ?? 0); first++) left -= chunks[first]?.lines ?? 0;
  const start = offsetOf(bytesOf(chunks, first), left);
  if (start === undefined) throw new HunkMismatch(line, del[0], undefined);
  let [last, end] = [first, start];
  del.forEach((expected, n) => {
    while (end === bytesOf(chunks, last).length && last < chunks.length - 1) [last, end] = [last + 1, 0];
    const bytes = bytesOf(chunks, last);
    if (end === bytes.length) throw new HunkMismatch(line + n, expected, undefined);
    const newline = bytes.indexOf(NEWLINE, end);
    const found = bytes.toString('utf8', end, newline);
    if (found !== expected) throw new HunkMismatch(line + n, expected, found);
    end = newline + 1;
  });
  const bytes = Buffer.concat([
    bytesOf(chunks, first).subarray(0, start),
    put.bytes,
    bytesOf(chunks, last).subarray(end),
  ]);
  const before = chunks.slice(first, last + 1).reduce((so, { lines }) => so + lines, 0);
  const most = sizeFor(chunks.length * LEAST);
  const made = bytes.length <= most * 2 ? [{ bytes, lines: before - del.length + put.lines }] : pieces(bytes, most);
  chunks.splice(first, last - first + 1, ...made);
  return first;
}

const sizeFor = (bytes: number): number => Math.max(LEAST, Math.ceil((bytes * 2) / MOST_CHUNKS));

const chunkOf = (bytes: Buffer): Chunk => ({ bytes, lines: countLines(bytes) });

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (const byte of bytes) if (byte === NEWLINE) lines++;
  return lines;
}

/** Where a line begins; undefined: there are fewer. */
function offsetOf(bytes: Buffer, line: number): number | undefined {
  let at = 0;
  for (let left = line; left > 0; left--) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1) return undefined;
    at = newline + 1;
  }
  return at;
}

/** Cut behind the first line that reaches `size`, again and again. */
function pieces(bytes: Buffer, size: number): Chunk[] {
  const cut: Chunk[] = [];
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, Math.min(from + size, bytes.length - 1));
    cut.push(chunkOf(bytes.subarray(from, newline + 1)));
    from = newline + 1;
  }
  return cut;
}
