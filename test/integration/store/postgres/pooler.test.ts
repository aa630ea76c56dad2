// A real pgbouncer before a real PostgreSQL: in session mode a board works, in transaction mode it is refused with one
// sentence. `apt-get install pgbouncer`, or PGBOUNCER=<program>; without one these are skipped, and say so.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { OPERATOR } from '../../../../src/protocol/board.ts';
import { freshState } from '../../../../src/protocol/records/new-board.ts';
import { openStore } from '../../../../src/store/open.ts';
import type { Store } from '../../../../src/store/store.ts';
import { type SharedBench, sharedBench } from '../../../support/shared-board.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const START = Date.UTC(2026, 2, 1, 12);
const program =
  process.env['PGBOUNCER'] ?? ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((one) => fs.existsSync(one));
const isRoot = process.getuid?.() === 0;

let bench: SharedBench;
let pooler: ChildProcess | undefined;
beforeAll(async () => {
  bench = await sharedBench(freshState({ goal: 'Pool', spec_ref: 'specs/vision.md', now: START }), START);
});
afterEach(async () => {
  if (pooler === undefined || pooler.exitCode !== null) return;
  pooler.kill('SIGKILL');
  await once(pooler, 'exit');
  pooler = undefined;
});
afterAll(() => bench.close());

const leave = (store: Store) =>
  store.transact({ actor: OPERATOR, command: 'note' }, ({ state }) => ({ ok: true, state, detail: 'looked' }));

/** The address of one before the bench's server. */
async function pooled(mode: 'session' | 'transaction', settings = ''): Promise<string> {
  const folder = temporaryFolder();
  const { host, port, user, password } = bench.server;
  const own = await freePort();
  const file = path.join(folder, 'pgbouncer.ini');
  fs.writeFileSync(path.join(folder, 'users.txt'), `"${user}" "${password}"\n`);
  fs.writeFileSync(
    file,
    `[databases]\n* = host=${host} port=${port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${own}\nunix_socket_dir =\n` +
      `auth_type = plain\nauth_file = ${path.join(folder, 'users.txt')}\npool_mode = ${mode}\nlogfile = ${path.join(folder, 'log')}\n` +
      `ignore_startup_parameters = extra_float_digits\n${settings}`,
  );
  if (isRoot) spawnSync('chown', ['-R', 'nobody', folder]);
  // It must get there, as the nobody that root makes of it.
  for (let at = folder; at !== path.dirname(at); at = path.dirname(at))
    if (isRoot) fs.chmodSync(at, fs.statSync(at).mode | 0o011);
  pooler = spawn(program ?? '', [...(isRoot ? ['-u', 'nobody'] : []), file], { stdio: 'ignore' });
  await answering(own, pooler);
  return bench.url.replace(`:${port}/`, `:${own}/`);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function answering(port: number, child: ChildProcess): Promise<void> {
  for (const until = Date.now() + 10_000; ; ) {
    const socket = net.connect(port, '127.0.0.1');
    const came = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (came) return;
    if (child.exitCode !== null || Date.now() > until) throw new Error('pgbouncer did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test.skipIf(program === undefined)('in session mode a board works, also where the pool has one place', async () => {
  expect((await leave(openStore(bench.host('a', { through: await pooled('session') })))).ok).toBe(true);
  pooler?.kill('SIGKILL');
  const narrow = await pooled('session', 'default_pool_size = 1\n');
  expect((await leave(openStore(bench.host('b', { through: narrow })))).ok).toBe(true);
});

test.skipIf(program === undefined).each(['', 'server_round_robin = 1\nmin_pool_size = 3\n', 'default_pool_size = 1\n'])(
  'in transaction mode it is refused, with %j',
  async (settings) => {
    const store = openStore(bench.host('c', { through: await pooled('transaction', settings) }));
    const refused = await leave(store);
    expect(refused).toMatchObject({
      ok: false,
      code: 4,
      guard: 'store-refused',
      message:
        'the database of this board cannot be used: the pooler before it is in transaction mode, which mixes up sessions',
    });
    await expect(store.read()).rejects.toThrow('transaction mode');
  },
);
