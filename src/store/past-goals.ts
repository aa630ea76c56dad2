// The goals before the current one, whole. Each was put into the archive when the next one began; a goal that an earlier
// version let go, and an archive that was lost, come back from the journal.

import { type GoalRecord, goalRecord } from '../protocol/goal/goal-record.ts';
import { numberOf } from '../protocol/goal/goal-tasks.ts';
import { type Goal, RECORD_SECTIONS, type State, type Task } from '../protocol/state.ts';
import { instant } from '../text/time.ts';
import { archivedText, goalArchive } from './archive.ts';
import type { BoardContext } from './context.ts';
import { normalise } from './file-values.ts';
import { sha256 } from './hash.ts';
import { type Entry, readEntries } from './journal.ts';
import { parseDocument } from './yaml/document.ts';
import { applyHunks } from './yaml/hunks.ts';

export async function pastGoals(context: BoardContext, current: Pick<Goal, 'id'>): Promise<readonly GoalRecord[]> {
  const archive = goalArchive(context.files, context.paths.archive);
  // A crash may have left the current goal there before the next one began.
  const kept = (await archive.all()).filter(({ id }) => id !== current.id);
  const known = new Set(kept.map(({ id }) => id));
  const missing = Array.from({ length: Math.max(0, numberOf(current.id) - 1) }, (_, at) => `goal-${at + 1}`).some(
    (id) => !known.has(id),
  );
  const found = missing ? (await journalledArchive(context)).goals.filter(({ id }) => !known.has(id)) : [];
  return [...found, ...kept].toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** What the journal notes of a goal's record, without what it tells by itself: the numbers, and when it was archived. */
export const goalHash = ({ metrics: _, archived_at: __, ...record }: GoalRecord): string =>
  sha256(archivedText(record));

interface Journalled {
  /** Every task that ever left the state, as it was then. */
  readonly tasks: readonly Task[];
  /** The goal that was current when a task left. */
  readonly goalOf: (task: string) => string | undefined;
  readonly goals: readonly GoalRecord[];
  /** The hashes that the journal notes of their records; earlier versions kept no record. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** The archive from the journal alone: archive/ may be gone. */
export async function journalledArchive({ files, paths }: BoardContext): Promise<Journalled> {
  const tasks = new Map<string, { readonly task: Task; readonly goal: string }>();
  const goals = new Map<string, GoalRecord>();
  const hashes = new Map<string, string>();
  let text = '';
  for (const { entry } of readEntries(files, paths.journal)) {
    const state = entry.archived === undefined ? undefined : await stateIn(text);
    if (state !== undefined) {
      const before = [...tasks.values()].map(({ task }) => task);
      if (endsGoal(entry)) goals.set(state.goal.id, goalRecord(state, before, instant(entry.time)));
      if (entry.ended !== undefined) hashes.set(entry.ended.goal, entry.ended.record);
      for (const task of state.tasks) {
        if (entry.archived?.includes(task.id)) tasks.set(task.id, { task, goal: state.goal.id });
      }
    }
    text = applyHunks(text, entry.change);
  }
  return {
    tasks: [...tasks.values()].map(({ task }) => task),
    goalOf: (id) => tasks.get(id)?.goal,
    goals: [...goals.values()],
    hashes,
  };
}

/** Earlier versions noted only that the tasks went. */
const endsGoal = ({ command, archived, ended }: Entry): boolean =>
  ended !== undefined || (command === 'init' && archived !== undefined);

async function stateIn(text: string): Promise<State | undefined> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  return parsed.ok ? normalise(parsed.doc.value).state : undefined;
}
