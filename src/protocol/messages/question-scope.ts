// Which tasks a question concerns. Light: `liza show` loads it, so it must not import a schema.

import { isSentence } from '../../text/sentence.ts';
import { roleOfId } from '../board.ts';
import { amendmentsUnderClaim } from '../definition/amendment.ts';
import { checkpointEvent, claimedSince, historyOf } from '../leases.ts';
import type { Question, State, Task, TaskStatus } from '../state.ts';

/**
 * A question about a task concerns it and what replaced it; one about no task, all that comes from its spec; each, the
 * tasks of the section it names and those that cite its id.
 */
export function concerns(question: Question, task: Task): boolean {
  const { task: about, spec_ref } = question;
  if (isOwn(question, task)) return true;
  return about === undefined ? sameSpec(spec_ref, task.spec_ref) : sameSection(spec_ref, task.spec_ref);
}

/** The same among all tasks of a board: a question about a whole spec that some of them cite is for those that rest on it. */
export function concernsAmong(question: Question, task: Task, tasks: readonly Task[]): boolean {
  if (!concerns(question, task)) return false;
  if (isTied(question, task)) return true;
  return !tasks.some((other) => cites(other, question.id));
}

/** It is about this very task, its section, or words of it; not about a spec as a whole that it comes from. */
export const isTied = (question: Question, task: Task): boolean =>
  isOwn(question, task) || restsOn(task, question) || sameSection(question.spec_ref, task.spec_ref);

/**
 * Answers that the work before a task was built by, and for a docs task of a whole spec those about its parts: what it
 * documents or uses follows them, though nobody asked about the task itself.
 */
export function answersBeside(
  state: Pick<State, 'questions' | 'tasks' | 'discovered'>,
  task: Task,
): readonly Question[] {
  const { questions = [], tasks } = state;
  const after = allBefore(state, task);
  const before = tasks.filter(({ id }) => after.has(id));
  const isWhole = task.type === 'docs' && partsOf(task.spec_ref)[1] === undefined;
  const specOf = (one: Question): string | undefined =>
    one.spec_ref ?? tasks.find(({ id }) => id === one.task)?.spec_ref;
  return questions.filter(
    (one) =>
      SETTLED.has(one.status) &&
      !concernsAmong(one, task, tasks) &&
      (after.has(one.task ?? '') ||
        before.some((other) => concernsAmong(one, other, tasks)) ||
        (isWhole && sameSpec(specOf(one), task.spec_ref))),
  );
}

/** What it depends on, the work in which the discoveries were made that it takes up, and what those depend on. */
function allBefore({ tasks, discovered }: Pick<State, 'tasks' | 'discovered'>, task: Task): ReadonlySet<string> {
  const takenUp = discovered.filter((one) => one.converted_to_task === task.id);
  const found = new Set([...(task.depends_on ?? []), ...takenUp.flatMap(({ during }) => during ?? [])]);
  for (const id of found) for (const next of tasks.find((one) => one.id === id)?.depends_on ?? []) found.add(next);
  found.delete(task.id);
  return found;
}

const isOwn = ({ id, task: about }: Question, task: Task): boolean =>
  (about !== undefined && (about === task.id || task.supersedes?.includes(about) === true)) ||
  cites(task, id) ||
  amendmentsUnderClaim(task).some(({ because }) => because.includes(id));

/** Whether the task names the question: as its reason, or anywhere in what it asks for. */
export const cites = ({ because, done_when = '', description = '' }: Task, question: string): boolean =>
  because === question || namesQuestion(`${done_when}\n${description}`, question);

/** Whether a text names a question by its id. */
export const namesQuestion = (text: string, question: string): boolean =>
  text.includes(question) && new RegExp(`(?<![\\w-])${question}(?![\\w-])`).test(text);

/** Whether a line of it is about the question, and says something of it: its id alone shows no reading. */
export const speaksOfQuestion = (text: string, question: string): boolean =>
  text.split(/[\n;]/).some((line) => namesQuestion(line, question) && isSentence(line.replaceAll(question, ' ')));

/** Both name it. */
function sameSection(a: string | undefined, b: string | undefined): boolean {
  return partsOf(a)[1] !== undefined && partsOf(b)[1] !== undefined && sameSpec(a, b);
}

/** The same file, and the same section where both name one. */
export function sameSpec(a: string | undefined, b: string | undefined): boolean {
  const [file, section] = partsOf(a);
  const [otherFile, otherSection] = partsOf(b);
  if (file === undefined || file !== otherFile) return false;
  return section === undefined || otherSection === undefined || section === otherSection;
}

