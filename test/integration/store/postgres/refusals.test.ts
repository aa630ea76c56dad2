// What a database that cannot be used says to a person: one clear sentence, the next step, and neither address nor password.
// And what the role of a host may do there: read, and append.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openObserver } from '../../../../src/alarms/observe.ts';
import { realDisk } from '../../../../src/ports/disk.ts';
import { connect } from '../../../../src/ports/postgres.ts';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { isRefusal, type Refusal, Refused } from '../../../../src/protocol/decision.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import { openStore } from '../../../../src/store/open.ts';
import { parseAddress } from '../../../../src/store/postgres/address.ts';
import { SCHEMA_VERSION } from '../../../../src/store/postgres/schema.ts';
import type { Decide, Store } from '../../../../src/store/store.ts';
import { iso } from '../../../../src/text/time.ts';
import { addressOf, asOwner, emptyDatabase, startPostgres, stopPostgres } from '../../../support/postgres.mjs';
import { type SharedBench, sharedBench } from '../../../support/shared-board.ts';
import { keptFolder } from '../../../support/temporary-folder.ts';

const START = Date.UTC(2026, 2, 1, 12);
const CERTIFICATES = path.join(import.meta.dirname, 'certificates');
const ROLE_SCRIPT = path.join(import.meta.dirname, '../../../../schema/postgres-role.sql');

let bench: SharedBench;
beforeAll(async () => {
  bench = await sharedBench(freshState({ goal: 'Refuse', spec_ref: 'specs/vision.md', now: START }), START);
});
afterAll(() => bench.close());

const note: Decide = ({ state }, now) => ({
  ok: true,
  state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message: 'hello' }] },
  detail: 'note: hello',
});
const leave = (store: Store) => store.transact({ actor: OPERATOR, command: 'note' }, note);

const PASSWORD = 'corr3ct-horse';

async function refusalOf(url: string): Promise<Refusal> {
  const store = openStore(bench.host('here', { through: url, hurries: true }));
  const written = await leave(store);
  const read = await store.read().then(
    () => undefined,
    (error: unknown) => (error instanceof Refused ? error.refusal : Promise.reject(error)),
  );
  if (!isRefusal(written) || read === undefined) throw new Error('it was not refused');
  expect(read).toEqual(written);
  const said = `${written.message} ${written.hint}`;
  const { password } = bench.server;
  for (const secret of [PASSWORD, password, '127.0.0.1', String(bench.server.port), 'localhost', bench.database])
    expect(said).not.toContain(secret);
  expect(written.message).not.toContain('\n');
  return written;
}

const at = (changes: { user?: string; password?: string; port?: number }, database = bench.database): string =>
  addressOf({ ...bench.server, ...changes }, database);

test('a server that is not there', async () => {
  const refusal = await refusalOf(at({ port: 1 }));
  expect(refusal).toMatchObject({ code: 2, guard: 'store-unreachable' });
  expect(refusal.message).toBe('the database of this board cannot be reached (ECONNREFUSED)');
}, 40_000);

test('a wrong password', async () => {
  expect((await refusalOf(at({ password: PASSWORD }))).message).toBe(
    'the database of this board cannot be used: the server refused the login: user or password',
  );
});

test('a database of another name', async () => {
  expect((await refusalOf(at({}, 'no_such_one'))).message).toBe(
    'the database of this board cannot be used: there is no database of that name on the server',
  );
});

test('a database without Liza’s tables', async () => {
  const { url, drop } = await emptyDatabase(bench.server);
  expect((await refusalOf(url)).message).toBe('the database of this board cannot be used: it has no tables of Liza');
  await drop();
});

test('a database that has another board', async () => {
  const other = await sharedBench(freshState({ goal: 'Other', spec_ref: 'specs/vision.md', now: START }), START);
  await other.sql("update liza.board set id = 'board-2' where false");
  const store = openStore(bench.host('here', { through: other.url }));
  expect((await leave(store)).ok).toBe(true);
  await other.sql("insert into liza.board (id, stage) values ('empty', 'filling')");
  await other.sql("update liza.board set stage = 'moved' where id = 'board-1'");
  expect((await refusalOf(other.url)).message).toBe('this board has moved out of the database, back to a state.yaml');
  await other.close();
});

test('tables of a later version', async () => {
  const other = await sharedBench(freshState({ goal: 'Later', spec_ref: 'specs/vision.md', now: START }), START);
  await other.sql('insert into liza.version (version) values (99)');
  expect(await refusalOf(other.url)).toMatchObject({
    code: 4,
    message: `the tables of this board have version 99, this liza understands version ${SCHEMA_VERSION}; nothing was changed`,
  });
  await other.close();
});

