// What wakes the planner. A wake is keyed by its trigger and the revision of its record: the supervisor remembers
// the keys that a session was shown, and a wake it has seen does not fire again unchanged.
// Kill switches and leases do not count here: whether the planner may start is the supervisor's question.

import { type Board, roleOfId } from '../../protocol/board.ts';
import { endedOfGoal } from '../../protocol/goal/goal-tasks.ts';
import { isPlanners, openPlan, PLAN_SESSIONS, planWake } from '../../protocol/goal/plan.ts';
import { agentLease } from '../../protocol/leases.ts';
import { holdsGoal, isUrgent } from '../../protocol/messages/discoveries.ts';
import { answerKey, specChangeKey, type Told } from '../../protocol/messages/news.ts';
import { namedNotes, ROLE_NAMES } from '../../protocol/messages/notes.ts';
import { discoveryKey, questionKey } from '../../protocol/messages/planner-news.ts';
import { contradictedBy, differs } from '../../protocol/messages/question-scope.ts';
import { isOpen, needsPerson, openQuestions, questionsOf } from '../../protocol/messages/questions.ts';
import { needsPlanner, trialOf } from '../../protocol/review/trial.ts';
import { isTerminal, type Note, type Task } from '../../protocol/state.ts';
import { isExhausted } from '../../protocol/work/blocked.ts';
import type { Instant } from '../../text/time.ts';

export const WAKE_TRIGGERS = [
  'INITIAL_PLANNING',
  'BLOCKED_TASKS',
  'INTEGRATION_FAILED',
  'HYPOTHESIS_EXHAUSTED',
  'VALIDATION_CANNOT_RUN',
  'REJECTED_AFTER_ANSWER',
  'IMMEDIATE_DISCOVERY',
  'QUESTION_ASKED',
  'QUESTION_ANSWERED',
  'ASSUMPTION_ACCEPTED',
  'SPEC_CHANGED',
  'HUMAN_NOTE',
  'ALL_TERMINAL',
] as const;
export type WakeTrigger = (typeof WAKE_TRIGGERS)[number];

export interface Wake {
  readonly trigger: WakeTrigger;
  /** Stable while the record that woke is unchanged. */
  readonly key: string;
  /** The id of the goal, task, discovery, question or note, or the file of a spec. */
  readonly record: string;
  /** Starts no session: the next one is told of it. */
  readonly quiet?: true;
}

/** What no session of a planner has handled yet. */
export const openWakes = (board: Board, now: Instant): readonly Wake[] => unhandled(board, plannerWakes(board, now));

export function unhandled({ state }: Board, wakes: readonly Wake[]): readonly Wake[] {
  const handled = new Set(Object.values(state.agents).flatMap((agent) => agent.handled ?? []));
  return wakes.filter(({ key }) => !handled.has(key));
}

/**
 * Wakes that a running session was told of by news: what a person answered, accepted, noted or wrote into a spec, and
 * what others asked or found. A critical or high discovery that the session left undecided wakes once more: in the
 * midst of other work it may have been passed over.
 */
export function toldWakes(
  board: Board,
  told: Pick<Told, 'answers' | 'notes' | 'specs' | 'trials' | 'questions' | 'discoveries'>,
  now: Instant,
): readonly Wake[] {
  const answers = new Set(told.answers);
  const settled = new Set(
    questionsOf(board.state)
      .filter((one) => answers.has(answerKey(one)))
      .map(({ id }) => id),
  );
  const heard = new Set(
    [
      ...questionsOf(board.state).filter((one) => told.questions?.includes(questionKey(one))),
      ...board.state.discovered.filter((one) => !holdsGoal(one) && told.discoveries?.includes(discoveryKey(one))),
    ].map(({ id }) => id),
  );
  return openWakes(board, now).filter(({ trigger, record, key }) => {
    if (trigger === 'SPEC_CHANGED') return told.specs.includes(key.slice('SPEC_CHANGED:'.length));
    if (trigger === 'QUESTION_ASKED' || trigger === 'IMMEDIATE_DISCOVERY') return heard.has(record);
    if (trigger === 'HUMAN_NOTE') return told.notes.includes(record);
    if (trigger === 'VALIDATION_CANNOT_RUN') return told.trials?.some((one) => one.startsWith(`${record} `)) === true;
    return (trigger === 'QUESTION_ANSWERED' || trigger === 'ASSUMPTION_ACCEPTED') && settled.has(record);
  });
}

/** All that calls for the planner now, in the order of WAKE_TRIGGERS. */
export function plannerWakes(board: Board, _now: Instant): readonly Wake[] {
  const { goal } = board.state;
  if (goal.status === 'COMPLETED' || goal.status === 'ABORTED') return [];
  return [
    ...initialPlanning(board),
    ...forTasks(board, 'BLOCKED_TASKS', (task) => task.status === 'BLOCKED'),
    ...forTasks(board, 'INTEGRATION_FAILED', (task) => task.status === 'INTEGRATION_FAILED'),
    ...forTasks(board, 'HYPOTHESIS_EXHAUSTED', isExhausted),
    ...lookedAtFirst(board),
    ...discoveries(board),
    ...questions(board),
    ...specs(board),
    ...notes(board),
    ...allTerminal(board),
  ];
}

