// `liza store accept`: a person decides that a database which was set back counts as it is. This host lets go of what it knew,
// and the anchor at the exchange names the state that counts from now on, for the other hosts too.

import { hasExchange, openExchange } from '../../exchange/open.ts';
import { openGitDir } from '../../git/integration.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import type { BoardContext } from '../../store/context.ts';
import type { SharedBoard } from '../../store/shared-board.ts';
import type { Store } from '../../store/store.ts';
import { keepAnchor } from './keep-anchor.ts';

export async function acceptBoard(
  context: BoardContext & { readonly store: Store },
  shared: SharedBoard,
): Promise<{ readonly ok: true; readonly message: string; readonly lines?: readonly string[] } | Refusal> {
  const { acceptStore } = await import('../../store/postgres/accept.ts');
  const accepted = await acceptStore(context, shared);
  if (isRefusal(accepted)) return accepted;
  const { board } = await context.store.read();
  if (!hasExchange(board.state.config)) return accepted;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange ?? accepted;
  const anchored = await keepAnchor(context, exchange, 'accepted');
  if (anchored === undefined || anchored.how === 'done') return accepted;
  const why = anchored.how === 'unreachable' || anchored.how === 'refused' ? anchored.why : 'another host moved it';
  const line = `the exchange still names the newer state (${why}), and would stop this host again: when it is reached, once more: liza store accept`;
  return { ...accepted, lines: [line] };
}
