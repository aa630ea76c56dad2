// Holds the journal against itself, its copy and state.yaml: every line follows from the one before,
// every change leads to the state it names. Reads only.

import type { Context } from './context.ts';
import { sha256 } from './hash.ts';
import { GENESIS, parseEntry, readLines, readTail } from './journal.ts';
import { mirrorJournal } from './mirror.ts';
import { applyHunks } from './yaml/hunks.ts';

export interface Verification {
  readonly entries: number;
  /** Lines of writers that lost a race; harmless. */
  readonly voids: number;
  readonly head: string;
  /** The state's text after the last good entry. */
  readonly text: string;
  readonly problems: readonly string[];
  /** Worth knowing, not wrong. */
  readonly remarks: readonly string[];
}

export function verifyJournal({ files, paths }: Context, journal = paths.journal): Verification {
  const problems: string[] = [];
  const remarks: string[] = [];
  const hashes = new Set<string>([GENESIS]);
  let previous = GENESIS;
  let text = '';
  let state = sha256('');
  let entries = 0;
  let voids = 0;
  let number = 0;
  for (const line of readLines(files, journal)) {
    number += 1;
    const entry = parseEntry(line.text);
    if (entry === undefined) {
      problems.push(`line ${number} is not a journal entry`);
      break;
    }
    if (entry.prev !== previous) {
      if (hashes.has(entry.prev)) voids += 1;
      else {
        problems.push(`line ${number} (entry ${entry.seq}) does not follow from the line before it`);
        break;
      }
      continue;
    }
    if (entry.seq !== entries + 1) problems.push(`line ${number} is numbered ${entry.seq}, not ${entries + 1}`);
    const next = replay(text, entry.change);
    if (next === undefined || sha256(next) !== entry.state) {
      problems.push(`entry ${entry.seq} (line ${number}) does not lead to the state it names`);
      break;
    }
    text = next;
    state = entry.state;
    previous = sha256(line.text);
    hashes.add(previous);
    entries += 1;
  }
  if (entries === 0 && problems.length === 0) problems.push('the journal has no entry');
  if (readTail(files, journal, 1)?.torn === true)
    remarks.push('the last line is torn (a crash); it was never acknowledged');
  compareState({ files, paths }, state, problems.length === 0, remarks);
  if (paths.mirror !== undefined && journal === paths.journal) compareMirror({ files, paths }, remarks, problems);
  return { entries, voids, head: previous, text, problems, remarks };
}

function replay(text: string, change: Parameters<typeof applyHunks>[1]): string | undefined {
  try {
    return applyHunks(text, change);
  } catch {
    return undefined;
  }
}

function compareState(
  { files, paths }: Pick<Context, 'files' | 'paths'>,
  state: string,
  sound: boolean,
  remarks: string[],
) {
  const bytes = files.read(paths.state);
  if (!sound) return;
  if (bytes === undefined) remarks.push('state.yaml is missing; the next command writes it again');
  else if (sha256(bytes) !== state)
    remarks.push('state.yaml differs from the last entry; the next command merges or completes it');
}

function compareMirror(
  { files, paths }: Pick<Context, 'files' | 'paths'>,
  remarks: string[],
  problems: string[],
): void {
  const copy = mirrorJournal(paths.mirror ?? '');
  const kept = Number(files.stat(copy)?.size ?? -1);
  const have = Number(files.stat(paths.journal)?.size ?? 0);
  if (kept === -1) return void remarks.push('there is no copy in the git directory yet; the next command makes it');
  const common = Math.min(kept, have);
  for (let at = 0; at < common; at += 1024 * 1024) {
    const length = Math.min(1024 * 1024, common - at);
    if (!files.readRange(copy, at, length).equals(files.readRange(paths.journal, at, length))) {
      problems.push('the journal and its copy in the git directory disagree');
      return;
    }
  }
  if (kept !== have)
    remarks.push(`the copy in the git directory is ${kept < have ? 'behind' : 'ahead'}; the next command evens it`);
}
