// The folder that a claim hands to its coder: a new one, the one the task had, or one with the integration branch merged
// into the approved work. Only under the task's lock, for a task that is reserved.

import { recordTip } from '../git/attempts.ts';
import { siteOf } from '../git/directory.ts';
import { changedSince, mendIndex } from '../git/folder-snapshot.ts';
import { integrationHead, integrationRef } from '../git/integration.ts';
import { layOutMerge } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import { headOf, type Place } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { baselineOf as recordedBaseline } from '../protocol/leases.ts';
import { type State, settings as settingsOf, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { approvedBefore, goesOn, worktreePlan } from '../protocol/worktree-plan.ts';
import { needsClone } from '../sandbox/mode.ts';
import type { TaskContext } from './context.ts';
import { declaredFiles, discardFolder, discardOf } from './discard-folder.ts';
import {
  type FolderWork,
  handOver,
  lastSeen,
  makeFolder,
  mergeTitle,
  type Ready,
  type Remade,
  remadeOf,
  remakeFolder,
  usableFolder,
  usablePlace,
} from './make-folder.ts';

export interface ClaimFolder extends Ready {
  readonly base: string;
  readonly made: boolean;
  readonly remade?: Remade;
  readonly conflicts?: readonly string[];
}

export async function folderForClaim(
  context: TaskContext,
  gitDir: PrivateGitDir,
  state: State,
  { task: id, agent }: { readonly task: string; readonly agent: string },
): Promise<ClaimFolder | Refusal> {
  const task = findTask(state, id);
  if (task === undefined) return refuse(`there is no task ${id}`, 'see the tasks: liza status');
  const integration = await integrationHead(gitDir, { state });
  if (typeof integration !== 'string') return integration;
  await endFormerCoder(context, task, agent);
  await clearStaleLocks(context, lockPathsOf(gitDir, id, integrationRef({ state })));
  const work: FolderWork = { context, gitDir, task, settings: settingsOf(state), integration };
  switch (worktreePlan(task, agent)) {
    case 'fresh':
      return newFolder(work, integration, 'given to another coder');
    case 'keep':
      return keepFolder(work);
    case 'integration-fix':
      return integrationFix(work);
  }
}

/** The former coder is gone, or has lost the task: what it started must not write into the folder that is made now. */
async function endFormerCoder(context: TaskContext, task: Task, agent: string): Promise<void> {
  const former = task.status === 'CLAIMED' && task.assigned_to !== agent ? task.assigned_to : undefined;
  if (former === undefined) return;
  const { endAgent } = await import('../process/agent-process.ts');
  await endAgent(context, siteOf(context.disk, context.paths.root), former);
}

async function newFolder(work: FolderWork, start: string, why: string): Promise<ClaimFolder | Refusal> {
  const { context, gitDir, task, settings, integration } = work;
  const discarded = await discardFolder(gitDir, discardOf(task, settings, why, integration));
  if (isRefusal(discarded)) return discarded;
  if (discarded.attempt !== undefined) context.say(`the former work is kept as ${discarded.attempt.ref}`);
  if (discarded.keptFolder !== undefined)
    context.say(`it held repositories of its own; the folder is kept as ${discarded.keptFolder}`);
  const ready = await makeFolder(work, start);
  return isRefusal(ready) ? ready : { ...ready, base: start, made: true };
}

/** Goes on in the folder as it is; where it is gone, from the last commit that was seen. */
async function keepFolder(work: FolderWork): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const usable = await usableFolder(gitDir, task.id);
  if (usable === undefined) return remake(work, await lastSeen(work), 'its folder was gone');
  const { place, head } = usable;
  if (mustBecomeClone(work, place)) return remake(work, head, 'its folder became a clone, for the sandbox');
  await recordTip(gitDir, place, discardOf(task, settings, 'its history was rewritten', integration));
  await mendIndex(gitDir, place, head);
  const baseline = task.status === 'CLAIMED' || goesOn(task) ? recordedBaseline(task) : undefined;
  return { place, start: head, base: await baseFor(work, head), made: false, ...defined({ baseline }) };
}

async function remake(work: FolderWork, tip: string, why: string): Promise<ClaimFolder | Refusal> {
  const remade = await remakeFolder(work, tip, why);
  if (isRefusal(remade)) return remade;
  return { ...remade, base: await baseFor(work, tip), made: false, remade: remadeOf(remade) };
}

/** Nobody in a sandbox can commit in a linked worktree. */
const mustBecomeClone = ({ context, settings }: FolderWork, { kind }: Place): boolean =>
  kind === 'worktree' && needsClone(context.sandboxSupport, settings);

async function baseFor({ gitDir, task, integration }: FolderWork, tip: string): Promise<string> {
  if (task.base_commit !== undefined) return task.base_commit;
  return (await must(gitDir.objects(['merge-base', integration, tip]), 'find where the work began')).trim();
}

/** The approved work with the integration branch merged into it, conflicts laid out for the coder. */
async function integrationFix(work: FolderWork): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const unchanged = await unchangedFolder(work);
  const tip = fixedFrom(task) ?? (await lastSeen(work));
  const made = unchanged ?? (await newFolder(work, tip, 'its folder was not as it was submitted'));
  if (isRefusal(made)) return made;
  const { conflicts } = await layOutMerge(gitDir, made.place, integration, mergeTitle(task.id));
  const ready = await handOver(gitDir, settings, made.place, tip);
  return { ...ready, base: integration, made: unchanged === undefined, conflicts };
}

/** For a fix that another coder takes over: not what its former coder made of it. */
const fixedFrom = (task: Task): string | undefined => approvedBefore(task) ?? task.review_commit;

/** The folder still is what was submitted, or holds this very merge already. */
async function unchangedFolder(work: FolderWork): Promise<{ readonly place: Place } | undefined> {
  const { context, gitDir, task, settings, integration } = work;
  const place = usablePlace(gitDir, task.id);
  if (place === undefined || mustBecomeClone(work, place)) return undefined;
  // The index is written there: one that is a link would lead git elsewhere.
  if (context.disk.lstatSync(place.index, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const head = await headOf(gitDir, place);
  if (head === undefined || head.commit !== fixedFrom(task) || head.branch !== branchOf(task.id)) return undefined;
  if (head.merging !== undefined) return head.merging === integration ? { place } : undefined;
  const leaveOut = declaredFiles(settings);
  const changed = (await changedSince(gitDir, place, head.commit)).filter((path) => !leaveOut.includes(path));
  return changed.length === 0 ? { place } : undefined;
}