function partsOf(reference: string | undefined): readonly [string | undefined, string | undefined] {
  const [file, section] = (reference ?? '').replace(/^\.\//, '').split('#', 2);
  return [file || undefined, section || undefined];
}

interface Looked {
  readonly state: Pick<State, 'tasks' | 'goal'>;
  /** How tasks in the archive ended; absent: it was not looked at. */
  readonly archived?: ReadonlyMap<string, TaskStatus>;
}

/**
 * The tasks that were built, or are to be built, on what the asker took for granted, each with its status: also the one
 * that it was asked about, when that one is in the archive.
 */
export function builtOnAssumption({ state, archived }: Looked, question: Question): readonly string[] {
  const { task: about, goal = state.goal.id } = question;
  const here = state.tasks.filter((task) => concerns(question, task)).map(({ id, status }) => `${id} (${status})`);
  if (about === undefined || state.tasks.some(({ id }) => id === about)) return here;
  const under = goal === state.goal.id ? '' : ` under ${goal}`;
  return [`${about} (${archived?.get(about) ?? 'ended'}${under})`, ...here];
}

/** Answered otherwise than the asker took for granted; a person may also accept by saying the same words. */
export const differs = ({ status, answer, assume }: Question): boolean =>
  status === 'answered' && assume !== undefined && plainWords(answer) !== plainWords(assume);

/**
 * Answers that the plan of this iteration cannot know: they came after it and say something else than was assumed, or
 * than the answer that it was recorded again for.
 */
export function answersSincePlan({ questions = [], tasks }: Pick<State, 'questions' | 'tasks'>, task: Task) {
  const plan = checkpointEvent(task);
  if (plan === undefined) return [];
  const known: readonly unknown[] = Array.isArray(plan.because) ? plan.because : [];
  return questions.filter((one) => {
    const { id, status, assume, closed_at: at = '' } = one;
    const wasKnown = known.includes(id);
    const says = differs(one) || (status === 'answered' && assume === undefined) || (wasKnown && SETTLED.has(status));
    const isLate = at > plan.time || (at === plan.time && !wasKnown);
    return says && isLate && concernsAmong(one, task, tasks);
  });
}

/**
 * Answers that a task under way may contradict, because they came after its definition was fixed: to its own questions,
 * to those it cites, and to those whose assumption it repeats; also those that it was amended for.
 */
export function answersSinceClaim({ questions = [] }: Pick<State, 'questions'>, task: Task): readonly Question[] {
  const since = FIXED.has(task.status) ? claimedSince(task) : undefined;
  if (since === undefined) return [];
  return questions.filter(
    (one) => one.status === 'answered' && (one.closed_at ?? '') >= since && (isOwn(one, task) || restsOn(task, one)),
  );
}

/**
 * Of these, a person's that differ from what was assumed, where nobody has changed the definition since: it still says
 * what was assumed, and a coder can satisfy only one of the two.
 */
export function contradictedBy(state: Pick<State, 'questions'>, task: Task): readonly Question[] {
  const amended = historyOf(task).findLast(({ event }) => event === 'amended')?.time ?? '';
  return answersSinceClaim(state, task).filter(
    (one) => differs(one) && roleOfId(one.closed_by ?? '') === undefined && (one.closed_at ?? '') > amended,
  );
}

/** Whether the task's own words hold the assumption, or name the question. */
export const restsOn = (task: Task, question: Question): boolean =>
  cites(task, question.id) || saysAssumed(`${task.done_when ?? ''} ${task.description ?? ''}`, question);

/** Whether a text repeats the assumption, or names the question. */
export function saysAssumed(text: string, { id, assume }: Question): boolean {
  if (namesQuestion(text, id)) return true;
  const assumed = plainWords(assume);
  // A short one, such as "yes", is in every text.
  return assumed.split(' ').length >= 3 && plainWords(text).includes(assumed);
}

/** Its definition is the one that somebody has built by. */
const FIXED: ReadonlySet<TaskStatus> = new Set(['CLAIMED', 'READY_FOR_REVIEW', 'REJECTED']);

const SETTLED: ReadonlySet<Question['status']> = new Set(['answered', 'assumed']);

const plainWords = (text = ''): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** It may speak of what was assumed: "yes, as you assume". */
export const withAssumed = (answer: string, assume: string | undefined): string =>
  assume === undefined || assume === answer ? answer : `${answer} (assumed until then: ${assume})`;

/** What became of it, in one line: the answer, the assumption, or that it is open. */
export function outcomeOf({ status, answer, assume, closed_by, asked_by, why }: Question): string {
  switch (status) {
    case 'answered':
      return `A ${withAssumed(answer ?? '', assume)}`;
    case 'assumed':
      return `A ${assume ?? ''} (assumed by ${asked_by}, accepted by ${closed_by ?? 'somebody'})`;
    case 'open':
      return assume === undefined ? 'not answered yet' : `not answered yet; ${asked_by} continues with: ${assume}`;
    case 'withdrawn':
      return why === undefined ? 'withdrawn' : `withdrawn by ${closed_by ?? asked_by}: ${why}`;
    default:
      return status satisfies never;
  }
}
