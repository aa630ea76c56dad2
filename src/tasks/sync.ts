// `liza sync`: a person's branch comes into the integration branch, as a task's commit does: the candidate is built in
// the object database and tested with the base side's integration test or, without one, with test_command, the intent is journalled, and only then the
// branch moves. Refused, with the files or the end of the output, everything is as it was.

import { baseBranch, baseDistance } from '../git/base-branch.ts';
import { integrationRef } from '../git/integration.ts';
import { buildCandidate, type Candidate } from '../git/merge-candidate.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { commitOf } from '../git/refs.ts';
import { firstFew } from '../git/tree-changes.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { isGoalOver, type Settings, settings } from '../protocol/state.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import { type TaskContext, thisProcess, withIntegration } from './context.ts';
import { isExchangeRefusal } from './exchange/refusals.ts';
import { meetExchange, shareBranch } from './exchange/shared-branch.ts';
import { finishMerges, moveId } from './finish-merge.ts';
import {
  hasIntegrationTest,
  hasSameTest,
  mergePatience,
  testAlone,
  testCommand,
  testResult,
} from './integration-test.ts';
import { judgeCandidate, type MergeFailure } from './judge-candidate.ts';
import { acceptedHead, type BranchMove, heldBy, moveBranch } from './move-branch.ts';
import { unpin } from './pins.ts';
import { returningCommits } from './returning-commits.ts';
import { aloneText, redMend } from './rules/red-result.ts';
import { SCRIPT, type Tested } from './rules/tested.ts';
import { unreviewedIn } from './unreviewed-commits.ts';

export interface SyncRequest {
  /** Absent: the branch that the board was made from. */
  readonly branch?: string | undefined;
  /** Also commits of agents that no merge of Liza's brought. */
  readonly withUnreviewed: boolean;
  /** Whose integration test judges; `candidate` is for a person who has read it. */
  readonly testFrom?: 'base' | 'candidate';
  /** The branch as it is becomes the start of everything, as with `liza init`: nothing is tested. */
  readonly asStart?: true;
}

export interface Synced {
  readonly branch: string;
  readonly how: 'fast-forward' | 'merge' | 'contained';
  readonly commits: number;
  /** Commits that the branch had when Liza built on it, and has no more: the integration branch keeps them. */
  readonly kept: readonly string[];
  /** Absent: nothing was to be done. */
  readonly committed?: Committed;
  readonly test: Tested;
  readonly remarks: readonly string[];
}

export async function syncBase(context: TaskContext, request: SyncRequest): Promise<Synced | MergeFailure> {
  const seen = await context.store.read();
  const branch = request.branch ?? baseBranch(context, seen.board);
  if (branch === undefined) return noBase('sync');
  const none = '0'.repeat(40);
  const onto = seen.board.state.goal.integration_head ?? none;
  const early = { name: 'reserve-sync', branch, commit: none, candidate: none, onto } as const;
  const foreseen = await foresee(context, { ...early, process: thisProcess(context) }, seen);
  // Another sync that is under way is waited for.
  if (!foreseen.ok && foreseen.guard !== 'not-being-merged') return foreseen;
  return withIntegration<Synced>(context, mergePatience(settings(seen.board.state)), async (gitDir, locked) => {
    const finished = await finishMerges(context, gitDir, locked.board);
    for (const one of finished) if (typeof one !== 'string' && isExchangeRefusal(one)) return one;
    return syncUnderLock(context, gitDir, finished.length === 0 ? locked : await context.store.read(), {
      ...request,
      branch,
    });
  });
}

/**
 * Before anything is planned: what a person has committed since `liza init`, the goal's document most often, is where the
 * work starts. Undefined: there is nothing of the kind.
 */
export async function startAtBase(context: TaskContext): Promise<Synced | undefined> {
  const { board } = await context.store.read();
  if (board.state.tasks.length > 0 || board.state.goal.status !== 'IN_PROGRESS') return undefined;
  const distance = await baseDistance(context, board);
  if (distance === undefined || distance.lacks === 0 || distance.ahead > 0) return undefined;
  const synced = await syncBase(context, { branch: distance.branch, withUnreviewed: false, asStart: true });
  return isRefusal(synced) || synced.committed === undefined ? undefined : synced;
}

export const noBase = (verb: 'sync' | 'finish'): Refusal =>
  refuse(
    'it is not known which branch is yours: the board does not say, and the project’s folder is on no branch',
    `name it: liza ${verb} main; for good: liza config set base_branch main`,
    1,
    'no-base',
  );

interface SyncMove extends BranchMove {
  readonly name: string;
  readonly commit: string;
  readonly settings: Settings;
  readonly unreviewed: readonly string[];
  readonly withUnreviewed: boolean;
  readonly isOver: boolean;
  readonly kept: readonly string[];
  readonly testFrom: 'base' | 'candidate';
  readonly asStart: boolean;
}

