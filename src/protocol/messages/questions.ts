// The questions of a board: looked up, asked, closed. A blocked task keeps its questions as strings; each has a record
// beside it, and where a board has none yet (an earlier version, an edit by hand) the record is made up here, under the
// id it keeps once a command writes it. Liza's own default questions have no record: nobody asked them.

import { type Instant, instant, iso } from '../../text/time.ts';
import { type Actor, actorName, LIZA, roleOfId } from '../board.ts';
import { findTask, taskIndex } from '../find.ts';
import { endEvent } from '../goal/alignment.ts';
import { historyOf } from '../leases.ts';
import { idsOf, nextId } from '../records/record-ids.ts';
import type { Goal, Question, State, Task } from '../state.ts';
import { defined } from '../values.ts';
import { QUESTIONS } from '../work/blocked.ts';
import { concerns, concernsAmong } from './question-scope.ts';

/** Every question of the board, oldest first; those of blocked tasks that have no record yet come last. */
export function questionsOf(state: State): readonly Question[] {
  const known = ALL.get(state);
  if (known !== undefined) return known;
  const records = state.questions ?? [];
  const missing = unrecorded(state);
  const all = missing.length === 0 ? records : [...records, ...numbered(state, missing)];
  ALL.set(state, all);
  return all;
}

/** By state, which never changes: one look at a board asks for them many times. */
const ALL = new WeakMap<State, readonly Question[]>();

/** What waits for an answer. */
export const openQuestions = (state: State): readonly Question[] => questionsOf(state).filter(isOpen);

export const isOpen = ({ status }: Question): boolean => status === 'open';

export const findQuestion = (state: State, id: string): Question | undefined =>
  questionsOf(state).find((one) => one.id === id);

/** The open questions that hold a BLOCKED task. */
export const blockingQuestions = (state: State, task: Task): readonly Question[] =>
  task.status === 'BLOCKED' ? holdingIn(openQuestions(state), task) : [];

/** The same, of records that were read without the board. */
export const holdingIn = (questions: readonly Question[], task: Task): readonly Question[] =>
  questions.filter((one) => isOpen(one) && one.task === task.id && holds(one, task));

/** Whether a task is BLOCKED by it. */
export function isHolding(state: State, question: Question): boolean {
  const task = question.task === undefined ? undefined : findTask(state, question.task);
  return task !== undefined && task.status === 'BLOCKED' && isOpen(question) && holds(question, task);
}

const holds = ({ text }: Question, task: Task): boolean => task.blocked_questions?.includes(text) === true;

/** Whether a person alone may answer: the planner answers coders and reviewers, and nobody answers for themselves. */
export function needsPerson({ asked_by }: Pick<Question, 'asked_by'>): boolean {
  const role = roleOfId(asked_by);
  return role === undefined ? asked_by !== LIZA : role === 'planner';
}

/** What is settled for a task, or taken for granted meanwhile: its own questions, those it cites, those about its spec. */
export const questionsFor = (state: State, task: Task): readonly Question[] =>
  questionsOf(state).filter((one) => one.status !== 'withdrawn' && concernsAmong(one, task, state.tasks));

/** The tasks that were built, or are to be built, on what the asker took for granted. */
export const tasksBuiltOn = (state: State, question: Question): readonly Task[] =>
  state.tasks.filter((task) => concerns(question, task));

/**
 * What the next goal begins with: what is open, and what was settled after the goal had ended, when no planner was
 * there to hear it.
 */
export function questionsOfNextGoal(state: State): readonly Question[] {
  const ended = endOf(state.goal);
  const isLate = ({ closed_at: at }: Question): boolean =>
    ended !== undefined && at !== undefined && instant(at) > ended;
  return questionsOf(state).filter((one) => isOpen(one) || (one.status !== 'withdrawn' && isLate(one)));
}

/** When the goal ended, while it is not resumed. */
function endOf(goal: Goal): Instant | undefined {
  const { status } = goal;
  if (status !== 'COMPLETED' && status !== 'ABORTED') return undefined;
  const end = endEvent(goal);
  return end === undefined ? undefined : instant(end.timestamp);
}

type Asking = Pick<Question, 'asked_by' | 'task' | 'spec_ref' | 'text' | 'assume' | 'created'>;

/** The state with one more question, and its record. */
export function withQuestion(state: State, asked: Asking): { readonly state: State; readonly question: Question } {
  const all = questionsOf(state);
  const [question] = numbered({ ...state, questions: all }, [asked]) as [Question];
  return { state: { ...state, questions: [...all, question] }, question };
}

interface Closing {
  readonly actor: Actor;
  readonly now: number;
}

/**
 * Closes these questions, or closes them otherwise: then at a later second than before, because whoever was told the
 * former end knows it by its time. Likewise at a later second than the goal ended at.
 */
export function closeQuestions(
  { actor, now }: Closing,
  state: State,
  ids: readonly string[],
  how: Pick<Question, 'status'> & { readonly answer?: string | undefined; readonly why?: string },
): State {
  const wanted = new Set(ids);
  if (wanted.size === 0) return state;
  const after = (endOf(state.goal) ?? 0) + 1000;
  const marks = (one: Question) => ({
    status: how.status,
    closed_at: iso(Math.max(now, after, ...[one.closed_at ?? [], one.reopened ?? []].flat().map(nextSecond))),
    closed_by: actorName(actor),
  });
  const questions = questionsOf(state).map((one) => {
    if (!wanted.has(one.id)) return one;
    const { answer: _answer, why: _why, ...asked } = one;
    return { ...asked, ...marks(one), ...defined({ answer: how.answer, why: how.why }) };
  });
  return { ...state, questions };
}

const nextSecond = (time: string): Instant => instant(time) + 1000;

const DEFAULTS: ReadonlySet<string> = new Set(Object.values(QUESTIONS).flat());

/** Questions of blocked tasks that have no record of this block. */
function unrecorded(state: State): readonly Asking[] {
  const blocked = state.tasks.filter((task) => task.status === 'BLOCKED' && task.blocked_questions !== undefined);
  if (blocked.length === 0) return [];
  const recorded = new Map<string, Question[]>();
  for (const one of state.questions ?? []) {
    const list = recorded.get(one.task ?? '');
    if (list === undefined) recorded.set(one.task ?? '', [one]);
    else list.push(one);
  }
  return blocked.flatMap((task) => {
    const block = historyOf(task).findLast(({ event }) => event === 'blocked' || event === 'limit');
    if (block?.event === 'limit') return [];
    // What was withdrawn belongs to an earlier block, even one of the same second.
    const since = (recorded.get(task.id) ?? []).filter(
      ({ created = '', status }) => created >= (block?.time ?? '') && status !== 'withdrawn',
    );
    const known = new Set(since.map(({ text }) => text));
    const asked_by = block?.agent ?? task.assigned_to ?? LIZA;
    return (task.blocked_questions ?? [])
      .filter((text) => !known.has(text) && !DEFAULTS.has(text))
      .map((text) => ({ asked_by, task: task.id, text, ...defined({ created: block?.time }) }));
  });
}

/** No id of a question is a task's, because `liza answer` takes questions and tasks. */
function numbered({ questions = [], tasks, goal }: State, asked: readonly Asking[]): readonly Question[] {
  const taken = taskIndex(tasks);
  const there = [...idsOf(questions)];
  return asked.map(({ text, assume, ...about }) => {
    const id = nextId('q', { there, given: goal.last_ids?.q, skip: (one) => taken.has(one) });
    there.push(id);
    return { id, ...about, text, ...defined({ assume }), status: 'open', goal: goal.id };
  });
}
