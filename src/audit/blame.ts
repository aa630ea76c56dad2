// `liza blame <commit>`: which merge brought a commit to the integration branch, and so which task stands
// behind it. The board is the witness; trailers in git are only compared with it, since anybody who
// can commit can write them. Only reads.

import { join } from 'node:path';
import { COMMIT_NAMES, isCommitName } from '../git/commit-name.ts';
import { integrationGone, integrationRef, openGitDir } from '../git/integration.ts';
import { keptBoards } from '../git/kept-folder.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor } from '../git/reach.ts';
import { commitOf, readRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import { isRefusal, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { acceptedHead, eventsOf } from '../protocol/goal/alignment.ts';
import type { Planted } from '../protocol/messages/violation-payloads.ts';
import { type Goal, settings, type Task } from '../protocol/state.ts';
import { meantHint } from '../protocol/unknown-id.ts';
import { defined } from '../protocol/values.ts';
import { mergeNames, mergeTrailers, trailersDiffer, trailersIn } from '../protocol/work/merge-names.ts';
import { type RecordedMerge, recordedMerges, roundsOf } from '../protocol/work/task-history.ts';
import type { TaskContext } from '../tasks/context.ts';
import { listed } from '../text/format.ts';
import { redact, secretsOf } from '../text/redact.ts';
import { finishBlame, handMergeBlame, type MergedTasks } from './merged-tasks.ts';

export interface Blame {
  readonly commit: string;
  /** What git says of it: anybody could have written that. */
  readonly git: { readonly author: string; readonly time: string; readonly subject: string };
  readonly task: Task;
  /** Made by Liza as it merged, or part of what was reviewed. */
  readonly part: 'merge' | 'work';
  /** The first submission that had it: another one than what was approved may have been rejected. */
  readonly submitted?: string;
  readonly merge: MergeFacts;
  readonly trailers: Trailers;
  /** Plain git shows another commit in its place. */
  readonly replaced?: Planted;
}

export interface MergeFacts {
  readonly commit: string;
  readonly how: 'fast-forward' | 'merge' | 'contained';
  readonly time: string;
  readonly by?: string;
  readonly onto?: string;
  readonly reviewed?: string;
  readonly approved_by?: string;
  readonly drift?: number;
}

export interface Trailers {
  /** Several lines of one name are one text here. */
  readonly found: Readonly<Record<string, string>>;
  /** What the board says otherwise; empty: they agree, or there are none where none are expected. */
  readonly differ: readonly string[];
}

export async function blame(context: TaskContext, name: string): Promise<Blame | MergedTasks | Refusal> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = await resolve(gitDir, name);
  if (typeof commit !== 'string')
    return findTask(board.state, name) === undefined
      ? commit
      : refuse(`${name} is a task, not a commit`, `who did what for it: liza show ${name}`, 1, 'commit');
  const { goal } = board.state;
  const goals = [...(await context.store.pastGoals()), goal];
  const branch = settings(board.state).integration_branch;
  const head = await commitOf(gitDir, integrationRef(board));
  if (head === undefined) return integrationGone(board);
  const tasks = [...(await context.store.archivedTasks()), ...board.state.tasks];
  const merges = recordedMerges(tasks);
  const finished = await finishBlame(gitDir, commit, goals, merges);
  if (finished !== undefined) return finished;
  const byHand = () => handMergeBlame(gitDir, commit, merges, () => signature(gitDir, commit));
  if (!(await isAncestor(gitDir, commit, head)))
    return (await ofOpenTask(gitDir, branch, commit, tasks)) ?? (await byHand()) ?? nobodys(gitDir, branch, commit);
  const since = await descendants(gitDir, commit, head);
  const found = ownerOf(merges, since);
  if (found === undefined) {
    const merged = await byHand();
    if (merged !== undefined) return merged;
    const all = {
      ...goal,
      alignment_history: goals.flatMap((one) => one.alignment_history ?? []),
      syncs: goals.flatMap((one) => one.syncs ?? []),
    };
    return broughtByNoMerge(gitDir, { branch, commit, merges, since, goal: all });
  }
  return blameOf(gitDir, commit, found);
}

async function resolve(gitDir: PrivateGitDir, name: string): Promise<string | Refusal> {
  const commit = isCommitName(name) ? await commitNamed(gitDir, name) : undefined;
  if (commit !== undefined) return commit;
  const shown = JSON.stringify(name.slice(0, 80));
  const asked = await gitDir.project(['for-each-ref', '--format=%(refname:short)', 'refs/heads']);
  const branches = asked.status === 0 ? asked.stdout.split('\n').filter((line) => line !== '') : [];
  return refuse(
    `${shown} does not name exactly one commit of this repository`,
    `${meantHint(name, branches)}give ${COMMIT_NAMES}: git log shows them`,
    1,
    'commit',
  );
}

/** A branch comes before a tag or another ref of the same name, which could hide it. */
async function commitNamed(gitDir: PrivateGitDir, name: string): Promise<string | undefined> {
  const [, first = '', rest = ''] = /^([^~^]*)(.*)$/s.exec(name) ?? [];
  const isBranch = first !== '' && first !== 'HEAD' && !/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(first);
  const onBranch = isBranch ? await commitOf(gitDir, `refs/heads/${first}${rest}`) : undefined;
  return onBranch ?? commitOf(gitDir, name);
}

/** Where each commit that builds on this one stands, itself included; the greater, the older. One walk for all merges. */
async function descendants(gitDir: PrivateGitDir, commit: string, head: string): Promise<ReadonlyMap<string, number>> {
  const args = ['rev-list', '--topo-order', '--ancestry-path', `${commit}..${head}`];
  const newer = (await must(gitDir.objects(args), 'walk the history')).split('\n').filter((line) => line !== '');
  return new Map([...newer, commit].map((id, at) => [id, at]));
}

/** The merge that brought the commit: it has it, and where the branch was before did not. */
function ownerOf(merges: readonly RecordedMerge[], since: ReadonlyMap<string, number>): RecordedMerge | undefined {
  const age = ({ mergeCommit }: RecordedMerge): number => since.get(mergeCommit) ?? -1;
  const brought = merges.filter((merge) => age(merge) >= 0 && !has(since, merge.onto ?? merge.task.base_commit));
  // More than one only where the branch was set back in between: the oldest brought it first.
  const oldest = brought.toSorted((a, b) => age(b) - age(a))[0];
  if (oldest !== undefined) return oldest;
  // The branch had it already when it was approved: the review stands behind it all the same.
  return merges.find(
    ({ task, event, mergeCommit, onto }) =>
      mergeCommit === onto && has(since, event.commit) && !has(since, task.base_commit),
  );
}

const has = (since: ReadonlyMap<string, number>, commit: unknown): boolean =>
  typeof commit === 'string' && since.has(commit);

interface UnmergedCommit {
  readonly branch: string;
  readonly commit: string;
  readonly merges: readonly RecordedMerge[];
  readonly since: ReadonlyMap<string, number>;
  readonly goal: Goal;
}

/** On the branch, but no merge brought it. */
async function broughtByNoMerge(
  gitDir: PrivateGitDir,
  { branch, commit, merges, since, goal }: UnmergedCommit,
): Promise<Refusal> {
  const earlier = keptBoards(gitDir.host.disk, gitDir.common).at(-1);
  const hint = [
    `what git knows about it: git show --stat ${commit}`,
    ...(earlier === undefined ? [] : [`an earlier blackboard is kept: ${join(earlier, 'state.yaml')}`]),
  ].join('; ');
  const sync = goal.syncs?.find(({ merge_commit, onto }) => has(since, merge_commit) && !has(since, onto));
  if (sync !== undefined) {
    const isMerge = commit === sync.merge_commit && commit !== sync.commit;
    const told = isMerge
      ? `${commit} belongs to no task: it is the merge commit by which ${sync.by} brought ${sync.branch} in at ${sync.time} (liza sync)`
      : `${commit} belongs to no task: it came from ${sync.branch}, which ${sync.by} merged in at ${sync.time} (liza sync)`;
    return refuse(told, hint, 1, 'outside');
  }
  const start = merges[0]?.onto ?? merges[0]?.task.base_commit ?? goal.integration_head;
  if (start === undefined || (await isAncestor(gitDir, commit, start))) {
    return refuse(`${commit} existed before Liza's first merge`, hint, 1, 'before');
  }
  return refuse(
    `${commit} did not come with a merge by Liza: ${branch} was moved outside Liza, ${acceptance(goal, since)}`,
    hint,
    1,
    'outside',
  );
}

function acceptance(goal: Goal, since: ReadonlyMap<string, number>): string {
  const told = eventsOf(goal, 'integration_accepted').find((line) => has(since, acceptedHead(line)));
  if (told !== undefined) return `accepted by ${told.by ?? 'a person'} at ${told.timestamp}`;
  return has(since, goal.integration_head) ? 'and that was accepted' : 'and nobody has accepted that yet';
}

/** Not on the branch. Liza may know it all the same; undefined: it does not. */
async function ofOpenTask(
  gitDir: PrivateGitDir,
  branch: string,
  commit: string,
  tasks: readonly Task[],
): Promise<Refusal | undefined> {
  const kinds = Object.keys(PLACES);
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', `--contains=${commit}`, '--', ...kinds];
  const refs = (await must(gitDir.project(args), 'look for the commit')).split('\n').filter((line) => line !== '');
  const known = kinds.flatMap((kind) =>
    refs.flatMap((line) => {
      const ref = line.slice(line.indexOf(' ') + 1);
      const task = tasks.find(({ id }) => id === ref.slice(kind.length + 1).split('/', 1)[0]);
      if (!ref.startsWith(`${kind}/`) || task === undefined) return [];
      return [{ ref, task, exact: line.startsWith(commit), told: PLACES[kind] }];
    }),
  );
  const best = known.find(({ exact }) => exact) ?? known[0];
  if (best?.told === undefined) return undefined;
  const { task, ref } = best;
  return refuse(
    `${commit} is not on ${branch}: it is ${best.told(task, commit)} (${task.id} is ${task.status})`,
    `liza show ${task.id}; git show --stat ${ref}`,
    1,
    'not-on-integration',
  );
}

async function nobodys(gitDir: PrivateGitDir, branch: string, commit: string): Promise<Refusal> {
  const heads = ['for-each-ref', '--format=%(refname:lstrip=2)', `--contains=${commit}`, '--', 'refs/heads'];
  const own = (await must(gitDir.project(heads), 'look for the commit')).split('\n').filter((line) => line !== '');
  if (own.length > 0)
    return refuse(
      `${commit} is not on ${branch}, and no task has it: it is on ${listed(own, 3)} alone`,
      `what it is: git show --stat ${commit}; to merge your branch into ${branch}: liza sync`,
      1,
      'not-on-integration',
    );
  return refuse(
    `${commit} is not on ${branch}, and no task has it`,
    `only commits merged there belong to a task: git branch --contains ${commit}`,
    1,
    'not-on-integration',
  );
}

/** What it means to be found below a ref; the first that fits is told. */
const PLACES: Readonly<Record<string, (task: Task, commit: string) => string>> = {
  'refs/liza/merging': ({ id }) => `a merge candidate of ${id}`,
  'refs/liza/review': ({ id, review_commit, status }, commit) => {
    if (commit !== review_commit) return `part of what was submitted for ${id}`;
    return status === 'READY_FOR_REVIEW' ? `the commit under review of ${id}` : `the commit submitted last for ${id}`;
  },
  'refs/liza/attempts': ({ id }) => `an attempt of ${id} that was discarded`,
  'refs/liza/seen': ({ id }) => `unfinished work on ${id}`,
  'refs/heads/task': ({ id }) => `unfinished work on ${id}`,
};

async function blameOf(gitDir: PrivateGitDir, commit: string, found: RecordedMerge): Promise<Blame> {
  const { task, event, mergeCommit, onto } = found;
  const reviewed = text(event.commit);
  const approved_by = mergeNames(task, event).reviewers.join(', ') || undefined;
  const at = `refs/replace/${commit}`;
  const by = (await readRefs(gitDir, at)).get(at);
  const how = mergeCommit === onto ? 'contained' : mergeCommit === reviewed ? 'fast-forward' : 'merge';
  const part = how === 'merge' && commit === mergeCommit ? 'merge' : 'work';
  return {
    commit,
    git: await signature(gitDir, commit),
    task,
    part,
    ...(part === 'work' ? defined({ submitted: await firstSubmission(gitDir, task, commit) }) : {}),
    merge: {
      commit: mergeCommit,
      how,
      time: event.time,
      ...defined({ by: text(event.by) ?? event.agent, onto, reviewed, approved_by }),
      ...(typeof event.drift === 'number' ? { drift: event.drift } : {}),
    },
    // Where the branch had it already, the commit there is another task's.
    trailers: how === 'contained' ? { found: {}, differ: [] } : await trailersOf(gitDir, found, how),
    ...(by === undefined ? {} : { replaced: { what: 'replaces', at, commit: by } as const }),
  };
}

async function firstSubmission(gitDir: PrivateGitDir, task: Task, commit: string): Promise<string | undefined> {
  for (const { commit: offered } of roundsOf(task, undefined)) {
    if (offered === undefined) continue;
    if (offered === commit || (await isAncestor(gitDir, commit, offered))) return offered;
  }
  return undefined;
}

const FORMAT = ['%an', '%aI', '%s'].join('%x00');

async function signature(gitDir: PrivateGitDir, commit: string): Promise<Blame['git']> {
  const shown = await must(gitDir.objects(['show', '--no-patch', `--format=${FORMAT}`, commit]), 'read the commit');
  const [author = '', time = '', subject = ''] = shown.trimEnd().split('\0');
  const [by, about] = [author, subject].map((one) => redact(one, secretsOf(gitDir.host.env)));
  return { author: by ?? '', time, subject: about ?? '' };
}

/** Liza writes them on the merge commits it makes; the commit of a fast-forward is its author's own. */
async function trailersOf(
  gitDir: PrivateGitDir,
  { task, event, mergeCommit }: RecordedMerge,
  how: MergeFacts['how'],
): Promise<Trailers> {
  const args = ['show', '--no-patch', '--format=%(trailers:only,unfold)', mergeCommit];
  const lines = trailersIn(await must(gitDir.objects(args), 'read the merge commit'));
  const found: Record<string, string> = {};
  for (const [key, value] of lines) found[key] = found[key] === undefined ? value : `${found[key]}, ${value}`;
  if (lines.length === 0 && how !== 'merge') return { found, differ: [] };
  return { found, differ: trailersDiffer(lines, mergeTrailers(task, event)) };
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
