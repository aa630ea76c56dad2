// What the committed state is, worked out from the files on the disk: state.yaml, the journal and its
// copy. Reads only. state.yaml is read before the journal: a text that Liza wrote has its entry there
// by then, so a text the journal does not know was written by someone else.

import type { Files } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { RECORD_SECTIONS } from '../protocol/state.ts';
import { decode, readIfFile, SIZE_LIMIT } from './bounded-text.ts';
import { type CacheKey, keyOf, sameKey } from './cache.ts';
import { type Cached, documentOf, readCache } from './cache-document.ts';
import { mirrorJournal, missingLines, rebuild } from './git-dir-copy.ts';
import { sha256, sha256Of } from './hash.ts';
import { type Line, lastOf, readTail, type Tail } from './journal.ts';
import type { Paths } from './paths.ts';
import { storeFile, VIEW } from './shared-board.ts';
import { refuseNewerText } from './version.ts';
import { type BoardDocument, boardDocument, parseDocument, partsOf } from './yaml/document.ts';
import { documentFollowing } from './yaml/follow.ts';
import { applyHunks } from './yaml/hunks.ts';
import { Text } from './yaml/text.ts';

/** How far back a stale copy of state.yaml is still recognised as such. */
export const WINDOW = 64;
/** How many bytes back at most: the first entry holds the whole board. */
export const WINDOW_BYTES = 1024 * 1024;

export interface Loaded {
  /** The last committed state. */
  readonly doc: BoardDocument;
  readonly hash: string;
  readonly tail: Tail;
  readonly cached: Cached | undefined;
  /** state.yaml is older than the journal, or is not there. */
  readonly behind: boolean;
  /** Texts of state.yaml that no command wrote, oldest first. */
  readonly edits: readonly string[];
  /** state.yaml cannot be read: why. */
  readonly broken: Refusal | undefined;
  /** The files' stat from before they were read. */
  readonly key: CacheKey | undefined;
  /** A stat that is still the key's proves that nobody has written since. */
  readonly settled: boolean;
  /** Worked out from an earlier reading: the cache was left to whoever made the change. */
  readonly followed?: true;
}

/** What a check has read: it looks more than once, and so does what it asks. The hash says that it is this very text. */
let checked: Earlier | undefined;

/** What the process has read before, with the hash of its text. */
export interface Earlier {
  readonly doc: BoardDocument;
  readonly hash: string;
}

export type LoadResult = Loaded | { readonly none: 'no-board' | 'no-journal' } | Refusal;

/**
 * `cache`: 'ignore' for checks, which trust nothing derived; 'small' leaves large sections unread (unread.ts). `earlier`: what
 * the caller goes on from, where the journal leads from there.
 */
export async function load(
  files: Files,
  paths: Paths,
  cache: 'use' | 'small' | 'ignore' = 'use',
  earlier?: Earlier,
): Promise<LoadResult> {
  // Since this process began: what is in the files is a view now.
  if (files.stat(storeFile(paths)) !== undefined) return movedAway();
  const key = keyOf(files, paths);
  const bytes = readBounded(files, paths.state);
  const journal = journalOf(files, paths);
  const text = bytes instanceof Buffer ? Text.decode(bytes) : undefined;
  if (text?.slice(0, VIEW.length) === VIEW) return viewAlone();
  const found = bytes instanceof Buffer ? sha256(bytes) : undefined;
  const tail = tailWith(files, journal, found);
  if (tail?.broken === true) return brokenChain();
  if (tail === undefined || tail.lines.length === 0) {
    return { none: bytes === undefined ? 'no-board' : 'no-journal' };
  }
  const head = lastOf(tail).entry;
  const known = found === undefined ? undefined : tail.lines.findLast(({ entry }) => entry.state === found);
  const clean = known?.entry.seq === head.seq;
  const current = clean ? text : committed(files, paths, journal, { tail, known, text });
  if (current === undefined || (!clean && sha256Of(current.bytes()) !== head.state)) return damaged(head.seq);
  const followed = earlier && following(earlier, tail.lines, current);
  const same = followed ?? (cache !== 'small' && checked?.hash === head.state ? checked.doc : undefined);
  const derived = cache === 'ignore' ? undefined : readCache(files, paths.cache, same === undefined ? 'all' : 'index');
  const cached = derived?.index.hash === head.state ? derived : undefined;
  const reading = cache === 'small' ? 'small' : 'all';
  const doc =
    same ??
    (cached === undefined ? await parse(current.toString()) : documentOf(cached, current, RECORD_SECTIONS, reading));
  if ('ok' in doc) return doc;
  if (cache === 'ignore') checked = { doc, hash: head.state };
  const broken = bytes === 'too large' ? tooLarge() : bytes !== undefined && text === undefined ? notUtf8() : undefined;
  const newer = known === undefined && text !== undefined ? refuseNewerText(text.toString()) : undefined;
  if (newer !== undefined) return newer;
  const edits = [
    ...lateSave(files, paths, journal, cached),
    ...(known === undefined && text !== undefined ? [text.toString()] : []),
  ];
  const settled = key !== undefined && cached?.racy === false && sameKey(cached.index.key, key);
  const loaded = { doc, hash: head.state, tail, cached, behind: !clean, edits, broken, key, settled };
  return followed === undefined ? loaded : { ...loaded, followed: true };
}