test('a board of a later version', async () => {
  const first = freshState({ goal: 'Later', spec_ref: 'specs/vision.md', now: START });
  const other = await sharedBench({ ...first, ...({ version: 2 } as object) }, START);
  expect(await refusalOf(other.url)).toMatchObject({ code: 4, guard: 'newer-version' });
  await other.close();
});

test('a role without rights, and the role that the script makes', async () => {
  await bench.sql("create role nobody_much login password 'corr3ct-horse'");
  const without = at({ user: 'nobody_much', password: PASSWORD });
  expect((await refusalOf(without)).message).toBe(
    'the database of this board cannot be used: its role has no right to do this there',
  );
  await bench.sql(fs.readFileSync(ROLE_SCRIPT, 'utf8'));
  await bench.sql("alter role liza_host password 'corr3ct-horse'");
  const url = at({ user: 'liza_host', password: PASSWORD });
  const store = openStore(bench.host('here', { through: url }));
  expect((await leave(store)).ok).toBe(true);
  expect((await store.read()).board.state.human_notes).toHaveLength(1);
  const address = parseAddress(url, realDisk);
  if (isRefusal(address)) throw new Error(address.message);
  const connection = await connect(address, { application: 'test' });
  for (const forbidden of [
    "update liza.entry set line = '{}'",
    'delete from liza.entry',
    "insert into liza.entry (board, seq, line, hash, commit_id) values ('board-1', 99, '{}', '', 'x')",
    "update liza.board set seq = 0, hash = ''",
    'drop table liza.entry',
    "select liza.begin_filling('board-1', null)",
    // It must follow from the last line, and be the next one.
    "begin; select liza.append('board-1', 3, 'nothing', 'c', 'h', '{}', '{}')",
  ])
    await expect(connection.query(forbidden), forbidden).rejects.toMatchObject({ failure: 'refused' });
  await connection.query('rollback');
  // What follows from the last line must also be an entry, and say so itself.
  const [last] = await bench.sql('select seq::int, hash, line from liza.entry order by seq desc limit 1');
  const [seq, prev] = [Number(last?.['seq']) + 1, String(last?.['hash'])];
  const entry = { ...JSON.parse(String(last?.['line'])), seq, prev, change: [], state: '' };
  const text = JSON.stringify(entry);
  const append = (line: string) =>
    connection.run("select liza.append('board-1', $1, $2, $3, 'here', $4, '{}')", [seq, prev, line.slice(0, 40), line]);
  for (const [why, line] of [
    ['nothing', '{}'],
    ['no JSON', 'a line'],
    ['no object', '[]'],
    ['another number', JSON.stringify({ ...entry, seq: seq + 1 })],
    ['its number as a text', JSON.stringify({ ...entry, seq: String(seq) })],
    ['another one before it', JSON.stringify({ ...entry, prev: 'f'.repeat(64) })],
    ['no change', JSON.stringify({ ...entry, change: 'none' })],
    ['no detail', JSON.stringify({ ...entry, detail: undefined })],
    ['said twice', text.replace('{', '{"seq":99,')],
    ['said twice, the last one wrong', text.replace(/\}$/, ',"change":"none"}')],
    ['two lines', text.replace('{', '{\n')],
  ] as const)
    await expect(append(line), why).rejects.toMatchObject({ failure: 'refused' });
  await append(text);
  expect((await leave(store)).ok).toBe(true);
  await connection.close();
});

