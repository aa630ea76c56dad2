// `npm run check`: what tells within a minute whether a change holds. Style, types and generated files are looked at side
// by side, since each of them keeps one core busy; then the unit tests have the machine to themselves, because some of
// them measure.

import { spawn } from 'node:child_process';

const FOLDERS = ['src', 'test', 'tools', 'bench', 'planted', 'gauntlet', 'web'];
const STATIC = [
  ['biome', 'ci', ...FOLDERS],
  ['tsc', '--noEmit'],
  ['node', 'tools/generate-docs.mjs', '--check'],
];
/** `npm run check -- <more>` is for the tests. */
const TESTS = ['vitest', 'run', '--project', 'unit', ...process.argv.slice(2)];

/** Whether it succeeded. What runs beside others tells all of it at its end. */
function run([program, ...args], stdio) {
  return new Promise((ended) => {
    const child = spawn(program, args, { stdio: ['ignore', stdio, stdio] });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(chunk));
    child.on('error', (error) => {
      console.error(`${program} did not start: ${error.message}; start this with: npm run check`);
      ended(false);
    });
    child.on('close', (code) => {
      process.stdout.write(Buffer.concat(printed));
      ended(code === 0);
    });
  });
}

const checked = await Promise.all(STATIC.map((one) => run(one, 'pipe')));
if (checked.includes(false) || !(await run(TESTS, 'inherit'))) process.exitCode = 1;
