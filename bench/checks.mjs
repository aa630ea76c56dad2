// What the checks against cunning agents cost: open descriptors of the shell, programs that settings of git name, files
// above the checkouts, people's branches, commits that are not the task's own, a clone that rests. The program is built a
// second time with them taken out, as the gauntlet does it. Both run in turns: a note of a person by the clock, a crew
// that merges tasks by the processor time of all that it started. What counts is the median of what each pair differs by.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPlanted } from '../planted/build.mjs';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, median, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

const OFF = [
  { file: 'src/ports/inherited.ts', find: "if (process.platform !== 'linux') return;", put: 'return;' },
  { file: 'src/identity/branch-watch.ts', find: 'const mayHold = await', put: 'const mayHold = false && await' },
  { file: 'src/identity/branch-watch.ts', find: 'last && (await lostSince(', put: 'undefined && (await lostSince(' },
  {
    file: 'src/supervisor/assignments.ts',
    find: 'inspect: () => restFolder(taskContext, held.id, player.agent),',
    put: '',
  },
  { file: 'src/tasks/disposable-checkout.ts', find: 'const isOpen = !needs', put: 'const isOpen = false && !needs' },
  {
    file: 'src/tasks/commit-names.ts',
    find: 'const refs = await readRefs(',
    put: 'if (ids) return [];\n  const refs = await readRefs(',
  },
  { file: 'src/tasks/queue/chain.ts', find: 'const waits = await', put: 'const waits = undefined && await' },
  ...['log.showSignature=false', 'gpg.program=false', 'gpg.ssh.program=false', 'gpg.x509.program=false'].map(
    (line) => ({
      file: 'src/ports/git-program.ts',
      find: `  '${line}',\n`,
      put: '',
    }),
  ),
];
const LIMITS = { command: 2, task: 5 };
const PAIRS = { command: quick ? 40 : 300, task: quick ? 2 : 6 };
/** The first of a crew pays for what all of them use. */
const MERGED = quick ? 4 : 8;

const clean = Object.entries(process.env).filter(([name]) => !/^(LIZA_|GIT_|NODE_EXTRA_CA_CERTS$)/.test(name));
const env = Object.fromEntries(clean);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-checks-')));

function project(program, name) {
  const root = join(base, name);
  startRepository(root, cleanEnvironment(base), { files: { 'specs/vision.md': '# Vision\n' } });
  const liza = (...args) =>
    execFileSync(process.execPath, [program, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  liza('init', 'Measure');
  return { root, liza };
}

function note(root, program) {
  const begun = performance.now();
  const ran = spawnSync(process.execPath, [program, 'note', `hello ${begun}`], { cwd: root, env });
  if (ran.status !== 0) throw new Error(String(ran.stderr));
  return performance.now() - begun;
}

let crews = 0;

/** Processor time of a crew and all that it has waited for, per merged task. */
async function merge(program) {
  crews += 1;
  const { root, liza } = project(program, `crew-${crews}`);
  liza('config', 'set', 'sandbox', 'off');
  liza('config', 'set', 'isolation', 'clone');
  liza('config', 'set', 'providers', JSON.stringify({ tiny: { kind: 'command', argv: ['sh', '-c', WORKER] } }));
  for (let n = 1; n <= MERGED; n += 1) liza(...addTask(`task-${n}`));
  const argv = [program, 'run', '--plain', '--agent', 'tiny', '--coders', '1'];
  const crew = spawn(process.execPath, argv, { cwd: root, env, stdio: 'ignore' });
  const count = () =>
    [...readFileSync(join(root, '.liza/state.yaml'), 'utf8').matchAll(/^ {4}status: MERGED$/gm)].length;
  const until = async (many) => {
    while (count() < many) {
      if (crew.exitCode !== null) throw new Error(`the crew ended with ${crew.exitCode}`);
      await sleep(5);
    }
    return { done: count(), used: usedBy(crew.pid) };
  };
  const first = await until(1);
  const last = await until(MERGED);
  const ended = new Promise((done) => crew.once('exit', done));
  crew.kill('SIGINT');
  await ended;
  return (last.used - first.used) / (last.done - first.done);
}

/** Milliseconds: its own and of those that it has waited for, at 100 a second. */
function usedBy(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0) * 10;
}

async function inTurns(pairs, run) {
  const runs = { on: [], off: [] };
  const more = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const took = {};
    for (const side of pair % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
      took[side] = await run(side);
      runs[side].push(took[side]);
    }
    more.push(took.on - took.off);
  }
  return { on: median(runs.on), off: median(runs.off), share: (100 * median(more)) / median(runs.off) };
}

const builds = [];
try {
  if (process.platform !== 'linux') throw new Error('needs /proc');
  for (const edits of [[], OFF]) builds.push(await buildPlanted(edits));
  const program = { on: builds[0].program, off: builds[1].program };
  const { root } = project(program.on, 'commands');
  const missed = [];
  const table = ['| with the checks, without them | with | without | share | limit |', '|---|--:|--:|--:|--:|'];
  for (const [name, kind, run] of [
    ['note, by a person, ms', 'command', (side) => note(root, program[side])],
    ['a merged task, clone, CPU ms', 'task', (side) => merge(program[side])],
  ]) {
    if (!wantsCase(kind)) continue;
    for (const side of kind === 'command' ? ['on', 'off', 'on', 'off'] : []) run(side);
    const { on, off, share } = await inTurns(PAIRS[kind], run);
    table.push(`| ${name} | ${on.toFixed(1)} | ${off.toFixed(1)} | ${share.toFixed(1)} % | ${LIMITS[kind]} % |`);
    if (share > LIMITS[kind]) missed.push(`${name}: ${share.toFixed(2)} % > ${LIMITS[kind]} %`);
  }
  console.log(table.join('\n'));
  finish({ marker: 'checks', table, missed });
} finally {
  for (const { remove } of builds) remove();
  rmSync(base, { recursive: true, force: true });
}
