// What the commits of a submission bring that its diff does not show: files that one of them adds and a later one removes,
// which stay in the history for ever, and roots of another history. Only reads.

import { changesNear } from '../git/near-changes.ts';
import { commitsNear } from '../git/near-history.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { splitNul } from '../git/tree-changes.ts';
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
): Promise<Pick<SubmitFacts, 'passing' | 'roots'>> {
  const { roots, added } = (await brieflyAdded(gitDir, base, commit)) ?? (await allAdded(gitDir, base, commit));
  const shown = new Set(changed);
  const hidden = [...new Set(added.filter((path) => !shown.has(path)))].slice(0, MOST_PATHS);
  const passing = hidden.length === 0 ? [] : await absentFrom(gitDir, base, hidden);
  return { ...(passing.length === 0 ? {} : { passing }), ...(roots.length === 0 ? {} : { roots }) };
}

interface Added {
  readonly roots: readonly string[];
  readonly added: readonly string[];
}

/** Of a few commits that build on others, without git; undefined: it has to be asked. */
async function brieflyAdded(gitDir: PrivateGitDir, base: string, commit: string): Promise<Added | undefined> {
  const commits = await commitsNear(gitDir, [commit], [base]);
  if (commits === undefined || commits.length > FEW_COMMITS) return undefined;
  const added: string[] = [];
  for (const { id, parents } of commits) {
    if (parents.length === 0) return undefined;
    for (const parent of parents) {
      const changes = await changesNear(gitDir, parent, id);
      if (changes === undefined) return undefined;
      added.push(...changes.flatMap(({ path, old }) => (old === undefined ? [path] : [])));
    }
  }
  return { roots: [], added };
}

/** Each is read with its folders: more cost as much as a process. */
const FEW_COMMITS = 6;

async function allAdded(gitDir: PrivateGitDir, base: string, commit: string): Promise<Added> {
  const how = ['-z', '-m', '--root', '--no-renames', '--name-status', `--max-count=${MOST_COMMITS}`];
  const asked = gitDir.objects(['log', '--format=%x01%H %P', ...how, commit, '--not', base]);
  return readLog(splitNul(await must(asked, 'read what the commits add')).map((part) => part.replace(/^\n/, '')));
}

/** Not by a filter of git's: it leaves out every commit that adds nothing, and so a root without files. */
function readLog(told: readonly string[]): Added {
  const roots: string[] = [];
  const added: string[] = [];
  for (let at = 0; at < told.length; at += 1) {
    const part = told[at] ?? '';
    if (!part.startsWith('\x01')) {
      at += 1; // its status, then its path
      if (part === 'A') added.push(told[at] ?? '');
    } else if (/^\x01[0-9a-f]+ $/.test(part)) roots.push(part.slice(1, -1));
  }
  return { roots: [...new Set(roots)], added };
}

async function absentFrom(gitDir: PrivateGitDir, base: string, paths: readonly string[]): Promise<readonly string[]> {
  const asked = gitDir.objects([
    '--literal-pathspecs',
    'ls-tree',
    '-z',
    '--name-only',
    '--full-tree',
    base,
    '--',
    ...paths,
  ]);
  const there = new Set(splitNul(await must(asked, 'list files')));
  return paths.filter((path) => !there.has(path));
}
