// cache/board.ndjson: the parsed board, so that a command need not parse YAML. Derived, bound to
// state.yaml by hash and to the files by stat, never authoritative: when anything disagrees it is
// ignored and written again. Layout, each on a line: `liza-cache-3 <flag> <length of index>`, the index,
// then for each section its keys, its records' lengths, their places and the records themselves. Then a line,
// the delta, for each change since, appended by the command that made it. So `liza show` parses one record,
// and a command writes what it changed. Each delta names the state it leads from, so one that is missing, torn or
// appended to another file makes the cache useless, never wrong.

import type { FileStat, Files } from '../ports/files.ts';
import type { Section } from './yaml/document.ts';

export const MAGIC = 'liza-cache-3';
export const HEADER = 32;

export const OPEN = '[\n';
export const SEPARATOR = ',\n';

/** What must still hold for the cache to be true. */
export interface CacheKey {
  readonly state: StatKey;
  readonly journal: StatKey;
  readonly superseded: StatKey | null;
}
export type StatKey = readonly [ino: string, size: string, mtime: string, ctime: string];

/** Which state it is. */
export interface Bound {
  readonly key: CacheKey;
  readonly hash: string;
  /** The journal's last entry. */
  readonly seq: number;
}

export interface CacheIndex extends Bound {
  readonly sections: readonly StoredSection[];
}

/** start, end, line, endLine in state.yaml. */
export type SectionSpan = readonly [number, number, number, number];

export interface StoredSection {
  readonly key: string;
  readonly kind: Section['kind'];
  readonly indent: number;
  readonly span: SectionSpan;
  /** Nothing in it has to be renamed or dropped on reading. */
  readonly normal: boolean;
  /** Bytes of its four lines: keys, lengths, places, records. */
  readonly bytes: readonly [number, number, number, number];
}

export interface Delta extends Bound {
  /** The hash of the state that it changes. */
  readonly from: string;
  /** Of each section, in the order of the index. */
  readonly spans: readonly SectionSpan[];
  readonly changes: readonly SectionChange[];
}

export interface SectionChange {
  /** Its position in the index. */
  readonly section: number;
  readonly normal: boolean;
  /** One after the other. */
  readonly splices: readonly Splice[];
}

/** Records that take the place of others. */
export interface Splice {
  readonly at: number;
  readonly removed: number;
  readonly keys: readonly (string | null)[];
  readonly values: readonly unknown[];
  readonly places: readonly number[];
  /** By how many characters and lines the records after it have moved. */
  readonly moved: readonly [number, number];
  /** Keys that are no longer there. */
  readonly gone?: readonly (string | null)[];
}

export interface Found {
  /** The state that it has now. */
  readonly index: Bound;
  readonly base: CacheIndex;
  /** Where the sections begin. */
  readonly body: number;
  readonly deltas: readonly Delta[];
  /** The size of the file. */
  readonly end: number;
  /** Written in the same clock tick as the state: the stat alone proves nothing yet. */
  readonly racy: boolean;
}

/** Milliseconds; longer than any file system's time stamps are coarse (4 ms on Linux, 10 ms on older kernels). */
export const CLOCK_TICK = 50;

export const statKey = (stat: FileStat): StatKey => [
  String(stat.ino),
  String(stat.size),
  String(stat.mtimeNs),
  String(stat.ctimeNs),
];

interface Watched {
  readonly state: string;
  readonly journal: string;
  readonly superseded: string;
}

/** undefined: there is nothing yet that a cache could be bound to. */
export function keyOf(files: Files, paths: Watched): CacheKey | undefined {
  const [state, journal, superseded] = [paths.state, paths.journal, paths.superseded].map((path) => files.stat(path));
  if (state === undefined || journal === undefined) return undefined;
  return {
    state: statKey(state),
    journal: statKey(journal),
    superseded: superseded === undefined ? null : statKey(superseded),
  };
}

/** True while neither the state, the journal nor the replaced file was touched since. */
export function unchanged(files: Files, key: CacheKey, paths: Watched): boolean {
  const now = keyOf(files, paths);
  return now !== undefined && sameKey(now, key);
}

export const sameKey = (a: CacheKey, b: CacheKey): boolean =>
  sameStat(a.state, b.state, 4) && sameStat(a.journal, b.journal, 4) && isSameFile(a.superseded, b.superseded);

