// Under whose name the commits of a submission go. An agent's session gives git the agent's name; what bears another one
// would be taken for that one's in `git log` and `git blame`. Only reads.

import { branchAt } from '../git/base-branch.ts';
import { commitsNear } from '../git/near-history.ts';
import type { Commit } from '../git/objects.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, readRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import type { SubmitFacts } from '../protocol/command.ts';
import { addressOf } from '../protocol/ids.ts';
import { codersOf } from '../protocol/leases.ts';
import type { FolderWork } from './make-folder.ts';

/** More commits were not written for one task. */
const MOST_COMMITS = 1000;

type Asked = Pick<FolderWork, 'gitDir' | 'task' | 'integration' | 'settings'>;

/** Whose the commits are: the task's coders, and the commits that bear another name, each with the names that it bears. */
export async function namesOfCommits(
  asked: Asked,
  base: string,
  commit: string,
): Promise<Pick<SubmitFacts, 'authors' | 'named_otherwise' | 'taken_in'>> {
  const { gitDir, task, integration } = asked;
  const range = [commit, '--not', base, integration];
  const coders = codersOf(task);
  const coderOf = (name: string): string | undefined => coders.find((agent) => name.endsWith(`<${addressOf(agent)}>`));
  const isOwn = (name: string): boolean => coderOf(name) !== undefined;
  const signed = (await commitsNear(gitDir, [commit], [base, integration])) ?? (await signedIn(gitDir, range));
  const found = [...new Set(signed.flatMap(({ author }) => coderOf(author) ?? []).reverse())];
  const authors = found.length === 0 ? {} : { authors: found };
  const others = signed.flatMap(({ id, author, committer }) =>
    isOwn(author) && isOwn(committer)
      ? []
      : [{ id, names: `${author}${author === committer ? '' : `, committed by ${committer}`}` }],
  );
  if (others.length === 0) return authors;
  const taken = await takenIn(
    asked,
    range,
    others.map(({ id }) => id),
  );
  return {
    ...authors,
    named_otherwise: others.map(({ id, names }) => `${id.slice(0, 12)} by ${names}`),
    ...(taken.length === 0 ? {} : { taken_in: taken }),
  };
}

type Signed = Pick<Commit, 'id' | 'author' | 'committer'>;

async function signedIn(gitDir: PrivateGitDir, range: readonly string[]): Promise<readonly Signed[]> {
  const format = '--format=%H%x00%an <%ae>%x00%cn <%ce>';
  const told = gitDir.objects(['log', `--max-count=${MOST_COMMITS}`, '--no-mailmap', format, ...range]);
  return (await must(told, 'read whose its commits are')).split('\n').flatMap((line) => {
    const [id = '', author = '', committer = ''] = line.split('\0');
    return id === '' ? [] : [{ id, author, committer }];
  });
}

const PEOPLES = ['refs/heads', 'refs/remotes', 'refs/tags', 'refs/stash'];

/**
 * A coder can take a branch in and throw its content away (`git merge -s ours`): it would count as merged everywhere, and
 * its work be lost. What the person's own branch has is left out: a merge of that waits for `liza sync`
 * (persons-commits.ts).
 */
async function takenIn(
  { gitDir, settings: { base_branch: base } }: Asked,
  range: readonly string[],
  ids: readonly string[],
): Promise<readonly string[]> {
  const refs = await readRefs(gitDir, ...PEOPLES);
  // Boards of earlier versions do not say which it is: the one that the project's folder is on.
  const persons = refs.get(`refs/heads/${base ?? branchAt(gitDir.host.disk, gitDir.root)}`);
  const isTheirs = (ref: string): boolean => ref !== gitDir.integration && !ref.startsWith(branchOf(''));
  const theirs = [...refs].filter(([ref]) => isTheirs(ref)).map(([, at]) => at);
  const within = async (not: readonly string[]): Promise<ReadonlySet<string>> =>
    new Set((await must(gitDir.objects(['rev-list', ...range, ...not]), 'walk the history')).split('\n'));
  const known = persons === undefined ? [] : [persons];
  const left = await within([...known, ...theirs]);
  const gone = ids.filter((id) => !left.has(id));
  if (gone.length === 0) return [];
  const own = await within(known);
  const taken = gone.filter((id) => own.has(id));
  const at = [...refs].find(([ref, tip]) => isTheirs(ref) && taken.includes(tip))?.[0];
  const name = at?.replace(/^refs\/(heads|remotes|tags)\//, '') ?? 'a branch or tag of people’s';
  return taken.map((id) => `${id.slice(0, 12)} of ${name}`);
}
