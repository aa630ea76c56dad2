// A person takes an approved task out of the queue. Not while it lands: then the branch may have it already. What a killed
// merge left is settled first, so that the board says which of the two it is.

import { openGitDir } from '../../git/integration.ts';
import { isAncestor } from '../../git/reach.ts';
import { isRefusal, type Refusal } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import { queued } from '../../protocol/queue/order.ts';
import type { Committed } from '../../store/store.ts';
import { transact } from '../../store/transact.ts';
import { type TaskContext, withIntegration } from '../context.ts';
import { finishMerges } from '../finish-merge.ts';

export async function takeOut(context: TaskContext, task: string, reason: string): Promise<Committed | Refusal> {
  const out = () => transact(context, { name: 'merge-failed', task, reason: `taken out by a person: ${reason}` });
  const taken = await out();
  if (taken.ok) await tidy(context);
  if (taken.ok) return withStacked(context, taken, task);
  if (taken.guard !== 'no-merge-under-way') return told(taken);
  const settled = await withIntegration<Committed>(context, 0, async (gitDir, { board }) => {
    await finishMerges(context, gitDir, board);
    return out();
  });
  // Whoever holds the lock is landing it right now.
  if (!isRefusal(settled)) return withStacked(context, settled, task);
  return told(settled.guard === 'folder-lock' ? taken : settled);
}

/** What is built on it brings it along. */
async function withStacked(context: TaskContext, taken: Committed, id: string): Promise<Committed> {
  const { board } = await context.store.read();
  const gitDir = await openGitDir(context, board);
  const commit = findTask(taken.state, id)?.review_commit;
  if (isRefusal(gitDir) || commit === undefined) return taken;
  const stacked: string[] = [];
  for (const { id: other, review_commit } of queued(taken.state))
    if (review_commit !== undefined && (await isAncestor(gitDir, commit, review_commit))) stacked.push(other);
  const notes = stacked.map(
    (one) => `${one} is built on it and brings it along when it lands; to keep it back, too: liza queue hold ${one}`,
  );
  return notes.length === 0 ? taken : { ...taken, notes: [...(taken.notes ?? []), ...notes] };
}

/** What a dead process left of its batch goes; one that lives holds the lock and tidies up itself. */
async function tidy(context: TaskContext): Promise<void> {
  await withIntegration(context, 0, (gitDir, { board }) => finishMerges(context, gitDir, board));
}

const told = (taken: Committed | Refusal): Committed | Refusal =>
  taken.ok ? taken : { ...taken, message: taken.message.replace(/^wt merge /, 'queue out ') };
