// Approved commits become part of the integration branch, or do not: the candidates are built and tested first, the intent
// is journalled, and only then the branch moves, by compare-and-swap. So the branch never holds an untested merge and
// there is nothing to roll back. One batch at a time (context.ts); `wt merge` is a batch of one. queue/run-batch.ts goes
// through its steps; finish-merge.ts finishes or undoes what a killed one left.

import { integrationRef } from '../git/integration.ts';
import { idsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitsOf } from '../git/refs.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { isJudgedBy } from '../protocol/queue/batch.ts';
import { mergeable, nextBatch, queueOf, withoutSome } from '../protocol/queue/order.ts';
import { judgeLeft } from '../protocol/queue/settle.ts';
import { unsettled } from '../protocol/review/approver-session.ts';
import { wasFirstGreen } from '../protocol/review/proof.ts';
import { type Settings, type State, settings, type Task } from '../protocol/state.ts';
import { othersMerge } from '../protocol/work/hosts.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import { look, type TaskContext, thisProcess, type View, viewOf, withIntegration } from './context.ts';
import { bringForMerge } from './exchange/bring-task.ts';
import { isExchangeRefusal } from './exchange/refusals.ts';
import { meetExchange, shareBranch } from './exchange/shared-branch.ts';
import { finishMerges, unpinLeft } from './finish-merge.ts';
import {
  hasNewTest,
  hasSameTest,
  judgedBy,
  mergePatience,
  testAt,
  testCommand,
  testResult,
} from './integration-test.ts';
import type { MergeFailure } from './judge-candidate.ts';
import { acceptedHead, hold, inTheWay } from './move-branch.ts';
import {
  type Building,
  buildChain,
  chainAhead,
  type Failed,
  type How,
  type Link,
  noCommit,
  recordedChain,
} from './queue/chain.ts';
import { asLongAs } from './queue/dropped.ts';
import { pinsOf } from './queue/land.ts';
import { type Lanes, openLanes } from './queue/lanes.ts';
import { type BatchEnd, runBatch } from './queue/run-batch.ts';
import type { BatchMove } from './queue/steps.ts';
import { type Released, tidy } from './release.ts';
import type { Tested } from './rules/tested.ts';

export interface MergeOptions {
  /** Whose integration test judges; `candidate` is for a person who has read it. */
  readonly testFrom: 'base' | 'candidate';
}

export interface Merged {
  readonly committed: Committed;
  readonly commit: string;
  readonly how: How | 'before';
  readonly test?: Tested;
  /** What happened to checkouts of the branch. */
  readonly remarks: readonly string[];
  readonly tidied?: Released | Refusal;
}

export async function mergeTask(
  context: TaskContext,
  id: string,
  options: MergeOptions,
): Promise<Merged | MergeFailure> {
  const view = await look(context, id);
  const { task, settings } = view;
  if (task?.status === 'MERGED' && task.merge_commit !== undefined) return mergedBefore(context, task);
  const refused = await refuseEarly(context, view, id);
  if (refused !== undefined) return refused;
  const merged = await withIntegration<Merged>(context, mergePatience(settings), (gitDir, seen) =>
    mergeUnderLock(context, gitDir, seen, { id, ...options }),
  );
  if (isRefusal(merged)) return merged;
  // The folder goes last: the work is reachable from the branch by now.
  return { ...merged, tidied: await tidyMerged(context, id, merged.commit) };
}

const tidyMerged = (context: TaskContext, id: string, merged: string) =>
  tidy(context, id, 'its task was merged', { merged });

/** The next batch of those that wait, or what is left of one whose process died. Nobody waits for another that does it. */
export async function mergeQueue(context: TaskContext, not: ReadonlySet<string>): Promise<BatchEnd | Refusal> {
  const end = await landQueue(context, not);
  if (!isRefusal(end)) await tidyLanded(context, end);
  return end;
}

/** The same, and the folders of those that landed are left to the caller. */
export async function landQueue(context: TaskContext, not: ReadonlySet<string>): Promise<BatchEnd | Refusal> {
  const lanes = openLanes();
  return await withIntegration<BatchEnd>(context, 0, async (gitDir, seen) => {
    try {
      const now = await settled(context, gitDir, seen);
      if (isRefusal(now)) return now;
      return await mergeLanes(context, gitDir, now.board, { testFrom: 'base', not, lanes });
    } finally {
      await lanes.stop();
      await unpinLeft(gitDir, (await context.store.read()).board);
    }
  });
}

