// What a process keeps of one board in the database: the connection, the board in memory, and what it heard. One for each
// board that is open; everybody in the process shares it.

import type { Connection } from '../../ports/database.ts';
import { Refused } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import { readTail } from '../journal.ts';
import type { SharedBoard } from '../shared-board.ts';
import { addressOf } from './address.ts';
import { archivedSince, type Look, look, wholeBoard } from './board-rows.ts';
import { setBack } from './failures.ts';
import { setStage } from './fill.ts';
import { follow, type Head, hasArchived, headOf, withArchived } from './head.ts';
import { Link } from './link.ts';

export interface Seen {
  readonly head: Head;
  readonly look: Look;
}

export class SharedSession {
  readonly link: Link;
  readonly #context: BoardContext;
  readonly #shared: SharedBoard;
  #head: Head | undefined;

  constructor(context: BoardContext, shared: SharedBoard) {
    this.#context = context;
    this.#shared = shared;
    this.link = new Link(context, () => addressOf(context));
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** What is known without the database: a copy on this host's disk. Only before the first look. */
  begin(head: Head): void {
    this.#head ??= head;
  }

  /** The board as it is now. `locked`: it stays so until the connection's transaction ends. */
  async catchUp(connection: Connection, locked: boolean): Promise<Seen> {
    const { board, time } = this.#shared;
    this.#head ??= await this.#load(connection);
    for (;;) {
      const seen = await look(connection, board, this.#head, locked);
      time.learn(seen.now);
      const { seq } = this.#head;
      let head = await follow(this.#head, seen.missed);
      if (hasArchived(seen.missed))
        head = { ...head, archived: withArchived(head.archived, await archivedSince(connection, board, seq)) };
      this.#head = head;
      if (head.seq >= seen.head) return { head, look: seen };
      // There is a limit to what one look brings; the lock is held already.
      if (locked) await connection.query('rollback');
    }
  }

  /** After a commit of this process. */
  advance(head: Head): void {
    if (this.#head === undefined || head.seq > this.#head.seq) this.#head = head;
  }

  /** The journal that this host has on its disk ends with an entry that the database must have. */
  async #refuseSetBack(connection: Connection): Promise<void> {
    const { files, paths } = this.#context;
    const seen = readTail(files, paths.journal, 1)?.lines.at(-1);
    if (seen === undefined) return;
    const { seq } = seen.entry;
    const [row] = await connection.run(
      `select b.seq, exists (select from liza.entry e where e.board = b.id and e.seq = $2 and e.hash = $3) as has
         from liza.board b where b.id = $1 and b.stage = 'open'`,
      [this.#shared.board, seq, seen.hash],
    );
    if (row?.['has'] === false) throw new Refused(setBack(seq, Number(row['seq'])));
  }

  async #load(connection: Connection): Promise<Head> {
    const { board, moved } = this.#shared;
    // The move that brought the board here was killed at its very end.
    if (moved !== undefined) await setStage(connection, board, ['ready', 'open'], moved);
    await this.#refuseSetBack(connection);
    const whole = await wholeBoard(connection, board);
    if ('ok' in whole) throw new Refused(whole);
    return headOf(whole.text, whole, whole.archived);
  }
}

const SESSIONS = new WeakMap<SharedBoard, SharedSession>();

export function sessionOf(context: BoardContext, shared: SharedBoard): SharedSession {
  const known = SESSIONS.get(shared);
  if (known !== undefined) return known;
  const session = new SharedSession(context, shared);
  SESSIONS.set(shared, session);
  return session;
}
