// The integration branch as all hosts share it: what the exchange has is compared with the board, the branch here follows,
// and a move goes to the exchange first. Where no exchange is set, none of this is asked and no program is started.

import { listRefs } from '../../exchange/call.ts';
import { bringCommits } from '../../exchange/fetch.ts';
import { type Fence, land, markFences, settle } from '../../exchange/land.ts';
import { type Exchange, hasExchange, openExchange } from '../../exchange/open.ts';
import { fenceOf } from '../../exchange/rules/refs.ts';
import { integrationRef, openGitDir } from '../../git/integration.ts';
import { idsOf } from '../../git/objects.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { isAncestor } from '../../git/reach.ts';
import { commitOf, mergingOf } from '../../git/refs.ts';
import type { Board } from '../../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import type { State } from '../../protocol/state.ts';
import { type TaskContext, withIntegration } from '../context.ts';
import { type BranchMove, heldBy, moveBranch } from '../move-branch.ts';
import type { Pin } from '../pins.ts';
import { beginBranch } from './arrive.ts';
import { exchangeRefusal } from './refusals.ts';

/** Of a move that is no task's: a sync. */
const NO_EPOCH = 0;

export const fenceFor = ({ tasks }: Pick<State, 'tasks'>, id: string): string =>
  fenceOf(id, findTask({ tasks } as State, id)?.epoch ?? NO_EPOCH);

interface Met {
  readonly exchange: Exchange;
  /** Where the branch is there. */
  readonly head: string | undefined;
  readonly refs: ReadonlyMap<string, string>;
}

/** Before anything is built: the branch here is where the board says, and so is the exchange's, or behind it. */
export async function meetExchange(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  what: string,
): Promise<Met | Refusal | undefined> {
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const branch = integrationRef(board);
  const listed = await listRefs(exchange, branch);
  if (listed.how !== 'listed') return exchangeRefusal(exchange, what, listed);
  const head = listed.refs.get(branch);
  const met = { exchange, head, refs: listed.refs };
  const left = board.state.goal.integration_head;
  if (head === undefined || left === undefined) return met;
  const brought = await bringCommits(exchange, [{ ref: branch, commit: head }]);
  if (brought.how !== 'done') return exchangeRefusal(exchange, what, brought);
  const isKnown = head === left || (await isAncestor(gitDir, head, left));
  if (!isKnown) return movedThere(exchange, (await context.store.read()).board, head, what);
  return (await followTo(context, gitDir, board, left)) ?? met;
}

/** The branch here goes where the others have brought it, where nobody merges here just now. */
export async function catchUp(context: TaskContext): Promise<Refusal | undefined> {
  const { board } = await context.store.read();
  const { config, goal } = board.state;
  if (!hasExchange(config) || goal.integration_head === undefined) return undefined;
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const there = await commitOf(gitDir, integrationRef(board));
  if (there === goal.integration_head) return undefined;
  const begun = there === undefined && context.shared !== undefined ? await beginBranch(gitDir, board) : undefined;
  if (begun !== undefined) return isRefusal(begun) ? begun : undefined;
  const done = await withIntegration(context, 0, async (locked, seen) => {
    const met = await meetExchange(context, locked, seen.board, 'the update of the integration branch');
    return met !== undefined && isRefusal(met) ? met : {};
  });
  return isRefusal(done) && done.guard !== 'folder-lock' ? done : undefined;
}

/** Another host has just landed it, and says so on the board now or in a moment; or nobody of Liza's did. */
function movedThere(exchange: Exchange, board: Board, head: string, what: string): Refusal {
  const branch = integrationRef(board);
  const name = branch.slice('refs/heads/'.length);
  const left = board.state.goal.integration_head ?? '';
  const { goal, tasks } = board.state;
  // It may have landed more since, so that the board is further by now.
  const landed = tasks.flatMap(({ merging, merge_commit }) => [merging?.candidate, merge_commit]);
  const isOurs = [left, goal.moving?.candidate, ...landed].includes(head);
  if (isOurs) return exchangeRefusal(exchange, what, { how: 'stale', ref: branch, found: head });
  const { shown } = exchange.address;
  return refuse(
    `${name} was moved outside Liza at the exchange ${shown}: it is at ${head}, Liza left it at ${left}`,
    `look at it: git log --left-right ${left.slice(0, 12)}...${head.slice(0, 12)}; if it is right: liza doctor --accept-integration`,
    1,
    'exchange-moved',
  );
}

