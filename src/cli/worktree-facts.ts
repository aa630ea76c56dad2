// What git says about a task's worktree, for verbs whose decision needs it. Changes no branch, index or tree;
// the commits it sees are remembered.

import { commitOf } from '../git/refs.ts';
import type { WorktreeFacts } from '../protocol/command.ts';
import type { Refusal } from '../protocol/decision.ts';
import { isRefusal } from '../protocol/decision.ts';
import { worktreeFacts } from '../tasks/commit-facts.ts';
import { integrationRef, look, openGitDir } from '../tasks/context.ts';
import type { Io } from './io.ts';
import { openTaskContext } from './open-task-context.ts';

/** Nothing when the task has no worktree on this disk. */
export async function factsFor(io: Io, id: string): Promise<{ readonly facts?: WorktreeFacts } | Refusal> {
  const context = await openTaskContext(io);
  if (isRefusal(context)) return context;
  const { board, task, settings } = await look(context, id);
  if (task?.worktree === undefined) return {};
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir.guard === 'no-git' ? {} : gitDir;
  const integration = await commitOf(gitDir, integrationRef(board));
  const facts = await worktreeFacts({ gitDir, task, settings, integration });
  return facts === undefined ? {} : { facts };
}
