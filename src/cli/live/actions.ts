// What a person can do with the chosen row, taken from the command table: an action is offered exactly where the table
// would take the command from a person now. Pure. The board runs an action as the command that a person would type, so
// that it means the same on both ways; argv never passes a shell.

import { type Board, OPERATOR } from '../../protocol/board.ts';
import type { Command, CommandName } from '../../protocol/command.ts';
import { decide } from '../../protocol/decide.ts';
import { findTask } from '../../protocol/find.ts';
import { isOpenDiscovery } from '../../protocol/messages/discoveries.ts';
import { blockingQuestions } from '../../protocol/messages/questions.ts';
import { commandLine, possible } from '../../protocol/next-commands.ts';
import { settings } from '../../protocol/state.ts';
import { TABLE } from '../../protocol/table.ts';
import { isDeadlocked } from '../../protocol/work/blocked.ts';
import type { Instant } from '../../text/time.ts';

export interface Choice {
  readonly kind: 'agent' | 'task' | 'alarm' | 'discovery' | 'event';
  readonly id: string;
}

export interface Action {
  /** Unique among the actions of one row. */
  readonly name: string;
  readonly says: string;
  /** What has to be typed for it. */
  readonly asks?: { readonly label: string; readonly optional?: true };
  /** Destroys or spends: asked first. */
  readonly confirm?: string;
  /** What follows `liza`. */
  readonly argv: (text: string) => readonly string[];
}

/** A command that the table allows and that takes more than one text: it is typed in another terminal. */
export interface TypedAction {
  readonly line: string;
}

export interface Offers {
  readonly actions: readonly Action[];
  readonly typed: readonly TypedAction[];
  /** Why a person cannot unblock the row's task now. */
  readonly unblockRefusal?: string | undefined;
}

export interface Entry extends Action {
  /** What the table is asked about, with some text in place of what is not typed yet. */
  readonly probe: Command;
}

export const SOME_TEXT = 'a person decided this on the board';
/** Of the disk nothing is known here: what is wrong there is told when the command runs. */
export const FACTS = { spec_exists: true };

/** The chosen row's actions; without a row, those of the whole board. `task`: the one that a chosen agent works on. */
export function offersFor(board: Board, now: Instant, target: Choice | undefined, task?: string): Offers {
  const entries = [
    ...(target?.kind === 'agent' || target?.kind === 'task' ? noteActions(target.id) : []),
    ...(task === undefined ? [] : taskActions(board, task)),
    ...(target?.kind === 'discovery' ? discoveryActions(target.id) : []),
    ...(target === undefined ? boardActions(board) : []),
  ];
  const actions = entries.filter(({ probe }) => isAllowed(board, probe, now));
  return { actions, typed: typedFor(board, target, task), unblockRefusal: unblockRefusal(board, now, task) };
}

function unblockRefusal(board: Board, now: Instant, task: string | undefined): string | undefined {
  const probe = task === undefined ? undefined : taskActions(board, task).find(({ name }) => name === 'unblock')?.probe;
  const decision = probe && decide(board, probe, { actor: OPERATOR, now });
  return decision === undefined || decision.ok ? undefined : decision.message;
}

/** Whether the table would take it from a person now, and it would change something. */
export function isAllowed(board: Board, probe: Command, now: Instant): boolean {
  const decision = decide(board, probe, { actor: OPERATOR, now });
  return decision.ok && decision.already !== true;
}

const reason = (text: string): readonly string[] => (text === '' ? [] : [`--reason=${text}`]);

const noteActions = (id: string): readonly Entry[] => [
  {
    name: 'note',
    says: `leave a note for ${id}`,
    asks: { label: `The note for ${id}` },
    argv: (text) => ['note', `--for=${id}`, '--', text],
    probe: { name: 'note', message: SOME_TEXT, for: id },
  },
];

