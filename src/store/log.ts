// log.yaml: the activity log for people, one record per journal entry, only ever appended to.
// It is written after the commit; when a crash came between, the next writer adds what is missing.

import { appendFile, type Files } from './files.ts';
import type { Line } from './journal.ts';
import type { JournalEntry } from './store.ts';
import { emitItem } from './yaml/emit.ts';

export function appendLog(files: Files, path: string, lines: readonly Line[]): void {
  const logged = lastLogged(files, path);
  const fresh = lines.filter(({ entry }) => entry.seq > logged);
  if (fresh.length === 0) return;
  const text = fresh.map(({ entry }) => `${emitItem(record(entry), 0).join('\n')}\n`).join('');
  const torn = endsTorn(files, path) ? '\n' : '';
  appendFile(files, path, Buffer.from(torn + text), false);
}

export const isLogged = (files: Files, path: string, seq: number): boolean => lastLogged(files, path) >= seq;

const record = (entry: JournalEntry) => ({
  timestamp: entry.time,
  agent: entry.actor,
  action: entry.command,
  task: entry.task,
  detail: entry.detail.replace(/\s+/g, ' '),
  entry: entry.seq,
});

function lastLogged(files: Files, path: string): number {
  const tail = readEnd(files, path);
  const last = tail.lastIndexOf('\n  entry: ');
  return last === -1 ? 0 : Number.parseInt(tail.slice(last + 10), 10);
}

const endsTorn = (files: Files, path: string): boolean => {
  const tail = readEnd(files, path);
  return tail !== '' && !tail.endsWith('\n');
};

function readEnd(files: Files, path: string): string {
  const size = Number(files.stat(path)?.size ?? 0);
  const length = Math.min(size, 32 * 1024);
  return length === 0 ? '' : files.readRange(path, size - length, length).toString('utf8');
}
