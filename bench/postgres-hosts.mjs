// Whole hosts on one board: each a folder, a clone and crews of the built program, on a server of the bench's own.
//   idle      statements each second and connections of hosts whose agents have nothing to do
//   takeover  from a host's death to another one's claim of its task, beyond the lease

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTask, cleanEnvironment, runToEnd, startRepository } from '../test/support/core.mjs';
import { asOwner, emptyDatabase, startPostgres } from '../test/support/postgres.mjs';
import { LIZA } from './part.mjs';

/** All that the server is asked is in its log. */
const TOLD = ['log_statement=all', 'log_min_messages=log', 'fsync=off'];

/** `settings`: of the board, before it moves. */
export async function startHosts(base, count, { scenes, settings = {} }) {
  const server = await startPostgres(base, TOLD);
  const { name, url } = await emptyDatabase(server);
  const script = join(base, 'script.json');
  writeFileSync(script, JSON.stringify({ scenes }));
  const bare = join(base, 'exchange.git');
  git(base, 'init', '--bare', '--quiet', bare);
  const hosts = Array.from({ length: count }, (_, n) => hostAt(join(base, `host${n}`), url));
  const [first, ...others] = hosts;
  startRepository(first.root, first.env);
  await first.must('init', 'Hosts', '--yes');
  const providers = JSON.stringify({ rehearsal: { script, pace: 0 } });
  const all = { sandbox: 'off', exchange: bare, providers, default_provider: 'rehearsal', ...settings };
  for (const [key, value] of Object.entries(all)) await first.must('config', 'set', key, String(value));
  git(first.root, 'push', '--quiet', bare, 'integration', 'main');
  await first.must('store', 'move', 'postgres');
  const config = readFileSync(join(first.home, '.gitconfig'));
  for (const host of others) {
    mkdirSync(host.home, { recursive: true });
    writeFileSync(join(host.home, '.gitconfig'), config);
    git(base, 'clone', '--quiet', '--branch', 'main', bare, host.root);
    git(host.root, 'branch', 'integration', 'origin/integration');
    await host.must('init', '--join');
  }
  const sql = (text) => asOwner(server, name, async (client) => (await client.query(text)).rows);
  return { hosts, sql, log: join(server.place, 'log') };
}

function git(folder, ...args) {
  const { status, stderr } = spawnSync('git', ['-C', folder, ...args], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
}

function hostAt(home, url) {
  const root = join(home, 'project');
  const env = { ...cleanEnvironment(home), LIZA_STORE_URL: url, LIZA_NOTIFY: 'off' };
  const run = (...args) => runToEnd(process.execPath, [LIZA, ...args], { cwd: root, env });
  return {
    ...{ home, root, env, run },
    async must(...args) {
      const { code, text } = await run(...args);
      if (code !== 0) throw new Error(`liza ${args.join(' ')}: exit ${code}: ${text}`);
      return text;
    },
    agent(role) {
      spawn(process.execPath, [LIZA, 'agent', role], { cwd: root, env, stdio: 'ignore', detached: true }).unref();
    },
    /** Whatever works in its folders, at once. */
    kill() {
      for (const pid of processesIn(home)) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // it has ended by itself
        }
      }
    },
  };
}

const processesIn = (home) =>
  readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readlinkSync(`/proc/${name}/cwd`).startsWith(`${home}/`) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });

/** A task that a person holds back: the goal is not over, and nobody has anything to do. */
export async function idleHosts(folder, { count, seconds }) {
  const scenes = [{ role: 'planner', steps: [{ exit: 0 }] }];
  const { hosts, sql, log } = await startHosts(folder, count, { scenes });
  try {
    await hosts[0].must(...addTask('later'));
    await hosts[0].must('pause', 'later');
    for (const host of hosts) await host.must('run', '--detach');
    // Whatever a start does is over.
    await sleep(20_000);
    const [{ agents }] = await sql(`select count(*)::int as agents from liza.lease where ${THERE}`);
    const before = askedIn(log);
    const open = [];
    const start = performance.now();
    while (performance.now() - start < seconds * 1000) {
      const [row] = await sql("select count(*)::int as n from pg_stat_activity where application_name = 'liza'");
      open.push(row.n);
      await sleep(2000);
    }
    const took = (performance.now() - start) / 1000;
    // The looks at pg_stat_activity are not theirs.
    const rate = (askedIn(log) - before - open.length) / took;
    return { agents, rate, connections: Math.max(...open) / count };
  } finally {
    for (const host of hosts) host.kill();
  }
}

const THERE = 'expires > liza.now() and not stopped';
const askedIn = (log) => readFileSync(log, 'latin1').split(/ LOG: {2}(?:statement|execute [^:]*): /).length - 1;

/** Seconds from the death of the host that holds a task to the claim of another one, each time beyond the lease. */
export async function takeovers(folder, rounds) {
  const lease = 8;
  const scenes = [{ role: 'coder', steps: [{ run: ['sleep', '600'] }] }];
  const settings = { lease_duration: lease, heartbeat_interval: 1 };
  const { hosts, sql } = await startHosts(folder, 2, { scenes, settings });
  const claims = () =>
    sql(
      "select host, extract(epoch from at)::float8 as at from liza.entry where line::json->>'command' = 'claim-task' order by seq",
    );
  const until = async (what, isSo) => {
    for (const end = performance.now() + 60_000; !(await isSo()); await sleep(50))
      if (performance.now() > end) throw new Error(`never came: ${what}`);
  };
  try {
    await hosts[0].must(...addTask('t'));
    hosts[0].agent('coder');
    await until('the first claim', async () => (await claims()).length === 1);
    const more = [];
    for (let round = 0; round < rounds; round += 1) {
      const [holder, other] = [hosts[round % 2], hosts[(round + 1) % 2]];
      other.agent('coder');
      await until('both agents', async () => (await sql(`select from liza.lease where ${THERE}`)).length === 2);
      // It waits for work by then.
      await sleep(3000);
      const [{ now }] = await sql('select extract(epoch from liza.now())::float8 as now');
      holder.kill();
      await until('the next claim', async () => (await claims()).length === round + 2);
      more.push((await claims()).at(-1).at - now - lease);
    }
    return more;
  } finally {
    for (const host of hosts) host.kill();
  }
}
