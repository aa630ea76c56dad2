// What the integration branch would be after a merge, built in the object database: no checkout, no
// index, no branch is touched. Built-in merge attributes of the tree are honoured; custom drivers are not run.

import { dirname, join } from 'node:path';
import { MINIMUM_GIT } from '../ports/git-program.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { blobText, parentsOf } from './objects.ts';
import type { PrivateGitDir } from './private-git-dir.ts';
import { mergeBaseOf } from './reach.ts';
import { treeIdOf } from './refs.ts';
import { must } from './run.ts';
import { inScratch } from './scratch-folders.ts';
import { entriesBelow } from './text-at.ts';

export type Candidate =
  /** The branch has the commit already. */
  | { readonly kind: 'contained' }
  | { readonly kind: 'fast-forward' | 'merge'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

export interface MergeRequest {
  /** Where the branch is. */
  readonly onto: string;
  readonly commit: string;
  /** Where the review of the commit began: what the merge brings is what differs from there, whatever the history says. */
  readonly base?: string | undefined;
  /** Of the merge commit, should there have to be one. */
  readonly message: string;
  /** A merge commit also where a fast-forward would do. */
  readonly always?: boolean;
}

export async function buildCandidate(
  gitDir: PrivateGitDir,
  { onto, commit, base, message, always = false }: MergeRequest,
): Promise<Candidate> {
  const fork = await mergeBaseOf(gitDir, onto, commit);
  const isReviewed = base === undefined || base === onto;
  if (fork === commit && (isReviewed || base === commit)) return { kind: 'contained' };
  if (!always && fork === onto && isReviewed && (await leadsTo(gitDir, onto, commit)))
    return { kind: 'fast-forward', commit };
  const merged =
    fork === onto && isReviewed
      ? { tree: `${commit}^{tree}`, conflicts: [] }
      : await mergeTrees(gitDir, onto, await reviewed(gitDir, { base, fork, commit }));
  if (merged.conflicts.length > 0)
    return { kind: 'conflict', paths: [...new Set(merged.conflicts.map(({ path }) => path))] };
  if (fork === commit && merged.tree === (await treeIdOf(gitDir, onto))) return { kind: 'contained' };
  const made = gitDir.objects(['commit-tree', merged.tree, '-p', onto, '-p', commit], message);
  return { kind: 'merge', commit: (await must(made, 'make the merge commit')).trim() };
}

interface Reviewed {
  readonly base: string | undefined;
  /** Where the branch and the commit part. */
  readonly fork: string | undefined;
  readonly commit: string;
}

/** What is merged: the commit itself where its history says just what was reviewed. */
const reviewed = async (gitDir: PrivateGitDir, { base, fork, commit }: Reviewed): Promise<string> =>
  base === undefined || (fork === base && (await isLine(gitDir, base, commit))) ? commit : since(gitDir, base, commit);

/** Each builds on the one before and on nothing else. */
async function isLine(gitDir: PrivateGitDir, base: string, commit: string): Promise<boolean> {
  let at = commit;
  for (let step = 0; step < FEW_COMMITS; step++) {
    const [parent, ...others] = (await parentsOf(gitDir, at)) ?? [];
    if (parent === undefined || others.length > 0) return false;
    if (parent === base) return true;
    at = parent;
  }
  return false;
}

/** Reading more costs as much as making a commit. */
const FEW_COMMITS = 12;

/**
 * The commit's files on top of `base` alone. A coder can merge others' work into its own and throw its content away
 * (`git merge -s ours`): by that history the work counts as taken over, and a merge by it would take it out of the branch.
 */
export async function since(gitDir: PrivateGitDir, base: string, commit: string): Promise<string> {
  const made = gitDir.objects(['commit-tree', `${commit}^{tree}`, '-p', base], 'What was reviewed\n');
  return (await must(made, 'gather what was reviewed')).trim();
}

/**
 * By first parents alone. A coder who merged the branch into its own has it as a second parent: a fast-forward
 * would then turn the branch's history into the task's.
 */
async function leadsTo(gitDir: PrivateGitDir, onto: string, commit: string): Promise<boolean> {
  const asked = await gitDir.objects(['rev-list', '--first-parent', '--parents', `${onto}..${commit}`]);
  const [, parent] = asked.stdout.trim().split('\n').at(-1)?.split(' ') ?? [];
  return parent === onto;
}

export interface Conflict {
  readonly mode: string;
  readonly blob: string;
  readonly stage: string;
  readonly path: string;
}

export interface Merged {
  /** With conflict markers in it where there are conflicts. */
  readonly tree: string;
  readonly conflicts: readonly Conflict[];
}

/** `ours` is what the other side is merged into. */
export async function mergeTrees(gitDir: PrivateGitDir, ours: string, theirs: string): Promise<Merged> {
  const merged = await mergeOnce(gitDir, { ours, theirs, renames: MANY_RENAMES }).catch(unlessTooMuch);
  // Large files make even those take too long. Nobody's work waits for the comparison: tests judge what comes of it.
  return merged ?? mergeOnce(gitDir, { ours, theirs, renames: NO_RENAMES });
}

/** Files that went, and as many that came, are compared each with each: git's own limit is 49 times the work of this. */
const MANY_RENAMES = 1000;
/** Those with the same content are still found. */
const NO_RENAMES = 1;
/** Of git, and of boards that were merged with it. */
const GITS_OWN = 7000;

/** Whether this tree is what a merge of the two makes, by any of the limits that merges were made with. */
export async function isMergedTree(
  gitDir: PrivateGitDir,
  ours: string,
  theirs: string,
  tree: string,
): Promise<boolean> {
  for (const renames of [MANY_RENAMES, NO_RENAMES, GITS_OWN]) {
    const merged = await mergeOnce(gitDir, { ours, theirs, renames }).catch(unlessTooMuch);
    if (merged !== undefined && merged.conflicts.length === 0 && merged.tree === tree) return true;
  }
  return false;
}

function unlessTooMuch(error: unknown): undefined {
  if (!(error instanceof EnvironmentError) || error.fault !== 'limit') throw error;
  return undefined;
}

interface TwoSides {
  readonly ours: string;
  readonly theirs: string;
  readonly renames: number;
}

function mergeOnce(gitDir: PrivateGitDir, { ours, theirs, renames }: TwoSides): Promise<Merged> {
  return inScratch(gitDir, async (folder) => {
    await writeAttributes(gitDir, ours, folder);
    const files = { folder, index: join(folder, '.no-index') };
    const limit = ['-c', `merge.renameLimit=${renames}`];
    const merge = ['merge-tree', '--write-tree', '--no-messages', '-z', ours, theirs];
    const asked = await gitDir.files(files, [...limit, ...merge]);
    if (asked.status === 129) {
      const needed = MINIMUM_GIT.join('.');
      throw new EnvironmentError(
        'this git is too old to merge without a checkout',
        `install git ${needed} or newer`,
        5,
      );
    }
    if (/unrelated histories/.test(asked.stderr)) {
      throw new EnvironmentError(
        `${theirs.slice(0, 12)} and ${ours.slice(0, 12)} have no commit in common: one of the two branches was rewritten from its first commit on`,
        'decide which history is to stay, and bring the work of the other over with git cherry-pick',
        3,
      );
    }
    if (asked.status > 1) await must(Promise.resolve(asked), `merge ${theirs.slice(0, 12)} into ${ours.slice(0, 12)}`);
    const [tree = '', ...entries] = asked.stdout.split('\0');
    return { tree, conflicts: asked.status === 0 ? [] : entries.filter((entry) => entry !== '').map(parseConflict) };
  });
}

/** `<mode> <object> <stage>\t<path>` */
function parseConflict(entry: string): Conflict {
  const tab = entry.indexOf('\t');
  const [mode = '', blob = '', stage = ''] = entry.slice(0, tab).split(' ');
  return { mode, blob, stage, path: entry.slice(tab + 1) };
}

/** merge-tree reads attributes (`*.lock -merge`, `CHANGELOG merge=union`) from files, not from a tree. */
async function writeAttributes(gitDir: PrivateGitDir, commit: string, folder: string): Promise<void> {
  const isAttributes = (path: string): boolean => path === '.gitattributes' || path.endsWith('/.gitattributes');
  for (const entry of await entriesBelow(gitDir, commit)) {
    // Git does not follow a link of that name either.
    if (!isAttributes(entry.path) || !/^100/.test(entry.mode)) continue;
    gitDir.host.disk.mkdirSync(join(folder, dirname(entry.path)), { recursive: true });
    gitDir.host.disk.writeFileSync(join(folder, entry.path), (await blobText(gitDir, entry.id)) ?? '');
  }
}
