// The goals before the current one, whole. Each was put into the archive when the next one began; a goal that an earlier
// version let go, and an archive that was lost, come back from the journal.

import type { GoalRecord } from '../protocol/goal/goal-record.ts';
import { numberOf } from '../protocol/goal/goal-tasks.ts';
import type { Goal } from '../protocol/state.ts';
import { archivedText, goalArchive } from './archive.ts';
import type { BoardContext } from './context.ts';
import { sha256 } from './hash.ts';
import { readEntries } from './journal.ts';
import type { Journalled } from './journalled-archive.ts';

export async function pastGoals(context: BoardContext, current: Pick<Goal, 'id'>): Promise<readonly GoalRecord[]> {
  const archive = goalArchive(context.files, context.paths.archive);
  // A crash may have left the current goal there before the next one began.
  const kept = (await archive.all()).filter(({ id }) => id !== current.id);
  const known = new Set(kept.map(({ id }) => id));
  const missing = Array.from({ length: Math.max(0, numberOf(current.id) - 1) }, (_, at) => `goal-${at + 1}`).some(
    (id) => !known.has(id),
  );
  const found = missing ? (await journalledArchive(context)).goals.filter(({ id }) => !known.has(id)) : [];
  return [...found, ...kept].toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
}

/** What the journal notes of a goal's record, without what it tells by itself: the numbers, and when it was archived. */
export const goalHash = ({ metrics: _, archived_at: __, ...record }: GoalRecord): string =>
  sha256(archivedText(record));

/** The archive from the journal alone: archive/ may be gone. */
export async function journalledArchive({ files, paths }: BoardContext): Promise<Journalled> {
  // Every command loads this file, and hardly one reads a journal.
  const { JournalledArchive } = await import('./journalled-archive.ts');
  const { ReplayText } = await import('./replay-text.ts');
  const archive = new JournalledArchive();
  const text = new ReplayText();
  for (const { entry } of readEntries(files, paths.journal)) {
    archive.before(entry, text);
    text.apply(entry.change);
  }
  return archive.read();
}
