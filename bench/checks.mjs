// What the checks against cunning agents cost: open descriptors of the shell, Liza's own git directory, programs that
// settings of git name, files above and in the checkouts, people's branches and other refs, what only a history shows, whose the
// commits are, a clone that rests. The program is built a second time with them taken out, as the gauntlet does it. Both
// are measured by the processor time of all that they start, at the same time (crews) or in short turns (commands), so
// that whatever else the machine does concerns both. bench/paired.mjs says when that is enough to judge.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildPlanted } from '../planted/build.mjs';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { WITHOUT_CHECKS } from './checks-out.mjs';
import { judged, measured } from './paired.mjs';
import { finish, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

/** Commands of one turn: the system tells processor time in hundredths of a second, which must be little beside the limit. */
const IN_TURN = quick ? 5 : 20;
/** The first of a crew pays for what all of them use. */
const MERGED = quick ? 4 : 8;
const CASES = [
  { kind: 'command', name: 'note, by a person, CPU ms', limit: 2, pairs: quick ? 6 : 40, run: notes },
  { kind: 'task', name: 'a merged task, clone, CPU ms', limit: 5, pairs: quick ? 2 : 24, run: crews },
];

const clean = Object.entries(process.env).filter(([name]) => !/^(LIZA_|GIT_|NODE_EXTRA_CA_CERTS$)/.test(name));
const env = Object.fromEntries(clean);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-checks-')));
let projects = 0;

function project(program) {
  projects += 1;
  const root = join(base, String(projects));
  startRepository(root, cleanEnvironment(base), { files: { 'specs/vision.md': '# Vision\n' } });
  const liza = (...args) => execFileSync(process.execPath, [program, ...args], { cwd: root, env, stdio: 'pipe' });
  liza('init', 'Measure');
  return { root, liza };
}

let noted;

/** In turns on one board, the one that begins changing. */
function notes(program, pair) {
  noted ??= project(program.on).root;
  const used = {};
  for (const side of pair % 2 === 0 ? ['on', 'off'] : ['off', 'on']) {
    const before = waitedFor(usedBy('self'));
    for (let n = 0; n < IN_TURN; n += 1) {
      const ran = spawnSync(process.execPath, [program[side], 'note', `hello ${pair} ${side} ${n}`], {
        cwd: noted,
        env,
      });
      if (ran.status !== 0) throw new Error(String(ran.stderr));
    }
    used[side] = (waitedFor(usedBy('self')) - before) / IN_TURN;
  }
  return used;
}

/** Both at once, each in a repository of its own. */
async function crews(program) {
  const roots = { on: withTasks(program.on), off: withTasks(program.off) };
  const [on, off] = await Promise.all(['on', 'off'].map((side) => merged(program[side], roots[side])));
  return { on, off };
}

function withTasks(program) {
  const { root, liza } = project(program);
  liza('config', 'set', 'sandbox', 'off');
  liza('config', 'set', 'isolation', 'clone');
  liza('config', 'set', 'providers', JSON.stringify({ tiny: { kind: 'command', argv: ['sh', '-c', WORKER] } }));
  for (let n = 1; n <= MERGED; n += 1) liza(...addTask(`task-${n}`));
  return root;
}

/** Processor time of a crew and all that it has waited for, per merged task. */
async function merged(program, root) {
  const argv = [program, 'run', '--plain', '--agent', 'tiny', '--coders', '1'];
  const crew = spawn(process.execPath, argv, { cwd: root, env, stdio: 'ignore' });
  const ended = new Promise((done) => crew.once('exit', done));
  const count = () =>
    [...readFileSync(join(root, '.liza/state.yaml'), 'utf8').matchAll(/^ {4}status: MERGED$/gm)].length;
  const until = async (many) => {
    while (count() < many) {
      if (crew.exitCode !== null) throw new Error(`the crew ended with ${crew.exitCode}`);
      await sleep(20);
    }
    const used = usedBy(crew.pid);
    return { done: count(), used: used.own + waitedFor(used) };
  };
  try {
    const first = await until(1);
    const last = await until(MERGED);
    return (last.used - first.used) / (last.done - first.done);
  } finally {
    crew.kill('SIGINT');
    await ended;
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Milliseconds, of the process itself and of those that it has waited for, with all that those waited for. */
function usedBy(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrensUser, childrensSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) * 10);
  return { own: user + system, waited: childrensUser + childrensSystem };
}
const waitedFor = ({ waited }) => waited;

const builds = [];
try {
  if (process.platform !== 'linux') throw new Error('needs /proc');
  for (const edits of [[], WITHOUT_CHECKS]) builds.push(await buildPlanted(edits));
  const program = { on: builds[0].program, off: builds[1].program };
  const missed = [];
  const table = [
    '| with the checks, without them | with | without | share | between | limit |',
    '|---|--:|--:|--:|--:|--:|',
  ];
  for (const { kind, name, limit, pairs, run } of CASES) {
    if (!wantsCase(kind)) continue;
    await run(program, 0); // what only the first run pays
    const found = await measured((pair) => run(program, pair), pairs);
    const { on, off, share, from, to } = found;
    const cells = [name, on.toFixed(1), off.toFixed(1), ...[share, from, to].map((one) => `${one.toFixed(1)} %`)];
    const [first, ...rest] = cells;
    table.push(`| ${first} | ${rest.slice(0, 3).join(' | ')} | ${rest.slice(3).join(' and ')} | ${limit} % |`);
    const said = `${name}: ${share.toFixed(1)} %, limit ${limit} %, between ${from.toFixed(1)} and ${to.toFixed(1)} % in ${found.pairs} pairs`;
    const verdict = judged(found, limit);
    if (verdict === 'missed') missed.push(said);
    if (verdict === 'open') console.log(`CANNOT JUDGE: ${said}; run it again on a machine with less to do`);
  }
  console.log(table.join('\n'));
  finish({ marker: 'checks', table, missed });
} finally {
  for (const { remove } of builds) remove();
  rmSync(base, { recursive: true, force: true });
}
