// The journal read from its first entry: what it says was done, and the texts that it leads to. For those who check:
// nothing derived is trusted, and a line that does not follow ends the reading. Reads only.

import { RECORD_SECTIONS, type State, type Task } from '../core/state.ts';
import type { Context } from './context.ts';
import { sha256 } from './hash.ts';
import { type Entry, GENESIS, parseEntry, readLines } from './journal.ts';
import { decode } from './text.ts';
import { parseDocument } from './yaml/document.ts';
import { applyHunks } from './yaml/hunks.ts';

export interface Replayed {
  /** Their changes only by what they put in. */
  readonly entries: readonly Entry[];
  /** The state's text after the last entry that follows. */
  readonly text: string;
  /** Tasks as they were when they left for the archive. */
  readonly archived: readonly Task[];
}

export async function replay({ files, paths }: Context): Promise<Replayed> {
  const entries: Entry[] = [];
  const archived = new Map<string, Task>();
  let previous = GENESIS;
  let text = '';
  for (const line of readLines(files, paths.journal)) {
    const entry = parseEntry(line.text);
    if (entry === undefined) break;
    if (entry.prev !== previous) continue; // void, or the end of the chain: whoever verifies says which
    const next = apply(text, entry);
    if (next === undefined || sha256(next) !== entry.state) break;
    const leaving = entry.archived ?? [];
    const before = leaving.length === 0 ? undefined : await stateOf(text);
    for (const task of before?.tasks ?? []) if (leaving.includes(task.id)) archived.set(task.id, task);
    text = next;
    previous = sha256(line.text);
    // What was taken out is half of a journal, and nobody asks for it.
    entries.push({ ...entry, change: entry.change.map(({ at, ins }) => ({ at, del: [], ins })) });
  }
  return { entries, text, archived: [...archived.values()] };
}

function apply(text: string, { change }: Entry): string | undefined {
  try {
    return applyHunks(text, change);
  } catch {
    return undefined;
  }
}

/** Undefined: it cannot be read. */
export async function stateOf(text: string): Promise<State | undefined> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  return parsed.ok ? (parsed.doc.value as unknown as State) : undefined;
}

/** state.yaml as it lies there; undefined: missing, or no text. */
export function stateText({ files, paths }: Context): string | undefined {
  const bytes = files.read(paths.state);
  return bytes === undefined ? undefined : decode(bytes);
}
