// Work that came before the checkpoint, put aside in one step: commits and files are kept like discarded work, below
// refs/liza/attempts, and the folder goes back to where the iteration starts. The folder is its agent's, so the steps are
// plain git, run by whoever asked with no more rights than that one has: here, or by `liza` inside the sandbox.

import { saveAttempt } from '../git/attempts.ts';
import { pathsBetween, treeOf } from '../git/folder-snapshot.ts';
import { integrationRef, openGitDir } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, commitOf, isAncestor, seenOf, updateRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { findPlace, gitIn, headOf, isPlace, type Place } from '../git/task-folder.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { baselineOf, startCommit } from '../protocol/leases.ts';
import { defined } from '../protocol/values.ts';
import { counted } from '../text/format.ts';
import { look, type TaskContext } from './context.ts';
import { declaredFiles, discardOf } from './discard-folder.ts';

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
      `${id} starts from a merge that is laid out in its folder, and that cannot be put aside`,
      `Put your changes away yourself (git stash), or say what is in the way: liza block ${id} --reason "…" --question "…"`,
      1,
      'before-code',
    );
  }
  const integration = await commitOf(gitDir, integrationRef(board));
  const leaveOut = declaredFiles(settings);
  const discard = discardOf(task, settings, 'it came before the checkpoint', integration);
  const kept = await saveAttempt(gitDir, place, { ...discard, setAside: true });
  const target = baselineOf(task) ?? start;
  const steps = await stepsBack(gitDir, place, { head: head.commit, start, target, leaveOut });
  if (steps.length === 0 || kept === undefined) return { steps, lines: [] };
  // Kept now: that the branch goes back is no rewritten history.
  await updateRefs(gitDir, [{ ref: seenOf(id), to: start }]);
  const rebased = integration === undefined ? undefined : await rebasedOnto(gitDir, integration, head.commit, start);
  const { ref, commit, uncommitted: files } = kept;
  return { steps, lines: wayBack(ref, { commit, tip: head.commit, start, files, ...defined({ rebased }) }) };
}

interface Way {
  readonly head: string;
  readonly start: string;
  /** The tree that the folder was handed over with. */
  readonly target: string;
  readonly leaveOut: readonly string[];
}

/** Only paths that differ are touched: what a set-up made, and what is ignored, stays. */
async function stepsBack(gitDir: PrivateGitDir, place: Place, way: Way): Promise<SetAside['steps']> {
  const { head, start, target, leaveOut } = way;
  const differing = await pathsBetween(gitDir, target, await treeOf(gitDir, place, head, leaveOut));
  if (head === start && differing.length === 0) return [];
  const there = new Set(await pathsIn(gitDir, target, differing));
  const back = differing.filter((path) => there.has(path));
  const gone = differing.filter((path) => !there.has(path));
  const inFolder = ['--literal-pathspecs', '-C', place.folder, '-c', 'core.hooksPath=/dev/null'];
  return [
    [...inFolder, 'symbolic-ref', 'HEAD', branchOf(place.task)],
    [...inFolder, 'reset', '--quiet', '--mixed', start],
    ...chunks(back).map((paths) => [...inFolder, 'restore', '--worktree', `--source=${target}`, '--', ...paths]),
    ...chunks(gone).map((paths) => [...inFolder, 'clean', '-f', '-d', '-q', '--', ...paths]),
  ];
}

async function pathsIn(gitDir: PrivateGitDir, tree: string, paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return [];
  const listed = must(gitDir.objects(['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree]), 'list a tree');
  return (await listed).split('\0');
}

/** One command takes only so many arguments. */
const AT_ONCE = 500;
const chunks = (paths: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(paths.length / AT_ONCE) }, (_, n) => paths.slice(n * AT_ONCE, (n + 1) * AT_ONCE));

interface Kept {
  readonly commit: string;
  readonly tip: string;
  readonly start: string;
  readonly files: number;
  /** Where the integration branch was that it had been rebased onto. */
  readonly rebased?: string;
}

/** Commit ids resolve in every folder of a task; the ref of work that is kept now does not in a clone. */
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

function wayBack(ref: string, { commit, tip, start, files, rebased }: Kept): readonly string[] {
  const loose = files === 0 ? '' : ` with ${counted(files, 'file')} that you had not committed`;
  if (rebased !== undefined) {
    return [
      `What came before the checkpoint is kept as ${commit}${loose} (${ref}).`,
      `You had taken newer work of the integration branch in: take it in again, git rebase ${rebased}`,
      `What you had changed besides, file by file: git diff ${rebased} ${commit}; git checkout ${commit} -- <path>`,
    ];
  }
  return [
    `What came before the checkpoint is kept as ${commit}${loose} (${ref}).`,
    `Bring its files back, to go on with them: git checkout ${commit} -- .`,
    ...(tip === start ? [] : [`Or its commits, one by one: git cherry-pick ${start}..${tip}`]),
  ];
}

/** Takes the steps in this process. */
export async function takeSteps(
  context: TaskContext,
  id: string,
  steps: SetAside['steps'],
): Promise<Refusal | undefined> {
  const { board } = await look(context, id);
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const place = findPlace(gitDir, id);
  if (!isPlace(place)) return undefined;
  for (const step of steps) await must(gitIn(gitDir, place, step), 'put the folder back');
  return undefined;
}
