// A coder gets a task: decide and reserve under the board's lock, make the folder outside of it, decide
// again and commit. All under the task's own lock, so that two claimers never share a folder. Whoever
// loses takes back what it made itself and nothing else. Killed anywhere, reconcile or the next claim
// finds the reservation of a dead process and goes on from there.

import { lstatSync } from 'node:fs';
import { gives, see } from '../git/attempts.ts';
import { siteOf } from '../git/directory.ts';
import { changedSince, mendIndex } from '../git/folder-snapshot.ts';
import { layOutMerge } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, commitOf, isAncestor, readRefs, reviewOf, seenOf } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { clearStaleLocks, lockPathsOf } from '../git/stale-locks.ts';
import { headOf, type Place, worktreePath } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { baselineOf as recordedBaseline } from '../protocol/leases.ts';
import { type Settings, type State, settings as settingsOf, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { approvedBefore, goesOn, worktreePlan } from '../protocol/worktree-plan.ts';
import { needsClone } from '../sandbox/mode.ts';
import type { Committed } from '../store/store.ts';
import { foresee, transact } from '../store/transact.ts';
import {
  integrationHead,
  integrationRef,
  look,
  openGitDir,
  removeLock,
  type TaskContext,
  thisProcess,
  withTaskLock,
} from './context.ts';
import {
  declaredFiles,
  discardFolder,
  discardOf,
  handOver,
  makeFolder,
  mergeTitle,
  type Ready,
  type Remade,
  remadeOf,
  remakeFolder,
  usablePlace,
} from './folders.ts';

/** A claimer that finds another at work gives up soon: there are other tasks. */
const PATIENCE = 2000;

export interface Claimed extends Committed {
  readonly folder: string;
  readonly base: string;
  /** The folder is the one the task had before, with what was in it. */
  readonly kept: boolean;
  /** Files with conflict markers, for an integration fix. */
  readonly conflicts?: readonly string[];
}

interface Folder extends Ready {
  readonly base: string;
  readonly made: boolean;
  readonly remade?: Remade;
  readonly conflicts?: readonly string[];
}

export async function claimTask(context: TaskContext, task: string, agent: string): Promise<Claimed | Refusal> {
  const claimed = await withTaskLock(context, task, PATIENCE, (hold) => claimUnderLock(context, hold, task, agent));
  if (!isRefusal(claimed)) return claimed;
  if (claimed.guard === 'folder-lock') {
    // Whoever holds the lock has reserved the task by now: that is the better sentence.
    const foreseen = await foresee(context, { name: 'reserve-claim', task, agent });
    return foreseen.ok ? claimed : foreseen;
  }
  return (await repeated(context, task, agent)) ?? claimed;
}

async function claimUnderLock(
  context: TaskContext,
  hold: number,
  task: string,
  agent: string,
): Promise<Claimed | Refusal> {
  const process = thisProcess(context);
  const reserved = await transact(context, { name: 'reserve-claim', task, agent, process });
  if (!reserved.ok) {
    if (reserved.guard === 'task-exists') removeLock(context, task);
    return reserved;
  }
  try {
    const gitDir = await openGitDir(context, reserved, hold);
    const folder = isRefusal(gitDir) ? gitDir : await folderFor(context, gitDir, reserved.state, task, agent);
    const outcome = isRefusal(folder) ? folder : await commitClaim(context, task, agent, folder);
    if (isRefusal(outcome)) {
      if (!isRefusal(gitDir) && !isRefusal(folder) && folder.made) await takeBack(context, gitDir, task);
      await transact(context, { name: 'release-reservation', task, process });
    }
    return outcome;
  } catch (error) {
    await transact(context, { name: 'release-reservation', task, process }).catch(() => {}); // the error itself is told
    throw error;
  }
}

/** The same claim again, by whoever holds the task: no news, as long as the folder is there. */
async function repeated(context: TaskContext, task: string, agent: string): Promise<Claimed | Refusal | undefined> {
  const seen = await look(context, task);
  const known = seen.task;
  if (known?.worktree === undefined || known.base_commit === undefined || known.assigned_to !== agent) return undefined;
  const { worktree, base_commit: base } = known;
  const foreseen = await foresee(context, { name: 'claim-task', task, agent, worktree, base_commit: base }, seen);
  if (!foreseen.ok || foreseen.already !== true) return undefined;
  const gitDir = await openGitDir(context, foreseen);
  if (isRefusal(gitDir)) return gitDir;
  const found = usablePlace(gitDir, task);
  const head = found === undefined ? undefined : await headOf(gitDir, found);
  if (found === undefined || head === undefined || !(await gives(gitDir, found, head.commit))) {
    return refuse(
      `${agent} holds ${task}, but its folder ${worktree} is not usable`,
      `make it again from what was seen last: liza wt create ${task}`,
      3,
      'folder',
    );
  }
  await mendIndex(gitDir, found, head.commit);
  return { ...foreseen, seq: 0, notices: [], folder: worktree, base, kept: true };
}

async function commitClaim(
  context: TaskContext,
  task: string,
  agent: string,
  folder: Folder,
): Promise<Claimed | Refusal> {
  const { base, start, baseline, conflicts, made, remade = {} } = folder;
  const done = await transact(context, {
    name: 'claim-task',
    task,
    agent,
    worktree: worktreePath(task),
    base_commit: base,
    start_commit: start,
    ...defined({ baseline }),
    ...remade,
  });
  if (!done.ok) return done;
  return { ...done, folder: worktreePath(task), base, kept: !made, ...defined({ conflicts }) };
}

/** What this very call made, and nobody has worked in yet. */
async function takeBack(context: TaskContext, gitDir: PrivateGitDir, task: string): Promise<void> {
  const { task: found, settings, board } = await look(context, task);
  const integration = await commitOf(gitDir, integrationRef(board));
  await discardFolder(gitDir, discardOf(found ?? { id: task }, settings, 'a claim that was refused', integration));
}

async function folderFor(
  context: TaskContext,
  gitDir: PrivateGitDir,
  state: State,
  id: string,
  agent: string,
): Promise<Folder | Refusal> {
  const task = findTask(state, id);
  if (task === undefined) return refuse(`there is no task ${id}`, 'see the tasks: liza status');
  const integration = await integrationHead(gitDir, { state });
  if (typeof integration !== 'string') return integration;
  // Whoever held it is gone, or has lost it: what it started must not write into the folder that is made now.
  const former = task.status === 'CLAIMED' && task.assigned_to !== agent ? task.assigned_to : undefined;
  if (former !== undefined)
    await (await import('../process/agent-process.ts')).endAgent(context, siteOf(context.paths.root), former);
  await clearStaleLocks(lockPathsOf(gitDir, id, integrationRef({ state })));
  const asked: Asked = { context, gitDir, task, settings: settingsOf(state), integration };
  switch (worktreePlan(task, agent)) {
    case 'fresh':
      return fresh(asked, integration, 'given to another coder');
    case 'keep':
      return keep(asked);
    case 'integration-fix':
      return integrationFix(asked);
  }
}

interface Asked {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  readonly settings: Settings;
  readonly integration: string;
}

async function fresh(asked: Asked, start: string, why: string): Promise<Folder | Refusal> {
  const { context, gitDir, task, settings, integration } = asked;
  const discarded = await discardFolder(gitDir, discardOf(task, settings, why, integration));
  if (isRefusal(discarded)) return discarded;
  if (discarded.attempt !== undefined) context.say(`the former work is kept as ${discarded.attempt.ref}`);
  if (discarded.aside !== undefined)
    context.say(`it held repositories of its own; the folder is kept as ${discarded.aside}`);
  const ready = await makeFolder(context, gitDir, settings, task.id, start);
  return isRefusal(ready) ? ready : { ...ready, base: start, made: true };
}

/** Goes on in the folder as it is; where it is gone, from the last commit that was seen. */
async function keep(asked: Asked): Promise<Folder | Refusal> {
  const { gitDir, task, settings, integration } = asked;
  const found = usablePlace(gitDir, task.id);
  const there = found === undefined ? undefined : await headOf(gitDir, found);
  const given = found !== undefined && there !== undefined && (await gives(gitDir, found, there.commit));
  const head = given ? there : undefined;
  // Nobody in a sandbox can commit in a linked worktree: it becomes a clone, from where it is.
  const isOld = found?.kind === 'worktree' && needsClone(asked.context.sandboxSupport, settings);
  if (found === undefined || head === undefined || isOld) {
    const tip = isOld && head !== undefined ? head.commit : await lastSeen(asked);
    const why = isOld ? 'its folder became a clone, for the sandbox' : 'its folder was gone';
    const discard = discardOf(task, settings, why, integration);
    const remade = await remakeFolder(asked.context, gitDir, settings, task, tip, discard);
    if (isRefusal(remade)) return remade;
    return { ...remade, base: await baseFor(asked, tip), made: false, remade: remadeOf(remade) };
  }
  await see(gitDir, found, discardOf(task, settings, 'its history was rewritten', integration));
  await mendIndex(gitDir, found, head.commit);
  const baseline = task.status === 'CLAIMED' || goesOn(task) ? recordedBaseline(task) : undefined;
  return {
    place: found,
    start: head.commit,
    base: await baseFor(asked, head.commit),
    made: false,
    ...defined({ baseline }),
  };
}

async function baseFor({ gitDir, task, integration }: Asked, tip: string): Promise<string> {
  if (task.base_commit !== undefined) return task.base_commit;
  return (await must(gitDir.objects(['merge-base', integration, tip]), 'find where the work began')).trim();
}

/** The newest commit of the task that Liza knows. */
export async function lastSeen({
  gitDir,
  task,
  integration,
}: Pick<Asked, 'gitDir' | 'task' | 'integration'>): Promise<string> {
  const refs = await readRefs(gitDir, seenOf(task.id), branchOf(task.id), reviewOf(task.id));
  const branch = refs.get(branchOf(task.id));
  const before = refs.get(seenOf(task.id));
  // The branch may have gone on since; a rewritten one is looked at by a person.
  if (branch !== undefined && (before === undefined || (await isAncestor(gitDir, before, branch)))) return branch;
  const numberOf = (ref: string): number => Number(ref.slice(reviewOf(task.id).length));
  const pins = [...refs]
    .filter(([ref]) => ref.startsWith(reviewOf(task.id)))
    .sort(([a], [b]) => numberOf(a) - numberOf(b));
  return before ?? task.review_commit ?? pins.at(-1)?.[1] ?? task.base_commit ?? integration;
}

/** The approved work with the integration branch merged into it, conflicts laid out for the coder. */
async function integrationFix(asked: Asked): Promise<Folder | Refusal> {
  const { gitDir, task, settings, integration } = asked;
  const usable = await unchangedFolder(asked);
  const tip = fixedFrom(task) ?? (await lastSeen(asked));
  let place = usable;
  if (place === undefined) {
    const remade = await fresh(asked, tip, 'its folder was not as it was submitted');
    if (isRefusal(remade)) return remade;
    place = remade.place;
  }
  const { conflicts } = await layOutMerge(gitDir, place, integration, mergeTitle(task.id));
  const ready = await handOver(gitDir, settings, place, tip);
  return { ...ready, base: integration, made: usable === undefined, conflicts };
}

/** Of a fix that changes hands, not what its former coder made of it. */
const fixedFrom = (task: Task): string | undefined => approvedBefore(task) ?? task.review_commit;

/** The folder still is what was submitted, or holds this very merge already. */
async function unchangedFolder({ context, gitDir, task, settings, integration }: Asked): Promise<Place | undefined> {
  const found = usablePlace(gitDir, task.id);
  // The index is written there: one that is a link would lead git elsewhere.
  const isOld = found?.kind === 'worktree' && needsClone(context.sandboxSupport, settings);
  if (found === undefined || isOld || lstatSync(found.index, { throwIfNoEntry: false })?.isFile() !== true)
    return undefined;
  const head = await headOf(gitDir, found);
  if (head === undefined || head.commit !== fixedFrom(task) || head.branch !== `refs/heads/task/${task.id}`)
    return undefined;
  if (head.merging !== undefined) return head.merging === integration ? found : undefined;
  const leaveOut = declaredFiles(settings);
  const changed = (await changedSince(gitDir, found, head.commit)).filter((path) => !leaveOut.includes(path));
  return changed.length === 0 ? found : undefined;
}
