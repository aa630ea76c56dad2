// What each wake asks of the planner: the record as far as it must be known to decide, and the commands
// that decide it, with their real ids.

import { taskUsedUp } from '../../budget/rules/limits.ts';
import type { Board } from '../../protocol/board.ts';
import { findTask } from '../../protocol/find.ts';
import { openPlan } from '../../protocol/goal/plan.ts';
import { historyOf, lastCoder } from '../../protocol/leases.ts';
import { openDiscoveries } from '../../protocol/messages/discoveries.ts';
import { blockingQuestions, needsPerson, openQuestions } from '../../protocol/messages/questions.ts';
import { unrunnable } from '../../protocol/review/trial.ts';
import { type State, settings, type Task } from '../../protocol/state.ts';
import { isFields } from '../../protocol/values.ts';
import { isDeadlocked, isExhausted, isStoppedByBudget, unblocksOf } from '../../protocol/work/blocked.ts';
import { counted, gist, listed } from '../../text/format.ts';
import type { WakeTrigger } from '../rules/wakes.ts';
import { accepted, questionAnswered, questionAsked, rejectedAfterAnswer } from './question-triggers.ts';
import { field, inline, quote, quoteList } from './quote.ts';
import { outsideLines, rejectionOf } from './sections.ts';
import { showTask } from './task-fields.ts';
import { trialRun } from './trial.ts';

/** More records are only named: each is one command away. */
const MOST = 5;

export function triggerLines(
  board: Board,
  trigger: Exclude<WakeTrigger, 'SPEC_CHANGED'>,
  records: readonly string[],
): readonly string[] {
  const tasks = (lines: (task: Task) => readonly string[]): readonly string[] => [
    ...records.slice(0, MOST).flatMap((id) => {
      const task = findTask(board.state, id);
      return task === undefined ? [] : lines(task);
    }),
    ...records.slice(MOST).map((id) => `- ${inline(id)}: read it with \`liza show ${inline(id)}\``),
  ];
  switch (trigger) {
    case 'INITIAL_PLANNING':
      return initialPlanning(board);
    case 'BLOCKED_TASKS':
      return tasks((task) => blockedTask(board, task));
    case 'INTEGRATION_FAILED':
      return tasks(integrationFailed);
    case 'HYPOTHESIS_EXHAUSTED':
      return tasks(exhausted);
    case 'VALIDATION_CANNOT_RUN':
      return tasks(cannotRun);
    case 'REJECTED_AFTER_ANSWER':
      return tasks((task) => rejectedAfterAnswer(board, task));
    case 'IMMEDIATE_DISCOVERY':
      return records.flatMap((id) => discovery(board, id));
    case 'QUESTION_ASKED':
      return records.flatMap((id) => questionAsked(board, id));
    case 'QUESTION_ANSWERED':
      return records.flatMap((id) => questionAnswered(board, id));
    case 'ASSUMPTION_ACCEPTED':
      return accepted(board, records);
    case 'HUMAN_NOTE':
      return [
        '* HUMAN_NOTE: do what HUMAN NOTES asks; it outranks the plan. If it answers a blocked task, write the answer into that task. Then `liza align "what the note changed" --event "human note"`, and mark each as done.',
      ];
    case 'ALL_TERMINAL':
      return allTerminal(board);
    default:
      return trigger satisfies never;
  }
}

function initialPlanning({ state }: Board): readonly string[] {
  const drafts = state.tasks.filter(({ status }) => status === 'DRAFT').map(({ id }) => id);
  const first = drafts[0];
  const begun = openPlan(state)?.planned ?? [];
  const steps = [
    'Read GOAL SPEC, the specs it names, and enough code to split the work well.',
    ...(begun.length === 0
      ? []
      : [
          `These tasks are planned already: ${listed(begun, 20)}. Do not add them again: compare them with GOAL SPEC, and plan only what they leave out.${drafts.length === 0 ? ' If that is nothing, only `liza plan done` is missing: run it now.' : ''}`,
        ]),
    ...(first === undefined
      ? []
      : [
          `These drafts already exist: ${drafts.slice(0, 20).join(', ')}. Complete them (\`liza amend ${first} --done "how anyone can tell"\`) or drop them (\`liza abandon ${first} --reason "why it is not needed"\`).`,
        ]),
    `Add each task${begun.length === 0 ? '' : ' that is missing'}, those it depends on first, then finalize it; see COMMANDS and TESTS.`,
    'What the specs leave open: ask while its task is a draft, with what you assume, and plan with that: it is worked on at once. What a wrong guess would waste stays a draft until the answer wakes you.',
    ...planDone(state),
    '`liza align "how these tasks reach the goal" --event "initial plan"`',
  ];
  const task =
    begun.length === 0
      ? 'turn the goal into tasks.'
      : 'the plan is begun, and nobody has closed it. Finish it; do not begin again.';
  return [`* INITIAL_PLANNING: ${task}`, ...steps.map((step, at) => `${at + 1}. ${step}`)];
}

