// Under whose name the commits of a submission go. An agent's session gives git the agent's name; what bears another one
// would be taken for that one's in `git log` and `git blame`. Only reads.

import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { must } from '../git/run.ts';
import type { SubmitFacts } from '../protocol/command.ts';
import { codersOf } from '../protocol/leases.ts';
import type { Task } from '../protocol/state.ts';

/** More commits were not written for one task. */
const MOST_COMMITS = 1000;

interface Asked {
  readonly gitDir: PrivateGitDir;
  readonly task: Task;
  /** Where the integration branch is: what it has was judged before. */
  readonly integration: string;
}

/** The commits whose author or committer is none of the task's coders, each with the names that it bears. */
export async function namedOtherwise(
  { gitDir, task, integration }: Asked,
  base: string,
  commit: string,
): Promise<Pick<SubmitFacts, 'named_otherwise'>> {
  const format = '--format=%H%x00%an <%ae>%x00%cn <%ce>';
  const range = [commit, '--not', base, integration];
  const asked = gitDir.objects(['log', `--max-count=${MOST_COMMITS}`, '--no-mailmap', format, ...range]);
  const own = new Set(codersOf(task).map((agent) => `<${agent}@liza.invalid>`));
  const isOwn = (name: string): boolean => own.has(name.slice(name.lastIndexOf('<')));
  const others = (await must(asked, 'read whose its commits are')).split('\n').flatMap((line) => {
    const [id = '', author = '', committer = ''] = line.split('\0');
    if (id === '' || (isOwn(author) && isOwn(committer))) return [];
    return [`${id.slice(0, 12)} by ${author}${author === committer ? '' : `, committed by ${committer}`}`];
  });
  return others.length === 0 ? {} : { named_otherwise: others };
}
