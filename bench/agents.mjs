// What Liza itself costs when agents are at work, with agents that take no time.
//   wake      from the commit on the blackboard to the agent's process, eight idle supervisors
//   overhead  per merged task, one coder and one reviewer, with 10 and with 300 tasks on the board
//   idle      CPU and memory of `liza run` with the live board on, nothing to do
//   bootstrap what an agent is given to read besides its task, in tokens

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addTask, cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, LIZA, median, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

const { NODE_EXTRA_CA_CERTS: _certificates, LIZA_AGENT_ID: _id, ...env } = process.env;
const folders = [];
const rows = [];

function project(agent, config = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-agents-')));
  folders.push(base);
  const root = join(base, 'project');
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`file-${n}.txt`, `${n}\n`]));
  startRepository(root, cleanEnvironment(base), { files: { 'specs/vision.md': '# Vision\n', ...files } });
  const script = join(base, 'agent.sh');
  writeFileSync(script, `#!/bin/sh\n${agent(base)}`);
  chmodSync(script, 0o755);
  const liza = (...args) =>
    execFileSync(process.execPath, [LIZA, ...args], { cwd: root, env, encoding: 'utf8', stdio: 'pipe' });
  liza('init', 'Measure');
  // Liza's own cost; that of the sandbox: bench/sandbox.mjs.
  liza('config', 'set', 'sandbox', 'off');
  liza('config', 'set', 'providers', JSON.stringify({ tiny: { kind: 'command', argv: [script] } }));
  for (const [key, value] of Object.entries(config)) liza('config', 'set', key, String(value));
  return {
    base,
    root,
    liza,
    start: (...args) => started(root, args),
  };
}

/** One that ends by itself had a reason, which is told. */
function started(root, args) {
  const child = spawn(process.execPath, [LIZA, ...args], { cwd: root, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text) => (said += text));
  child.on('exit', (code) => child.killed || console.error(`liza ${args.join(' ')} ended with ${code}: ${said}`));
  return child;
}

async function until(holds, seconds = 120) {
  const end = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('it never came');
    await sleep(5);
  }
}

const stop = (child) =>
  new Promise((done) => {
    child.once('exit', done);
    child.kill('SIGINT');
  });

const at = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];

/** Those who are not next hear of the last round up to a quarter of a second later: only then are they idle. */
const SETTLE_MS = 500;

/** Each agent writes down when it started, gives its task back and rests. */
async function wake() {
  const rounds = quick ? 8 : 40;
  const { base, root, liza, start } = project(
    (folder) => `date +%s%N > ${folder}/started-$LIZA_AGENT_ID-$$
task=$(git branch --show-current | sed 's#task/##')
liza block "$task" --reason "measured" --question "what next?" && liza exit 0`,
  );
  const crew = Array.from({ length: 8 }, () => start('agent', 'coder', '--agent', 'tiny'));
  const idle = () => [...liza('status', '--json').matchAll(/"status":\s*"IDLE"/g)].length === 8;
  await until(idle);
  const taken = [];
  for (let n = 1; n <= rounds; n += 1) {
    await sleep(SETTLE_MS);
    const before = new Set(readdirSync(base));
    liza(...addTask(`task-${n}`));
    const committed = statSync(join(root, '.liza', 'journal.jsonl'), { bigint: true }).mtimeNs;
    let stamp;
    await until(() => (stamp = readdirSync(base).find((name) => name.startsWith('started-') && !before.has(name))));
    await until(() => readFileSync(join(base, stamp), 'utf8').endsWith('\n'));
    taken.push(Number(BigInt(readFileSync(join(base, stamp), 'utf8').trim()) - committed) / 1e6);
    await until(idle);
  }
  await Promise.all(crew.map(stop));
  taken.sort((a, b) => a - b);
  rows.push({ name: 'wake, median, ms', value: at(taken, 0.5), time: true });
  rows.push({ name: 'wake, p95, ms', value: at(taken, 0.95), limit: 150, time: true });
}

const waiting = (id, on) => `  - id: ${id}
    description: task ${id}
    status: UNCLAIMED
    priority: 5
    spec_ref: specs/vision.md
    done_when: it is there and exported
    scope: "IN: src/, test/"
    validation: ["true"]
    depends_on:
      - ${on}
`;

/** Tasks that are merged one after the other while so many others are on the board. */
async function overhead(tasks) {
  const merged = quick ? 4 : 10;
  const { liza, start, root } = project(() => WORKER);
  for (let n = 1; n <= merged; n += 1) liza(...addTask(`task-${n}`, { priority: 1 }));
  // By hand, as people do: one command for each would take longer than the measurement.
  const file = join(root, '.liza', 'state.yaml');
  const text = readFileSync(file, 'utf8');
  const rest = Array.from({ length: tasks - merged }, (_, n) => waiting(`rest-${n}`, `task-${merged}`)).join('');
  writeFileSync(file, text.replace(/^agents:/m, `${rest}agents:`));
  liza('note', 'the rest is there');
  const running = start('run', '--plain', '--agent', 'tiny', '--coders', '1');
  const count = () =>
    [...readFileSync(join(root, '.liza', 'state.yaml'), 'utf8').matchAll(/^ {4}status: MERGED$/gm)].length;
  await until(() => count() >= 1);
  const first = performance.now();
  await until(() => count() >= merged);
  const seconds = (performance.now() - first) / 1000 / (merged - 1);
  await stop(running);
  return seconds;
}

