// Removes refs at the exchange that nobody needs any more (rules/retention.ts), each only if it still is what was seen.

import { listRefs } from './call.ts';
import type { Exchange } from './open.ts';
import { pushRefs } from './push.ts';
import type { Failed } from './rules/outcome.ts';
import { outdated, type TaskThere } from './rules/retention.ts';

export type Swept = { readonly how: 'swept'; readonly refs: number } | Failed;

export async function sweepExchange(exchange: Exchange, tasks: ReadonlyMap<string, TaskThere>): Promise<Swept> {
  const listed = await listRefs(exchange);
  if (listed.how !== 'listed') return listed;
  const gone = [...outdated(listed.refs, tasks)].map(([ref, from]) => ({ ref, from, to: null }));
  const ended = await pushRefs(exchange, gone);
  if (ended.how === 'unreachable' || ended.how === 'refused') return ended;
  // Somebody wrote one of them in between: all stay until the next time.
  return { how: 'swept', refs: ended.how === 'done' ? gone.length : 0 };
}