/** Their folders go last, and hold up no other merge. */
export async function tidyLanded(context: TaskContext, { landed }: Pick<BatchEnd, 'landed'>): Promise<void> {
  for (const { task, commit } of landed) await tidyMerged(context, task, commit);
}

/** Where one has landed whole, the one that was tested on top of it is next; then whoever waits for the lock comes in. */
async function mergeLanes(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Building['board'],
  request: Request,
): Promise<BatchEnd | MergeFailure> {
  const end = await mergeSome(context, gitDir, board, request);
  if (isRefusal(end) || end.stopped !== undefined) return end;
  if (end.landed.length === 0 && end.turned !== true) return end;
  const { board: now } = await context.store.read();
  if (queueOf(now.state).batch === undefined) return end;
  await request.lanes?.stop(now.state);
  const next = await mergeLanes(context, gitDir, now, request);
  if (isRefusal(next)) return { ...end, stopped: next };
  return {
    ...next,
    landed: [...end.landed, ...next.landed],
    failed: [...end.failed, ...next.failed],
    tried: [...end.tried, ...next.tried],
  };
}

async function mergedBefore(context: TaskContext, task: Task): Promise<Merged | Refusal> {
  const commit = task.merge_commit ?? '';
  const committed = await transact(context, { name: 'merge', task: task.id, merge_commit: commit });
  return committed.ok ? { committed, commit, how: 'before', remarks: [] } : committed;
}

/** Role, state and switches, before anything is built. */
async function refuseEarly(context: TaskContext, view: View, id: string): Promise<Refusal | undefined> {
  const { board, task } = view;
  const candidate = task?.review_commit ?? '0'.repeat(40);
  const onto = board.state.goal.integration_head ?? candidate;
  const command = { name: 'reserve-merge', task: id, candidate, onto, process: thisProcess(context) } as const;
  const foreseen = await foresee(context, command, view);
  // A merge of it that is under way is waited for: then it is merged, or free again.
  return foreseen.ok || foreseen.guard === 'not-being-merged' ? undefined : foreseen;
}

interface OneRequest extends MergeOptions {
  readonly id: string;
}

/** Another host merges just now: it is asked again, as where another process here has the lock of merges. */
async function refuseOthers({ store, clock, shared }: TaskContext): Promise<Refusal | undefined> {
  if (shared === undefined) return undefined;
  const found = othersMerge((await store.read()).board, clock.now());
  if (found === undefined) return undefined;
  return refuse(`${found.by} merges ${found.task} on ${found.host}`, 'wait for it: liza queue', 2, 'folder-lock');
}

async function settled(context: TaskContext, gitDir: PrivateGitDir, seen: Seen): Promise<Seen | Refusal> {
  const busy = await refuseOthers(context);
  if (busy !== undefined) return busy;
  const finished = await finishMerges(context, gitDir, seen.board);
  // What may have landed at the exchange is known first.
  const open = finished.find((one) => typeof one !== 'string' && isExchangeRefusal(one));
  if (open !== undefined && typeof open !== 'string') return open;
  return finished.length === 0 ? seen : context.store.read();
}

async function mergeUnderLock(
  context: TaskContext,
  gitDir: PrivateGitDir,
  seen: Seen,
  { id, testFrom }: OneRequest,
): Promise<Merged | MergeFailure> {
  const now = await settled(context, gitDir, seen);
  if (isRefusal(now)) return now;
  const view = viewOf(now, id);
  if (view.task?.status === 'MERGED') return mergedBefore(context, view.task);
  if (view.task?.review_commit === undefined) return noCommit(id);
  const end = await mergeSome(context, gitDir, view.board, { testFrom, only: view.task });
  if (isRefusal(end)) return end;
  const failure = end.failed[0]?.failure ?? end.stopped;
  const [landed] = end.landed;
  return landed ?? failure ?? refuse(`the merge of ${id} was stopped`, 'run it again', 1, 'stopped');
}

interface Request extends MergeOptions {
  /** A batch of this one. */
  readonly only?: Task;
  /** Those that were refused, for a reason that has not changed since. */
  readonly not?: ReadonlySet<string>;
  readonly lanes?: Lanes;
}

