// An approval that shows every criterion of a task, for tests that are about something else.

import { criteriaOf } from '../../src/protocol/definition/criteria.ts';
import { greenCommands } from '../../src/protocol/review/ran-command.ts';
import type { Task } from '../../src/protocol/state.ts';

/** By the first command that Liza ran green; where it ran none, by what was seen. */
export function showing(task: Task, remark = ''): string {
  const [green] = greenCommands(task);
  const shown = green === undefined ? 'seen with own eyes today' : `ran ${green}`;
  const lines = criteriaOf(task.done_when).map((_text, at) => `${at + 1}: ${shown}`);
  return [remark, ...lines].filter((line) => line !== '').join('\n');
}
