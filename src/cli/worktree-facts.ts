// What git says about a task's worktree, for verbs whose decision needs it. Changes no branch, index or tree;
// the commits it sees are remembered.

import { commitOf } from '../git/refs.ts';
import type { WorktreeFacts } from '../protocol/command.ts';
import type { Refusal } from '../protocol/decision.ts';
import { worktreeFacts } from '../tasks/commit-facts.ts';
import { integrationRef, isRefusal, look, openBench } from '../tasks/context.ts';
import type { Io } from './io.ts';
import { openHands } from './open-task-context.ts';

/** Nothing when the task has no worktree on this disk. */
export async function factsFor(io: Io, id: string): Promise<{ readonly facts?: WorktreeFacts } | Refusal> {
  const hands = await openHands(io);
  if (isRefusal(hands)) return hands;
  const { board, task, settings } = await look(hands, id);
  if (task?.worktree === undefined) return {};
  const bench = await openBench(hands, board);
  if (isRefusal(bench)) return bench.guard === 'no-git' ? {} : bench;
  const integration = await commitOf(bench, integrationRef(board));
  const facts = await worktreeFacts({ bench, task, settings, integration });
  return facts === undefined ? {} : { facts };
}
