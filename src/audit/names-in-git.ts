// Whom git names for each merge: the agents whose commits it brought, and the trailers of its merge commit. Only reads.

import { severalAtOnce } from '../git/ancestry.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import { agentAt } from '../protocol/ids.ts';
import { namesIn, type TrailerLine, trailersIn } from '../protocol/work/merge-names.ts';
import type { RecordedMerge } from '../protocol/work/task-history.ts';
import type { NamesInGit } from './rules/merge-names.ts';

/** By `<merge commit> <task>`; a merge is left out whose commits git does not have. */
export async function namesInGit(
  gitDir: PrivateGitDir,
  merges: readonly RecordedMerge[],
  has: (commit: string) => boolean,
): Promise<ReadonlyMap<string, NamesInGit>> {
  const asked = merges.flatMap(({ task, event, mergeCommit, onto }) => {
    const [commit = ''] = namesIn(event.commit);
    const bases = [task.base_commit, onto].filter((one): one is string => one !== undefined && has(one));
    const isMade = mergeCommit !== commit && mergeCommit !== onto;
    return has(commit) && has(mergeCommit) && bases.length > 0 ? [{ task, commit, bases, mergeCommit, isMade }] : [];
  });
  const made = asked.flatMap(({ isMade, mergeCommit }) => (isMade ? [mergeCommit] : []));
  const trailers = await trailersOf(gitDir, made);
  const found = new Map<string, NamesInGit>();
  await severalAtOnce(asked, async ({ task, commit, bases, mergeCommit, isMade }) => {
    const range = ['log', '--no-mailmap', '--format=%ae', commit, '--not', ...bases];
    const addresses = await must(gitDir.objects(range), 'read whose its commits are');
    const authors = [...new Set(addresses.split('\n').flatMap((one) => agentAt(one) ?? []))];
    found.set(`${mergeCommit} ${task.id}`, {
      authors,
      ...(isMade ? { trailers: trailers.get(mergeCommit) ?? [] } : {}),
    });
  });
  return found;
}

async function trailersOf(
  gitDir: PrivateGitDir,
  commits: readonly string[],
): Promise<ReadonlyMap<string, readonly TrailerLine[]>> {
  if (commits.length === 0) return new Map();
  const format = '--format=%x00%H%n%(trailers:only,unfold)';
  const asked = gitDir.objects(['log', '--no-walk=unsorted', '--stdin', format], `${commits.join('\n')}\n`);
  const told = (await must(asked, 'read the merge commits')).split('\0').slice(1);
  return new Map(told.map((one) => [one.slice(0, one.indexOf('\n')), trailersIn(one)]));
}
