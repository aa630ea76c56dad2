// The hosts of the board that is open, for a command: who they are, and what a person says of one of them. That is an entry
// of the journal like any change of the board, so every host hears of it at once.

import type { Actor } from '../../protocol/board.ts';
import { type Refusal, Refused, refuse } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import type { Recording } from '../transaction.ts';
import { type BoardHost, boardHosts, greet } from './hosts.ts';
import { sessionOf } from './session.ts';
import { inSharedTransaction } from './shared-transaction.ts';
import { refreshView } from './view.ts';

export async function hostsOf(context: BoardContext, shared: SharedBoard): Promise<readonly BoardHost[] | Refusal> {
  const { link } = sessionOf(context, shared);
  try {
    return await link.refused(() => link.retry((connection) => boardHosts(connection, shared.board)));
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
}

export interface Saying {
  readonly actor: Actor;
  /** Name or id of a host. */
  readonly host: string;
  readonly said: Omit<NonNullable<Recording['host']>, 'id'>;
  readonly command: string;
}

export type Said = { readonly ok: true; readonly host: BoardHost; readonly already?: true } | Refusal;

export async function sayOfHost(
  context: BoardContext,
  shared: SharedBoard,
  { actor, host: named, said, command }: Saying,
): Promise<Said> {
  const session = sessionOf(context, shared);
  try {
    // A host of which something is said on itself need not have worked before.
    if (named === shared.name || named === shared.host)
      await session.link.refused(() => session.link.retry((one) => greet(one, shared, session.head?.seq ?? 0)));
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    throw error;
  }
  const hosts = await hostsOf(context, shared);
  if ('ok' in hosts) return hosts;
  const found = hosts.filter(({ id, name }) => id === named || name === named);
  const [host] = found;
  if (host === undefined)
    return refuse(
      `no host of this board is called ${named}`,
      `one of: ${hosts.map(({ name }) => name).join(', ') || 'none yet, liza run on each'}`,
      1,
      'value',
    );
  if (found.length > 1)
    return refuse(
      `${found.length} hosts of this board are called ${named}`,
      `name one by its id: ${found.map(({ id }) => id).join(', ')}`,
      1,
      'value',
    );
  const isSame =
    (said.drained ?? host.drained) === host.drained && (said.tags ?? host.tags).join() === host.tags.join();
  if (isSame) return { ok: true, host, already: true };
  const done = await inSharedTransaction(context, shared, async (transaction) => {
    transaction.commit(transaction.doc, {
      ...{ actor, command, change: [], records: [] },
      detail: detailOf(host.name, said),
      host: { id: host.id, ...said },
    });
    return { ok: true } as const;
  });
  if (!done.ok) return done;
  await refreshView(context, shared, session);
  return { ok: true, host };
}

function detailOf(name: string, { drained, tags }: Saying['said']): string {
  if (drained !== undefined) return drained ? `${name} takes no new work` : `${name} takes work again`;
  return tags === undefined || tags.length === 0 ? `${name} has no tags` : `${name} has ${tags.join(', ')}`;
}
