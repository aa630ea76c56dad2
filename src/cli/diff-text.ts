// What a submitted commit's diff says about itself, as lines. Light: `liza show` loads it at every start.

import type { Task } from '../core/state.ts';

/** Of the last submission; undefined when there is none, or from a version that recorded no facts. */
export function lastDiff(task: Task): Readonly<Record<string, unknown>> | undefined {
  const submitted = task.history?.findLast(({ event }) => event === 'submitted') as
    | { readonly diff?: unknown }
    | undefined;
  const diff = submitted?.diff;
  return typeof diff === 'object' && diff !== null ? (diff as Readonly<Record<string, unknown>>) : undefined;
}

const NAMES: Readonly<Record<string, string>> = {
  undeclared: 'not announced in the checkpoint',
  tests_added: 'tests added',
  tests_changed: 'existing tests CHANGED',
  tests_removed: 'existing tests REMOVED',
  instructions: 'instruction or CI files touched',
};

export function diffText({ files, ...lists }: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(lists).flatMap(([name, list]) => {
    const { paths, more } = (list ?? {}) as { readonly paths?: unknown; readonly more?: unknown };
    if (!Array.isArray(paths)) return [];
    return [`${NAMES[name] ?? name}: ${paths.join(', ')}${typeof more === 'number' ? ` and ${more} more` : ''}`];
  });
  return [`${String(files)} file(s)`, ...parts].join('\n');
}
