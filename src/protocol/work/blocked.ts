// Makes a task BLOCKED: the reason, the questions that would unblock it, the coder it counts against.
// Every owner of the task lets go in the same change.

import { gist } from '../../text/format.ts';
import { detach, event, evolve, type Patch, unique, withMachineAnomaly, withTask } from '../change.ts';
import type { CommandName } from '../command.ts';
import type { Situation } from '../command-row.ts';
import { historyOf, iterationEvents } from '../leases.ts';
import { type HistoryEvent, isTerminal, type State, type Task } from '../state.ts';

export const REVIEW_DEADLOCK = 'review_deadlock';
export const HUMAN_OVERRIDE = 'human override';

/** Whether coder and reviewer are deadlocked. History says so, because a later override must not hide it. */
export function isDeadlocked(task: Task): boolean {
  // A board that was imported has the reason, but maybe not the event.
  if (task.blocked_reason === REVIEW_DEADLOCK) return true;
  const history = historyOf(task);
  const last = history.findLastIndex((entry) => entry.event === 'unblocked');
  return history.slice(last + 1).some((entry) => entry.event === 'blocked' && entry.reason === REVIEW_DEADLOCK);
}

/** Whether the task's own budget stopped it, and nobody has judged the work since. */
export function isStoppedByBudget(task: Task): boolean {
  const last = historyOf(task).findLast(({ event: name }) => TURNS.has(name));
  return task.status === 'BLOCKED' && last?.event === 'limit' && last.limit === 'budget';
}

/** So many coders failed the task as it is now defined that its definition is presumed wrong. */
export const isExhausted = (task: Task): boolean =>
  !isTerminal(task.status) && (task.failures_current ?? []).length >= FAILURES_THAT_EXHAUST;

export const FAILURES_THAT_EXHAUST = 2;

/** How often it was given back so far; going on after its budget was raised is no new try. */
export const unblocksOf = (task: Task): number =>
  historyOf(task).filter((entry) => entry.event === 'unblocked' && entry.goes_on !== true).length;

const TURNS: ReadonlySet<string> = new Set(['blocked', 'limit', 'claimed', 'unblocked']);

interface Block {
  readonly reason: string;
  readonly questions: readonly string[];
  readonly attempted?: readonly string[] | undefined;
  /** The coder this counts against: its own block, max iterations, spin, silence. */
  readonly failed?: string | undefined;
  /** Named `limit` when a limit, not somebody's judgement, blocked it. */
  readonly event?: 'blocked' | 'limit';
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Further changes of the task. */
  readonly changes?: Patch<Task>;
  /** Events that led to it, recorded before the block. */
  readonly earlier?: readonly HistoryEvent[];
}

export function blockTask<K extends CommandName>(
  situation: Situation<K>,
  state: State,
  task: Task,
  block: Block,
): State {
  const { reason, questions, attempted, changes = {}, earlier = [] } = block;
  // An agent that does nothing at all has failed, whatever changed around it.
  const excusable = block.failed !== undefined && block.event !== 'limit';
  const excused = excusable ? excuse(evolve(task, {}, ...earlier)) : undefined;
  const failed = excused === undefined ? block.failed : undefined;
  const told = event(situation, block.event ?? 'blocked', {
    reason,
    questions,
    attempted: attempted === undefined || attempted.length === 0 ? undefined : attempted,
    failed,
    excused,
    ...block.extra,
  });
  const counted =
    failed === undefined
      ? {}
      : {
          failed_by: unique([...(task.failed_by ?? []), failed]),
          failures_current: unique([...(task.failures_current ?? []), failed]),
        };
  const blocked = evolve(
    task,
    {
      ...changes,
      ...counted,
      ...LET_GO,
      status: 'BLOCKED',
      blocked_reason: reason,
      blocked_questions: questions,
      attempted: attempted === undefined || attempted.length === 0 ? undefined : attempted,
    },
    ...earlier,
    told,
  );
  const exhausted = isExhausted(blocked) && !isExhausted(task);
  const next = detach(withTask(state, blocked), task.id);
  return exhausted ? exhaustionLogged(situation, next, blocked, reason) : next;
}

function exhaustionLogged<K extends CommandName>(s: Situation<K>, state: State, task: Task, cause: string): State {
  const coders = (task.failures_current ?? []).join(', ');
  return withMachineAnomaly(s, state, {
    type: 'hypothesis_exhaustion',
    task: task.id,
    pattern: 'coders',
    details: { coders, cause: gist(cause, 400) },
  });
}

/**
 * Why a coder that could not finish has not failed: what it was given changed under its hands, or what shall prove it
 * cannot be run at all. Only facts that Liza recorded count, never what the coder says.
 */
export function excuse(task: Task): string | undefined {
  const events = iterationEvents(task);
  const red = events.findLast(({ event: name }) => name === 'validation_failed');
  if (red?.cannot_run === true) return 'its validation could not be run';
  if (red?.hangs_on_base === true) return 'its validation does not end on the base either';
  if (events.some(({ event: name }) => name === 'spec_changed')) return 'its spec changed under way';
  const isRedefined = events.some(({ event: name, changed }) => REDEFINES.has(name) && changed === true);
  return isRedefined ? 'its definition changed under way' : undefined;
}

const REDEFINES: ReadonlySet<string> = new Set(['amended', 'unblocked']);

/** The fields by which somebody holds a task: they end with the state they belong to. */
export const LET_GO: Patch<Task> = {
  lease_expires: undefined,
  claiming: undefined,
  merge_first: undefined,
  merge_held: undefined,
  merging: undefined,
  reviewing_by: undefined,
  review_lease_expires: undefined,
  approved_by: undefined,
  handoff_pending: undefined,
};

export const QUESTIONS = {
  max_iterations: ['Is the spec clear enough?', 'Should the task be decomposed?'],
  validation: ['Does the validation prove what the task asks for?', 'Is the task possible as it is written?'],
  hangs: [
    'Does the validation command end at all, for example in a checkout of the base?',
    'Is validation_timeout too short for it?',
  ],
  spin: ['Is the task possible as it is written, and what should its coder know?'],
  budget: ['Should it be split into smaller ones, or given up?'],
  silence: ['Does a command of this task hang, or wait for input?'],
  review_deadlock: [
    'Does the coder ignore the feedback, or do the criteria change?',
    'Should the spec be clarified, the coder changed, or the task rescoped?',
  ],
  integration: [
    'Does the integration branch itself pass its test, and is that test right?',
    'What keeps the task from integrating, and should it be rescoped?',
  ],
  same_rejection: [
    'Why did the second attempt have the same blockers?',
    'Can the feedback be followed within the scope?',
  ],
  disputed: [
    'Which of the two verdicts is the reviewer’s own, and who gave the other?',
    'Does the commit hold code that runs liza?',
  ],
  assumptions: ['Which of the assumptions are right?', 'What must the spec say so that no assumption is needed?'],
  override: ['What should be done differently, and why?'],
  abandoned: ['Can this be done without the abandoned task, or should it be given up too?'],
} as const satisfies Record<string, readonly string[]>;
