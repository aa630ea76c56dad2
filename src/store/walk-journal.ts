// Walks a journal once, from its first line: which lines follow from those before, and whether the changes lead to the
// states that the entries name. Its cost grows with the journal, not with the board: the state's hash is compared when as
// much of the journal has been read as the state is long, and at the end; `every` compares it at each entry. Where it
// differs, the entries since the last comparison are gone through one by one, so that the first wrong one is named.

import type { Files } from '../ports/files.ts';
import { sha256 } from './hash.ts';
import { type Entry, GENESIS, parseEntry, readLines } from './journal.ts';
import { ReplayText } from './replay-text.ts';
import { HunkMismatch } from './yaml/hunks.ts';

/** One line of the journal, and what it turned out to be. */
export type Step =
  | EntryStep
  /** `void`: of a writer that lost a race. `astray`: it follows from no line before it. */
  | { readonly kind: 'void' | 'astray'; readonly number: number; readonly entry: Entry }
  /** The last one: nothing after it can be read. */
  | { readonly kind: 'unreadable'; readonly number: number }
  | { readonly kind: 'misled'; readonly number: number; readonly entry: Entry };

interface EntryStep {
  readonly kind: 'entry';
  readonly number: number;
  readonly entry: Entry;
  readonly hash: string;
}

export interface WalkOptions {
  /** Compares the state's hash at each entry. */
  readonly every?: boolean;
  /** Called before an entry changes the text; not all that it sees turns out to be sound. */
  readonly before?: (entry: Entry, text: ReplayText) => void;
}

/** Gives out each step once it is known to be sound; returns the state's text after the last of them. */
export function* walkJournal(
  files: Files,
  journal: string,
  { every = false, before }: WalkOptions = {},
): Generator<Step, ReplayText> {
  const seen = new Earlier();
  let previous = GENESIS;
  let number = 0;
  const text = new ReplayText();
  let last: Entry | undefined;
  // Since the last copy of the text.
  let since: Since = { text: text.copy(), steps: [], given: 0, read: 0 };
  for (const line of readLines(files, journal)) {
    number += 1;
    const entry = parseEntry(line.text);
    if (entry === undefined) {
      since.steps.push({ kind: 'unreadable', number });
      break;
    }
    if (entry.prev !== previous) {
      since.steps.push({ kind: seen.has(entry.prev) ? 'void' : 'astray', number, entry });
      continue;
    }
    previous = sha256(line.text);
    seen.add(previous);
    last = entry;
    since.steps.push({ kind: 'entry', number, entry, hash: previous });
    before?.(entry, text);
    if (!applies(text, entry)) return yield* oneByOne(since);
    since.read += line.text.length;
    const long = since.read >= text.length;
    // Of a board in a database not every entry names the hash of its state.
    if ((!every && !long) || entry.state === '') continue;
    if (text.hash() !== entry.state) return yield* oneByOne(since);
    yield* give(since);
    if (long) since = { text: text.copy(), steps: [], given: 0, read: 0 };
  }
  if (last !== undefined && !leadsTo(text, last)) return yield* oneByOne(since);
  yield* give(since);
  return text;
}

/** Hashes of all lines so far. Hardly any journal is asked for one, and to look them up by text takes longer than to keep them. */
class Earlier {
  readonly #all = [GENESIS];
  readonly #known = new Set<string>();

  add(hash: string): void {
    this.#all.push(hash);
  }

  has(hash: string): boolean {
    for (let at = this.#known.size; at < this.#all.length; at += 1) this.#known.add(this.#all[at] ?? '');
    return this.#known.has(hash);
  }
}

interface Since {
  readonly text: ReplayText;
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
function* oneByOne({ text, steps, given }: Since): Generator<Step, ReplayText> {
  for (const [at, step] of steps.entries()) {
    const before = text.copy();
    if (step.kind === 'entry' && (!applies(text, step.entry) || !leadsTo(text, step.entry))) {
      yield { kind: 'misled', number: step.number, entry: step.entry };
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
