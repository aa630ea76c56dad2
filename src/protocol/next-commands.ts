// What may be done next: the commands that the table admits for a part on a task as it is. Hints of refusals end with
// these commands, and views enable their actions by them. Guards are not tried here: a possible command may still be
// refused.

import { type Actor, type Board, type Hold, holdOn, isAgentPart, type Part, plays } from './board.ts';
import type { CommandName } from './command.ts';
import type { CommandLine, Row } from './command-row.ts';
import type { Task, TaskStatus } from './state.ts';
import { TABLE } from './table.ts';

export function possible(board: Board, parts: readonly Part[], task: Task): readonly CommandName[] {
  return ROWS.filter((row) =>
    parts.some((part) => row.who.includes(part) && admits(row, part, task.status) && !haltedBy(board, row, part, task)),
  ).map((row) => row.name);
}

/** Whether the row takes a task in this state from this part. */
export function admits(row: AnyRow, part: Part, status: TaskStatus): boolean {
  const from = row.fromOf?.[part] ?? row.from;
  return Array.isArray(from) && from.includes(status);
}

/** The switch that holds this command back, or the task's own pause; undefined: it may go on. */
export function haltedBy(board: Board, row: AnyRow, part: Part, task: Task | undefined): Hold | undefined {
  const held = row.startsWork === true || (isAgentPart(part) && row.whilePaused !== true);
  return held ? holdOn(board, task) : undefined;
}

/** One line: what this actor, or else somebody, can do with the task now. */
export function nextHint(board: Board, actor: Actor, task: Task): string {
  const mine = possible(board, actor.parts, task).filter((name) => TABLE[name].inner !== true);
  if (mine.length > 0)
    return `Next: ${mine
      .slice(0, 3)
      .map((name) => commandLine(name, task.id))
      .join('; or ')}`;
  for (const part of EVERY_PART) {
    if (plays(actor, part)) continue;
    const theirs = possible(board, [part], task).filter((name) => TABLE[name].inner !== true);
    if (theirs.length > 0)
      return `Next, by ${NAMES[part]}: ${theirs
        .slice(0, 3)
        .map((name) => commandLine(name, task.id))
        .join('; or ')}`;
  }
  return `See where it stands: liza show ${task.id}`;
}

type AnyRow = Omit<Row<CommandName>, 'already' | 'guards' | 'change'>;

const ROWS: readonly AnyRow[] = Object.values(TABLE) as readonly AnyRow[];
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
