// The set-up of a checkout, whatever it is made for: the one place that prepares one, and records how that came out. A
// failure is on the board, so that people are told and no other agent repeats it; the first success takes it off. Where
// nothing is to be prepared, nothing is asked or recorded.

import { integrationHead } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { treeIdOf } from '../git/refs.ts';
import { isMachineFault } from '../git/run.ts';
import { layOutAgain } from '../git/tracked-files.ts';
import { firstFew } from '../git/tree-changes.ts';
import type { Board } from '../protocol/board.ts';
import { EnvironmentError, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import type { SetupPart } from '../protocol/records/setup-records.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { hasSetup, whyTryAgain } from '../protocol/work/setup-failures.ts';
import { transact } from '../store/transact.ts';
import type { TaskContext } from './context.ts';
import { bringFiles, type PrepareRequest, prepareFolder, type Unprepared } from './prepare-checkout.ts';
import { withheldHere } from './setup-login.ts';
import { reuseSetup } from './setup-results.ts';
import { announceRuns } from './setup-runs.ts';

export interface SetupRequest extends PrepareRequest {
  readonly part: SetupPart;
  readonly task?: string;
  /** What is checked out. */
  readonly commit: string;
  /** Its files, where they are not the commit's own. */
  readonly tree?: string | undefined;
  /** Told which tracked files set-up changed or removed: they are as in the tree again. */
  readonly onChanged?: ((paths: readonly string[]) => void) | undefined;
  /** Whether its failure is the commit's own: then that is told to the caller, and is nothing that stops others. */
  readonly isItsOwn?: ((failed: Unprepared) => Promise<boolean>) | undefined;
}

/** Undefined: the checkout is ready. */
export async function setUp(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: SetupRequest,
): Promise<Unprepared | undefined> {
  if (!hasSetup(request.settings)) return undefined;
  const runs = announceRuns(context, { ...request, ...(await failedBefore(context, request)) });
  const failed = await prepare(context, gitDir, { ...request, runs });
  const isOwn = failed !== undefined && (await request.isItsOwn?.(failed)) === true;
  if (!isOwn) await recordSetup(context, gitDir, { ...request, runs }, failed);
  return failed;
}

/** How often the same was run without success, and why it is tried again. */
async function failedBefore(context: TaskContext, { part, task }: SetupRequest) {
  const { state } = (await context.store.read()).board;
  const config = settings(state);
  const former = (state.goal.setup_failures ?? []).find((one) =>
    OF_THE_BASE.has(part) ? one.on_base === true : one.part === part && one.task === task,
  );
  if (former === undefined) return { failed: 0, why: undefined };
  const now = { settings: config, files: filesMark(context, config), at: context.clock.now() };
  return { failed: former.tries ?? 1, why: whyTryAgain(state, former, now) ?? 'the last one failed' };
}

async function prepare(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: SetupRequest,
): Promise<Unprepared | undefined> {
  if (context.sandboxSupport === undefined) return prepareHere(context, gitDir, request);
  const tree = request.tree ?? (await treeIdOf(gitDir, request.commit));
  const refused = bringFiles(context, request);
  if (refused !== undefined) return refused;
  const reused = await reuseSetup(context, gitDir, { ...request, tree });
  if (reused === 'own') return prepareHere(context, gitDir, { ...request, withheld: withheldHere(request.settings) });
  return reused === 'ready' ? undefined : reused;
}

/** The folder of a task is its coder's: what set-up changed there is compared with as it was handed over. */
async function prepareHere(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: SetupRequest,
): Promise<Unprepared | undefined> {
  const failed = await prepareFolder(context, request);
  const { settings: rules, part, commit, tree = commit, folder } = request;
  if (failed !== undefined || part === 'worktree' || !rules.post_worktree_cmd?.trim()) return failed;
  try {
    const changed = await layOutAgain(gitDir, folder, tree);
    const own = rules.worktree_files ?? [];
    const told = changed.filter((path) => !own.includes(path));
    if (told.length > 0) {
      context.say(`set-up changed tracked files, which are laid out again: ${firstFew(told)}`);
      request.onChanged?.(told);
    }
    // A person may have named a tracked file.
    const brought = own.filter((name) => changed.includes(name));
    return bringFiles(context, { ...request, settings: { ...rules, worktree_files: brought } });
  } catch (error) {
    if (!(error instanceof EnvironmentError) || isMachineFault(error)) throw error;
    return refuse(
      `post_worktree_cmd left a checkout in which the commit's files cannot be laid out again: ${error.message}`,
      'change the command, or what it runs: it must leave tracked files writable',
      3,
      'post-worktree-cmd',
    );
  }
}

async function recordSetup(
  context: TaskContext,
  gitDir: PrivateGitDir,
  request: SetupRequest,
  failed: Unprepared | undefined,
): Promise<void> {
  // Ended by a person, it says nothing.
  if (context.stop?.().aborted === true) return;
  const { board } = await context.store.read();
  if (failed === undefined && (board.state.goal.setup_failures ?? []).length === 0) return;
  const done = await checkoutOf(gitDir, board, request);
  if (failed === undefined) {
    await transact(context, { name: 'setup-works', ...done });
    return;
  }
  // What has less time than the setting gives it may fail for that alone; what is nobody's task is told to its caller.
  const config = settings(board.state);
  if (request.settings.post_worktree_timeout !== config.post_worktree_timeout) return;
  if (done.task === undefined && done.on_base === undefined) return;
  const output = failed.lines?.map((line) => line.trim()).join('\n');
  await transact(context, {
    name: 'setup-failed',
    ...done,
    reason: failed.message,
    remedy: failed.hint,
    ...defined({ files: filesMark(context, config), output, tries: severalOf(request.runs?.count() ?? 1) }),
  });
}

const severalOf = (count: number): number | undefined => (count > 1 ? count : undefined);

/** The parts whose checkout new work starts from. */
const OF_THE_BASE: ReadonlySet<SetupPart> = new Set(['worktree', 'trial', 'check']);

async function checkoutOf(gitDir: PrivateGitDir, board: Board, { part, task, commit, tree }: SetupRequest) {
  const onBase = OF_THE_BASE.has(part) && (await integrationHead(gitDir, board)) === commit;
  const known = task !== undefined && findTask(board.state, task) !== undefined ? task : undefined;
  return {
    part,
    commit,
    tree: tree ?? (await treeIdOf(gitDir, commit)),
    ...(onBase ? { on_base: true as const } : {}),
    ...defined({ task: known }),
  };
}

/** Changes with the files that `worktree_files` names; undefined where it names none. */
export function filesMark(
  { disk, paths }: Pick<TaskContext, 'disk' | 'paths'>,
  config: Pick<Settings, 'worktree_files'>,
): string | undefined {
  const files = config.worktree_files ?? [];
  if (files.length === 0) return undefined;
  return files
    .map((name) => {
      const stat = disk.statSync(`${paths.root}/${name}`, { throwIfNoEntry: false });
      return stat === undefined ? '-' : `${stat.size}:${Math.floor(stat.mtimeMs)}`;
    })
    .join(' ');
}