async function mergeSome(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Building['board'],
  request: Request,
): Promise<BatchEnd | MergeFailure> {
  const { state } = board;
  const not = new Set([...(request.not ?? []), ...unsettled(board, context.clock.now()).keys()]);
  const wanted = request.only === undefined ? mergeable(withoutSome(state, not)) : [request.only];
  const branch = integrationRef(board);
  const met = await meetExchange(context, gitDir, board, 'the merge');
  if (met !== undefined && isRefusal(met)) return met;
  const brought = await bringForMerge(met, board, wanted);
  if (brought !== undefined) return brought;
  const [found, ...commits] = await commitsOf(gitDir, [branch, ...wanted.map((task) => task.review_commit ?? '')]);
  const onto = await acceptedHead(context, board, found);
  if (typeof onto !== 'string') return onto;
  const holdOne = (task: string, message: string, hint: string) =>
    hold({ what: `the merge of ${task}`, held: (...why) => recordHeld(context, task, ...why) }, message, hint);
  const known = new Set(commits.flatMap((commit) => commit ?? []));
  const building: Building = { context, gitDir, board, onto, known, hold: holdOne };
  const some = { ...request, not };
  const { links, failed, ...judge } = await chosen(building, some);
  const ids = links.map(({ task }) => task.id);
  // Another host may have announced its own meanwhile, whose fences these are.
  const busy = await refuseOthers(context);
  if (busy !== undefined) return busy;
  const shared = await shareBranch(met, board, ids, pinsOf(links));
  if (shared !== undefined && isRefusal(shared)) return shared;
  const run = (these: readonly Link[]) =>
    runBatch({ ...moveOf(building, branch, these, { ...some, ...judge }), shared }, these);
  const all = await run(links);
  // Something of a person is in the way of some of them: those before the first of these go on without it.
  const isHeld = all.stopped?.guard === 'held' && all.landed.length === 0 && links.length > 1;
  const end = !isHeld
    ? all
    : (await isSearched(context))
      ? await heldWhole(context, all)
      : await run(links.slice(0, Math.max(1, await freeOf({ gitDir, branch, onto }, links))));
  return { ...end, failed: [...failed, ...end.failed] };
}

/** How many of them nothing of a person is in the way of. */
async function freeOf(branch: Parameters<typeof inTheWay>[0], links: readonly Link[]): Promise<number> {
  for (const [at, { candidate }] of links.entries()) if ((await inTheWay(branch, candidate)) !== undefined) return at;
  return links.length;
}

/** Something is known of it: it waits as a whole, and goes on where it was. */
async function isSearched({ store }: TaskContext): Promise<boolean> {
  const { batch } = queueOf((await store.read()).board.state);
  return batch !== undefined && (batch.landed > 0 || batch.runs.length > 0);
}

async function heldWhole(context: TaskContext, end: BatchEnd): Promise<BatchEnd> {
  const [first = ''] = end.tried;
  if (end.stopped !== undefined) await recordHeld(context, first, end.stopped.message, end.stopped.hint);
  return end;
}

/** Who judges a batch, from its first test to its last. */
interface Judge {
  /** The commit whose integration test it is: where the branch was when the batch began. */
  readonly judge: string;
  /** That commit has one. */
  readonly scripted: boolean;
  readonly tested: boolean;
  /** Settings and test, in short. */
  readonly by: string;
  /** The same by other settings. */
  byOf(set: Settings): string;
}

async function judgeAt({ gitDir, board }: Building, judge: string, testFrom: MergeOptions['testFrom']): Promise<Judge> {
  const set = settings(board.state);
  const script = await testAt(gitDir, judge);
  const scripted = script !== undefined;
  const tested = scripted || testCommand(set) !== undefined || testFrom === 'candidate';
  // What a person let its own test judge is judged anew by the branch's.
  const byOf = (one: Settings): string => judgedBy(one, testFrom === 'candidate' ? testFrom : script);
  return { judge, scripted, tested, by: byOf(set), byOf };
}

interface Chosen extends Judge {
  readonly links: readonly Link[];
  readonly failed: readonly Failed[];
}

/** What a batch that was left is made of, or the next ones that wait. */
async function chosen(building: Building, { only, not, testFrom }: Request): Promise<Chosen> {
  const { state } = building.board;
  const { batch } = queueOf(state);
  const isWanted = (id: string): boolean => (only === undefined ? not?.has(id) !== true : only.id === id);
  const left = batch === undefined ? undefined : await recordedChain(building, batch, isWanted);
  if (batch !== undefined && left !== undefined) {
    const judge = await judgeAt(building, batch.judge_at ?? batch.base, testFrom);
    const isSame = isJudgedBy(batch, judge.by) && !(await hasNewTest(building.gitDir, judge.judge, building.onto));
    if (isSame && (judge.tested || left.length === 1)) return { ...judge, links: left, failed: [] };
  }
  const judge = await judgeOfNext(building, testFrom);
  const next = only === undefined ? nextBatch(withoutSome(state, not), settings(state), judge.tested) : [only];
  return { ...judge, ...(await buildChain(building, next)) };
}

