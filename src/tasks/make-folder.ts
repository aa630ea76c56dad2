// Makes a task's folder, always under the task's lock (context.ts): complete and prepared, or not at all.

import { join } from 'node:path';
import { cloneIsolation, mendConfig, renewClone } from '../git/clone.ts';
import { changedSince, treeOf } from '../git/folder-snapshot.ts';
import { isolationFor, isolationOf } from '../git/isolation.ts';
import { layOutMerge } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { baselineOf, branchOf, commitOf, readRefs, reviewOf, seenOf, updateRefs } from '../git/refs.ts';
import { forgetSaved, laySavedFiles, savedFiles } from '../git/saved-files.ts';
import {
  findPlace,
  headOf,
  inGitDirectory,
  isPlace,
  isPrepared,
  mendHead,
  type Place,
  UNPREPARED,
} from '../git/task-folder.ts';
import { firstFew } from '../git/tree-changes.ts';
import { isMisplaced, repairLinks } from '../git/worktree.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { declaredFiles as plannedFiles } from '../protocol/facts/diff-facts.ts';
import { coverage } from '../protocol/facts/globs.ts';
import { steersAgents } from '../protocol/facts/instruction-files.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { needsClone } from '../sandbox/mode.ts';
import type { TaskContext } from './context.ts';
import {
  type Discarded,
  declaredFiles,
  discardFolder,
  discardOf,
  foreignBranch,
  refuseLink,
  sweepLeftovers,
} from './discard-folder.ts';
import { setUp } from './set-up.ts';
import { resetSteering } from './steering-files.ts';

/** A task, and what the work on its folder needs. */
export interface FolderWork {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  readonly settings: Settings;
  /** Where the integration branch is. */
  readonly integration: string;
}

export interface Ready {
  readonly place: Place;
  readonly start: string;
  /** Tree of the folder as handed over, when it is not simply `start`'s. */
  readonly baseline?: string;
}

interface Making {
  /** `seen` may be there, and stays whatever happens. */
  readonly again?: boolean;
  /** What else belongs to the folder before it is handed over. */
  readonly lay?: (place: Place) => Promise<unknown>;
}

/** A new folder on a new branch at `start`. Nothing of the task may be there. */
export async function makeFolder(
  { context, gitDir, task: { id }, settings, integration }: FolderWork,
  start: string,
  { again = false, lay }: Making = {},
): Promise<Ready | Refusal> {
  const refused =
    refuseLink(gitDir, id) ?? (start === integration ? undefined : await refuseMissing(gitDir, id, start));
  if (refused !== undefined) return refused;
  const isolation = isolationFor(gitDir, needsClone(context.sandboxSupport, settings) ? 'clone' : settings.isolation);
  // `seen` first: it says that the branch is Liza's.
  const refs = [seenOf(id), ...(isolation === cloneIsolation ? [] : [branchOf(id)])];
  const isKept = (ref: string): boolean => again && ref === seenOf(id);
  const made = await updateRefs(
    gitDir,
    refs.map((ref) => ({ ref, to: start, ...(isKept(ref) ? {} : { from: null }) })),
  );
  if (made === 'moved') return foreignBranch(id, 'branch-exists');
  const undo = async () => {
    await isolation.remove(gitDir, { task: id });
    const there = [...(await readRefs(gitDir, ...refs))].filter(([ref]) => !isKept(ref));
    await updateRefs(
      gitDir,
      there.map(([ref, from]) => ({ ref, to: null, from })),
    );
    await sweepLeftovers(gitDir, id);
  };
  try {
    const place = await isolation.make(gitDir, id, start);
    const logFile = join(context.paths.liza, 'agent-logs', `prepare-${id}.log`);
    const setup = { part: 'worktree', task: id, commit: start, folder: place.folder, settings, logFile } as const;
    const failed = (await setUp(context, gitDir, setup)) ?? refuseExchanged(gitDir, place);
    // Set-up of work that nobody approved ran code of its coder.
    const steered = start === integration ? undefined : { folder: place.folder, settings, tree: start };
    const reset = failed ?? (steered && (await resetSteering(context, gitDir, steered)));
    if (reset !== undefined && isRefusal(reset)) {
      await undo();
      return reset;
    }
    if (steered !== undefined && place.kind === 'clone' && settings.post_worktree_cmd?.trim())
      await renewClone(gitDir, place, start);
    if (reset !== undefined && reset.paths.length > 0)
      context.say(`set-up wrote files that steer agents, which are as before: ${firstFew(reset.paths)}`);
    await lay?.(place);
    const touched = settings.post_worktree_cmd || declaredFiles(settings).length > 0 || lay !== undefined;
    const ready = await (touched ? handOver : handOverNew)(gitDir, settings, place, start);
    inGitDirectory(context.disk, place, (at) => context.disk.rmSync(`${at}/${UNPREPARED}`, { force: true }));
    return ready;
  } catch (error) {
    await undo().catch(() => {}); // the first failure is the one to tell; reconcile finishes the rest
    throw error;
  }
}

