// Work that came before the checkpoint, put aside in one step: commits and files are kept like discarded work, below
// refs/liza/attempts, and the folder goes back to where the iteration starts. The folder is its agent's, so the steps are
// plain git, run by whoever asked with no more rights than that one has: here, or by `liza` inside the sandbox.

import { type Attempt, saveAttempt } from '../git/attempts.ts';
import { pathsBetween, treeOf } from '../git/folder-snapshot.ts';
import { ignoredBy } from '../git/ignored-files.ts';
import { integrationRef, openGitDir } from '../git/integration.ts';
import { pathGroups } from '../git/path-arguments.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { branchOf, commitOf, seenOf, updateRefs } from '../git/refs.ts';
import { rescueNow } from '../git/rescue.ts';
import { git, must } from '../git/run.ts';
import { findPlace, headOf, isPlace, type Place } from '../git/task-folder.ts';
import { firstFew } from '../git/tree-changes.ts';
import { scrubbed } from '../process/environment.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { baselineOf, startCommit } from '../protocol/leases.ts';
import type { Settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { bringBack } from '../protocol/work/kept-work.ts';
import { runConfined, sandboxMode } from '../sandbox/mode.ts';
import { counted, shellWord } from '../text/format.ts';
import { look, type TaskContext } from './context.ts';
import { discardOf } from './discard-folder.ts';

export interface SetAside {
  /** What git has to be told in the folder, in this order; empty: nothing came before the checkpoint. */
  readonly steps: readonly (readonly string[])[];
  /** Where the work is and how it comes back. */
  readonly lines: readonly string[];
}

const NOTHING: SetAside = { steps: [], lines: [] };

/** Keeps what came before; the caller takes the steps. */
export async function setAside(context: TaskContext, id: string): Promise<SetAside | Refusal> {
  const { board, task, settings } = await look(context, id);
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const place = findPlace(gitDir, id);
  const head = isPlace(place) ? await headOf(gitDir, place) : undefined;
  const start = task === undefined ? undefined : startCommit(task);
  // `begin` itself says what is wrong then.
  if (task === undefined || !isPlace(place) || head === undefined || start === undefined) return NOTHING;
  if (head.merging !== undefined || task.integration_fix === true) {
    return refuse(
      `${id} starts from a merge that is laid out in its folder, and that cannot be set aside`,
      `Set your changes aside yourself (git stash), or say what blocks you: liza block ${id} --reason "…" --question "…"`,
      1,
      'before-code',
    );
  }
  const integration = await commitOf(gitDir, integrationRef(board));
  const rebased = integration === undefined ? undefined : await rebasedOnto(gitDir, integration, head.commit, start);
  const target = baselineOf(task) ?? start;
  const stays = await pathsBetween(gitDir, start, target);
  const base = rebased === undefined ? start : await carriedTo(gitDir, { start, onto: rebased, tip: head.commit });
  const discard = discardOf(task, settings, 'it came before the checkpoint', integration);
  const differing = await pathsBetween(gitDir, target, await treeOf(gitDir, place, head.commit, discard.leaveOut));
  const lists = differing.filter((path) => /(^|\/)\.gitignore$/.test(path));
  const bared = await ignoredBy(gitDir, place, head.commit, { tree: target, lists });
  if (bared.length > 0) return wouldBeBared(id, lists, bared);
  const rescue = rescueNow(context.clock);
  const kept = await saveAttempt(gitDir, place, { ...discard, setAside: { base, stays } }, rescue);
  const [left] = rescue.left;
  if (left !== undefined) {
    const hint = `remove what nobody needs, then try again: liza begin ${id} --set-aside`;
    return refuse(`the folder of ${id} cannot be set aside: ${left}`, hint, 1, 'before-code');
  }
  const { leaveOut } = discard;
  const steps = await stepsBack(gitDir, place, { head: head.commit, start, target, differing, leaveOut });
  if (steps.length === 0) return { steps, lines: [] };
  // Kept now, or nothing of its own: that the branch goes back is no rewritten history.
  await updateRefs(gitDir, [{ ref: seenOf(id), to: start }]);
  if (kept === undefined) return { steps, lines: rebased === undefined ? [] : rebasedOnly(start, rebased) };
  const spoilt = (await pathsBetween(gitDir, target, kept.commit)).filter((path) => stays.includes(path));
  const isOnTop = await isAncestor(gitDir, base, kept.tip);
  const lines = wayBack(kept, { base, isOnTop, spoilt, ...defined({ rebased }) });
  return { steps: [...steps, ...named(place, kept)], lines };
}

/** What is ignored is nowhere kept, and git would remove it as soon as nothing says that it is ignored. */
const wouldBeBared = (id: string, lists: readonly string[], bared: readonly string[]): Refusal =>
  refuse(
    `${firstFew(lists)} would be set aside with the rest, and nothing would ignore these files any more: ${firstFew(bared)}`,
    `Nothing was changed. Move these files out of the folder, or remove what nobody needs, then try again: liza begin ${id} --set-aside`,
    1,
    'before-code',
  );

/** In a clone the ref is new. */
const named = (place: Place, { ref, commit }: Attempt): SetAside['steps'] =>
  place.kind === 'clone' ? [[...inFolder(place), 'update-ref', ref, commit]] : [];

interface Folder {
  readonly head: string;
  readonly start: string;
  /** The tree that the folder was handed over with. */
  readonly target: string;
  /** Where the folder is not as that tree. */
  readonly differing: readonly string[];
  readonly leaveOut: readonly string[];
}

/** Only paths that differ are touched: what a set-up made, and what is ignored, stays. */
async function stepsBack(
  gitDir: PrivateGitDir,
  place: Place,
  { head, start, target, differing, leaveOut }: Folder,
): Promise<SetAside['steps']> {
  if (head === start && differing.length === 0) return [];
  const before = await pathsIn(gitDir, target, differing);
  const there = new Set(before);
  const back = differing.filter((path) => there.has(path));
  const gone = differing.filter((path) => !there.has(path));
  const git = inFolder(place);
  return [
    [...git, 'symbolic-ref', 'HEAD', branchOf(place.task)],
    [...git, 'reset', '--quiet', '--mixed', start],
    ...pathGroups(back).map((paths) => [...git, 'restore', '--worktree', `--source=${target}`, '--', ...paths]),
    ...pathGroups(gone).map((paths) => [...git, 'clean', '-f', '-d', '-q', '--', ...paths]),
    // Empty by now; one that holds ignored files stays.
    ...pathGroups(emptied(gone, [...before, ...leaveOut])).map((paths) => [
      ...git,
      'clean',
      '-f',
      '-d',
      '-q',
      '--',
      ...paths,
    ]),
  ];
}

/** The uppermost folders of what goes in which nothing stays. */
function emptied(gone: readonly string[], stays: readonly string[]): readonly string[] {
  const kept = new Set(stays.flatMap(foldersOf));
  return [...new Set(gone.flatMap((path) => foldersOf(path).find((folder) => !kept.has(folder)) ?? []))];
}

/** `a/b/c`: `a`, `a/b`. */
const foldersOf = (path: string): readonly string[] =>
  [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index));

