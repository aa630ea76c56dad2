// What watching costs, and how quick it is.
//   evaluation  of all alarms, and one look at a board that did not change (files looked at, alarms evaluated, nothing
//               read): CPU milliseconds, median of many
//   latency     from a command that blocks a task to the line in alerts.log, the slowest of several, with `liza watch`
//   storm       1,000 tasks blocked at once: lines, and messages to the webhook

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { makeBoard } from './boards.mjs';
import { finish, median, quick } from './part.mjs';
import { alarmLatency, storm } from './watching.mjs';

/** Live tasks → CPU milliseconds of one evaluation. */
const LIMITS = new Map([
  [100, 5],
  [10_000, 40],
]);
const LATENCY_MS = 1000;
const STORM = 1000;
const ROUNDS = quick ? 9 : 31;
const BLOCKS = quick ? 3 : 15;

async function loadParts() {
  const folder = mkdtempSync(join(tmpdir(), 'liza-bench-alarms-'));
  try {
    const outfile = join(folder, 'parts.mjs');
    await build({
      stdin: {
        contents: `
          export { alarms } from './src/alarms/rules/evaluate.ts';
          export { boardContext } from './test/support/board-context.ts';
          export { openYamlStore } from './src/store/open.ts';
          export { openObserver } from './src/alarms/observe.ts';`,
        resolveDir: join(import.meta.dirname, '..'),
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
      banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of four tasks one is blocked, one a stale draft, one rejected and orphaned, one as it was. */
function troubled(board) {
  const old = '2026-01-01T00:00:00Z';
  const kinds = [
    { status: 'BLOCKED', blocked_reason: 'The spec names two headers and they contradict each other' },
    { status: 'DRAFT', created: old },
    { status: 'REJECTED', assigned_to: 'coder-1', review_cycles_current: 3 },
    {},
  ];
  const tasks = board.state.tasks.map((task, n) => ({ ...task, ...kinds[n % kinds.length] }));
  return { ...board, state: { ...board.state, tasks } };
}

async function cpu(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return median(times);
}

const { alarms, boardContext, openYamlStore, openObserver } = await loadParts();
const missed = [];
const table = [];
const tell = (line) => {
  console.log(line);
  table.push(line);
};
tell('| live tasks | alarms on | evaluation, CPU ms | look, unchanged, CPU ms | from change to alarm, ms |');
tell('|--:|--:|--:|--:|--:|');
for (const [size, limit] of LIMITS) {
  const root = makeBoard(size);
  const context = boardContext(root);
  const store = openYamlStore(context);
  const board = troubled((await store.read()).board);
  const now = Date.now();
  const found = alarms(board, now, { lastChange: now }).length;
  const evaluation = await cpu(() => alarms(board, now, { lastChange: now }));
  // The first transaction gives it a journal; without one there is nothing that could be known as unchanged.
  await store.transact({ actor: { parts: ['human'] }, command: 'bench' }, ({ state }) => ({
    ok: true,
    state,
    detail: 'bench',
  }));
  const look = openObserver({ ...context, store });
  await look();
  const unchanged = await cpu(look);
  rmSync(root, { recursive: true, force: true });
  const { sinceStart, sinceEnd } = await alarmLatency(size, BLOCKS);
  const latency = `${Math.max(0, sinceEnd).toFixed(0)} to ${sinceStart.toFixed(0)} (≤ ${LATENCY_MS})`;
  tell(`| ${size} | ${found} | ${evaluation.toFixed(2)} (≤ ${limit}) | ${unchanged.toFixed(2)} | ${latency} |`);
  if (evaluation > limit) missed.push(`evaluation at ${size}: ${evaluation.toFixed(2)} > ${limit}`);
  if (sinceEnd > LATENCY_MS) missed.push(`from change to alarm at ${size}: ${sinceEnd.toFixed(0)} > ${LATENCY_MS}`);
}
const { lines, distinct, messages } = await storm(STORM);
tell('');
tell(`${STORM} tasks blocked at once: ${lines} lines in alerts.log, ${messages} message to the webhook.`);
if (lines !== STORM || distinct !== STORM) missed.push(`lines of the storm: ${lines} > ${STORM}`);
if (messages !== 1) missed.push(`messages of the storm: ${messages} > 1`);
finish({ marker: 'alarms', table, missed });
