// The table's half: every guard of the command table and every step of decide() is switched off in turn, and some test
// must turn red. The list comes from the table itself, and who tests a guard from a recorded run of the tests.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { STEPS } from './steps.mjs';

const ROOT = join(import.meta.dirname, '..');
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs');
/** Where guards are tested in this process; a guard that refuses nowhere there counts as untested. */
const SUITES = ['protocol', 'alarms', 'audit', 'budget', 'governance', 'identity', 'report', 'supervisor', 'text']
  .map((room) => `test/unit/${room}`)
  .concat('test/scenarios');
/** One example per rule: most guards are met there, in a few seconds. */
const EXAMPLES = 'test/unit/protocol/commands.';
const LONGEST_MS = 5 * 60_000;
/** Of tests that measure time, on a busy machine. */
const SLOW = /timed out in|to be less than/;

function vitest(plant, files, bail = ['--bail=1']) {
  return new Promise((done) => {
    const argv = ['run', '--config', 'planted/vitest.config.mjs', '--project', 'unit', '--reporter=json'];
    const child = spawn(process.execPath, [VITEST, ...argv, ...bail, ...files], {
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

/** By test file; undefined: the run broke off. */
function reported({ out }) {
  const from = out.indexOf('{"numTotal');
  return from === -1 ? undefined : JSON.parse(out.slice(from)).testResults;
}

/** The first test that failed, by its name; one that only took too long proves nothing, nor does a run that broke. */
function firstFailure(run) {
  for (const { name, assertionResults } of reported(run) ?? []) {
    const failed = assertionResults.find(
      ({ status, failureMessages: said = [] }) => status === 'failed' && !said.some((text) => SLOW.test(text)),
    );
    if (failed !== undefined) return `${relative(ROOT, name)}: ${failed.fullName}`;
  }
  return undefined;
}

/** Why nothing can be concluded from the tests as they are. */
function redAlready(run) {
  const files = reported(run);
  if (files === undefined) return `they did not run: ${run.err}`;
  const empty = files.find(({ assertionResults }) => assertionResults.length === 0);
  return firstFailure(run) ?? (empty === undefined ? undefined : `${empty.name} did not run: ${empty.message}`);
}

async function recorded(suites) {
  const folder = mkdtempSync(join(tmpdir(), 'liza-planted-'));
  try {
    const run = await vitest({ record: folder }, suites, []);
    const red = redAlready(run);
    if (red !== undefined) throw new Error(`the tests are red before anything is planted:\n${red}`);
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
const cost = (file) => (/model|matrix/.test(file) ? 2 : /spec./.test(file) ? 0 : 1);

/** `fast`: for a slice, which is taken from the guards that the examples meet. */
export async function tablePlants({ fast }) {
  console.error('which tests does each guard refuse something in? …');
  const refusedIn = await recorded(fast ? [EXAMPLES] : SUITES);
  const steps = Object.entries(STEPS).map(([name, plant]) => ({
    name: `step/${name}`,
    plant,
    files: [EXAMPLES, 'test/unit/protocol/'],
  }));
  const guards = [...refusedIn]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([guard, files]) => ({ name: guard, plant: { guard }, files: [...files].sort(byCost), fast: files.size > 0 }));
  return [...steps, ...guards].map((one) => ({ ...one, told: one.files.join(' '), attempt: () => attempted(one) }));
}

async function attempted({ plant, files }) {
  if (files.length === 0) return { missed: 'NO TEST meets it' };
  for (const file of files) {
    const run = await vitest(plant, [file]);
    const noticed = firstFailure(run);
    if (noticed !== undefined) return { noticed };
    if (run.code !== 0) return { missed: `the tests broke off: ${run.err.trim().split('\n').slice(-5).join('\n')}` };
  }
  return { missed: 'NOBODY NOTICED' };
}
