// The journal read from its first entry: whether it is whole, what it says was done, and the texts that it leads to. For
// checks: nothing derived is trusted, and a line that does not follow from the one before is not counted. Reads only.

import { RECORD_SECTIONS, type State } from '../protocol/state.ts';
import { decode, readIfFile } from './bounded-text.ts';
import type { BoardContext } from './context.ts';
import type { Entry } from './journal.ts';
import { type Journalled, JournalledArchive } from './journalled-archive.ts';
import { type Verification, verifyJournal } from './verify.ts';
import { parseDocument } from './yaml/document.ts';

export interface Replayed {
  readonly verification: Verification;
  /** Their changes have only the lines that were put in. */
  readonly entries: readonly Entry[];
  /** The state's text after the last entry that follows. */
  readonly text: string;
  readonly archived: Journalled;
}

export async function replay(context: BoardContext): Promise<Replayed> {
  const all: Entry[] = [];
  let sound = 0;
  const archive = new JournalledArchive();
  const verification = verifyJournal(context, {
    before: (entry, text) => {
      archive.before(entry, text);
      // What was taken out is half of a journal, and nobody asks for it.
      all.push({ ...entry, change: entry.change.map(({ at, ins }) => ({ at, del: [], ins })) });
    },
    also: ({ kind }) => {
      if (kind === 'entry') sound += 1;
    },
  });
  const entries = all.slice(0, sound);
  const seqs = new Set(entries.map(({ seq }) => seq));
  const archived = await archive.read(({ seq }) => seqs.has(seq));
  return { verification, entries, text: verification.text(), archived };
}

/** Undefined: it cannot be read. */
export async function stateOf(text: string): Promise<State | undefined> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  return parsed.ok ? (parsed.doc.value as unknown as State) : undefined;
}

/** state.yaml as it is on the disk; undefined: missing, or no text. */
export function stateText({ files, paths }: BoardContext): string | undefined {
  const bytes = readIfFile(files, paths.state);
  return bytes === undefined ? undefined : decode(bytes);
}
