// Discarded is not lost: before a folder or branch of a task goes, its tips and its uncommitted files
// are kept as one commit under refs/liza/attempts/<task>/<n>. The commit's message says whose it was
// and why it was discarded, so that listing needs nothing but git.

import { EnvironmentError } from '../protocol/decision.ts';
import { changedSince, treeOf, withPathsOf } from './folder-snapshot.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { countBeyond, isAncestor } from './reach.ts';
import { attemptOf, branchOf, commitOf, mayHaveRefs, readRef, readRefs, seenOf, treeIdOf, updateRefs } from './refs.ts';
import { type Rescue, rescueNow } from './rescue.ts';
import { isMachineFault, must } from './run.ts';
import { takeLfs } from './take-lfs.ts';
import { type NamedTip, takeNearest, takeRefs } from './take-objects.ts';
import { headOf, type Place, readHead } from './task-folder.ts';

export interface Attempt {
  readonly ref: string;
  readonly task: string;
  readonly n: number;
  /** The commit with everything: files as they were there, tips as parents. */
  readonly commit: string;
  readonly tip: string;
  readonly time: string;
  readonly why: string;
  readonly agent?: string;
  /** Files that were not committed. */
  readonly uncommitted: number;
  /** Commits that integration does not have. */
  readonly commits: number;
  /** Its coder put it aside before its checkpoint, because Liza said so: no attempt that failed. */
  readonly setAside?: true;
  /** What the folder, a clone, had besides its branch: branches, tags, the stash. */
  readonly beside?: readonly NamedTip[];
}

export interface Discard {
  readonly task: string;
  readonly why: string;
  readonly agent?: string | undefined;
  /** Declared worktree_files: they may hold secrets and are copies anyway. */
  readonly leaveOut: readonly string[];
  /** Where merged work is: what it has needs no other keeping. */
  readonly integration: string | undefined;
  /** Its files are as Liza laid them out: nothing in it is worth keeping. */
  readonly unchanged?: true;
  /** Its coder puts it aside before its checkpoint, because Liza said so. */
  readonly setAside?: SetAsideFrom;
  /** A branch that goes back to this commit does just that. */
  readonly setAsideAt?: string | undefined;
  /** One line, if it takes long. */
  readonly say?: (line: string) => void;
}

/** What the work that is put aside was made upon: the difference to it is what comes back. */
export interface SetAsideFrom {
  readonly base: string;
  /** What the set-up made or changed, and stays in the folder: no part of that difference. */
  readonly stays: readonly string[];
}

/** undefined: there was nothing that integration does not have. Safe to repeat. */
export async function saveAttempt(
  gitDir: PrivateGitDir,
  place: Place | undefined,
  discard: Discard,
  rescue: Rescue = rescueNow(gitDir.host.clock),
): Promise<Attempt | undefined> {
  const { task, integration } = discard;
  if (discard.unchanged === true) return undefined;
  if (place !== undefined) await takeLfs(gitDir, place);
  // A clone whose agent damaged its objects cannot give some of its commits; the files there are kept all the same.
  const found = place === undefined ? undefined : await readHead(gitDir, place);
  const head =
    place === undefined || found === undefined ? undefined : await takeNearest(gitDir, place, found.commit, rescue);
  const refs = await readRefs(gitDir, branchOf(task), seenOf(task), attemptOf(task));
  const given = [...refs].filter(([ref]) => ref.startsWith(attemptOf(task))).map(([, commit]) => commit);
  // A clone goes with all its refs; in a linked worktree they are the project's.
  const others = place?.kind === 'clone' ? await takeRefs(gitDir, place, given, rescue) : [];
  const tips = [
    ...new Set([head, refs.get(branchOf(task)), refs.get(seenOf(task)), ...others.map(({ commit }) => commit)]),
  ].filter((tip) => tip !== undefined);
  const tip = tips[0];
  if (tip === undefined) return undefined;
  // What was put aside and taken up again is part of this work.
  const earlier = given.length === 0 ? [] : await listAttempts(gitDir, task);
  const kept = earlier.filter(({ setAside }) => setAside !== true).map(({ commit }) => commit);
  const own = await countOwn(gitDir, tips, integration === undefined ? kept : [...kept, integration]);
  const changed = place === undefined ? [] : await changedSince(gitDir, place, tip);
  if (place !== undefined) rescue.looked = { commit: tip, changed };
  // `name/` is another repository: its files are not ours to keep, and not counted as kept.
  const files = changed.filter((path) => !path.endsWith('/') && !discard.leaveOut.includes(path)).length;
  if (own === 0 && files === 0) return undefined;
  const snapshot = place !== undefined && files > 0 ? await filesOf(gitDir, place, tip, discard, rescue) : undefined;
  const uncommitted = snapshot === undefined ? 0 : files;
  const tree = snapshot ?? (await treeIdOf(gitDir, tip));
  const from = discard.setAside === undefined ? [] : [await mainlineOf(gitDir, discard.setAside, tree)];
  const parents = [...new Set([...from, ...(await independent(gitDir, tips))])].flatMap((parent) => ['-p', parent]);
  const setAside = discard.setAside !== undefined;
  const beside = await besideOf(gitDir, others, {
    task,
    known: [tip, ...(integration === undefined ? [] : [integration])],
  });
  const message = attemptMessage(discard, { tip, uncommitted, commits: own, setAside, beside });
  return keep(gitDir, { task, tree, parents, message, reached: own === 0, setAside });
}

