// The hosts that work on a board: each says now and then that it is there, which version it runs and how far it has read.

import type { Connection } from '../../ports/database.ts';
import type { Instant } from '../../text/time.ts';
import type { SharedBoard } from '../shared-board.ts';

export interface BoardHost {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly seen: Instant;
  /** Milliseconds since it was seen, by the server's clock. */
  readonly ago: number;
  /** Entries that it had not read then. */
  readonly lag: number;
  /** It takes no new work. */
  readonly drained: boolean;
  readonly tags: readonly string[];
  /** Agents whose leases it keeps alive. */
  readonly agents: readonly string[];
}

/** How often a host that watches the board says that it is there: with each of its looks. */
export const GREET_MS = 14_000;

/** Answers how far the board is. */
export async function greet(
  connection: Connection,
  { board, host, name, version = '' }: SharedBoard,
  seq: number,
): Promise<number> {
  const [row] = await connection.run(
    'select (select seq from liza.board where id = $1) as seq, liza.greet($1, $2, $3, $4, $5)',
    [board, host, name, version, seq],
  );
  return Number(row?.['seq'] ?? 0);
}

export async function boardHosts(connection: Connection, board: string): Promise<readonly BoardHost[]> {
  const rows = await connection.run(
    `select h.id, h.name, h.version, extract(epoch from h.seen) * 1000 as seen, extract(epoch from liza.now() - h.seen) * 1000 as ago,
       greatest(b.seq - h.seq, 0) as lag, h.drained is not null as drained, to_json(h.tags)::text as tags,
       (select coalesce(json_agg(l.agent order by l.agent), '[]')::text from liza.lease l
          where l.board = h.board and l.host = h.id and not l.stopped and l.expires > liza.now()) as agents
     from liza.host h join liza.board b on b.id = h.board where h.board = $1 order by h.joined`,
    [board],
  );
  return rows.map((row) => ({
    ...{ id: String(row['id']), name: String(row['name']), version: String(row['version']) },
    ...{ seen: Math.trunc(Number(row['seen'])), ago: Math.trunc(Number(row['ago'])), lag: Number(row['lag']) },
    drained: row['drained'] === true,
    tags: JSON.parse(String(row['tags'])) as string[],
    agents: JSON.parse(String(row['agents'])) as string[],
  }));
}
