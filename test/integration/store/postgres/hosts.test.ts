// The hosts of a board, on a real PostgreSQL: a person lets one take no new work, and says what it has; every host sees it at
// once, in its journal, too. Alarms of a host that vanished, and of a database that does not answer or has lost entries.

import fs from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openObserver } from '../../../../src/alarms/observe.ts';
import { alarms } from '../../../../src/alarms/rules/evaluate.ts';
import { anchorThere, writeAnchor } from '../../../../src/exchange/anchor.ts';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { isRefusal } from '../../../../src/protocol/decision.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import type { BoardContext } from '../../../../src/store/context.ts';
import { openStore } from '../../../../src/store/open.ts';
import { acceptStore } from '../../../../src/store/postgres/accept.ts';
import { greet } from '../../../../src/store/postgres/hosts.ts';
import { migrate } from '../../../../src/store/postgres/migrate.ts';
import { sessionOf } from '../../../../src/store/postgres/session.ts';
import { hostsOf, sayOfHost } from '../../../../src/store/postgres/shared-hosts.ts';
import type { SharedBoard } from '../../../../src/store/shared-board.ts';
import type { StoreContext } from '../../../../src/store/transact.ts';
import { acceptBoard } from '../../../../src/tasks/exchange/accept-board.ts';
import { keepAnchor } from '../../../../src/tasks/exchange/keep-anchor.ts';
import { iso } from '../../../../src/text/time.ts';
import { CuttingProxy } from '../../../support/cutting-proxy.ts';
import { bareRepository, exchangeOf, hostClone } from '../../../support/exchange.ts';
import { INTEGRATION } from '../../../support/repository.ts';
import { connectTo, type SharedBench, sharedBench } from '../../../support/shared-board.ts';

const START = Date.UTC(2026, 2, 1, 12);
let bench: SharedBench;
beforeEach(async () => {
  bench = await sharedBench(freshState({ goal: 'Hosts', spec_ref: 'specs/vision.md', now: START }), START);
});
afterEach(() => bench.close());

interface HostOfTest {
  readonly context: StoreContext;
  readonly shared: SharedBoard;
}

async function hostOf(name: string, through?: string): Promise<HostOfTest> {
  const context: BoardContext = bench.host(name, through === undefined ? {} : { through });
  const { shared } = context;
  if (shared === undefined) throw new Error('the board is not shared');
  await sessionOf(context, shared).link.use((one) => greet(one, shared, 0));
  return { context: { ...context, store: openStore(context) }, shared };
}

const say = ({ context, shared }: HostOfTest, host: string, said: { drained?: boolean; tags?: readonly string[] }) =>
  sayOfHost(context, shared, { actor: OPERATOR, command: 'hosts drain', host, said });
const note = ({ context }: HostOfTest, message: string) =>
  context.store.transact({ actor: OPERATOR, command: 'note' }, ({ state }, now) => ({
    ok: true,
    state: { ...state, human_notes: [...state.human_notes, { timestamp: iso(now), message }] },
    detail: message,
  }));
const messages = async ({ context }: HostOfTest) =>
  (await context.store.read()).board.state.human_notes.map(({ message }) => message);
const namesOf = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name);

test('what a person says of a host is on every host’s board at once, and in the journal', async () => {
  const [a, b] = [await hostOf('a'), await hostOf('b')];
  expect(await say(a, 'b', { drained: true })).toMatchObject({ ok: true, host: { id: 'b' } });
  expect(await say(a, 'b', { tags: ['gpu', 'macos'] })).toMatchObject({ ok: true });
  const { board } = await b.context.store.read();
  expect(board.here).toBe('b');
  expect(board.hosts).toMatchObject([
    { id: 'a', drained: false, tags: [] },
    { id: 'b', drained: true, tags: ['gpu', 'macos'] },
  ]);
  expect(await say(b, 'b', { drained: true })).toMatchObject({ ok: true, already: true });
  expect(await say(b, 'b', { drained: false })).toMatchObject({ ok: true });
  expect(await say(b, 'b', { tags: [] })).toMatchObject({ ok: true });
  expect((await a.context.store.read()).board.hosts).toMatchObject([
    { id: 'a' },
    { id: 'b', drained: false, tags: [] },
  ]);
  const told: string[] = [];
  for await (const { detail } of a.context.store.journal(2)) told.push(detail);
  expect(told).toEqual(['b takes no new work', 'b has gpu, macos', 'b takes work again', 'b has no tags']);
  expect(await say(a, 'nobody', { drained: true })).toMatchObject({
    ok: false,
    message: 'no host of this board is called nobody',
    hint: 'one of: a, b',
  });
  expect(await hostsOf(a.context, a.shared)).toMatchObject([{ name: 'a' }, { name: 'b', drained: false, tags: [] }]);
});

