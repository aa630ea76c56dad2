// Brings a whole board into the database: its journal line by line, the pieces of its text, its archive, switches and
// leases. The board counts only when all of it is there; until then filling begins anew as often as it must.

import type { Connection } from '../../ports/database.ts';
import { type Refusal, refuse } from '../../protocol/decision.ts';
import type { ArchivedText } from '../archive.ts';
import type { BoardDocument } from '../yaml/document.ts';
import { piecesOf, sectionsOf } from './pieces.ts';

export interface Filling {
  readonly board: string;
  /** The first commit of the repository. */
  readonly repository: string | undefined;
  /** The journal's lines as they are, in batches. */
  readonly lines: Iterable<readonly string[]>;
  readonly doc: BoardDocument;
  readonly archived: readonly ArchivedText[];
  readonly switches: Readonly<Record<string, boolean>>;
}

/** Filling takes longer than any command. */
const PATIENCE = 600_000;
const AT_ONCE = 500;

/** Undefined: it is all there, and `ready` makes it count. */
export async function fillBoard(connection: Connection, filling: Filling): Promise<Refusal | undefined> {
  const { board, repository, lines, doc, archived, switches } = filling;
  const [begun] = await connection.run('select liza.begin_filling($1, $2) as stage', [board, repository ?? null]);
  if (begun?.['stage'] === 'open')
    return refuse('the database has this board already', 'a host joins it: liza init --join', 1, 'store-moved');
  const fill = (batch: readonly string[], change: object): Promise<unknown> =>
    connection.run('select liza.fill($1, $2, $3)', [board, JSON.stringify(batch), JSON.stringify(change)], PATIENCE);
  for (const batch of lines) await fill(batch, {});
  const pieces = piecesOf(doc);
  for (let at = 0; at < pieces.length; at += AT_ONCE) await fill([], { put: pieces.slice(at, at + AT_ONCE) });
  for (let at = 0; at < archived.length; at += AT_ONCE) await fill([], { archive: archived.slice(at, at + AT_ONCE) });
  await fill([], { sections: sectionsOf(doc), switches });
  return undefined;
}

/** One step of a board's way into the database and out of it, if its journal ends with this line. */
export async function setStage(
  connection: Connection,
  board: string,
  [from, to]: readonly ['filling', 'ready'] | readonly ['ready', 'open'] | readonly ['open', 'moved'],
  hash: string,
): Promise<boolean> {
  const [row] = await connection.run('select liza.set_stage($1, $2, $3, $4) as done', [board, from, to, hash]);
  return row?.['done'] === true;
}
