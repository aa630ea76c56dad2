// `liza finish`: what the integration branch brings to a person's branch, tested on the result in a clean checkout, and
// then, once the person has said yes, that branch moves there, with every clean checkout that is on it. What comes in is
// exactly where Liza left the integration branch: no other commit, approved or not.

import { baseBranch } from '../git/base-branch.ts';
import { integrationRef } from '../git/integration.ts';
import { buildCandidate, type Candidate } from '../git/merge-candidate.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf, isAncestor } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { firstFew } from '../git/tree-changes.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import { type TaskContext, thisProcess, withIntegration } from './context.ts';
import { finishMerges, moveId } from './finish-merge.ts';
import { type Tested, testResult } from './integration-test.ts';
import type { MergeFailure } from './judge-candidate.ts';
import { acceptedHead, type BranchMove, heldBy, moveBranch } from './move-branch.ts';
import { noBase, noBranch } from './sync.ts';

/** What would come of it, tested; nothing has moved yet. */
export interface FinishPlan {
  /** The person's branch. */
  readonly branch: string;
  readonly integration: string;
  /** Where that branch is, where integration is, and what the branch becomes. */
  readonly onto: string;
  readonly commit: string;
  readonly candidate: string;
  readonly how: 'fast-forward' | 'merge' | 'contained';
  readonly commits: number;
  /** As `git diff --stat` has it. */
  readonly stat: readonly string[];
  readonly test: Tested;
  /** What would keep a checkout of the branch from moving along. */
  readonly held?: Refusal | undefined;
}

/** `named`: the person's branch. `only`: it is shown, and not carried out. */
export async function planFinish(
  context: TaskContext,
  { named, only = false }: { readonly named?: string | undefined; readonly only?: boolean } = {},
): Promise<FinishPlan | MergeFailure> {
  const seen = await context.store.read();
  const branch = named ?? baseBranch(context, seen.board);
  if (branch === undefined) return noBase('finish');
  return inIntegration(context, seen, async (gitDir, { board }) => {
    const set = settings(board.state);
    const onto = await commitOf(gitDir, `refs/heads/${branch}`);
    if (onto === undefined) return noBranch(branch, 'finish');
    const commit = await acceptedHead(context, board, await commitOf(gitDir, integrationRef(board)));
    if (typeof commit !== 'string') return commit;
    const candidate = await candidateFor(gitDir, { branch, integration: set.integration_branch, onto, commit });
    if (candidate.kind === 'conflict') return conflicting(branch, set.integration_branch, candidate.paths);
    const to = candidate.kind === 'contained' ? onto : candidate.commit;
    const plan = { branch, integration: set.integration_branch, onto, commit, candidate: to, how: candidate.kind };
    const foreseen = await foresee(context, announcement(context, plan));
    if (!foreseen.ok) return foreseen;
    const held = await heldBy(moveOf(context, gitDir, plan), to);
    if (held !== undefined && !only) return held;
    const test = plan.how === 'contained' ? ({ verdict: 'none' } as const) : await testPlan(context, gitDir, set, plan);
    if ('ok' in test) return test;
    return { ...plan, ...(await account(gitDir, plan)), test, ...defined({ held }) };
  });
}

/** Exactly what was shown: whoever moved one of the two branches since then makes it begin again. */
export async function finishGoal(context: TaskContext, plan: FinishPlan): Promise<Finished | Refusal> {
  return inIntegration<Finished>(context, await context.store.read(), async (gitDir, { board }) => {
    const head = await acceptedHead(context, board, await commitOf(gitDir, integrationRef(board)));
    if (typeof head !== 'string') return head;
    const there = await commitOf(gitDir, `refs/heads/${plan.branch}`);
    if (there !== plan.onto || head !== plan.commit) {
      const moved = there === plan.onto ? plan.integration : plan.branch;
      return refuse(
        `${moved} moved since it was tested; nothing is changed`,
        'run it again: liza finish',
        1,
        'stopped',
      );
    }
    const move = moveOf(context, gitDir, plan);
    const held = await heldBy(move, plan.candidate);
    if (held !== undefined) return held;
    const announced = await transact(context, announcement(context, plan));
    if (!announced.ok) return announced;
    const moved = await moveBranch(move, plan.candidate, false);
    if (isRefusal(moved)) return moved;
    const committed = await transact(context, { name: 'finish', merge_commit: plan.candidate });
    return committed.ok ? { committed, remarks: moved.remarks } : committed;
  });
}

