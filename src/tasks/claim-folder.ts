// The folder that a claim hands to its coder: a new one, the one the task had, or one with the integration branch merged
// into the approved work. Only under the task's lock, for a task that is reserved.

import { listAttempts, recordTip } from '../git/attempts.ts';
import { siteOf } from '../git/directory.ts';
import { changedSince, mendIndex } from '../git/folder-snapshot.ts';
import { integrationHead, integrationRef } from '../git/integration.ts';
import { layOutMerge } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, mayHaveRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { saveFiles } from '../git/saved-files.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import type { NamedTip } from '../git/take-objects.ts';
import { headOf, type Place } from '../git/task-folder.ts';
import { readSession } from '../identity/agent-sessions.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { checkpointEvent, lastCoder, baselineOf as recordedBaseline, startCommit } from '../protocol/leases.ts';
import { type State, settings as settingsOf, type Task } from '../protocol/state.ts';
import { noTask } from '../protocol/unknown-id.ts';
import { defined } from '../protocol/values.ts';
import { approvedBefore, goesOn, worktreePlan } from '../protocol/work/worktree-plan.ts';
import { needsClone } from '../sandbox/mode.ts';
import type { TaskContext } from './context.ts';
import { type Discarded, declaredFiles, discardFolder, discardOf } from './discard-folder.ts';
import { keptFolderLine } from './kept-folder.ts';
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
  /** Another coder's work is in it, or is kept because it came before any checkpoint. */
  readonly continued?: true;
  /** What the former folder had besides its branch. */
  readonly beside?: readonly NamedTip[];
  /** Where the former work is, when the folder begins without it. */
  readonly former?: string;
}

export async function folderForClaim(
  context: TaskContext,
  gitDir: PrivateGitDir,
  state: State,
  { task: id, agent }: { readonly task: string; readonly agent: string },
): Promise<ClaimFolder | Refusal> {
  const task = findTask(state, id);
  if (task === undefined) return noTask({ state, archived: new Map() }, id);
  const integration = await integrationHead(gitDir, { state });
  if (typeof integration !== 'string') return integration;
  await endFormerCoder(context, task, agent);
  await clearStaleLocks(context, lockPathsOf(gitDir, id, integrationRef({ state })));
  const work: FolderWork = { context, gitDir, task, settings: settingsOf(state), integration };
  switch (worktreePlan(task, agent, work.settings)) {
    case 'fresh':
      return freshFolder(work);
    case 'keep':
      return keepFolder(work, agent);
    case 'continue':
      return continueWork(work, agent);
    case 'integration-fix':
      return integrationFix(work, agent);
  }
}

/** The former coder is gone, or has lost the task: what it started must not write into the folder that is made now. */
async function endFormerCoder(context: TaskContext, task: Task, agent: string): Promise<void> {
  const former = task.status === 'CLAIMED' && task.assigned_to !== agent ? task.assigned_to : undefined;
  if (former === undefined) return;
  const { endAgent } = await import('../process/agent-process.ts');
  const { inside } = readSession(context, former) ?? {};
  await endAgent(context, siteOf(context.disk, context.paths.root), former, inside);
}

/** From the integration head; where somebody worked on the task before, with the name of that work. */
async function freshFolder(work: FolderWork): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, integration } = work;
  const made = await newFolder(work, integration, 'given to another coder');
  if (isRefusal(made) || lastCoder(task) === undefined) return made;
  if (!mayHaveRefs(gitDir, `refs/liza/attempts/${task.id}`)) return made;
  const former = (await listAttempts(gitDir, task.id)).findLast(({ setAside }) => setAside !== true)?.ref;
  return { ...made, ...defined({ former }) };
}

/**
 * Another coder goes on where the former one stopped: in a new folder with its commits and uncommitted files, and nothing
 * of the old one's configuration, hooks and ignored files. Code from before any checkpoint is kept, but not continued.
 */
