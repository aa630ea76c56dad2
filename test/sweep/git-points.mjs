// Where to strike, and striking there. strace counts the calls that it tampers with per process, so every
// process is traced by itself: Liza's main thread by strace around it, each git by a shim on the PATH.
// Points are found in one recorded run and named <process>.<call>.<n>.<how>.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { environmentAt, layOut, namesIn, projectIn } from './git-places.mjs';
import { OPENS, quoted, TRACE } from './tracing.mjs';

const HERE = import.meta.dirname;
/** A git alone; Liza and every git at once; Liza alone, while a git is at work. */
const HOWS = ['git', 'all', 'orphan'];
/** Long enough that the doctor comes while the orphan is still there. */
const HELD_UP = 'delay_enter=1500000';

export function makeShims(base) {
  const folder = path.join(base, 'shims');
  fs.mkdirSync(folder);
  for (const name of ['git', 'git-upload-pack']) {
    fs.copyFileSync(path.join(HERE, 'git-shim.sh'), path.join(folder, name));
    fs.chmodSync(path.join(folder, name), 0o755);
  }
  return folder;
}

/** All points of a scenario, in the order in which they come for each process. */
export async function pointsOf(yard, place, scenario) {
  layOut(yard.base, place, scenario.from, scenario.isolation);
  const log = path.join(place, 'logs', 'liza.log');
  const strace = ['strace', '-D', '-q', '-y', '-s', '32', '-e', `trace=${TRACE}`, '-o', log];
  const { code, output, pid } = await launch(yard, place, scenario, { strace, env: { SWEEP_AT: 'every' } });
  if (code !== 0) throw new Error(`${scenario.name} fails under strace with ${code}: ${output}`);
  const logs = namesIn(path.join(place, 'logs')).filter((name) => name.endsWith('.log'));
  for (const name of logs) await ended(path.join(place, 'logs', name));
  const own = callsIn(fs.readFileSync(log, 'utf8'), place, pid).filter(({ mutates }) => mutates);
  const paths = [...new Set(own.flatMap((call) => call.paths))];
  const numbered = callsIn(fs.readFileSync(log, 'utf8'), place, pid, new Set(paths));
  const ofLiza = numbered
    .filter(({ mutates }) => mutates)
    .map((call) => ({ ...call, process: 'liza', how: 'liza', among: paths }));
  const ofGit = logs
    .filter((name) => name !== 'liza.log')
    .sort()
    .flatMap((name) => {
      const text = fs.readFileSync(path.join(place, 'logs', name), 'utf8');
      const calls = callsIn(text, place, pid).filter(({ mutates }) => mutates);
      const struck = calls.map((call) => ({ ...call, process: name.slice(0, -4) }));
      return HOWS.flatMap((how) => (how === 'orphan' ? middle(struck) : struck).map((point) => ({ ...point, how })));
    });
  return [...ofLiza, ...ofGit].map((point) => ({ ...point, id: idOf(point) }));
}

const middle = (calls) => (calls.length === 0 ? [] : [calls[Math.floor(calls.length / 2)]]);
const idOf = ({ process, call, nth, how }) => [process, call, nth, how].join('.');

/**
 * Calls of a log, numbered by name as strace counts them; with `among`, only those on these paths count.
 * What goes to a pipe or a terminal changes no disk.
 */
function callsIn(log, place, pid, among) {
  const counts = new Map();
  return log.split('\n').flatMap((line) => {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) return [];
    // Neither the current folder nor the number that an open answers is what the call is on.
    const asked = line.replace(/AT_FDCWD<[^>]*>/g, '').replace(/ = \d+<[^>]*>$/, '');
    const named = [...asked.matchAll(/"((?:[^"\\]|\\.)*)"|<((?:\/|[a-z]+:)[^>]*)>/g)].map(([, text, fd]) => text ?? fd);
    const all = named.map((name) => general(name, place, pid));
    const paths = all.filter((name) => name.startsWith('PLACE/'));
    if (among !== undefined && !paths.some((name) => among.has(name))) return [];
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    return [{ call, nth, mutates: changesDisk(call, asked), paths, what: whatOf(call, all) }];
  });
}

