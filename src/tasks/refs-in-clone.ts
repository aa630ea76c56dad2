// Branches and tags that an agent made or moved in its own clone under names that mean something in the project: tags,
// and branches that the project has. Nothing of them leaves the clone, so they are told and not refused. Only reads, and
// runs no git there.

import { listPlainRefs } from '../git/plain-refs.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, readRefs } from '../git/refs.ts';
import type { Place } from '../git/task-folder.ts';

const NAMED = /^refs\/(?:heads|tags|replace)\//;

/** `refs/heads/integration`; none in a linked worktree, where the project's hook refuses it. */
export async function refsInClone(gitDir: PrivateGitDir, place: Place): Promise<readonly string[]> {
  if (place.kind !== 'clone') return [];
  const found = [...listPlainRefs(gitDir.host.disk, place.gitDirectory)].filter(
    ([ref]) => NAMED.test(ref) && ref !== branchOf(place.task),
  );
  if (found.length === 0) return [];
  const theirs = new Map([...(await readRefs(gitDir, 'refs/heads')), ...(await readRefs(gitDir, 'refs/tags'))]);
  // A branch of another name is a coder's own note, and a tag that the project has was fetched.
  return found.flatMap(([ref, id]) => {
    const isOwn = ref.startsWith('refs/heads/') && !theirs.has(ref);
    return isOwn || theirs.get(ref) === id ? [] : [ref];
  });
}
