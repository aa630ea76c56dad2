// What git says about a task's worktree or about a commit under review, for verbs whose decision needs
// it. Changes no branch, index or tree; the commits it sees are remembered.

import type { WorktreeFacts } from '../core/command.ts';
import type { Refusal } from '../core/decision.ts';
import { commitOf } from '../git/refs.ts';
import { worktreeFacts } from '../workflows/facts.ts';
import { integrationRef, isRefusal, look, openBench } from '../workflows/hands.ts';
import { openHands } from './hands.ts';
import type { Io } from './io.ts';

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

/** Files of `named` that are neither in the commit's tree nor changed since its base. */
export async function unknownFiles(io: Io, id: string, named: readonly string[]): Promise<readonly string[]> {
  const hands = await openHands(io);
  if (named.length === 0 || isRefusal(hands)) return [];
  const { board, task } = await look(hands, id);
  const bench = await openBench(hands, board);
  if (isRefusal(bench) || task?.review_commit === undefined) return [];
  const { review_commit: commit, base_commit: base } = task;
  const tree = await bench.objects(['ls-tree', '-r', '-z', '--name-only', '--full-tree', commit]);
  if (tree.status !== 0) return []; // the commit is not on this disk: nothing can be said about its files
  const diff = await bench.objects(['diff-tree', '-r', '-z', '--name-only', '--no-renames', base ?? commit, commit]);
  const known = new Set([...tree.stdout.split('\0'), ...diff.stdout.split('\0')]);
  return named.filter((file) => !known.has(file.replace(/^\.\//, '')));
}
