// What a process keeps of one board in the database: the connection, the board in memory, and what it heard. One for each
// board that is open; everybody in the process shares it.

import type { Connection } from '../../ports/database.ts';
import { Refused } from '../../protocol/decision.ts';
import type { BoardContext } from '../context.ts';
import { readTail } from '../journal.ts';
import type { SharedBoard } from '../shared-board.ts';
import { addressOf } from './address.ts';
import { forgetReached, readReached } from './anchor-seen.ts';
import { archivedSince, BadEntry, badEntry, type LeaseRow, type Look, look, wholeBoard } from './board-rows.ts';
import { setBack } from './failures.ts';
import { setStage } from './fill.ts';
import { follow, type Head, hasArchived, headOf, withArchived } from './head.ts';
import { GREET_MS, greet } from './hosts.ts';
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
  #greetAt = Number.NEGATIVE_INFINITY;
  #seen: (Seen & { readonly at: number; readonly by: Connection }) | undefined;
  /** The newest entry, as the board's row had it after an announcement. */
  #announced = 0;

  constructor(context: BoardContext, shared: SharedBoard) {
    this.#context = context;
    this.#shared = shared;
    this.link = new Link(context, () => addressOf(context));
  }

  get head(): Head | undefined {
    return this.#head;
  }

  /** The board as it is now. `locked`: it stays so until the connection's transaction ends. */
  async catchUp(connection: Connection, locked: boolean): Promise<Seen> {
    try {
      return await this.#catchUp(connection, locked);
    } catch (error) {
      return badEntry(connection, this.#shared.board, error);
    }
  }

  async #catchUp(connection: Connection, locked: boolean): Promise<Seen> {
    const { board, time } = this.#shared;
    this.#head ??= await this.#load(connection);
    for (;;) {
      const known: Head = this.#head;
      const seen = await look(connection, board, known, locked);
      time.learn(seen.now);
      const { seq } = known;
      let head = await follow(known, seen.missed);
      if (hasArchived(seen.missed))
        head = { ...head, archived: withArchived(head.archived, await archivedSince(connection, board, seq)) };
      this.#head = head;
      if (head.seq >= seen.head) {
        this.#seen = { head, look: seen, at: this.#context.clock.monotonic(), by: connection };
        return { head, look: seen };
      }
      if (seen.missed.length === 0) throw new BadEntry(seq + 1);
      // There is a limit to what one look brings; the lock is held already.
      if (locked) await connection.query('rollback');
    }
  }

  /** What was seen so many milliseconds ago at most, where a commit since would have been announced. */
  lately(within: number): Seen | undefined {
    const seen = this.#seen;
    const age = seen === undefined ? within : this.#context.clock.monotonic() - seen.at;
    if (seen === undefined || age >= within || !this.link.isListening(seen.by)) return undefined;
    if (seen.head !== this.#head || this.#announced > seen.head.seq) return undefined;
    const hosts = seen.look.hosts.map((host) => ({ ...host, silent: host.silent + age }));
    return { head: seen.head, look: { ...seen.look, hosts } };
  }

  announced(seq: number): void {
    this.#announced = seq;
  }

  /** By this process: its own leases are never older than it knows. */
  renewed(row: LeaseRow): void {
    if (this.#seen === undefined) return;
    const { look } = this.#seen;
    const leases = [...look.leases.filter(({ agent }) => agent !== row.agent), row];
    this.#seen = { ...this.#seen, look: { ...look, leases } };
  }

  /** The host is seen, as often as it has to be; before it is said to work. Then it is known how far the board is. */
  async greet(connection: Connection): Promise<number | undefined> {
    const { clock } = this.#context;
    if (clock.monotonic() < this.#greetAt) return undefined;
    const seq = await greet(connection, this.#shared, this.#head?.seq ?? 0);
    this.#greetAt = clock.monotonic() + GREET_MS;
    return seq;
  }

  /** After a commit of this process. */
  advance(head: Head): void {
    if (this.#head === undefined || head.seq > this.#head.seq) this.#head = head;
  }

  /** Something says that the database was set back: nothing is taken for known. */
  lookAgain(): void {
    this.#head = undefined;
    this.#seen = undefined;
  }

  /** The journal that this host has on its disk ends with an entry that the database must have; so does an anchor. */
  async #refuseSetBack(connection: Connection): Promise<void> {
    const { files, paths } = this.#context;
    const last = readTail(files, paths.journal, 1)?.lines.at(-1);
    if (last !== undefined) await this.#refuseWithout(connection, last.entry.seq, last.hash);
    const anchor = readReached(this.#context);
    if (anchor === undefined) return;
    await this.#refuseWithout(connection, anchor.seq, anchor.hash);
    forgetReached(this.#context);
  }

  async #refuseWithout(connection: Connection, seq: number, hash: string): Promise<void> {
    const [row] = await connection.run(
      `select b.seq, exists (select from liza.entry e where e.board = b.id and e.seq = $2 and e.hash = $3) as has
         from liza.board b where b.id = $1 and b.stage = 'open'`,
      [this.#shared.board, seq, hash],
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
