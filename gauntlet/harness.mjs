// One row of the gauntlet at a time: a fresh repository with a blackboard, the built program in it as real processes,
// scripted agents under its supervisor, and a look from outside at what came of it: board, journal, refs, processes,
// alerts, files. An attempt that never took place fails the row, and so does a sandbox that was not there.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'yaml';
import { flags, startRepository } from '../test/support/core.mjs';
import { GOOD_CODER, GOOD_PLANNER, GOOD_REVIEWER, PRELUDE } from './agents.mjs';

const ROOT = path.join(import.meta.dirname, '..');
/** GAUNTLET_PROGRAM: another build, say the one that is installed. */
export const PROGRAM = process.env['GAUNTLET_PROGRAM'] ?? path.join(ROOT, 'dist', 'liza.cjs');

/** Not as stated. Anything else that is thrown is told too, as our own mistake. */
export class NotAsStated extends Error {}

export const prevented = (outcome) => ({ kind: 'prevented', outcome });
export const detected = (outcome) => ({ kind: 'detected', outcome });
export const contained = (outcome) => ({ kind: 'contained', outcome });

export function holds(fact, otherwise) {
  if (!fact) throw new NotAsStated(otherwise);
}

/** Plays one row, with or without the sandbox; never throws. */
export async function play(row, sandboxed, { keep = false } = {}) {
  const begun = performance.now();
  const world = makeWorld(row, sandboxed);
  const seconds = () => Number(((performance.now() - begun) / 1000).toFixed(1));
  try {
    await world.prepare();
    await (row.play ?? justRun)(world);
    world.reallySandboxed();
    const came = await row.check(world);
    return { id: row.id, sandboxed, ok: true, ...came, seconds: seconds() };
  } catch (error) {
    const problem = error instanceof NotAsStated ? error.message : (error.stack ?? String(error));
    return {
      id: row.id,
      sandboxed,
      ok: false,
      kind: 'NOT AS STATED',
      outcome: problem,
      seconds: seconds(),
      ...world.trace(),
    };
  } finally {
    await world.close(keep);
  }
}

/** The role with a script alone, or the whole crew if several have one, until it has nothing more to do. */
async function justRun(w) {
  await w.crew();
}

/** `play` of a row whose reviewer is LOOK: until it has its prompt. */
export const untilLooked = (w) => w.crew({ until: () => w.attempts('look').length > 0 });

const ROLES = { planner: 'planner', coder: 'coder', reviewer: 'code-reviewer' };
const GOOD = { planner: GOOD_PLANNER, coder: GOOD_CODER, reviewer: GOOD_REVIEWER };
const TASK = {
  id: 'a',
  desc: 'make a',
  spec: 'specs/vision.md',
  done: 'a is there and exported',
  scope: 'IN: src/, test/. OUT: docs/',
  validate: 'node test/a.test.mjs',
};

function makeWorld(row, sandboxed) {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), `gauntlet-${row.id.toLowerCase()}-`)));
  const root = path.join(base, 'project');
  const children = new Set();
  const heard = [];
  const env = cleanEnvironment(base);
  const w = {
    base,
    root,
    sandboxed,
    /** Digits that no other row has: for processes that hide whose they are. */
    nonce: String(Math.floor(1e8 + Math.random() * 9e8)),
    env,
    file: (...names) => path.join(root, ...names),
    read: (...names) => fs.readFileSync(path.join(root, ...names), 'utf8'),
    exists: (...names) => fs.existsSync(path.join(root, ...names)),
    run: (program, argv, options = {}) =>
      run(program, argv, { cwd: root, ...options, env: { ...env, ...options.env } }),
    liza: (argv, options) => w.run(process.execPath, [PROGRAM, ...argv], options),
    ok: (argv, options) => {
      const ran = w.liza(argv, options);
      if (ran.code !== 0) throw new NotAsStated(`liza ${argv.join(' ')} ended with ${ran.code}: ${ran.said}`);
      return ran;
    },
    git: (...argv) => {
      const ran = w.run('git', argv);
      if (ran.code !== 0) throw new Error(`git ${argv.join(' ')}: ${ran.said}`);
      return ran.stdout.trim();
    },
    /** What agents wait for by `await_signal`; `task`: whose folder they work in. */
    signal: (name, task = 'a') => {
      fs.writeFileSync(path.join(base, name), '');
      const folder = path.join(root, '.worktrees', task, '.git');
      if (w.sandboxed) fs.writeFileSync(path.join(folder, `gauntlet-${name}`), '');
    },
    start: (argv, options = {}) =>
      launch(children, process.execPath, [PROGRAM, ...argv], {
        cwd: root,
        ...options,
        env: { ...env, ...options.env },
      }),
    spawn: (program, argv, options = {}) =>
      launch(children, program, argv, { cwd: root, ...options, env: { ...env, ...options.env } }),
    prepare: () => prepare(w, row),
    crew: (options) => crew(w, row, options),
    until: (what, is, seconds = 60) => until(what, is, seconds),
    board: () => parse(w.read('.liza', 'state.yaml'), { maxAliasCount: 0 }),
    task: (id = 'a') => w.board().tasks.find((task) => task.id === id) ?? {},
    journal: () => lines(w.read('.liza', 'journal.jsonl')).map((line) => JSON.parse(line)),
    events: (id = 'a') => (w.task(id).history ?? []).map(({ event }) => event),
    alerts: () => (w.exists('.liza', 'alerts.log') ? w.read('.liza', 'alerts.log') : ''),
    logs: () =>
      logs(path.join(root, '.liza', 'agent-logs')) + heard.map(({ said }) => said().replace(TOLD, '')).join('\n'),
    /** All that agents with such an id were told at the start of their sessions. */
    prompts: (id) => prompts(path.join(root, '.liza', 'agent-prompts'), id),
    crewSaid: () => [...children].map(({ said }) => said()).join('\n'),
    /** From now on what this supervisor prints of its agents counts as a log: for rows in which logs are lost. */
    hears: (started) => heard.push(started),
    attempts: (name) => attemptsIn(w.logs(), name),
    tried: (name) => tried(w, name),
    refused: (name, ...patterns) => refused(w, name, patterns),
    succeeded: (name) => holds(tried(w, name).code === 0, `${name} was to succeed: ${tried(w, name).said}`),
    reallySandboxed: () => reallySandboxed(w, row),
    agentsAlive: () => processesOf(root),
    trace: () => ({ logs: tail(w.logs(), 4000), crew: tail(w.crewSaid(), 3000) }),
    close: (keep) => close(w, children, keep),
  };
  return w;
}