test('a host that vanished while it held a lease is lost until it is seen again; one that stopped in order is not', async () => {
  const [a, b] = [await hostOf('a'), await hostOf('b')];
  await bench.setClock(START);
  const renew = (stops: boolean) =>
    bench.sql('select liza.renew($1, $2, null, 0, 60, $3, null, $4)', ['board-1', 'coder-1', 'b', stops]);
  await renew(false);
  const lost = async () => {
    const { board, now } = await a.context.store.read();
    return namesOf(alarms(board, now, { lastChange: now })).filter((name) => name === 'HOST LOST');
  };
  const greeted = async ({ context, shared }: HostOfTest) =>
    sessionOf(context, shared).link.use((one) => greet(one, shared, 0));
  await greeted(b);
  expect(await lost()).toEqual([]);
  await bench.setClock(START + 90_000);
  expect(await lost()).toEqual(['HOST LOST']);
  await greeted(b);
  expect(await lost()).toEqual([]);
  await renew(true);
  await bench.setClock(START + 900_000);
  expect(await lost()).toEqual([]);
});

test('a database that does not answer is an alarm, and none when it is back', { timeout: 60_000 }, async () => {
  const proxy = await CuttingProxy.open(bench.server.port);
  try {
    const { context } = await hostOf('a', bench.url.replace(`:${bench.server.port}/`, `:${proxy.port}/`));
    const observe = openObserver(context);
    expect(namesOf((await observe()).found)).not.toContain('STORE UNREACHABLE');
    proxy.isDown = true;
    proxy.cutAll();
    const { board, found } = await observe();
    expect(board?.state.goal.description).toBe('Hosts');
    expect(found[0]).toMatchObject({ name: 'STORE UNREACHABLE', level: 'alarm' });
    expect(found[0]?.text).toContain('the database of this board cannot be reached');
    for (const secret of ['127.0.0.1', String(proxy.port), bench.server.password, bench.database])
      expect(found[0]?.text).not.toContain(secret);
    // One that starts meanwhile has nothing else to tell.
    expect(namesOf((await openObserver(context)()).found)).toEqual(['STORE UNREACHABLE']);
    proxy.isDown = false;
    expect(namesOf((await observe()).found)).not.toContain('STORE UNREACHABLE');
  } finally {
    await proxy.close();
  }
});

test('a database that was set back stops a host, with an alarm, until a person accepts it', async () => {
  const a = await hostOf('a');
  await note(a, 'first');
  const back = await bench.backup();
  await note(a, 'lost');
  const observe = openObserver(a.context);
  expect(namesOf((await observe()).found)).not.toContain('STORE SET BACK');
  const forth = await bench.backup();
  await back();
  expect(await note(a, 'refused')).toMatchObject({ ok: false, guard: 'store-set-back' });
  expect(namesOf((await observe()).found)).toContain('STORE SET BACK');
  // A process that starts now has only the journal on its disk to know it by.
  const later = { ...a, context: { ...a.context, shared: { ...a.shared } } };
  const store = openStore(later.context);
  await expect(store.read()).rejects.toThrow('was set back: this host has seen entry 3');
  // The newer one is brought back: nothing was lost, and nobody has to decide.
  await forth();
  expect(await note(a, 'and on')).toMatchObject({ ok: true });
  expect(await messages(a)).toEqual(['first', 'lost', 'and on']);
  await back();
  expect(await note(a, 'refused')).toMatchObject({ ok: false, guard: 'store-set-back' });
  expect(await acceptBoard(a.context, a.shared)).toMatchObject({ ok: true });
  expect(fs.readdirSync(a.context.paths.rejected).some((file) => file.includes('journal'))).toBe(true);
  expect(await note(a, 'after it')).toMatchObject({ ok: true });
  expect(await messages(a)).toEqual(['first', 'after it']);
  expect(namesOf((await observe()).found)).not.toContain('STORE SET BACK');
});

