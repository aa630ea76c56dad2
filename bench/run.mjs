// `npm run bench`: what Liza costs, in parts, each held against its limits. A part that misses a limit or fails does
// not keep the others from running; the end of the output says which did.

import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { progress } from '../tools/progress.mjs';

const PARTS = {
  commands: 'show, note, heartbeat and validate at 100 to 10,000 tasks, bytes, memory, eight writers at once',
  record: 'log verify of 100,000 entries, doctor and audit at 10,000 tasks, with their memory',
  git: 'claim and merge, beside the git calls they are made of',
  files: 'claim, submission with proof and merge in a repository of 5,000 and of 50,000 files (not in --quick)',
  agents: 'from a task to its agent, Liza’s own cost per merged task, an idle run, the size of prompts',
  programs: 'programs started for one merged task, by isolation and sandbox (needs strace)',
  alarms: 'evaluating alarms, from a change to its alarm, a storm of alarms',
  sandbox: 'starting a program in the sandbox, a command from inside it',
  identity: 'checking who asks, against a build that does not check (takes longest; not in --quick)',
  crew: 'merged tasks per minute, own CPU, memory and event loop with 1 to 32 coders (not in --quick)',
  postgres:
    'a board on PostgreSQL: commands and writers beside the SQL by hand, 10,000 tasks, fifty idle hosts, takeover',
  checks: 'checks against cunning agents, against a build without them',
};
/** Not for a look. */
const LONG = ['identity', 'crew', 'files'];
/** They make builds of their own, or load parts of this one. */
const OWN_BUILDS = ['identity', 'checks', 'sandbox', 'postgres'];
const HELP = `npm run bench -- [options]      (the same as node bench/run.mjs --check [options])
  --check              exit 1 when a limit is missed
  --quick              few rounds of each: numbers for a look, not for a decision
  --only git,agents    these parts alone; agents/wake: the case "wake" of a part
  --docs               put the tables into docs/cost.md
  --against <commit>   each part for that commit's build first, then for this one; the limits are this one's alone

${Object.entries(PARTS)
  .map(([name, measures]) => `  ${name.padEnd(10)} ${measures}`)
  .join('\n')}`;

const { values } = parseArgs({
  options: {
    check: { type: 'boolean' },
    quick: { type: 'boolean' },
    only: { type: 'string' },
    docs: { type: 'boolean' },
    against: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const chosen = (
  values.only?.split(',') ?? Object.keys(PARTS).filter((name) => !values.quick || !LONG.includes(name))
).map((asked) => {
  const [name, one] = asked.split('/');
  return { name, one };
});
const unknown = chosen.filter(({ name }) => PARTS[name] === undefined);
if (unknown.length > 0) {
  console.error(`no part ${unknown.map(({ name }) => name).join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(1);
}

if (values.docs && (values.quick || chosen.some(({ one }) => one !== undefined))) {
  console.error('--docs shows whole parts, measured in full: leave --quick and single cases out');
  process.exit(1);
}

const root = path.join(import.meta.dirname, '..');
const built = spawnSync(process.execPath, ['tools/build.mjs'], { cwd: root, stdio: 'inherit' });
if (built.status !== 0) process.exit(1);

const other = values.against === undefined ? undefined : otherBuild(values.against);
const missed = [];
const failed = [];
for (const [at, { name, one }] of chosen.entries()) {
  progress(at + 1, chosen.length, 'parts');
  console.log(`\n${name}: ${PARTS[name]}\n`);
  if (other !== undefined && !OWN_BUILDS.includes(name)) {
    console.log(`${values.against}:`);
    await measured(name, one, { LIZA_DIST: path.join(other.folder, 'dist') });
    console.log('\nthis checkout:');
  }
  const result = await measured(name, one);
  missed.push(...result.missed.map((line) => `${name}: ${line}`));
  if (result.code !== 0) failed.push(`${name}: ended with ${result.code}`);
}
other?.remove();
if (missed.length > 0) console.log(`\nmissed:\n${missed.map((line) => `  ${line}`).join('\n')}`);
if (failed.length > 0) console.log(`\nfailed:\n${failed.map((line) => `  ${line}`).join('\n')}`);
if (missed.length + failed.length === 0) console.log('\nevery limit was kept');
process.exitCode = failed.length > 0 || (values.check && missed.length > 0) ? 1 : 0;

/** A build of another commit, in a folder of its own with this checkout's dependencies. */
function otherBuild(commit) {
  const folder = mkdtempSync(path.join(tmpdir(), 'liza-bench-against-'));
  const inTurn = [
    ['git', ['-C', root, 'worktree', 'add', '--quiet', '--detach', folder, commit]],
    ['ln', ['-s', path.join(root, 'node_modules'), path.join(folder, 'node_modules')]],
    [process.execPath, [path.join(folder, 'tools', 'build.mjs')]],
  ];
  const remove = () => spawnSync('git', ['-C', root, 'worktree', 'remove', '--force', folder]);
  for (const [program, args] of inTurn) {
    const done = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
    if (done.status === 0) continue;
    remove();
    rmSync(folder, { recursive: true, force: true });
    console.error(`${commit} could not be built: ${done.stderr || done.error?.message}`);
    process.exit(1);
  }
  return { folder, remove };
}

/** A process of its own for each part, so that what one leaves in memory slows no other. */
function measured(name, one, more = {}) {
  const argv = [
    path.join(import.meta.dirname, `${name}.mjs`),
    ...(values.quick ? ['--quick'] : []),
    ...(values.docs && more.LIZA_DIST === undefined ? ['--docs'] : []),
    ...(one === undefined ? [] : ['--case', one]),
  ];
  return new Promise((resolve) => {
    const env = { ...process.env, ...more };
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    let lines = [];
    child.on('message', ({ missed: told }) => (lines = told));
    child.on('close', (code, signal) => resolve({ code: code ?? signal, missed: lines }));
  });
}
