// Offers to the exchange what only this machine has: pins, kept work, and the last tips of tasks at work. What could not
// be pushed needs no list of its own: it is what is here and not there, so it is offered again each time.

import { idsOf } from '../git/objects.ts';
import { readRefs, updateRefs } from '../git/refs.ts';
import { listRefs } from './call.ts';
import type { Exchange } from './open.ts';
import { pushRefs, type RefPush } from './push.ts';
import type { Failed } from './rules/outcome.ts';
import { planOffer, type Renumbered } from './rules/plan-offer.ts';
import { nameThere } from './rules/refs.ts';

export interface Offering {
  /** Epochs of the tasks whose tips are offered, by their ids. */
  readonly epochs: ReadonlyMap<string, number>;
  /** Only this one's. */
  readonly task?: string | undefined;
  /** What is there, where the caller has just asked. */
  readonly listed?: ReadonlyMap<string, string>;
}

export type Offered = { readonly how: 'offered'; readonly refs: number } | Failed;

/** In one push: all of them get there, or none. */
const AT_ONCE = 100;

export async function offerRefs(exchange: Exchange, { epochs, task, listed: known }: Offering): Promise<Offered> {
  const { gitDir } = exchange;
  const below = (kind: string): string => `refs/liza/${kind}${task === undefined ? '' : `/${task}`}`;
  const here = await whole(exchange, await readRefs(gitDir, below('review'), below('attempts'), below('seen')));
  if (here.size === 0) return { how: 'offered', refs: 0 };
  const listed = known === undefined ? await listRefs(exchange) : ({ how: 'listed', refs: known } as const);
  if (listed.how !== 'listed') return listed;
  const { pushes, renumbered } = planOffer(here, listed.refs, epochs);
  for (let at = 0; at < pushes.length; at += AT_ONCE) {
    const ended = await pushRefs(exchange, pushes.slice(at, at + AT_ONCE));
    if (ended.how === 'unreachable' || ended.how === 'refused') return ended;
    // Another host was quicker with one of the names: it is seen at the next offer.
    if (ended.how !== 'done') return { how: 'unreachable', why: `${nameThere(ended.ref, exchange.naming)} is in use` };
  }
  await rename(exchange, renumbered);
  return { how: 'offered', refs: pushes.length };
}

/** A ref that leads nowhere here would stop all others. */
async function whole({ gitDir }: Exchange, refs: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const all = [...refs];
  const there = await idsOf(
    gitDir,
    all.map(([, at]) => at),
    'commit',
  );
  return new Map(all.filter(([, at], n) => there[n] === at));
}

/** Under its new number it is there by now: another host's work has the old one. */
async function rename({ gitDir }: Exchange, renumbered: readonly Renumbered[]): Promise<void> {
  for (const { from, to, at } of renumbered)
    await updateRefs(gitDir, [
      { ref: to, to: at, from: null },
      { ref: from, to: null, from: at },
    ]);
}

/** One pin, under a number that neither this machine nor the exchange has for another commit. */
export async function takenNumbers(
  exchange: Exchange,
  below: string,
): Promise<{ readonly how: 'listed'; readonly numbers: ReadonlyMap<number, string> } | Failed> {
  const listed = await listRefs(exchange);
  if (listed.how !== 'listed') return listed;
  const own = [...listed.refs].filter(([ref]) => ref.startsWith(below));
  return { how: 'listed', numbers: new Map(own.map(([ref, at]) => [Number(ref.slice(below.length)), at])) };
}

export const offerOne = (exchange: Exchange, change: RefPush) => pushRefs(exchange, [change]);
