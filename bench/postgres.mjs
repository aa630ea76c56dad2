// What a board on PostgreSQL costs, on a server of the bench's own with its data on disk and every commit durable.
//   command   one committed change, against the very same SQL by hand on a warm connection
//   tasks     the same at 10,000 tasks against 100, for a note and for a change of a task; a cold start at 10,000
//   wake      from a commit on one host to the call of a watcher on another, beyond LISTEN and NOTIFY by hand
//   writers   eight processes on one board: transactions each second, none lost, in turns with the same SQL by hand
//   idle      fifty hosts whose two hundred agents have nothing to do: statements each second, connections
//   takeover  from a host's death to the claim of another one
// All but the last two in turns with what they are held against. Numbers of a machine that others used meanwhile are shown,
// said to be worth nothing, and not kept.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { emptyDatabase, startPostgres, stopPostgres, stopPostgresWhenKilled } from '../test/support/postgres.mjs';
import { boardText } from './boards.mjs';
import { finish, median, quick, wantsCase } from './part.mjs';
import { idleHosts, takeovers } from './postgres-hosts.mjs';
import { quietness } from './quiet.mjs';

const LIMITS = {
  command: 2,
  tasks: 1.3,
  coldMs: 1000,
  wakeMs: 50,
  writers: 600,
  idle: 20,
  connections: 2,
  takeoverS: 2,
};
const IDLE = quick ? { count: 4, seconds: 20 } : { count: 50, seconds: 120 };
/** The limit is that of fifty. */
const IDLE_LIMIT = (LIMITS.idle * IDLE.count) / 50;
const TAKEOVERS = quick ? 1 : 5;
const ROUNDS = quick ? 60 : 300;
const SECONDS = quick ? 1 : 3;
const TURNS = 3;
const WRITERS = 8;
const BOARD = 'bench';

async function loadParts(folder) {
  const outfile = join(folder, 'parts.mjs');
  await build({
    stdin: {
      contents: `
        export { contextOf, openStore } from './src/store/open.ts';
        export { realHost } from './src/ports/real-host.ts';
        export { connect } from './src/ports/postgres.ts';
        export { literal } from './src/ports/database.ts';
        export { parseAddress } from './src/store/postgres/address.ts';
        export { fillBoard, setStage } from './src/store/postgres/fill.ts';
        export { migrate } from './src/store/postgres/migrate.ts';
        export { parseDocument } from './src/store/yaml/document.ts';
        export { storeText } from './src/store/shared-board.ts';
        export { transact } from './src/store/transact.ts';
        export { RECORD_SECTIONS } from './src/protocol/state.ts';
        export { sha256 } from './src/store/hash.ts';
        export { OPERATOR } from './src/protocol/board.ts';`,
      resolveDir: join(import.meta.dirname, '..'),
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    external: ['pg-native'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
}

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), 'liza-bench-postgres-'));
  const missed = [];
  const quiet = quietness();
  const table = ['| | ms or per second | against | limit |', '|---|--:|--:|--:|'];
  const tell = (name, value, ratio, limit, isMissed) => {
    const line = `| ${name} | ${value} | ${ratio} | ${limit} |`;
    table.push(line);
    console.log(line);
    if (isMissed) missed.push(`${name}: ${ratio || value} beyond ${limit}`);
  };
  try {
    await loadParts(folder);
    const parts = await import(pathToFileURL(join(folder, 'parts.mjs')).href);
    // What it needs of a folder, before the server: its data is on this disk.
    stopPostgresWhenKilled([folder]);
    const server = await startPostgres(folder, []);
    const small = await board(parts, server, folder, 100);
    await quiet.look('before the first case');
    if (wantsCase('command')) {
      const { ours, same, bare } = await againstSql(parts, small, await board(parts, server, folder, 100));
      const ratio = ours / same;
      tell(
        ...['one command', ours.toFixed(2), `${ratio.toFixed(2)} × the same SQL by hand (${same.toFixed(2)})`],
        ...[`≤ ${LIMITS.command} ×`, ratio > LIMITS.command],
      );
      tell(
        'one command',
        ours.toFixed(2),
        `${(ours / bare).toFixed(2)} × bare tables without rules (${bare.toFixed(2)})`,
        '',
        false,
      );
    }
    if (wantsCase('tasks')) {
      const large = await board(parts, server, folder, 10_000);
      for (const [name, change] of Object.entries(CHANGES)) {
        const [few, many] = await sideBySide(parts, small, large, change);
        const ratio = many / few;
        tell(
          `${name} at 10,000 tasks`,
          many.toFixed(2),
          `${ratio.toFixed(2)} × at 100 (${few.toFixed(2)})`,
          `≤ ${LIMITS.tasks} ×`,
          ratio > LIMITS.tasks,
        );
      }
      const cold = await coldStart(parts, large);
      tell('cold start at 10,000 tasks', cold.toFixed(0), '', `≤ ${LIMITS.coldMs}`, cold > LIMITS.coldMs);
    }
    if (wantsCase('wake')) {
      const { ours, byHand } = await wakes(parts, folder, await board(parts, server, folder, 100));
      tell(
        ...['wake on another host, p95', ours.toFixed(1), `${(ours - byHand).toFixed(1)} more than by hand`],
        ...[`≤ ${LIMITS.wakeMs} more`, ours - byHand > LIMITS.wakeMs],
      );
    }
    if (wantsCase('writers')) {
      const target = await board(parts, server, folder, 100);
      const { rate, hand, lost } = await writers(parts, folder, target, await board(parts, server, folder, 100));
      tell(
        'eight writers',
        `${rate.toFixed(0)}/s`,
        `${lost} lost; ${(rate / hand).toFixed(2)} × the same SQL by hand (${hand.toFixed(0)}/s)`,
        `≥ ${LIMITS.writers}/s`,
        rate < LIMITS.writers || lost > 0,
      );
    }
    await quiet.look('after the writers');
    if (wantsCase('idle')) {
      const { agents, rate, connections } = await inFolder((own) => idleHosts(own, IDLE));
      const what = `${IDLE.count} hosts with ${agents} idle agents`;
      tell(what, `${rate.toFixed(1)}/s`, 'statements', `≤ ${IDLE_LIMIT.toFixed(1)}/s`, rate > IDLE_LIMIT);
      tell(
        ...[what, connections.toFixed(1), 'connections for each host', `≤ ${LIMITS.connections}`],
        connections > LIMITS.connections,
      );
      if (agents < 4 * IDLE.count) missed.push(`idle: only ${agents} agents`);
    }
    if (wantsCase('takeover')) {
      const most = Math.max(...(await inFolder((own) => takeovers(own, TAKEOVERS))));
      tell(
        ...[
          `takeover after a host’s death, the slowest of ${TAKEOVERS}`,
          `lease ${most < 0 ? '−' : '+'} ${Math.abs(most).toFixed(1)} s`,
        ],
        ...['', `≤ lease + ${LIMITS.takeoverS} s`, most > LIMITS.takeoverS],
      );
    }
    await quiet.look('after the last case');
  } finally {
    stopPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  }
  finish({ marker: 'postgres', table, missed, busy: quiet.whatWasBusy() });
}

