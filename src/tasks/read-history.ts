// What the commits of a submission bring that its diff does not show: files that one of them adds and a later one removes,
// or changes and a later one changes back, which stay in the history for ever; commits that change nothing; roots of
// another history. Only reads.

import { changesNear } from '../git/near-changes.ts';
import { commitsNear } from '../git/near-history.ts';
import { pathGroups } from '../git/path-arguments.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { boundedNames, splitNul } from '../git/tree-changes.ts';
import type { SubmitFacts } from '../protocol/command.ts';

/** More commits were not written for one task. */
const MOST_COMMITS = 1000;
/** More names are not looked up. */
const MOST_PATHS = 500;

/** `changed`: the paths that the diff shows. */
export async function readHistory(
  gitDir: PrivateGitDir,
  base: string,
  commit: string,
  changed: readonly string[],
): Promise<Pick<SubmitFacts, 'passing' | 'changed_back' | 'empty_commits' | 'roots'>> {
  const { roots, added, altered, empty } =
    (await brieflyDone(gitDir, base, commit)) ?? (await allDone(gitDir, base, commit));
  const shown = new Set(changed);
  const hidden = [...new Set([...added, ...altered])].filter((path) => !shown.has(path)).slice(0, MOST_PATHS);
  const absent = new Set(hidden.length === 0 ? [] : await absentFrom(gitDir, base, hidden));
  const wasAdded = new Set(added);
  const found = {
    passing: hidden.filter((path) => absent.has(path) && wasAdded.has(path)).map(bounded),
    changed_back: [...new Set(altered)].filter((path) => hidden.includes(path) && !absent.has(path)),
    empty_commits: empty.map((id) => id.slice(0, 12)),
    roots,
  };
  return Object.fromEntries(Object.entries(found).filter(([, some]) => some.length > 0));
}

/** No checkout has a longer one; the board keeps only so much of a text. */
const LONGEST_NAME = 1000;
const bounded = (path: string): string =>
  path.length <= LONGEST_NAME ? path : `${path.slice(0, LONGEST_NAME)}… (${path.length} characters)`;

interface Done {
  readonly roots: readonly string[];
  readonly added: readonly string[];
  /** Changed or removed by a commit that is no merge: a merge has what others did. */
  readonly altered: readonly string[];
  /** Commits that are no merge and change nothing. */
  readonly empty: readonly string[];
}

/** Of a few commits that build on others, without git; undefined: it has to be asked. */
async function brieflyDone(gitDir: PrivateGitDir, base: string, commit: string): Promise<Done | undefined> {
  const commits = await commitsNear(gitDir, [commit], [base]);
  if (commits === undefined || commits.length > FEW_COMMITS) return undefined;
  const [added, altered, empty]: [string[], string[], string[]] = [[], [], []];
  for (const { id, parents } of commits) {
    if (parents.length === 0) return undefined;
    for (const parent of parents) {
      const changes = await changesNear(gitDir, parent, id);
      if (changes === undefined) return undefined;
      added.push(...changes.flatMap(({ path, old }) => (old === undefined ? [path] : [])));
      if (parents.length > 1) continue;
      altered.push(...changes.flatMap(({ path, old }) => (old === undefined ? [] : [path])));
      if (changes.length === 0) empty.push(id);
    }
  }
  return { roots: [], added, altered, empty };
}

/** Each is read with its folders: more cost as much as a process. */
const FEW_COMMITS = 6;

async function allDone(gitDir: PrivateGitDir, base: string, commit: string): Promise<Done> {
  const how = ['-z', '-m', '--root', '--no-renames', '--name-status', `--max-count=${MOST_COMMITS}`];
  const asked = boundedNames(gitDir, ['log', '--format=%x01%H %P', ...how, commit, '--not', base]);
  return readLog(splitNul(await must(asked, 'read what the commits add')).map((part) => part.replace(/^\n/, '')));
}

/** Not by a filter of git's: it leaves out every commit that adds nothing, and so a root without files. */
function readLog(told: readonly string[]): Done {
  const [roots, added, altered]: [string[], string[], string[]] = [[], [], []];
  const empty = new Set<string>();
  let single: string | undefined;
  for (let at = 0; at < told.length; at += 1) {
    const part = told[at] ?? '';
    if (part.startsWith('\x01')) {
      const [id = '', ...parents] = part.slice(1).trim().split(' ');
      single = parents.length === 1 ? id : undefined;
      if (parents.length === 0) roots.push(id);
      if (single !== undefined) empty.add(id);
      continue;
    }
    at += 1; // its status, then its path
    if (single !== undefined) empty.delete(single);
    if (part === 'A') added.push(told[at] ?? '');
    else if (single !== undefined) altered.push(told[at] ?? '');
  }
  return { roots: [...new Set(roots)], added, altered, empty: [...empty] };
}

async function absentFrom(gitDir: PrivateGitDir, base: string, paths: readonly string[]): Promise<readonly string[]> {
  const list = ['--literal-pathspecs', 'ls-tree', '-z', '--name-only', '--full-tree', base, '--'];
  const there = new Set<string>();
  for (const some of pathGroups(paths))
    for (const path of splitNul(await must(gitDir.objects([...list, ...some]), 'list files'))) there.add(path);
  return paths.filter((path) => !there.has(path));
}
