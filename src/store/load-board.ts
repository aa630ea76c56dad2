// The last committed state, wherever the board is kept, with all that was found out about it on the way.

import { Refused } from '../protocol/decision.ts';
import type { BoardContext } from './context.ts';
import { sha256Of } from './hash.ts';
import type { Line } from './journal.ts';
import { type LoadResult, load } from './load.ts';

/** `cache` as in load.ts: a board in a database has none. */
export async function loadBoard(context: BoardContext, cache?: 'use' | 'ignore'): Promise<LoadResult> {
  const { files, paths, shared } = context;
  if (shared === undefined) return load(files, paths, cache);
  const { sessionOf } = await import('./postgres/session.ts');
  const session = sessionOf(context, shared);
  try {
    const { head } = await session.link.refused(() =>
      session.link.retry((connection) => session.catchUp(connection, false)),
    );
    const { doc, seq, hash } = head;
    const state = sha256Of(doc.source.bytes());
    const entry = { ...NO_ENTRY, seq, state };
    const lines: readonly Line[] = [{ entry, hash, offset: 0 }];
    const tail = { lines, end: 0, torn: false, complete: false, broken: false };
    const known = { cached: undefined, behind: false, edits: [], broken: undefined, key: undefined, settled: false };
    return { doc, hash: state, tail, ...known };
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

const NO_ENTRY = { time: '', actor: '', command: '', detail: '', change: [], records: [], prev: '' };
