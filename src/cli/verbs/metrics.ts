// `liza metrics`: computes the sprint's metrics from the tasks and prints them, with what depends on the clock and on
// single tasks beside them. It only looks; `--record` writes them into sprint.metrics, as a checkpoint does.

import { usageText } from '../../budget/rules/format.ts';
import { metrics as compute, figure, sprintTasks, taskFigures, timeInStates } from '../../governance/rules/metrics.ts';
import { queueFigures } from '../../protocol/queue/tell.ts';
import type { State, Task, Usage } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { duration, type Instant } from '../../text/time.ts';
import { onProject, runCommand } from '../open-project.ts';
import { plain } from '../render/terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  options: { record: { description: 'Also write them into sprint.metrics of the board.' } },
  examples: ['liza metrics', 'liza metrics --json', 'liza metrics --record'],
  details: ['With --json also each task: iterations, first pass, time in each state, drift, tokens and cost.'],
  run: onProject(async (context, args) => {
    const { board, now, notices } = await context.store.read();
    const archived = await context.store.archivedTasks(board.state.goal);
    const data = figuresOf(board.state, archived, now);
    const spent = Object.entries(data.time_in_state_seconds).map(([status, seconds]) => [
      `time in ${status}`,
      duration(seconds * 1000),
    ]);
    const lines = rows({
      ...data.metrics,
      ...data.queue,
      ...planningRow(board.state.goal.usage),
      ...Object.fromEntries(spent),
    });
    if (!args.flag('record')) return { ok: true, lines, data, notices };
    const result = await runCommand(context, { name: 'metrics', facts: { archived } }, () => ({ data }));
    return result.ok ? { ...result, lines: [...(result.lines ?? []), ...lines] } : result;
  }),
};

function figuresOf(state: State, archived: readonly Task[], now: Instant) {
  const tasks = sprintTasks(state, archived);
  return {
    metrics: compute(state, archived),
    queue: queueFigures(state),
    time_in_state_seconds: timeInStates(tasks, now),
    tasks: Object.fromEntries(tasks.map((task) => [task.id, taskFigures(task, now)])),
    ...defined({ planning: state.goal.usage }),
  };
}

/** The totals above are of the tasks: a planner's sessions are on none. */
const planningRow = (usage: Usage | undefined): Readonly<Record<string, string>> =>
  usage === undefined ? {} : { 'planning, beside the totals': usageText(usage) };

function rows(metrics: Readonly<Record<string, unknown>>): string[] {
  const width = Math.max(0, ...Object.keys(metrics).map((key) => key.length));
  return Object.entries(metrics).map(([key, value]) => `  ${plain(key).padEnd(width)}  ${plain(shown(key, value))}`);
}

const shown = (key: string, value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : figure(key, value);
