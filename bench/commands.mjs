// What commands cost, as the median ratio to `node -e 0` of the same run, and how many changes eight writers make
// together. Commands and the empty program take turns, so that a busy machine slows both.

import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeBoard, WORKER } from './boards.mjs';
import { finish, LIZA, median, quick } from './part.mjs';
import { longLived, perCommand } from './writers.mjs';

const SIZES = [100, 1000, 10_000];
const LIMITS = {
  'show <task>': [1.4, 1.6, 2.5],
  'show, first after a note': [1.4, 1.6, 1.6],
  'note "…" (durable)': [2, 2.2, 4],
  heartbeat: [1.6, 1.6, 1.6],
  validate: [2.5, 6, 40],
};
const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
delete env.LIZA_AGENT_ID;

const run = (cwd, args, as = {}) => {
  const start = process.hrtime.bigint();
  const done = spawnSync(process.execPath, args, { cwd, env: { ...env, ...as }, stdio: ['ignore', 'ignore', 'pipe'] });
  if (done.status !== 0) throw new Error(`${args.join(' ')}: exit ${done.status}: ${done.stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6;
};

function ratio(cwd, args, rounds, { before = () => {}, as = {} } = {}) {
  const [base, own] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    base.push(run(cwd, ['-e', '0']));
    before(round);
    own.push(run(cwd, [LIZA, ...args(round)], as));
  }
  return median(own) / median(base);
}

/** What the command said about itself at its end. */
function measured(cwd, args, expression) {
  const probe = `process.on('exit', () => process.stderr.write('FOUND=' + ${expression}))`;
  const preload = `data:text/javascript,${encodeURIComponent(probe)}`;
  const done = spawnSync(process.execPath, ['--import', preload, LIZA, ...args], { cwd, env, encoding: 'utf8' });
  return Number(/FOUND=(\d+)/.exec(done.stderr)?.[1] ?? Number.NaN);
}

const peakMegabytes = (cwd, args) => measured(cwd, args, 'process.resourceUsage().maxRSS') / 1024;
const WRITTEN = `/wchar: (\\d+)/.exec(process.getBuiltinModule('node:fs').readFileSync('/proc/self/io', 'utf8'))?.[1]`;

const rounds = quick ? 5 : 31;
const rows = {
  'show <task>': [],
  'show, first after a note': [],
  'note "…" (durable)': [],
  heartbeat: [],
  validate: [],
  'show, cold (after an edit by hand)': [],
};
const missed = [];
let peak = 0;
let written = { note: 0, board: 0 };
for (const size of SIZES) {
  const root = makeBoard(size, { worker: true });
  run(root, [LIZA, 'note', 'import']);
  const task = `task-${Math.floor(size / 2)}`;
  const take = size === 10_000 ? Math.ceil(rounds / 2) : rounds;
  rows['show <task>'].push(ratio(root, () => ['show', task], take));
  rows['note "…" (durable)'].push(ratio(root, (n) => ['note', `round ${n}`], take));
  const note = (n) => run(root, [LIZA, 'note', `before ${n}`]);
  rows['show, first after a note'].push(ratio(root, () => ['show', task], take, { before: note }));
  rows.heartbeat.push(ratio(root, () => ['heartbeat'], take, { as: { LIZA_AGENT_ID: WORKER } }));
  rows.validate.push(ratio(root, () => ['validate'], take));
  const edit = () => spawnSync('sed', ['-i', '1s/$/ x/', join(root, '.liza/state.yaml')]);
  rows['show, cold (after an edit by hand)'].push(ratio(root, () => ['show', task], 5, { before: edit }));
  if (size === 10_000) {
    run(root, [LIZA, 'note', 'takes the edit up']);
    const board = statSync(join(root, '.liza/state.yaml')).size;
    written = { board, note: median([1, 2, 3, 4, 5].map((n) => measured(root, ['note', `bytes ${n}`], WRITTEN))) };
    peak = Math.max(peakMegabytes(root, ['note', 'memory']), peakMegabytes(root, ['validate']));
  }
  rmSync(root, { recursive: true, force: true });
}
const table = [
  `| ${'command'.padEnd(36)} | ${SIZES.map((size) => `${size} tasks`.padStart(14)).join(' | ')} |`,
  `|${'-'.repeat(38)}|${SIZES.map(() => `${'-'.repeat(15)}:`).join('|')}|`,
];
for (const [name, values] of Object.entries(rows)) {
  const limits = LIMITS[name];
  const cells = values.map((value, at) => {
    if (limits !== undefined && value > limits[at])
      missed.push(`${name} at ${SIZES[at]}: ${value.toFixed(2)} > ${limits[at]}`);
    const isOver = limits !== undefined && value > limits[at];
    return `${value.toFixed(2)}${limits === undefined ? '' : ` (≤ ${limits[at]}${isOver ? ', missed' : ''})`}`.padStart(
      14,
    );
  });
  table.push(`| ${name.padEnd(36)} | ${cells.join(' | ')} |`);
}
const head = `median ratio to \`node -e 0\`, ${rounds} rounds, Node ${process.versions.node}`;
const memory = `peak memory at 10,000 live tasks: ${peak.toFixed(0)} MB (≤ 300)`;
const most = 1.05 * written.board + 16 * 1024;
const bytes = `written by a note at 10,000 live tasks: ${(written.note / written.board).toFixed(2)} times state.yaml (≤ 1.05 and 16 KB)`;
if (!(written.note <= most)) missed.push(bytes);
console.log([head, '', ...table, '', memory, bytes].join('\n'));
for (const [name, least, { rate, lost }] of [
  ['8 long-lived writers', 100, await longLived(env)],
  ['8 writers, a process per command', 20, await perCommand(LIZA, env)],
]) {
  console.log(`${name}: ${rate.toFixed(0)} durable transactions/s together (≥ ${least}), ${lost} lost`);
  if (rate < least) missed.push(`${name}: ${rate.toFixed(0)}/s < ${least}/s`);
  if (lost !== 0) missed.push(`${name}: ${lost} lost`);
}
if (!(peak <= 300)) missed.push(`peak memory: ${peak.toFixed(0)} MB > 300`);
finish({ marker: 'commands', table: [`${head}; ${memory}; ${bytes}`, '', ...table], missed });