/** A server of its own, of which all that it is asked is written down. */
async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), 'liza-bench-hosts-'));
  stopPostgresWhenKilled([folder]);
  try {
    return await work(folder);
  } finally {
    stopPostgres(folder);
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

let boards = 0;

async function board(parts, server, folder, tasks) {
  const { url } = await emptyDatabase(server);
  const root = join(folder, `board-${boards++}`);
  mkdirSync(join(root, '.liza'), { recursive: true });
  writeFileSync(join(root, '.liza', 'store'), parts.storeText({ board: BOARD, host: 'bench', name: 'bench' }));
  const connection = await connectTo(parts, url);
  await parts.migrate(connection);
  const text = boardText(tasks);
  const parsed = await parts.parseDocument(text, { recordSections: parts.RECORD_SECTIONS });
  const change = [{ at: 0, del: [''], ins: text.split('\n') }];
  const line = JSON.stringify({
    ...{
      seq: 1,
      time: '2026-01-01T00:00:00Z',
      actor: 'human',
      command: 'init',
      detail: 'a bench',
      change,
      records: [],
    },
    ...{ prev: '0'.repeat(64), state: parts.sha256(text) },
  });
  await parts.fillBoard(connection, {
    board: BOARD,
    repository: undefined,
    lines: [[line]],
    doc: parsed.doc,
    archived: [],
    switches: {},
  });
  for (const step of [
    ['filling', 'ready'],
    ['ready', 'open'],
  ])
    await parts.setStage(connection, BOARD, step, parts.sha256(line));
  await connection.close();
  return { url, root };
}

const connectTo = (parts, url) =>
  parts.connect(parts.parseAddress(url, parts.realHost({}).disk), { application: 'bench' });

function storeOf(parts, { url, root }) {
  const host = parts.realHost({ LIZA_STORE_URL: url });
  const context = parts.contextOf({ root, gitDirectory: undefined, host, specExists: () => true, nested: undefined });
  return parts.openStore(context);
}

/** A writer on a host of its own. */
function ownHost(parts, { url, root }) {
  const own = `${root}-${process.pid}`;
  mkdirSync(join(own, '.liza'), { recursive: true });
  const name = `host-${process.pid}`;
  writeFileSync(join(own, '.liza', 'store'), parts.storeText({ board: BOARD, host: name, name }));
  return { url, root: own };
}

const CHANGES = {
  'a note': () => (state, now) => ({
    ...state,
    human_notes: [{ timestamp: new Date(now).toISOString().replace(/\.\d+/, ''), message: 'a note' }],
  }),
  'a task': () => (state, _now, round) => {
    const at = (round * 7919) % state.tasks.length;
    return {
      ...state,
      tasks: state.tasks.map((task, n) => (n === at ? { ...task, priority: (task.priority % 5) + 1 } : task)),
    };
  },
};

const run = (parts, store, change, round) =>
  store.transact({ actor: parts.OPERATOR, command: 'bench' }, ({ state }, now) => ({
    ok: true,
    state: change(state, now, round),
    detail: `round ${round}`,
  }));

async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** The two messages of a transaction as Liza sends them, the line and its rows made beforehand; and the same on bare tables. */
async function againstSql(parts, target, hand) {
  const store = storeOf(parts, target);
  const connection = await connectTo(parts, hand.url);
  const change = CHANGES['a task'](parts);
  for (let round = 0; round < 20; round++) await run(parts, store, change, round);
  const own = await connectTo(parts, target.url);
  const [{ line: sample }] = await own.query('select line from liza.entry order by seq desc limit 1');
  const [record] = await own.query("select section, key, text, value from liza.record where key = 'task-50'");
  await own.close();
  let [{ seq, hash }] = await connection.query('select seq::int, hash from liza.board');
  const { literal, sha256 } = parts;
  await connection.query(`create table bare_board as select * from liza.board;
    create table bare_entry (board text, seq bigint, line text, hash text, commit_id text, at timestamptz default now(), primary key (board, seq), unique (board, commit_id));
    create table bare_record as select * from liza.record; create unique index on bare_record (board, section, key)`);
  const [ours, same, bare] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(await timed(() => run(parts, store, change, round)));
    const line = JSON.stringify({ ...JSON.parse(sample), seq: seq + 1, prev: hash });
    const rows = JSON.stringify({ put: [record] });
    same.push(
      await timed(async () => {
        await connection.query(`begin; select * from liza.look('${BOARD}', ${seq}, '${hash}', true)`);
        await connection.query(
          `set local synchronous_commit = off; select liza.append('${BOARD}', ${seq + 1}, '${hash}', 'c${round}', 'h', ${literal(line)}, ${literal(rows)}); commit; select liza.flush()`,
        );
      }),
    );
    [seq, hash] = [seq + 1, sha256(line)];
    bare.push(
      await timed(async () => {
        await connection.query(`begin; select seq, hash from bare_board where id = '${BOARD}' for update`);
        await connection.query(
          `insert into bare_entry (board, seq, line, hash, commit_id) values ('${BOARD}', ${round}, ${literal(line)}, '${hash}', 'c${round}');
           update bare_record set text = ${literal(record.text)} where board = '${BOARD}' and section = 'tasks' and key = 'task-50';
           update bare_board set seq = ${round}, hash = '${hash}' where id = '${BOARD}';
           select pg_notify('bare', '${round}'); commit`,
        );
      }),
    );
  }
  await connection.close();
  return { ours: median(ours), same: median(same), bare: median(bare) };
}