const inFolder = ({ folder }: Place): readonly string[] => [
  '--literal-pathspecs',
  ...['-C', folder, '-c', 'core.hooksPath=/dev/null'],
];

async function pathsIn(gitDir: PrivateGitDir, tree: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const listed = must(gitDir.objects(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]), 'list a tree');
  return (await listed).split('\0');
}

/** The commit of the integration branch that the coder took in beforehand: what others made since is not its own. */
async function rebasedOnto(
  gitDir: PrivateGitDir,
  integration: string,
  tip: string,
  start: string,
): Promise<string | undefined> {
  const asked = await gitDir.objects(['merge-base', integration, tip]);
  const onto = asked.stdout.trim();
  return asked.status === 0 && !(await isAncestor(gitDir, onto, start)) ? onto : undefined;
}

/** How far a rebase brought along what the iteration began with: the last copy of its commits, which HEAD has already. */
async function carriedTo(
  gitDir: PrivateGitDir,
  { start, onto, tip }: { readonly start: string; readonly onto: string; readonly tip: string },
): Promise<string> {
  const marked = ['rev-list', '--reverse', '--cherry-mark', '--right-only', '--no-merges', `${start}...${tip}`];
  const asked = await gitDir.objects([...marked, `^${onto}`]);
  const lines = asked.status === 0 ? asked.stdout.trim().split('\n') : [];
  const own = lines.findIndex((line) => !line.startsWith('='));
  const copies = own === -1 ? lines : lines.slice(0, own);
  return copies.at(-1)?.slice(1) ?? onto;
}

