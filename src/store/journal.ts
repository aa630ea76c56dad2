// journal.jsonl: one line per committed transaction, each naming the hash of the line before it and
// of the state it leaves. Appending the line IS the commit. The file is only ever appended to; a torn
// last line (a crash in mid-write) is no entry. A line whose `prev` is not the hash of the last valid
// line is void: its writer lost a race (the lock file was deleted while it held the lock) and has tried again.

import type { Files } from '../ports/files.ts';
import type { Switch } from '../protocol/board.ts';
import { Bug } from '../protocol/decision.ts';
import { sha256 } from './hash.ts';
import type { JournalEntry } from './store.ts';
import type { Hunk } from './yaml/hunks.ts';

export interface Entry extends JournalEntry {
  /** How state.yaml's lines changed. */
  readonly change: readonly Hunk[];
  /** Records touched: `tasks/a`, `config`, `human_notes`. */
  readonly records: readonly string[];
  readonly switches?: Readonly<Partial<Record<Switch, boolean>>>;
  /** external_edit: what the file looked like against the state before, adopted or not. */
  readonly edit?: readonly Hunk[];
  /** external_edit: hash of the text that was merged; the same text in the replaced file is no new edit. */
  readonly seen?: string;
  /** Files under rejected/ that this entry put there. */
  readonly aside?: readonly string[];
  /** Tasks that left the state for the archive. */
  readonly archived?: readonly string[];
  /** The goal that went to the archive, and the hash of its record. */
  readonly ended?: { readonly goal: string; readonly record: string };
  /** undo: the entry that was reverted. */
  readonly undoes?: number;
  /** Has an effect beyond the state (git, processes, files): cannot be undone. */
  readonly effect?: true;
  readonly prev: string;
  /** The hash of the state's text; '' in most entries of a board in a database, where hashing all of it costs too much. */
  readonly state: string;
}

export interface Line {
  readonly entry: Entry;
  readonly hash: string;
  /** Where the line begins in the file. */
  readonly offset: number;
}

export interface Tail {
  /** The last valid entries, oldest first. */
  readonly lines: readonly Line[];
  /** Where the next line goes; what is beyond it is torn. */
  readonly end: number;
  readonly torn: boolean;
  /** The window reaches back to the first entry. */
  readonly complete: boolean;
  /** A line follows from none before it: one was changed or removed. Void lines do follow from an earlier one. */
  readonly broken: boolean;
}

export const GENESIS = '0'.repeat(64);
const NEWLINE = 10;

/** The last `wanted` valid entries or more; fewer when the journal has no more, or they are larger than `most` bytes. */
export function readTail(
  files: Files,
  path: string,
  wanted: number,
  most = Number.POSITIVE_INFINITY,
): Tail | undefined {
  const stat = files.stat(path);
  if (stat === undefined) return undefined;
  const size = Number(stat.size);
  for (let window = 4096 * Math.max(2, wanted); ; window *= 4) {
    const from = Math.max(0, size - window);
    const bytes = files.readRange(path, from, size - from);
    const tail = parseTail(bytes, from);
    // A void line may follow from one before the window; only the whole journal can tell.
    const enough = tail.lines.length >= wanted || (tail.lines.length > 1 && window >= most);
    if (from === 0 || (enough && !tail.broken)) return tail;
  }
}

function parseTail(bytes: Buffer, from: number): Tail {
  // A window that starts in mid-file starts in mid-line.
  let start = from === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
  const raw: { text: string; offset: number }[] = [];
  for (let newline = bytes.indexOf(NEWLINE, start); newline !== -1; newline = bytes.indexOf(NEWLINE, start)) {
    raw.push({ text: bytes.toString('utf8', start, newline), offset: from + start });
    start = newline + 1;
  }
  const valid = validLines(raw, from === 0);
  return { ...valid, end: from + start, torn: start < bytes.length, complete: from === 0 };
}

function validLines(raw: readonly { text: string; offset: number }[], fromGenesis: boolean) {
  const lines: Line[] = [];
  const hashes = new Set<string>();
  let broken = false;
  let previous: string | undefined = fromGenesis ? GENESIS : undefined;
  for (const { text, offset } of raw) {
    const entry = parseEntry(text);
    if (entry === undefined) continue;
    const hash = sha256(text);
    // Within a window the first line has no predecessor to check against: it only anchors the chain.
    if (previous !== undefined && entry.prev !== previous) {
      if (fromGenesis || lines.length > 1) {
        broken ||= !hashes.has(entry.prev);
        continue;
      }
      lines.length = 0;
    }
    lines.push({ entry, hash, offset });
    hashes.add(hash);
    previous = hash;
  }
  return { lines, broken };
}

