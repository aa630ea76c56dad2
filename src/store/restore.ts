// Brings a lost `.liza/` back from the copy in the git directory: journal, state, log and archive, up
// to the last acknowledged transaction. Makes what is missing; never replaces what is there.

import { dirname } from 'node:path';
import { replaceFile, syncDirectory } from '../ports/files.ts';
import { counted } from '../text/format.ts';
import { goalArchive, taskArchive } from './archive.ts';
import type { BoardContext } from './context.ts';
import { hasCopy, mirrorJournal } from './git-dir-copy.ts';
import { readEntries } from './journal.ts';
import { appendLog } from './log.ts';
import { journalledArchive } from './past-goals.ts';
import { ReplayText } from './replay-text.ts';

export const canRestore = hasCopy;

/** Returns what was made, one line each. */
export async function restore(context: BoardContext): Promise<readonly string[]> {
  const { files, paths } = context;
  if (paths.mirror === undefined) return [];
  const done: string[] = [];
  files.makeDirectory(paths.liza);
  for (const folder of [paths.archive, paths.agents, paths.rejected, dirname(paths.cache)]) files.makeDirectory(folder);
  const journal = mirrorJournal(paths.mirror);
  const bytes = files.read(journal) ?? Buffer.alloc(0);
  const whole = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  if (files.stat(paths.journal) === undefined) {
    replaceFile(files, paths.journal, whole, true);
    done.push('journal.jsonl');
  }
  const lines = [...readEntries(files, paths.journal)];
  const { tasks, goalOf, ...journalled } = await journalledArchive(context);
  if (tasks.length > 0) {
    taskArchive(files, paths.archive).add(tasks, goalOf);
    done.push(counted(tasks.length, 'archived task'));
  }
  const goals = journalled.goals.filter(({ id }) => journalled.hashes.has(id));
  if (goals.length > 0) {
    goalArchive(files, paths.archive).add(goals);
    done.push(counted(goals.length, 'archived goal'));
  }
  const text = new ReplayText();
  for (const { entry } of lines) text.apply(entry.change);
  if (files.stat(paths.log) === undefined) {
    appendLog(files, paths.log, lines);
    done.push('log.yaml');
  }
  if (files.stat(paths.state) === undefined) {
    replaceFile(files, paths.state, Buffer.from(text.toString()), true);
    syncDirectory(files, paths.liza);
    done.push(`state.yaml as of entry ${lines.at(-1)?.entry.seq ?? 0}`);
  }
  return done;
}
