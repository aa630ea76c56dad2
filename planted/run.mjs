// `npm run planted`: proves that the tests would notice. Every guard of the command table, and every step of
// decide(), is switched off in turn, and some test must turn red. The list comes from the table itself.
//   --list        what would be planted
//   --only a,b    only those (`submit-for-review/dirty`, `step/epoch`)
//   --slice n     n of them, evenly spread: for CI
//   --jobs n      at the same time; 2 unless told

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { STEPS } from './steps.mjs';

const ROOT = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    list: { type: 'boolean' },
    only: { type: 'string' },
    slice: { type: 'string' },
    jobs: { type: 'string', default: '2' },
  },
});
/** Where guards are tested in this process; a guard that refuses nowhere there counts as untested. */
const SUITES = ['test/unit/core', 'test/unit/core-views', 'test/scenarios', 'test/unit/watcher'];
const LONGEST_MS = 5 * 60_000;

function vitest(plant, files) {
  return new Promise((done) => {
    const argv = ['node_modules/vitest/vitest.mjs', 'run', '-c', 'vitest.planted.config.ts', '--reporter=json'];
    const child = spawn(process.execPath, [...argv, '--bail=1', ...files], {
      cwd: ROOT,
      env: { ...process.env, LIZA_PLANTED: JSON.stringify(plant) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    child.stdout.on('data', (text) => (out += text));
    child.stderr.on('data', (text) => (err += text));
    child.on('close', (code) => {
      clearTimeout(late);
      done({ code, out, err });
    });
  });
}

/** The first test that failed, by its name; a run that broke for another reason proves nothing. */
function firstFailure({ out }) {
  const from = out.indexOf('{"numTotal');
  if (from === -1) return undefined;
  const report = JSON.parse(out.slice(from));
  for (const file of report.testResults) {
    const failed = file.assertionResults.find(({ status }) => status === 'failed');
    if (failed !== undefined) return `${relative(ROOT, file.name)}: ${failed.fullName}`;
  }
  return undefined;
}

async function recorded() {
  const folder = mkdtempSync(join(tmpdir(), 'liza-planted-'));
  try {
    const run = await vitest({ record: folder }, SUITES);
    if (run.code !== 0)
      throw new Error(`the tests are red before anything is planted:\n${firstFailure(run) ?? run.err}`);
    const lines = readFileSync(join(folder, 'refused.txt'), 'utf8').trimEnd().split('\n');
    const refusedIn = new Map();
    for (const [guard, file] of lines.map((line) => line.split('\t'))) {
      if (!refusedIn.has(guard)) refusedIn.set(guard, new Set());
      if (file) refusedIn.get(guard).add(relative(ROOT, file));
    }
    return refusedIn;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Examples first: a search through random states takes long to find what they say at once. */
const byCost = (a, b) => cost(a) - cost(b);
const cost = (file) => (/model|matrix/.test(file) ? 2 : /spec\./.test(file) ? 0 : 1);

function chosen(all) {
  if (values.only !== undefined) return all.filter(({ name }) => values.only.split(',').includes(name));
  const n = Number(values.slice ?? all.length);
  return all.filter((_, place) => Math.floor((place * n) / all.length) !== Math.floor(((place - 1) * n) / all.length));
}

async function tried({ name, plant, files }) {
  if (files.length === 0) return { name, untested: true };
  for (const file of files) {
    const run = await vitest(plant, [file]);
    const noticed = firstFailure(run);
    if (noticed !== undefined) return { name, noticed };
    if (run.code !== 0) return { name, broken: run.err.trim().split('\n').slice(-5).join('\n') };
  }
  return { name };
}

console.error('which tests does each guard refuse something in? …');
const refusedIn = await recorded();
const all = [
  ...Object.entries(STEPS).map(([name, plant]) => ({ name: `step/${name}`, plant, files: ['test/unit/core'] })),
  ...[...refusedIn]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([guard, files]) => ({
      name: guard,
      plant: { guard },
      files: [...files].sort(byCost),
    })),
];
const plants = chosen(all);
if (values.list === true) {
  for (const { name, files } of plants) console.log(`${name}: ${files.join(' ')}`);
  process.exit(0);
}
if (plants.length === 0) throw new Error('nothing to plant');
const results = [];
const queue = [...plants];
await Promise.all(
  Array.from({ length: Number(values.jobs) }, async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const result = await tried(next);
      results.push(result);
      const said = result.noticed ?? (result.untested ? 'NO TEST meets it' : (result.broken ?? 'NOBODY NOTICED'));
      console.log(`${result.noticed === undefined ? '✗' : '✓'} ${result.name}: ${said}`);
    }
  }),
);
const missed = results.filter(({ noticed }) => noticed === undefined);
console.log(
  `\n${results.length} planted of ${all.length}, ${results.length - missed.length} noticed, ${missed.length} not`,
);
process.exitCode = missed.length === 0 ? 0 : 1;
