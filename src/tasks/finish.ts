// `liza finish`: what the integration branch brings to a person's branch, tested on the result in a clean checkout, and
// then, once the person has said yes, that branch moves there, with every checkout that is on it. What comes in is
// exactly where Liza left the integration branch: no other commit, approved or not.

import { commitsBetween } from '../git/ancestry.ts';
import { baseBranch, bringMore, documentOf } from '../git/base-branch.ts';
import { integrationRef } from '../git/integration.ts';
import { buildCandidate, type Candidate } from '../git/merge-candidate.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { commitOf } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { firstFew } from '../git/tree-changes.ts';
import type { Board } from '../protocol/board.ts';
import type { Command } from '../protocol/command.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { isGoalOver, type State, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { mergeTrailers } from '../protocol/work/merge-names.ts';
import { type RecordedMerge, recordedMerges, roundsOf } from '../protocol/work/task-history.ts';
import type { Committed } from '../store/store.ts';
import { foresee, type Seen, transact } from '../store/transact.ts';
import { type TaskContext, thisProcess, withIntegration } from './context.ts';
import { finishMerges, moveId } from './finish-merge.ts';
import { hasIntegrationTest, mergePatience, testAlone, testResult } from './integration-test.ts';
import type { MergeFailure } from './judge-candidate.ts';
import { acceptedHead, type BranchMove, heldBy, moveBranch } from './move-branch.ts';
import { returningCommits } from './returning-commits.ts';
import { aloneText, redMend } from './rules/red-result.ts';
import type { Tested } from './rules/tested.ts';
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
  /** Commits that the branch gained since the two parted. */
  readonly own: number;
  /** What they change: no file, the goal's document alone, or more. */
  readonly ownChange: 'no-file' | 'document' | 'more';
  /** Commits that the branch had when Liza built on it, and has no more: it was rewritten, and this brings them back. */
  readonly returning: readonly string[];
  /** As `git diff --stat` has it. */
  readonly stat: readonly string[];
  /** Commits that were rejected in review and come along, below the ones that were approved after them. */
  readonly rejected: readonly { readonly task: string; readonly commit: string }[];
  /** Those whose merges come along. */
  readonly tasks: readonly Task[];
  readonly test: Tested;
  /** What would keep a checkout of the branch from moving along. */
  readonly held?: Refusal | undefined;
}

interface FinishRequest {
  /** The person's branch. */
  readonly named?: string | undefined;
  /** It is shown, and not carried out. */
  readonly only?: boolean;
  /** A merge commit in any case: it names who wrote and who reviewed what comes. */
  readonly noFf?: boolean;
}

