// How far the board was by somebody's word from outside the database: an anchor, which a database that is set back does not
// take along. What it names must be in the database; where it is not, this host stops as if it had seen the entry itself, in
// every process and after a restart, until a person accepts the older state or the newer one is back.

import { join } from 'node:path';
import type { Connection } from '../../ports/database.ts';
import { type Files, replaceFile } from '../../ports/files.ts';

interface Place {
  readonly files: Files;
  readonly paths: { readonly liza: string };
}

export interface Reached {
  readonly seq: number;
  readonly hash: string;
}

const fileOf = ({ paths }: Place): string => join(paths.liza, 'anchor');

export function keepReached(place: Place, { seq, hash }: Reached): void {
  replaceFile(place.files, fileOf(place), Buffer.from(`${seq} ${hash}\n`), true);
}

export const forgetReached = (place: Place): void => place.files.remove(fileOf(place));

export function readReached(place: Place): Reached | undefined {
  const text = place.files.read(fileOf(place))?.toString('utf8') ?? '';
  const [, seq, hash] = /^(\d{1,15}) ([0-9a-f]{16,128})\n$/.exec(text) ?? [];
  return hash === undefined ? undefined : { seq: Number(seq), hash };
}

/** The last entry, which no crash of the server takes away any more, and the hash of an earlier one. */
export async function reachedNow(
  connection: Connection,
  board: string,
  earlier: number,
): Promise<{ readonly head: Reached; readonly earlier: string | undefined } | undefined> {
  const [row] = await connection.run(
    `select b.seq, b.hash, (select e.hash from liza.entry e where e.board = b.id and e.seq = $2) as earlier
       from liza.board b where b.id = $1 and b.stage = 'open'`,
    [board, earlier],
  );
  if (row === undefined) return undefined;
  await connection.query('select liza.flush()');
  const found = row['earlier'];
  return {
    head: { seq: Number(row['seq']), hash: String(row['hash']) },
    earlier: typeof found === 'string' ? found : undefined,
  };
}