async function syncUnderLock(
  context: TaskContext,
  gitDir: PrivateGitDir,
  { board }: Seen,
  { branch: name, withUnreviewed, testFrom = 'base', asStart }: SyncRequest & { readonly branch: string },
): Promise<Synced | MergeFailure> {
  const branch = integrationRef(board);
  const commit = (await commitOf(gitDir, `refs/heads/${name}`)) ?? (await commitOf(gitDir, `refs/remotes/${name}`));
  if (commit === undefined) return noBranch(name, 'sync');
  const met = await meetExchange(context, gitDir, board, `the sync of ${name}`);
  if (met !== undefined && isRefusal(met)) return met;
  const onto = await acceptedHead(context, board, await commitOf(gitDir, branch));
  if (typeof onto !== 'string') return onto;
  const shared = await shareBranch(met, board, [moveId('sync')]);
  if (shared !== undefined && isRefusal(shared)) return shared;
  const process = thisProcess(context);
  const isBase = name === baseBranch(context, board);
  const move: SyncMove = {
    context,
    gitDir,
    branch,
    onto,
    ids: [moveId('sync')],
    shared,
    what: `the sync of ${name}`,
    // The person who asked is told at once; nobody else waits for it.
    held: async () => {},
    release: async () => void (await transact(context, { name: 'release-move', process })),
    name,
    commit,
    settings: settings(board.state),
    unreviewed: await unreviewedIn(gitDir, board, onto, commit),
    withUnreviewed,
    isOver: isGoalOver(board.state),
    kept: await returningCommits(gitDir, board.state, { branch: name, tip: commit, isBase }),
    testFrom,
    asStart: asStart === true,
  };
  return bringIn(move);
}

export const noBranch = (name: string, verb: 'sync' | 'finish'): Refusal =>
  refuse(
    `there is no branch ${name}`,
    `see yours: git branch --list; then: liza ${verb} <branch>, or for good: liza config set base_branch <branch>`,
    1,
    'no-base',
  );

async function bringIn(move: SyncMove): Promise<Synced | MergeFailure> {
  const { context, gitDir, onto, commit, name } = move;
  // After `liza finish` the branch has all of integration, by a second parent maybe: there is nothing to merge.
  const candidate: Candidate =
    onto !== commit && (await isAncestor(gitDir, onto, commit))
      ? { kind: 'fast-forward', commit }
      : await buildCandidate(gitDir, { onto, commit, message: `Merge branch ${name} by liza sync\n` });
  if (candidate.kind === 'contained')
    return { branch: name, how: 'contained', commits: 0, kept: move.kept, test: { verdict: 'none' }, remarks: [] };
  if (candidate.kind === 'conflict') return conflicting(name, move.branch.slice('refs/heads/'.length), candidate.paths);
  const to = candidate.commit;
  const refused = (await heldBy(move, to)) ?? (await announce(move, to, transact));
  if (refused !== undefined) return refused;
  const test = await judge(move, candidate);
  if ('ok' in test) return test;
  const pins = [{ id: moveId('sync'), at: to }];
  const moved = await moveBranch(move, to, test.verdict === 'none' ? [] : pins, pins);
  if ('ok' in moved) return moved;
  const committed = await transact(context, { name: 'sync', merge_commit: to });
  if (!committed.ok) return committed;
  const counted = await gitDir.objects(['rev-list', '--count', commit, '--not', onto]);
  return {
    branch: name,
    how: candidate.kind,
    commits: Number(counted.stdout),
    kept: move.kept,
    committed,
    test,
    remarks: moved.remarks,
  };
}

const conflicting = (name: string, integration: string, paths: readonly string[]): MergeFailure =>
  refuse(
    `${name} and ${integration} do not merge: conflict in ${firstFew(paths)}; nothing is changed`,
    `resolve it on a branch of yours: git switch ${name} && git merge refs/heads/${integration}, then: liza sync`,
    3,
    'conflict',
  );

/** The journalled intent, or with `foresee` whether it would be taken now. */
async function announce(
  { context, name, commit, onto, unreviewed, withUnreviewed, testFrom }: SyncMove,
  candidate: string,
  by: typeof transact | typeof foresee,
): Promise<Refusal | undefined> {
  const outcome = await by(context, {
    name: 'reserve-sync',
    branch: name,
    commit,
    candidate,
    onto,
    process: thisProcess(context),
    ...(unreviewed.length === 0 ? {} : { unreviewed: unreviewed.slice(0, 50) }),
    ...(withUnreviewed ? { with_unreviewed: true } : {}),
    ...(testFrom === 'candidate' ? { test_from: testFrom } : {}),
  });
  return outcome.ok ? undefined : outcome;
}

type Movable = Extract<Candidate, { readonly commit: string }>;

async function judge(move: SyncMove, { kind: how, commit: candidate }: Movable): Promise<Tested | MergeFailure> {
  const { context, gitDir, settings, onto, name, isOver, testFrom, asStart } = move;
  if (asStart && how === 'fast-forward') return { verdict: 'none' };
  const side = testFrom === 'candidate' ? candidate : onto;
  const byScript = await hasIntegrationTest(gitDir, side);
  if (testCommand(settings) === undefined && !byScript) return { verdict: 'none' };
  return judgeCandidate(move, {
    candidate,
    pins: [{ id: moveId('sync'), at: candidate }],
    test: () => testResult(context, gitDir, settings, { task: 'sync', candidate, judge: side, again: 'liza sync' }),
    red: async (tested) => {
      await unpin(gitDir, ...move.ids);
      await move.release();
      const alone = await testAlone(context, gitDir, settings, { task: 'sync', head: onto, again: 'liza sync' });
      const integration = settings.integration_branch;
      const result = { branch: name, integration, how, tested, alone, byScript, isOver };
      const told = `${name} is not merged in: ${tested.reason}${aloneText(result)}; nothing is changed`;
      const lines = tested.tail.map((line) => `  ${line}`);
      // A test that is broken itself would refuse its own repair for ever.
      const own = (await hasSameTest(gitDir, side, candidate))
        ? ''
        : `; ${name} brings another ${SCRIPT}: to let that one judge, once you have read it: liza sync --test-from candidate`;
      return { ...refuse(told, `${redMend(result)}${own}`, 3, 'integration-test'), lines };
    },
    refusedNow: () => announce(move, candidate, foresee),
  });
}
