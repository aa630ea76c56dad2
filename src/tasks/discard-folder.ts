// Discards a task's folder, branch and refs, always under the task's lock (context.ts), and only after everything in
// them is kept under refs/liza/attempts. Never touches what Liza did not make.

import { join, relative } from 'node:path';
import { type Attempt, type Discard, saveAttempt } from '../git/attempts.ts';
import { checkoutOf } from '../git/branch-checkouts.ts';
import { changedSince } from '../git/folder-snapshot.ts';
import { LONGEST_PATH } from '../git/path-arguments.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { baselineOf, branchOf, mayHaveRefs, readRefs, savedOf, seenOf, updateRefs } from '../git/refs.ts';
import { type Rescue, rescueNow } from '../git/rescue.ts';
import { isMachineFault } from '../git/run.ts';
import { type Leftover, leftoversOf } from '../git/scratch-folders.ts';
import {
  type Found,
  findPlace,
  folderOf,
  headOf,
  isLinked,
  isPlace,
  mendHead,
  type Place,
  worktreePath,
} from '../git/task-folder.ts';
import { worktreeIsolation } from '../git/worktree.ts';
import { removeTree } from '../process/remove-tree.ts';
import { EnvironmentError, type Refusal, refuse } from '../protocol/decision.ts';
import { checkpointEvent, lastCoder, startCommit } from '../protocol/leases.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { KeptFolder } from './kept-folder.ts';
import { temporaryOf } from './prepare-checkout.ts';

/** Files that Liza copied in: they are not the agent's work, and may hold secrets. */
export const declaredFiles = (settings: Settings): readonly string[] =>
  (settings.worktree_files ?? []).flatMap((name) => [name, temporaryOf(name)]);

export function discardOf(
  task: Task | { readonly id: string },
  settings: Settings,
  why: string,
  integration?: string,
): Discard {
  const agent = 'status' in task ? lastCoder(task) : undefined;
  const setAsideAt = 'status' in task ? resetTo(task) : undefined;
  // What is there since its base is its own; the history before that is not.
  const known = integration ?? ('status' in task ? task.base_commit : undefined);
  return { task: task.id, why, agent, leaveOut: declaredFiles(settings), integration: known, setAsideAt };
}

/** Where `begin` sends a coder back to that wrote code before its checkpoint. */
const resetTo = (task: Task): string | undefined =>
  task.status === 'CLAIMED' && checkpointEvent(task) === undefined ? startCommit(task) : undefined;

export interface Discarded {
  /** Where its work is kept, if there was any. */
  readonly attempt?: Attempt;
  /** The folder itself, kept whole under another name. */
  readonly keptFolder?: KeptFolder;
}

/**
 * The folder, its branch and its refs go; what was in them is kept. Refused where that would touch somebody
 * else's. `again`: it is made again at once from this commit; until then `seen` keeps it, so that a kill in
 * between forgets nothing.
 */
export async function discardFolder(
  gitDir: PrivateGitDir,
  discard: Discard,
  again?: string,
): Promise<Discarded | Refusal> {
  const { task } = discard;
  const refused = refuseLink(gitDir, task) ?? refuseCheckedOut(gitDir, task);
  if (refused !== undefined) return refused;
  for (;;) {
    const state = await stateOf(gitDir, task, again !== undefined);
    if ('none' in state.found && state.refs.size === 0) break;
    const discarded = await discardOnce(gitDir, state, discard, again);
    // An agent that commits right now would lose that commit: look again.
    if (discarded !== 'moved') return discarded;
  }
  await sweepLeftovers(gitDir, task);
  return {};
}

/** What is there of a task. */
interface FolderState {
  readonly found: Found;
  readonly refs: ReadonlyMap<string, string>;
}

/** Files saved for the next folder stay when it is made at once. */
async function stateOf(gitDir: PrivateGitDir, task: string, isMadeAgain: boolean): Promise<FolderState> {
  const names = [branchOf(task), seenOf(task), baselineOf(task), ...(isMadeAgain ? [] : [savedOf(task)])];
  const found = findPlace(gitDir, task);
  return { found, refs: mayHaveRefs(gitDir, ...names) ? await readRefs(gitDir, ...names) : new Map() };
}

