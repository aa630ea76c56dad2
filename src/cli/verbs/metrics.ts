// `liza metrics`: recomputes sprint.metrics from the tasks and prints them.

import { decideAt, openDesk, refused } from '../desk.ts';
import { plain } from '../terminal.ts';
import type { Verb } from '../verb.ts';

export const verb: Verb = {
  name: 'metrics',
  positionals: [],
  options: {},
  examples: ['liza metrics', 'liza metrics --json'],
  run: async (_args, io) => {
    const desk = await openDesk(io);
    if (refused(desk)) return desk;
    const facts = { archived: await desk.store.archivedTasks() };
    const result = await decideAt(desk, { name: 'metrics', facts }, ({ state }) => ({
      data: { metrics: state.sprint.metrics ?? {} },
    }));
    if (!result.ok) return result;
    const metrics = (result.data?.metrics ?? {}) as Readonly<Record<string, unknown>>;
    return { ...result, lines: [...(result.lines ?? []), ...rows(metrics)] };
  },
};

function rows(metrics: Readonly<Record<string, unknown>>): string[] {
  const width = Math.max(0, ...Object.keys(metrics).map((key) => key.length));
  return Object.entries(metrics).map(([key, value]) => `  ${plain(key).padEnd(width)}  ${plain(shown(value))}`);
}

/** A rate over nothing is null: there is no number to show. */
const shown = (value: unknown): string =>
  value === null ? 'none yet' : typeof value === 'object' ? JSON.stringify(value) : String(value);
