// The trial of a task's own validation on the base: Liza runs it before anything is changed, so that planner, coder and
// reviewer know which commands are green there anyway, which are red, and which cannot be run at all. It refuses nothing:
// a refactoring is green by design.

import { commandsRun } from '../facts/command-files.ts';
import type { PathList } from '../facts/diff-facts.ts';
import { onlyReads } from '../facts/test-commands.ts';
import { historyOf } from '../leases.ts';
import type { State, Task } from '../state.ts';
import { isFields, same } from '../values.ts';
import { RAN_NO_TEST } from './test-count.ts';

/**
 * `cannot_run`: the shell cannot read the line, found no such program, or could not start it (126, 127), and it is no
 * file that the task may bring.
 */
export type TrialResult = 'green' | 'red' | 'cannot_run';

/** Of its output, the telling ones. */
export const MOST_TRIAL_LINES = 12;

export interface TrialRun {
  readonly command: string;
  readonly is: TrialResult;
  /** `ended with 1`, `did not end within 600 s`. */
  readonly how: string;
  readonly seconds: number;
  /** How many tests the runner said that it ran. */
  readonly tests?: number;
  /** What it said of tests that it did not run. */
  readonly skipped?: string;
  /** A test file that it names and the base does not have, where it was green all the same. */
  readonly absent?: string;
  /** Nothing that it leads to on the base can run tests. */
  readonly runs_no_tests?: true;
  /** Tracked files of the checkout that it changed. */
  readonly changed?: PathList;
  /** The end of what was printed, unless it was green. */
  readonly output?: string;
}

export interface Trial {
  /** The base that it was tried on. */
  readonly commit: string;
  readonly commands: readonly string[];
  /** Hash of the settings that decide how commands are run. */
  readonly under: string;
  /** Fewer than the commands where the time ran out. */
  readonly runs: readonly TrialRun[];
  /** When it was recorded. */
  readonly time: string;
}

/** The task's own; the project's test command is run for every task anyway. */
export const trialCommands = ({ validation = [] }: Task): readonly string[] => [
  ...new Set(validation.map((command) => command.trim()).filter((command) => command !== '')),
];

export const trialsOf = (task: Task): readonly Trial[] =>
  historyOf(task).flatMap((entry) => {
    const { event, commit, commands, under, runs, time } = entry;
    if (event !== 'validation_tried' || typeof commit !== 'string' || !Array.isArray(commands)) return [];
    if (!Array.isArray(runs)) return [];
    return [{ commit, commands, under: String(under), runs: runs.filter(isRun), time }];
  });

const isRun = (run: unknown): run is TrialRun =>
  isFields(run) && typeof run['command'] === 'string' && typeof run['how'] === 'string';

/** The last trial of the commands that the task has now: one of others tells nothing about them. */
export const trialOf = (task: Task): Trial | undefined =>
  trialsOf(task).findLast(({ commands }) => same(commands, trialCommands(task)));

/** Commands of the validation that cannot be run on the base, as far as it was tried. */
export const unrunnable = (task: Task): readonly TrialRun[] =>
  (trialOf(task)?.runs ?? []).filter((run) => run.is === 'cannot_run');

/** Whose planner can still do something about it: submitted, the commands were green after all. */
export const needsPlanner = (task: Task): boolean =>
  (task.status === 'UNCLAIMED' || task.status === 'CLAIMED') && unrunnable(task).length > 0;

/** `, test/a.js is not there yet`: some runners only warn of it. */
export const notThere = ({ absent }: Pick<TrialRun, 'absent'>): string =>
  absent === undefined ? '' : `, ${absent} is not there yet`;

/** Whether it surely runs no test: its programs only read, or are known to run none. */
export const onlyLooks = ({ command, tests, runs_no_tests }: TrialRun): boolean =>
  tests === undefined && (runs_no_tests === true || commandsRun([command], {}).every(onlyReads));

/** `, it CHANGED Readme.md`: who runs it in a worktree has that in the next commit. */
export const changedText = ({ changed }: Pick<TrialRun, 'changed'>): string =>
  changed === undefined
    ? ''
    : `, it CHANGED TRACKED FILES (${changed.paths.join(', ')}${changed.more === undefined ? '' : ` and ${changed.more} more`})`;

/** `, it ran no test`: green there says nothing, also where the test that it shall run is not written yet. */
export const ranNothing = ({ is, tests }: Pick<TrialRun, 'is' | 'tests'>): string =>
  is === 'green' && tests === 0 ? `, ${RAN_NO_TEST}` : '';

/** What is known of commands at a commit from trials of any task, under the same settings. */
export const triedAt = ({ tasks }: State, commit: string, under: string): ReadonlyMap<string, TrialRun> =>
  new Map(
    tasks
      .flatMap(trialsOf)
      .filter((trial) => trial.commit === commit && trial.under === under)
      .flatMap(({ runs }) => runs.map((run) => [run.command, run] as const)),
  );

/** The commands that trials saw green at a commit. */
export const triedGreen = (task: Task, commit: string): readonly string[] =>
  trialsOf(task).flatMap((trial) =>
    trial.commit === commit ? trial.runs.flatMap(({ is, command }) => (is === 'green' ? [command] : [])) : [],
  );

/** The commands that any trial saw green before the change. */
export const triedGreenBefore = (task: Task): readonly string[] =>
  trialsOf(task).flatMap(({ runs }) => runs.flatMap(({ is, command }) => (is === 'green' ? [command] : [])));