test('the anchor at the exchange tells of a database that was set back with every disk that knew better', async () => {
  const repository = hostClone();
  const gitDir = await repository.gitDir({ integration: INTEGRATION });
  const exchange = await exchangeOf(gitDir, { exchange: bareRepository().path });
  const a = await hostOf('a');
  await note(a, 'first');
  const back = await bench.backup();
  await note(a, 'lost');
  const forth = await bench.backup();
  expect(await keepAnchor(a.context, exchange)).toEqual({ how: 'done' });
  expect(await anchorThere(exchange)).toMatchObject({ anchor: { board: 'board-1', seq: 3 } });
  await back();
  // One that has never seen the newer state.
  const b = await hostOf('b');
  expect(await note(b, 'begins')).toMatchObject({ ok: true });
  expect(await keepAnchor(b.context, exchange)).toEqual({ how: 'done' });
  expect(await note(b, 'stopped')).toMatchObject({ ok: false, guard: 'store-set-back' });
  const again = { ...b, context: { ...b.context, shared: { ...b.shared } } };
  await expect(openStore(again.context).read()).rejects.toThrow('was set back: this host has seen entry 3');
  expect(await anchorThere(exchange)).toMatchObject({ anchor: { seq: 3 } });
  await back();
  await expect(b.context.store.read()).rejects.toThrow('was set back');
  // A person decides: the newer one, which has all that the anchor names …
  await forth();
  await acceptStore(b.context, b.shared);
  expect(await messages(b)).toEqual(['first', 'lost']);
  expect(await keepAnchor(b.context, exchange)).toEqual({ how: 'done' });
  expect(await note(b, 'goes on')).toMatchObject({ ok: true });
  // … or the older one, which the anchor names from then on.
  await back();
  await acceptStore(b.context, b.shared);
  expect(await keepAnchor(b.context, exchange, 'accepted')).toEqual({ how: 'done' });
  expect(await anchorThere(exchange)).toMatchObject({ anchor: { seq: 2 } });
  expect(await note(b, 'from here')).toMatchObject({ ok: true });
  expect(await keepAnchor(b.context, exchange)).toEqual({ how: 'done' });
  expect(await anchorThere(exchange)).toMatchObject({ anchor: { seq: 3 } });
});

test('an exchange that is another board’s is not taken', async () => {
  const gitDir = await hostClone().gitDir({ integration: INTEGRATION });
  const exchange = await exchangeOf(gitDir, { exchange: bareRepository().path });
  await writeAnchor(exchange, { board: 'board-9', seq: 9, hash: 'a'.repeat(64) }, undefined);
  const a = await hostOf('a');
  expect(await keepAnchor(a.context, exchange)).toMatchObject({
    how: 'refused',
    why: 'it is the exchange of another board, board-9',
  });
  expect(await note(a, 'works on')).toMatchObject({ ok: true });
});

test('tables of an earlier version: one sentence, until their owner brings them up to date', async () => {
  const a = await hostOf('a');
  await bench.sql('create role worker_of_old login');
  await bench.sql('grant execute on function liza.greet(text, text, text, text, bigint) to worker_of_old');
  await bench.sql('drop function liza.set_host(text, text, boolean, text[])');
  await bench.sql('alter table liza.host drop column drained, drop column tags');
  await bench.sql('delete from liza.version where version > 1');
  const context = bench.host('c');
  const refused = await openStore(context).transact({ actor: OPERATOR, command: 'note' }, ({ state }) => ({
    ok: true,
    state,
    detail: '',
  }));
  expect(refused).toMatchObject({ ok: false, code: 4, guard: 'older-tables' });
  expect(isRefusal(refused) && refused.hint).toContain('liza store upgrade');
  const connection = await connectTo(bench.url);
  expect(await migrate(connection)).toBeUndefined();
  await connection.close();
  expect(await say(a, 'a', { tags: ['gpu'] })).toMatchObject({ ok: true });
  // Roles that worked before work after it.
  const [may] = await bench.sql(
    "select has_function_privilege('worker_of_old', 'liza.set_host(text, text, boolean, text[])', 'execute') as may",
  );
  expect(may).toEqual({ may: true });
  await bench.sql('drop owned by worker_of_old');
  await bench.sql('drop role worker_of_old');
});
