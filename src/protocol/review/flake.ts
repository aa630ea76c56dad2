// A command that was red once and green once on the same files: the words for it, wherever it is told. Which command it
// was is always said, for it may be the planner's own, a timing say, and no test at all.

import { gist } from '../../text/format.ts';
import { historyOf } from '../leases.ts';
import type { Task } from '../state.ts';

/** Exit codes of a shell that found no such command, or could not run it. */
export const UNRUNNABLE: readonly number[] = [126, 127];

const LONGEST = 120;

export const namedCommand = (command: string): string => `“${gist(command, LONGEST)}”`;

/** `“npm run time” was red once and green once on the same files, a flake of that command`. */
export const flakeText = (commands: readonly string[]): string =>
  `${commands.map(namedCommand).join(' and ')} ${commands.length === 1 ? 'was red and green on the same files, a flake of that command' : 'were red and green on the same files, flakes of these commands'}`;

/** What was red at this very commit before, each command once. */
export const redCommands = (task: Task, commit: string): readonly string[] => [
  ...new Set(
    historyOf(task).flatMap(({ event, commit: tried, remembered, command }) =>
      event === 'validation_failed' && tried === commit && remembered !== true && typeof command === 'string'
        ? [command]
        : [],
    ),
  ),
];

/** As a record has them, which people may edit. */
export const commandsOf = (list: unknown): readonly string[] =>
  Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : [];
