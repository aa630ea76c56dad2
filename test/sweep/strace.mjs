#!/usr/bin/env node
// Kill -9, ENOSPC and EIO at the system calls by which the built command line changes a project, one at
// a time, injected by strace; then the real command line looks at what is left (project.mjs).
// `node test/sweep/strace.mjs [--slice K] [--operation NAME] [--report FILE] [--verbose]`
// --slice K tries K points, spread evenly. Without strace it says so, loudly, and ends with 0.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helpIfAsked } from '../../tools/help.mjs';
import { environmentOf, examine, makeYard, OPERATIONS, rehearse, run } from './project.mjs';
import { inParallel, OPENS, quoted, skip, spread, TRACE, unavailable } from './tracing.mjs';

helpIfAsked(import.meta.filename);
const ROOT = path.join(import.meta.dirname, '..', '..');
const WORKERS = Math.min(os.availableParallelism(), 4);
const WHAT = 'kill -9, ENOSPC and EIO at every system call of the built program';
const FAULTS = ['signal=KILL', 'error=ENOSPC', 'error=EIO'];
const { values: options } = parseArgs({
  options: {
    slice: { type: 'string' },
    operation: { type: 'string' },
    report: { type: 'string' },
    verbose: { type: 'boolean' },
  },
});

async function main() {
  const began = Date.now();
  const missing = await unavailable();
  if (missing !== undefined) return skip('strace', WHAT, missing, options.report);
  const yard = await makeYard(ROOT);
  try {
    const plans = [];
    for (const operation of OPERATIONS.filter(({ name }) => (options.operation ?? name) === name)) {
      plans.push({ operation, expected: await rehearse(yard, operation), points: await pointsOf(yard, operation) });
    }
    const all = plans.flatMap((plan) => plan.points.map((point) => ({ ...plan, point })));
    const results = await inParallel(spread(all, options.slice), WORKERS, (job) => attempt(yard, job), 'points');
    return report(plans, results, Date.now() - began);
  } finally {
    yard.remove();
  }
}

/** Where to strike: every mutating call of the main thread (the store is synchronous), then those of each git. */
async function pointsOf(yard, operation) {
  const first = await trace(yard, operation, { paths: [] });
  const paths = [...new Set(first.flatMap(({ files }) => files))];
  const points = (await trace(yard, operation, { paths })).filter(({ mutates }) => mutates);
  const gits = operation.name === 'init' ? await gitCalls(yard, operation) : [];
  const calls = [...points.map((point) => ({ ...point, paths })), ...gits];
  return FAULTS.flatMap((fault) => calls.map((call) => ({ ...call, fault })));
}

async function gitCalls(yard, operation) {
  const found = [];
  for (let git = 1; ; git += 1) {
    const calls = await trace(yard, operation, { git });
    if (calls === undefined) return found;
    found.push(...calls.filter(({ mutates }) => mutates).map((call) => ({ ...call, git })));
  }
}

