// Brings a lost `.liza/` back from the copy in the git directory: journal, state, log and archive, up
// to the last acknowledged transaction. Makes what is missing; never replaces what is there.

import { dirname } from 'node:path';
import { replaceFile, syncDirectory } from '../ports/files.ts';
import { RECORD_SECTIONS, type Task } from '../protocol/state.ts';
import { Archive } from './archive.ts';
import type { BoardContext } from './context.ts';
import { hasCopy, mirrorJournal } from './git-dir-copy.ts';
import { readEntries } from './journal.ts';
import { appendLog } from './log.ts';
import { parseDocument } from './yaml/document.ts';
import { applyHunks } from './yaml/hunks.ts';

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
  const archived = await journalledArchive(context);
  if (archived.length > 0) {
    new Archive(files, paths.archive).add(archived);
    done.push(`${archived.length} archived task(s)`);
  }
  const text = lines.reduce((current, { entry }) => applyHunks(current, entry.change), '');
  if (files.stat(paths.log) === undefined) {
    appendLog(files, paths.log, lines);
    done.push('log.yaml');
  }
  if (files.stat(paths.state) === undefined) {
    replaceFile(files, paths.state, Buffer.from(text), true);
    syncDirectory(files, paths.liza);
    done.push(`state.yaml as of entry ${lines.at(-1)?.entry.seq ?? 0}`);
  }
  return done;
}

/** Every task that ever left the state, as it was then, from the journal alone: archive/ may be gone. */
export async function journalledArchive({ files, paths }: BoardContext): Promise<readonly Task[]> {
  const tasks = new Map<string, Task>();
  let text = '';
  for (const { entry } of readEntries(files, paths.journal)) {
    for (const task of entry.archived === undefined ? [] : await tasksIn(text, entry.archived))
      tasks.set(task.id, task);
    text = applyHunks(text, entry.change);
  }
  return [...tasks.values()];
}

async function tasksIn(text: string, ids: readonly string[]): Promise<readonly Task[]> {
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  const tasks = (parsed.ok ? parsed.doc.value['tasks'] : []) as readonly Task[];
  return tasks.filter((task) => ids.includes(task.id));
}
