// The journal read from its first entry: whether it is whole, what it says was done, and the texts that it leads to. For
// checks: nothing derived is trusted, and a line that does not follow from the one before is not counted. Reads only.

import { RECORD_SECTIONS, type State, type Task } from '../protocol/state.ts';
import { decode, readIfFile } from './bounded-text.ts';
import type { BoardContext } from './context.ts';
import type { Entry } from './journal.ts';
import { ReplayText } from './replay-text.ts';
import { type Verification, verifyJournal } from './verify.ts';
import { type BoardDocument, parseDocument, parseDocumentSimple } from './yaml/document.ts';

export interface Replayed {
  readonly verification: Verification;
  /** Their changes have only the lines that were put in. */
  readonly entries: readonly Entry[];
  /** The state's text after the last entry that follows. */
  readonly text: string;
  /** Tasks as they were when they left for the archive. */
  readonly archived: readonly Task[];
}

export async function replay(context: BoardContext): Promise<Replayed> {
  const entries: Entry[] = [];
  const leaving: (() => Promise<readonly Task[]>)[] = [];
  let text = ReplayText.empty;
  let previous: BoardDocument | undefined;
  const verification = verifyJournal(context, context.paths.journal, (step) => {
    if (step.kind !== 'entry') return;
    const { entry, before } = step;
    const ids = entry.archived ?? [];
    if (ids.length > 0) {
      const parsed = parseDocumentSimple(before.toString(), { recordSections: RECORD_SECTIONS, previous });
      if (parsed?.ok === true) previous = parsed.doc;
      const state = parsed?.ok === true ? (parsed.doc.value as unknown as State) : undefined;
      const known = state === undefined ? undefined : tasksOf(state, ids);
      leaving.push(async () => known ?? tasksOf(await stateOf(before.toString()), ids));
    }
    text = step.after;
    // What was taken out is half of a journal, and nobody asks for it.
    entries.push({ ...entry, change: entry.change.map(({ at, ins }) => ({ at, del: [], ins })) });
  });
  const archived = new Map<string, Task>();
  for (const tasks of leaving) for (const task of await tasks()) archived.set(task.id, task);
  return { verification, entries, text: text.toString(), archived: [...archived.values()] };
}

const tasksOf = (state: State | undefined, ids: readonly string[]): readonly Task[] =>
  state?.tasks.filter(({ id }) => ids.includes(id)) ?? [];

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
