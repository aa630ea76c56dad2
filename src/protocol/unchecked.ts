// What the planner is told of a task that passed the gates, and the reviewer of what was submitted: criteria that no
// command checks, and criteria about time. It refuses nothing.

import { criteriaOf } from './criteria.ts';
import { hasMargin, isTimed, quotedCommands } from './criterion-words.ts';
import { proofCommands } from './proof.ts';
import type { Settings, Task } from './state.ts';

/** Criteria that quote a command which no validation runs, by their number. */
export function uncheckedCommands(
  config: Pick<Settings, 'test_command'>,
  task: Task,
): readonly { readonly criterion: number; readonly command: string }[] {
  const run = proofCommands(config, task).map(plain);
  return criteriaOf(task.done_when).flatMap((criterion, at) =>
    quotedCommands(criterion)
      .filter((command) => !run.some((one) => ` ${one} `.includes(` ${plain(command)} `)))
      .map((command) => ({ criterion: at + 1, command })),
  );
}

const plain = (command: string): string =>
  command
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/\bnpm (?:run test|t)\b(?!:)/, 'npm test');

/** What the planner is told of a task that passed: it refuses nothing. */
export function gateNotes(config: Pick<Settings, 'test_command'>, task: Task): readonly string[] {
  const unchecked = uncheckedCommands(config, task).map(
    ({ criterion, command }) => `criterion ${criterion} \`${command}\``,
  );
  const timed = criteriaOf(task.done_when).flatMap((one, at) => (isTimed(one) && !hasMargin(one) ? [at + 1] : []));
  return [
    ...(unchecked.length === 0
      ? []
      : [`checked by no command: ${unchecked.join(', ')}. The reviewer is told; --validate lets Liza run it`]),
    ...(timed.length === 0
      ? []
      : [
          `criterion ${timed.join(', ')} is about time: one run on a busy machine shows little. Say how often it is repeated and how much margin it has ("median of 5 runs", "at least 20 % faster")`,
        ]),
  ];
}