/** The calls of one run, in order; `nth` counts calls of that name, as strace does. undefined: that git never ran. */
async function trace(yard, operation, target) {
  const root = yard.copy(operation.board);
  const { code, log } = await under(yard, operation, root, target, []);
  if (code !== 0) throw new Error(`${operation.name} fails under strace: ${code}`);
  yard.drop(root);
  if (log === undefined) return undefined;
  const counts = new Map();
  return log.split('\n').flatMap((line) => {
    const call = /^(\w+)\(/.exec(line)?.[1];
    if (call === undefined) return [];
    const nth = (counts.get(call) ?? 0) + 1;
    counts.set(call, nth);
    const inGit = target.git !== undefined && /"(\.git\/)?refs\/|\.git\/|\.lock"/.test(line);
    if (!line.includes(`${root}/`) && !inGit) return [];
    const mutates = OPENS.includes(call) ? /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) : true;
    const files = mutates ? [...line.matchAll(/["<]([^">]+)[">]/g)].map(([, file]) => file) : [];
    const named = files.filter((file) => file.startsWith(`${root}/`)).map((file) => general(file, root));
    return [{ call, nth, mutates, files: named, line: general(line, root) }];
  });
}

const general = (text, root) =>
  text
    .replaceAll(root, 'ROOT')
    .replace(/\.\d+\.new/g, '.$PID.new')
    .replace(/liza-\d+/g, 'liza-$PID');

/**
 * strace as a grandchild (-D), so that the traced program has the pid that the shell knows beforehand: its
 * temporary files are named after it. Only calls on `paths` count, so that the n-th is the n-th every time.
 */
async function under(yard, operation, root, { paths = [], git }, inject) {
  const log = path.join(root, '..', `${path.basename(root)}.log`);
  const strace = ['strace', '-D', '-q', '-y', '-s', '32', '-e', `trace=${TRACE}`, '-o', log, ...inject];
  const program = ['node', yard.program, ...operation.argv];
  const env = environmentOf(operation);
  if (git !== undefined) {
    Object.assign(env, gitShim(root, git, strace));
    return finished(await run(program[0], program.slice(1), { cwd: root, env }), log);
  }
  const places = paths.map((file) => `-P "${file.replace('ROOT', root).replace('$PID', () => '$$')}"`).join(' ');
  const script = `exec ${strace.map(quoted).join(' ')} ${places} ${program.map(quoted).join(' ')}`;
  return finished(await run('sh', ['-c', script], { cwd: root, env }), log);
}

/** -D lets strace outlive the program by a moment: its last line says that it is done. */
async function finished({ code, output }, log) {
  for (let pause = 1; fs.existsSync(log) && !/^\+\+\+ .* \+\+\+$/m.test(fs.readFileSync(log, 'utf8')); pause *= 2) {
    if (pause > 4096) throw new Error(`strace does not end: ${output}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
  const text = fs.existsSync(log) ? fs.readFileSync(log, 'utf8') : undefined;
  fs.rmSync(log, { force: true });
  return { code, output, log: text };
}

/** A `git` on the PATH that runs the n-th git of the command under strace, the others as they are. */
function gitShim(root, at, strace) {
  const folder = `${root}.bin`;
  fs.mkdirSync(folder);
  const real = process.env.PATH.split(':')
    .map((entry) => path.join(entry, 'git'))
    .find((file) => fs.existsSync(file));
  const script = [
    '#!/bin/sh',
    `n=$(($(cat '${folder}/count' 2>/dev/null || echo 0) + 1)); echo $n > '${folder}/count'`,
    `[ $n = ${at} ] && exec ${strace.map(quoted).join(' ')} '${real}' "$@"`,
    `exec '${real}' "$@"`,
  ];
  fs.writeFileSync(path.join(folder, 'git'), `${script.join('\n')}\n`, { mode: 0o755 });
  return { PATH: `${folder}:${process.env.PATH}` };
}

async function attempt(yard, { operation, expected, point }) {
  const root = yard.copy(operation.board);
  const { call, nth, fault } = point;
  try {
    const { code, output, log } = await under(yard, operation, root, point, [
      '-e',
      `inject=${call}:${fault}:when=${nth}`,
    ]);
    const struck =
      fault === 'signal=KILL' ? /\+\+\+ killed by SIGKILL/.test(log ?? '') : /\(INJECTED\)/.test(log ?? '');
    const { end, problems } = await examine(yard, operation, root, expected, code);
    if (!struck) problems.push(`nothing was injected (ended with ${code}: ${output})`);
    return { operation, point, end, problems };
  } catch (error) {
    return { operation, point, end: 'neither', problems: [String(error.stack)] };
  } finally {
    yard.drop(root);
    yard.drop(`${root}.bin`);
  }
}

function report(plans, results, milliseconds) {
  const say = (line) => process.stdout.write(`${line}\n`);
  const rows = plans.map(({ operation, points }) => {
    const own = results.filter((result) => result.operation === operation);
    const ended = (end) => own.filter((result) => result.end === end).length;
    const failed = own.filter(({ problems }) => problems.length > 0).length;
    return {
      operation: operation.name,
      syscalls: points.length / FAULTS.length,
      tried: own.length,
      old: ended('old'),
      new: ended('new'),
      failures: failed,
    };
  });
  for (const { operation, point, problems } of results) {
    if (problems.length === 0) continue;
    say(`FAILED ${operation.name}: ${point.fault} at ${point.call} number ${point.nth}: ${point.line}`);
    for (const problem of problems) say(`    ${options.verbose ? problem : problem.slice(0, 300)}`);
  }
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  say(['operation', 'syscalls', 'points tried', 'old', 'new', 'failures'].map((head) => head.padEnd(16)).join(''));
  for (const row of rows)
    say(
      Object.values(row)
        .map((cell) => String(cell).padEnd(16))
        .join(''),
    );
  say(`${Math.round(milliseconds / 1000)} s`);
  const total = { sweep: 'strace', passed: results.length - failed, failed, milliseconds, operations: rows };
  if (options.report !== undefined) fs.writeFileSync(options.report, `${JSON.stringify(total)}\n`);
  say(`${total.passed} passed, ${failed} failed`);
  return failed === 0 && results.length > 0 ? 0 : 1;
}

process.exitCode = await main();
