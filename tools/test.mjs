// `npm test`: everything that must hold before a change is merged. `npm run test:all`: the same without shortening the
// sweeps, races, fuzzing and benches, which takes hours. Says first how long it takes on two cores, then prints each step
// with its duration, and how far the running steps are: every half minute, on a terminal all the time. A step that fails
// shows its output, and the rest still run. A failed test of integration or end to end runs once more, alone in its step;
// the end names what passed only then. Needs only git and Node: a step that needs more skips it, and the end lists
// what was skipped and how to get it.
//   node tools/test.mjs --list           the steps
//   node tools/test.mjs --only races     steps whose name contains that text
//   node tools/test.mjs --all            in full

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs, stripVTControlCharacters } from 'node:util';
import { allPassed, onlyThese, worthAgain } from './again.mjs';
import { helpIfAsked } from './help.mjs';
import { progressIn, runningStatus } from './progress.mjs';

helpIfAsked(import.meta.filename);
const { values } = parseArgs({
  options: { list: { type: 'boolean' }, only: { type: 'string' }, all: { type: 'boolean' } },
});
const root = path.join(import.meta.dirname, '..');
const reports = mkdtempSync(path.join(tmpdir(), 'liza-test-'));
const report = (name) => path.join(reports, `${name}.json`);
const reporting = (name) =>
  name === undefined
    ? []
    : [
        ...['default', './tools/progress-reporter.mjs', 'json'].map((one) => `--reporter=${one}`),
        `--outputFile.json=${report(name)}`,
      ];
const vitest = (project) => ['node', 'node_modules/vitest/vitest.mjs', 'run', '--project', project];

/** A bench on a shared machine proves nothing small: only a number this many times its limit fails here. */
const GROSSLY = 3;
/** Rates are for the disk and for all cores: a fifth of one is allowed here. */
const SLOWLY = 5;

/**
 * `takes`: seconds of the short form beside another step, on two idle cores. `short` is added by default, `full` by --all.
 * `alone`: the others need what it makes, or it measures. `report`: vitest's. `again`: a failed test runs once more.
 */
const STEPS = [
  { name: 'build', takes: 4, run: ['node', 'tools/build.mjs'], alone: true },
  { name: 'check', takes: 70, run: ['npm', 'run', '--silent', 'check', '--'], report: 'check', alone: true },
  { name: 'integration', takes: 530, run: vitest('integration'), report: 'integration', again: true },
  { name: 'killed at any system call', takes: 21, run: ['node', 'test/sweep/strace.mjs'], short: ['--slice', '6'] },
  {
    name: 'git workflows killed at any system call',
    takes: 20,
    run: ['node', 'test/sweep/git.mjs'],
    short: ['--slice', '4'],
  },
  { name: 'races', takes: 15, run: ['node', 'test/races/races.mjs'], short: ['--rounds', '2'] },
  { name: 'gauntlet', takes: 42, run: ['node', 'gauntlet/run.mjs'], short: ['--slice'] },
  { name: 'frozen agents', takes: 10, run: ['node', 'test/freeze/freeze.mjs'], short: ['--rounds', '2'] },
  {
    name: 'hosts cut off and killed',
    takes: 15,
    run: ['node', 'test/partitions/partitions.mjs'],
    short: ['--rounds', '1', '--tasks', '1', '--seconds', '1'],
  },
  { name: 'hostile input', takes: 17, run: vitest('fuzz'), report: 'fuzz' },
  { name: 'planted bugs', takes: 14, run: ['node', 'planted/run.mjs'], short: ['--slice', '1'] },
  // Plays the demo, too.
  { name: 'packed and installed', takes: 63, run: ['node', 'tools/pack-test.mjs'] },
  // Last beside the others: it runs three files at once, so that no core is idle whichever step ends first.
  { name: 'end to end', takes: 275, run: vitest('e2e*'), report: 'e2e', again: true },
  {
    name: 'bench',
    takes: 23,
    run: ['node', 'bench/run.mjs'],
    // A smoke test of the commonest costs; it runs alone, so every second counts double. The rest: npm run bench.
    short: ['--quick', '--only', 'commands'],
    full: ['--check'],
    show: true,
    judge: grosslyMissed,
    alone: true,
  },
].filter(({ name }) => values.only === undefined || name.includes(values.only));
const AT_ONCE = 2;

/** How to get what a SKIPPED line or a skipped test names. */
const HOW = {
  strace: 'install the package strace (Linux)',
  zsh: 'install zsh',
  fish: 'install fish',
  root: 'run as root, for example in a container',
  flock: 'install util-linux',
  bubblewrap: 'install the package bubblewrap (Linux)',
  tmux: 'install tmux',
  'test:all': 'npm run test:all',
};

const lines = (text) => text.split('\n');
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
const command = ({ run, short = [], full = [] }) => [...run, ...(values.all ? full : short)];
const skipped = [];
const flaky = [];
const status = runningStatus(process.stdout);
let failed = 0;