/**
 * The document after the entries since: in the middle of a commit no cache has it yet, and reading all of a large board then
 * takes longer than everything else. undefined: the journal does not lead from there to this very text, or not plainly.
 */
function following({ doc, hash }: Earlier, lines: readonly Line[], current: Text): BoardDocument | undefined {
  const at = lines.findLastIndex(({ entry }) => entry.state === hash);
  if (at === -1) return undefined;
  const after = lines
    .slice(at + 1)
    .reduce<BoardDocument | undefined>((one, { entry }) => one && documentFollowing(one, entry.change), doc);
  return after?.source.equals(current) === true ? boardDocument({ ...partsOf(after), source: current }) : undefined;
}

/** Two lines tell whether the state is the last one; only when it is not, more are needed. */
function tailWith(files: Files, journal: string, hash: string | undefined): Tail | undefined {
  const end = readTail(files, journal, 2);
  return end?.lines.at(-1)?.entry.state === hash ? end : readTail(files, journal, WINDOW, WINDOW_BYTES);
}

/** The journal, or its copy in the git directory when that has more. */
function journalOf(files: Files, paths: Paths): string {
  const ahead = paths.mirror !== undefined && missingLines(files, paths.mirror, paths.journal) !== undefined;
  return ahead && paths.mirror !== undefined ? mirrorJournal(paths.mirror) : paths.journal;
}

interface Seen {
  readonly tail: Tail;
  /** The entry that left the text. */
  readonly known: Line | undefined;
  readonly text: Text | undefined;
}

/** The state's text after the last entry, where the file has another one. */
function committed(files: Files, paths: Paths, journal: string, { tail, known, text }: Seen): Text | undefined {
  if (known === undefined || text === undefined) {
    const rebuilt = rebuild(files, journal, paths.mirror);
    return rebuilt === undefined ? undefined : Text.of(rebuilt);
  }
  const later = tail.lines.filter(({ entry }) => entry.seq > known.entry.seq);
  return Text.of(later.reduce((current, { entry }) => applyHunks(current, entry.change), text.toString()));
}

/** A save into the file that our last rename replaced: an editor that had it open the whole time. */
function lateSave(files: Files, paths: Paths, journal: string, cached: Cached | undefined): string[] {
  const stat = files.stat(paths.superseded);
  if (stat === undefined) return [];
  const [, size, mtime] = cached?.index.key.superseded ?? [];
  if (size === String(stat.size) && mtime === String(stat.mtimeNs)) return [];
  const bytes = readBounded(files, paths.superseded);
  if (!(bytes instanceof Buffer) || bytes.length === 0) return [];
  const hash = sha256(bytes);
  const recent = readTail(files, journal, WINDOW, WINDOW_BYTES)?.lines ?? [];
  const text = recent.some(({ entry }) => entry.state === hash || entry.seen === hash) ? undefined : decode(bytes);
  return text === undefined ? [] : [text];
}

async function parse(text: string): Promise<BoardDocument | Refusal> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (parsed.ok) return parsed.doc;
  return refuse(
    `the journalled state itself cannot be read: line ${parsed.line}, column ${parsed.column}: ${parsed.message}`,
    'run: liza doctor',
    4,
    'unreadable-journal',
  );
}

function readBounded(files: Files, path: string): Buffer | 'too large' | undefined {
  const stat = files.stat(path);
  if (stat === undefined) return undefined;
  return stat.size > BigInt(SIZE_LIMIT) ? 'too large' : readIfFile(files, path);
}

const movedAway = (): Refusal =>
  refuse('this board has moved to PostgreSQL since this program began', 'run it again', 4, 'store-moved');

const viewAlone = (): Refusal =>
  refuse(
    'state.yaml is a view of a board on PostgreSQL, and .liza/store, which says which board, is gone',
    'join the board again: move .liza away, then run: liza init --join',
    4,
    'store-moved',
  );

const tooLarge = (): Refusal =>
  refuse(
    'state.yaml is larger than 64 MB and is not read',
    'restore the last good state: liza edit --restore (this file is kept)',
    4,
    'too-large',
  );

const notUtf8 = (): Refusal =>
  refuse(
    'state.yaml is not UTF-8 text',
    'save it as UTF-8, or restore the last good state: liza edit --restore (this file is kept)',
    4,
    'not-utf8',
  );

const brokenChain = (): Refusal =>
  refuse(
    'the journal is broken: a line was changed or removed',
    'run: liza log verify; the copy in the git directory (liza/journal.jsonl) may be intact',
    4,
    'broken-chain',
  );

const damaged = (seq: number): Refusal =>
  refuse(
    `the journal does not lead to the state it names at entry ${seq}`,
    'something changed .liza/journal.jsonl; run: liza log verify',
    4,
    'damaged-journal',
  );
