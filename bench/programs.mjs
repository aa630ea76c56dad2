// How many programs Liza starts for one merged task, from its claim to its merge: one coder and one reviewer that take no
// time, worktrees and clones, with and without the sandbox. strace counts processes that run a program of Liza's; what
// the agent's own script starts does not count, the `liza` commands in it do. The number hardly depends on the machine.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, LIZA, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

const { NODE_EXTRA_CA_CERTS: _certificates, LIZA_AGENT_ID: _id, ...env } = process.env;
const LIMIT = 60;
const MERGED = quick ? 3 : 8;

/** The name under which the agent's shell runs. */
const NAME = 'bench-agent';

async function programsPerTask(isolation, sandbox) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-programs-')));
  try {
    const root = join(base, 'project');
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`file-${n}.txt`, `${n}\n`]));
    startRepository(root, cleanEnvironment(base), { files: { 'specs/vision.md': '# Vision\n', ...files } });
    const liza = (...args) => execFileSync(process.execPath, [LIZA, ...args], { cwd: root, env, stdio: 'pipe' });
    liza('init', 'Measure');
    const tiny = { kind: 'command', argv: ['/bin/sh', '-c', WORKER, NAME] };
    const config = { sandbox, isolation, providers: JSON.stringify({ tiny }) };
    for (const [key, value] of Object.entries(config)) liza('config', 'set', key, value);
    for (let n = 1; n <= MERGED; n += 1) liza(...addTask(`task-${n}`));
    return await traced(root, join(base, 'trace'));
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** From the first merge to the last: what starts and ends a crew does not count. */
async function traced(root, trace) {
  const how = [
    '-f',
    '--seccomp-bpf',
    '--pidns-translation',
    '-s',
    '4000',
    '-e',
    'trace=execve,clone,clone3,fork,vfork',
    '-o',
    trace,
    process.execPath,
  ];
  const crew = spawn('strace', [...how, LIZA, 'run', '--plain', '--agent', 'tiny', '--coders', '1'], {
    cwd: root,
    env,
    stdio: 'ignore',
  });
  const ended = new Promise((done) => crew.once('exit', done));
  const merged = () =>
    readFileSync(join(root, '.liza', 'state.yaml'), 'utf8').match(/^ {4}status: MERGED$/gm)?.length ?? 0;
  const linesAt = async (count) => {
    const last = performance.now() + 300_000;
    while (merged() < count) {
      if (performance.now() > last || crew.exitCode !== null) throw new Error(`only ${merged()} tasks were merged`);
      await sleep(5);
    }
    return readFileSync(trace, 'utf8').split('\n').length - 1;
  };
  try {
    const from = await linesAt(1);
    const to = await linesAt(MERGED);
    return count(readFileSync(trace, 'utf8').split('\n'), from, to);
  } finally {
    const [pid] = readFileSync(`/proc/${crew.pid}/task/${crew.pid}/children`, 'utf8').split(' ').filter(Boolean);
    process.kill(Number(pid ?? crew.pid), 'SIGINT');
    await ended;
  }
}

/** What processes ran in these lines that are not the agent's own, by program, each process once. */
function count(lines, from, to) {
  const births = lines.map(birthIn);
  const owners = new Map();
  // A child may run a program in a line before the one that tells of its birth.
  const early = new Set();
  const ownerOf = (pid, at) => {
    if (!owners.has(pid)) {
      const birth = births.find((one, line) => line > at && one?.child === pid);
      if (birth !== undefined) early.add(pid);
      owners.set(pid, birth === undefined ? 'liza' : ownerOf(birth.parent, at));
    }
    return owners.get(pid);
  };
  const found = new Map();
  // How often the number has ended: a process that becomes one program after another is one.
  const lives = new Map();
  for (const [at, line] of lines.entries()) {
    const [pid = ''] = line.split(' ', 1);
    const { child } = births[at] ?? {};
    if (child !== undefined && !early.delete(child)) owners.set(child, ownerOf(pid, at));
    // The system gives a number again.
    if (/ \+\+\+ (?:exited|killed)/.test(line)) {
      owners.delete(pid);
      lives.set(pid, (lives.get(pid) ?? 0) + 1);
    }
    const [, program = '', words = ''] = /execve\("([^"]+)", \[(.*)\], .*(?:= 0|<unfinished \.\.\.>)$/.exec(line) ?? [];
    if (program === '') continue;
    const owner = ownerOf(pid, at);
    if (program.endsWith('/sh') && words.includes(`"${NAME}"`)) owners.set(pid, 'agent');
    else if (/(?:liza|inside)\.cjs|\/cache\/bin\//.test(`${program} ${words}`) && owner === 'agent')
      owners.set(pid, 'liza');
    if (at >= from && at < to && ownerOf(pid, at) === 'liza') found.set(`${pid} ${lives.get(pid) ?? 0}`, words);
  }
  return [...found.values()].map(nameOf);
}

/** Numbers as strace itself sees them, in whatever namespace the child is. */
function birthIn(line) {
  if (line.includes('CLONE_THREAD')) return undefined;
  const [, inside, seen] =
    /(?:clone3?|v?fork)(?:\(| resumed).* = (\d+)(?: \/\* (\d+) in strace's PID NS \*\/)?$/.exec(line) ?? [];
  return inside === undefined ? undefined : { child: seen ?? inside, parent: line.split(' ', 1)[0] };
}

/** `git diff-tree`, `flock`, `liza submit-verdict`. */
function nameOf(words) {
  const said = [...words.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, word]) => word);
  const liza = said.findIndex((word) => /\.cjs$|\/cache\/bin\//.test(word));
  if (liza !== -1) return `liza ${said[liza + 1] ?? ''}`;
  const program = basename(said[0] ?? '');
  if (program === 'bwrap' || !said.includes('core.fsmonitor=false')) return program;
  const options = Math.max(said.lastIndexOf('-c'), said.lastIndexOf('-C')) + 2;
  return `git ${said.slice(options).find((word) => !word.startsWith('-'))}`;
}

/** The most frequent ones, for one merged task. */
function listed(names) {
  const times = new Map();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1 / (MERGED - 1));
  const shown = [...times].sort(([, a], [, b]) => b - a);
  return shown.map(([name, often]) => `${name} ${often.toFixed(1)}`).join(', ');
}

const MODES = ['off', 'require'].flatMap((sandbox) =>
  ['worktree', 'clone'].map((isolation) => ({ isolation, sandbox })),
);
const rows = [];
const missing =
  spawnSync('strace', ['-f', '--seccomp-bpf', '--pidns-translation', '-o', '/dev/null', 'true']).status !== 0;
if (missing) console.log('SKIPPED: programs: strace is missing, or may not trace here');
for (const { isolation, sandbox } of missing ? [] : MODES) {
  const name = `programs per merged task, ${isolation}, sandbox ${sandbox}`;
  if (!wantsCase(name)) continue;
  // Where the sandbox is on, all folders are clones.
  if (sandbox === 'require' && isolation === 'worktree') continue;
  const names = await programsPerTask(isolation, sandbox);
  rows.push({ name, value: names.length / (MERGED - 1) });
  console.log(`${name}: ${listed(names)}\n`);
}
const table = ['| what | measured | limit |', '|---|--:|--:|'].concat(
  rows.map(({ name, value }) => `| ${name} | ${value.toFixed(1)} | ${LIMIT} |`),
);
console.log(table.join('\n'));
const missed = rows
  .filter(({ value }) => value > LIMIT)
  .map(({ name, value }) => `${name}: ${value.toFixed(1)} > ${LIMIT}`);
finish({ marker: 'programs', table, missed });
