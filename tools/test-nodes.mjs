// The built program under other releases of Node. Fetches each once (npm package `node`)
// into node_modules/.cache, then plays the demo and runs the tests that start the program as a process.
// Needs the network the first time, so it is no part of `npm test`. A release it cannot get fails the run.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { helpIfAsked } from './help.mjs';

helpIfAsked(import.meta.filename);
const RELEASES = ['22', '24'];
const SMOKE = ['test/unit/cli/process.test.ts', 'test/unit/cli/shims.test.ts'];

const root = path.join(import.meta.dirname, '..');
const cache = path.join(root, 'node_modules', '.cache', 'nodes');
const problems = [];

function run(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8', ...options });
  return { ok: done.status === 0, output: `${done.stdout ?? ''}${done.stderr ?? ''}${done.error?.message ?? ''}` };
}

/** Path of the binary, or the reason why there is none. */
function fetchNode(release) {
  const folder = path.join(cache, release);
  const binary = path.join(folder, 'node_modules', 'node', 'bin', 'node');
  if (existsSync(binary)) return { binary };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts=false', '--loglevel=error', `node@${release}`];
  const { output } = run('npm', args, { cwd: folder });
  return existsSync(binary) ? { binary } : { reason: output.trim() || 'npm installed no binary for this machine' };
}

function smoke(release, binary) {
  const version = run(binary, ['--version']).output.trim();
  const PATH = `${path.dirname(binary)}:${process.env.PATH}`;
  const env = { ...process.env, PATH, NO_COLOR: '1' };
  const steps = {
    demo: ['dist/liza.cjs', 'demo', '--fast', '--remove'],
    'program as a process': ['node_modules/vitest/vitest.mjs', 'run', '--project', 'unit*', ...SMOKE],
  };
  for (const [name, args] of Object.entries(steps)) {
    const { ok, output } = run(binary, args, { env });
    process.stdout.write(`Node ${version}: ${name} ${ok ? 'ok' : 'FAILED'}\n${ok ? '' : `${output}\n`}`);
    if (!ok) problems.push(`Node ${release}: ${name}`);
  }
}

const built = run(process.execPath, ['tools/build.mjs']);
if (!built.ok) throw new Error(`the build failed:\n${built.output}`);
for (const release of RELEASES) {
  const { binary, reason } = fetchNode(release);
  if (binary === undefined) {
    process.stdout.write(`\n!!! Node ${release} COULD NOT BE FETCHED, NOTHING WAS TESTED WITH IT: ${reason}\n\n`);
    problems.push(`Node ${release}: not fetched`);
  } else smoke(release, binary);
}
process.stdout.write(problems.length === 0 ? 'all ok\n' : `not ok: ${problems.join('; ')}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
