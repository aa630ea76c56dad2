// How the task's own validation came out on the base, before the change: for its coder, its reviewer and the planner.

import type { Task } from '../../protocol/state.ts';
import { type TrialRun, trialCommands, trialOf } from '../../protocol/trial.ts';
import { quote } from './quote.ts';
import { showTask } from './task-fields.ts';

const LONG = 100;
const OUTPUT_LINES = 4;
const MOST_OUTPUTS = 2;

interface Meaning {
  readonly title: string;
  readonly green: string;
  /** What the reader does about a command that cannot be run. */
  readonly missing?: string;
}

export function trialLines(task: Task, { title, green, missing }: Meaning): readonly string[] {
  const trial = trialOf(task);
  if (trial === undefined) return [];
  const shown = trial.runs.filter(({ is }) => is !== 'green').slice(0, MOST_OUTPUTS);
  return [
    `${title} (tried by Liza at ${trial.commit.slice(0, 12)}):`,
    ...quote(
      trialCommands(task)
        .flatMap((command) => {
          const run = trial.runs.find((one) => one.command === command);
          if (run === undefined) return [`not tried, the time was up: ${short(command)}`];
          return [`${RESULTS[run.is]}: ${short(command)}`, ...(shown.includes(run) ? endOf(run) : [])];
        })
        .join('\n'),
      showTask(task),
    ),
    ...(trial.runs.some(({ is }) => is === 'green') ? [green] : []),
    ...(missing !== undefined && trial.runs.some(({ is }) => is === 'cannot_run') ? [missing] : []),
  ];
}

/** One command, for who decides about it. */
export const trialRun = (task: Task, { command, how, output = '' }: TrialRun): readonly string[] =>
  quote(`${command}\n${[how, ...lastLines(output)].join('\n')}`, showTask(task));

/** In a list of tasks. */
export function trialWord(task: Task): string {
  const runs = trialOf(task)?.runs ?? [];
  if (runs.length === 0) return '';
  if (runs.some(({ is }) => is === 'cannot_run')) return ', validation CANNOT RUN on the base';
  return runs.every(({ is }) => is === 'green') ? ', validation green on the base' : ', validation red on the base';
}

const RESULTS = { green: 'GREEN', red: 'red', cannot_run: 'CANNOT RUN' } as const;

const endOf = ({ how, output = '' }: TrialRun): readonly string[] =>
  [how, ...lastLines(output)].map((line) => `    ${line}`);

const lastLines = (output: string): readonly string[] =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-OUTPUT_LINES)
    .map((line) => line.slice(0, 200));

/** Never within a word; it stands whole under VALIDATION. */
const short = (command: string): string => {
  const line = command.replace(/\s+/g, ' ');
  return line.length > LONG ? `${line.slice(0, LONG).replace(/\s+\S*$/, '')} …` : line;
};
