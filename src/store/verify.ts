// Checks the journal against itself, its copy and state.yaml: every line follows from the one before,
// every change leads to the state it names. Reads only.

import { defined } from '../protocol/values.ts';
import { readIfFile } from './bounded-text.ts';
import type { BoardContext } from './context.ts';
import { mirrorJournal } from './git-dir-copy.ts';
import { sha256 } from './hash.ts';
import { GENESIS, PIECE, readTail } from './journal.ts';
import { type Step, type WalkOptions, walkJournal } from './walk-journal.ts';

/** The copy may be `shorter` after a crash; `longer` means that the journal has lost entries. */
export type Copy = 'equal' | 'shorter' | 'longer' | 'other' | 'missing';

export interface Verification {
  readonly entries: number;
  /** Lines of writers that lost a race; harmless. */
  readonly voids: number;
  readonly head: string;
  /** The state's text after the last entry that follows from the one before. */
  readonly text: () => string;
  readonly problems: readonly string[];
  /** How its copy in the git directory compares. */
  readonly copy: Copy;
  /** Worth knowing, not wrong. */
  readonly remarks: readonly string[];
}

interface Options extends Omit<WalkOptions, 'piece'> {
  /** The journal's own file unless told otherwise. */
  readonly journal?: string;
  /** Called with every step, those after the first problem too, so that the journal is walked only once. */
  readonly also?: (step: Step) => void;
}

export function verifyJournal(
  { files, paths, shared }: BoardContext,
  { journal = paths.journal, also, ...options }: Options = {},
): Verification {
  const problems: string[] = [];
  const remarks: string[] = [];
  let head = GENESIS;
  let entries = 0;
  let voids = 0;
  let over = false;
  const beside =
    paths.mirror !== undefined && journal === paths.journal ? new Beside(files, paths, paths.mirror) : undefined;
  const steps = walkJournal(files, journal, { ...options, ...defined({ piece: beside?.piece }) });
  let next = steps.next();
  for (; next.done !== true; next = steps.next()) {
    const step = next.value;
    also?.(step);
    if (over) continue;
    const problem = problemWith(step, entries);
    if (problem !== undefined) problems.push(problem);
    over = problem !== undefined && step.kind !== 'entry';
    if (step.kind === 'void') voids += 1;
    if (step.kind !== 'entry') continue;
    entries += 1;
    head = step.hash;
  }
  const text = next.value;
  if (entries === 0 && problems.length === 0) problems.push('the journal has no entry');
  if (readTail(files, journal, 1)?.torn === true)
    remarks.push('the last line is incomplete (a crash); it was never acknowledged');
  if (problems.length === 0) remarks.push(...compareState({ files, paths, ...defined({ shared }) }, text.hash()));
  const copy = beside?.found() ?? 'missing';
  if (copy === 'other') problems.push('the journal and its copy in the git directory disagree');
  if (beside !== undefined) remarks.push(...COPY_REMARKS[copy]);
  return { entries, voids, head, text: () => text.toString(), problems, copy, remarks };
}

function problemWith(step: Step, entries: number): string | undefined {
  switch (step.kind) {
    case 'void':
      return undefined;
    case 'unreadable':
      return `line ${step.number} is not a journal entry`;
    case 'astray':
      return `line ${step.number} (entry ${step.seq}) does not follow from the line before it`;
    case 'misled':
      return `entry ${step.seq} (line ${step.number}) does not lead to the state it names`;
    case 'entry':
      if (step.seq === entries + 1) return undefined;
      return `line ${step.number} is numbered ${step.seq}, not ${entries + 1}`;
    default:
      return step satisfies never;
  }
}

function compareState(
  { files, paths, shared }: Pick<BoardContext, 'files' | 'paths' | 'shared'>,
  state: string,
): readonly string[] {
  // There it is a view, which is written again by itself.
  if (shared !== undefined) return [];
  const bytes = readIfFile(files, paths.state);
  if (bytes === undefined) return ['state.yaml is missing; the next command writes it again'];
  if (sha256(bytes) === state) return [];
  return ['state.yaml differs from the last entry; the next command merges or completes it'];
}

const COPY_REMARKS: Readonly<Record<Copy, readonly string[]>> = {
  equal: [],
  other: [],
  missing: ['there is no copy in the git directory yet; the next command makes it'],
  shorter: ['the copy in the git directory is behind; the next command completes it'],
  longer: ['the copy in the git directory is ahead; the next command completes the journal from it'],
};

/** The copy, compared while the journal is read. */
class Beside {
  readonly #files: BoardContext['files'];
  readonly #journal: string;
  readonly #copy: string;
  readonly #kept: number;
  readonly #have: number;
  readonly #into = Buffer.allocUnsafe(PIECE);
  /** So much of both is the same. */
  #same = 0;

  constructor(files: BoardContext['files'], { journal }: BoardContext['paths'], mirror: string) {
    this.#files = files;
    this.#journal = journal;
    this.#copy = mirrorJournal(mirror);
    this.#kept = Number(files.stat(this.#copy)?.size ?? -1);
    this.#have = Number(files.stat(journal)?.size ?? 0);
  }

  readonly piece = (bytes: Buffer, at: number): void => {
    const length = Math.min(bytes.length, this.#kept - at);
    if (at !== this.#same || length <= 0) return;
    const there = this.#into.subarray(0, this.#files.readInto(this.#copy, at, this.#into.subarray(0, length)));
    if (there.equals(bytes.subarray(0, length))) this.#same += length;
  };

  found(): Copy {
    if (this.#kept === -1) return 'missing';
    const common = Math.min(this.#kept, this.#have);
    // Whoever walks the journal stops where it cannot be read.
    for (let at = -1; at < this.#same && this.#same < common; ) {
      at = this.#same;
      this.piece(this.#files.readRange(this.#journal, at, Math.min(PIECE, common - at)), at);
    }
    if (this.#same < common) return 'other';
    return this.#kept === this.#have ? 'equal' : this.#kept < this.#have ? 'shorter' : 'longer';
  }
}
