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

/** `left`: of what the server refuses by itself, while it took others. */
export type Offered = { readonly how: 'offered'; readonly refs: number; readonly left?: Refused } | Failed;

type Refused = Extract<Failed, { how: 'refused' }>;

/** In one push: all of them get there, or none. */
const AT_ONCE = 100;
/** Refused by itself, one after the other, before anything was taken: it is not about what they hold. */
const MOST_REFUSED = 8;

export async function offerRefs(exchange: Exchange, { epochs, task, listed: known }: Offering): Promise<Offered> {
  const { gitDir } = exchange;
  const below = (kind: string): string => `refs/liza/${kind}${task === undefined ? '' : `/${task}`}`;
  const here = await whole(exchange, await readRefs(gitDir, below('review'), below('attempts'), below('seen')));
  if (here.size === 0) return { how: 'offered', refs: 0 };
  const listed = known === undefined ? await listRefs(exchange) : ({ how: 'listed', refs: known } as const);
  if (listed.how !== 'listed') return listed;
  const { pushes, renumbered } = planOffer(here, listed.refs, epochs);
  const sent: Sent = { taken: new Set(), refused: [] };
  for (let at = 0; at < pushes.length; at += AT_ONCE) {
    const failed = await send(exchange, pushes.slice(at, at + AT_ONCE), sent);
    if (failed !== undefined) return failed;
  }
  const [left] = sent.refused;
  if (left !== undefined && sent.taken.size === 0 && listed.refs.size === 0) return left;
  await rename(
    exchange,
    renumbered.filter(({ to }) => sent.taken.has(to)),
  );
  const mend = 'see what it declines of that commit, and let it accept it';
  return { how: 'offered', refs: sent.taken.size, ...(left === undefined ? {} : { left: { ...left, mend } }) };
}

interface Sent {
  readonly taken: Set<string>;
  readonly refused: Refused[];
}

/** One commit that the server does not want stops no other: they are parted until it is alone. */
async function send(exchange: Exchange, pushes: readonly RefPush[], sent: Sent): Promise<Failed | undefined> {
  const ended = await pushRefs(exchange, pushes);
  switch (ended.how) {
    case 'done':
      for (const { ref } of pushes) sent.taken.add(ref);
      return undefined;
    case 'unreachable':
      return ended;
    case 'refused': {
      if (pushes.length === 1) {
        sent.refused.push(ended);
        return sent.taken.size === 0 && sent.refused.length >= MOST_REFUSED ? ended : undefined;
      }
      const half = Math.ceil(pushes.length / 2);
      return (await send(exchange, pushes.slice(0, half), sent)) ?? (await send(exchange, pushes.slice(half), sent));
    }
    // Another host was quicker with one of the names: it is seen at the next offer.
    default:
      return { how: 'unreachable', why: `${nameThere(ended.ref, exchange.naming)} is in use` };
  }
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