async function idle() {
  const seconds = quick ? 10 : 60;
  if (spawnSync('script', ['--version']).status !== 0) {
    console.log('SKIPPED: idle: needs script(1) of util-linux for a terminal');
    return;
  }
  const { root, liza } = project(() => 'liza exit 0');
  liza(...addTask('waits'));
  liza('pause', 'waits');
  const line = `exec '${process.execPath}' '${LIZA}' run --agent tiny`;
  const terminal = spawn('script', ['-qfc', `stty cols 200 rows 50; ${line}`, '/dev/null'], {
    cwd: root,
    env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  await sleep(8000);
  const family = descendants(terminal.pid).filter((pid) => pid !== terminal.pid);
  const before = cpu(family);
  await sleep(seconds * 1000);
  const spent = cpu(family) - before;
  const memory = descendants(terminal.pid)
    .filter((pid) => pid !== terminal.pid)
    .reduce((sum, pid) => sum + pss(pid), 0);
  terminal.stdin.write('q');
  await sleep(3000);
  terminal.kill('SIGKILL');
  rows.push({ name: 'idle with board, CPU %', value: (spent / seconds) * 100, limit: 1 });
  rows.push({ name: 'idle with board, MB PSS', value: memory / 1024, limit: 150 });
}

function descendants(root) {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });
  const found = [root];
  for (const pid of found) found.push(...parents.filter(([, parent]) => parent === pid).map(([child]) => child));
  return found;
}

const HERTZ = 100;
const cpu = (pids) =>
  pids.reduce((sum, pid) => {
    if (!existsSync(`/proc/${pid}/stat`)) return sum;
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / HERTZ;
  }, 0);
const pss = (pid) => {
  try {
    return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
};

/** A bare start of Node in the same run: what its times are multiples of. */
function bareStart() {
  const times = Array.from({ length: 11 }, () => {
    const begun = performance.now();
    execFileSync(process.execPath, ['-e', '0'], { env });
    return performance.now() - begun;
  }).sort((a, b) => a - b);
  return times[5];
}

/** Contract and prompt of each role, the task's own text apart, by the estimate of the prompts' tests. */
function bootstrap() {
  const folder = join(import.meta.dirname, '..', 'test', 'unit', 'supervisor', 'prompts', 'golden');
  for (const [role, file] of Object.entries(PROMPTS)) {
    const text = `${contract(role)}\n${readFileSync(join(folder, file), 'utf8')}`;
    rows.push({ name: `bootstrap of a ${role}, tokens`, value: tokens(text), limit: 4000 });
  }
}
const PROMPTS = { coder: 'coder-first.txt', 'code-reviewer': 'reviewer-first.txt', planner: 'planner-initial.txt' };
const contract = (role) =>
  ['CORE.md', 'MULTI_AGENT_MODE.md', `roles/${role}.md`]
    .map((page) => readFileSync(join(import.meta.dirname, '..', 'contracts', page), 'utf8'))
    .join('\n');
const tokens = (text) => Math.ceil(Math.max(text.length / 3.6, (text.match(/\S+/g) ?? []).length * 1.35));

const unit = bareStart();
try {
  if (wantsCase('wake')) await wake();
  if (wantsCase('overhead')) {
    // In turns: whatever else the machine does then concerns both.
    const rounds = [];
    for (let n = 0; n < (quick ? 1 : 3); n += 1) rounds.push([await overhead(10), await overhead(300)]);
    const [few, many] = [0, 1].map((side) => median(rounds.map((round) => round[side])));
    rows.push({ name: 'own cost per merged task, 10 tasks, ms', value: few * 1000, limit: 2000, time: true });
    rows.push({ name: 'own cost per merged task, 300 tasks, ms', value: many * 1000, limit: 2000, time: true });
    rows.push({ name: 'the same, 300 tasks to 10', value: many / few, limit: 1.2 });
  }
  if (wantsCase('idle')) await idle();
  if (wantsCase('bootstrap')) bootstrap();
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

const shown = (value) => (value < 100 ? value.toFixed(2) : String(Math.round(value)));
const table = [
  `| what | measured | limit | as a multiple of \`node -e 0\` |`,
  '|---|--:|--:|--:|',
  ...rows.map(
    ({ name, value, limit, time }) =>
      `| ${name} | ${shown(value)} | ${limit ?? ''} | ${time ? (value / unit).toFixed(1) : ''} |`,
  ),
];
console.log(table.join('\n'));
const missed = rows
  .filter(({ value, limit }) => limit !== undefined && value > limit)
  .map(({ name, value, limit }) => `${name}: ${value.toFixed(2)} > ${limit}`);
finish({ marker: 'agents', table, missed });
