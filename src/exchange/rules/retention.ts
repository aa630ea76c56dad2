// Which refs at the exchange nobody needs any more. It would grow for ever otherwise: every server lists its refs at each
// connection. What a row may still name stays: kept work, the pins of tasks that live, and fences that hold. Pure.

import { ANCHOR, type Parsed, parseRef } from './refs.ts';

export interface TaskThere {
  readonly epoch: number;
  readonly merged: boolean;
  /** Nothing of it moves any more. */
  readonly over: boolean;
  /** The commit under review or approved. */
  readonly commit?: string | undefined;
}

/** So many attempts of each task that is over stay; all of one that lives. */
const KEPT_ATTEMPTS = 20;
/** In one go. */
const MOST = 200;

/**
 * By their names here, with what they are; at most so many at once. A task that the board does not know is another
 * board's, or older than this one: it is left alone.
 */
export function outdated(
  refs: ReadonlyMap<string, string>,
  tasks: ReadonlyMap<string, TaskThere>,
): ReadonlyMap<string, string> {
  const newest = newestOf(refs);
  const gone = [...refs].filter(([ref, at]) => {
    const parsed = ref === ANCHOR ? undefined : parseRef(ref);
    const task = parsed === undefined ? undefined : tasks.get(parsed.task);
    return parsed !== undefined && task !== undefined && isOutdated(parsed, at, task, newest);
  });
  return new Map(gone.slice(0, MOST));
}

function isOutdated({ kind, task, n = 0 }: Parsed, at: string, of: TaskThere, newest: Newest): boolean {
  switch (kind) {
    case 'fence':
      // Landing it moved the branch, so whoever sleeps since before that has a head that never comes back. One that was
      // closed without a landing stays: it alone keeps its former holder out.
      return of.merged;
    case 'tips':
      return of.over || n < of.epoch;
    case 'merging':
      return of.over;
    case 'review':
      return of.over && at !== of.commit;
    case 'attempts':
      return of.over && n <= (newest.get(`attempts ${task}`) ?? 0) - KEPT_ATTEMPTS;
    default:
      return kind satisfies never;
  }
}

type Newest = ReadonlyMap<string, number>;

function newestOf(refs: ReadonlyMap<string, string>): Newest {
  const newest = new Map<string, number>();
  for (const ref of refs.keys()) {
    const parsed = parseRef(ref);
    const key = `${parsed?.kind} ${parsed?.task}`;
    if (parsed?.n !== undefined) newest.set(key, Math.max(parsed.n, newest.get(key) ?? 0));
  }
  return newest;
}