function planDone(state: State): readonly string[] {
  if (state.sprint.scope.closed_at !== undefined) return [];
  const before = (openPlan(state)?.sessions ?? 0) > 0;
  return [
    `When the plan covers the goal: \`liza plan done\`; until then it counts as unfinished${before ? ', and a session before you ended without it: after this one a person is asked' : ''}.`,
  ];
}

function blockedTask(board: Board, task: Task): readonly string[] {
  const rest = showTask(task);
  const last = historyOf(task).findLast(({ event }) => event === 'blocked' || event === 'limit');
  return [
    `* BLOCKED: ${task.id}${last?.agent === undefined ? '' : `, by ${inline(last.agent)}`}, iteration ${task.iteration ?? 0}, ${task.review_cycles_total ?? 0} rejections. History: \`liza show ${task.id}\``,
    ...field('REASON', task.blocked_reason, rest),
    ...assumedOf(board, task),
    ...blockedQuestions(board, task),
    ...outsideOf(task),
    ...(task.attempted === undefined ? [] : ['TRIED:', ...quoteList(task.attempted, rest)]),
    ...whatToDo(board, task),
  ];
}

/** Of a plan that assumed too much, nobody can answer without them. */
function assumedOf({ state }: Board, task: Task): readonly string[] {
  const checkpoint = historyOf(task).findLast(({ event }) => event === 'pre_execution_checkpoint')?.checkpoint;
  const assumptions = isFields(checkpoint) ? checkpoint['assumptions'] : undefined;
  if (!Array.isArray(assumptions) || assumptions.length <= settings(state).assumption_budget) return [];
  return ['ASSUMED:', ...quoteList(assumptions.map(String), showTask(task))];
}

/** A reviewer that blames what the change left alone may be what blocks it. */
function outsideOf(task: Task): readonly string[] {
  const rejection = rejectionOf(task);
  return rejection === undefined ? [] : outsideLines(rejection).map((line) => `${line} (the last rejection)`);
}

function whatToDo({ state }: Board, task: Task): readonly string[] {
  const times = unblocksOf(task);
  if (times >= settings(state).max_unblocks) {
    return [
      `It was unblocked ${counted(times, 'time')}: only a person may do it again. Leave it BLOCKED, unless:`,
      ...rescope(task),
    ];
  }
  if (isDeadlocked(task)) return deadlockLines(task);
  if (isStoppedByBudget(task)) {
    return taskUsedUp(state, task).length === 0
      ? [`Its budget was raised: \`liza unblock ${task.id}\`; it continues where it was.`, ...rescope(task)]
      : ['Only a person can give it more: leave it BLOCKED, unless it should be made smaller.', ...rescope(task)];
  }
  if (isExhausted(task)) return [...rescope(task), 'Only a person can answer: leave it BLOCKED.'];
  return [
    `The spec or a note has the answer: \`liza answer ${task.id} "the answer"\`; its coder continues with it. With \`--criterion\` it becomes part of done_when; \`liza unblock ${task.id} "the answer" --scope "…"\` changes more with it.`,
    ...rescope(task),
    'Only a person can answer: leave it BLOCKED; its questions are shown to them.',
  ];
}

/** Each with the id that answers it alone; the default questions of a limit have none. */
function blockedQuestions({ state }: Board, task: Task): readonly string[] {
  const { blocked_questions: asked = [] } = task;
  if (asked.length === 0) return [];
  const ids = new Map(blockingQuestions(state, task).map(({ text, id }) => [text, id]));
  const told = asked.map((text) => (ids.has(text) ? `${ids.get(text)}: ${text}` : text));
  return ['QUESTIONS:', ...quoteList(told, showTask(task))];
}

const rescope = (task: Task): readonly string[] => [
  `Badly split: add better tasks, then \`liza supersede ${task.id} --root-cause "why it could not work" --replacement new-task\``,
  `No way forward: \`liza abandon ${task.id} --reason "why"\``,
];

function integrationFailed(task: Task): readonly string[] {
  const failed = historyOf(task).findLast(({ event }) => event === 'integration_failed');
  const reason = typeof failed?.reason === 'string' ? failed.reason : undefined;
  return [
    `* INTEGRATION_FAILED: ${task.id} was approved but did not merge.`,
    ...field('REASON', reason, showTask(task)),
    'A coder takes the fix without you; step in only if the plan is the cause:',
    `Two tasks contradict each other: \`liza block ${task.id} --reason "what contradicts" --question "which side is right?"\``,
    `It must be split differently: \`liza supersede ${task.id} --root-cause "why it could not merge" --replacement new-task\``,
  ];
}

function exhausted(task: Task): readonly string[] {
  return [
    `* HYPOTHESIS_EXHAUSTED: ${(task.failures_current ?? []).join(' and ')} failed ${task.id} as it is defined: it cannot be released unchanged.`,
    `Change it in substance: \`liza unblock ${task.id} "the answer" --add-done "what was missing" --scope "IN: less. OUT: more"\``,
    ...rescope(task),
  ];
}

