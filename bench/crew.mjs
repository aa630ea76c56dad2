// How a crew's cost grows with its size: 1, 4, 16 and 32 coders that take no time, half as many reviewers, one process.
// Merged tasks per minute depend on the machine and on whatever else it does; the supervisor's own CPU per merged task
// hardly does. BENCH_SANDBOX=require measures confined agents instead.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanEnvironment, startRepository } from '../test/support/core.mjs';
import { finish, LIZA, quick, wantsCase } from './part.mjs';
import { WORKER } from './worker.mjs';

const { NODE_EXTRA_CA_CERTS: _certificates, LIZA_AGENT_ID: _id, ...env } = process.env;
const SIZES = quick ? [4] : [1, 4, 16, 32];
const LIMITS = { perMinute: 120, falls: 0.1, landing: 5, memory: 250, delay: 50 };
const HERTZ = 100;

const task = (id) => `  - id: ${id}
    description: build ${id}
    status: UNCLAIMED
    priority: 3
    spec_ref: specs/vision.md
    done_when: ${id} is there and exported
    scope: "IN: src/, test/"
    validation: ["test -d ."]
`;

/** Loaded into `liza run` alone: how late its event loop was, written at its end. */
const MEASURE = `if (process.argv[2] === 'run') {
  const delay = require('node:perf_hooks').monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  process.on('exit', () => require('node:fs').writeFileSync(process.env.BENCH_DELAY, String(delay.percentile(99) / 1e6)));
}`;

