// The doctor's check of worktrees, branches and merges; and the command by which a person accepts a branch that was moved
// outside Liza.

import { baseDistance } from '../git/base-branch.ts';
import { integrationRef, openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { commitOf } from '../git/refs.ts';
import type { Board } from '../protocol/board.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { apartText, inStepText, REWRITTEN_STEP, rewrittenText } from '../protocol/goal/base-distance.ts';
import { settings } from '../protocol/state.ts';
import { bringBack, recordedMerges } from '../protocol/work/task-history.ts';
import type { Committed } from '../store/store.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from '../tasks/context.ts';
import { askExchange } from '../tasks/exchange/ask-exchange.ts';
import { followExchange } from '../tasks/exchange/shared-branch.ts';
import { findTrouble, type Mended } from '../tasks/find-mismatches.ts';
import { reconcile } from '../tasks/reconcile.ts';
import { broken, type Finding, fixed, ok, warning } from './finding.ts';

export async function examineWork(context: TaskContext, fix: boolean): Promise<readonly Finding[]> {
  const found = await (fix ? reconcile(context) : findTrouble(context));
  if (isRefusal(found)) return [broken('worktrees', found.message, found.hint)];
  const agreed = found.length === 0 ? [ok('worktrees', 'git and the blackboard agree')] : found.map(finding);
  return [...agreed, ...(await examineExchange(context)), ...(await examineBase(context))];
}

/** Without it submissions and merges wait. */
async function examineExchange(context: TaskContext): Promise<readonly Finding[]> {
  const found = await askExchange(context);
  if (found === undefined) return [];
  return 'ok' in found ? [broken('exchange', found.message, found.hint)] : [ok('exchange', found.text)];
}

/** Agents build on what the integration branch has. */
async function examineBase(context: TaskContext): Promise<readonly Finding[]> {
  const { board } = await context.store.read();
  const distance = await baseDistance(context, board);
  if (distance === undefined) return [];
  const apart = apartText(distance, board.state.goal);
  const rewritten = rewrittenText(distance);
  const lost = rewritten === undefined ? [] : [warning('base', rewritten, REWRITTEN_STEP)];
  if (apart === undefined) return lost.length > 0 ? lost : [ok('base', inStepText(distance))];
  return [
    apart.isLag ? warning('base', apart.fact, apart.step) : { ...ok('base', apart.fact), remedy: apart.step },
    ...lost,
  ];
}

function finding({ subject, problem, done, resists }: Mended): Finding {
  const message = problem.includes(subject) ? problem : `${subject}: ${problem}`;
  if (done !== undefined) return fixed('worktrees', `${message}; ${done}`);
  if (resists === undefined) return broken('worktrees', message, 'liza doctor --fix');
  // Nothing is wrong with it as long as no task wants its name.
  if (resists.guard === 'foreign') return warning('worktrees', message, resists.hint);
  const why = message.includes(resists.message) ? message : `${message}: ${resists.message}`;
  return broken('worktrees', why, resists.hint);
}

interface Accepted extends Committed {
  readonly head: string;
  /** Merged tasks whose work the accepted branch does not hold. */
  readonly gone: readonly string[];
}

/** From here on Liza merges on top of what the branch is now. */
export async function acceptIntegration(context: TaskContext): Promise<Accepted | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const apart = await followExchange(context, gitDir, board);
  if (apart !== undefined) return apart;
  const head = await commitOf(gitDir, integrationRef(board));
  const name = settings(board.state).integration_branch;
  if (head === undefined)
    return refuse(
      `there is no branch ${name} to accept`,
      `make it: ${bringBack(name, board.state.goal.integration_head)}`,
      3,
    );
  const gone = await mergesGone(gitDir, board, head);
  const done = await transact(context, { name: 'accept-integration', head });
  return done.ok ? { ...done, head, gone } : done;
}

/** Tasks of the board whose merge was on the branch where Liza left it, and is not on it now. */
async function mergesGone(gitDir: PrivateGitDir, { state }: Board, head: string): Promise<readonly string[]> {
  const left = state.goal.integration_head;
  if (left === undefined) return [];
  const lost = new Set((await gitDir.objects(['rev-list', left, '--not', head])).stdout.split('\n'));
  return recordedMerges(state.tasks).flatMap(({ task, mergeCommit }) => (lost.has(mergeCommit) ? [task.id] : []));
}
