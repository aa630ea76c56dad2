// The anchor of a board on PostgreSQL at the exchange: how far its journal was when a host last looked. A database that was
// set back with the disks of all its hosts, or before a new host joined, is noticed by it alone. Compared and moved forward
// by whoever keeps the exchange up to date; a database that lacks what it names stops this host until a person decides.

import { anchorThere, writeAnchor } from '../../exchange/anchor.ts';
import type { Exchange } from '../../exchange/open.ts';
import { compareAnchor } from '../../exchange/rules/anchor.ts';
import type { Outcome } from '../../exchange/rules/outcome.ts';
import type { BoardContext } from '../../store/context.ts';

/** undefined: the board is on one machine. A host that stops is told so by its store from then on. */
export async function keepAnchor(
  context: BoardContext,
  exchange: Exchange,
  accepted?: 'accepted',
): Promise<Outcome | undefined> {
  const { shared } = context;
  if (shared === undefined) return undefined;
  const [{ keepReached, reachedNow }, { sessionOf }] = await Promise.all([
    import('../../store/postgres/anchor-seen.ts'),
    import('../../store/postgres/session.ts'),
  ]);
  // Before the database is asked: then it must have all that the anchor names.
  const there = await anchorThere(exchange);
  if (there.how === 'unreachable' || there.how === 'refused') return there;
  const anchor = there.how === 'found' ? there.anchor : undefined;
  const session = sessionOf(context, shared);
  const reached = await session.link.refused(() =>
    session.link.retry((connection) => reachedNow(connection, shared.board, anchor?.seq ?? 0)),
  );
  if (reached === undefined) return undefined;
  const here = { board: shared.board, ...reached.head };
  const compared = anchor === undefined ? { how: 'ahead' as const } : compareAnchor(anchor, here, reached.earlier);
  if (compared.how === 'another-board' && accepted === undefined)
    return {
      how: 'refused',
      why: `it is the exchange of another board, ${compared.board}`,
      mend: 'each board has an exchange of its own: liza config set exchange <it>; if this board has replaced that one: liza store accept',
    };
  if ((compared.how === 'behind' || compared.how === 'apart') && accepted === undefined && anchor !== undefined) {
    keepReached(context, anchor);
    session.lookAgain();
    return { how: 'done' };
  }
  if (compared.how === 'same') return { how: 'done' };
  const written = await writeAnchor(exchange, here, there.how === 'found' ? there.at : undefined);
  // Another host has moved it on just now.
  return written.how === 'stale' ? { how: 'done' } : written;
}
