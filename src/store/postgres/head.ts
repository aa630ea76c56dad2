// The board as this process has it in memory: the text of one entry and what it says. It goes forward by the entries that
// others committed; it never goes back.

import { isAlive, parseProcess } from '../../process/process-identity.ts';
import type { Board, Lease } from '../../protocol/board.ts';
import { Refused, refuse } from '../../protocol/decision.ts';
import { numberOf } from '../../protocol/goal/goal-tasks.ts';
import { isTerminal, RECORD_SECTIONS, type State, type TaskStatus } from '../../protocol/state.ts';
import { endedProcesses, haltedMerges, lazily } from '../assemble.ts';
import type { BoardContext } from '../context.ts';
import { type Normal, normalise, normaliseAfter } from '../file-values.ts';
import { sha256Of } from '../hash.ts';
import type { Line } from '../journal.ts';
import { refuseNewer } from '../version.ts';
import { type BoardDocument, parseDocument } from '../yaml/document.ts';
import { documentFollowing } from '../yaml/follow.ts';
import { applyHunks, type Hunk, HunkMismatch, sizeOf } from '../yaml/hunks.ts';
import { type ArchivedRow, BadEntry, type LeaseRow, type Look, leaseOf } from './board-rows.ts';

export interface Head {
  readonly doc: BoardDocument;
  readonly normal: Normal;
  readonly seq: number;
  readonly hash: string;
  /** Tasks that left the state, by id. */
  readonly archived: ReadonlyMap<string, Pick<ArchivedRow, 'status' | 'goal'>>;
  /** Characters of the journal since an entry named the hash of its state. */
  readonly unsealed: number;
}

export async function headOf(
  text: string,
  { seq, hash }: Pick<Head, 'seq' | 'hash'>,
  archived: readonly ArchivedRow[],
): Promise<Head> {
  const doc = await parsed(text);
  const newer = refuseNewer(doc);
  if (newer !== undefined) throw new Refused(newer);
  return {
    ...{ doc, normal: normalise(doc.value), seq, hash },
    archived: withArchived(new Map(), archived),
    // Not known: the next entry names the hash, unless the board is large.
    unsealed: text.length,
  };
}

export function withArchived(known: Head['archived'], rows: readonly ArchivedRow[]): Head['archived'] {
  const tasks = rows.filter(({ kind }) => kind === 'task');
  if (tasks.length === 0) return known;
  return new Map([...known, ...tasks.map(({ id, status, goal }) => [id, { status, goal }] as const)]);
}

/** Whether entries took records to the archive, whose rows have to be read then. */
export const hasArchived = (lines: readonly Line[]): boolean =>
  lines.some(({ entry }) => entry.archived !== undefined || entry.ended !== undefined);

export async function follow(head: Head, lines: readonly Line[]): Promise<Head> {
  const last = lines.at(-1);
  if (last === undefined) return head;
  let { doc, unsealed } = head;
  let previous = head.hash;
  for (const { entry, hash } of lines) {
    const next = entry.prev === previous ? await documentAfter(doc, entry.change) : undefined;
    if (next === undefined) throw new BadEntry(entry.seq);
    doc = next;
    previous = hash;
    unsealed = isSealed(entry) ? 0 : unsealed + sizeOfChange(entry.change);
  }
  if (isSealed(last.entry) && sha256Of(doc.source.bytes()) !== last.entry.state) throw new BadEntry(last.entry.seq);
  return {
    ...head,
    doc,
    normal: normaliseAfter(doc.value, head.doc.value),
    seq: last.entry.seq,
    hash: last.hash,
    unsealed,
  };
}

/** Undefined: it is not the one that the change was made for, or cannot be read after it. */
async function documentAfter(doc: BoardDocument, change: readonly Hunk[]): Promise<BoardDocument | undefined> {
  try {
    return documentFollowing(doc, change) ?? (await parsed(applyHunks(doc.text, change), doc));
  } catch (error) {
    if (error instanceof Refused || error instanceof HunkMismatch || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Characters that an entry's lines have. */
export const sizeOfChange = (change: readonly Hunk[]): number =>
  change.reduce((sum, { del, ins }) => sum + sizeOf(del) + sizeOf(ins), 0);

export const isSealed = ({ state }: { readonly state: string }): boolean => state !== '';

async function parsed(text: string, previous?: BoardDocument): Promise<BoardDocument> {
  const read = await parseDocument(text, { recordSections: RECORD_SECTIONS, previous });
  if (!read.ok)
    throw new Refused(
      refuse(
        `the state in the database cannot be read: line ${read.line}, column ${read.column}: ${read.message}`,
        'run: liza doctor',
        4,
        'unreadable-journal',
      ),
    );
  return read.doc;
}

/** What `decide` sees. */
export function boardOf(
  context: BoardContext,
  head: Head,
  { switches, leases, hosts }: Pick<Look, 'switches' | 'leases' | 'hosts'>,
): Board {
  const { state } = head.normal;
  const byAgent = new Map(leases.map((row) => [row.agent, leaseOf(row, holderOf(context, row))]));
  const freeMb = context.files.freeMb?.(context.paths.liza);
  const earlier = earlierGoals(head, state);
  const board = {
    state,
    switches,
    leases: byAgent,
    hosts,
    ...(context.shared === undefined ? {} : { here: context.shared.host }),
    ...(earlier.size === 0 ? {} : { earlier }),
    ...(freeMb === undefined ? {} : { freeMb }),
  };
  const archived = lazily(board, 'archived', () => archivedIn(head, state));
  const living = lazily(archived, 'gone', () => endedProcesses(context, state, byAgent));
  return lazily(living, 'halted', () => haltedMerges(context, state));
}

function archivedIn({ archived }: Head, state: State): ReadonlyMap<string, TaskStatus> {
  if (archived.size === 0) return new Map();
  const ended = new Set(state.tasks.filter(({ status }) => isTerminal(status)).map(({ id }) => id));
  return new Map([...archived].flatMap(([id, { status }]) => (ended.has(id) ? [] : [[id, status] as const])));
}

function earlierGoals({ archived }: Head, { goal }: State): ReadonlySet<string> {
  if (archived.size === 0 || numberOf(goal.id) <= 1) return new Set();
  return new Set([...archived].flatMap(([id, row]) => (row.goal === goal.id ? [] : [id])));
}

/** A process on another host is never judged by its pid. */
export function holderOf(context: BoardContext, { host, process, stopped }: LeaseRow): Lease['holder'] {
  if (stopped) return 'dead';
  const identity = process === null || host !== context.shared?.host ? undefined : parseProcess(process);
  if (identity === undefined) return 'unknown';
  return isAlive(context, identity) ? 'alive' : 'dead';
}