export function parseEntry(text: string): Entry | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const entry = value as Partial<Entry>;
  return (
    typeof entry.seq === 'number' &&
    typeof entry.prev === 'string' &&
    typeof entry.state === 'string' &&
    Array.isArray(entry.change)
  );
}

/**
 * Appends and makes durable. 'lost': another writer's line came first, ours is void.
 * An I/O error takes the line back before it is thrown, so that nothing unacknowledged stays.
 */
export function append(files: Files, path: string, end: number, text: string): 'committed' | 'lost' {
  const bytes = Buffer.from(`${text}\n`);
  const fd = files.open(path, 'a');
  try {
    files.write(fd, bytes);
    const landed = files.readRange(path, end, bytes.length);
    if (!landed.equals(bytes)) return 'lost';
    files.sync(fd);
    return 'committed';
  } catch (error) {
    takeBack(files, fd, end, bytes.length);
    throw error;
  } finally {
    files.close(fd);
  }
}

function takeBack(files: Files, fd: number, end: number, length: number): void {
  try {
    // Only our own bytes: when more is there, another writer has already built on or beside them.
    if (Number(files.fstat(fd).size) <= end + length) files.truncate(fd, end);
  } catch {
    // The line stays torn or void at worst; the next writer drops it.
  }
}

/** Drops a torn last line; only under the lock. */
export function dropTorn(files: Files, path: string, tail: Tail): void {
  if (!tail.torn) return;
  const fd = files.open(path, 'r+');
  try {
    files.truncate(fd, tail.end);
    files.sync(fd);
  } finally {
    files.close(fd);
  }
}

/** All entries from the beginning, void lines left out, without holding the file in memory. */
export function* readEntries(files: Files, path: string): Generator<Line> {
  let previous = GENESIS;
  for (const { text, offset } of readLines(files, path)) {
    const entry = parseEntry(text);
    if (entry === undefined || entry.prev !== previous) continue;
    previous = sha256(text);
    yield { entry, hash: previous, offset };
  }
}

interface Reading {
  /** Where a line begins. */
  readonly from?: number;
  /** Sees each piece of the file, and where it begins; it must not keep it. */
  readonly piece?: ((bytes: Buffer, at: number) => void) | undefined;
}

/** A line of the file, valid or not, from its first byte to behind its newline. */
interface RawLine {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

/** Bytes of the journal that are read at once. */
export const PIECE = 1024 * 1024;

/** All complete lines. One buffer for all of them: it grows with the longest. */
export function* readLines(files: Files, path: string, { from = 0, piece }: Reading = {}): Generator<RawLine> {
  const size = Number(files.stat(path)?.size ?? 0);
  let buffer = Buffer.allocUnsafe(Math.min(PIECE, Math.max(0, size - from)));
  /** How much of it the beginning of a line takes, which is at `offset` in the file. */
  let kept = 0;
  let offset = from;
  for (let at = from; at < size; ) {
    const length = Math.min(PIECE, size - at);
    if (buffer.length < kept + length) {
      const larger = Buffer.allocUnsafe(Math.max(kept + length, 2 * kept));
      buffer.copy(larger, 0, 0, kept);
      buffer = larger;
    }
    const got = files.readInto(path, at, buffer.subarray(kept, kept + length));
    if (got === 0) return;
    piece?.(buffer.subarray(kept, kept + got), at);
    at += got;
    const filled = buffer.subarray(0, kept + got);
    let start = 0;
    for (let newline = filled.indexOf(NEWLINE, kept); newline !== -1; newline = filled.indexOf(NEWLINE, start)) {
      const end = offset + newline + 1 - start;
      yield { text: filled.toString('utf8', start, newline), offset, end };
      start = newline + 1;
      offset = end;
    }
    kept = filled.length - start;
    buffer.copyWithin(0, start, filled.length);
  }
}

export function lastOf(tail: Tail): Line {
  const line = tail.lines.at(-1);
  if (line === undefined) throw new Bug('the journal has no entry');
  return line;
}