function changesDisk(call, line) {
  if (OPENS.includes(call)) return /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) && !/"\/(dev|proc)\//.test(line);
  const target = /^\w+\(\d+<([^>]*)>/.exec(line)?.[1];
  return target === undefined || (target.startsWith('/') && !/^\/(dev|proc)\//.test(target));
}

/** The call without what differs from run to run. */
function whatOf(call, names) {
  const isWrite = /^p?write/.test(call);
  return [call, ...(isWrite ? names.slice(0, 1) : names)].join(' ').replace(/[0-9a-f]{38,}/g, 'HASH');
}

const general = (name, place, pid) =>
  name
    .replaceAll(place, 'PLACE')
    .replace(new RegExp(`\\b${pid}\\b`, 'g'), 'PID')
    .replace(/tmp_(obj|idx|pack)_\w{6}/g, 'tmp_$1_RANDOM');

/** Runs the scenario's command until it is struck. `code`: 137 when Liza was killed. */
export async function strike(yard, place, scenario, point) {
  const log = path.join(place, 'logs', `${point.process}.log`);
  const injected = `${point.call}:${point.how === 'orphan' ? HELD_UP : 'signal=KILL'}:when=${point.nth}`;
  const inLiza = point.process === 'liza';
  const env = inLiza ? {} : { SWEEP_AT: point.process, SWEEP_HOW: point.how, SWEEP_INJECT: injected };
  const strace = [
    'strace',
    '-D',
    '-q',
    '-y',
    '-s',
    '32',
    '-e',
    `trace=${TRACE}`,
    '-e',
    `inject=${injected}`,
    '-o',
    log,
  ];
  const among = inLiza ? point.among : [];
  const done = await launch(yard, place, scenario, { strace: inLiza ? strace : undefined, env, among });
  if (point.how === 'orphan') return { ...done, struck: fs.existsSync(log) && done.code === 137 };
  const text = await ended(log);
  const last = callsIn(text ?? '', place, done.pid).at(-1);
  const struck = /\+\+\+ killed by SIGKILL/.test(text ?? '') && last?.what === point.what;
  return { ...done, struck, instead: last?.what };
}

/** After an orphan: until it has ended too. */
export const settled = (place, point) => ended(path.join(place, 'logs', `${point.process}.log`));

/** strace outlives the program by a moment: its last line says that it is done. undefined: it never ran. */
async function ended(log) {
  for (let pause = 1; fs.existsSync(log); pause *= 2) {
    const text = fs.readFileSync(log, 'utf8');
    if (/^\+\+\+ .* \+\+\+$/m.test(text)) return text;
    if (pause > 8192) throw new Error(`strace does not end: ${log}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  return undefined;
}

/**
 * In a process group of its own, so that all of it can be killed. A shell goes before: the program has its
 * pid, which the paths to be traced need to know beforehand.
 */
async function launch(yard, place, { argv, env: who }, { strace = [], env, among = [] }) {
  const root = projectIn(place);
  const logs = path.join(place, 'logs');
  const places = among.map((name) => `-P "${name.replace('PLACE', place).replace(/\bPID\b/g, '$$$$')}"`).join(' ');
  const program = ['node', '-r', path.join(HERE, 'steady.cjs'), yard.program, ...argv].map(quoted).join(' ');
  const script = `echo $$ > ${quoted(path.join(logs, 'pid'))}; export SWEEP_PID=$$; exec ${strace.map(quoted).join(' ')} ${places} ${program}`;
  const { NODE_EXTRA_CA_CERTS: _slow, LIZA_AGENT_ID: _id, LIZA_SESSION: _session, ...inherited } = process.env;
  const child = spawn('sh', ['-c', script], {
    cwd: root,
    env: {
      ...inherited,
      ...environmentAt(place, who),
      PATH: `${yard.shims}:${process.env.PATH}`,
      SWEEP_GIT: yard.git,
      SWEEP_SHIMS: yard.shims,
      SWEEP_LOGS: logs,
      SWEEP_TRACE: TRACE,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (status, signal) => resolve(signal === null ? status : 137));
  });
  return { code, output, pid: fs.readFileSync(path.join(logs, 'pid'), 'utf8').trim(), group: child.pid };
}
