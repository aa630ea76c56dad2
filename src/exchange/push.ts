// Changes refs at the exchange, all or none, each only if it is what the caller saw. A call that was cut off may have had
// its effect: then the exchange is asked, and what it says decides. Repeating the very same call is safe, because a
// change that happened already is no change any more, and one that somebody else made in between is in its way.

import { callExchange, listRefs, otherSide } from './call.ts';
import type { Exchange } from './open.ts';
import { type Failed, type Outcome, readFailure, rejectedIn, ruledOut } from './rules/outcome.ts';
import { nameThere, parseRef } from './rules/refs.ts';

export interface RefPush {
  /** Its name here. */
  readonly ref: string;
  /** null: the ref goes. */
  readonly to: string | null;
  /** What it must be there now; null: it must not exist. */
  readonly from: string | null;
}

/** Calls for one change: a server that is busy with another push of the same refs refuses for a moment. */
const TRIES = 4;
const PAUSE_MS = 150;
/** Less time than that is not worth a call. */
const LEAST_MS = 1000;

export async function pushRefs(exchange: Exchange, changes: readonly RefPush[]): Promise<Outcome> {
  if (changes.length === 0) return { how: 'done' };
  const { clock } = exchange.gitDir.host;
  const until = clock.steady() + exchange.limits.push;
  let last: Failed = { how: 'unreachable', why: 'it was not asked' };
  for (let n = 1; n <= TRIES && clock.steady() < until; n += 1) {
    const ended = await pushOnce(exchange, changes, Math.max(LEAST_MS, until - clock.steady()));
    if (!('again' in ended)) return ended;
    last = ended.again;
    await clock.sleep(PAUSE_MS * n);
  }
  return last;
}

/** `again`: nothing there has changed, as far as is known. */
async function pushOnce(
  exchange: Exchange,
  changes: readonly RefPush[],
  longest: number,
): Promise<Outcome | { readonly again: Failed & { how: 'unreachable' } }> {
  const said = await callExchange(exchange, pushArguments(exchange, changes), 'push', longest);
  if (!('how' in said) && said.status === 0) return { how: 'done' };
  const rejected = 'how' in said ? [] : rejectedIn(said.stdout);
  const failed = 'how' in said ? said : readFailure(said);
  if (rejected.length === 0 && failed.how === 'refused') return failed;
  const found = await listRefs(exchange, ...branchesOf(changes));
  // Whatever it is that answers now: the push may have had its effect before.
  if (found.how !== 'listed') return { how: 'unreachable', why: found.why };
  const at = (change: RefPush): string | null => found.refs.get(change.ref) ?? null;
  // A fence holds what this push alone writes, and all of it goes at once: others may have built on the branch since.
  const isThere = changes.some(
    (change) => isFence(change.ref) && change.to !== change.from && at(change) === change.to,
  );
  if (isThere || changes.every((change) => at(change) === change.to)) return { how: 'done' };
  const other = changes.filter((change) => at(change) !== change.from && at(change) !== change.to);
  const moved = other.find(({ ref }) => isFence(ref)) ?? other[0];
  if (moved !== undefined) {
    const { ref } = moved;
    return { how: isFence(ref) ? 'fenced' : 'stale', ref, found: at(moved) ?? undefined };
  }
  const rule = ruledOut(rejected, exchange.naming.prefix !== undefined);
  if (rule !== undefined) return rule;
  return { again: failed.how === 'unreachable' ? failed : { how: 'unreachable', why: failed.why } };
}

const isFence = (ref: string): boolean => parseRef(ref)?.kind === 'fence';
const branchesOf = (changes: readonly RefPush[]): readonly string[] =>
  changes.flatMap(({ ref }) => (ref.startsWith('refs/heads/') ? [ref] : []));

function pushArguments(exchange: Exchange, changes: readonly RefPush[]): readonly string[] {
  const { address, naming } = exchange;
  const named = changes.map((change) => ({ ...change, there: nameThere(change.ref, naming) }));
  return [
    'push',
    '--porcelain',
    '--atomic',
    '--no-verify',
    ...otherSide(exchange, 'receive-pack'),
    ...named.map(({ there, from }) => `--force-with-lease=${there}:${from ?? ''}`),
    '--',
    address.url,
    ...named.map(({ there, to }) => `${to ?? ''}:${there}`),
  ];
}
