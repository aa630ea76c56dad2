// Removes refs at the exchange that nobody needs any more (rules/retention.ts), each only if it still is what was seen.

import type { Exchange } from './open.ts';
import { pushRefs } from './push.ts';
import type { Failed } from './rules/outcome.ts';
import { outdated, type TaskThere } from './rules/retention.ts';

export type Swept = { readonly how: 'swept'; readonly refs: number } | Failed;

/** `refs`: what is there. */
export async function sweepExchange(
  exchange: Exchange,
  refs: ReadonlyMap<string, string>,
  tasks: ReadonlyMap<string, TaskThere>,
): Promise<Swept> {
  const gone = [...outdated(refs, tasks)].map(([ref, from]) => ({ ref, from, to: null }));
  const ended = await pushRefs(exchange, gone);
  if (ended.how === 'unreachable' || ended.how === 'refused') return ended;
  // Somebody wrote one of them in between: all stay until the next time.
  return { how: 'swept', refs: ended.how === 'done' ? gone.length : 0 };
}