/** Nothing of the coder's own came before: only what others merged. */
const rebasedOnly = (start: string, onto: string): readonly string[] => [
  `The folder is back at ${start.slice(0, 12)}, where this iteration starts: before the checkpoint you had only rebased onto the integration branch. Do that again now: git rebase ${onto}`,
];

interface Way {
  /** What it was made upon. */
  readonly base: string;
  /** False: a commit was amended, so that its commits would conflict with what is there. */
  readonly isOnTop: boolean;
  /** Where the integration branch was that it had been rebased onto. */
  readonly rebased?: string;
  /** Files of the set-up that it had changed: they are back as the set-up made them. */
  readonly spoilt: readonly string[];
}

/** Each line works by itself, in the order given, and overwrites nothing: git refuses, or marks what both changed. */
function wayBack({ ref, tip, uncommitted }: Attempt, { base, isOnTop, rebased, spoilt }: Way): readonly string[] {
  const loose = uncommitted === 0 ? '' : `, with ${counted(uncommitted, 'file')} that you had not committed`;
  const commits = `Or its commits${uncommitted === 0 ? '' : ', without those files'}: git cherry-pick ${base}..${tip}`;
  return [
    `What came before the checkpoint is kept as ${ref}${loose}.`,
    ...(rebased === undefined
      ? []
      : [`You had newer work of the integration branch; if you need it, first: git rebase ${rebased}`]),
    `Bring all of it back, not committed yet: ${bringBack(ref)}`,
    ...(tip === base || !isOnTop ? [] : [commits]),
    ...(spoilt.length === 0
      ? []
      : [
          `Files of the set-up that you had changed: git restore --source=${ref} -- ${spoilt.map(shellWord).join(' ')}`,
        ]),
  ];
}

/**
 * Takes the steps for whoever is outside a sandbox. Git there answers to the folder's own configuration, which may name
 * programs: so it is confined like the agent that wrote it. Without a sandbox nobody has more rights than that one.
 */
export async function takeSteps(
  context: TaskContext,
  id: string,
  steps: SetAside['steps'],
): Promise<Refusal | undefined> {
  const { board, settings } = await look(context, id);
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const place = findPlace(gitDir, id);
  if (!isPlace(place)) return undefined;
  const mode = await sandboxMode(context.sandboxSupport, settings);
  if (isRefusal(mode)) return mode;
  // Nobody in a sandbox writes the project's configuration, which is that of a linked worktree.
  if ('tool' in mode && place.kind === 'clone') return takeConfined(context, settings, place, steps);
  const at = { GIT_DIR: place.gitDirectory, GIT_WORK_TREE: place.folder };
  for (const step of steps)
    await must(git(context, place.folder, step, { at, in: place.folder }), 'put the folder back');
  return undefined;
}

const LONGEST_STEP = 60_000;

async function takeConfined(
  context: TaskContext,
  settings: Settings,
  { folder }: Place,
  steps: SetAside['steps'],
): Promise<Refusal | undefined> {
  const env = { ...scrubbed(context.env), GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  for (const step of steps) {
    const program = { argv: ['git', ...step], cwd: folder, env, timeoutMs: LONGEST_STEP } as const;
    const ended = await runConfined(context, settings, { folder, part: 'setup' }, program);
    if (ended.how === 'exited' && ended.code === 0) continue;
    const why = ended.how === 'not-started' ? ended.reason : ended.tail.trim() || ended.how;
    return refuse(`the folder could not be put back: ${why.slice(-500)}`, 'look at it with git status', 3, 'folder');
  }
  return undefined;
}
