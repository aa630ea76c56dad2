// A board in a database of its own, on the run's real PostgreSQL, whose clock the test holds in its hand if it wants to.

import fs from 'node:fs';
import path from 'node:path';
import type { Disk } from '../../src/ports/disk.ts';
import { realDisk } from '../../src/ports/disk.ts';
import { connect } from '../../src/ports/postgres.ts';
import { isRefusal } from '../../src/protocol/decision.ts';
import type { State } from '../../src/protocol/state.ts';
import { RECORD_SECTIONS } from '../../src/protocol/state.ts';
import type { BoardContext } from '../../src/store/context.ts';
import { sha256 } from '../../src/store/hash.ts';
import { type Entry, GENESIS } from '../../src/store/journal.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { fillBoard, setStage } from '../../src/store/postgres/fill.ts';
import { migrate } from '../../src/store/postgres/migrate.ts';
import { sessionOf } from '../../src/store/postgres/session.ts';
import { storeText } from '../../src/store/shared-board.ts';
import { parseDocument } from '../../src/store/yaml/document.ts';
import { type Instant, iso } from '../../src/text/time.ts';
import { hostAt, hurried } from '../host.ts';
import { boardContext } from './board-context.ts';
import { asOwner, emptyDatabase, type Server, startPostgres } from './postgres.mjs';
import { stateText } from './project.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface SharedBench {
  readonly server: Server;
  readonly board: string;
  readonly database: string;
  readonly url: string;
  /** A further host of the board: a folder of its own. */
  host(name: string, options?: HostOptions): BoardContext;
  /** The server's clock, from now on held. */
  setClock(now: Instant): Promise<void>;
  /** As a backup of now that somebody brings back later. */
  backup(): Promise<() => Promise<void>>;
  sql(text: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  close(): Promise<void>;
}

interface HostOptions {
  /** Another address, say a proxy's. */
  readonly through?: string;
  /** No files are kept. */
  readonly views?: false;
  /** It gives up after a tenth of the time. */
  readonly hurries?: true;
}

export const connectTo = async (url: string, disk: Disk = realDisk) => {
  const address = parseAddress(url, disk);
  if (isRefusal(address)) throw new Error(address.message);
  return connect(address, { application: 'liza' });
};

export async function sharedBench(first: State, now: Instant): Promise<SharedBench> {
  const server = await startPostgres();
  const { name, url, drop } = await emptyDatabase(server, await withTables(server));
  const board = 'board-1';
  const connection = await connectTo(url);
  const text = stateText(first);
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS });
  if (!parsed.ok) throw new Error(parsed.message);
  const line = JSON.stringify(firstEntry(text, now));
  await fillBoard(connection, {
    ...{ board, repository: undefined, lines: [[line]], doc: parsed.doc, archived: [], switches: {} },
  });
  for (const step of [
    ['filling', 'ready'],
    ['ready', 'open'],
  ] as const)
    if (!(await setStage(connection, board, step, sha256(line)))) throw new Error(`the board is not ${step[1]}`);
  await connection.close();
  const opened: BoardContext[] = [];
  return {
    ...{ server, board, database: name, url },
    host: (id, { through = url, views, hurries } = {}) => {
      const root = temporaryFolder();
      fs.mkdirSync(path.join(root, '.liza'));
      fs.writeFileSync(path.join(root, '.liza', 'store'), storeText({ board, host: id, name: id }));
      const context = {
        ...boardContext(root, { gitDirectory: undefined, host: hurries ? hurried(hostAt()) : hostAt() }),
        env: { LIZA_STORE_URL: through },
        ...(views === undefined ? {} : { leavesCache: true as const }),
      };
      opened.push(context);
      return context;
    },
    setClock: async (instant) => {
      await asOwner(server, name, (client) =>
        client.query(`create or replace function liza.now() returns timestamptz language sql volatile
          as 'select to_timestamp(${instant / 1000})'`),
      );
    },
    backup: async () => {
      const kept = `kept_${backups++}`;
      const all = (query: string) => asOwner(server, name, (client) => client.query(query));
      const copies = ['record', 'entry', 'board'].map((one) => `create table ${kept}.${one} as table liza.${one}`);
      await all([`create schema ${kept}`, ...copies].join('; '));
      const back = ['record', 'entry'].map(
        (one) => `delete from liza.${one}; insert into liza.${one} table ${kept}.${one}`,
      );
      const head = `update liza.board b set seq = k.seq, hash = k.hash, sections = k.sections from ${kept}.board k where k.id = b.id`;
      return async () => void (await all(['begin', ...back, head, 'commit'].join('; ')));
    },
    sql: (query, values = []) => asOwner(server, name, async (client) => (await client.query(query, [...values])).rows),
    close: async () => {
      for (const context of opened)
        if (context.shared !== undefined) await sessionOf(context, context.shared).link.close();
      await drop();
    },
  };
}

let backups = 0;

let tables: Promise<string> | undefined;

/** The name of a database with the tables and no board; made once, to be copied. */
function withTables(server: Server): Promise<string> {
  tables ??= emptyDatabase(server).then(async ({ name, url }) => {
    const connection = await connectTo(url);
    await migrate(connection);
    await connection.close();
    return name;
  });
  return tables;
}

const firstEntry = (text: string, now: Instant): Entry => ({
  seq: 1,
  time: iso(now),
  actor: 'human',
  command: 'init',
  detail: 'a board to test',
  change: [{ at: 0, del: [''], ins: text.split('\n') }],
  records: [],
  effect: true,
  prev: GENESIS,
  state: sha256(text),
});