/** Keeps the work, then the refs go, then the folder; `seen` goes last: until then it says whose the rest is. */
async function discardOnce(
  gitDir: PrivateGitDir,
  state: FolderState,
  discard: Discard,
  again: string | undefined,
): Promise<Discarded | Refusal | 'moved'> {
  const { task } = discard;
  const { found, refs } = state;
  const foreign = refuseForeign(gitDir, task, state);
  if (foreign !== undefined) return foreign;
  const place = isPlace(found) ? found : remainsOf(gitDir, task);
  if (place !== undefined) mendHead(gitDir, place);
  const { attempt, stays } = await sayingLong(gitDir, discard, () => keepWork(gitDir, found, place, discard));
  // Without a folder there is no step in between that could be forgotten.
  const atOnce = 'none' in found && again === undefined;
  const gone = [...refs]
    .filter(([ref]) => atOnce || ref !== seenOf(task))
    .map(([ref, from]) => ({ ref, to: null, from }));
  const seen = refs.get(seenOf(task));
  const tip = again ?? (seen === undefined ? undefined : attempt?.tip);
  const last = tip === undefined ? [] : [{ ref: seenOf(task), to: tip, from: seen ?? null }];
  if ((await updateRefs(gitDir, atOnce ? gone : [...last, ...gone])) === 'moved') return 'moved';
  const keptFolder = stays !== undefined && isPlace(found) ? { ...stays, path: keepFolder(gitDir, found) } : undefined;
  // Both halves of a linked worktree, also where its agent put a repository of its own into the one.
  if (isPlace(found) && found.kind === 'worktree') await worktreeIsolation.remove(gitDir, found);
  else if (!('none' in found)) await worktreeIsolation.remove(gitDir, { task });
  await sweepLeftovers(gitDir, task);
  if (seen !== undefined && again === undefined && !atOnce) await updateRefs(gitDir, [{ ref: seenOf(task), to: null }]);
  return { ...defined({ attempt, keptFolder }) };
}

interface KeptWork {
  readonly attempt: Attempt | undefined;
  /** Not all of it is in the attempt: the folder stays. */
  readonly stays?: Omit<KeptFolder, 'path'> | undefined;
}

/** After that long somebody who waits wants to know for what. */
const SAY_AFTER_MS = 3_000;

async function sayingLong<T>({ host }: PrivateGitDir, { task, say }: Discard, work: () => Promise<T>): Promise<T> {
  const quiet = host.clock.after(SAY_AFTER_MS, () => say?.(`keeping the work of ${task} …`), 'background');
  try {
    return await work();
  } finally {
    quiet();
  }
}

async function keepWork(
  gitDir: PrivateGitDir,
  found: Found,
  place: Place | undefined,
  discard: Discard,
): Promise<KeptWork> {
  try {
    const rescue = rescueNow(gitDir.host.clock);
    const attempt = await saveAttempt(gitDir, place, discard, rescue);
    const why = [...rescue.left].join('; ');
    if (why !== '') return { attempt, stays: { why, isOdd: true } };
    return { attempt, stays: isPlace(found) ? await inside(gitDir, found, rescue) : undefined };
  } catch (error) {
    // Files or commits that git cannot read there must not keep the task for ever.
    if (!(error instanceof EnvironmentError) || isMachineFault(error) || !isPlace(found)) throw error;
    return { attempt: await saveAttempt(gitDir, undefined, discard), stays: { why: error.message, isOdd: true } };
  }
}

/** Repositories inside the folder have a history of their own, which no attempt can hold. */
async function inside(gitDir: PrivateGitDir, place: Place, { looked }: Rescue): Promise<KeptWork['stays']> {
  const others = { why: 'it contains other repositories', isOdd: false };
  if (place.kind === 'worktree' && gitDir.host.disk.existsSync(join(place.gitDirectory, 'modules'))) return others;
  const head = await headOf(gitDir, place);
  const isLooked = looked !== undefined && looked.commit === head?.commit;
  const changed = isLooked ? looked.changed : head === undefined ? [] : await changedSince(gitDir, place, head.commit);
  if (changed.some((path) => path.endsWith('/'))) return others;
  const isTooLong = changed.some((path) => path.length > LONGEST_PATH);
  return isTooLong ? { why: `it has paths of more than ${LONGEST_PATH} bytes`, isOdd: true } : undefined;
}