function cannotRun(task: Task): readonly string[] {
  return [
    `* VALIDATION_CANNOT_RUN: Liza tried the validation of ${task.id} on the base, and ${whoWaits(task)}.`,
    ...unrunnable(task).flatMap((run) => trialRun(task, run)),
    `Misspelt, or not in this project: \`liza amend ${task.id} --validate "command"\` (repeat it: all are replaced), and it is tried again.`,
    'The task itself creates the program: leave it; its coder is told. Only a person can install it: `liza ask "who installs what is missing?" --assume "what you plan with until then"`',
  ];
}

const whoWaits = ({ status, assigned_to }: Task): string =>
  status === 'CLAIMED'
    ? `${assigned_to} works on it: it is told of this, and of what you amend`
    : 'nobody gets the task before you have looked at it';

function discovery({ state }: Board, id: string): readonly string[] {
  const found = state.discovered.find((one) => one.id === id);
  if (found === undefined) return [];
  const during = found.during === undefined ? '' : ` during ${found.during}`;
  return [
    `* IMMEDIATE_DISCOVERY: ${found.id}, severity ${found.severity}, by ${inline(found.by)}${during}`,
    ...field('FOUND', found.description, 'liza discovery list --json'),
    ...(found.recommendation === undefined
      ? []
      : field('RECOMMENDS', found.recommendation, 'liza discovery list --json')),
    `If it needs work: add a task, then \`liza discovery convert ${found.id} new-task\``,
    `If it does not: \`liza discovery dismiss ${found.id} --reason "why it needs no task"\``,
  ];
}

function allTerminal({ state }: Board): readonly string[] {
  const left = state.tasks.filter(({ status }) => status === 'ABANDONED').map(({ id }) => id);
  return [
    `* ALL_TERMINAL: every task has ended. Compare GOAL SPEC with what was merged on ${inline(state.config.integration_branch ?? 'integration')}, criterion by criterion.`,
    ...(left.length === 0 ? [] : [`Abandoned on the way: ${left.slice(0, 20).join(', ')}.`]),
    ...lastCheck(state),
    ...heldBack(state),
    'Something is missing: add and finalize the tasks for it (no second `plan done`), then `liza align "what was missing" --event "goal check"`',
  ];
}

/** No session remembers another: what was compared before need not be compared again. */
function lastCheck({ goal }: State): readonly string[] {
  const last = (goal.alignment_history ?? []).findLast(({ event }) => event === 'goal check');
  return last === undefined
    ? []
    : [`THE LAST CHECK, ${last.timestamp}:`, ...quote(gist(last.summary, LONGEST_CHECK), 'liza log')];
}

const LONGEST_CHECK = 600;

/** What the goal waits for, by who can end that; a `goal complete` that would be refused is not offered. */
function heldBack(state: State): readonly string[] {
  const [discoveries, questions] = [openDiscoveries(state), openQuestions(state)];
  const answerable = questions.some((one) => !needsPerson(one));
  return [
    ...(discoveries.length === 0
      ? []
      : ['Decide the open discoveries first; critical and high ones hold the goal back.']),
    ...(answerable ? ['Answer the open questions of coders and reviewers first: they hold the goal back.'] : []),
    questions.some(needsPerson)
      ? 'All of it is met: leave your own open questions to a person; the goal waits for the answers, and they wake you. If it helps, `liza align "what is met" --event "goal check"`; then Last (that is no spinning).'
      : 'All of it is met: `liza goal complete --summary "what was reached"`',
    ...(discoveries.length + questions.length === 0
      ? []
      : ['What the next goal should take up: `liza goal complete --carry-over --summary "what was reached"`']),
  ];
}

/** The five ways in which a planner may judge a review deadlock. Nothing is discarded unless the planner chooses so. */
function deadlockLines(task: Task): readonly string[] {
  const { id } = task;
  const coder = lastCoder(task) ?? 'coder-1';
  const record = `\`liza anomaly --type review_deadlock --task ${id} --detail assessment="your judgement"\``;
  return [
    'A review deadlock. Read every rejection and what answered it, then choose one assessment:',
    `1. The coder does not address the feedback; another one continues the work: \`liza unblock ${id} --keep-worktree --exclude ${coder} --assessment "which blocker was never answered"\``,
    `2. The reviewer's criteria are unclear or shift; make them clear, the same coder continues: \`liza unblock ${id} --keep-worktree --reset-review-cycles --reserve ${coder} --add-done "the criterion, now unambiguous" --assessment "what shifted"\``,
    `3. They disagree about the approach; decide it, as a constraint: \`liza unblock ${id} --reset-review-cycles --scope "IN: the chosen way. OUT: the other" --add-done "what proves it" --assessment "which way, and why"\``,
    `4. The task is misframed: ${record}, add better tasks, then \`liza supersede ${id} --root-cause "what was misframed" --replacement new-task\``,
    `5. There is no viable path: the same record, then \`liza abandon ${id} --reason "why none is left"\``,
    'If the spec itself must change, leave it BLOCKED: only a person changes specs.',
  ];
}
