// `npm test`: everything that shall hold before a change is merged, step by step with its duration, two at a time
// (they wait much) but for those that build or measure. A step that fails shows its output and the rest still run. Needs git and Node alone: what a machine lacks is
// skipped by the step concerned and listed at the end with the way to get it. The last line counts the steps.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = path.join(import.meta.dirname, '..');
const reports = mkdtempSync(path.join(tmpdir(), 'liza-test-'));
const report = (name) => path.join(reports, `${name}.json`);
const vitest = (name) => ['--reporter=default', '--reporter=json', `--outputFile.json=${report(name)}`];

/** A bench on a shared machine proves nothing small: only a number this many times its limit fails here. */
const GROSSLY = 3;

/** `alone`: the others need what it makes, or it measures. */
const STEPS = [
  { name: 'build', run: ['build'], alone: true },
  { name: 'check', run: ['check', ...vitest('check')], alone: true },
  { name: 'work on real repositories', run: ['test:work', ...vitest('work')] },
  { name: 'end to end', run: ['test:e2e', ...vitest('e2e')] },
  { name: 'killed at any system call', run: ['sweep:strace', '--slice', '40'] },
  { name: 'git workflows killed at any system call', run: ['sweep:git', '--slice', '24'] },
  { name: 'races', run: ['races', '--rounds', '6'] },
  { name: 'gauntlet', run: ['gauntlet', '--slice'] },
  { name: 'frozen agents', run: ['freeze', '--rounds', '8'] },
  { name: 'hostile input', run: ['fuzz:slice'] },
  { name: 'planted bugs', run: ['planted', '--slice', '3'] },
  { name: 'packed and installed', run: ['test:pack'] },
  { name: 'demo', run: ['demo', '--fast'] },
  { name: 'bench', run: ['bench:quick'], show: true, judge: grosslyMissed, alone: true },
];
const AT_ONCE = 2;

/** How to get what a SKIPPED line or a skipped test names. */
const HOW = {
  strace: 'install the package strace (Linux)',
  zsh: 'install zsh',
  fish: 'install fish',
  root: 'run as root, for example in a container',
  flock: 'install util-linux',
  bubblewrap: 'install the package bubblewrap (Linux)',
};

const lines = (text) => text.split('\n');
const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`;
const skipped = [];
let failed = 0;

const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

function run([script, ...args]) {
  if (scripts[script] === undefined) return { ok: false, output: `package.json has no script ${script}` };
  const env = { LIZA_RUNS: '1', ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
  return new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', script, '--', ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', (error) => resolve({ ok: false, output: `${output}${error.message}\n` }));
    child.on('close', (code) => resolve({ ok: code === 0, output: stripVTControlCharacters(output) }));
  });
}

/** Lines like `show <task> at 100: 5.10 > 1.4` of the bench's list of missed limits. */
function grosslyMissed(output) {
  return [...output.matchAll(/^ +(.+: ([\d.]+)(?: MB)? > ([\d.]+))$/gm)]
    .filter(([, , value, limit]) => Number(value) > GROSSLY * Number(limit))
    .map(([, line]) => line);
}

/** Tests that vitest left out; their names say why. */
function skippedTests(name) {
  try {
    const { testResults } = JSON.parse(readFileSync(report(name), 'utf8'));
    return testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'pending' || status === 'skipped')
      .map(({ fullName }) => fullName);
  } catch {
    return [];
  }
}

async function take(step) {
  const start = performance.now();
  process.stdout.write(`${step.name} …\n`);
  const { ok, output } = await run(step.run);
  const gross = ok && step.judge !== undefined ? step.judge(output) : [];
  const passed = ok && gross.length === 0;
  process.stdout.write(`${step.name}: ${passed ? 'ok' : 'FAILED'}, ${seconds(start)}\n`);
  if (!passed) failed += 1;
  if (!passed || step.show) process.stdout.write(`\n${output.trimEnd()}\n\n`);
  for (const line of gross) process.stdout.write(`more than ${GROSSLY} times its limit: ${line}\n`);
  skipped.push(
    ...lines(output)
      .filter((line) => /^\s*SKIPPED\b/.test(line))
      .map((line) => line.trim()),
  );
}

const running = new Set();
for (const step of STEPS) {
  while (running.size >= (step.alone ? 1 : AT_ONCE)) await Promise.race(running);
  const taken = take(step).finally(() => running.delete(taken));
  running.add(taken);
  if (step.alone) await taken;
}
await Promise.all(running);
skipped.push(...['check', 'work', 'e2e'].flatMap(skippedTests));
rmSync(reports, { recursive: true, force: true });

if (skipped.length > 0) {
  process.stdout.write('\nDid not run, and how to get it:\n');
  for (const what of new Set(skipped)) {
    const told = /get it|run it/.test(what);
    const known = told ? undefined : Object.keys(HOW).find((word) => new RegExp(`\\b${word}\\b`, 'i').test(what));
    process.stdout.write(`  ${what}${known === undefined ? '' : ` → ${HOW[known]}`}\n`);
  }
}
process.stdout.write(`\n${STEPS.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