async function continueWork(work: FolderWork, agent: string): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings } = work;
  const begun = task.status !== 'CLAIMED' || checkpointEvent(task) !== undefined;
  if (!begun && task.integration_fix === true) return integrationFix(work, agent);
  const usable = begun ? await usableFolder(gitDir, task.id) : undefined;
  const tip = usable?.head ?? (begun ? undefined : startCommit(task)) ?? (await lastSeen(work));
  if (usable !== undefined) await saveFiles(gitDir, usable.place, tip, declaredFiles(settings));
  const remade = await remakeFolder(work, tip, `taken over by ${agent}`);
  if (isRefusal(remade)) return remade;
  tellKept(work, remade);
  const former = begun ? undefined : remade.attempt?.ref;
  const base = await baseFor(work, tip);
  const conflicts = task.integration_fix === true ? await conflictsWith(work, remade.place, base) : undefined;
  return {
    ...remade,
    base,
    made: false,
    continued: true,
    ...defined({ former, conflicts, beside: remade.attempt?.beside }),
  };
}

const conflictsWith = async ({ gitDir, task }: FolderWork, place: Place, base: string): Promise<readonly string[]> =>
  (await layOutMerge(gitDir, place, base, mergeTitle(task.id))).conflicts;

async function newFolder(
  work: FolderWork,
  start: string,
  why: string,
  unchanged?: true,
): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const { say } = work.context;
  const discard = { ...discardOf(task, settings, why, integration), say, ...defined({ unchanged }) };
  const discarded = await discardFolder(gitDir, discard);
  if (isRefusal(discarded)) return discarded;
  tellKept(work, discarded);
  const ready = await makeFolder(work, start);
  const former = discarded.attempt?.ref;
  return isRefusal(ready) ? ready : { ...ready, base: start, made: true, ...defined({ former }) };
}

function tellKept({ context, task }: FolderWork, { attempt, keptFolder }: Discarded): void {
  if (attempt !== undefined) context.say(`the old work is kept as ${attempt.ref}`);
  if (keptFolder === undefined) return;
  const line = `${task.id}: ${keptFolderLine(keptFolder)}`;
  if (keptFolder.isOdd && context.alarm !== undefined) context.alarm(line);
  else context.say(line);
}

/** Goes on in the folder as it is; where it is gone, from the last commit that was seen. */
async function keepFolder(work: FolderWork, agent: string): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const usable = await usableFolder(gitDir, task.id);
  if (usable === undefined) return remake(work, await lastSeen(work), 'its folder was gone');
  const { place, head } = usable;
  if (mustBecomeClone(work, place)) return remake(work, head, 'its folder became a clone, for the sandbox');
  await recordTip(gitDir, place, discardOf(task, settings, 'its history was rewritten', integration));
  await mendIndex(gitDir, place, head);
  const base = await baseFor(work, head);
  const same = task.status === 'CLAIMED' || goesOn(task, agent);
  // An unblock gave the folder back with all that is in it: the next checkpoint is made upon that.
  if (task.status === 'UNCLAIMED' && !same)
    return { ...(await handOver(gitDir, settings, place, head)), base, made: false };
  const baseline = same ? recordedBaseline(task) : undefined;
  return { place, start: head, base, made: false, ...defined({ baseline }) };
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
async function integrationFix(work: FolderWork, agent: string): Promise<ClaimFolder | Refusal> {
  const { gitDir, task, settings, integration } = work;
  const unchanged = await unchangedFolder(work);
  const tip = fixedFrom(task) ?? (await lastSeen(work));
  const why = 'its folder was not as it was submitted';
  // Of another coder's folder nothing but its work comes along, and that is in the approved commit.
  const own = lastCoder(task) === agent ? unchanged : undefined;
  const made = own ?? (await newFolder(work, tip, why, unchanged === undefined ? undefined : true));
  if (isRefusal(made)) return made;
  const conflicts = await conflictsWith(work, made.place, integration);
  const ready = await handOver(gitDir, settings, made.place, tip);
  return { ...made, ...ready, base: integration, made: own === undefined, conflicts };
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
