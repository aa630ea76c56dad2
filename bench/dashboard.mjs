// `node bench/dashboard.mjs`: what the dashboard costs. Measured on the built program over plain HTTP, as browsers speak it: first
// page and its files, news from the commit to the wire, ten thousand tasks, fifty open pages, nobody looking, and memory beside
// a crew. Linux. Not part of `npm run bench`: it takes two minutes, and judges by the limits that it prints.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { helpIfAsked } from '../tools/help.mjs';
import { makeBoard } from './boards.mjs';

helpIfAsked(import.meta.filename);
const LIZA = join(import.meta.dirname, '..', 'dist', 'liza.cjs');
const { NODE_EXTRA_CA_CERTS: _, ...ENV } = process.env;
const liza = (cwd, ...args) =>
  execFileSync(process.execPath, [LIZA, ...args], {
    cwd,
    env: ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
/** A coder that waits for ever, and a planner that plans nothing. */
const HANGING = [
  { role: 'coder', steps: [{ hang: true }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

let failed = false;
const tell = (what, value, unit, limit) => {
  const isOver = limit !== undefined && value > limit;
  failed ||= isOver;
  const most = limit === undefined ? '' : `  at most ${limit} ${unit}${isOver ? '  TOO MUCH' : ''}`;
  console.log(`${what.padEnd(62)} ${String(Math.round(value * 10) / 10).padStart(8)} ${unit}${most}`);
};
const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const small = makeBoard(30);
const large = makeBoard(10_000);
const folders = [small, large];
const running = new Set();
try {
  for (const root of [small, large]) liza(root, 'note', 'begin');
  await ordinary(await serve(small));
  await thousands(await serve(large));
  await memory();
} finally {
  for (const child of running) child.kill('SIGTERM');
  await Promise.all([...running].map((child) => new Promise((resolve) => child.once('exit', resolve))));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

async function ordinary(server) {
  const { origin, pid, root } = server;
  const times = [];
  for (let n = 0; n < 30; n += 1) times.push((await timed(() => ask(server, 'now'))).ms);
  tell('first page, p95', quantile(times, 0.95), 'ms', 200);
  const { body } = await ask(server, 'now');
  const files = [...body.matchAll(/(?:href|src)="(\/(?:look|live)-[^"]+)"/g)].map(([, file]) => file);
  const sizes = await Promise.all(
    files.map((file) => raw(`${origin}${file}`, { 'accept-encoding': 'gzip' }).then(({ bytes }) => bytes)),
  );
  tell('script and style, compressed', sizes.reduce((sum, size) => sum + size, 0) / 1024, 'KB', 60);

  const stream = open(server, 'now');
  await stream.until('stand');
  const waits = [];
  for (let n = 0; n < 40; n += 1) waits.push(await newsAfterCommit(server, stream, ['note', `news ${n}`]));
  tell('news on the wire after the commit, p50', quantile(waits, 0.5), 'ms');
  tell('news on the wire after the commit, p95', quantile(waits, 0.95), 'ms', 150);
  stream.close();

  const views = ['now', 'board', 'queue', 'agents', 'log'];
  const many = Array.from({ length: 50 }, (_, at) => open(server, views[at % views.length]));
  await Promise.all(many.map((one) => one.until('stand')));
  const before = cpu(pid);
  const begun = Date.now();
  for (let n = 0; n < 50; n += 1) {
    const next = begun + 200 * (n + 1);
    spawn(process.execPath, [LIZA, 'note', `to fifty ${n}`], { cwd: root, env: ENV, stdio: 'ignore' });
    await sleep(Math.max(0, next - Date.now()));
  }
  await sleep(1000);
  const took = Date.now() - begun;
  tell('fifty open pages at 5 events/s: of one core', (100 * (cpu(pid) - before)) / took, '%', 10);
  tell('events that each of them was told, of 50', Math.min(...many.map(({ entries }) => entries())), '', undefined);
  for (const one of many) one.close();

  await sleep(1500);
  const quiet = cpu(pid);
  await sleep(10_000);
  tell('nobody looks: of one core', (100 * (cpu(pid) - quiet)) / 10_000, '%', 0.2);
}

async function thousands(server) {
  await ask(server, 'board');
  const times = [];
  for (let n = 0; n < 5; n += 1) times.push((await timed(() => ask(server, 'board'))).ms);
  tell('10,000 tasks: the board’s page', quantile(times, 0.5), 'ms', 1000);
  const stream = open(server, 'board');
  await stream.until('stand');
  const waits = [];
  for (let n = 0; n < 20; n += 1)
    waits.push(await newsAfterCommit(server, stream, ['pause', `task-${10 * (n + 5)}`], 'parts'));
  tell('10,000 tasks: a row’s news on the wire after the commit, p50', quantile(waits, 0.5), 'ms', 50);
  tell('10,000 tasks: size of such news', quantile(stream.sizes('parts'), 0.5) / 1024, 'KB');
  stream.close();
}

/** A crew at work, without and with its dashboard. */
async function memory() {
  const root = mkdtempSync(join(tmpdir(), 'liza-bench-web-'));
  folders.push(root);
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '--allow-empty', '-m', 'start');
  execFileSync('mkdir', ['-p', join(root, 'specs')]);
  writeFileSync(join(root, 'specs', 'vision.md'), '# Vision\n\nA program that adds two numbers, and says so.\n');
  git('add', '.');
  git('-c', 'user.name=b', '-c', 'user.email=b@b', 'commit', '-q', '-m', 'vision');
  liza(root, 'init', 'Measure');
  const script = join(root, '.liza', 'rehearsal.json');
  writeFileSync(script, JSON.stringify({ scenes: HANGING }));
  liza(root, 'config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } }));
  const task = ['--id', 'a', '--desc', 'make a', '--spec', 'specs/vision.md', '--done', 'a is there and exported'];
  liza(root, 'add-task', ...task, '--scope', 'IN: src/', '--validate', 'test -d .', '--ready');
  const sizes = [];
  for (const more of [[], ['--web']]) {
    const child = spawn(process.execPath, [LIZA, 'run', '--plain', '--agent', 'rehearsal', ...more], {
      cwd: root,
      env: { ...ENV, LIZA_BACKGROUND: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    child.once('exit', () => running.delete(child));
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    child.stderr.resume();
    await sleep(6000);
    const [link] = /http:\S+/.exec(said) ?? [];
    if (link !== undefined) {
      const server = await comeIn(link);
      for (const view of ['now', 'board', 'queue', 'agents', 'log', 'cost', 'account']) await ask(server, view);
      const stream = open(server, 'now');
      await stream.until('stand');
      await sleep(1000);
      stream.close();
    }
    if (child.exitCode !== null) {
      console.log(`memory beside a crew: not measured, the crew ended: ${said.trim().split('\n').at(-1)}`);
      return;
    }
    sizes.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
  }
  tell('memory of liza run', sizes[0], 'MB');
  tell('memory of its dashboard, every page seen', sizes[1] - sizes[0], 'MB', 25);
}

async function serve(root) {
  const child = spawn(process.execPath, [LIZA, 'dashboard', '--json'], {
    cwd: root,
    env: ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const line = await new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  return { ...(await comeIn(JSON.parse(line).link)), root, pid: child.pid };
}

async function comeIn(link) {
  const { origin, hash } = new URL(link);
  const body = new URLSearchParams({ code: hash.slice(1) }).toString();
  const answer = await raw(`${origin}/login`, { origin, 'content-type': 'application/x-www-form-urlencoded' }, body);
  return {
    origin,
    cookie: answer.headers['set-cookie'][0].split(';')[0],
    base: answer.headers.location.replace(/\/now$/, ''),
  };
}

function raw(url, headers, body) {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: body === undefined ? 'GET' : 'POST',
        agent: false,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => {
          const all = Buffer.concat(chunks);
          resolve({
            status: response.statusCode,
            headers: response.headers,
            bytes: all.length,
            body: all.toString('utf8'),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function ask({ origin, base, cookie }, page) {
  return raw(`${origin}${base}/${page}`, { cookie });
}

async function timed(work) {
  const begun = performance.now();
  const result = await work();
  return { ms: performance.now() - begun, result };
}

function open({ origin, base, cookie }, view) {
  const told = [];
  const waiting = new Set();
  let rest = '';
  const sent = get(
    `${origin}${base}/events?view=${view}&after=${Number.MAX_SAFE_INTEGER - 1}`,
    { agent: false, headers: { cookie } },
    (response) => {
      response.setEncoding('utf8');
      response.on('error', () => {});
      response.on('data', (chunk) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop();
        for (const block of blocks) {
          const event = /^event: (.*)$/m.exec(block)?.[1];
          if (event !== undefined) told.push({ event, at: performance.now(), size: block.length });
        }
        for (const look of waiting) look();
      });
    },
  );
  sent.on('error', () => {});
  return {
    close: () => sent.destroy(),
    entries: () => told.filter(({ event }) => event === 'entry').length,
    sizes: (event) => told.filter((one) => one.event === event).map(({ size }) => size),
    /** When the next such event came. `stand`: whatever a new stream is told first. */
    until: (event) =>
      new Promise((resolve) => {
        const from = event === 'stand' ? 0 : told.length;
        const look = () => {
          const found = told
            .slice(from)
            .find((one) => one.event === event || (event === 'stand' && one.event === 'anew'));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found.at);
        };
        waiting.add(look);
        look();
      }),
  };
}

/** From the moment when the journal has grown, which is when the change is committed. */
async function newsAfterCommit({ root }, stream, args, event = 'entry') {
  const journal = join(root, '.liza', 'journal.jsonl');
  const size = () => statSync(journal).size;
  const before = size();
  const came = stream.until(event);
  const child = spawn(process.execPath, [LIZA, ...args], { cwd: root, env: ENV, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  while (size() === before) await new Promise((resolve) => setTimeout(resolve, 1));
  const committed = performance.now();
  const at = await came;
  await ended;
  return Math.max(0, at - committed);
}

/** Milliseconds of processor time. */
function cpu(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 10 * (Number(fields[11]) + Number(fields[12]));
}
