// Objects first, rows second: what a row is about to name is at the exchange before. What nobody waits for is offered by
// whoever reconciles, and again as long as it is not there.

import { listRefs } from '../../exchange/call.ts';
import { offerOne, offerRefs, takenNumbers } from '../../exchange/offer.ts';
import { type Exchange, openExchange } from '../../exchange/open.ts';
import type { Failed } from '../../exchange/rules/outcome.ts';
import type { TaskThere } from '../../exchange/rules/retention.ts';
import { sweepExchange } from '../../exchange/sweep.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { mayHaveRefs, pinForReview, reviewOf } from '../../git/refs.ts';
import { findPlace, isPlace } from '../../git/task-folder.ts';
import type { Board } from '../../protocol/board.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { isTerminal, type State } from '../../protocol/state.ts';
import { isElsewhere } from '../../protocol/work/hosts.ts';
import { exchangeRefusal } from './refusals.ts';

/** More hosts do not submit the same task at once. */
const TRIES = 5;

/** The pin's number, here and at the exchange. The pin here stays whatever happens: the next try has the same number. */
export async function pinForAll(
  gitDir: PrivateGitDir,
  { config }: Pick<State, 'config'>,
  task: string,
  commit: string,
): Promise<number | Refusal> {
  const exchange = await openExchange(gitDir, config);
  if (exchange === undefined) return pinForReview(gitDir, task, commit);
  if (isRefusal(exchange)) return exchange;
  const what = `the submission of ${task}`;
  const again = `the commit is kept; wait a minute, then: liza submit-for-review ${task} ${commit}`;
  for (let n = 1; ; n += 1) {
    const taken = await takenNumbers(exchange, reviewOf(task));
    if (taken.how !== 'listed') return exchangeRefusal(exchange, what, taken, again);
    const number = await pinForReview(gitDir, task, commit, taken.numbers);
    if (taken.numbers.get(number) === commit) return number;
    const ended = await offerOne(exchange, { ref: reviewOf(task, number), to: commit, from: null });
    if (ended.how === 'done') return number;
    if (ended.how !== 'stale' || n === TRIES) return exchangeRefusal(exchange, what, ended, again);
  }
}

/** Kept work of a task, before a row names it. */
export async function offerKept(
  gitDir: PrivateGitDir,
  { config }: Pick<State, 'config'>,
  task: string,
): Promise<Refusal | undefined> {
  if (!mayHaveRefs(gitDir, `refs/liza/attempts/${task}`)) return undefined;
  const exchange = await openExchange(gitDir, config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const offered = await offerRefs(exchange, { task, epochs: new Map() });
  const failed = offered.how === 'offered' ? offered.left : offered;
  return failed && exchangeRefusal(exchange, `the claim of ${task}`, failed);
}

export interface Exchanged {
  readonly how: 'exchanged';
  readonly offered: number;
  readonly swept: number;
  /** Why something could not be sent, while the rest was. */
  readonly left?: Failed | undefined;
}

/** All that waits; then what nobody needs any more goes. */
export async function offerAll(exchange: Exchange, board: Board): Promise<Exchanged | Failed> {
  const there = await listRefs(exchange);
  if (there.how !== 'listed') return there;
  const epochs = epochsOf(exchange.gitDir, board);
  const offered = await offerRefs(exchange, { epochs, listed: there.refs });
  if (offered.how !== 'offered') return offered;
  const swept = await sweepExchange(exchange, there.refs, tasksOf(board));
  // A server that deletes nothing is a matter of room there, and nobody's work waits for it.
  if (swept.how === 'unreachable') return swept;
  const { refs, left } = offered;
  return { how: 'exchanged', offered: refs, swept: swept.how === 'swept' ? swept.refs : 0, left };
}

/** Of the tasks that are worked on here: another host sends the tips of its own, also of one that was taken over from here. */
function epochsOf(gitDir: PrivateGitDir, board: Board): ReadonlyMap<string, number> {
  const here = board.state.tasks.filter(
    (task) => task.worktree !== undefined && !isElsewhere(board, task) && isPlace(findPlace(gitDir, task.id)),
  );
  return new Map(here.map(({ id, epoch }) => [id, epoch ?? 0] as const));
}

function tasksOf({ state, archived }: Board): ReadonlyMap<string, TaskThere> {
  const past = [...archived].map(
    ([id, status]) => [id, { epoch: 0, merged: status === 'MERGED', over: true }] as const,
  );
  const present = state.tasks.map(({ id, status, epoch, review_commit: commit }) => {
    const there = { epoch: epoch ?? 0, merged: status === 'MERGED', over: isTerminal(status), commit };
    return [id, there] as const;
  });
  return new Map<string, TaskThere>([...past, ...present]);
}
