// What somebody else did to the task that a session works on: amended it, took its submission back, blocked it, tried its
// validation on the base. Part of news.ts, and light like it: no schema.

import { gist } from '../../text/format.ts';
import { amendmentLines, amendmentsSincePlan, amendmentsUnderClaim, type UnderClaim } from '../definition/amendment.ts';
import { findTask } from '../find.ts';
import { historyOf } from '../leases.ts';
import {
  changedText,
  needsPlanner,
  notThere,
  ranNothing,
  type Trial,
  trialCommands,
  trialOf,
} from '../review/trial.ts';
import type { HistoryEvent, State, Task } from '../state.ts';
import { defined } from '../values.ts';
import type { Reader } from './notes.ts';

export type TaskNews =
  | {
      readonly kind: 'amended';
      readonly task: string;
      readonly by: string;
      readonly time: string;
      /** The questions whose answers gave rise to it. */
      readonly because: readonly string[];
      /** What of the definition it changed. */
      readonly fields?: readonly string[];
      /** What went and what came, a line each. */
      readonly text: string;
      /** The reader has a plan that is older. */
      readonly replan?: true;
    }
  | {
      readonly kind: 'retracted';
      readonly task: string;
      readonly by: string;
      readonly time: string;
      readonly text: string;
    }
  | {
      /** The reader's task was blocked by somebody else: it is not the reader's any more. */
      readonly kind: 'blocked';
      readonly task: string;
      readonly by: string;
      readonly time: string;
      readonly text: string;
      /** Where the work is. */
      readonly folder?: string;
    }
  | {
      /** How the task's validation came out on the base. */
      readonly kind: 'trial';
      readonly task: string;
      readonly time: string;
      /** A line for each command. */
      readonly text: string;
      /** Some of them cannot be run. */
      readonly cannotRun?: true;
      /** Some of them change tracked files. */
      readonly changesFiles?: true;
      /** The reader may change the commands. */
      readonly amends?: true;
      /** Who works on it, if the reader does not. */
      readonly coder?: string;
    };

export const taskOf = (state: State, { task }: Reader): Task | undefined =>
  task === undefined ? undefined : findTask(state, task);

/** Amendments of the reader's task while it was worked on. */
export function amendments(state: State, reader: Reader): readonly UnderClaim[] {
  const task = reader.role === 'coder' ? taskOf(state, reader) : undefined;
  return task === undefined ? [] : amendmentsUnderClaim(task);
}

/** Two of the same second differ in what they replaced. */
export const amendmentKey = ({ time, was }: UnderClaim): string => `${time} ${JSON.stringify(was).slice(0, 200)}`;

export function amendmentNews(state: State, reader: Reader, entry: UnderClaim): TaskNews {
  const { agent: by = '', time, because, fields } = entry;
  const task = taskOf(state, reader);
  const text = task === undefined ? '' : amendmentLines(task, entry).join('\n');
  const isLate = task !== undefined && amendmentsSincePlan(task).includes(entry);
  return {
    kind: 'amended',
    task: reader.task ?? '',
    by,
    time,
    because,
    ...defined({ fields }),
    text,
    ...(isLate ? { replan: true } : {}),
  };
}

/** A reviewer's own work that its coder took back. */
export function retractions(state: State, { agent, role, task: id }: Reader): readonly HistoryEvent[] {
  const task = role !== 'code_reviewer' || id === undefined ? undefined : findTask(state, id);
  if (task === undefined) return [];
  return historyOf(task).filter(({ event, reviewer }) => event === 'retracted' && reviewer === agent);
}

/** Blocks of the reader's task that are not its own doing: a person's `replan`, a dependency that was given up. */
export function blocks(state: State, reader: Reader): readonly HistoryEvent[] {
  const task = reader.role === 'planner' ? undefined : taskOf(state, reader);
  if (task?.status !== 'BLOCKED') return [];
  return historyOf(task).filter(({ event, agent }) => event === 'blocked' && agent !== reader.agent);
}

export function blockNews(state: State, reader: Reader, { time, agent: by = 'liza', reason }: HistoryEvent): TaskNews {
  const folder = reader.role === 'coder' ? taskOf(state, reader)?.worktree : undefined;
  return { kind: 'blocked', task: reader.task ?? '', by, time, text: String(reason), ...defined({ folder }) };
}

interface Tried extends Trial {
  readonly task: string;
}

/** To the coder of the task while it works; to a planner what cannot be run, or changes tracked files, also where a coder has begun. */
export function trials(state: State, reader: Reader): readonly Tried[] {
  const mine = taskOf(state, reader);
  const about =
    reader.role === 'planner'
      ? state.tasks.filter((task) => needsPlanner(task) || changesFiles(task))
      : reader.role === 'coder' && mine?.status === 'CLAIMED'
        ? [mine]
        : [];
  return about.flatMap((task) => {
    const trial = trialOf(task);
    return trial === undefined ? [] : [{ ...trial, task: task.id }];
  });
}

const changesFiles = (task: Task): boolean =>
  (task.status === 'UNCLAIMED' || task.status === 'CLAIMED') &&
  (trialOf(task)?.runs ?? []).some(({ changed }) => changed !== undefined);

/** By what it says: one that came out as before, on whatever base, is no news. */
export const trialKey = ({ task, commands, runs }: Tried): string =>
  `${task} ${commands.map((command) => command.length).join('.')} ${runs.map(({ is }) => is).join(' ')}`;

const LONGEST_COMMAND = 60;

export function trialNews(state: State, { task, time, runs }: Tried, { role }: Reader): TaskNews {
  const about = findTask(state, task);
  const numbered = about === undefined ? [] : trialCommands(about);
  const coder = role === 'planner' ? about?.assigned_to : undefined;
  const known = new Set(runs.map(({ command }) => command));
  const own = state.config.test_command?.trim();
  const untried = [
    ...numbered.flatMap((command, at) => (known.has(command) ? [] : [`#${at + 1} not tried, time was up`])),
    ...(own === undefined || own === '' || numbered.includes(own)
      ? []
      : [`#${numbered.length + 1} not tried, the project’s own: ${gist(own, LONGEST_COMMAND)}`]),
  ];
  const lines = runs.map(
    ({ is, command, how, output, ...run }) =>
      `#${numbered.indexOf(command) + 1} ${is.replace('_', ' ')}${is === 'green' ? `${ranNothing({ is, ...run })}${notThere(run)}` : ` (${how})`}${changedText(run)}: ${gist(command, LONGEST_COMMAND)}${is === 'cannot_run' && output !== undefined ? `\n${output}` : ''}`,
  );
  return {
    kind: 'trial',
    task,
    time,
    text: [...lines, ...(role === 'planner' ? [] : untried)].join('\n'),
    ...(runs.some(({ is }) => is === 'cannot_run') ? { cannotRun: true } : {}),
    ...(runs.some(({ changed }) => changed !== undefined) ? { changesFiles: true } : {}),
    ...(role === 'planner' ? { amends: true, ...defined({ coder }) } : {}),
  };
}