async function sideBySide(parts, few, many, make) {
  const stores = [storeOf(parts, few), storeOf(parts, many)];
  const change = make(parts);
  const times = [[], []];
  for (let round = 0; round < ROUNDS + 10; round++)
    for (const [at, store] of stores.entries()) {
      const took = await timed(() => run(parts, store, change, round));
      if (round >= 10) times[at].push(took);
    }
  return times.map(median);
}

async function coldStart(parts, target) {
  const times = [];
  for (let round = 0; round < 5; round++) times.push(await timed(() => storeOf(parts, target).read()));
  return median(times);
}

const p95 = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.95)];
const now = () => performance.timeOrigin + performance.now();

/** Both in turns: a commit of this process, and an announcement by hand that another connection hears. */
async function wakes(parts, folder, target) {
  const child = fork(import.meta.filename, [], {
    env: { ...process.env, BENCH_WATCHER: JSON.stringify({ folder, target }) },
  });
  const next = async () => (await once(child, 'message'))[0];
  await next();
  const [speaker, listener] = [await connectTo(parts, target.url), await connectTo(parts, target.url)];
  await listener.query('listen by_hand');
  let heard = () => {};
  listener.onNotification((channel) => channel === 'by_hand' && heard(now()));
  const store = storeOf(parts, target);
  const [ours, byHand] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    const woken = next();
    let start = now();
    await run(parts, store, CHANGES['a note'](parts), round);
    ours.push((await woken).at - start);
    const notified = new Promise((resolve) => {
      heard = resolve;
    });
    start = now();
    await speaker.query("select pg_notify('by_hand', '')");
    byHand.push((await notified) - start);
  }
  child.kill();
  await Promise.all([speaker.close(), listener.close()]);
  return { ours: p95(ours), byHand: p95(byHand) };
}

