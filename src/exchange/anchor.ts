// Reads and writes the anchor (rules/anchor.ts): a commit without files and without parents. It only ever goes forward,
// and only from what its writer has compared: a board that was set back cannot write over the anchor that would tell.

import { idsOf, readMessage } from '../git/objects.ts';
import { must } from '../git/run.ts';
import { listRefs } from './call.ts';
import { bringCommits } from './fetch.ts';
import type { Exchange } from './open.ts';
import { pushRefs } from './push.ts';
import { type Anchor, anchorText, readAnchor } from './rules/anchor.ts';
import type { Failed, Outcome } from './rules/outcome.ts';
import { ANCHOR } from './rules/refs.ts';

export type Found =
  | { readonly how: 'found'; readonly anchor: Anchor; readonly at: string }
  | { readonly how: 'none' }
  | Failed;

const MOVES = 5;

export async function anchorThere(exchange: Exchange): Promise<Found> {
  let before: string | undefined;
  for (let n = 0; ; n += 1) {
    const listed = await listRefs(exchange);
    if (listed.how !== 'listed') return listed;
    const at = listed.refs.get(ANCHOR);
    if (at === undefined) return { how: 'none' };
    const brought = await bringCommits(exchange, [{ ref: ANCHOR, commit: at }]);
    if (brought.how === 'done') return read(exchange, at);
    // Each host moves it on: it may be elsewhere by now.
    if (at === before || n === MOVES) return brought;
    before = at;
  }
}

async function read(exchange: Exchange, at: string): Promise<Found> {
  const anchor = readAnchor((await readMessage(exchange.gitDir, at)) ?? '');
  if (anchor !== undefined) return { how: 'found', anchor, at };
  return { how: 'refused', why: 'its anchor is not what Liza writes', mend: 'look who wrote it: git show, there' };
}

/** `before`: what was found, and compared; undefined: there was none. */
export async function writeAnchor(exchange: Exchange, anchor: Anchor, before: string | undefined): Promise<Outcome> {
  const { gitDir } = exchange;
  const tree = (await must(gitDir.objects(['mktree'], ''), 'make an anchor')).trim();
  const commit = (await must(gitDir.objects(['commit-tree', tree], anchorText(anchor)), 'make an anchor')).trim();
  // The same words at the same second make the same commit: nothing to do.
  if (before !== undefined && (await idsOf(gitDir, [before], 'commit'))[0] === commit) return { how: 'done' };
  return pushRefs(exchange, [{ ref: ANCHOR, to: commit, from: before ?? null }]);
}
