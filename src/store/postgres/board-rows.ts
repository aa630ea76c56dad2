// What is read of a board in the database: the whole of it for a cold start, and what a reader or a writer has missed.

import type { Connection, Row } from '../../ports/database.ts';
import { literal } from '../../ports/database.ts';
import type { Lease, Switch } from '../../protocol/board.ts';
import { type Refusal, Refused } from '../../protocol/decision.ts';
import type { TaskStatus } from '../../protocol/state.ts';
import type { HostOnBoard } from '../../protocol/work/hosts.ts';
import { gist } from '../../text/format.ts';
import { type Instant, iso } from '../../text/time.ts';
import { type Line, parseEntry } from '../journal.ts';
import { damaged, notHere, setBack } from './failures.ts';

export interface LeaseRow {
  readonly agent: string;
  readonly task: string | null;
  readonly epoch: number;
  readonly expires: number;
  readonly heartbeat: number;
  readonly host: string;
  readonly process: string | null;
  readonly stopped: boolean;
}

/** The board around its state, and the entries since those that were known. */
export interface Look {
  readonly now: Instant;
  readonly head: number;
  readonly switches: Readonly<Partial<Record<Switch, Instant>>>;
  readonly leases: readonly LeaseRow[];
  readonly hosts: readonly HostOnBoard[];
  readonly missed: readonly Line[];
}

export interface Known {
  readonly seq: number;
  readonly hash: string;
}

/** `locked`: begins a transaction, and holds the board until that ends. */
export async function look(
  connection: Connection,
  board: string,
  { seq, hash }: Known,
  locked: boolean,
): Promise<Look> {
  const call = `select * from liza.look(${literal(board)}, ${seq}, ${literal(hash)}, ${locked})`;
  const [first, ...rest] = await connection.query(locked ? `begin; ${call}` : call);
  if (first === undefined) throw new Refused(notHere(undefined));
  const told = JSON.parse(String(first['line'])) as Told;
  if (told.stage !== 'open') throw new Refused(notHere(told.stage));
  const head = Number(first['seq']);
  if (!told.follows) throw new Refused(setBack(seq, head));
  const switches = Object.entries(told.switches).map(([name, since]) => [name, Math.trunc(since)]);
  return {
    now: Math.trunc(told.now),
    head,
    switches: Object.fromEntries(switches),
    leases: told.leases,
    hosts: told.hosts.map(({ seen, ...host }) => ({ ...host, silent: Math.max(0, told.now - seen) })),
    missed: rest.map(lineOf),
  };
}

interface Told {
  readonly now: number;
  readonly stage: string;
  readonly follows: boolean;
  readonly switches: Readonly<Record<string, number>>;
  readonly leases: readonly LeaseRow[];
  readonly hosts: readonly (Omit<HostOnBoard, 'silent'> & { readonly seen: number })[];
}

function lineOf(row: Row): Line {
  const [entry, seq] = [parseEntry(String(row['line'])), Number(row['seq'])];
  if (entry?.seq !== seq) throw new BadEntry(seq);
  return { entry, hash: String(row['hash']), offset: 0 };
}

/** No reader gets past it. */
export class BadEntry extends Error {
  constructor(readonly seq: number) {
    super(`entry ${seq} cannot be followed`);
  }
}

/** What was thrown while entries were read: of a bad one it is said who wrote it. */
export async function badEntry(connection: Connection, board: string, error: unknown): Promise<never> {
  if (!(error instanceof BadEntry)) throw error;
  const { seq } = error;
  const [row] = await connection.run(
    `select coalesce(h.name, e.host, 'the first move') as by
       from liza.entry e left join liza.host h on h.board = e.board and h.id = e.host where e.board = $1 and e.seq = $2`,
    [board, seq],
  );
  throw new Refused(damaged(seq, row === undefined ? undefined : gist(String(row['by']), 80)));
}

export interface ArchivedRow {
  readonly kind: 'task' | 'goal';
  readonly id: string;
  readonly status: TaskStatus;
  readonly goal: string | null;
}

