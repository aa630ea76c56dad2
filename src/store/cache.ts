// cache/board.ndjson: the parsed board, so that a command need not parse YAML. Derived, bound to
// state.yaml by hash and to the files by stat, never authoritative: when anything disagrees it is
// ignored and written again. Layout, each on a line: `liza-cache-2 <flag> <length of index>`, the index,
// then for each section its keys, its records' lengths, their places and the records themselves. So
// `liza show` parses one record, and what did not change, section or record, is copied as bytes.

import type { FileStat, Files } from '../ports/files.ts';
import { readIfFile } from './bounded-text.ts';
import type { Section } from './yaml/document.ts';

export const MAGIC = 'liza-cache-2';
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

export interface CacheIndex {
  readonly key: CacheKey;
  readonly hash: string;
  /** The journal's last entry. */
  readonly seq: number;
  readonly sections: readonly StoredSection[];
}

export interface StoredSection {
  readonly key: string;
  readonly kind: Section['kind'];
  readonly indent: number;
  /** start, end, line, endLine in state.yaml. */
  readonly span: readonly [number, number, number, number];
  /** Nothing in it has to be renamed or dropped on reading. */
  readonly normal: boolean;
  /** Bytes of its four lines: keys, lengths, places, records. */
  readonly bytes: readonly [number, number, number, number];
}

export interface Cached {
  readonly index: CacheIndex;
  readonly bytes: Buffer;
  /** Where the sections begin. */
  readonly body: number;
  /** Written in the same clock tick as the state: the stat alone proves nothing yet. */
  readonly racy: boolean;
}

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

/** The index alone; undefined when there is no usable cache. */
export function readIndex(files: Files, path: string): Omit<Cached, 'bytes'> | undefined {
  return parseIndex(() => files.readRange(path, 0, 16 * 1024));
}

export function readCache(files: Files, path: string): Cached | undefined {
  const bytes = readIfFile(files, path);
  const found = bytes === undefined ? undefined : parseIndex(() => bytes);
  if (found === undefined || bytes === undefined || !isWhole(found, bytes)) return undefined;
  return { ...found, bytes };
}

/** It is written without waiting for the disk, so after a power cut its end may be missing or zeroes. */
function isWhole({ index, body }: Omit<Cached, 'bytes'>, bytes: Buffer): boolean {
  let at = body;
  for (const size of index.sections.flatMap((section) => section.bytes)) {
    at += size;
    if (bytes[at - 1] !== NEWLINE) return false;
  }
  return at === bytes.length;
}

const NEWLINE = 10;

function parseIndex(read: () => Buffer): Omit<Cached, 'bytes'> | undefined {
  try {
    const bytes = read();
    const [magic, flag, length] = bytes.toString('latin1', 0, HEADER).trim().split(' ');
    if (magic !== MAGIC) return undefined;
    const end = HEADER + Number(length);
    const index = JSON.parse(bytes.toString('utf8', HEADER, end)) as CacheIndex;
    return { index, body: end + 1, racy: flag !== 'C' };
  } catch {
    return undefined;
  }
}

/** A later look has confirmed it by hash: from now on the stat is proof enough. */
export function confirm(files: Files, path: string): void {
  const fd = files.open(path, 'r+');
  try {
    files.write(fd, Buffer.from(`${MAGIC} C`));
  } finally {
    files.close(fd);
  }
}

/** Bytes of the cache file. */
type ReadRange = (from: number, length: number) => Buffer;

/** One record by its key (null: the only one), reading only its section's keys and lengths; undefined: not there. */
export function readRecord(
  readRange: ReadRange,
  found: Omit<Cached, 'bytes'>,
  section: string,
  key: string | null,
): unknown {
  const place = placeOf(found, section);
  if (place === undefined) return undefined;
  const { from, stored } = place;
  const [keys, lengths, places] = stored.bytes;
  const head = readRange(from, keys + lengths);
  const at = parseKeys(head, keys).indexOf(key);
  if (at === -1) return undefined;
  const sizes = JSON.parse(head.toString('utf8', keys)) as number[];
  const before = sizes.slice(0, at).reduce((sum, size) => sum + size + SEPARATOR.length, OPEN.length);
  return JSON.parse(readRange(from + keys + lengths + places + before, sizes[at] ?? 0).toString('utf8'));
}

/** All records of a list; none where there is no such section. undefined: it is no list. */
export function readList(
  readRange: ReadRange,
  found: Omit<Cached, 'bytes'>,
  section: string,
): readonly unknown[] | undefined {
  const place = placeOf(found, section);
  if (place === undefined) return [];
  const { kind, bytes } = place.stored;
  const [keys, lengths, places, records] = bytes;
  const values: unknown[] = JSON.parse(readRange(place.from + keys + lengths + places, records).toString('utf8'));
  // `discovered: []`, as every new board has it, and a list in another style are one record: the list itself.
  const list = kind === 'whole' ? (values[0] ?? []) : values;
  return kind !== 'map' && Array.isArray(list) ? list : undefined;
}

/** The keys of a section's records, in the order of the file; none where there is no such section. */
export function readKeys(
  readRange: ReadRange,
  found: Omit<Cached, 'bytes'>,
  section: string,
): readonly (string | null)[] {
  const place = placeOf(found, section);
  if (place === undefined) return [];
  const [keys] = place.stored.bytes;
  return parseKeys(readRange(place.from, keys), keys);
}

const parseKeys = (head: Buffer, length: number): (string | null)[] => JSON.parse(head.toString('utf8', 0, length));

function placeOf({ index, body }: Omit<Cached, 'bytes'>, section: string) {
  let from = body;
  for (const stored of index.sections) {
    if (stored.key === section) return { from, stored };
    from += stored.bytes.reduce((sum, size) => sum + size, 0);
  }
  return undefined;
}