/** What stands before a line that a supervisor tells of its agent. */
const TOLD = /^\d\d:\d\d:\d\d \S+(?: [a-z0-9-]+)?: /gm;

function cleanEnvironment(base) {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(LIZA|GIT|GAUNTLET|npm)_/i.test(name) && name !== 'NODE_OPTIONS',
  );
  return {
    ...Object.fromEntries(kept),
    HOME: path.join(base, 'home'),
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'Person',
    GIT_AUTHOR_EMAIL: 'person@example.invalid',
    GIT_COMMITTER_NAME: 'Person',
    GIT_COMMITTER_EMAIL: 'person@example.invalid',
    NO_COLOR: '1',
  };
}

async function prepare(w, { files = {}, tasks = [{}], config = {}, given, planner, coder, reviewer, env = {} }) {
  fs.mkdirSync(w.env.HOME, { recursive: true });
  const executable = (text) => (file) => fs.writeFileSync(file, text, { mode: 0o755 });
  const all = Object.entries({ 'specs/vision.md': '# Vision\n', 'README.md': '# a\n', ...files });
  startRepository(w.root, w.env, {
    files: Object.fromEntries(all.map(([name, text]) => [name, name.endsWith('.sh') ? executable(text) : text])),
  });
  w.ok(['init', 'make a']);
  const providers = Object.fromEntries(
    Object.entries({ planner, coder, reviewer }).map(([role, script]) => [
      `as-${role}`,
      {
        kind: 'command',
        argv: ['sh', '-c', `${PRELUDE}\n${script ?? GOOD[role]}`],
        env: { GAUNTLET_ROOT: w.root, GAUNTLET_BASE: w.base, GAUNTLET_NONCE: w.nonce, ...env },
      },
    ]),
  );
  const settings = {
    sandbox: w.sandboxed ? 'require' : 'off',
    poll_interval: 2,
    heartbeat_interval: 1,
    ...config,
    providers,
  };
  for (const [key, value] of Object.entries(settings))
    w.ok(['config', 'set', key, typeof value === 'string' ? value : JSON.stringify(value)]);
  for (const given of tasks) addTask(w, given);
  await given?.(w);
}

export function addTask(w, given, options) {
  const { ready = true, ...fields } = { ...TASK, ...given };
  const said = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  return w.ok(['add-task', ...flags(said), ...(ready ? ['--ready'] : [])], options);
}

/**
 * `liza agent` for the only role that has a script, `liza run` for several; `argv`, `env`: more of each. Answers when
 * it has ended by itself; with `until` it is asked to stop once that holds.
 */
async function crew(w, row, { roles, argv = [], coders = 1, env, until: what, seconds = 90, wait: waits = true } = {}) {
  const scripted = roles ?? Object.keys(ROLES).filter((role) => row[role] !== undefined);
  const [only] = scripted;
  const started =
    scripted.length === 1
      ? w.start(['agent', ROLES[only], '--agent', `as-${only}`, '--until-idle', ...argv], { env })
      : w.start(
          [
            'run',
            '--plain',
            '--coders',
            String(coders),
            '--planner',
            'as-planner',
            '--coder',
            'as-coder',
            '--reviewer',
            'as-reviewer',
            ...argv,
          ],
          { env },
        );
  if (!waits) return started;
  if (what !== undefined) {
    await w.until('what the row waits for', () => what(w), seconds);
    await started.stop();
    return started;
  }
  await w.until('the crew ends', () => started.ended(), seconds);
  return started;
}

