// How many programs Liza starts for one merged task, from its claim to its merge: one coder and one reviewer that take no
// time, worktrees and clones, with and without the sandbox. strace counts processes that run a program of Liza's; what
// the agent's own script starts does not count, the `liza` commands in it do. The number hardly depends on the machine.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

const LIZA = join(process.env.LIZA_DIST ?? join(import.meta.dirname, '..', 'dist'), 'liza.cjs');
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
    return count(readFileSync(trace, 'utf8').split('\n'), from, to) / (MERGED - 1);
  } finally {
    const [pid] = readFileSync(`/proc/${crew.pid}/task/${crew.pid}/children`, 'utf8').split(' ').filter(Boolean);
    process.kill(Number(pid ?? crew.pid), 'SIGINT');
    await ended;
  }
}

/** Processes that ran a program in these lines and are not the agent's own. */
function count(lines, from, to) {
  const parents = new Map();
  const owners = new Map();
  const ownerOf = (pid) => (pid === undefined ? 'liza' : (owners.get(pid) ?? ownerOf(parents.get(pid))));
  const found = new Set();
  for (const [at, line] of lines.entries()) {
    const [pid = ''] = line.split(' ', 1);
    const child = /(?:clone3?|v?fork)(?:\(| resumed).* = (\d+)$/.exec(line)?.[1];
    if (child !== undefined && !line.includes('CLONE_THREAD')) {
      // The system gives a number again.
      parents.set(child, pid);
      owners.delete(child);
    }
    const [, program = '', words = ''] = /execve\("([^"]+)", \[(.*)\], .*(?:= 0|<unfinished \.\.\.>)$/.exec(line) ?? [];
    if (program === '') continue;
    if (program.endsWith('/sh') && words.includes(`"${NAME}"`)) owners.set(pid, 'agent');
    else if (/(?:liza|inside)\.cjs/.test(words) && ownerOf(pid) === 'agent') owners.set(pid, 'liza');
    if (at >= from && at < to && ownerOf(pid) === 'liza') found.add(pid);
  }
  return found.size;
}

const MODES = ['off', 'require'].flatMap((sandbox) =>
  ['worktree', 'clone'].map((isolation) => ({ isolation, sandbox })),
);
const rows = [];
const missing = spawnSync('strace', ['-f', '--seccomp-bpf', '-o', '/dev/null', 'true']).status !== 0;
if (missing) console.log('SKIPPED: programs: strace is missing, or may not trace here');
for (const { isolation, sandbox } of missing ? [] : MODES) {
  const name = `programs per merged task, ${isolation}, sandbox ${sandbox}`;
  if (!wantsCase(name)) continue;
  // Where the sandbox is on, all folders are clones.
  if (sandbox === 'require' && isolation === 'worktree') continue;
  rows.push({ name, value: await programsPerTask(isolation, sandbox) });
}
const table = ['| what | measured | limit |', '|---|--:|--:|'].concat(
  rows.map(({ name, value }) => `| ${name} | ${value.toFixed(1)} | ${LIMIT} |`),
);
console.log(table.join('\n'));
const missed = rows
  .filter(({ value }) => value > LIMIT)
  .map(({ name, value }) => `${name}: ${value.toFixed(1)} > ${LIMIT}`);
finish({ marker: 'programs', table, missed });
