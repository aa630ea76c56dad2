// log.yaml: the activity log for people, one record per journal entry, only ever appended to.
// It is written after the commit; when a crash came between, the next writer adds what is missing.

import { appendFile, type Files } from './files.ts';
import type { Line } from './journal.ts';
import type { JournalEntry } from './store.ts';
import { emitItem } from './yaml/emit.ts';

export function appendLog(files: Files, path: string, lines: readonly Line[]): void {
  const { logged, rest } = readEnd(files, path);
  const fresh = lines.filter(({ entry }) => entry.seq > logged);
  if (fresh.length === 0) return;
  const text = Buffer.from(fresh.map(({ entry }) => `${emitItem(record(entry), 0).join('\n')}\n`).join(''));
  // A crash leaves the beginning of this very text: it is completed. Anything else is a person's and stays.
  const torn = text.subarray(0, rest.length).equals(rest);
  const open = rest.length > 0 && rest.at(-1) !== 10 ? '\n' : '';
  appendFile(files, path, torn ? text.subarray(rest.length) : Buffer.concat([Buffer.from(open), text]), false);
}

/** The first entry that log.yaml does not tell, word for word and in its turn; undefined: it tells them all. */
export function untold(files: Files, path: string, entries: readonly JournalEntry[]): Untold | undefined {
  const bytes = files.read(path) ?? Buffer.alloc(0);
  let from = 0;
  for (const entry of entries) {
    const text = Buffer.from(`${emitItem(record(entry), 0).join('\n')}\n`);
    const at = bytes.indexOf(text, from);
    if (at === -1) return { entry: entry.seq, behind: readEnd(files, path).logged < entry.seq };
    from = at + text.length;
  }
  return undefined;
}

export interface Untold {
  readonly entry: number;
  /** Nothing after it is told either: a crash came between. */
  readonly behind: boolean;
}

export const lastLogged = (files: Files, path: string): number => readEnd(files, path).logged;

const record = (entry: JournalEntry) => ({
  timestamp: entry.time,
  agent: entry.actor,
  action: entry.command,
  task: entry.task,
  detail: entry.detail.replace(/\s+/g, ' '),
  entry: entry.seq,
});

/** The last whole record's entry, and what comes after it. */
const MARK = '\n  entry: ';

function readEnd(files: Files, path: string): { readonly logged: number; readonly rest: Buffer } {
  const size = Number(files.stat(path)?.size ?? 0);
  const length = Math.min(size, 32 * 1024);
  if (length === 0) return { logged: 0, rest: Buffer.alloc(0) };
  const bytes = files.readRange(path, size - length, length);
  for (let at = bytes.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(MARK, at - 1)) {
    const end = bytes.indexOf('\n', at + MARK.length);
    const number = end === -1 ? '' : bytes.toString('latin1', at + MARK.length, end);
    if (/^\d+$/.test(number)) return { logged: Number(number), rest: bytes.subarray(end + 1) };
  }
  return { logged: 0, rest: bytes };
}