/** The folder stays, under another name, with the git directories of its submodules. */
function keepFolder({ host, root, worktrees }: PrivateGitDir, place: Place): string {
  const { disk, random } = host;
  const kept = join(worktrees, `.kept-${place.task}-${random.hex(4)}`);
  const modules = join(place.gitDirectory, 'modules');
  disk.renameSync(place.folder, kept);
  if (place.kind === 'worktree' && disk.existsSync(modules)) disk.renameSync(modules, join(kept, '.liza-modules'));
  return relative(root, kept);
}

function refuseCheckedOut({ host, root }: PrivateGitDir, task: string): Refusal | undefined {
  const folder = checkoutOf(host.disk, root, branchOf(task));
  if (folder === undefined) return undefined;
  return refuse(
    `task/${task} is checked out in ${folder}, outside Liza`,
    `leave it first: git -C ${folder} switch --detach`,
    3,
    'branch-in-use',
  );
}

/** What Liza did not make it does not remove, whatever its name. */
function refuseForeign(gitDir: PrivateGitDir, task: string, { found, refs }: FolderState): Refusal | undefined {
  const below = [...refs.keys()].find((ref) => ref.startsWith(`${branchOf(task)}/`));
  if (below !== undefined) {
    const name = below.slice('refs/heads/'.length);
    return refuse(
      `there is a branch ${name}, and git cannot have task/${task} beside it`,
      `give it another name: git branch -m ${name} ${name.replaceAll('/', '-')}`,
      3,
      'foreign',
    );
  }
  if (refs.has(seenOf(task)) || isLinked(gitDir, task)) return undefined;
  if (!('none' in found)) {
    const folder = worktreePath(task);
    return refuse(`there is a folder ${folder} that Liza did not make`, `move it away: mv ${folder} ../`, 3, 'foreign');
  }
  return refs.has(branchOf(task)) ? foreignBranch(task, 'foreign') : undefined;
}

export const foreignBranch = (task: string, guard: 'foreign' | 'branch-exists'): Refusal =>
  refuse(
    `there is a branch task/${task} that Liza did not make`,
    `give it another name: git branch -m task/${task} ${task}-mine`,
    3,
    guard,
  );

/** Files that lost their git directory: what is left of a crash, or of an agent's rm. */
function remainsOf(gitDir: PrivateGitDir, task: string): Place | undefined {
  const folder = folderOf(gitDir, task);
  if (gitDir.host.disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const nowhere = join(gitDir.common, 'liza', 'nowhere');
  return { task, kind: 'worktree', folder, gitDirectory: nowhere, index: join(nowhere, 'index') };
}

/** Swept under the task's lock; merges, validations and trials run under locks of their own. */
export const isUnderTaskLock = ({ purpose }: Leftover): boolean =>
  purpose !== 'merge' && purpose !== 'proof' && purpose !== 'trial';

/** Only under the task's lock: then nobody is making or removing anything there. */
export async function sweepLeftovers(gitDir: PrivateGitDir, task: string): Promise<void> {
  for (const left of leftoversOf(gitDir))
    if (left.task === task && isUnderTaskLock(left)) await removeTree(gitDir.host, left.path);
}

export function refuseLink(gitDir: PrivateGitDir, task: string): Refusal | undefined {
  for (const path of ['.worktrees', worktreePath(task)]) {
    const stat = gitDir.host.disk.lstatSync(join(gitDir.root, path), { throwIfNoEntry: false });
    if (stat === undefined || (stat.isDirectory() && !stat.isSymbolicLink())) continue;
    const what = stat.isSymbolicLink() ? 'a symbolic link, which could point outside the project' : 'not a folder';
    return refuse(`${path} is ${what}`, `look at it, then remove it: rm ${path}`, 3, 'link');
  }
  return undefined;
}
