// An index as git writes it, read without git: which files it names, which of their times are unknown, and the tree that
// it holds as a whole. An agent may have written it: whatever is not of a plain, known form is left to git.

import { createHash } from 'node:crypto';

export interface IndexEntry {
  /** One character per byte: names in any encoding can be compared. */
  readonly key: string;
  readonly mode: number;
  readonly id: string;
  /** Not 0: a conflict. */
  readonly stage: number;
  /** Where it begins. */
  readonly at: number;
}

export interface IndexFile {
  readonly entries: readonly IndexEntry[];
  /** Of all entries, where git noted it. */
  readonly tree?: string;
}

export const pathOf = ({ key }: IndexEntry): string => Buffer.from(key, 'latin1').toString('utf8');

const HEADER = 12;
const TIMES = 16;
const SIZE_AT = 36;
const FIXED = 40;

export type IdBytes = 20 | 32;

/** An index has thousands, and most are asked for little: what they say is read when it is asked for. */
class Entry implements IndexEntry {
  #key: string | undefined;
  constructor(
    readonly bytes: Buffer,
    readonly at: number,
    readonly idBytes: IdBytes,
    readonly end: number,
  ) {}
  get key(): string {
    this.#key ??= this.bytes.toString('latin1', this.at + FIXED + this.idBytes + 2, this.end);
    return this.#key;
  }
  get mode(): number {
    return this.bytes.readUInt32BE(this.at + 24);
  }
  get id(): string {
    return this.bytes.toString('hex', this.at + FIXED, this.at + FIXED + this.idBytes);
  }
  get stage(): number {
    return (this.bytes.readUInt16BE(this.at + FIXED + this.idBytes) >> 12) & 3;
  }
}

/** undefined: of another form, or with marks that change what an entry means (not there on purpose, added in part). */
export function readIndex(bytes: Buffer, id: IdBytes): IndexFile | undefined {
  if (bytes.length < HEADER + id || bytes.toString('latin1', 0, 4) !== 'DIRC' || bytes.readUInt32BE(4) !== 2)
    return undefined;
  const last = bytes.length - id;
  const entries: IndexEntry[] = [];
  let at = HEADER;
  for (let left = bytes.readUInt32BE(8); left > 0; left -= 1) {
    const name = at + FIXED + id + 2;
    const end = name < last ? bytes.indexOf(0, name) : -1;
    if (end === -1 || end >= last) return undefined;
    entries.push(new Entry(bytes, at, id, end));
    at += Math.ceil((end + 1 - at) / 8) * 8;
  }
  const tree = treeIn(bytes, at, id);
  return tree === undefined ? undefined : { entries, ...(tree === '' ? {} : { tree }) };
}

/** '': git noted none. undefined: there is an extension without which the entries mean something else. */
function treeIn(bytes: Buffer, from: number, id: IdBytes): string | undefined {
  const last = bytes.length - id;
  let tree = '';
  for (let at = from; at < last; ) {
    if (at + 8 > last) return undefined;
    const name = bytes.toString('latin1', at, at + 4);
    const end = at + 8 + bytes.readUInt32BE(at + 4);
    if (!/^[A-Z]/.test(name) || end > last) return undefined;
    // The root's: an empty name, how many entries and subtrees, its id.
    const newline = bytes.indexOf(10, at + 8);
    if (name === 'TREE' && newline !== -1 && newline + 1 + id <= end) {
      if (/^\0\d+ \d+$/.test(bytes.toString('latin1', at + 8, newline)))
        tree = bytes.toString('hex', newline + 1, newline + 1 + id);
    }
    at = end;
  }
  return tree;
}

/** Git has to read these files to know whether they changed. */
export const withoutTimes = (bytes: Buffer, { entries }: IndexFile): readonly IndexEntry[] =>
  entries.filter(({ at }) => bytes.readUInt32BE(at) === 0 && bytes.readUInt32BE(at + 8) === 0);

/** In place: forgets the times of files that were changed in that second or later, 0: of all, with their sizes. */
export function forgetTimes(bytes: Buffer, { entries }: IndexFile, second: number, id: IdBytes): Buffer {
  for (const { at } of entries) {
    if (bytes.readUInt32BE(at) >= second) bytes.fill(0, at, at + TIMES);
    if (second === 0) bytes.fill(0, at + SIZE_AT, at + FIXED);
  }
  const hash = createHash(id === 32 ? 'sha256' : 'sha1').update(bytes.subarray(0, -id));
  hash.digest().copy(bytes, bytes.length - id);
  return bytes;
}
