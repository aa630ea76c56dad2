// Which tasks a question concerns. Light: `liza show` loads it, so it must not import a schema.

import { amendmentsUnderClaim } from './amendment.ts';
import { checkpointEvent, claimedSince } from './leases.ts';
import type { Question, State, Task } from './state.ts';

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

const isOwn = ({ id, task: about }: Question, task: Task): boolean =>
  (about !== undefined && (about === task.id || task.supersedes?.includes(about) === true)) ||
  cites(task, id) ||
  amendmentsUnderClaim(task).some(({ because }) => because.includes(id));

/** Whether the task names the question: as its reason, or anywhere in what it asks for. */
export const cites = ({ because, done_when = '', description = '' }: Task, question: string): boolean =>
  because === question || names(`${done_when}\n${description}`, question);

const names = (text: string, question: string): boolean =>
  text.includes(question) && new RegExp(`(?<![\\w-])${question}(?![\\w-])`).test(text);

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

/** Answered otherwise than the asker took for granted; a person may also accept by saying the same words. */
export const differs = ({ status, answer, assume }: Question): boolean =>
  status === 'answered' && assume !== undefined && plainWords(answer) !== plainWords(assume);

/** Answers that came after the plan of this iteration was recorded, and that it was not recorded again for. */
export function answersSincePlan({ questions = [], tasks }: Pick<State, 'questions' | 'tasks'>, task: Task) {
  const plan = checkpointEvent(task);
  if (plan === undefined) return [];
  const known: readonly unknown[] = Array.isArray(plan.because) ? plan.because : [];
  return questions.filter(
    (one) =>
      (differs(one) || (one.status === 'answered' && one.assume === undefined)) &&
      (one.closed_at ?? '') >= plan.time &&
      !known.includes(one.id) &&
      concernsAmong(one, task, tasks),
  );
}

/**
 * Answers that a task under way may contradict, because they came after its definition was fixed: to its own questions,
 * to those it cites, and to those whose assumption it repeats; also those that it was amended for.
 */
export function answersSinceClaim({ questions = [] }: Pick<State, 'questions'>, task: Task): readonly Question[] {
  const since = task.status === 'CLAIMED' ? claimedSince(task) : undefined;
  if (since === undefined) return [];
  return questions.filter(
    (one) => one.status === 'answered' && (one.closed_at ?? '') >= since && (isOwn(one, task) || restsOn(task, one)),
  );
}

/** Whether the task's own words hold the assumption, or name the question. */
export const restsOn = (task: Task, question: Question): boolean =>
  cites(task, question.id) || saysAssumed(`${task.done_when ?? ''} ${task.description ?? ''}`, question);

/** Whether a text repeats the assumption, or names the question. */
export function saysAssumed(text: string, { id, assume }: Question): boolean {
  if (names(text, id)) return true;
  const assumed = plainWords(assume);
  // A short one, such as "yes", is in every text.
  return assumed.split(' ').length >= 3 && plainWords(text).includes(assumed);
}

const plainWords = (text = ''): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** What became of it, in one line: the answer, the assumption, or that it is open. */
export function outcomeOf({ status, answer, assume, closed_by, asked_by, why }: Question): string {
  switch (status) {
    case 'answered':
      return `A ${answer ?? ''}`;
    case 'assumed':
      return `A ${assume ?? ''} (assumed by ${asked_by}, accepted by ${closed_by ?? 'somebody'})`;
    case 'open':
      return assume === undefined ? 'not answered yet' : `not answered yet; ${asked_by} goes on with: ${assume}`;
    case 'withdrawn':
      return why === undefined ? 'withdrawn' : `withdrawn by ${closed_by ?? asked_by}: ${why}`;
    default:
      return status satisfies never;
  }
}
