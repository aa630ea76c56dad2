// `node test/partitions/partitions.mjs [--rounds 200] [--seed n] [--seconds n]`: three hosts with clones of their own and clocks
// an hour apart work on one board on a real PostgreSQL, each behind a proxy, and meet at one exchange. In each round tasks are
// added, and while they are worked on, hosts lose the database (cut, half-open, delayed) or the exchange (down, silent, cut,
// delayed, repeated), are killed or frozen, some for longer than a lease, and PostgreSQL is killed, with all that it
// acknowledged or back at where it was some seconds ago. When the weather is over, every task is merged; then: each once, every
// approved commit is in the branch at the exchange, which is the recorded merges and nothing else, the journal is whole and the
// same on every host, and each history keeps to the sequential specification (history.mjs); faults that are planted into the
// last history are noticed. Runs the program in dist/: `npm run build` first. Needs Linux.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { helpIfAsked } from '../../tools/help.mjs';
import { progress } from '../../tools/progress.mjs';
import { addTask, gitIn, SHOWN, startRepository } from '../support/core.mjs';
import { asOwner, emptyDatabase, serve, startPostgres, stopPostgres } from '../support/postgres.mjs';
import { checkHistory, checkLine, planted } from './history.mjs';
import { makeHost } from './hosts.mjs';
import { openProxy } from './proxy.mjs';

helpIfAsked(import.meta.filename);
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    seconds: { type: 'string', default: '6' },
    tasks: { type: 'string', default: '3' },
    keep: { type: 'boolean' },
  },
});
const LIZA = join(process.env.LIZA_DIST ?? join(import.meta.dirname, '../../dist'), 'liza.cjs');
const LEASE = 8;
/** So long the slowest round may take when everything is well again. */
const PATIENCE_MS = 150_000;
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-partitions-')));
const random = numbers(Number(values.seed));
const pick = (list) => list[Math.floor(random() * list.length)];
const counts = new Map();
const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);

/** The same numbers for the same seed, from 0 to below 1. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * A session before this one may have come as far, also by what a database has lost since: as the refusal says, its work is
 * set aside then. An exchange that is away is asked again.
 */