/** The same file with the same content: renaming it, or a link to it that comes and goes, moves the ctime alone. */
export const isSameFile = (a: StatKey | null, b: StatKey | null): boolean => sameStat(a, b, 3);

const sameStat = (a: StatKey | null, b: StatKey | null, fields: number): boolean =>
  a === b || (a !== null && b !== null && a.every((field, at) => at >= fields || field === b[at]));

/** All but the records; undefined when there is no usable cache. */
export function readIndex(readRange: ReadRange): Found | undefined {
  try {
    const base = parseBase(readRange(0, 16 * 1024));
    return base && withDeltas(base, readRange(base.end, LONGEST_TAIL + LONGEST_DELTA));
  } catch {
    return undefined;
  }
}

/** Bytes of the cache file; fewer at its end. */
export type ReadRange = (from: number, length: number) => Buffer;

/** Opens the file once for all that lies in its beginning: of a small board, that is all of it. */
export function rangesOf(files: Files, path: string): ReadRange {
  let start: Buffer | undefined;
  return (from, length) => {
    start ??= files.readRange(path, 0, READ_AT_ONCE);
    const isInside = start.length < READ_AT_ONCE || from + length <= READ_AT_ONCE;
    return isInside ? start.subarray(from, from + length) : files.readRange(path, from, length);
  };
}
const READ_AT_ONCE = 256 * 1024;

/** The deltas of a cache are together no longer than this: whoever reads one task reads them all. */
export const LONGEST_TAIL = 128 * 1024;
export const LONGEST_DELTA = 64 * 1024;

/** undefined when it is not whole: written without waiting for the disk, its end may be missing or zeroes after a power cut. */
export function parseCache(bytes: Buffer): Found | undefined {
  try {
    const base = parseBase(bytes);
    return base && isWhole(base, bytes) ? withDeltas(base, bytes.subarray(base.end)) : undefined;
  } catch {
    return undefined;
  }
}

interface Base extends Pick<Found, 'base' | 'body' | 'racy'> {
  /** Where the deltas begin. */
  readonly end: number;
}

function parseBase(bytes: Buffer): Base | undefined {
  const [magic, flag, length] = bytes.toString('latin1', 0, HEADER).trim().split(' ');
  if (magic !== MAGIC) return undefined;
  const end = HEADER + Number(length);
  const base = JSON.parse(bytes.toString('utf8', HEADER, end)) as CacheIndex;
  const size = base.sections.reduce((sum, section) => sum + total(section.bytes), 0);
  return { base, body: end + 1, racy: flag !== CONFIRMED, end: end + 1 + size };
}

function isWhole({ base, body }: Base, bytes: Buffer): boolean {
  let at = body;
  for (const size of base.sections.flatMap((section) => section.bytes)) {
    at += size;
    if (bytes[at - 1] !== NEWLINE) return false;
  }
  return true;
}

function withDeltas({ base, body, racy, end }: Base, tail: Buffer): Found | undefined {
  const deltas: Delta[] = [];
  let start = 0;
  for (let newline = tail.indexOf(NEWLINE); newline !== -1; newline = tail.indexOf(NEWLINE, start)) {
    const delta = JSON.parse(tail.toString('utf8', start, newline)) as Delta;
    if (delta.from !== (deltas.at(-1) ?? base).hash) return undefined;
    deltas.push(delta);
    start = newline + 1;
  }
  if (start < tail.length) return undefined;
  // A delta is only written for a state whose stat is proof.
  return { index: deltas.at(-1) ?? base, base, body, deltas, end: end + start, racy: racy && deltas.length === 0 };
}

export const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

const NEWLINE = 10;
const CONFIRMED = 'C';
export const flagOf = (settled: boolean): string => (settled ? CONFIRMED : 'R');

/** A later look has confirmed it by hash: from now on the stat is proof enough. */
export function confirm(files: Files, path: string): void {
  const fd = files.open(path, 'r+');
  try {
    files.write(fd, Buffer.from(`${MAGIC} ${CONFIRMED}`));
  } finally {
    files.close(fd);
  }
}

/** The list after the splices. */
export const spliced = <K extends 'keys' | 'values'>(
  list: readonly Splice[K][number][],
  splices: readonly Splice[],
  part: K,
): readonly Splice[K][number][] =>
  splices.reduce((all, splice) => all.toSpliced(splice.at, splice.removed, ...splice[part]), list);
