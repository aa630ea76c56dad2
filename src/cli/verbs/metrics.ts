// `liza metrics`: recomputes sprint.metrics from the tasks and prints them, with what depends on the clock and on
// single tasks beside them.

import { metrics as compute, figure, sprintTasks, taskFigures, timeInStates } from '../../governance/rules/metrics.ts';
import { defined } from '../../protocol/values.ts';
import { duration } from '../../text/time.ts';
import { onProject, runCommand } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  examples: ['liza metrics', 'liza metrics --json'],
  details: ['With --json also each task: iterations, first pass, time in each state, drift, tokens and cost.'],
  run: onProject(async (context) => {
    const { board, now } = await context.store.read();
    const archived = await context.store.archivedTasks(board.state.goal);
    let times: ReturnType<typeof timeInStates> = {};
    const result = await runCommand(context, { name: 'metrics', facts: { archived } }, ({ state }) => {
      const tasks = sprintTasks(state, archived);
      times = timeInStates(tasks, now);
      return {
        data: {
          metrics: state.sprint.metrics ?? compute(state, archived),
          time_in_state_seconds: times,
          tasks: Object.fromEntries(tasks.map((task) => [task.id, taskFigures(task, now)])),
          ...defined({ planning: state.goal.usage }),
        },
      };
    });
    if (!result.ok) return result;
    const metrics = (result.data?.metrics ?? {}) as Readonly<Record<string, unknown>>;
    const spent = Object.entries(times).map(([status, seconds]) => [`time in ${status}`, duration(seconds * 1000)]);
    return { ...result, lines: [...(result.lines ?? []), ...rows({ ...metrics, ...Object.fromEntries(spent) })] };
  }),
};

function rows(metrics: Readonly<Record<string, unknown>>): string[] {
  const width = Math.max(0, ...Object.keys(metrics).map((key) => key.length));
  return Object.entries(metrics).map(([key, value]) => `  ${plain(key).padEnd(width)}  ${plain(shown(key, value))}`);
}

const shown = (key: string, value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : figure(key, value);