export async function planFinish(
  context: TaskContext,
  { named, only = false, noFf = false }: FinishRequest = {},
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
    const comes = await commitsBetween(gitDir, onto, commit);
    const merges = recordedMerges(board.state.tasks).filter(({ mergeCommit }) => comes.has(mergeCommit));
    const wanted = { branch, integration: set.integration_branch, onto, commit, merges, noFf };
    const candidate = await candidateFor(gitDir, wanted);
    if (candidate.kind === 'conflict') return conflicting(branch, set.integration_branch, candidate.paths);
    const to = candidate.kind === 'contained' ? onto : candidate.commit;
    const plan = { branch, integration: set.integration_branch, onto, commit, candidate: to, how: candidate.kind };
    const foreseen = await foresee(context, announcement(context, plan));
    if (!foreseen.ok) return foreseen;
    const held = await heldBy(moveOf(context, gitDir, plan), to);
    if (held !== undefined && !only) return held;
    const test =
      plan.how === 'contained' ? ({ verdict: 'none' } as const) : await testPlan(context, gitDir, board.state, plan);
    if ('ok' in test) return test;
    const isBase = branch === baseBranch(context, board);
    const returning = await returningCommits(gitDir, board.state, { branch, tip: onto, isBase });
    const rejected = rejectedIn(merges, comes);
    const tasks = [...new Set(merges.map(({ task }) => task))];
    return { ...plan, ...(await account(gitDir, board, plan)), returning, rejected, tasks, test, ...defined({ held }) };
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
    const moved = await moveBranch(move, plan.candidate, []);
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

type Planned = Omit<
  FinishPlan,
  'commits' | 'own' | 'ownChange' | 'returning' | 'stat' | 'rejected' | 'tasks' | 'test' | 'held'
>;

function inIntegration<T extends object>(
  context: TaskContext,
  { board }: Seen,
  work: (gitDir: PrivateGitDir, seen: Seen) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  return withIntegration<T>(context, mergePatience(settings(board.state)), async (gitDir, locked) => {
    const finished = await finishMerges(context, gitDir, locked.board);
    return work(gitDir, finished.length === 0 ? locked : await context.store.read());
  });
}

/** A person's branch goes forward where it can, as `git merge` does, unless they want a merge commit. */
async function candidateFor(
  gitDir: PrivateGitDir,
  { branch, integration, onto, commit, merges, noFf }: Brings,
): Promise<Candidate> {
  if (!noFf && onto !== commit && (await isAncestor(gitDir, onto, commit))) return { kind: 'fast-forward', commit };
  return buildCandidate(gitDir, {
    onto,
    commit,
    always: noFf,
    message: `Merge branch ${integration} into ${branch} by liza finish\n${trailersOf(merges)}`,
  });
}

interface Brings extends Pick<Planned, 'branch' | 'integration' | 'onto' | 'commit'> {
  /** The merges of tasks that come along. */
  readonly merges: readonly RecordedMerge[];
  readonly noFf: boolean;
}

/** Of each task the same as on its own merge; one that was fast-forwarded has it nowhere else. */
function trailersOf(merges: readonly RecordedMerge[]): string {
  const lines = merges.flatMap(({ task, event }) => mergeTrailers(task, event).map((line) => line.join(': ')));
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`;
}

const rejectedIn = (merges: readonly RecordedMerge[], comes: ReadonlySet<string>): FinishPlan['rejected'] =>
  merges.flatMap(({ task }) =>
    roundsOf(task, undefined).flatMap(({ commit, verdicts }) =>
      commit !== undefined && comes.has(commit) && verdicts.at(-1)?.verdict === 'rejected'
        ? [{ task: task.id, commit }]
        : [],
    ),
  );

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
  ids: [moveId('finish')],
  what: `the merge into ${branch}`,
  keepsEdits: true,
  held: async () => {},
  release: async () => void (await transact(context, { name: 'release-move', process: thisProcess(context) })),
});

async function testPlan(
  context: TaskContext,
  gitDir: PrivateGitDir,
  state: State,
  { candidate, commit, branch, integration, how }: Planned,
): Promise<Tested | MergeFailure> {
  const set = settings(state);
  const test = { task: 'finish', again: 'liza finish' };
  const tested = await testResult(context, gitDir, set, { ...test, candidate, judge: commit });
  if ('ok' in tested || tested.verdict !== 'red' || how === 'contained') return tested;
  const alone = candidate === commit ? undefined : await testAlone(context, gitDir, set, { ...test, head: commit });
  const byScript = await hasIntegrationTest(gitDir, commit);
  const result = { branch, integration, how, tested, alone, byScript, isOver: isGoalOver(state) };
  const told = `${branch} stays as it is: ${tested.reason}${aloneText(result)}`;
  const lines = tested.tail.map((line) => `  ${line}`);
  return { ...refuse(told, `${redMend(result)}; then: liza finish`, 3, 'integration-test'), lines };
}

async function account(
  gitDir: PrivateGitDir,
  board: Pick<Board, 'state'>,
  { onto, commit, candidate }: Planned,
): Promise<Pick<FinishPlan, 'commits' | 'own' | 'ownChange' | 'stat'>> {
  const count = async (revisions: readonly string[]): Promise<number> =>
    Number(await must(gitDir.objects(['rev-list', '--count', ...revisions]), 'count the commits'));
  const theirs = [onto, `^${commit}`];
  const [commits, own, more, files, stat] = await Promise.all([
    count([commit, `^${onto}`]),
    count(theirs),
    bringMore(count, theirs, documentOf(board)),
    count([...theirs, '--', '.']),
    must(gitDir.objects(['diff', '--stat=78', '--stat-count=40', '--no-renames', onto, candidate]), 'compare them'),
  ]);
  return {
    commits,
    own,
    ownChange: more === true ? 'more' : files === 0 ? 'no-file' : 'document',
    stat: stat
      .trimEnd()
      .split('\n')
      .filter((line) => line !== ''),
  };
}
