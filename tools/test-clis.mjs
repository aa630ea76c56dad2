// The real agent CLIs against a scripted model on loopback, no account needed. Not part of `npm test`: installs them
// (100 to 440 MB each) into ~/.cache/liza/clis, or LIZA_CLI_CACHE. A CLI that cannot be installed or started is SKIPPED;
// for claude and codex that is a failure.
//   node tools/test-clis.mjs [--sandbox] [-v] [claude codex gemini opencode acp]
//   --sandbox     in the sandbox of this machine, which must have one; otherwise without any
//   -v            shows what `liza run` says; LIZA_KEEP=1 keeps the folders

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIS } from '../test/clis/clis.mjs';
import { playThrough } from '../test/clis/scenario.mjs';
import { helpIfAsked } from './help.mjs';

helpIfAsked(import.meta.filename);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = process.env.LIZA_CLI_CACHE ?? join(homedir(), '.cache', 'liza', 'clis');
const MUST = ['claude', 'codex'];

const args = process.argv.slice(2);
const verbose = args.includes('-v');
const sandbox = args.includes('--sandbox');
const wanted = args.filter((arg) => !arg.startsWith('-'));
const unknown = wanted.filter((name) => !Object.hasOwn(CLIS, name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; known keys: ${Object.keys(CLIS).join(', ')}`);
  process.exit(2);
}

/** A copy of the program as it is now; dist/ stays as it is. */
function buildLiza() {
  const folder = join(cache, 'liza');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const part of ['package.json', 'contracts', 'templates', 'schema', 'scripts'])
    if (existsSync(join(root, part))) cpSync(join(root, part), join(folder, part), { recursive: true });
  const built = spawnSync(process.execPath, [join(root, 'tools', 'build.mjs')], {
    env: { ...process.env, LIZA_DIST: join(folder, 'dist') },
    stdio: 'inherit',
  });
  if (built.status !== 0) process.exit(1);
  return join(folder, 'dist', 'liza.cjs');
}

/** Where its program is, or why there is none. */
function install(name) {
  const program = CLIS[name].program ?? name;
  const folder = join(cache, program);
  const bin = join(folder, 'node_modules', '.bin');
  if (!existsSync(join(bin, program))) {
    console.log(`${name}: installing ${CLIS[name].package} into ${folder}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const done = spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', CLIS[name].package], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 600_000,
    });
    if (done.status !== 0)
      return { why: `not installed: ${(done.error?.message ?? done.stderr).trim().split('\n').at(-1)}` };
  }
  const home = join(cache, 'home');
  mkdirSync(home, { recursive: true });
  const trial = spawnSync(join(bin, program), ['--version'], {
    encoding: 'utf8',
    timeout: 60_000,
    env: { ...process.env, HOME: home, IS_SANDBOX: '1', DISABLE_AUTOUPDATER: '1' },
  });
  if (trial.status !== 0)
    return { why: `does not start: ${(trial.error?.message ?? trial.stderr).trim().split('\n').at(-1)}` };
  return { bin, version: trial.stdout.trim().split('\n').at(-1) };
}

const liza = buildLiza();
const work = join(cache, 'work');
mkdirSync(work, { recursive: true });
let failed = false;
for (const name of wanted.length === 0 ? Object.keys(CLIS) : wanted) {
  const found = install(name);
  if (found.bin === undefined) {
    console.log(`SKIPPED  ${name}: ${found.why}`);
    failed ||= MUST.includes(name);
    continue;
  }
  const started = Date.now();
  const said = [];
  const say = (line) => {
    said.push(line);
    if (verbose) console.log(`  ${line}`);
  };
  try {
    const { problems } = await playThrough(name, { cli: found.bin, liza, work, sandbox }, say);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(`${problems.length === 0 ? 'passed ' : 'FAILED '}  ${name} ${found.version} (${seconds} s)`);
    for (const problem of problems) console.log(`         - ${problem}`);
    if (problems.length > 0 && !verbose) for (const line of said.slice(-30)) console.log(`         | ${line}`);
    failed ||= problems.length > 0;
  } catch (error) {
    console.log(`FAILED   ${name}: ${error.message}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
