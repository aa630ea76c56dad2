// The one move that counts: integration goes from where it was to the tested commit, together with the fence of each task
// that lands, in one push. Three steps, in this order: mark the fences, announce the merge on the board, land. A head
// that moved and a fence with another mark are both in the way. Whoever takes a merge over from a host that is gone marks
// its fences first: from then on the other's push, even one that is under way, comes too late; or it came before, and is
// found. Marking first also shows that the server takes such refs: git leaves hidden ones out of an atomic push, and
// would move the branch alone (docs/decisions/0037-git-between-hosts.md).

import { must } from '../git/run.ts';
import { listRefs } from './call.ts';
import type { Exchange } from './open.ts';
import { pushRefs, type RefPush } from './push.ts';
import type { Failed, Outcome } from './rules/outcome.ts';

export interface Fence {
  /** fenceOf(task, epoch). */
  readonly ref: string;
  /** The task's own candidate, which is in the history of the commit that integration goes to. */
  readonly candidate: string;
}

export interface Landing {
  /** Full name of the branch. */
  readonly branch: string;
  readonly from: string | undefined;
  readonly to: string;
  /** What markFences wrote before the merge was announced. */
  readonly mark: string;
  readonly fences: readonly Fence[];
}

export const land = (exchange: Exchange, { branch, from, to, mark, fences }: Landing): Promise<Outcome> =>
  pushRefs(exchange, [
    ...fences.map(({ ref, candidate }) => ({ ref, to: candidate, from: mark })),
    { ref: branch, to, from: from ?? null },
  ]);

export type Marked = { readonly how: 'marked'; readonly mark: string } | Exclude<Outcome, { readonly how: 'done' }>;

/** Writes a mark that nobody else has into each of them. `seen`: what they hold now. `also`: what goes with it. */
export async function markFences(
  exchange: Exchange,
  refs: readonly string[],
  seen: ReadonlyMap<string, string>,
  also: readonly RefPush[] = [],
): Promise<Marked> {
  const { gitDir } = exchange;
  const tree = (await must(gitDir.objects(['mktree'], ''), 'make a fence')).trim();
  const text = `liza: fence\n\n${gitDir.host.random.hex(16)}\n`;
  const mark = (await must(gitDir.objects(['commit-tree', tree], text), 'make a fence')).trim();
  const changes = refs.map((ref) => ({ ref, to: mark, from: seen.get(ref) ?? null }));
  const ended = await pushRefs(exchange, [...changes, ...also]);
  return ended.how === 'done' ? { how: 'marked', mark } : ended;
}

export interface Settled {
  readonly how: 'settled';
  /** Those that have landed, by their fences. The others never will by that announcement. */
  readonly landed: ReadonlySet<string>;
  /** Where integration is there. */
  readonly head: string | undefined;
}

/** More than so many others do not write into the same fences at the same time. */
const TRIES = 5;

/** Ends announcements whose host is gone, or whose push was cut off. */
export async function settle(
  exchange: Exchange,
  branch: string,
  announced: readonly Fence[],
): Promise<Settled | Failed> {
  for (let n = 1; n <= TRIES; n += 1) {
    const found = await listRefs(exchange, branch);
    if (found.how !== 'listed') return found;
    const { refs } = found;
    const landed = new Set(announced.flatMap(({ ref, candidate }) => (refs.get(ref) === candidate ? [ref] : [])));
    const open = announced.filter(({ ref }) => !landed.has(ref)).map(({ ref }) => ref);
    const marked = open.length === 0 ? { how: 'marked' } : await markFences(exchange, open, refs);
    if (marked.how === 'marked') return { how: 'settled', landed, head: refs.get(branch) };
    if (marked.how === 'unreachable' || marked.how === 'refused') return marked as Failed;
  }
  return { how: 'unreachable', why: 'other hosts write into the same fences all the time' };
}
