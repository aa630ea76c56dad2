// What git says about a task's folder and about a commit that is offered for review: the facts that
// the rules decide on. Only reads, but for remembering every commit it sees.

import { recordTip } from '../git/attempts.ts';
import { changedSince, pathsBetween, treeOf } from '../git/folder-snapshot.ts';
import { idsOf } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { isAncestor, mergeBaseOf } from '../git/reach.ts';

import { must } from '../git/run.ts';
import { findPlace, headOf, isPlace, type Place } from '../git/task-folder.ts';
import type { SubmitFacts, WorktreeFacts } from '../protocol/command.ts';
import { isDeclaration, parseScope, unsurePaths } from '../protocol/facts/scope.ts';
import { checksTypes } from '../protocol/facts/type-checks.ts';
import { baselineOf, historyOf, startCommit } from '../protocol/leases.ts';
import { proofCommands } from '../protocol/review/proof.ts';
import { lastTurn } from '../protocol/review/retracted.ts';
import { defined } from '../protocol/values.ts';
import { beforePlan } from './before-plan.ts';
import { namesOfCommits } from './commit-names.ts';
import { declaredFiles, discardOf } from './discard-folder.ts';
import type { FolderWork } from './make-folder.ts';
import { sinceRed } from './nearest-red.ts';
import { commandsReached } from './proof/commands-reached.ts';
import { readDiff } from './read-diff.ts';
import { readHistory } from './read-history.ts';
import { refsInClone } from './refs-in-clone.ts';

type Asked = Omit<FolderWork, 'context'>;

/** For a look at the folder alone it may be gone. */
type Looked = Omit<Asked, 'integration'> & { readonly integration: string | undefined };

/** For `begin`: what differs from the folder as it was handed over. Undefined when the folder is not there. */
export async function worktreeFacts(asked: Looked): Promise<WorktreeFacts | undefined> {
  const { gitDir, task, settings } = asked;
  const found = findPlace(gitDir, task.id);
  const facts = isPlace(found) ? await folderFacts(asked, found) : undefined;
  const baseline = baselineOf(task);
  if (facts === undefined || !isPlace(found) || baseline === undefined) return facts;
  const tree = await treeOf(gitDir, found, facts.head, declaredFiles(settings));
  return { ...facts, dirty: await pathsBetween(gitDir, baseline, tree) };
}

export async function submitFacts(asked: Asked, place: Place, commit: string): Promise<SubmitFacts | undefined> {
  const { gitDir, task, integration } = asked;
  const facts = await folderFacts(asked, place);
  if (facts === undefined) return undefined;
  const base = task.base_commit ?? integration;
  const isKnown = commit === facts.head || (await isCommit(gitDir, commit));
  if (!isKnown) return { ...facts, descends_from_base: false, changes: [] };
  const fork = await forkOf(asked, commit);
  const newer = await rebasedOn(asked, { base, fork, commit });
  const same = await rejectedTwin(asked, commit);
  const retracted = await retractedTwin(asked, commit);
  const [descends, diff, onBase] = await Promise.all([
    newer !== undefined || fork === base || isAncestor(gitDir, base, commit),
    readDiff(asked, newer ?? base, commit),
    wordsOnBase(asked, base),
  ]);
  const changed = diff.changes.map(({ path }) => path);
  const moved = await refsInClone(gitDir, place);
  return {
    ...facts,
    descends_from_base: descends,
    ...diff,
    ...(await readHistory(gitDir, newer ?? base, commit, changed)),
    ...(await namesOfCommits(asked, newer ?? base, commit)),
    ...(await beforePlan(asked, commit)),
    ...(await beforeStart(asked, base, changed)),
    ...(moved.length === 0 ? {} : { refs_in_clone: moved }),
    ...(onBase.length === 0 ? {} : { on_base: onBase }),
    ...(await checkedTypes(asked, commit, diff.changes)),
    ...defined({
      base_commit: newer,
      same_tree_as: same,
      same_as_retracted: retracted,
      since_red: await sinceRed(gitDir, task, commit),
    }),
  };
}