const taskActions = (board: Board, task: string): readonly Entry[] => [
  {
    name: 'answer',
    says: 'answer its questions; then it goes back to its coder',
    asks: { label: 'The answer' },
    argv: (text) => ['answer', task, '--', text],
    probe: { name: 'answer', about: task, text: SOME_TEXT, facts: FACTS },
  },
  ...(isAsked(board, task) ? unblockAsked(task) : unblockActions(task, isStuck(board, task))),
  {
    name: 'pause',
    says: 'pause only this task',
    argv: () => ['pause', task],
    probe: { name: 'pause', task },
  },
  {
    name: 'resume',
    says: 'let this task continue',
    argv: () => ['resume', task],
    probe: { name: 'resume', task },
  },
  {
    name: 'finalize',
    says: 'release the draft for coders',
    confirm: `Release ${task}? Coders may take it at once, which costs tokens.`,
    argv: () => ['finalize', task],
    probe: { name: 'finalize', task, facts: FACTS },
  },
  {
    name: 'replan',
    says: 'stop it and hand it back to the planner',
    asks: { label: 'Why', optional: true },
    confirm: `Stop ${task} and hand it back to the planner?`,
    argv: (text) => ['replan', task, ...reason(text)],
    probe: { name: 'replan', task },
  },
  {
    name: 'release-claim',
    says: 'take it from its coder; the work is kept',
    asks: { label: 'Why', optional: true },
    confirm: `Take ${task} from its coder?`,
    argv: (text) => ['release-claim', task, ...reason(text)],
    probe: { name: 'release-claim', task },
  },
  {
    name: 'abandon',
    says: 'give it up for good',
    asks: { label: 'Why there is no way forward' },
    confirm: `Give ${task} up for good?`,
    argv: (text) => ['abandon', task, ...reason(text)],
    probe: { name: 'abandon', task, rationale: SOME_TEXT },
  },
];

/** `judged`: coder and reviewer were deadlocked, and nobody sends it back without saying who was right. */
const unblockActions = (task: string, judged: boolean): readonly Entry[] => [
  {
    name: 'unblock',
    says: 'give it back to the coders, who continue from the work so far',
    asks: judged ? JUDGEMENT : WHY,
    argv: (text) => ['unblock', task, '--keep-worktree', ...(text === '' ? [] : [`--assessment=${text}`])],
    probe: { name: 'unblock', task, keep_worktree: true, assessment: SOME_TEXT, facts: FACTS },
  },
  {
    name: 'unblock from scratch',
    says: 'give it back to the coders, who start over; the work so far is put away',
    asks: judged ? JUDGEMENT : WHY,
    confirm: startOver(task),
    argv: (text) => ['unblock', task, '--start-over', ...(text === '' ? [] : [`--assessment=${text}`])],
    probe: { name: 'unblock', task, assessment: SOME_TEXT, facts: FACTS },
  },
];

/** Of a task that somebody's question holds: nobody sends it back without a word on that. */
const unblockAsked = (task: string): readonly Entry[] => [
  {
    name: 'unblock',
    says: 'answer what holds it; its coder continues from the work so far',
    asks: { label: 'The answer' },
    argv: (text) => ['unblock', task, '--keep-worktree', '--', text],
    probe: { name: 'answer', about: task, text: SOME_TEXT, unblock: { keep_worktree: true }, facts: FACTS },
  },
  {
    name: 'unblock from scratch',
    says: 'withdraw its questions; its next coder starts over; the work so far is put away',
    asks: { label: 'Why its questions need no answer' },
    confirm: startOver(task),
    argv: (text) => ['unblock', task, '--start-over', `--withdraw=${text}`],
    probe: { name: 'unblock', task, withdraw: SOME_TEXT, facts: FACTS },
  },
];

const JUDGEMENT = { label: 'Who of coder and reviewer is stuck, and why' };
const WHY = { label: 'Why, for its history', optional: true } as const;