export interface Whole extends Known {
  readonly text: string;
  readonly archived: readonly ArchivedRow[];
}

/** Of one moment. */
export async function wholeBoard(connection: Connection, board: string): Promise<Whole | Refusal> {
  const [row] = await connection.run(
    `select b.seq, b.hash, b.stage,
       (select string_agg(r.text, '' order by array_position(b.sections, r.section), r.place) from liza.record r where r.board = b.id) as text,
       (select coalesce(json_agg(json_build_object('kind', a.kind, 'id', a.id, 'status', a.status, 'goal', a.goal) order by a.place), '[]')::text
          from liza.archived a where a.board = b.id) as archived
     from liza.board b where b.id = $1`,
    [board],
  );
  if (row === undefined || row['stage'] !== 'open')
    return notHere(row === undefined ? undefined : String(row['stage']));
  return {
    seq: Number(row['seq']),
    hash: String(row['hash']),
    text: String(row['text'] ?? ''),
    archived: JSON.parse(String(row['archived'])) as ArchivedRow[],
  };
}

export async function archivedSince(
  connection: Connection,
  board: string,
  seq: number,
): Promise<readonly ArchivedRow[]> {
  const rows = await connection.run(
    'select kind, id, status, goal from liza.archived where board = $1 and seq > $2 order by place',
    [board, seq],
  );
  return rows as unknown as readonly ArchivedRow[];
}

/** The YAML text of records that left the state, oldest first. */
export async function archivedTexts(
  connection: Connection,
  board: string,
  kind: ArchivedRow['kind'],
  id?: string,
): Promise<readonly string[]> {
  const rows = await connection.run(
    'select text from liza.archived where board = $1 and kind = $2 and ($3::text is null or id = $3) order by place',
    [board, kind, id ?? null],
  );
  return rows.map((row) => String(row['text']));
}

const MANY = 1000;

/** With the journal's lines as they are. */
export async function entriesFrom(
  connection: Connection,
  board: string,
  from: number,
): Promise<readonly (Line & { readonly text: string })[]> {
  const rows = await connection.run(
    `select seq, line, hash from liza.entry where board = $1 and seq >= $2 order by seq limit ${MANY}`,
    [board, from],
  );
  try {
    return rows.map((row) => ({ ...lineOf(row), text: String(row['line']) }));
  } catch (error) {
    return badEntry(connection, board, error);
  }
}

/** A lease as its row has it. `holder`: what this host can say of the process behind it. */
export const leaseOf = (row: LeaseRow, holder: Lease['holder']): Lease => ({
  agent: row.agent,
  ...(row.task === null ? {} : { task: row.task }),
  epoch: row.epoch,
  expires: iso(row.expires),
  heartbeat: iso(row.heartbeat),
  holder,
  host: row.host,
  ...(row.stopped ? { stopped: true } : {}),
});

export async function archivedRowsSince(
  connection: Connection,
  board: string,
  seq: number,
): Promise<readonly (ArchivedRow & { readonly text: string })[]> {
  const rows = await connection.run(
    'select kind, id, status, goal, text from liza.archived where board = $1 and seq > $2 order by place',
    [board, seq],
  );
  return rows as unknown as readonly (ArchivedRow & { readonly text: string })[];
}

/** Whatever stage it is in. */
export async function wholeText(
  connection: Connection,
  board: string,
): Promise<{ readonly stage: string; readonly hash: string; readonly text: string } | undefined> {
  const [row] = await connection.run(
    `select b.stage, b.hash, (select string_agg(r.text, '' order by array_position(b.sections, r.section), r.place)
       from liza.record r where r.board = b.id) as text from liza.board b where b.id = $1`,
    [board],
    LONG,
  );
  if (row === undefined) return undefined;
  return { stage: String(row['stage']), hash: String(row['hash']), text: String(row['text'] ?? '') };
}

const LONG = 120_000;
