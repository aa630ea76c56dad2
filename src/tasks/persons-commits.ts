// Commits of people's branches that a task's history has and the integration branch has not. A coder can take them in and
// throw their content away; by that history the branch that they come from would later count as merged, and its work be
// lost. `liza sync` brings them in with their content first: then there is nothing left to lose.

import { baseBranch } from '../git/base-branch.ts';
import { integrationRef } from '../git/integration.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { branchOf, readRefs } from '../git/refs.ts';
import { must } from '../git/run.ts';
import type { Board } from '../protocol/board.ts';
import { counted, shellWord } from '../text/format.ts';
import type { TaskContext } from './context.ts';

interface Brought {
  readonly task: string;
  /** Where the integration branch is. */
  readonly onto: string;
  readonly commit: string;
}

/** Why the merge waits for the person, and what they do; undefined: it brings nothing of theirs. */
export async function bringsPersonsCommits(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  { task, onto, commit }: Brought,
): Promise<{ readonly message: string; readonly hint: string } | undefined> {
  const isOwn = (ref: string): boolean => ref === integrationRef(board) || ref.startsWith(branchOf(''));
  const theirs = [...(await readRefs(gitDir, ...PEOPLES))].filter(([ref, at]) => !isOwn(ref) && at !== onto);
  if (theirs.length === 0) return undefined;
  const others = theirs.map(([, at]) => at);
  const brings = await committersIn(gitDir, commit, [onto]);
  const left = await committersIn(gitDir, commit, [onto, ...others]);
  const foreign = [...brings].filter(([id, by]) => !left.has(id) && !by.endsWith(AGENTS)).map(([id]) => id);
  const [first] = foreign;
  if (first === undefined) return undefined;
  // The newest of them comes first: a branch that ends there has all of its own in this history.
  const base = `refs/heads/${baseBranch(context, board)}`;
  const named = theirs.filter(([, at]) => foreign.includes(at)).map(([ref]) => ref);
  const ref = named.find((one) => one === base) ?? named[0];
  const name = ref?.replace(/^refs\/(heads|remotes|tags)\//, '');
  const from = name ?? `a branch of yours, the newest ${first.slice(0, 12)}`;
  return {
    message: `its history has ${counted(foreign.length, 'commit')} of ${from} that integration lacks`,
    hint: `bring them in with their content first: liza sync${ref === base ? '' : ` ${shellWord(name ?? '<branch>')}`}; or have the task done without them: liza replan ${task}`,
  };
}

const PEOPLES = ['refs/heads', 'refs/remotes', 'refs/tags', 'refs/stash'];
/** A person may look at an agent's work on a branch of their own. */
const AGENTS = '@liza.invalid';

async function committersIn(
  gitDir: PrivateGitDir,
  commit: string,
  not: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const given = `${[commit, ...not.map((id) => `^${id}`)].join('\n')}\n`;
  const asked = gitDir.objects(['log', '--no-mailmap', '--format=%H %ce', '--stdin'], given);
  const lines = (await must(asked, 'read the history')).split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]));
}