const startOver = (task: string): string =>
  `Start ${task} over? Its next coder begins with none of the work so far; liza attempts ${task} shows it from then on.`;

function isAsked({ state }: Board, id: string): boolean {
  const task = findTask(state, id);
  return task !== undefined && blockingQuestions(state, task).length > 0;
}

function isStuck({ state }: Board, id: string): boolean {
  const task = findTask(state, id);
  return task !== undefined && isDeadlocked(task);
}

const discoveryActions = (id: string): readonly Entry[] => [
  {
    name: 'discovery dismiss',
    says: 'it needs no task',
    asks: { label: 'Why it needs no task' },
    argv: (text) => ['discovery', 'dismiss', id, `--reason=${text}`],
    probe: { name: 'discovery dismiss', discovery: id, reason: SOME_TEXT },
  },
];

const grace = ({ state }: Board): string => `${settings(state).pause_grace} s`;

const boardActions = (board: Board): readonly Entry[] => [
  {
    name: 'note',
    says: 'leave a note for everyone',
    asks: { label: 'The note for everyone' },
    argv: (text) => ['note', '--', text],
    probe: { name: 'note', message: SOME_TEXT },
  },
  {
    name: 'pause',
    says: `nothing new starts; sessions have ${grace(board)} to finish or hand off`,
    argv: () => ['pause'],
    probe: { name: 'pause' },
  },
  {
    name: 'resume',
    says: 'go on where all was stopped',
    argv: () => ['resume'],
    probe: { name: 'resume' },
  },
  {
    name: 'analyze --resolve',
    says: 'the circuit breaker’s finding is handled',
    asks: { label: 'What was done about it' },
    argv: (text) => ['analyze', `--resolve=${text}`],
    probe: { name: 'resolve', resolution: SOME_TEXT },
  },
  {
    name: 'checkpoint',
    says: `halt for a decision; sessions have ${grace(board)} to hand off`,
    asks: { label: 'Why', optional: true },
    confirm: 'Halt everything? Agents save their work and end.',
    argv: (text) => ['checkpoint', ...reason(text)],
    probe: { name: 'checkpoint' },
  },
  {
    name: 'plan done',
    says: 'the plan is complete',
    confirm: 'Close the plan of this sprint?',
    argv: () => ['plan', 'done'],
    probe: { name: 'plan done' },
  },
  {
    name: 'goal complete',
    says: 'the goal is reached',
    confirm: 'Declare the goal reached? All agents stop.',
    argv: () => ['goal', 'complete'],
    probe: { name: 'goal complete' },
  },
  {
    name: 'abort',
    says: 'end all sessions at once; work stays, resume opens it again',
    asks: { label: 'Why', optional: true },
    confirm: 'Stop the goal? Every agent ends.',
    argv: (text) => ['abort', ...reason(text)],
    probe: { name: 'abort' },
  },
];

/** Rows of the table for a person and a task that the board runs itself; `answer` and others are about no one task. */
const RUN_HERE: ReadonlySet<CommandName> = new Set(['unblock', 'finalize', 'replan', 'release-claim', 'abandon']);

function typedFor(board: Board, target: Choice | undefined, id: string | undefined): readonly TypedAction[] {
  const task = id === undefined ? undefined : findTask(board.state, id);
  const names = task === undefined ? [] : possible(board, OPERATOR.parts, task);
  // What a supervisor does by itself is no work for a person at the board: a merge comes by itself.
  const rows = names.filter(
    (name) => !RUN_HERE.has(name) && TABLE[name].inner !== true && !TABLE[name].who.includes('supervisor'),
  );
  const found = board.state.discovered.find((one) => one.id === target?.id);
  return [
    ...rows.map((name) => ({ line: commandLine(name, id) })),
    ...(target?.kind === 'discovery' && found !== undefined && isOpenDiscovery(found)
      ? [{ line: `liza discovery convert ${target.id} <task>` }]
      : []),
  ];
}