test.each([
  ['no entry', () => 'hello'],
  ['of another number', (entry: object) => JSON.stringify({ ...entry, seq: 77 })],
  [
    'made for another text',
    (entry: object) => JSON.stringify({ ...entry, change: [{ at: 0, del: ['nothing'], ins: [] }] }),
  ],
  ['a change that is none', (entry: object) => JSON.stringify({ ...entry, change: [5] })],
  [
    'leading to no board',
    (entry: object) => JSON.stringify({ ...entry, change: [{ at: 0, del: [], ins: ['a: [', 'b'] }] }),
  ],
])('an entry that no reader gets past is named, with who wrote it: %s', async (_what, make) => {
  const other = await sharedBench(freshState({ goal: 'Bad', spec_ref: 'specs/vision.md', now: START }), START);
  const context = other.host('here');
  const store = openStore(context);
  expect((await leave(store)).ok).toBe(true);
  const [last] = await other.sql('select hash, line from liza.entry order by seq desc limit 1');
  const entry = { ...JSON.parse(String(last?.['line'])), seq: 3, prev: last?.['hash'], change: [], state: '' };
  // As tables of an earlier version took it from every host.
  await other.sql(
    `insert into liza.entry (board, seq, line, hash, commit_id, host)
       values ('board-1', 3, $1, encode(sha256(convert_to($1, 'UTF8')), 'hex'), 'c', 'elsewhere')`,
    [make(entry)],
  );
  await other.sql('update liza.board set seq = 3, hash = (select hash from liza.entry where seq = 3)');
  const message =
    'entry 3 of the journal in the database (written by elsewhere) cannot be followed: no host gets past it';
  expect(await leave(store)).toMatchObject({ ok: false, code: 4, guard: 'damaged-journal', message });
  await expect(store.read()).rejects.toThrow(message);
  const { found } = await openObserver({ ...context, store })();
  expect(found).toMatchObject([
    { name: 'STORE UNREACHABLE', level: 'alarm', text: expect.stringContaining('(written by elsewhere)') },
  ]);
  await other.sql('delete from liza.entry where seq = 3');
  await expect(store.read()).rejects.toThrow('entry 3 of the journal in the database is missing');
  await other.close();
});

test('a certificate that nobody vouches for, one of another name, and no encryption at all', async () => {
  const folder = keptFolder();
  const server = await startPostgres(folder, ['fsync=off']);
  try {
    const url = (host: string, settings: string) =>
      `postgres://postgres:${server.password}@${host}:${server.port}/postgres?${settings}`;
    expect((await refusalOf(url('localhost', 'sslmode=require'))).message).toBe(
      'the database of this board cannot be used: the server offers no encryption, and the address demands it',
    );
    for (const name of ['server.crt', 'server.key']) {
      const file = path.join(server.data, name);
      fs.copyFileSync(path.join(CERTIFICATES, name), file);
      fs.chmodSync(file, 0o600);
      const { uid, gid } = fs.statSync(server.data);
      fs.chownSync(file, uid, gid);
    }
    await asOwner(server, 'postgres', async (client) => {
      await client.query('alter system set ssl = on');
      await client.query('select pg_reload_conf()');
    });
    const root = `sslrootcert=${encodeURIComponent(path.join(CERTIFICATES, 'server.crt'))}`;
    const encrypted = async (host: string, settings: string) => {
      const refusal = await refusalOf(url(host, settings));
      return refusal.message.replace('the database of this board cannot be used: ', '');
    };
    // The server reads its settings again when it gets round to it.
    const until = Date.now() + 10_000;
    while (Date.now() < until && /no encryption/.test(await encrypted('localhost', 'sslmode=require')));
    expect(await encrypted('localhost', 'sslmode=verify-full')).toBe(
      'its certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)',
    );
    expect(await encrypted('127.0.0.1', `sslmode=verify-full&${root}`)).toMatch(
      /^its certificate is not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
    );
    // Accepted: then it is the wrong database that is told.
    expect(await encrypted('localhost', `sslmode=verify-full&${root}`)).toBe('it has no tables of Liza');
  } finally {
    stopPostgres(folder);
  }
});

test('a database that was set back stops everything until a person decides', async () => {
  const other = await sharedBench(freshState({ goal: 'Back', spec_ref: 'specs/vision.md', now: START }), START);
  const context = other.host('here');
  const store = openStore(context);
  for (let n = 0; n < 3; n++) expect((await leave(store)).ok).toBe(true);
  const seen = path.join(context.paths.liza, 'journal.jsonl');
  await vi.waitFor(() => expect(fs.readFileSync(seen, 'utf8').split('\n').length).toBe(5), 10_000);
  await other.sql('delete from liza.entry where seq > 2');
  await other.sql('update liza.board set seq = 2, hash = (select hash from liza.entry where seq = 2)');
  await other.sql("update liza.record set text = replace(text, 'hello', 'hello') where false");
  expect(await leave(store)).toMatchObject({
    ok: false,
    code: 4,
    guard: 'store-set-back',
    message: 'the database was set back: this host has seen entry 4, and the database ends with entry 2',
  });
  // Another process of this host has seen it on its disk.
  const fresh = { ...context, shared: { ...(context.shared ?? raise()) } };
  expect(await leave(openStore(fresh))).toMatchObject({ ok: false, guard: 'store-set-back' });
  await other.close();
});

const raise = (): never => {
  throw new Error('the board is not shared');
};
