// What may be done next: the commands that the table admits for a part on a task as it is. Hints of refusals end with
// these commands, and views enable their actions by them. Guards are not tried here: a possible command may still be
// refused.

import { type Actor, type Board, type Hold, holdOn, isAgentPart, isPause, type Part, plays } from './board.ts';
import type { CommandName } from './command.ts';
import type { CommandLine, Row } from './command-row.ts';
import { findTask } from './find.ts';
import type { State, Task, TaskStatus } from './state.ts';
import { TABLE } from './table.ts';

export function possible(board: Board, parts: readonly Part[], task: Task): readonly CommandName[] {
  return rows()
    .filter((row) =>
      parts.some(
        (part) => row.who.includes(part) && admits(row, part, task.status) && !haltedBy(board, row, part, task),
      ),
    )
    .map((row) => row.name);
}

/** The rows behind a verb: the one of its name, and those that are steps of it. */
export const rowsOfVerb = (verb: string): readonly CommandName[] =>
  rows()
    .filter(({ name, typed }) => (typed ?? name) === verb)
    .map(({ name }) => name);

/** Whether the row takes a task in this state from this part. */
export function admits(row: AnyRow, part: Part, status: TaskStatus): boolean {
  const from = row.fromOf?.[part] ?? row.from;
  return Array.isArray(from) && from.includes(status);
}

/**
 * The switch that holds this command back, or the task's own pause; undefined: it may go on. A pause takes what a
 * running agent has finished; see docs/decisions/0025-a-pause-takes-finished-work.md.
 */
export function haltedBy(board: Board, row: AnyRow, part: Part, task: Task | undefined): Hold | undefined {
  const held = holdOn(board, task);
  if (held === undefined || row.startsWork === true) return held;
  return isAgentPart(part) && row.whileHalted !== true && !isPause(held) ? held : undefined;
}

/** The commands that every switch leaves open to an agent; undefined for a person or a supervisor. */
export function openWhileHalted(state: State, part: Part, task: Task | undefined): readonly string[] | undefined {
  if (!isAgentPart(part)) return undefined;
  return rows()
    .filter(
      ({ who, whileHalted, inner, offered: isOffered }) =>
        who.includes(part) && whileHalted && !inner && (task === undefined || isOffered?.(task, state) !== false),
    )
    .map(({ name, typed }) => typed ?? name);
}

/** One line: what this reader can do with the task now; an agent that can do nothing there is told how it goes on or stops. */
export function nextHint(board: Board, actor: Actor, task: Task): string {
  const mine = offered(board, actor.parts, task).filter(() => !isAgent(actor) || isIts(actor, task));
  if (mine.length > 0) return `Next: ${lines(mine, task)}`;
  if (isAgent(actor)) return goOnOrStop(board, actor, task);
  for (const part of EVERY_PART) {
    if (plays(actor, part)) continue;
    const theirs = offered(board, [part], task);
    if (theirs.length === 0) continue;
    const who = NAMES[part];
    return plays(actor, 'human')
      ? `It waits for ${who}; see it: liza show ${task.id}`
      : `Next, by ${who}: ${lines(theirs, task)}`;
  }
  return `See its state: liza show ${task.id}`;
}

/** For an agent that asked for what is not its own: its own work, where it holds some, else how it stops. */
export function goOnOrStop(board: Board, actor: Actor, asked?: Task): string {
  const own = findTask(board.state, board.state.agents[actor.id ?? '']?.current_task ?? '');
  const mine = own === undefined || own.id === asked?.id || !isIts(actor, own) ? [] : offered(board, actor.parts, own);
  if (own !== undefined && mine.length > 0) return `Your work is ${own.id}. Next: ${lines(mine, own)}`;
  return plays(actor, 'planner')
    ? 'There is nothing for you to do there. If nothing else is left, stop: liza exit 0 --reason "nothing more to plan now"'
    : 'There is nothing for you to do there. Stop now: liza exit 42 --reason "nothing left to do here"';
}

/** It holds the task or its review; every task is a planner's. */
const isIts = (actor: Actor, { assigned_to, reviewing_by, status }: Task): boolean =>
  plays(actor, 'planner') || (status === 'READY_FOR_REVIEW' ? reviewing_by : assigned_to) === actor.id;

export const isAgent = ({ parts }: Actor): boolean => parts.length > 0 && parts.every(isAgentPart);

const offered = (board: Board, parts: readonly Part[], task: Task): readonly CommandName[] =>
  possible(board, parts, task).filter(
    (name) => TABLE[name].inner !== true && TABLE[name].offered?.(task, board.state) !== false,
  );

const lines = (names: readonly CommandName[], task: Task): string =>
  names
    .slice(0, 3)
    .map((name) => `${commandLine(name, task.id)}${TABLE[name].hinted?.(task) ?? ''}`)
    .join('; or ');

type AnyRow = Omit<Row<CommandName>, 'already' | 'guards' | 'change'>;

/** Each is loaded when it is asked for (tools/bundle.mjs). */
const rows = (): readonly AnyRow[] => Object.values(TABLE) as readonly AnyRow[];
const EVERY_PART: readonly Part[] = ['supervisor', 'coder', 'code_reviewer', 'planner', 'human'];
const NAMES: Readonly<Record<Part, string>> = {
  supervisor: 'the supervisor',
  coder: 'its coder',
  code_reviewer: 'a reviewer',
  planner: 'the planner',
  human: 'a person',
};

/** How a command is typed. Rows get this with their situation, because they cannot import what reads them. */
export const commandLine: CommandLine = (name, task = '<task>') =>
  `liza ${TABLE[name].syntax.replaceAll('{task}', task)}`;
