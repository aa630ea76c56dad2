// Making and discarding a task's folder, always under its lock (context.ts). Made: complete and
// prepared, or not at all. Discarded: only after everything in it is kept under refs/liza/attempts.

import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Attempt, type Discard, saveAttempt } from '../git/attempts.ts';
import { usersOf } from '../git/branch-checkouts.ts';
import { cloneIsolation } from '../git/clone.ts';
import { changedSince, treeOf } from '../git/folder-snapshot.ts';
import { isolationFor, isolationOf } from '../git/isolation.ts';
import { layOutMerge } from '../git/lay-out-merge.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { baselineOf, branchOf, mayHaveRefs, mergingOf, readRefs, seenOf, updateRefs } from '../git/refs.ts';
import { isOfTheMachine } from '../git/run.ts';
import { type Aside, leftAside, removeTree } from '../git/scratch-folders.ts';
import {
  type Found,
  findPlace,
  folderOf,
  headOf,
  isLinked,
  isPlace,
  isPrepared,
  mendHead,
  type Place,
  UNPREPARED,
  worktreePath,
} from '../git/task-folder.ts';
import { isMisplaced, pointAgain, worktreeIsolation } from '../git/worktree.ts';
import { EnvironmentError, isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { lastCoder } from '../protocol/leases.ts';
import type { Settings, Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { needsClone, runConfined } from '../sandbox/mode.ts';
import type { TaskContext } from './context.ts';
import { prepareFolder, temporaryOf } from './prepare-checkout.ts';

export interface Ready {
  readonly place: Place;
  readonly start: string;
  /** Tree of the folder as handed over, when it is not simply `start`'s. */
  readonly baseline?: string;
}

/** What Liza copied in is not the agent's work, and may hold secrets. */
export const declaredFiles = (settings: Settings): readonly string[] =>
  (settings.worktree_files ?? []).flatMap((name) => [name, temporaryOf(name)]);

export function discardOf(
  task: Task | { readonly id: string },
  settings: Settings,
  why: string,
  integration?: string,
): Discard {
  const agent = 'status' in task ? lastCoder(task) : undefined;
  return { task: task.id, why, agent, leaveOut: declaredFiles(settings), integration };
}

export interface Discarded {
  /** Where its work is kept, if there was any. */
  readonly attempt?: Attempt;
  /** The folder itself, put aside whole because of repositories inside it. */
  readonly aside?: string;
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
  const link = refuseLink(gitDir, task);
  if (link !== undefined) return link;
  const user = usersOf(gitDir, branchOf(task));
  if (user !== undefined) {
    return refuse(
      `task/${task} is checked out in ${user}, outside Liza`,
      `leave it there first: git -C ${user} switch --detach`,
      3,
      'branch-in-use',
    );
  }
  for (;;) {
    const found = findPlace(gitDir, task);
    const names = [branchOf(task), seenOf(task), baselineOf(task)];
    const refs = mayHaveRefs(gitDir, ...names) ? await readRefs(gitDir, ...names) : NO_REFS;
    if ('none' in found && refs.size === 0) break;
    const foreign = refuseForeign(gitDir, task, found, refs);
    if (foreign !== undefined) return foreign;
    const place = isPlace(found) ? found : remainsOf(gitDir, task);
    if (place !== undefined) mendHead(place);
    const { attempt, inner } = await keptOf(gitDir, found, place, discard);
    // `seen` goes last: as long as anything is left, it says whose it is, and where it was.
    const seen = refs.get(seenOf(task));
    const tip = again ?? (seen === undefined ? undefined : attempt?.tip);
    const last = tip === undefined ? [] : [{ ref: seenOf(task), to: tip, from: seen ?? null }];
    // Without a folder there is no step in between that could be forgotten.
    const atOnce = 'none' in found && again === undefined;
    const gone = [...refs]
      .filter(([ref]) => atOnce || ref !== seenOf(task))
      .map(([ref, from]) => ({ ref, to: null, from }));
    // An agent that commits right now would lose that commit: look again.
    if ((await updateRefs(gitDir, atOnce ? gone : [...last, ...gone])) === 'moved') continue;
    const aside = inner && isPlace(found) ? putAside(gitDir, found) : undefined;
    // Both halves of a linked worktree, also where its agent put a repository of its own into the one.
    if (isPlace(found) && found.kind === 'worktree') worktreeIsolation.remove(gitDir, found);
    else if (!('none' in found)) worktreeIsolation.remove(gitDir, { task });
    sweepAside(gitDir, task);
    if (refs.has(seenOf(task)) && again === undefined && !atOnce)
      await updateRefs(gitDir, [{ ref: seenOf(task), to: null }]);
    return { ...defined({ attempt, aside }) };
  }
  sweepAside(gitDir, task);
  return {};
}

const NO_REFS: ReadonlyMap<string, string> = new Map();

interface Kept {
  readonly attempt: Attempt | undefined;
  /** Not all of it is in the attempt: the folder stays. */
  readonly inner: boolean;
}

async function keptOf(gitDir: PrivateGitDir, found: Found, place: Place | undefined, discard: Discard): Promise<Kept> {
  try {
    const attempt = await saveAttempt(gitDir, place, discard);
    return { attempt, inner: isPlace(found) && (await holdsRepositories(gitDir, found)) };
  } catch (error) {
    // Files or commits that git cannot read there must not keep the task for ever.
    if (!(error instanceof EnvironmentError) || isOfTheMachine(error) || !isPlace(found)) throw error;
    return { attempt: await saveAttempt(gitDir, undefined, discard), inner: true };
  }
}

/** Longer ones the system does not open, and no tree gets to hold them. */
const LONGEST_PATH = 3500;

/** Repositories inside the folder have a history of their own, which no attempt can hold. */
async function holdsRepositories(gitDir: PrivateGitDir, place: Place): Promise<boolean> {
  if (place.kind === 'worktree' && existsSync(join(place.gitDirectory, 'modules'))) return true;
  const head = await headOf(gitDir, place);
  const changed = head === undefined ? [] : await changedSince(gitDir, place, head.commit);
  return changed.some((path) => path.endsWith('/') || path.length > LONGEST_PATH);
}

/** The folder stays, under another name, with the git directories of its submodules. */
function putAside(gitDir: PrivateGitDir, place: Place): string {
  const kept = join(gitDir.worktrees, `.kept-${place.task}-${Math.random().toString(16).slice(2, 10)}`);
  const modules = join(place.gitDirectory, 'modules');
  renameSync(place.folder, kept);
  if (place.kind === 'worktree' && existsSync(modules)) renameSync(modules, join(kept, '.liza-modules'));
  return relative(gitDir.root, kept);
}

/** What Liza did not make it does not remove, whatever its name. */
function refuseForeign(
  gitDir: PrivateGitDir,
  task: string,
  found: Found,
  refs: ReadonlyMap<string, string>,
): Refusal | undefined {
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
  if (!refs.has(branchOf(task))) return undefined;
  return refuse(
    `there is a branch task/${task} that Liza did not make`,
    `give it another name: git branch -m task/${task} ${task}-mine`,
    3,
    'foreign',
  );
}

/** Files that lost their git directory: what is left of a crash, or of an agent's rm. */
function remainsOf(gitDir: PrivateGitDir, task: string): Place | undefined {
  const folder = folderOf(gitDir, task);
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const nowhere = join(gitDir.common, 'liza', 'nowhere');
  return { task, kind: 'worktree', folder, gitDirectory: nowhere, index: join(nowhere, 'index') };
}

/** Swept under the task's lock; merges and validations run under locks of their own. */
export const isItsOwn = ({ purpose }: Aside): boolean => purpose !== 'merge' && purpose !== 'proof';

/** Only under the task's lock: then nobody is making or removing anything there. */
export function sweepAside(gitDir: PrivateGitDir, task: string): void {
  for (const parent of [gitDir.worktrees, join(gitDir.common, 'liza')]) {
    for (const left of leftAside(parent)) if (left.task === task && isItsOwn(left)) removeTree(left.path);
  }
}

function refuseLink(gitDir: PrivateGitDir, task: string): Refusal | undefined {
  for (const path of ['.worktrees', worktreePath(task)]) {
    const stat = lstatSync(join(gitDir.root, path), { throwIfNoEntry: false });
    if (stat === undefined || (stat.isDirectory() && !stat.isSymbolicLink())) continue;
    const what = stat.isSymbolicLink() ? 'a symbolic link, which could lead out of the project' : 'not a folder';
    return refuse(`${path} is ${what}`, `look at it, then remove it: rm ${path}`, 3, 'link');
  }
  return undefined;
}

interface Making {
  /** `seen` may be there, and stays whatever happens. */
  readonly again?: boolean;
  /** What else belongs to the folder before it is handed over. */
  readonly lay?: (place: Place) => Promise<unknown>;
}

/** A new folder on a new branch at `start`. Nothing of the task may be there. */
export async function makeFolder(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  task: string,
  start: string,
  { again = false, lay }: Making = {},
): Promise<Ready | Refusal> {
  const refused = refuseLink(gitDir, task);
  if (refused !== undefined) return refused;
  const isolation = isolationFor(gitDir, needsClone(context.sandboxSupport, settings) ? 'clone' : settings.isolation);
  // `seen` first: it says that the branch is Liza's.
  const refs = [seenOf(task), ...(isolation === cloneIsolation ? [] : [branchOf(task)])];
  if (
    (await updateRefs(
      gitDir,
      refs.map((ref) => ({ ref, to: start, ...(again && ref === seenOf(task) ? {} : { from: null }) })),
    )) === 'moved'
  ) {
    return refuse(
      `there is a branch task/${task} that Liza did not make`,
      `give it another name: git branch -m task/${task} ${task}-mine`,
      3,
      'branch-exists',
    );
  }
  const undo = async () => {
    isolation.remove(gitDir, { task });
    await updateRefs(
      gitDir,
      [...(await readRefs(gitDir, ...refs))].flatMap(([ref, from]) =>
        again && ref === seenOf(task) ? [] : [{ ref, to: null, from }],
      ),
    );
    sweepAside(gitDir, task);
  };
  try {
    const place = await isolation.make(gitDir, task, start);
    const failed = await prepare(context, settings, place);
    if (failed !== undefined) {
      await undo();
      return failed;
    }
    await lay?.(place);
    const touched = settings.post_worktree_cmd || declaredFiles(settings).length > 0 || lay !== undefined;
    const ready = await (touched ? handOver : handOverNew)(gitDir, settings, place, start);
    rmSync(join(place.gitDirectory, UNPREPARED), { force: true });
    return ready;
  } catch (error) {
    await undo().catch(() => {}); // the first failure is the one to tell; reconcile finishes the rest
    throw error;
  }
}

/** Made again at `tip` for whoever goes on in it: the folder was lost, the task was not. */
export async function remakeFolder(
  context: TaskContext,
  gitDir: PrivateGitDir,
  settings: Settings,
  task: Task,
  tip: string,
  discard: Discard,
): Promise<(Ready & Discarded) | Refusal> {
  // What `tip` has is not discarded: only the rest needs keeping.
  const discarded = await discardFolder(gitDir, { ...discard, integration: tip }, tip);
  if (isRefusal(discarded)) return discarded;
  const { base_commit: base } = task;
  // A merge that was not concluded comes back with it.
  const lay =
    task.integration_fix === true && base !== undefined
      ? { lay: (place: Place) => layOutMerge(gitDir, place, base, mergeTitle(task.id)) }
      : {};
  const made = await makeFolder(context, gitDir, settings, task.id, tip, { again: true, ...lay });
  return isRefusal(made) ? made : { ...made, ...discarded };
}

/** For the record: where a folder that was made again begins, and the commit that keeps what lay in the old one. */
export interface Remade {
  readonly tip: string;
  readonly kept?: string;
}

export const remadeOf = ({ start, attempt }: Ready & Discarded): Remade => ({
  tip: start,
  ...(attempt === undefined ? {} : { kept: attempt.commit }),
});

export const mergeTitle = (task: string): string => `Merge the integration branch into task/${task}`;

/** The task's folder, with its `.git` put right where an agent took it away or the project was moved. */
export function usablePlace(gitDir: PrivateGitDir, task: string): Place | undefined {
  const found = findPlace(gitDir, task);
  if (!isPlace(found) || !isPrepared(found)) return undefined;
  if (isMisplaced(gitDir, found)) pointAgain(gitDir, task);
  mendHead(found);
  return found;
}

const prepare = (context: TaskContext, settings: Settings, { folder, task }: Place): Promise<Refusal | undefined> =>
  prepareFolder({
    root: context.paths.root,
    folder,
    settings,
    env: context.env,
    say: context.say,
    signal: settings.post_worktree_cmd ? context.stop?.() : undefined,
    logFile: join(context.paths.liza, 'agent-logs', `prepare-${task}.log`),
    run: (program) => runConfined(context, settings, { folder, part: 'setup' }, program),
  });

/** Nothing but git's own checkout has been there; still, bad line endings may make it differ from its commit. */
async function handOverNew(gitDir: PrivateGitDir, settings: Settings, place: Place, start: string): Promise<Ready> {
  const differs = await gitDir.files(place, ['diff-files', '-z', '--name-only', '--ignore-submodules=dirty']);
  return differs.stdout === '' ? { place, start } : handOver(gitDir, settings, place, start);
}

/** What the folder looks like to whoever gets it: `begin` compares with that. */
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

/** Refs of a task that mean unfinished work; none of them outlives it. */
export const workRefs = (task: string): readonly string[] => [
  branchOf(task),
  seenOf(task),
  baselineOf(task),
  mergingOf(task),
];