/** The branch here was left behind: another host moved it on, or this one was killed in between. */
async function followTo(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  to: string,
): Promise<Refusal | undefined> {
  const branch = integrationRef(board);
  const onto = await commitOf(gitDir, branch);
  if (onto === undefined || onto === to || !(await isAncestor(gitDir, onto, to))) return undefined;
  const what = `the update of ${branch.slice('refs/heads/'.length)}`;
  const silent = { held: async () => {}, release: async () => {} };
  const move: BranchMove = { context, gitDir, branch, onto, ids: [], what, ...silent };
  const held = await heldBy(move, to);
  if (held !== undefined) return held;
  const moved = await moveBranch(move, to, []);
  return isRefusal(moved) ? moved : undefined;
}

/** A person accepts where the branch is at the exchange: the branch here goes there too. */
export async function followExchange(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
): Promise<Refusal | undefined> {
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const branch = integrationRef(board);
  const listed = await listRefs(exchange, branch);
  if (listed.how !== 'listed') return exchangeRefusal(exchange, 'the look at it', listed);
  const head = listed.refs.get(branch);
  const onto = await commitOf(gitDir, branch);
  if (head === undefined || onto === undefined || head === onto) return undefined;
  const brought = await bringCommits(exchange, [{ ref: branch, commit: head }]);
  if (brought.how !== 'done') return exchangeRefusal(exchange, 'the look at it', brought);
  if (await isAncestor(gitDir, head, onto)) return undefined;
  if (await isAncestor(gitDir, onto, head)) return followTo(context, gitDir, board, head);
  const name = branch.slice('refs/heads/'.length);
  return refuse(
    `${name} here, at ${onto.slice(0, 12)}, and at the exchange ${exchange.address.shown}, at ${head.slice(0, 12)}, went apart`,
    `decide which one it is: git log --left-right ${onto.slice(0, 12)}...${head.slice(0, 12)}; then move the other one there`,
    1,
    'exchange-moved',
  );
}

/** What moves the branch for all hosts; undefined: there is only this one. */
export interface SharedBranch {
  /** `landing`: whose work lands, with the candidate of each. A refusal: nothing has moved, unless nobody could be asked. */
  land(what: string, to: string, landing: readonly Pin[]): Promise<Refusal | undefined>;
}

/** Before the move is announced on the board (exchange/land.ts says why), and with the candidates that it will name. */
export async function shareBranch(
  met: Met | undefined,
  board: Board,
  ids: readonly string[],
  candidates: readonly Pin[] = [],
): Promise<SharedBranch | Refusal | undefined> {
  if (met === undefined || ids.length === 0) return undefined;
  const { exchange, refs } = met;
  const fence = (id: string): string => fenceFor(board.state, id);
  const also = candidates.map(({ id, at }) => ({ ref: mergingOf(id), to: at, from: refs.get(mergingOf(id)) ?? null }));
  const marked = await markFences(exchange, ids.map(fence), refs, also);
  if (marked.how !== 'marked') return exchangeRefusal(exchange, `the merge of ${ids.join(', ')}`, marked);
  const branch = integrationRef(board);
  let from = met.head;
  return {
    land: async (what, to, landing) => {
      const fences = landing.map(({ id, at }) => ({ ref: fence(id), candidate: at }));
      const ended = await land(exchange, { branch, from, to, mark: marked.mark, fences });
      if (ended.how !== 'done') return exchangeRefusal(exchange, what, ended);
      from = to;
      return undefined;
    },
  };
}

/**
 * What a killed host, or one whose push was cut off, had announced: what landed is in the branch here afterwards, and the
 * rest never will land by that announcement.
 */
export async function settleLandings(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  announced: readonly Pin[],
): Promise<Refusal | undefined> {
  if (announced.length === 0) return undefined;
  const exchange = await openExchange(gitDir, board.state.config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const fences: readonly Fence[] = announced.map(({ id, at }) => ({ ref: fenceFor(board.state, id), candidate: at }));
  const branch = integrationRef(board);
  const settled = await settle(exchange, branch, fences);
  const what = `the merge of ${announced.map(({ id }) => id).join(', ')}`;
  if (settled.how !== 'settled') return exchangeRefusal(exchange, what, settled);
  const last = announced.findLast(({ id }) => settled.landed.has(fenceFor(board.state, id)));
  if (last === undefined) return undefined;
  // Built by another host, it is not here yet.
  const there = (await idsOf(gitDir, [last.at], 'commit'))[0] === last.at;
  const wanted = there || settled.head === undefined ? [] : [{ ref: branch, commit: settled.head }];
  const brought = await bringCommits(exchange, wanted);
  if (brought.how !== 'done') return exchangeRefusal(exchange, what, brought);
  return followTo(context, gitDir, board, last.at);
}