async function watcher() {
  const { folder, target } = JSON.parse(process.env.BENCH_WATCHER);
  const parts = await import(pathToFileURL(join(folder, 'parts.mjs')).href);
  const store = storeOf(parts, ownHost(parts, target));
  await store.read();
  store.watch(() => process.send({ at: now() }));
  // It listens once it has heard itself.
  setTimeout(() => process.send('ready'), 1000);
}

/** Ours and the same SQL by hand, in turns of all eight. */
async function writers(parts, folder, target, hand) {
  const asked = { env: { ...process.env, BENCH_WRITER: JSON.stringify({ folder, target, hand }) } };
  const children = Array.from({ length: WRITERS }, () => fork(import.meta.filename, [], asked));
  const told = () => Promise.all(children.map(async (child) => (await once(child, 'message'))[0]));
  await told();
  const rates = { ours: [], hand: [] };
  let done = WRITERS;
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const who of ['ours', 'hand']) {
      const start = performance.now();
      const counted = told();
      for (const child of children) child.send(who);
      const count = (await counted).reduce((sum, one) => sum + one.done, 0);
      rates[who].push((1000 * count) / (performance.now() - start));
      if (who === 'ours') done += count;
    }
  for (const child of children) child.disconnect();
  const connection = await connectTo(parts, target.url);
  const [row] = await connection.query("select count(*) as n from liza.entry where line::json->>'command' = 'bench'");
  await connection.close();
  return { rate: median(rates.ours), hand: median(rates.hand), lost: done - Number(row.n) };
}

async function writer() {
  const { folder, target, hand } = JSON.parse(process.env.BENCH_WRITER);
  const parts = await import(pathToFileURL(join(folder, 'parts.mjs')).href);
  const store = storeOf(parts, ownHost(parts, target));
  const change = CHANGES['a note'](parts);
  const ours = async (round) => {
    const outcome = await run(parts, store, change, round);
    if (!outcome.ok) throw new Error(outcome.message);
  };
  await ours(0);
  const own = await connectTo(parts, target.url);
  const [{ line }] = await own.query('select line from liza.entry order by seq desc limit 1');
  const [record] = await own.query(
    "select section, key, text, value from liza.record where section = 'human_notes' limit 1",
  );
  await own.close();
  const connection = await connectTo(parts, hand.url);
  const byHand = rawTurn(parts, connection, JSON.parse(line), record);
  process.send('ready');
  const turns = { ours, hand: byHand };
  process.on('message', async (who) => {
    const until = performance.now() + SECONDS * 1000;
    let done = 0;
    for (; performance.now() < until; done += 1) await turns[who](done);
    process.send({ done });
  });
  process.on('disconnect', () => process.exit());
}

/** One turn on a board as Liza takes it, in two messages; the line is made from one of hers. */
function rawTurn({ literal, sha256 }, connection, sample, record) {
  const rows = literal(JSON.stringify({ put: [record] }));
  let [seq, hash] = [1, ''];
  return async () => {
    const [head] = await connection.query(`begin; select * from liza.look('${BOARD}', ${seq}, '${hash}', true)`);
    const next = Number(head.seq) + 1;
    const line = JSON.stringify({ ...sample, seq: next, prev: head.hash });
    const commit = `${process.pid}.${next}`;
    await connection.query(
      `set local synchronous_commit = off; select liza.append('${BOARD}', ${next}, '${head.hash}', '${commit}', 'h', ${literal(line)}, ${rows}); commit; select liza.flush()`,
    );
    [seq, hash] = [next, sha256(line)];
  };
}

if (process.env.BENCH_WRITER !== undefined) await writer();
else if (process.env.BENCH_WATCHER !== undefined) await watcher();
else await measure();