/** The branch's own; where a task took that away, the one before as long as those wait that were behind it in its batch. */
async function judgeOfNext(building: Building, testFrom: MergeOptions['testFrom']): Promise<Judge> {
  const judge = await judgeAt(building, building.onto, testFrom);
  const before = judgeLeft(building.board.state);
  return judge.scripted || before === undefined ? judge : judgeAt(building, before, testFrom);
}

function moveOf(
  { context, gitDir, board, onto }: Building,
  branch: string,
  links: readonly Link[],
  { judge, scripted, tested, by, byOf, testFrom, only, lanes, not = new Set() }: Judge & Request,
): BatchMove {
  const set = settings(board.state);
  const process = thisProcess(context);
  const starts = new Set<string>();
  const ids = links.map(({ task }) => task.id);
  const named = ids.length === 1 ? ids[0] : `${ids.length} tasks`;
  const isAnnounced = ({ tasks }: State): boolean =>
    tasks.some(({ id, merging }) => merging?.process === process && ids.includes(id));
  const rejudged = async (): Promise<Refusal | undefined> => {
    const { board: now } = await context.store.read();
    if (byOf(settings(now.state)) === by) return undefined;
    return refuse('what tests it was set otherwise meanwhile: it begins again', 'see it: liza queue', 1, 'stopped');
  };
  return {
    context,
    gitDir,
    branch,
    onto,
    ids,
    what: `the merge of ${named}`,
    held: async (message, hint) => {
      if (ids.length === 1) await recordHeld(context, ids[0] ?? '', message, hint);
    },
    release: async () => {
      const { board: now } = await context.store.read();
      const open = now.state.tasks.find((task) => ids.includes(task.id) && task.merging !== undefined);
      if (open !== undefined) await transact(context, { name: 'release-merge', task: open.id, process });
    },
    settings: set,
    process,
    tested,
    ...(tested ? { by } : {}),
    ...(judge === onto ? {} : { judge }),
    lanes,
    fillLanes: async (state) =>
      lanes === undefined || !tested || judge !== onto
        ? state
        : lanes.fill({ context, gitDir, board, onto, settings: set, by, not }, state),
    known: async (link) =>
      scripted || testFrom === 'candidate' ? undefined : knownGreen(gitDir, board.state, set, link),
    test: async (request, isWanted = () => true) => {
      const again = 'liza queue release';
      const by = { ...request, again, judge: testFrom === 'candidate' ? request.candidate : judge, starts };
      const isIn = (state: State): boolean => isAnnounced(state) && isWanted(state);
      const result = await asLongAs(context, isIn, (it) => testResult(it, gitDir, set, by));
      return (await rejudged()) ?? result;
    },
    rejudged,
    beside: async (at, tasks) => {
      if (only !== undefined || !(await hasSameTest(gitDir, judge, at))) return [];
      const built = await chainAhead({ context, gitDir, board, onto: at }, at, tasks);
      return built.at(-1)?.candidate === at ? [] : built;
    },
    not: (now) => [...not, ...unsettled(now, context.clock.now()).keys()],
  };
}

/** Recorded, so that the board says why nothing moves for as long as it is so. */
async function recordHeld(context: TaskContext, task: string, message: string, hint: string): Promise<void> {
  await transact(context, { name: 'hold-merge', task, reason: `${message} (${hint})`.slice(0, 2000) });
}

/** Where the candidate has the very files of the approved commit, its proof holds for it, if nothing had run there before. */
async function knownGreen(
  gitDir: PrivateGitDir,
  state: State,
  set: Settings,
  { candidate, commit }: Link,
): Promise<Tested | undefined> {
  const command = testCommand(set);
  if (command === undefined || !wasFirstGreen(state, commit, command)) return undefined;
  if (candidate !== commit) {
    const [tree, approved] = await idsOf(gitDir, [candidate, commit], 'tree');
    if (tree === undefined || tree !== approved) return undefined;
  }
  return { verdict: 'known', command, at: commit };
}