/** undefined: they stay in the folder. */
async function filesOf(
  gitDir: PrivateGitDir,
  place: Place,
  tip: string,
  { leaveOut, setAside }: Discard,
  { left }: Rescue,
): Promise<string | undefined> {
  try {
    return await treeOf(gitDir, place, tip, leaveOut, 'limited');
  } catch (error) {
    // What is put aside is put aside whole: its folder stays in use.
    if (setAside !== undefined || !(error instanceof EnvironmentError) || isMachineFault(error)) throw error;
    left.add(error.message);
    return undefined;
  }
}

/**
 * The first parent of work that is put aside, so that `git cherry-pick -m 1` brings back its difference, deleted files and
 * all: the base, with the set-up's files as they are in the work.
 */
async function mainlineOf(gitDir: PrivateGitDir, { base, stays }: SetAsideFrom, work: string): Promise<string> {
  if (stays.length === 0) return base;
  const alike = await withPathsOf(gitDir, base, { tree: work, paths: stays });
  return (
    await must(gitDir.objects(['commit-tree', alike, '-p', base], 'as the set-up left it\n'), 'keep a base')
  ).trim();
}

/** More are kept, and not named. */
const MOST_NAMED = 10;

/** Of the refs that the agent itself made: those with commits that are nowhere else. */
async function besideOf(
  gitDir: PrivateGitDir,
  refs: readonly NamedTip[],
  { task, known }: { readonly task: string; readonly known: readonly string[] },
): Promise<readonly NamedTip[]> {
  const found: NamedTip[] = [];
  for (const one of refs) {
    const isOwn = /^refs\/(?:heads|tags)\/|^refs\/stash$/.test(one.name) && one.name !== branchOf(task);
    if (isOwn && found.length < MOST_NAMED && (await countOwn(gitDir, [one.commit], known)) > 0) found.push(one);
  }
  return found;
}

/** Keeps one commit and what it builds on. `head`: where the branch went instead. */
async function saveTip(gitDir: PrivateGitDir, tip: string, head: string, discard: Discard): Promise<Attempt> {
  const tree = await treeIdOf(gitDir, tip);
  const commits = await countOwn(gitDir, [tip], discard.integration === undefined ? [] : [discard.integration]);
  const setAside = head === discard.setAsideAt;
  const message = attemptMessage(discard, { tip, uncommitted: 0, commits, setAside });
  const parents = [...(setAside ? ['-p', head] : []), '-p', tip];
  return keep(gitDir, { task: discard.task, tree, parents, message, setAside });
}

/** Commits that none of the others has: neither integration nor an earlier attempt. */
const countOwn = async (gitDir: PrivateGitDir, tips: readonly string[], others: readonly string[]): Promise<number> =>
  // A history that cannot be walked is kept rather than judged.
  (await countBeyond(gitDir, tips, others)) ?? 1;

/** The first tip comes first: it is what the files build on. */
async function independent(gitDir: PrivateGitDir, tips: readonly string[]): Promise<readonly string[]> {
  if (tips.length < 2) return tips;
  const asked = await gitDir.objects(['merge-base', '--independent', ...tips]);
  const needed = asked.status === 0 ? asked.stdout.split('\n') : tips;
  return tips.filter((tip, at) => at === 0 || needed.includes(tip));
}

interface Keeping {
  readonly task: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  /** Every commit is kept already: only the files count. */
  readonly reached?: boolean;
  readonly setAside?: boolean;
}

async function keep(
  gitDir: PrivateGitDir,
  { task, tree, parents, message, reached = false, setAside = false }: Keeping,
): Promise<Attempt> {
  for (;;) {
    const earlier = await listAttempts(gitDir, task);
    const last = earlier.at(-1);
    // Killed between keeping and removing, the next one comes here again with the same work.
    const alike = last !== undefined && (last.setAside === true) === setAside;
    // What is put aside counts by what it was made upon, too.
    const needed = reached && !setAside ? undefined : parents;
    if (alike && (await sameWork(gitDir, last.commit, tree, needed))) return last;
    const n = (last?.n ?? 0) + 1;
    const made = must(gitDir.objects(['commit-tree', tree, ...parents], message), 'keep discarded work');
    const commit = (await made).trim();
    if ((await updateRefs(gitDir, [{ ref: attemptOf(task, n), to: commit, from: null }])) === 'moved') continue;
    const kept = (await listAttempts(gitDir, task)).find((attempt) => attempt.n === n);
    if (kept !== undefined) return kept;
  }
}