async function crewOf(coders, sandbox = 'off') {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-bench-crew-')));
  const root = join(base, 'project');
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`file-${n}.txt`, `${n}\n`]));
  startRepository(root, cleanEnvironment(base), { files: { 'specs/vision.md': '# Vision\n', ...files } });
  const liza = (...args) => execFileSync(process.execPath, [LIZA, ...args], { cwd: root, env, stdio: 'pipe' });
  liza('init', 'Measure');
  liza('config', 'set', 'sandbox', sandbox);
  liza('config', 'set', 'providers', JSON.stringify({ tiny: { kind: 'command', argv: ['/bin/sh', '-c', WORKER] } }));
  const count = Math.max(quick ? 12 : 24, coders * 2);
  const state = join(root, '.liza', 'state.yaml');
  const text = readFileSync(state, 'utf8');
  const all = Array.from({ length: count }, (_, n) => task(`task-${n + 1}`)).join('');
  writeFileSync(state, text.replace(/^tasks: \[\]$/m, `tasks:\n${all.trimEnd()}`));
  liza('note', 'the tasks are there');
  try {
    return { coders, count, ...(await measured({ base, root, state, coders, count })) };
  } finally {
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function measured({ base, root, state, coders, count }) {
  writeFileSync(join(base, 'measure.cjs'), MEASURE);
  const delayFile = join(base, 'delay');
  const reviewers = Math.max(1, Math.ceil(coders / 2));
  const crew = spawn(
    process.execPath,
    [
      [
        ...(process.env.BENCH_PROF ? ['--cpu-prof', '--cpu-prof-dir', process.env.BENCH_PROF] : []),
        '--require',
        join(base, 'measure.cjs'),
        LIZA,
        'run',
        '--plain',
        '--agent',
        'tiny',
      ],
      ['--coders', String(coders), '--reviewers', String(reviewers)],
    ].flat(),
    { cwd: root, env: { ...env, BENCH_DELAY: delayFile }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [crew.stdout, crew.stderr]) stream.on('data', (part) => (said = `${said}${part}`.slice(-4000)));
  const ended = new Promise((done) => crew.once('exit', done));
  const approved = new Map();
  const merged = new Map();
  const last = performance.now() + 600_000;
  let first;
  while (merged.size < count) {
    if (performance.now() > last || crew.exitCode !== null)
      throw new Error(`only ${merged.size} of ${count} tasks were merged: ${said}`);
    const now = performance.now();
    let isBegun = false;
    for (const [, id, status] of readFileSync(state, 'utf8').matchAll(
      /^ {2}- id: (task-\d+)$[\s\S]*?^ {4}status: (\w+)$/gm,
    )) {
      if (status !== 'UNCLAIMED') isBegun = true;
      if (status === 'APPROVED' && !approved.has(id)) approved.set(id, now);
      if (status === 'MERGED' && !merged.has(id)) merged.set(id, now);
    }
    // Not from the first merge on: a crew that begins everything before it merges anything would look fast.
    if (isBegun) first ??= { now, cpu: cpuOf(crew.pid) };
    await sleep(20);
  }
  const seconds = (performance.now() - first.now) / 1000;
  const spent = cpuOf(crew.pid);
  const perTask = (of) => (spent[of] - first.cpu[of]) / count;
  const memory = Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${crew.pid}/status`, 'utf8'))?.[1]) / 1024;
  crew.kill('SIGINT');
  await ended;
  const waits = [...merged].map(([id, at]) => (at - (approved.get(id) ?? at)) / 1000).sort((a, b) => a - b);
  return {
    perMinute: (count / seconds) * 60,
    own: perTask('own'),
    programs: perTask('programs'),
    landing: waits[Math.min(waits.length - 1, Math.ceil(waits.length * 0.95) - 1)],
    memory,
    delay: existsSync(delayFile) ? Number(readFileSync(delayFile, 'utf8')) : Number.NaN,
  };
}

/** Seconds of the process itself, and of the programs that it started and waited for, agents among them. */
function cpuOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (from) => (Number(fields[from]) + Number(fields[from + 1])) / HERTZ;
  return { own: seconds(11), programs: seconds(13) };
}

const rows = [];
for (const coders of SIZES) {
  if (!wantsCase(String(coders))) continue;
  rows.push(await crewOf(coders, process.env.BENCH_SANDBOX));
  const { perMinute, own, programs, landing, memory, delay } = rows.at(-1);
  console.error(
    `${coders} coders: ${perMinute.toFixed(0)}/min, ${own.toFixed(2)} s own CPU a task and ${programs.toFixed(2)} s of its programs, landing p95 ${landing.toFixed(1)} s, ${memory.toFixed(0)} MB, loop p99 ${delay.toFixed(0)} ms`,
  );
}
const table = [
  '| coders | merged/min | own CPU per merged task, s | the same of its programs | approved → merged, p95, s | peak MB | event loop p99, ms |',
  '|--:|--:|--:|--:|--:|--:|--:|',
  ...rows.map(
    (row) =>
      `| ${row.coders} | ${row.perMinute.toFixed(0)} | ${row.own.toFixed(2)} | ${row.programs.toFixed(2)} | ${row.landing.toFixed(1)} | ${row.memory.toFixed(0)} | ${row.delay.toFixed(0)} |`,
  ),
];
console.log(table.join('\n'));
const best = Math.max(...rows.map(({ perMinute }) => perMinute));
const missed = rows.flatMap(({ coders, perMinute, landing, memory, delay }) =>
  [
    [coders >= 4 && perMinute < LIMITS.perMinute, `merged/min: ${perMinute.toFixed(0)}/min < ${LIMITS.perMinute}/min`],
    [perMinute < best * (1 - LIMITS.falls), `merged/min against the best: ${(perMinute / best).toFixed(2)} < 0.9`],
    [landing > LIMITS.landing, `approved → merged, s: ${landing.toFixed(1)} > ${LIMITS.landing}`],
    [memory > LIMITS.memory, `memory: ${memory.toFixed(0)} MB > ${LIMITS.memory}`],
    [delay > LIMITS.delay, `event loop p99, ms: ${delay.toFixed(0)} > ${LIMITS.delay}`],
  ].flatMap(([isMissed, text]) => (isMissed ? [`${coders} coders: ${text}`] : [])),
);
finish({ marker: 'crew', table, missed });