/** Of these paths, those that the start of the iteration has otherwise than the base: going back to it keeps them. */
async function beforeStart({ gitDir, task }: Asked, base: string, changed: readonly string[]) {
  const start = startCommit(task);
  if (start === undefined || start === base || !(await isCommit(gitDir, start))) return {};
  const early = new Set(await pathsBetween(gitDir, base, start));
  const both = changed.filter((path) => early.has(path));
  return both.length === 0 ? {} : { before_start: both };
}

const isCommit = async (gitDir: PrivateGitDir, id: string): Promise<boolean> =>
  (await idsOf(gitDir, [id], 'commit'))[0] !== undefined;

async function folderFacts(
  { gitDir, task, settings, integration }: Looked,
  place: Place,
): Promise<WorktreeFacts | undefined> {
  const head = await headOf(gitDir, place);
  if (head === undefined) return undefined;
  const seen = await recordTip(gitDir, place, discardOf(task, settings, 'its history was rewritten', integration));
  if (seen === undefined) return undefined;
  const leaveOut = declaredFiles(settings);
  const changed = await changedSince(gitDir, place, head.commit);
  return {
    head: head.commit,
    ...(head.branch === undefined ? {} : { branch: head.branch.replace(/^refs\/heads\//, '') }),
    dirty: changed.filter((path) => !leaveOut.includes(path)),
    ...(head.merging === undefined ? {} : { merging: true }),
  };
}

/** Type declarations that one of the proving commands checks, as far as the command lines tell. */
async function checkedTypes({ gitDir, task, settings }: Asked, commit: string, changes: SubmitFacts['changes']) {
  const declared = changes.map(({ path }) => path).filter(isDeclaration);
  if (declared.length === 0) return {};
  const runs = await commandsReached({ gitDir, commit, commands: proofCommands(settings, task) });
  const checked = declared.filter((path) => runs.some((run) => checksTypes(run, path)));
  return checked.length === 0 ? {} : { checked_types: checked };
}

/** Which bare words of the scope are names of something there: `src`, and not `parser`. */
async function wordsOnBase({ gitDir, task }: Asked, base: string): Promise<readonly string[]> {
  const scope = parseScope(task.scope ?? '');
  const bare = [...unsurePaths(scope), ...scope.outWords.flatMap(({ paths }) => paths)];
  const words = [...new Set(bare)].filter((word) => /^[\w.-]{1,200}$/.test(word) && !word.startsWith('-')).slice(0, 50);
  if (words.length === 0) return [];
  const asked = gitDir.objects(['--literal-pathspecs', 'ls-tree', '-z', '--name-only', base, '--', ...words]);
  return (await must(asked, 'look up the scope')).split('\0').filter((name) => name !== '');
}

/** The coder took newer work of the integration branch in: the review begins there. */
async function rebasedOn({ gitDir }: Asked, { base, fork, commit }: Forked): Promise<string | undefined> {
  if (fork === undefined || fork === base || fork === commit) return undefined;
  return (await isAncestor(gitDir, base, fork)) ? fork : undefined;
}

interface Forked {
  readonly base: string;
  readonly commit: string;
  readonly fork: string | undefined;
}

/** The newest commit of the integration branch that it builds on. */
const forkOf = ({ gitDir, integration }: Asked, commit: string): Promise<string | undefined> =>
  mergeBaseOf(gitDir, integration, commit);

/** A rejected commit with the very same files. */
async function rejectedTwin({ gitDir, task }: Asked, commit: string): Promise<string | undefined> {
  const rejected = historyOf(task).flatMap((event) =>
    event.event === 'rejected' && typeof event.commit === 'string' ? [event.commit] : [],
  );
  const own = rejected.length === 0 ? undefined : await treeIdOf(gitDir, commit);
  for (const former of new Set(rejected)) {
    if (former !== commit && (await treeIdOf(gitDir, former)) === own) return former;
  }
  return undefined;
}

/** What its coder retracted last, where it has the very same files. */
async function retractedTwin({ gitDir, task }: Asked, commit: string): Promise<string | undefined> {
  const last = lastTurn(task);
  if (last?.event !== 'retracted' || typeof last.commit !== 'string') return undefined;
  return (await treeIdOf(gitDir, last.commit)) === (await treeIdOf(gitDir, commit)) ? last.commit : undefined;
}

const treeIdOf = async (gitDir: PrivateGitDir, commit: string): Promise<string | undefined> =>
  (await idsOf(gitDir, [commit], 'tree'))[0];