export interface Finished {
  readonly committed: Committed;
  /** What happened to checkouts of the branch. */
  readonly remarks: readonly string[];
}

type Planned = Omit<FinishPlan, 'commits' | 'stat' | 'test' | 'held'>;

function inIntegration<T extends object>(
  context: TaskContext,
  { board }: Seen,
  work: (gitDir: PrivateGitDir, seen: Seen) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const patience = (settings(board.state).integration_test_timeout + 60) * 1000;
  return withIntegration<T>(context, patience, async (gitDir, locked) => {
    const finished = await finishMerges(context, gitDir, locked.board);
    return work(gitDir, finished.length === 0 ? locked : await context.store.read());
  });
}

/** A person's branch goes forward where it can, as `git merge` does. */
async function candidateFor(
  gitDir: PrivateGitDir,
  { branch, integration, onto, commit }: Pick<Planned, 'branch' | 'integration' | 'onto' | 'commit'>,
): Promise<Candidate> {
  if (onto !== commit && (await isAncestor(gitDir, onto, commit))) return { kind: 'fast-forward', commit };
  return buildCandidate(gitDir, {
    onto,
    commit,
    message: `Merge branch ${integration} into ${branch} by liza finish\n`,
  });
}

const conflicting = (branch: string, integration: string, paths: readonly string[]): Refusal =>
  refuse(
    `${integration} and ${branch} do not merge: conflict in ${firstFew(paths)}; nothing is changed`,
    `resolve it by hand: git switch ${branch} && git merge refs/heads/${integration}`,
    3,
    'conflict',
  );

const announcement = (
  context: TaskContext,
  { branch, commit, candidate, onto }: Planned,
): Command & { name: 'reserve-finish' } => ({
  name: 'reserve-finish',
  branch,
  commit,
  candidate,
  onto,
  process: thisProcess(context),
});

const moveOf = (context: TaskContext, gitDir: PrivateGitDir, { branch, onto }: Planned): BranchMove => ({
  context,
  gitDir,
  branch: `refs/heads/${branch}`,
  onto,
  id: moveId('finish'),
  what: `the merge into ${branch}`,
  held: async () => {},
  release: async () => void (await transact(context, { name: 'release-move', process: thisProcess(context) })),
});

async function testPlan(
  context: TaskContext,
  gitDir: PrivateGitDir,
  set: Settings,
  { candidate, commit, branch }: Planned,
): Promise<Tested | MergeFailure> {
  const request = { task: 'finish', candidate, judge: commit, again: 'liza finish' };
  const tested = await testResult(context, gitDir, set, request);
  if ('ok' in tested || tested.verdict !== 'red') return tested;
  const { reason, log, tail } = tested;
  return {
    ...refuse(
      `${branch} stays as it is: ${reason}`,
      `read ${log}; bring ${branch} in and have it fixed there: liza sync, then ask for a task: liza note "…"`,
      3,
      'integration-test',
    ),
    lines: tail.map((line) => `  ${line}`),
  };
}

async function account(
  gitDir: PrivateGitDir,
  { onto, commit, candidate }: Planned,
): Promise<Pick<FinishPlan, 'commits' | 'stat'>> {
  const [counted, stat] = await Promise.all([
    must(gitDir.objects(['rev-list', '--count', commit, '--not', onto]), 'count the commits'),
    must(gitDir.objects(['diff', '--stat=78', '--stat-count=40', '--no-renames', onto, candidate]), 'compare them'),
  ]);
  return {
    commits: Number(counted),
    stat: stat
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
  };
}
