// The copy inside the git directory: every journal line, and now and then a snapshot of the state, so
// that a deleted `.liza/` comes back up to the last acknowledged transaction. It is a byte-for-byte
// prefix or equal of the journal; whichever is longer is right. Not fsynced: it guards against
// deletion, and after a power cut the journal itself repairs it.

import { join } from 'node:path';
import { appendFile, type Files, replaceFile } from '../ports/files.ts';
import type { BoardContext } from './context.ts';
import { sha256 } from './hash.ts';
import { lastOf, readEntries, readTail, type Tail } from './journal.ts';
import { applyHunks } from './yaml/hunks.ts';
import type { Text } from './yaml/text.ts';

const SNAPSHOT_EVERY = 128;
/** Only so often is it checked whether one is due: the check lists a folder. */
const LOOK_EVERY = 32;

/** Files of the copy; `.new` are those that were being written. */
export const isMirrorFile = (name: string): boolean => /^(journal\.jsonl|snapshot-\d+\.yaml)(\.\d+\.new)?$/.test(name);

export const mirrorJournal = (mirror: string): string => join(mirror, 'journal.jsonl');

/** Whether a lost `.liza/` can be brought back from here. */
export const hasCopy = ({ files, paths }: Pick<BoardContext, 'files' | 'paths'>): boolean =>
  paths.mirror !== undefined && (files.stat(mirrorJournal(paths.mirror))?.size ?? 0n) > 0n;

/** After a commit: appends to the copy, if there is a git directory, what the journal has more. */
export function updateMirror({ files, paths }: BoardContext, seq: number, text: Text): void {
  const { mirror, journal } = paths;
  if (mirror === undefined) return;
  const copy = mirrorJournal(mirror);
  const size = Number(files.stat(copy)?.size ?? -1);
  if (size === -1) files.makeDirectory(mirror);
  const have = Math.max(size, 0);
  const want = Number(files.stat(journal)?.size ?? 0);
  if (have < want) appendFile(files, copy, files.readRange(journal, have, want - have), false);
  if (size !== -1 && seq % LOOK_EVERY !== 0) return;
  const snapshots = listSnapshots(files, mirror);
  const newest = snapshots.at(-1);
  if (newest !== undefined && newest.seq > seq - SNAPSHOT_EVERY) return;
  replaceFile(files, join(mirror, `snapshot-${seq}.yaml`), text.bytes(), false);
  for (const old of snapshots.slice(0, -1)) files.remove(old.file);
}

/** Lines the mirror has and the journal lost (deleted, truncated, put back from an old backup). */
export function missingLines(files: Files, mirror: string, journal: string): Buffer | undefined {
  const copy = mirrorJournal(mirror);
  const kept = Number(files.stat(copy)?.size ?? 0);
  const have = Number(files.stat(journal)?.size ?? 0);
  if (kept <= have) return undefined;
  if (have > 0) {
    // Only a true continuation is taken over: the bytes before it must agree.
    const length = Math.min(have, 64 * 1024);
    const ours = files.readRange(journal, have - length, length);
    if (!ours.equals(files.readRange(copy, have - length, length))) return undefined;
  }
  const lines = files.readRange(copy, have, kept - have);
  const end = lines.lastIndexOf(10);
  return end === -1 ? undefined : lines.subarray(0, end + 1);
}

/** The text of the state after the journal's last entry, rebuilt without looking at state.yaml. */
export function rebuild(files: Files, journal: string, mirror: string | undefined): string | undefined {
  const head = readTail(files, journal, 2);
  if (head === undefined || head.lines.length === 0) return undefined;
  const { seq: last, state } = lastOf(head).entry;
  const snapshots = mirror === undefined ? [] : listSnapshots(files, mirror);
  for (const snapshot of snapshots.reverse()) {
    if (snapshot.seq > last) continue;
    const text = files.read(snapshot.file)?.toString('utf8');
    const tail = readTail(files, journal, Math.max(1, last - snapshot.seq));
    const replayed = text === undefined || tail === undefined ? undefined : replayFrom(tail, snapshot.seq, text);
    // After a power cut a snapshot may be empty or cut short: it is not synced.
    if (replayed !== undefined && sha256(replayed) === state) return replayed;
  }
  return replayAll(files, journal);
}

function replayFrom(tail: Tail, seq: number, text: string): string | undefined {
  let current = text;
  try {
    for (const { entry } of tail.lines) if (entry.seq > seq) current = applyHunks(current, entry.change);
    return current;
  } catch {
    return undefined; // the snapshot does not belong to this journal
  }
}

function replayAll(files: Files, journal: string): string | undefined {
  let current = '';
  try {
    for (const { entry } of readEntries(files, journal)) current = applyHunks(current, entry.change);
    return current;
  } catch {
    return undefined;
  }
}

function listSnapshots(files: Files, mirror: string): { seq: number; file: string }[] {
  return files
    .list(mirror)
    .flatMap((name) => {
      const seq = /^snapshot-(\d+)\.yaml$/.exec(name)?.[1];
      return seq === undefined ? [] : [{ seq: Number(seq), file: join(mirror, name) }];
    })
    .sort((a, b) => a.seq - b.seq);
}
