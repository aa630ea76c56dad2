// A batch is a chain: each candidate is the merge of one more approved commit onto the candidate before, built in the
// object database. So a prefix that was green can land, and the longer candidates stay what they were tested as.

import { buildCandidate } from '../../git/merge-candidate.ts';
import type { PrivateGitDir } from '../../git/private-git-dir.ts';
import { countBeyond } from '../../git/reach.ts';
import { commitsOf } from '../../git/refs.ts';
import type { Board } from '../../protocol/board.ts';
import { EnvironmentError, type Refusal, refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import { announcedOf, headOfBatch } from '../../protocol/queue/batch.ts';
import type { Batch } from '../../protocol/queue/shape.ts';
import type { Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import { commitElsewhere } from '../../protocol/work/hosts.ts';
import { authorsOf, reviewersOf, trailerLines } from '../../protocol/work/merge-names.ts';
import type { TaskContext } from '../context.ts';
import type { MergeFailure } from '../judge-candidate.ts';
import { bringsPersonsCommits } from '../persons-commits.ts';
import { failOnConflict } from './fail.ts';

/** One entry of the chain: the branch would go from `onto` to `candidate`. */
export interface Link {
  readonly task: Task;
  readonly commit: string;
  readonly candidate: string;
  readonly onto: string;
  /** Commits the branch had gained since the work began. */
  readonly drift?: number | undefined;
}

export type How = 'fast-forward' | 'merge' | 'contained';

export const howOf = ({ candidate, onto, commit }: Link): How =>
  candidate === onto ? 'contained' : candidate === commit ? 'fast-forward' : 'merge';

/** A task that does not come along, and why. */
export interface Failed {
  readonly task: string;
  readonly failure: MergeFailure;
}

export interface Building {
  readonly context: TaskContext;
  readonly gitDir: PrivateGitDir;
  readonly board: Board;
  /** Where the branch is. */
  readonly onto: string;
  /** Approved commits that are in the repository. */
  readonly known: ReadonlySet<string>;
  /** Says on the board what one task waits for. */
  hold(task: string, message: string, hint: string): Promise<Refusal>;
}

export interface Chain {
  readonly links: readonly Link[];
  readonly failed: readonly Failed[];
}

export async function buildChain(building: Building, tasks: readonly Task[]): Promise<Chain> {
  const links: Link[] = [];
  const failed: Failed[] = [];
  for (const task of tasks) {
    const link = await addLink(building, task, links.at(-1)?.candidate ?? building.onto).catch((error: unknown) =>
      overItsLimit(building, task, error),
    );
    if (link === 'later') continue;
    if ('ok' in link) failed.push({ task: task.id, failure: link });
    else links.push(link);
    // There already: it needs no test, and waits for none.
    if (links.length === 1 && links[0]?.candidate === building.onto) break;
  }
  return { links, failed };
}

/** What one task brought makes git take too long: that one is held, and the others go on. */
function overItsLimit({ hold }: Building, { id }: Task, error: unknown): Promise<Refusal> {
  if (!(error instanceof EnvironmentError) || error.fault !== 'limit') throw error;
  return hold(
    id,
    `git could not merge it: ${error.message}`,
    `give git more time: LIZA_GIT_SECONDS=120 liza wt merge ${id}; or take it out: liza queue out ${id} --reason "<why>"`,
  );
}

/** On top of a batch that is tested: whatever does not merge there is seen when its turn has come. */
export async function chainAhead(
  building: Omit<Building, 'known' | 'hold'>,
  tip: string,
  tasks: readonly Task[],
): Promise<readonly Link[]> {
  const { context, gitDir, board, onto } = building;
  const commits = await commitsOf(
    gitDir,
    tasks.map((task) => task.review_commit ?? ''),
  );
  const links: Link[] = [];
  for (const [at, task] of tasks.entries()) {
    const commit = commits[at];
    if (commit === undefined || commit !== task.review_commit) continue;
    if ((await bringsPersonsCommits(context, gitDir, board, { onto, commit })) !== undefined) continue;
    const link = await linkOn(gitDir, task, commit, links.at(-1)?.candidate ?? tip).catch((error: unknown) => {
      if (error instanceof EnvironmentError && error.fault === 'limit') return undefined;
      throw error;
    });
    if (link !== undefined && !('paths' in link)) links.push(link);
  }
  return links;
}

async function linkOn(
  gitDir: PrivateGitDir,
  task: Task,
  commit: string,
  onto: string,
): Promise<Link | { readonly paths: readonly string[] }> {
  const [built, drift] = await Promise.all([
    buildCandidate(gitDir, { onto, commit, base: task.base_commit, message: mergeMessage(task, commit) }),
    driftSince(gitDir, task.base_commit, onto),
  ]);
  if (built.kind === 'conflict') return built;
  return { task, commit, candidate: built.kind === 'contained' ? onto : built.commit, onto, drift };
}

/** `later`: it does not go with those before it; what becomes of it is seen when they have landed. */
async function addLink(building: Building, task: Task, tip: string): Promise<Link | MergeFailure | 'later'> {
  const { context, gitDir, board, onto } = building;
  const { review_commit: commit } = task;
  if (commit === undefined) return noCommit(task.id);
  if (!building.known.has(commit)) {
    const hint = commitElsewhere(board) ?? 'look for it: git fsck --lost-found; if it is lost: liza queue out';
    return building.hold(task.id, `the approved commit ${commit} is not in this repository`, hint);
  }
  const waits = await bringsPersonsCommits(context, gitDir, board, { onto, commit });
  if (waits !== undefined) return building.hold(task.id, waits.message, waits.hint);
  const link = await linkOn(gitDir, task, commit, tip);
  if (!('paths' in link)) return link;
  const alone = tip === onto ? link : await linkOn(gitDir, task, commit, onto);
  return 'paths' in alone ? failOnConflict({ ...building, task, commit }, alone.paths) : 'later';
}

/** A board that was written by hand may have such a task. */
export const noCommit = (id: string): Refusal =>
  refuse(`${id} has no approved commit`, `see it: liza show ${id}`, 1, 'commit');

/** What is recorded of a batch, if it can go on as it is. */
export async function recordedChain(
  { gitDir, board, onto }: Building,
  batch: Batch,
  isWanted: (task: string) => boolean,
): Promise<readonly Link[] | undefined> {
  if (headOfBatch(batch) !== onto) return undefined;
  const open = batch.entries.slice(batch.landed);
  const links = announcedOf(batch).flatMap(({ task: id, candidate, onto: on }, at) => {
    const task = findTask(board.state, id);
    const commit = open[at]?.commit ?? '';
    const is = task?.status === 'APPROVED' && task.paused !== true && task.review_commit === commit && isWanted(id);
    return task !== undefined && is ? [{ task, commit, candidate, onto: on }] : [];
  });
  if (links.length === 0 || links.length < open.length) return undefined;
  const there = await commitsOf(
    gitDir,
    links.map(({ candidate }) => candidate),
  );
  if (links.some(({ candidate }, at) => there[at] !== candidate)) return undefined;
  return Promise.all(
    links.map(async (link) => ({ ...link, drift: await driftSince(gitDir, link.task.base_commit, link.onto) })),
  );
}

/** As it is announced to the board: the last one, with those before it. */
export function announcement(links: readonly Link[]) {
  const [last, ...earlier] = links.toReversed();
  const told = ({ task, commit, candidate, onto }: Link) => ({ task: task.id, commit, candidate, onto });
  if (last === undefined) throw new RangeError('a batch has entries');
  const before = earlier.length === 0 ? undefined : earlier.toReversed().map(told);
  return { ...told(last), ...defined({ before }) };
}

export function mergeMessage(task: Task, commit: string): string {
  const title =
    (task.description ?? '')
      .split('\n', 1)[0]
      ?.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '')
      .trim() ?? '';
  const names = { authors: authorsOf(task, commit), reviewers: reviewersOf(task) };
  const trailers = trailerLines({ task: task.id, ...names, commit }).map((line) => line.join(': '));
  return `Merge task ${task.id}${title === '' ? '' : `: ${title.slice(0, 100)}`}\n\n${trailers.join('\n')}\n`;
}

async function driftSince(gitDir: PrivateGitDir, base: string | undefined, onto: string): Promise<number | undefined> {
  if (base === undefined) return undefined;
  return countBeyond(gitDir, [onto], [base]);
}
