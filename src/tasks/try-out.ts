// `liza try`: runs what a commit brings for an agent that wants to see it run, but never where that agent's word is given:
// by the machinery that runs proofs, without the session's mailbox, home and credential, and marked as a program of the
// project (identity/rules/resolve.ts). In the reviewer's folder to try things in, or in the coder's own.

import { join } from 'node:path';
import { gitDirectoryAside } from '../git/clone.ts';
import { openGitDir } from '../git/integration.ts';
import { inScratch, leftoversIn } from '../git/scratch-folders.ts';
import type { Ended } from '../process/run.ts';
import type { Board } from '../protocol/board.ts';
import { reviewCopyOf } from '../protocol/commands/review/review-copy.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { lastReviewRetracted, retractedHint } from '../protocol/review/retracted.ts';
import { type Settings, type State, settings, type Task } from '../protocol/state.ts';
import { runConfined } from '../sandbox/mode.ts';
import type { TaskContext } from './context.ts';
import { howEnded, testPlace } from './disposable-checkout.ts';
import { removeRepositories } from './steering-files.ts';

export interface TryRequest {
  readonly argv: readonly [string, ...string[]];
  onLine(line: string): void;
}

export interface TriedOut {
  /** As a shell says it: 128 and more for a signal, 124 for a time limit. */
  readonly code: number;
  /** `ended with 1`. */
  readonly how: string;
  readonly seconds: number;
  /** The end of what it printed. */
  readonly tail: string;
  readonly confined: boolean;
}

export async function tryOut(context: TaskContext, { argv, onLine }: TryRequest): Promise<TriedOut | Refusal> {
  const { board } = await context.store.read();
  const place = tryFolder(context, board.state);
  if (isRefusal(place)) return place;
  const { folder, review } = place;
  const config = settings(board.state);
  const limit = config.validation_timeout;
  const program = { argv, cwd: folder, env: context.env, timeoutMs: limit * 1000, signal: context.stop?.(), onLine };
  // Nobody gets by it what the session itself does not have.
  const offline = config.sandbox_network?.[review === undefined ? 'coder' : 'reviewer'] === 'off';
  const run = (git?: string): Promise<Ended> =>
    runConfined(context, config, { ...testPlace(context, config, folder), git, offline }, program);
  // A coder's own folder is its own; a reviewer's next git obeys nothing that the commit left.
  const ended = review === undefined ? await run() : await withOwnGit(context, board, { folder, review }, run);
  if (isRefusal(ended)) return ended;
  if (ended.how === 'not-started') return notStarted(argv, ended.reason);
  if (ended.how === 'stopped') return refuse('it was stopped', 'run it again at any time', 1, 'stopped');
  return {
    code: codeOf(context, ended),
    how: `${howEnded(ended, limit)}${ended.how === 'timed-out' ? ' (config validation_timeout)' : ''}`,
    seconds: Math.round(ended.durationMs / 100) / 10,
    tail: ended.tail,
    confined: ended.confined === true,
  };
}

/** As `timeout` says it. */
const TIMED_OUT = 124;

function codeOf({ processes }: TaskContext, ended: Ended): number {
  if (ended.how === 'exited') return ended.code;
  return ended.how === 'signalled' ? 128 + (processes.signals[ended.signal] ?? 0) : TIMED_OUT;
}

interface TryPlace {
  readonly folder: string;
  /** The task under review whose commit is tried; absent: the coder's own folder. */
  readonly review?: Task;
}

/** Git works in it, but on a directory that is gone afterwards; a repository that was made below goes with it. */
async function withOwnGit(
  context: TaskContext,
  board: Board,
  { folder, review }: Required<TryPlace>,
  run: (git: string) => Promise<Ended>,
): Promise<Ended | Refusal> {
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = review.review_commit ?? '';
  const tree = reviewCopyOf(review)?.tree ?? commit;
  try {
    return await inScratch(gitDir, async (own) => run(await gitDirectoryAside(gitDir, own, commit, tree)));
  } finally {
    await removeRepositories(context, folder);
  }
}

/** The folder that the agent may write in now. */
function tryFolder(context: TaskContext, state: State): TryPlace | Refusal {
  const { id } = context.actor;
  const review = state.tasks.find((task) => task.status === 'READY_FOR_REVIEW' && task.reviewing_by === id);
  if (id !== undefined && review !== undefined) {
    const folder = tryoutOf(context, review);
    return folder === undefined ? noTryout(review, settings(state)) : { folder, review };
  }
  const own = state.tasks.find((task) => task.status === 'CLAIMED' && task.assigned_to === id);
  const worktree = id === undefined ? undefined : own?.worktree;
  if (worktree !== undefined) return { folder: join(context.paths.root, worktree) };
  const retracted = id === undefined ? undefined : lastReviewRetracted(state, id);
  if (retracted !== undefined) return retracted;
  for (const task of state.tasks) {
    const hint = retractedHint(task, id);
    if (hint !== undefined) return refuse(`the submission of ${task.id} was retracted`, hint, 1, 'state');
  }
  return refuse(
    id === undefined ? 'liza try is for agents at work' : `${id} has no task under review and none that it works on`,
    id === undefined
      ? 'a person looks at the work with liza show <task>; its folder is an agent’s: git there obeys settings that the agent wrote'
      : 'it works until the verdict is given, or the commit submitted',
    1,
    'state',
  );
}

/** The one that the board names, and no other: what an earlier review left there is not what is reviewed now. */
function tryoutOf({ disk, paths }: TaskContext, task: Task): string | undefined {
  const { tryout } = reviewCopyOf(task) ?? {};
  const folder = tryout === undefined ? undefined : join(paths.root, tryout);
  const made = leftoversIn(disk, join(paths.root, '.worktrees')).find(
    ({ path, purpose, task: id }) => path === folder && purpose === 'review' && id === task.id,
  );
  return made?.path;
}

const noTryout = ({ id }: Task, { validation_timeout }: Settings): Refusal =>
  refuse(
    `there is no folder to try ${id} in: it is made for a reviewer's session, and its set-up may have failed`,
    `judge by the EVIDENCE: Liza ran the validation itself, within ${validation_timeout} s`,
    1,
    'state',
  );

const notStarted = ([program]: TryRequest['argv'], reason: string): Refusal =>
  refuse(
    `${program} could not be started: ${reason}`,
    'it is run at the top of the folder, without a shell unless the command is a single argument: liza try "cd web && npm test"',
    5,
    'not-started',
  );
