// A clone becomes a host of a board in a database: the other hosts see it at once, and it gets the integration branch, which
// a clone of people's branches does not have.

import { listRefs } from '../../exchange/call.ts';
import { bringCommits } from '../../exchange/fetch.ts';
import { openExchange } from '../../exchange/open.ts';
import { integrationRef, openGitDir } from '../../git/integration.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { commitOf, updateRefs } from '../../git/refs.ts';
import type { Board } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { commitElsewhere, withoutExchange } from '../../protocol/work/hosts.ts';
import type { BoardContext } from '../../store/context.ts';
import type { SharedBoard } from '../../store/shared-board.ts';
import type { Store } from '../../store/store.ts';
import { exchangeRefusal } from './refusals.ts';

/** Lines for the person who brought it. */
export async function arrive(
  context: BoardContext & { readonly store: Store },
  shared: SharedBoard,
): Promise<readonly string[]> {
  const [{ greet }, { sessionOf }] = await Promise.all([
    import('../../store/postgres/hosts.ts'),
    import('../../store/postgres/session.ts'),
  ]);
  const { seq } = await context.store.read();
  const { link } = sessionOf(context, shared);
  await link.refused(() => link.retry((connection) => greet(connection, shared, seq)));
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  const begun = isRefusal(gitDir) ? gitDir : await beginBranch(gitDir, board);
  const alone = withoutExchange(board);
  const lines = begun === undefined ? [] : [isRefusal(begun) ? `${begun.message}: ${begun.hint}` : begun.line];
  return alone === undefined ? lines : [...lines, `next, on any host: ${alone}`];
}

/** The integration branch where the board says that it is. undefined: it is here already, or nobody has begun it. */
export async function beginBranch(
  gitDir: PrivateGitDir,
  board: Board,
): Promise<{ readonly line: string } | Refusal | undefined> {
  const head = board.state.goal.integration_head;
  const ref = integrationRef(board);
  if (head === undefined || (await commitOf(gitDir, ref)) !== undefined) return undefined;
  const name = ref.slice('refs/heads/'.length);
  const brought = await bringHead(gitDir, board, ref, head);
  if (brought !== undefined) return brought;
  if ((await commitOf(gitDir, head)) !== head)
    return refuse(
      `the branch ${name} is not here yet: the board has it at ${head.slice(0, 12)}, which this clone lacks`,
      commitElsewhere(board) ?? 'look for it: git fetch',
      2,
      'commit',
    );
  await updateRefs(gitDir, [{ ref, to: head, from: null }]);
  return { line: `the branch ${name} is at ${head.slice(0, 12)}, as on the other hosts` };
}

async function bringHead(
  gitDir: PrivateGitDir,
  { state }: Board,
  ref: string,
  head: string,
): Promise<Refusal | undefined> {
  if ((await commitOf(gitDir, head)) === head) return undefined;
  const exchange = await openExchange(gitDir, state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const what = `the branch ${ref.slice('refs/heads/'.length)}`;
  const listed = await listRefs(exchange, ref);
  if (listed.how !== 'listed') return exchangeRefusal(exchange, what, listed);
  const there = listed.refs.get(ref);
  const brought = await bringCommits(exchange, there === undefined ? [] : [{ ref, commit: there }]);
  return brought.how === 'done' ? undefined : exchangeRefusal(exchange, what, brought);
}
