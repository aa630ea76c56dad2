// Commits of the person's own branch that a task's history has and the integration branch has not. A coder can take them
// in and throw their content away; by that history the person's branch would later go forward to files without its own
// work. `liza sync` brings them in with their content first: then there is nothing left to lose.

import { baseBranch } from '../git/base-branch.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { countBeyond } from '../git/reach.ts';
import { commitOf } from '../git/refs.ts';
import { cannotRead } from '../git/run.ts';
import type { Board } from '../protocol/board.ts';
import { counted } from '../text/format.ts';
import type { TaskContext } from './context.ts';

interface Brought {
  /** Where the integration branch is. */
  readonly onto: string;
  readonly commit: string;
}

/** Why the merge waits for the person, and what they do; undefined: it brings nothing of theirs. */
export async function bringsPersonsCommits(
  context: TaskContext,
  gitDir: PrivateGitDir,
  board: Board,
  { onto, commit }: Brought,
): Promise<{ readonly message: string; readonly hint: string } | undefined> {
  const branch = baseBranch(context, board);
  const tip = branch === undefined ? undefined : await commitOf(gitDir, `refs/heads/${branch}`);
  if (tip === undefined || tip === onto) return undefined;
  const lacking = async (...others: readonly string[]): Promise<number> =>
    (await countBeyond(gitDir, [tip], [onto, ...others])) ?? cannotRead(new Error(`the history of ${tip}`));
  const before = await lacking();
  const brought = before === 0 ? 0 : before - (await lacking(commit));
  if (brought === 0) return undefined;
  return {
    message: `its history has ${counted(brought, 'commit')} of ${branch} that integration lacks`,
    hint: 'bring them in with their content first: liza sync',
  };
}
