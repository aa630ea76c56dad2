// log.yaml: the activity log for people, one record per journal entry, only ever appended to.
// It is written after the commit; after a crash in between the next writer adds what is missing.

import { appendFile, type Files, replaceFile } from '../ports/files.ts';
import type { BoardContext } from './context.ts';
import { type Line, readEntries } from './journal.ts';
import { keepText } from './rejected.ts';
import type { JournalEntry } from './store.ts';
import { emitItem } from './yaml/emit.ts';

export function appendLog(files: Files, path: string, lines: readonly Line[]): void {
  const entries = lines.map(({ entry }) => entry);
  const { logged, rest } = readEnd(files, path, entries);
  const fresh = entries.filter(({ seq }) => seq > logged);
  if (fresh.length === 0) return;
  const text = Buffer.from(fresh.map(textOf).join(''));
  // A crash leaves the beginning of this text, which is completed. Anything else is a person's and stays.
  const torn = text.subarray(0, rest.length).equals(rest);
  const open = rest.length > 0 && rest.at(-1) !== 10 ? '\n' : '';
  appendFile(files, path, torn ? text.subarray(rest.length) : Buffer.concat([Buffer.from(open), text]), false);
}

/** The number of the last entry in the log, as far as these lines show; 0: none. */
export const lastLogged = (files: Files, path: string, lines: readonly Line[]): number =>
  readEnd(
    files,
    path,
    lines.map(({ entry }) => entry),
  ).logged;

/** Puts away a log that was there before the journal's first entry: it is another journal's. Returns where it is kept. */
export function putLogAside(context: BoardContext): string | undefined {
  const { files, paths } = context;
  if (files.stat(paths.log)?.isDirectory !== false) return undefined;
  const kept = keepText(context, 'log.yaml', files.read(paths.log) ?? '');
  files.remove(paths.log);
  return kept;
}

/** Writes the log again from the journal's first entry; only under the lock. Returns where the old one is kept. */
export function rewriteLog(context: BoardContext): string {
  const { files, paths } = context;
  const kept = keepText(context, 'log.yaml', files.read(paths.log) ?? '');
  const text = [...readEntries(files, paths.journal)].map(({ entry }) => textOf(entry)).join('');
  replaceFile(files, paths.log, Buffer.from(text), false);
  return kept;
}

export type Untold =
  | {
      readonly entry: number;
      /** No later entry is in the log either: a crash came between. */
      readonly behind: boolean;
    }
  /** The line that no entry has written. */
  | { readonly foreign: string };

/** Where log.yaml and the journal differ; undefined: the log has every entry, in order, and nothing else. */
export function untold(files: Files, path: string, entries: readonly JournalEntry[]): Untold | undefined {
  const bytes = Buffer.concat([NEWLINE, files.read(path) ?? Buffer.alloc(0)]);
  const between: Gap[] = [];
  let from = 0;
  let missing: JournalEntry | undefined;
  for (const entry of entries) {
    const text = Buffer.from(`\n${textOf(entry)}`);
    const at = bytes.indexOf(text, from);
    if (at === -1) {
      missing = entry;
      break;
    }
    if (at > from) between.push({ from, to: at });
    from = at + text.length - 1;
  }
  between.push({ from, to: bytes.length });
  if (missing !== undefined && readEnd(files, path, entries).logged > missing.seq)
    return { entry: missing.seq, behind: false };
  const foreign = between.map((gap) => foreignIn(bytes, gap, entries, missing)).find((one) => one !== undefined);
  if (foreign !== undefined) return { foreign };
  return missing === undefined ? undefined : { entry: missing.seq, behind: true };
}

const NEWLINE = Buffer.from('\n');

interface Gap {
  readonly from: number;
  readonly to: number;
}

/** The first line that looks like a record and is none; other lines are a person's. */
function foreignIn(
  bytes: Buffer,
  { from, to }: Gap,
  entries: readonly JournalEntry[],
  missing: JournalEntry | undefined,
): string | undefined {
  const gap = bytes.toString('utf8', from + 1, to);
  if (!RECORD_LINE.test(gap)) return undefined;
  // Torn by a crash: the next command completes it.
  if (missing !== undefined && textOf(missing).startsWith(gap)) return undefined;
  const known = new Set(entries.map(textOf));
  let at = from + 1;
  for (const part of gap.split(/(?<=\n)(?=- )/)) {
    // An entry may be there twice.
    if (RECORD_LINE.test(part) && !known.has(`${part.trimEnd()}\n`)) {
      const line = bytes.subarray(0, at).filter((byte) => byte === 10).length;
      return `line ${line}: ${part.replace(/\s+/g, ' ').trim().slice(0, 160)}`;
    }
    at += Buffer.byteLength(part);
  }
  return undefined;
}

const RECORD_LINE = /^(?:- | {2})[a-z_]+:[ ]/m;

const textOf = (entry: JournalEntry): string => `${emitItem(record(entry), 0).join('\n')}\n`;

const record = (entry: JournalEntry) => ({
  timestamp: entry.time,
  agent: entry.actor,
  action: entry.command,
  task: entry.task,
  detail: entry.detail.replace(/\s+/g, ' '),
  entry: entry.seq,
});

const MARK = '\n  entry: ';

/** The entry of the last whole record, and what comes after it. A record that differs from its entry is not ours. */
function readEnd(
  files: Files,
  path: string,
  entries: readonly JournalEntry[],
): { readonly logged: number; readonly rest: Buffer } {
  const size = Number(files.stat(path)?.size ?? 0);
  const length = Math.min(size, 32 * 1024);
  if (length === 0) return { logged: 0, rest: Buffer.alloc(0) };
  const bytes = files.readRange(path, size - length, length);
  const first = entries[0]?.seq ?? 1;
  for (let at = bytes.lastIndexOf(MARK); at !== -1; at = at === 0 ? -1 : bytes.lastIndexOf(MARK, at - 1)) {
    const end = bytes.indexOf('\n', at + MARK.length);
    const number = end === -1 ? '' : bytes.toString('latin1', at + MARK.length, end);
    if (!/^\d+$/.test(number)) continue;
    const logged = Number(number);
    const entry = entries[logged - first];
    const isOurs = entry === undefined ? logged < first : endsWith(bytes.subarray(0, end + 1), textOf(entry));
    if (isOurs) return { logged, rest: bytes.subarray(end + 1) };
  }
  return { logged: 0, rest: bytes };
}

function endsWith(bytes: Buffer, text: string): boolean {
  const end = Buffer.from(text);
  return bytes.length >= end.length && bytes.subarray(bytes.length - end.length).equals(end);
}
