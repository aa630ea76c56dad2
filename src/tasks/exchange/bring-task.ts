// What another host did on a task, brought here when it is needed: the commit that is reviewed or merged; kept work and
// the last tip, for whoever goes on with it. Asked for only when something is not here.

import { listRefs } from '../../exchange/call.ts';
import { bringCommits, type Wanted } from '../../exchange/fetch.ts';
import { type Exchange, hasExchange, openExchange } from '../../exchange/open.ts';
import { parseRef } from '../../exchange/rules/refs.ts';
import { integrationRef } from '../../git/integration.ts';
import { idsOf } from '../../git/objects.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { isAncestor } from '../../git/reach.ts';
import { mergingOf, readRef, readRefs, seenOf, updateRefs } from '../../git/refs.ts';
import { findPlace, isPlace } from '../../git/task-folder.ts';
import type { Board } from '../../protocol/board.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { announcedOf } from '../../protocol/queue/batch.ts';
import { queueOf } from '../../protocol/queue/order.ts';
import type { State, Task } from '../../protocol/state.ts';
import { exchangeRefusal } from './refusals.ts';

interface Listed {
  readonly exchange: Exchange;
  readonly refs: ReadonlyMap<string, string>;
}

/** What these tasks had approved, and the candidates of a batch that another host began: what it tested counts here too. */
export function bringForMerge(
  listed: Listed | undefined,
  { state }: Pick<Board, 'state'>,
  tasks: readonly Task[],
): Promise<Refusal | undefined> {
  const { batch } = queueOf(state);
  const candidates = batch === undefined ? [] : announcedOf(batch);
  return bringReviewed(
    listed,
    tasks,
    candidates.flatMap(({ task, candidate: commit }) => {
      const ref = mergingOf(task);
      return listed?.refs.get(ref) === commit ? [{ ref, commit }] : [];
    }),
  );
}

/** The commits under review of these tasks. One that is nowhere is left to the caller, who misses it too. */
async function bringReviewed(
  listed: Listed | undefined,
  tasks: readonly Task[],
  also: readonly Wanted[] = [],
): Promise<Refusal | undefined> {
  if (listed === undefined) return undefined;
  const { exchange, refs } = listed;
  const reviewed = tasks.flatMap(({ id, review_commit: commit }) => pinned(refs, id, commit));
  const wanted = [...reviewed, ...also];
  const brought = await bringCommits(exchange, wanted);
  if (brought.how !== 'done') return exchangeRefusal(exchange, 'the merge', brought);
  await keep(exchange.gitDir, reviewed);
  return undefined;
}

const pinned = (refs: ReadonlyMap<string, string>, id: string, commit: string | undefined): readonly Wanted[] =>
  [...refs].flatMap(([ref, at]) =>
    at === commit && ref.startsWith(`refs/liza/review/${id}/`) ? [{ ref, commit }] : [],
  );

/** Under the same names here, so that they stay. A name that is in use here stays what it is. */
async function keep(gitDir: PrivateGitDir, brought: readonly Wanted[]): Promise<void> {
  const names = brought.map(({ ref }) => ref);
  if (names.length === 0) return;
  const here = await readRefs(gitDir, ...names);
  const free = brought.filter(({ ref }) => !here.has(ref));
  await updateRefs(
    gitDir,
    free.map(({ ref, commit }) => ({ ref, to: commit, from: null })),
  );
}

/** For a review: the submitted commit, where it is not here. */
export async function bringSubmitted(
  gitDir: PrivateGitDir,
  { config }: Pick<State, 'config'>,
  task: Task,
): Promise<Refusal | undefined> {
  const { review_commit: commit } = task;
  if (!hasExchange(config) || commit === undefined || (await isHere(gitDir, commit))) return undefined;
  const listed = await list(gitDir, config, `the review of ${task.id}`);
  if (listed === undefined || 'ok' in listed) return listed;
  return bringReviewed(listed, [task]);
}

/** For a claim: where the board says that integration is, and what was done on the task before. */
export async function bringWork(gitDir: PrivateGitDir, state: State, task: Task): Promise<Refusal | undefined> {
  const { goal, config } = state;
  if (!hasExchange(config)) return undefined;
  const head = goal.integration_head;
  const isBehind = head !== undefined && !(await isHere(gitDir, head));
  // Nobody worked on it yet, or its folder is here: nothing is asked, and a lost network holds nobody up.
  if (!isBehind && ((task.epoch ?? 0) === 0 || isPlace(findPlace(gitDir, task.id)))) return undefined;
  const what = `the claim of ${task.id}`;
  const branch = integrationRef({ state });
  const listed = await list(gitDir, config, what, branch);
  if (listed === undefined || 'ok' in listed) return listed;
  const { exchange, refs } = listed;
  const there = refs.get(branch);
  const own = [...refs].flatMap(([ref, commit]): readonly Wanted[] => {
    const parsed = parseRef(ref);
    const isWork = parsed?.kind === 'review' || parsed?.kind === 'attempts';
    return isWork && parsed.task === task.id ? [{ ref, commit }] : [];
  });
  // Where nobody holds it, it begins anew.
  const tip = task.worktree === undefined ? undefined : newestTip(refs, task.id);
  const integration = isBehind && there !== undefined ? [{ ref: branch, commit: there }] : [];
  const brought = await bringCommits(exchange, [...integration, ...own, ...(tip === undefined ? [] : [tip])]);
  if (brought.how !== 'done') return exchangeRefusal(exchange, what, brought);
  await keep(gitDir, own);
  if (tip !== undefined) await follow(gitDir, task.id, tip.commit);
  return undefined;
}

/** The last tip that was seen: never back, and not to the side. */
async function follow(gitDir: PrivateGitDir, task: string, tip: string): Promise<void> {
  const before = await readRef(gitDir, seenOf(task));
  if (before === undefined || (before !== tip && (await isAncestor(gitDir, before, tip))))
    await updateRefs(gitDir, [{ ref: seenOf(task), to: tip, from: before ?? null }]);
}

function newestTip(refs: ReadonlyMap<string, string>, task: string): Wanted | undefined {
  const tips = [...refs].flatMap(([ref, commit]) => {
    const parsed = parseRef(ref);
    return parsed?.kind === 'tips' && parsed.task === task ? [{ ref, commit, epoch: parsed.n ?? 0 }] : [];
  });
  return tips.sort((a, b) => b.epoch - a.epoch)[0];
}

const isHere = async (gitDir: PrivateGitDir, commit: string): Promise<boolean> =>
  (await idsOf(gitDir, [commit], 'commit'))[0] === commit;

async function list(
  gitDir: PrivateGitDir,
  config: State['config'],
  what: string,
  ...branches: readonly string[]
): Promise<Listed | Refusal | undefined> {
  const exchange = await openExchange(gitDir, config);
  if (exchange === undefined || isRefusal(exchange)) return exchange;
  const listed = await listRefs(exchange, ...branches);
  return listed.how === 'listed' ? { exchange, refs: listed.refs } : exchangeRefusal(exchange, what, listed);
}