const WORK = `
t=$(basename "$PWD")
begin() { liza begin "$t" --intent "a file and its test" --risks none --validation "test -d . passes" --file src/ "$@"; }
begin || begin --set-aside
mkdir -p src test && echo "export const made = true;" > "src/$t.mjs"
echo "import '../src/$t.mjs';" > "test/$t.test.mjs"
git add -A && { git diff --cached --quiet || git commit -qm "$t"; }
for n in 1 2 3 4 5 6; do liza submit-for-review "$t" HEAD && exit 0; sleep 1; done
exit 1
`;
const SCENES = [
  {
    role: 'coder',
    steps: [{ run: ['sh', '-c', WORK] }, { exit: 42, reason: 'submitted' }],
  },
  { role: 'code-reviewer', steps: [{ approve: `good\n${SHOWN}` }, { exit: 0 }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

async function must(host, ...args) {
  for (let n = 0; ; n += 1) {
    const { code, text } = await host.run(args);
    if (code === 0) return text;
    // Somebody merges, or a connection has just broken: a person would say it again.
    if (code !== 2 || n === 20) throw new Error(`host ${host.n}: liza ${args.join(' ')}: exit ${code}: ${text}`);
    await sleep(300);
  }
}

async function begin() {
  const server = await startPostgres(base, ['fsync=off', 'full_page_writes=off']);
  const database = await emptyDatabase(server);
  const bare = join(base, 'exchange.git');
  mkdirSync(bare);
  spawnSync('git', ['init', '--bare', '--quiet', bare]);
  const hosts = [];
  for (let n = 0; n < 3; n += 1) {
    const proxy = await openProxy(server.port);
    hosts.push(makeHost({ base, n, liza: LIZA, proxy }));
  }
  const [first, ...others] = hosts;
  const address = ({ proxy }) => database.url.replace(`:${server.port}/`, `:${proxy.port}/`);
  startRepository(first.root, first.env);
  const settings = readFileSync(join(first.home, '.gitconfig'), 'utf8');
  for (const { home, ssh } of hosts)
    writeFileSync(join(home, '.gitconfig'), `${settings}[core]\n\tsshCommand = ${ssh}\n[ssh]\n\tvariant = ssh\n`);
  const script = join(base, 'script.json');
  writeFileSync(script, JSON.stringify({ scenes: SCENES }));
  await must(first, 'init', 'Partitions', '--yes');
  for (const [name, value] of Object.entries({
    ...{ sandbox: 'off', lease_duration: LEASE, review_lease_duration: LEASE, heartbeat_interval: 1, poll_interval: 2 },
    ...{
      test_command: 'sleep 0.2',
      exchange: `near:${bare}`,
      providers: JSON.stringify({ rehearsal: { script, pace: 0 } }),
    },
  }))
    await must(first, 'config', 'set', name, String(value));
  first.git('push', '--quiet', bare, 'integration', 'main');
  const moved = await first.run(['store', 'move', 'postgres'], { LIZA_STORE_URL: address(first) });
  if (moved.code !== 0) throw new Error(moved.text);
  for (const host of others) {
    spawnSync('git', ['clone', '--quiet', '--branch', 'main', bare, host.root], { env: host.env });
    host.git('branch', 'integration', 'origin/integration');
    const joined = await host.run(['init', '--join'], { LIZA_STORE_URL: address(host) });
    if (joined.code !== 0) throw new Error(joined.text);
  }
  return { server, database, bare, hosts, base: first.git('rev-parse', 'integration') };
}

/** The server and all that it started. */
function postgresOf({ pid }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  return [pid, ...children.map(Number)];
}

function signalAll(pids, signal) {
  for (const one of pids) {
    try {
      process.kill(one, signal);
    } catch {
      // it went with the first one
    }
  }
}

/** `image`: what it finds on its disk when it starts again; otherwise what it has written. */
async function killPostgres(world, image) {
  const { server } = world;
  const pids = postgresOf(world);
  signalAll(pids, 'SIGKILL');
  while (pids.some((one) => isThere(one))) await sleep(10);
  if (image !== undefined) {
    rmSync(server.data, { recursive: true, force: true });
    renameSync(image, server.data);
  }
  await sleep(random() * 1500);
  world.pid = await serve(server, server.settings);
}

/** Its disk as it is at one moment, as after a power failure that it comes back from. */
function imageOf(world) {
  const image = `${world.server.data}.image`;
  rmSync(image, { recursive: true, force: true });
  const pids = postgresOf(world);
  signalAll(pids, 'SIGSTOP');
  try {
    // With its owner, who is not this user.
    const copied = spawnSync('cp', ['-a', world.server.data, image]);
    if (copied.status !== 0) throw new Error(`cp: ${copied.stderr}`);
    rmSync(join(image, 'postmaster.pid'), { force: true });
  } finally {
    signalAll(pids, 'SIGCONT');
  }
  return image;
}

function isThere(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.startsWith('Z') === false;
  } catch {
    return false;
  }
}

const CALAMITIES = {
  'database cut': async ({ proxy }) => proxy.cut(),
  'database away': async ({ proxy }) =>
    during(
      () => proxy.set({ kind: 'down' }),
      () => proxy.set({ kind: 'well' }),
    ),
  'database half-open': async ({ proxy }) =>
    during(
      () => proxy.set({ kind: 'half-open' }),
      () => proxy.set({ kind: 'well' }),
    ),
  'database slow': async ({ proxy }) =>
    during(
      () => proxy.set({ kind: 'delay', ms: 20 + random() * 200 }),
      () => proxy.set({ kind: 'well' }),
    ),
  'exchange broken': async (host) => {
    const how = pick(['down', 'silent', 'cut-up 300', 'cut-up 900', 'cut-down 200', 'delay 100', 'twice', 'half-open']);
    count(`exchange ${how}`);
    await during(
      () => host.exchange(how),
      () => host.exchange('well'),
    );
  },
  killed: async (host) => {
    await host.stop();
    await sleep(random() * 2000);
    host.start();
  },
  frozen: async (host) => {
    const seconds = 1 + random() * (LEASE + 4);
    if (seconds > LEASE) count('frozen for longer than a lease');
    await during(host.freeze, host.thaw, seconds * 1000);
  },
};

async function during(before, after, ms = 500 + random() * 8000) {
  before();
  await sleep(ms);
  after();
}

async function weather(world, until) {
  const each = world.hosts.map(async (host) => {
    while (Date.now() < until) {
      await sleep(random() * 2500);
      const what = pick(Object.keys(CALAMITIES));
      count(what);
      await CALAMITIES[what](host);
    }
  });
  const server = (async () => {
    await sleep(random() * Number(values.seconds) * 1000);
    const how = pick(['well', 'well', 'killed', 'killed', 'back']);
    if (how === 'killed') {
      count('PostgreSQL killed');
      await killPostgres(world);
    } else if (how === 'back') {
      count('PostgreSQL killed, and back some seconds');
      const image = imageOf(world);
      await sleep(random() * 3000);
      world.setBack = true;
      await killPostgres(world, image);
    }
  })();
  await Promise.all([...each, server]);
}

const query = (world, text) =>
  asOwner(world.server, world.database.name, async (client) => (await client.query(text)).rows);

/** As the server has it: no host is asked. */
async function boardNow(world) {
  const live = await query(world, "select value from liza.record where section = 'tasks' and value is not null");
  const archived = await query(world, "select text from liza.archived where kind = 'task'");
  return [...archived.map(({ text }) => parse(text)[0]), ...live.map(({ value }) => value)].filter(
    (one) => typeof one?.id === 'string',
  );
}

async function round(world, n) {
  const { hosts } = world;
  world.setBack = false;
  const names = Array.from({ length: Number(values.tasks) }, (_, at) => `r${n}-t${at}`);
  for (const name of names) await must(hosts[n % 3], ...addTask(name));
  await weather(world, Date.now() + Number(values.seconds) * 1000);
  for (const host of hosts) host.start();
  const until = Date.now() + PATIENCE_MS;
  for (let look = 0; ; look += 1) {
    const there = await boardNow(world);
    const lost = names.filter((name) => !there.some(({ id }) => id === name));
    const open = there.filter(({ id, status }) => names.includes(id) && status !== 'MERGED');
    if (open.length + lost.length === 0 && (look > 0 || !world.setBack)) break;
    if (Date.now() > until)
      return [`not merged: ${[...lost, ...open.map(({ id, status }) => `${id} ${status}`)].join(', ')}`];
    await decide(world);
    for (const name of lost) await again(hosts[0], name);
    await sleep(300);
  }
  return check(world);
}

/** What was added last may be among what was lost: a person says it again. */
async function again(host, name) {
  const { code } = await host.run(addTask(name));
  if (code === 0) count('added again');
}

/**
 * A host that has seen what a killed server had not yet on its disk stops: a person decides that the server counts. Only where
 * the server went back a person also accepts that the exchange is further than the board.
 */
async function decide(world) {
  const stopped = world.hosts.flatMap((host) => host.ended.splice(0));
  for (const { code } of stopped) count(`a supervisor ended with ${code}`);
  if (!world.setBack && !stopped.some(({ code }) => code === 4)) return;
  for (const host of world.hosts) {
    const { text } = await host.run(['status']);
    if (text.includes('set back')) {
      count('set back, and accepted');
      await must(host, 'store', 'accept');
    } else if (world.setBack && text.includes('moved outside Liza')) {
      count('the branch at the exchange accepted');
      await host.run(['doctor', '--accept-integration']);
    }
  }
}

async function check(world) {
  const { hosts, bare } = world;
  const tasks = await boardNow(world);
  const rows = await query(world, 'select line from liza.entry order by seq');
  const lines = rows.map(({ line }) => line);
  const wrong = checkHistory(
    lines.map((line) => JSON.parse(line)),
    tasks,
  );
  const git = (...args) => gitIn(bare, args, hosts[0].env).trim();
  const line = git('rev-list', '--first-parent', '--reverse', `${world.base}..integration`).split('\n').filter(Boolean);
  wrong.push(...checkLine(line, tasks));
  for (const { id, status, review_commit: commit } of tasks) {
    if (status !== 'MERGED') continue;
    const inside = spawnSync('git', ['-C', bare, 'merge-base', '--is-ancestor', commit, 'integration']).status === 0;
    if (!inside) wrong.push(`the approved commit ${commit} of ${id} is not in the integration branch`);
    const file = spawnSync('git', ['-C', bare, 'cat-file', '-e', `integration:src/${id}.mjs`]).status === 0;
    if (!file) wrong.push(`the work of ${id} is not in the integration branch`);
  }
  for (const host of hosts) {
    const { code, text } = await host.run(['log', 'verify']);
    if (code !== 0 || !text.includes('intact')) wrong.push(`host ${host.n}: log verify: ${text}`);
    const own = readFileSync(join(host.root, '.liza', 'journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    if (own.some((one, at) => one !== lines[at] && lines[at] !== undefined))
      wrong.push(`host ${host.n}: its journal is not the server’s`);
  }
  return wrong;
}

/** Of faults that were put into the history, those that nobody noticed. */
async function unnoticed(world) {
  const tasks = await boardNow(world);
  const rows = await query(world, 'select line from liza.entry order by seq');
  const faults = planted(rows.map(({ line }) => JSON.parse(line)));
  count(`planted faults noticed, of ${faults.length}`);
  return faults.flatMap(([what, entries, said]) =>
    checkHistory(entries, tasks).some((text) => said.test(text)) ? [] : [`nobody noticed a planted fault: ${what}`],
  );
}

/** Zombies that came back and were told: their session had lost its task to somebody else. */
function countZombies({ hosts }) {
  for (const { home } of hosts)
    for (const log of ['coder.log', 'code-reviewer.log'])
      for (const _ of readFileSync(join(home, log), 'utf8').matchAll(/its lease was lost/g)) count('leases lost');
}

const world = await begin();
world.pid = world.server.pid;
/** Whoever stops it by hand gets its hosts and its server stopped, too. */
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await Promise.all(world.hosts.map((host) => host.stop()));
    stopPostgres(base);
    rmSync(base, { recursive: true, force: true });
    process.exit(130);
  });
let wrong = [];
let done = 0;
try {
  for (const host of world.hosts) host.start();
  for (; done < Number(values.rounds) && wrong.length === 0; done += 1) {
    wrong = await round(world, done);
    progress(done + 1, Number(values.rounds), 'rounds');
  }
  if (wrong.length === 0) wrong = await unnoticed(world);
} finally {
  for (const host of world.hosts) await host.stop();
  countZombies(world);
  for (const host of world.hosts) await host.proxy.close();
  stopPostgres(base);
  if (wrong.length === 0 && !values.keep) rmSync(base, { recursive: true, force: true });
}
const told = [...counts].toSorted().map(([what, times]) => `${what} ${times}`);
console.log(`seed ${values.seed}: ${done} rounds; ${told.join(', ')}`);
for (const one of wrong) console.log(`WRONG: ${one}`);
if (wrong.length > 0) console.log(`what is left: ${base}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
