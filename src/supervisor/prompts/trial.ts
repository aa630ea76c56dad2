// How the task's own validation came out on the base, before the change: for its coder, its reviewer and the planner.

import { historyOf } from '../../protocol/leases.ts';
import { greenAt, type Proof, proofCommands } from '../../protocol/review/proof.ts';
import {
  changedText,
  notThere,
  onlyLooks,
  ranNothing,
  type Trial,
  type TrialRun,
  trialCommands,
  trialOf,
} from '../../protocol/review/trial.ts';
import { type State, settings, type Task } from '../../protocol/state.ts';
import { tellingLines } from '../../text/telling-lines.ts';
import { quote } from './quote.ts';
import { showTask } from './task-fields.ts';

const LONG = 100;
const OUTPUT_LINES = 4;
const MOST_OUTPUTS = 2;

interface Meaning {
  readonly title: string;
  /** What a green one means; where it means nothing, nothing is said. */
  readonly green?: (numbers: readonly string[]) => string;
  /** What it means of one that runs no test. */
  readonly looks?: string;
  /** What the reader does about a command that cannot be run. */
  readonly missing?: string;
  /** What the reader does about one that changes tracked files. */
  readonly changes?: string;
}

interface Beside {
  /** The reader has VALIDATION before its eyes, so that no long command is written twice. */
  readonly listed: boolean;
  /** What is told of the commit below it: it may have the number of tests on the base. */
  readonly proof?: Proof | undefined;
}

/** By the numbers of VALIDATION. */
export function trialLines(
  state: State,
  task: Task,
  { title, green, looks, missing, changes }: Meaning,
  { listed, proof }: Beside,
): readonly string[] {
  const trial = trialOf(task);
  if (trial === undefined) return [];
  const shown = trial.runs.filter(({ is }) => is !== 'green').slice(0, MOST_OUTPUTS);
  const own = new Set(trialCommands(task));
  const known = greenAt(state, trial.commit);
  const isLook = (run: TrialRun): boolean => looks !== undefined && run.is === 'green' && onlyLooks(run);
  const all = proofCommands(settings(state), task);
  const showing = trial.runs.flatMap((run) =>
    run.is === 'green' && !isLook(run) ? [`#${all.indexOf(run.command) + 1}`] : [],
  );
  return [
    `${title} (tried by Liza at ${trial.commit.slice(0, 12)}${otherBase(task, trial)}):`,
    ...quote(
      all
        .flatMap((command, at) => {
          const number = `#${at + 1}`;
          const named = listed && command.length > LONG ? '' : `: ${short(command)}`;
          const run = trial.runs.find((one) => one.command === command);
          if (run !== undefined)
            return [
              `${number} ${RESULTS[run.is]}${isLook(run) ? looks : endOf(run)}${changedText(run)}${named}`,
              ...(run.is === 'green' ? [] : printedBy(run, shown.includes(run) ? OUTPUT_LINES : 1)),
            ];
          const late = own.has(command);
          const why = late ? 'time was up' : 'the project’s own';
          if (!late && known.has(command)) return [`${number} GREEN, ${why}, known from another run${named}`];
          const counted = proof?.runs.find((one) => one.command === command)?.tests_on_base;
          if (counted !== undefined)
            return [`${number} no part of this trial (${why}), run there later: see RUN BY LIZA`];
          return [`${number} ${late ? 'not tried' : 'no part of this trial'}, ${why}${named}`];
        })
        .join('\n'),
      showTask(task),
    ),
    ...(green !== undefined && showing.length > 0 ? [green(showing)] : []),
    ...(changes !== undefined && trial.runs.some(({ changed }) => changed !== undefined) ? [changes] : []),
    ...(missing !== undefined && trial.runs.some(({ is }) => is === 'cannot_run') ? [missing] : []),
  ];
}

/** The integration branch moved between the two: what is red or green at one of them may not be at the other. */
function otherBase(task: Task, { commit, time }: Trial): string {
  const base = task.base_commit;
  if (base === undefined || base === commit) return '';
  const since = historyOf(task).find((entry) => entry.base_commit === base || entry.base === base)?.time ?? '';
  return `, ${time <= since ? 'an older' : 'another'} commit than the base of this task, ${base.slice(0, 12)}`;
}

/** One command, for who decides about it. */
export const trialRun = (task: Task, { command, how, output = '' }: TrialRun): readonly string[] =>
  quote(`${command}\n${[how, ...tellingLines(output, OUTPUT_LINES)].join('\n')}`, showTask(task));

/** In a list of tasks. */
export function trialWord(task: Task): string {
  const runs = trialOf(task)?.runs ?? [];
  if (runs.length === 0) return '';
  if (runs.some(({ is }) => is === 'cannot_run')) return ', validation CANNOT RUN on the base';
  const changed = runs
    .filter((run) => run.changed !== undefined)
    .map((run) => `\`${short(run.command)}\`${changedText(run).slice(1)}`);
  const spoils = changed.length === 0 ? '' : ` (${changed.join('; ')}: let it work on a copy)`;
  if (!runs.every(({ is }) => is === 'green')) return `, validation red on the base${spoils}`;
  const none = runs.filter((run) => ranNothing(run) !== '').map(({ command }) => `\`${short(command)}\` ran NO TEST`);
  return `, validation green on the base${none.length === 0 ? '' : ` (there ${none.join(', ')})`}${spoils}`;
}

const RESULTS = { green: 'GREEN', red: 'red', cannot_run: 'CANNOT RUN' } as const;

const endOf = (run: TrialRun): string =>
  run.is === 'green' ? `${ranNothing(run).toUpperCase()}${notThere(run)}` : `, ${run.how}`;

const printedBy = ({ output = '' }: TrialRun, most: number): readonly string[] =>
  tellingLines(output, most).map((line) => `    ${line}`);

/** Never within a word; it stands whole under VALIDATION. */
const short = (command: string): string => {
  const line = command.replace(/\s+/g, ' ');
  return line.length > LONG ? `${line.slice(0, LONG).replace(/\s+\S*$/, '')} …` : line;
};