async function until(what, is, seconds) {
  const limit = performance.now() + seconds * 1000;
  for (;;) {
    let answer = false;
    try {
      answer = await is();
    } catch (error) {
      if (error instanceof NotAsStated) throw error; // a file in the making is looked at again
    }
    if (answer) return answer;
    if (performance.now() > limit) throw new NotAsStated(`after ${seconds} s this had not come: ${what}`);
    await wait(40);
  }
}

/** The attempts of that name: what was said, and with which status it ended. */
function attemptsIn(text, name) {
  const found = [];
  let said = [];
  for (const line of lines(text)) {
    if (line.startsWith(`TRY ${name} | `)) said.push(line.slice(`TRY ${name} | `.length));
    else if (line.startsWith(`TRY ${name} = `)) {
      found.push({ code: Number(line.slice(`TRY ${name} = `.length)), said: said.join('\n') });
      said = [];
    }
  }
  return found;
}

function tried(w, name) {
  const last = w.attempts(name).at(-1);
  if (last === undefined) throw new NotAsStated(`the attempt never took place: ${name}`);
  return last;
}

function refused(w, name, patterns) {
  const { code, said } = tried(w, name);
  holds(code !== 0, `${name} was let through: ${said}`);
  for (const pattern of patterns) holds(pattern.test(said), `${name} was refused without ${pattern}: ${said}`);
  return said;
}

/** Each session said whether it could write outside: a sandbox that is not there would prove nothing. */
function reallySandboxed(w, row) {
  if (row.agentless === true) return;
  const said = [...w.logs().matchAll(/^SESSION \S+ outside-writable=(yes|no)$/gm)].map(([, word]) => word);
  holds(said.length > 0, 'no session of an agent took place');
  const wrong = w.sandboxed ? 'yes' : 'no';
  holds(
    !said.includes(wrong),
    w.sandboxed ? 'a session was NOT in the sandbox' : 'a session was in a sandbox that was off',
  );
}

function logs(folder) {
  if (!fs.existsSync(folder)) return '';
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .sort()
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
    .join('\n');
}

function prompts(folder, id) {
  if (!fs.existsSync(folder)) return '';
  const names = fs.readdirSync(folder).filter((name) => name.startsWith(id));
  return names.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
}

/** Everyone whose environment or arguments name this project; Linux only, elsewhere by `ps`. */
export function processesOf(root) {
  if (!fs.existsSync('/proc/self')) {
    const { stdout } = run('ps', ['-Ao', 'pid=,args='], {});
    return lines(stdout)
      .filter((line) => line.includes(root))
      .map((line) => Number.parseInt(line, 10));
  }
  return fs.readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      if (/^\d+ \(.*\) Z/.test(fs.readFileSync(`/proc/${name}/stat`, 'latin1'))) return [];
      const text = ['environ', 'cmdline'].map((file) => fs.readFileSync(`/proc/${name}/${file}`, 'latin1')).join('');
      return text.includes(root) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

function run(program, argv, { cwd, env, input }) {
  const ran = spawnSync(program, argv, { cwd, env, input, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 60_000 });
  const [stdout, stderr] = [ran.stdout ?? '', ran.stderr ?? ''];
  return { code: ran.status ?? `${ran.signal ?? ran.error}`, stdout, stderr, said: `${stdout}${stderr}` };
}

function launch(children, program, argv, { cwd, env }) {
  const child = spawn(program, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let code;
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
  const closed = new Promise((done) =>
    child.once('close', (status, signal) => {
      code = status ?? signal;
      done(code);
    }),
  );
  const started = {
    pid: child.pid,
    child,
    closed,
    said: () => said,
    ended: () => code !== undefined,
    code: () => code,
    stop: async () => {
      child.kill('SIGINT');
      await Promise.race([closed, wait(15_000)]);
      child.kill('SIGKILL');
      return closed;
    },
    kill: async () => {
      child.kill('SIGKILL');
      return closed;
    },
  };
  children.add(started);
  return started;
}

async function close(w, children, keep) {
  for (const child of children) if (!child.ended()) await child.kill();
  for (const pid of [...processesOf(w.base), ...processesOf(w.nonce)]) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {} // gone meanwhile
  }
  if (keep) return;
  fs.rmSync(w.base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export const lines = (text) => text.split('\n').filter((line) => line !== '');
const tail = (text, most) => (text.length <= most ? text : `…${text.slice(-most)}`);
