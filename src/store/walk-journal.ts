// Walks a journal once, from its first line: which lines follow from those before, and whether the changes lead to the
// states that the entries name. Its cost grows with the journal, not with the board: the state's hash is compared when as
// much of the journal has been read as the state is long, or a good piece more, and at the end; `every` compares it at each
// entry. Where it differs, the lines since the last comparison are read again one by one: the first wrong one is named.
// No entry is kept: however long the journal is, the walk has the state and one line in memory.

import type { Files } from '../ports/files.ts';
import { sha256 } from './hash.ts';
import { type Entry, GENESIS, parseEntry, readEntries, readLines } from './journal.ts';
import { ReplayText } from './replay-text.ts';
import { HunkMismatch } from './yaml/hunks.ts';

/** One line of the journal, and what it turned out to be. */
export type Step =
  | EntryStep
  /**
   * `void`: of a writer that lost a race. `astray`: it follows from no line before it. `misled`: its change does not lead to
   * the state that it names, and the walk ends.
   */
  | { readonly kind: 'void' | 'astray' | 'misled'; readonly number: number; readonly seq: number }
  /** The last one: nothing after it can be read. */
  | { readonly kind: 'unreadable'; readonly number: number };

interface EntryStep {
  readonly kind: 'entry';
  readonly number: number;
  readonly seq: number;
  readonly hash: string;
}

export interface WalkOptions {
  /** Compares the state's hash at each entry. */
  readonly every?: boolean;
  /** Called with each entry before it changes the text; the last ones may turn out not to be sound. */
  readonly before?: (entry: Entry, text: ReplayText) => void;
  /** Sees each piece of the file, and where it begins; it must not keep it. */
  readonly piece?: (bytes: Buffer, at: number) => void;
  /** So many characters of the journal at least between two comparisons; for tests. */
  readonly apart?: number;
}

/** Gives out each step once it is known to be sound; returns the state's text after the last of them. */
export function* walkJournal(
  files: Files,
  journal: string,
  { every = false, before, piece, apart = 1024 * 1024 }: WalkOptions = {},
): Generator<Step, ReplayText> {
  const seen = new Earlier(() => readEntries(files, journal));
  let previous = GENESIS;
  let number = 0;
  const text = new ReplayText();
  let last: Entry | undefined;
  let since: Since = { text: text.copy(), from: 0, steps: [], given: 0, read: 0 };
  const again = () => oneByOne(since, readLines(files, journal, { from: since.from }));
  for (const line of readLines(files, journal, { piece })) {
    number += 1;
    const entry = parseEntry(line.text);
    if (entry === undefined) {
      since.steps.push({ kind: 'unreadable', number });
      break;
    }
    const { seq } = entry;
    if (entry.prev !== previous) {
      since.steps.push({ kind: seen.has(entry.prev, line.offset) ? 'void' : 'astray', number, seq });
      continue;
    }
    previous = sha256(line.text);
    seen.add(previous);
    last = entry;
    since.steps.push({ kind: 'entry', number, seq, hash: previous });
    before?.(entry, text);
    if (!applies(text, entry)) return yield* again();
    since.read += line.text.length;
    const long = since.read >= Math.max(text.length, apart);
    // Of a board in a database not every entry names the hash of its state.
    if ((!every && !long) || entry.state === '') continue;
    if (text.hash() !== entry.state) return yield* again();
    yield* give(since);
    if (long) since = { text: text.copy(), from: line.end, steps: [], given: 0, read: 0 };
  }
  if (last !== undefined && !leadsTo(text, last)) return yield* again();
  yield* give(since);
  return text;
}

/** Hashes of the entries so far. Hardly any journal is asked for one: then it is read once more up to there. */
class Earlier {
  readonly #read: () => Iterable<{ readonly hash: string; readonly offset: number }>;
  #known: Set<string> | undefined;

  constructor(read: () => Iterable<{ readonly hash: string; readonly offset: number }>) {
    this.#read = read;
  }

  add(hash: string): void {
    this.#known?.add(hash);
  }

  has(hash: string, end: number): boolean {
    this.#known ??= this.#before(end);
    return this.#known.has(hash);
  }

  #before(end: number): Set<string> {
    const known = new Set([GENESIS]);
    for (const { hash, offset } of this.#read()) {
      if (offset >= end) break;
      known.add(hash);
    }
    return known;
  }
}

/** Since the last copy of the text. */
interface Since {
  readonly text: ReplayText;
  /** Where its first line begins in the file. */
  readonly from: number;
  /** One for each line. */
  readonly steps: Step[];
  /** How many of the steps were given out. */
  given: number;
  /** Characters of the journal. */
  read: number;
}

function* give(since: Since): Generator<Step> {
  while (since.given < since.steps.length) {
    const step = since.steps[since.given++];
    if (step !== undefined) yield step;
  }
}

/** One of the entries is wrong: finds the first. */
function* oneByOne({ text, steps, given }: Since, lines: Iterator<{ text: string }>): Generator<Step, ReplayText> {
  for (const [at, step] of steps.entries()) {
    const entry = parseEntry(lines.next().value?.text ?? '');
    const before = text.copy();
    if (step.kind === 'entry' && (entry === undefined || !applies(text, entry) || !leadsTo(text, entry))) {
      yield { kind: 'misled', number: step.number, seq: step.seq };
      return before;
    }
    if (at >= given) yield step;
  }
  return text;
}

const leadsTo = (text: ReplayText, { state }: Entry): boolean => state === '' || text.hash() === state;

function applies(text: ReplayText, { change }: Entry): boolean {
  try {
    text.apply(change);
    return true;
  } catch (error) {
    if (error instanceof HunkMismatch || error instanceof TypeError) return false;
    throw error;
  }
}