async function sameWork(
  gitDir: PrivateGitDir,
  commit: string,
  tree: string,
  parents: readonly string[] | undefined,
): Promise<boolean> {
  const asked = await gitDir.objects([
    'show',
    '--no-patch',
    `--format=${parents === undefined ? '%T' : '%T %P'}`,
    commit,
  ]);
  return asked.stdout.trim() === [tree, ...(parents ?? []).filter((part) => part !== '-p')].join(' ');
}

const TRAILERS = {
  task: 'Liza-Task',
  tip: 'Liza-Tip',
  agent: 'Liza-Agent',
  uncommitted: 'Liza-Uncommitted',
  commits: 'Liza-Commits',
  setAside: 'Liza-Set-Aside',
  beside: 'Liza-Beside',
} as const;

const SET_ASIDE = 'it came before the checkpoint';

function attemptMessage(
  { task, why, agent }: Discard,
  {
    tip,
    uncommitted,
    commits,
    setAside = false,
    beside = [],
  }: { tip: string; uncommitted: number; commits: number; setAside?: boolean; beside?: readonly NamedTip[] },
): string {
  const trailers = [
    `${TRAILERS.task}: ${task}`,
    `${TRAILERS.tip}: ${tip}`,
    ...(agent === undefined ? [] : [`${TRAILERS.agent}: ${agent}`]),
    `${TRAILERS.uncommitted}: ${uncommitted}`,
    `${TRAILERS.commits}: ${commits}`,
    ...(setAside ? [`${TRAILERS.setAside}: yes`] : []),
    ...beside.map(({ name, commit }) => `${TRAILERS.beside}: ${commit} ${name}`),
  ];
  return `${task}: kept, ${setAside ? SET_ASIDE : why.split('\n', 1)[0]}\n\n${trailers.join('\n')}\n`;
}

/** Oldest first. */
export async function listAttempts(gitDir: PrivateGitDir, task?: string): Promise<readonly Attempt[]> {
  // Whole messages: %(trailers) of one ref differs between versions of git and with the project's configuration.
  const fields = ['%(refname)', '%(objectname)', '%(committerdate:iso-strict)', '%(contents)'];
  const below = task === undefined ? 'refs/liza/attempts' : attemptOf(task).replace(/\/$/, '');
  if (!mayHaveRefs(gitDir, below)) return [];
  const text = await must(
    gitDir.project(['for-each-ref', `--format=${fields.join('%00')}%00`, '--', below]),
    'list kept work',
  );
  return (
    text
      .split('\0\n')
      .filter((record) => record !== '')
      .map(parseAttempt)
      // Others below that name are somebody else's.
      .filter(({ n }) => Number.isInteger(n))
      .sort((a, b) => a.task.localeCompare(b.task) || a.n - b.n)
  );
}

function parseAttempt(record: string): Attempt {
  const [ref = '', commit = '', time = '', message = ''] = record.split('\0');
  const [task = '', n = ''] = ref.slice('refs/liza/attempts/'.length).split('/');
  const lines = message.split('\n');
  const value = (key: string): string =>
    lines.findLast((line) => line.startsWith(`${key}: `))?.slice(key.length + 2) ?? '';
  const agent = value(TRAILERS.agent);
  const beside = lines.flatMap((line): readonly NamedTip[] => {
    const [, at, name] = /^Liza-Beside: ([0-9a-f]{40,64}) (\S+)$/.exec(line) ?? [];
    return at === undefined || name === undefined ? [] : [{ name, commit: at }];
  });
  return {
    ref,
    task,
    n: Number(n),
    commit,
    tip: value(TRAILERS.tip) || commit,
    time,
    why: (lines[0] ?? '').replace(/^.*?: kept, /, ''),
    ...(agent === '' ? {} : { agent }),
    uncommitted: Number(value(TRAILERS.uncommitted)) || 0,
    commits: Number(value(TRAILERS.commits)) || 0,
    ...(value(TRAILERS.setAside) === 'yes' ? { setAside: true } : {}),
    ...(beside.length === 0 ? {} : { beside }),
  };
}

/**
 * Remembers the tip of a task's branch, so that no commit Liza has seen is ever out of reach. History
 * that was rewritten since is kept as an attempt first.
 */
export async function recordTip(gitDir: PrivateGitDir, place: Place, discard: Discard): Promise<string | undefined> {
  const head = await headOf(gitDir, place);
  if (head === undefined) return undefined;
  const ref = seenOf(place.task);
  const before = await readRef(gitDir, ref);
  if (before === head.commit) return head.commit;
  const rewritten =
    before !== undefined &&
    !(await isAncestor(gitDir, before, head.commit)) &&
    (await commitOf(gitDir, before)) !== undefined;
  if (rewritten) await saveTip(gitDir, before, head.commit, discard);
  await updateRefs(gitDir, [{ ref, to: head.commit, from: before ?? null }]);
  return head.commit;
}
