// What left the state for the archive, from the journal alone: archive/ may be gone or wrong. Fed with the entries of one
// walk over the journal. The text of a task that leaves is cut out of the state's text where it is plain where it stands;
// else the whole state is read.

import { type GoalRecord, goalRecord } from '../protocol/goal/goal-record.ts';
import { RECORD_SECTIONS, type State, type Task } from '../protocol/state.ts';
import { instant } from '../text/time.ts';
import { normalise } from './file-values.ts';
import type { Entry } from './journal.ts';
import { normaliseRecord } from './record-values.ts';
import type { ReplayText } from './replay-text.ts';
import { parseDocument } from './yaml/document.ts';
import { parseStrictSimple } from './yaml/strict.ts';

export interface Journalled {
  /** Every task that ever left the state, as it was then. */
  readonly tasks: readonly Task[];
  /** The goal that was current when a task left. */
  readonly goalOf: (task: string) => string | undefined;
  readonly goals: readonly GoalRecord[];
  /** The hashes that the journal notes of their records; earlier versions kept no record. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** What an entry took away, as it was before: the tasks, or the text of the whole state. */
type Leaving =
  | { readonly entry: Entry; readonly goal: string; readonly tasks: readonly Task[] }
  | { readonly entry: Entry; readonly text: string };

export class JournalledArchive {
  readonly #leaving: Leaving[] = [];

  /** To be called before an entry changes the text. */
  before(entry: Entry, text: ReplayText): void {
    if (entry.archived === undefined) return;
    const goal = endsGoal(entry) ? undefined : goalIn(text);
    const tasks = goal === undefined ? undefined : cutOut(entry, text);
    this.#leaving.push(
      goal === undefined || tasks === undefined ? { entry, text: text.toString() } : { entry, goal, tasks },
    );
  }

  /** `counts`: the entry turned out to be sound. */
  async read(counts: (entry: Entry) => boolean = () => true): Promise<Journalled> {
    const tasks = new Map<string, { readonly task: Task; readonly goal: string }>();
    const goals = new Map<string, GoalRecord>();
    const hashes = new Map<string, string>();
    for (const leaving of this.#leaving) {
      const { entry } = leaving;
      if (!counts(entry)) continue;
      const state = 'text' in leaving ? await stateIn(leaving.text) : undefined;
      if (state !== undefined && endsGoal(entry)) {
        const before = [...tasks.values()].map(({ task }) => task);
        goals.set(state.goal.id, goalRecord(state, before, instant(entry.time)));
      }
      if (entry.ended !== undefined) hashes.set(entry.ended.goal, entry.ended.record);
      const left = 'tasks' in leaving ? leaving.tasks : (state?.tasks ?? []);
      const goal = 'tasks' in leaving ? leaving.goal : (state?.goal.id ?? '');
      for (const task of left) if (entry.archived?.includes(task.id)) tasks.set(task.id, { task, goal });
    }
    return {
      tasks: [...tasks.values()].map(({ task }) => task),
      goalOf: (id) => tasks.get(id)?.goal,
      goals: [...goals.values()],
      hashes,
    };
  }
}

/** Earlier versions noted only that the tasks went. */
const endsGoal = ({ command, archived, ended }: Entry): boolean =>
  ended !== undefined || (command === 'init' && archived !== undefined);

async function stateIn(text: string): Promise<State | undefined> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  return parsed.ok ? normalise(parsed.doc.value).state : undefined;
}

/** Undefined: it is not written as Liza writes it. */
function goalIn(text: ReplayText): string | undefined {
  let inside = false;
  for (const line of text.lines()) {
    if (/^[^ #]/.test(line)) inside = line === 'goal:';
    const id = inside ? /^ {2}id: ([a-z0-9-]+)$/.exec(line)?.[1] : undefined;
    if (id !== undefined) return id;
  }
  return undefined;
}

/** The tasks that an entry took away. Undefined: one of them is not found where its lines were removed. */
function cutOut({ archived = [], change }: Entry, text: ReplayText): readonly Task[] | undefined {
  const missing = new Set(archived);
  const tasks: Task[] = [];
  for (const { at, del } of change) {
    if (del.length === 0 || missing.size === 0) continue;
    const lines = [...text.lines(Math.max(0, at - AROUND), at + del.length + AROUND)];
    for (const id of missing) {
      const task = taskIn(lines, id);
      if (task === undefined) continue;
      tasks.push(task);
      missing.delete(id);
    }
  }
  return missing.size === 0 ? tasks : undefined;
}

/** Lines before and after what was removed: a change has no lines that are there before and after it. */
const AROUND = 200;

function taskIn(lines: readonly string[], id: string): Task | undefined {
  const from = lines.indexOf(`  - id: ${id}`);
  const next = from === -1 ? -1 : lines.findIndex((line, at) => at > from && !/^(?: {3}|\s*$)/.test(line));
  // A comment may stand between the lines of a task.
  if (next === -1 || !/^(?: {2}- |[a-z_]+:)/.test(lines[next] ?? '')) return undefined;
  const parsed = parseStrictSimple(`${lines.slice(from, next).join('\n')}\n`);
  const [task] = parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
  return task?.id === id && typeof task.status === 'string' ? (normaliseRecord('tasks', task) as Task) : undefined;
}
