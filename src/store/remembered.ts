// The board as this process's last transaction left it. A supervisor writes many times a second, and reads after each: as
// long as the files' stat says that nobody has written since, it goes on from what it has in memory. One that another
// process wrote, or a person edited, is read from the disk as ever.

import type { Files } from '../ports/files.ts';
import { type CacheKey, type StatKey, statKey, unchanged } from './cache.ts';
import type { Encoded } from './cache-write.ts';
import type { BoardContext } from './context.ts';
import type { Tail } from './journal.ts';
import { wholeDocument } from './unread.ts';
import type { BoardDocument } from './yaml/document.ts';

export interface Remembered {
  readonly key: CacheKey;
  readonly doc: BoardDocument;
  readonly hash: string;
  readonly tail: Tail;
  /** What the cache has. */
  readonly encoded: Encoded;
  readonly log: StatKey;
}

const REMEMBERED = new WeakMap<Files, Remembered>();
/** A transaction asks for the last few; whoever needs more reads the journal. */
const LINES = 2;
/** Pieces of a text that are not joined yet: each change adds two or three. */
const MOST_PIECES = 60;

type Place = Pick<BoardContext, 'files' | 'paths'>;

/** Only what a stat proves: `key` is of files that change it with every write. */
export function remember({ files, paths }: Place, left: Omit<Remembered, 'log'>): void {
  const log = files.stat(paths.log);
  if (log === undefined) return forget({ files });
  if (left.doc.source.pieces > MOST_PIECES) left.doc.source.toString();
  const tail = { ...left.tail, lines: left.tail.lines.slice(-LINES), complete: false };
  REMEMBERED.set(files, { ...left, tail, log: statKey(log) });
}

export const forget = ({ files }: Pick<Place, 'files'>): void => void REMEMBERED.delete(files);

/** undefined: somebody has written since, or nobody here before. */
export function recall({ files, paths }: Place): Remembered | undefined {
  const known = REMEMBERED.get(files);
  return known !== undefined && unchanged(files, known.key, paths) ? known : undefined;
}

/** The same for somebody who reads all of it. */
export function recallWhole(place: Place): Remembered | undefined {
  const known = recall(place);
  const doc = known && wholeDocument(known.doc);
  if (known === undefined || doc === undefined || doc === known.doc) return known;
  const whole = { ...known, doc };
  REMEMBERED.set(place.files, whole);
  return whole;
}

/** The activity log is as it was left. */
export function isLogAsLeft({ files, paths }: Place, { log }: Remembered): boolean {
  const now = files.stat(paths.log);
  return now !== undefined && statKey(now).every((field, at) => field === log[at]);
}