async function refuseMissing(gitDir: PrivateGitDir, id: string, start: string): Promise<Refusal | undefined> {
  if ((await commitOf(gitDir, start)) === start) return undefined;
  return refuse(
    `the last commit of ${id}, ${start}, is not in this repository`,
    'where several hosts work, the one that made it sends it to the exchange: liza hosts; otherwise: git fsck --lost-found',
    3,
    'commit',
  );
}

/** Everything that follows writes into its git directory: a link in its place would lead elsewhere. */
function refuseExchanged(gitDir: PrivateGitDir, { task, gitDirectory }: Place): Refusal | undefined {
  const found = findPlace(gitDir, task);
  if (isPlace(found) && found.gitDirectory === gitDirectory) return undefined;
  return refuse(
    `post_worktree_cmd replaced the .git of the worktree of ${task}`,
    'change the command, or what it runs: a folder needs its git directory',
    3,
    'post-worktree-cmd',
  );
}

/** Makes the folder again at `tip`: the folder was lost or is another coder's, the task goes on. */
export async function remakeFolder(work: FolderWork, tip: string, why: string): Promise<(Ready & Discarded) | Refusal> {
  const { gitDir, task, settings } = work;
  // What `tip` has is not discarded: only the rest needs keeping.
  const { say } = work.context;
  const discarded = await discardFolder(gitDir, { ...discardOf(task, settings, why, tip), say }, tip);
  if (isRefusal(discarded)) return discarded;
  const saved = await savedFiles(gitDir, task.id, tip);
  const made = await makeFolder(work, tip, { again: true, ...defined({ lay: laying(work, tip, saved) }) });
  if (isRefusal(made)) return made;
  if (saved !== undefined) await forgetSaved(gitDir, task.id);
  return { ...made, ...discarded };
}

/** A merge that was not concluded comes back with the folder, and on top of it the files that were saved. */
function laying({ context, gitDir, task }: FolderWork, tip: string, saved: string | undefined): Making['lay'] {
  const merging = task.integration_fix === true ? task.base_commit : undefined;
  if (merging === undefined && saved === undefined) return undefined;
  return async (place) => {
    if (merging !== undefined) await layOutMerge(gitDir, place, merging, mergeTitle(task.id));
    if (saved === undefined) return;
    const left = await laySavedFiles(gitDir, place, { tip, saved, leave: isLeft(task) });
    if (left.length > 0) context.say(`files that steer agents stay with the old work: ${firstFew(left)}`);
  };
}

/** Nobody committed them, no plan names them: the coder that goes on is steered by what the project has. */
function isLeft(task: Task): (path: string) => boolean {
  const isPlanned = coverage(plannedFiles(task));
  return (path) => steersAgents(path) && !isPlanned(path);
}

/** For the record: where a folder that was made again begins, and the commit that keeps what was in the old one. */
export interface Remade {
  readonly tip: string;
  readonly kept?: string;
}

export const remadeOf = ({ start, attempt }: Ready & Discarded): Remade => ({
  tip: start,
  ...(attempt === undefined ? {} : { kept: attempt.commit }),
});

export const mergeTitle = (task: string): string => `Merge the integration branch into task/${task}`;

/** The newest commit of the task that Liza knows. */
export async function lastSeen({
  gitDir,
  task,
  integration,
}: Pick<FolderWork, 'gitDir' | 'task' | 'integration'>): Promise<string> {
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

/** The task's folder, with its `.git` put right where an agent removed it or the project was moved. */
export function usablePlace(gitDir: PrivateGitDir, task: string): Place | undefined {
  const found = findPlace(gitDir, task);
  if (!isPlace(found) || !isPrepared(gitDir, found)) return undefined;
  if (isMisplaced(gitDir, found)) repairLinks(gitDir, task);
  mendHead(gitDir, found);
  return found;
}

/** The task's folder and the commit of its HEAD, which the project has now. undefined: it has to be made again. */
export async function usableFolder(
  gitDir: PrivateGitDir,
  task: string,
): Promise<{ readonly place: Place; readonly head: string } | undefined> {
  const place = usablePlace(gitDir, task);
  const head = place === undefined ? undefined : await headOf(gitDir, place);
  if (place === undefined || head === undefined) return undefined;
  await mendConfig(gitDir, place);
  return { place, head: head.commit };
}

/** Nothing but git's own checkout has been there; still, bad line endings may make it differ from its commit. */
async function handOverNew(gitDir: PrivateGitDir, settings: Settings, place: Place, start: string): Promise<Ready> {
  const differs = await gitDir.files(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=dirty']);
  return differs.stdout === '' ? { place, start } : handOver(gitDir, settings, place, start);
}

/** Records what the folder looks like to the coder who gets it: `begin` compares with that. */
export async function handOver(gitDir: PrivateGitDir, settings: Settings, place: Place, start: string): Promise<Ready> {
  const head = (await headOf(gitDir, place))?.commit ?? start;
  const leaveOut = declaredFiles(settings);
  const changed = (await changedSince(gitDir, place, head)).filter((path) => !leaveOut.includes(path));
  if (changed.length === 0) return { place, start: head };
  await isolationOf(place).bring(gitDir, place, head);
  const baseline = await treeOf(gitDir, place, head, leaveOut);
  await updateRefs(gitDir, [{ ref: baselineOf(place.task), to: baseline }]);
  return { place, start: head, baseline };
}