/** Runs a command to its end; `told` gets each report of progress, such as `3 of 8 rounds`. */
function start([program, ...args], told) {
  const longer = values.all ? { FUZZ_RUNS: '10000', LIZA_FULL: '1', LIZA_RUNS: '1' } : {};
  // No step needs the network, and reading certificates makes each of thousands of starts of Node three times as long.
  const { NODE_EXTRA_CA_CERTS: _slow, ...inherited } = process.env;
  const env = { LIZA_PROGRESS: '1', ...longer, ...inherited, NO_COLOR: '1', FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    const child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        const far = progressIn(line);
        if (far !== undefined) told(far);
        else output += `${line}\n`;
      });
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ ok: code === 0, output: stripVTControlCharacters(output) }));
  });
}

/** Lines like `show <task> at 100: 5.10 > 1.4`, `8 writers: 30/s < 100/s` or `8 writers: 1 lost` of what the bench missed. */
function grosslyMissed(output) {
  const missed = [...output.matchAll(/^ +(.+: ([\d.]+)(?: MB|\/s)? ([<>]) ([\d.]+)(?:\/s)?)$/gm)]
    .filter(([, , value, sign, limit]) => (sign === '>' ? value / limit > GROSSLY : limit / value > SLOWLY))
    .map(([, line]) => line);
  return [...missed, ...[...output.matchAll(/^ +(.+: [1-9]\d* lost)$/gm)].map(([, line]) => line)];
}

/** How long this run takes where nothing else is running. */
function expected() {
  if (values.all) return 'Takes hours. How far each step is follows.';
  const total = (steps) => steps.reduce((sum, { takes }) => sum + takes, 0);
  const alone = STEPS.filter((step) => step.alone);
  const others = STEPS.filter((step) => !step.alone);
  const minutes = (total(alone) + total(others) / AT_ONCE) / 60;
  const told = minutes < 1 ? 'less than a minute' : `about ${Math.round(minutes)} minutes`;
  return `Takes ${told} on two idle cores.`;
}

/** What vitest reported; nothing where it did not get that far. */
function reported(name) {
  try {
    return JSON.parse(readFileSync(report(name), 'utf8'));
  } catch {
    return { testResults: [] };
  }
}

/** Tests that vitest left out; their names say why. */
const skippedTests = (name) =>
  reported(name)
    .testResults.flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'pending' || status === 'skipped')
    .map(({ fullName }) => fullName);

/** A step to its end; where a few of its tests failed and may be run again, with those once more. */
async function attempt(step) {
  const told = (far) => status.far(step.name, far);
  const first = await start([...command(step), ...reporting(step.report)], told);
  const failing = first.ok || !step.again ? [] : worthAgain(reported(step.report), first.output);
  if (failing.length === 0) return first;
  told(`again ${failing.length} of its tests`);
  const name = `${step.report}-again`;
  const second = await start([...command(step), ...onlyThese(failing), ...reporting(name)], told);
  const output = `${first.output}\nRun again:\n${second.output}`;
  if (!second.ok || !allPassed(failing, reported(name))) return { ok: false, output };
  flaky.push(...failing);
  return { ok: true, output, isFlaky: true };
}

async function take(step) {
  const begun = performance.now();
  status.begin(step.name);
  const { ok, output, isFlaky = false } = await attempt(step);
  const gross = ok && step.judge !== undefined ? step.judge(output) : [];
  const passed = ok && gross.length === 0;
  status.end(step.name, `${step.name}: ${passed ? 'ok' : 'FAILED'}, ${seconds(begun)}`);
  if (!passed) failed += 1;
  if (!passed || step.show || isFlaky) process.stdout.write(`\n${output.trimEnd()}\n\n`);
  for (const line of gross) process.stdout.write(`far from its limit: ${line}\n`);
  skipped.push(
    ...lines(output)
      .filter((line) => /^\s*SKIPPED\b/.test(line))
      .map((line) => line.trim()),
  );
}

async function takeAll() {
  process.stdout.write(`${expected()}\n`);
  const running = new Set();
  for (const step of STEPS) {
    while (running.size >= (step.alone ? 1 : AT_ONCE)) await Promise.race(running);
    const taken = take(step).finally(() => running.delete(taken));
    running.add(taken);
    if (step.alone) await taken;
  }
  await Promise.all(running);
  status.close();
  skipped.push(...STEPS.flatMap((step) => (step.report === undefined ? [] : skippedTests(step.report))));
}

function tell() {
  if (skipped.length > 0) {
    process.stdout.write('\nDid not run, and how to get it:\n');
    for (const what of new Set(skipped)) {
      const told = /get it|run it/.test(what);
      const known = told ? undefined : Object.keys(HOW).find((word) => new RegExp(`\\b${word}\\b`, 'i').test(what));
      process.stdout.write(`  ${what}${known === undefined ? '' : ` → ${HOW[known]}`}\n`);
    }
  }
  if (flaky.length > 0) {
    process.stdout.write('\nPassed only when run again (a flake: look at it):\n');
    for (const { file, name } of flaky) process.stdout.write(`  ${path.relative(root, file)}: ${name}\n`);
  }
  process.stdout.write(`\n${STEPS.length - failed} passed, ${failed} failed\n`);
}

try {
  if (values.list) for (const step of STEPS) console.log(`${step.name}: ${command(step).join(' ')}`);
  else {
    await takeAll();
    tell();
    process.exitCode = failed === 0 && STEPS.length > 0 ? 0 : 1;
  }
} finally {
  rmSync(reports, { recursive: true, force: true });
}
