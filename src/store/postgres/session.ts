// What a process keeps of one board in the database: the connection, the board in memory, and what it heard. One for each
// board that is open; everybody in the process shares it.

import type { Connection } from '../../ports/database.ts';
import { Refused } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import { addressOf } from './address.ts';
import { archivedSince, type Look, look, wholeBoard } from './board-rows.ts';
import { follow, type Head, hasArchived, headOf, withArchived } from './head.ts';
import { Link } from './link.ts';

export interface Seen {
  readonly head: Head;
  readonly look: Look;
}

export class SharedSession {
  readonly link: Link;
  readonly #shared: SharedBoard;
  #head: Head | undefined;

  constructor(context: BoardContext, shared: SharedBoard) {
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

  async #load(connection: Connection): Promise<Head> {
    const whole = await wholeBoard(connection, this.#shared.board);
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
