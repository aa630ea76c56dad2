// This process's connection to the board's database: made when it is first needed and again when it broke, used by one
// piece of work at a time. Who waits for notifications keeps it open; without one it does not keep the program running.

import type { Connection, DatabaseAddress } from '../../ports/database.ts';
import { DatabaseError } from '../../ports/database.ts';
import type { Host } from '../../ports/host.ts';
import { type Refusal, Refused } from '../../protocol/decision.ts';
import { explain, isLost, newerSchema, olderSchema } from './failures.ts';
import { refusePooler } from './pooler.ts';
import { CHANNEL, SCHEMA_VERSION } from './schema.ts';

/** How long a command waits for a database that does not answer. */
export const PATIENCE_MS = 10_000;

const SETTINGS = [
  "set client_min_messages = 'warning'",
  "set lock_timeout = '10s'",
  "set statement_timeout = '60s'",
  // A writer that is cut off in its turn holds up the others for less time than they wait.
  "set idle_in_transaction_session_timeout = '8s'",
].join(';');

export class Link {
  readonly #host: Pick<Host, 'clock' | 'database'>;
  readonly #address: () => DatabaseAddress | Refusal;
  #connection: Connection | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #heard: ((payload: string) => void) | undefined;
  #listens = false;
  #downUntil = Number.NEGATIVE_INFINITY;
  #broken: () => void = () => {};

  constructor(host: Pick<Host, 'clock' | 'database'>, address: () => DatabaseAddress | Refusal) {
    this.#host = host;
    this.#address = address;
  }

  /** One after the other. The work may run on a connection that turns out to be broken. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(async () => work(await this.#open()));
    this.#tail = turn.catch(() => {});
    return turn;
  }

  /** Again while the connection breaks, until the patience is over: for work that may run twice. */
  async retry<T>(work: (connection: Connection) => Promise<T>, patience = PATIENCE_MS): Promise<T> {
    const { clock } = this.#host;
    // Of a database that was just waited for in vain nobody waits again.
    const until = clock.monotonic() + (clock.monotonic() < this.#downUntil ? 0 : patience);
    for (let wait = 20; ; wait = Math.min(wait * 2, 1000)) {
      try {
        const done = await this.use(work);
        this.#downUntil = Number.NEGATIVE_INFINITY;
        return done;
      } catch (error) {
        if (!isLost(error)) throw error;
        if (clock.monotonic() + wait > until) {
          this.#downUntil = clock.monotonic() + PATIENCE_MS;
          throw error;
        }
        await clock.sleep(wait);
      }
    }
  }

  /** Whatever was committed since this connection was made is heard of. */
  isListening(connection: Connection): boolean {
    return this.#listens && this.#heard !== undefined && this.#connection === connection && connection.isOpen;
  }

  /** How long to wait for it now. */
  get patience(): number {
    return this.#host.clock.monotonic() < this.#downUntil ? 0 : PATIENCE_MS;
  }

  /** A refusal for whoever asked; anything else is thrown on. */
  refusal(error: unknown): Refusal {
    if (!(error instanceof DatabaseError)) throw error;
    return explain(error, this.#secrets());
  }

  async refused<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof DatabaseError) throw new Refused(this.refusal(error));
      throw error;
    }
  }

  /** Listens from now on, also on later connections. `broken`: what was announced meanwhile is not known. */
  async listen(heard: (payload: string) => void, broken: () => void): Promise<void> {
    this.#heard = heard;
    this.#broken = broken;
    await this.use(async (connection) => this.#listenOn(connection));
  }

  unlisten(): void {
    this.#heard = undefined;
    this.#broken = () => {};
    this.#connection?.background();
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#heard = undefined;
    await connection?.close();
  }

  async #open(): Promise<Connection> {
    if (this.#connection?.isOpen === true) return this.#connection;
    const address = this.#address();
    if ('ok' in address) throw new Refused(address);
    const connection = await this.#connect(address);
    try {
      await connection.query(SETTINGS);
      const [found] = await connection.query('select max(version) as version from liza.version');
      const version = Number(found?.['version'] ?? 0);
      if (version > SCHEMA_VERSION) throw new Refused(newerSchema(version));
      if (version < SCHEMA_VERSION) throw new Refused(olderSchema(version));
      const pooled = await refusePooler(connection, () => this.#connect(address));
      if (pooled !== undefined) throw new Refused(pooled);
    } catch (error) {
      await connection.close();
      throw error;
    }
    this.#connection = connection;
    this.#listens = false;
    connection.onEnd(() => this.#broken());
    connection.onNotification((channel, payload) => {
      if (channel === CHANNEL) this.#heard?.(payload);
    });
    if (this.#heard === undefined) connection.background();
    else await this.#listenOn(connection);
    return connection;
  }

  #connect(address: DatabaseAddress): Promise<Connection> {
    return this.#host.database.connect(address, { application: 'liza' });
  }

  async #listenOn(connection: Connection): Promise<void> {
    if (this.#listens && connection === this.#connection) return;
    await connection.query(`listen ${CHANNEL}`);
    this.#listens = true;
  }

  #secrets(): readonly string[] {
    const address = this.#address();
    if ('ok' in address) return [];
    const { host, database, user, password } = address;
    return [host, database, user, password].filter((one) => one !== undefined);
  }
}