/** A plan that is not closed, until a person is asked about it; and drafts outside a closed one that wait for no answer. */
function initialPlanning({ state }: Board): readonly Wake[] {
  const plan = openPlan(state);
  if (plan !== undefined) {
    // The last one is handled by then: it calls nobody any more, but is not forgotten either.
    const key = `${planWake(state)}${Math.min(plan.sessions + 1, PLAN_SESSIONS)}`;
    return [{ trigger: 'INITIAL_PLANNING', key, record: state.goal.id }];
  }
  const asked = new Set(openQuestions(state).map(({ task }) => task));
  const left = state.tasks.filter((task) => task.status === 'DRAFT' && isPlanners(task) && !asked.has(task.id));
  if (left.length === 0) return [];
  const changes = left.reduce((sum, task) => sum + revision(task), 0);
  return [wake('INITIAL_PLANNING', state.goal.id, `${state.tasks.length}.${left.length}.${changes}`)];
}

function forTasks({ state }: Board, trigger: WakeTrigger, calls: (task: Task) => boolean): readonly Wake[] {
  return state.tasks.filter(calls).map((task) => wake(trigger, task.id, String(revision(task))));
}

/** A validation that no coder could make pass as it is; a coder may have taken the task before that was known. */
const validations = ({ state }: Board): readonly Wake[] =>
  state.tasks.flatMap((task) => {
    const trial = needsPlanner(task) ? trialOf(task) : undefined;
    return trial === undefined ? [] : [wake('VALIDATION_CANNOT_RUN', task.id, trial.time)];
  });

/** Rejected by an answer that its definition contradicts: no commit can satisfy both. */
const isContradicted = ({ state }: Board, task: Task): boolean =>
  task.status === 'REJECTED' && contradictedBy(state, task).length > 0;

const lookedAtFirst = (board: Board): readonly Wake[] => [
  ...validations(board),
  ...forTasks(board, 'REJECTED_AFTER_ANSWER', (task) => isContradicted(board, task)),
];

/** Free, and a planner is there that has not looked at it yet; with none, a coder may find out what is missing. */
export function isWithPlanner(board: Board, task: Task, now: Instant): boolean {
  if (!(task.status === 'UNCLAIMED' && needsPlanner(task)) && !isContradicted(board, task)) return false;
  const { agents } = board.state;
  const there = Object.entries(agents).some(
    ([id, { role, trouble }]) => role === 'planner' && trouble === undefined && !agentLease(board, id, now).expired,
  );
  return there && unhandled(board, lookedAtFirst(board)).some(({ record }) => record === task.id);
}

function discoveries({ state }: Board): readonly Wake[] {
  return state.discovered
    .filter(isUrgent)
    .map(({ id, created, reopened }) => wake('IMMEDIATE_DISCOVERY', id, reopened?.time ?? created ?? '0'));
}

/** What a coder or a reviewer asks while its work goes on, and what a person says to somebody's assumption. */
function questions({ state }: Board): readonly Wake[] {
  return questionsOf(state).flatMap((one) => {
    if (one.assume === undefined) return []; // it blocks a task, which wakes by itself
    if (isOpen(one))
      return needsPerson(one) ? [] : [wake('QUESTION_ASKED', one.id, one.reopened ?? one.created ?? '0')];
    if (one.status === 'withdrawn' || roleOfId(one.closed_by ?? '') !== undefined) return [];
    if (differs(one)) return [wake('QUESTION_ANSWERED', one.id, one.closed_at ?? '0')];
    if (one.closed_by === undefined) return [];
    return [{ ...wake('ASSUMPTION_ACCEPTED', one.id, one.closed_at ?? '0'), quiet: true }];
  });
}

/** A file of specs reads differently: what its sections say now may be no task's, or contradict what is merged. */
const specs = ({ state }: Board): readonly Wake[] =>
  state.spec_changes
    .filter(({ before }) => before !== undefined)
    .map((one) => ({ trigger: 'SPEC_CHANGED', key: `SPEC_CHANGED:${specChangeKey(one)}`, record: one.spec }));

/** Notes to coders or reviewers are for their prompts; all others are for the planner. Open ones, shown or not. */
function notes({ state }: Board): readonly Wake[] {
  const isPlanners = ({ for: reader = '' }: Note): boolean => {
    const role = roleOfId(reader) ?? (ROLE_NAMES.includes(reader) ? reader : 'planner');
    return role === 'planner';
  };
  return namedNotes(state)
    .filter(({ note }) => note.processed_at === undefined && isPlanners(note))
    .map(({ id, note }) => wake('HUMAN_NOTE', id, note.timestamp));
}

/** Nothing is left to do under a goal that still runs: complete it or plan on. */
function allTerminal(board: Board): readonly Wake[] {
  const { state } = board;
  const total = state.tasks.length + endedOfGoal(board).length;
  const ended = state.tasks.every((task) => isTerminal(task.status));
  if (state.goal.status !== 'IN_PROGRESS' || total === 0 || !ended) return [];
  // A goal that only a person's answers held back goes on once the last of them is there, also where they agree.
  const isHeld = questionsOf(state).some((one) => isOpen(one) && needsPerson(one));
  return [wake('ALL_TERMINAL', state.goal.id, `${total}${isHeld ? '?' : ''}`)];
}

// History only grows, so its length counts a task's changes. What the planner itself amends or answers of a task that
// it leaves as it is must not wake it again: that would be a loop that only spends tokens.
const OWN_STEPS: ReadonlySet<string> = new Set(['amended', 'answered']);

function revision(task: Task): number {
  const history = task.history ?? [];
  const last = history.findLastIndex((e) => !(OWN_STEPS.has(e.event) && roleOfId(e.agent ?? '') === 'planner'));
  return last + 1;
}

const wake = (trigger: WakeTrigger, record: string, rev: string): Wake => ({
  trigger,
  key: `${trigger}:${record}@${rev}`,
  record,
});
