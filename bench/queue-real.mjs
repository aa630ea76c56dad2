// `node bench/queue-real.mjs [--seconds 30] [--tasks 20] [--bad 1] [--lanes 1]`: the merge queue as it is, on real git with a
// test that takes that long, against the same tasks one at a time (`merge_batch 1`). Of the tasks so many break the test, in
// places spread over the queue. Exit 1: fewer than 2.5 times the landings per hour, more than two notes in the journal for a
// landed task, something good that did not land, or a ref that is left. Runs the program in dist/: `npm run build` first.
// It takes about (tasks + 2 × bad) × seconds, and a third of that.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { addTask, checkpoint, cleanEnvironment, gitIn, SHOWN, startRepository, write } from '../test/support/core.mjs';
import { helpIfAsked } from '../tools/help.mjs';

helpIfAsked(import.meta.filename);
const LIZA = join(process.env.LIZA_DIST ?? join(import.meta.dirname, '../dist'), 'liza.cjs');
/** One of twenty is 5 % bad; sixteen of them go together at first. */
const asked = { seconds: '30', tasks: '20', bad: '1', lanes: '1' };
const options = Object.fromEntries(
  Object.entries(asked).map(([name, value]) => [name, { type: 'string', default: value }]),
);
const { seconds, tasks, bad, lanes } = Object.fromEntries(
  Object.entries(parseArgs({ options }).values).map(([name, value]) => [name, Number(value)]),
);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-queue-')));
const [root, saved] = [join(base, 'project'), join(base, 'saved')];
const env = cleanEnvironment(base);
const SCRIPT = `echo run >> "$HOME/runs"; sleep ${seconds}; for one in src/*.bad; do [ ! -e "$one" ] || exit 1; done\n`;
/** The n-th of so many, as far apart as they can be. */
const places = new Set(Array.from({ length: bad }, (_, n) => Math.round(((n + 0.5) * tasks) / bad)));
const ids = Array.from({ length: tasks }, (_, n) => `t${String(n + 1).padStart(2, '0')}`);
const isBad = (id) => places.has(ids.indexOf(id) + 1);

const SETTINGS = {
  sandbox: 'off',
  isolation: 'worktree',
  integration_test_timeout: '600',
  archive_after: '100000',
  max_unmerged: '1000',
};

const git = (cwd, ...args) => gitIn(cwd, args, env).trim();

function run(as, ...args) {
  const who = as === undefined ? {} : { LIZA_AGENT_ID: as };
  return spawnSync(process.execPath, [LIZA, ...args], { cwd: root, env: { ...env, ...who }, encoding: 'utf8' });
}

function liza(as, ...args) {
  const { status, stdout, stderr } = run(as, ...args);
  if (status !== 0) throw new Error(`liza ${args.join(' ')}: exit ${status}: ${stdout}${stderr}`);
  return stdout;
}

/** A task that is written, submitted and approved. */
function approve(id) {
  liza(undefined, ...addTask(id));
  liza('coder-1', 'claim-task', id, 'coder-1');
  liza('coder-1', 'begin', id, ...checkpoint('src'), '--file', 'test');
  const folder = join(root, '.worktrees', id);
  write(folder, { [`src/${id}.${isBad(id) ? 'bad' : 'js'}`]: `${id}\n`, [`test/${id}.test.js`]: `${id}\n` });
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', `${id}: written`);
  liza('coder-1', 'submit-for-review', id, 'HEAD');
  liza('code-reviewer-1', 'claim-review', id, 'code-reviewer-1');
  liza('code-reviewer-1', 'submit-verdict', id, 'APPROVED', SHOWN);
}

const statusOf = () => {
  const { tasks: all } = parse(readFileSync(join(root, '.liza/state.yaml'), 'utf8'));
  return Object.fromEntries(all.map(({ id, status }) => [id, status]));
};

/** The whole queue, with this size of batch, from what was saved. */
function merged(size) {
  rmSync(root, { recursive: true, force: true });
  cpSync(saved, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  rmSync(join(base, 'runs'), { force: true });
  liza(undefined, 'config', 'set', 'merge_batch', size);
  liza(undefined, 'config', 'set', 'merge_lanes', String(lanes));
  const journal = () => readFileSync(join(root, '.liza/journal.jsonl'), 'utf8').trim().split('\n').length;
  const [notes, begun] = [journal(), performance.now()];
  while (Object.values(statusOf()).includes('APPROVED')) run(undefined, 'queue', 'run');
  const hours = (performance.now() - begun) / 3_600_000;
  const all = statusOf();
  const landed = ids.filter((id) => all[id] === 'MERGED');
  const lost = ids.filter((id) => (all[id] === 'MERGED') === isBad(id));
  const refs = git(root, 'for-each-ref', '--format=%(refname)', 'refs/liza/merging');
  if (lost.length > 0 || refs !== '') throw new Error(`merge_batch ${size}: ${JSON.stringify({ all, refs })}`);
  const runs = readFileSync(join(base, 'runs'), 'utf8').trim().split('\n').length;
  const rate = landed.length / hours;
  const each = (journal() - notes) / landed.length;
  console.log(
    `merge_batch ${size}: ${landed.length} landed in ${(hours * 60).toFixed(1)} min, ${runs} runs of the test, ${rate.toFixed(1)} landings per hour, ${each.toFixed(2)} notes per landing`,
  );
  return { rate, each };
}

try {
  startRepository(root, env, { files: { 'specs/vision.md': '# Vision\n', 'scripts/integration-test.sh': SCRIPT } });
  liza(undefined, 'init', 'Build it');
  for (const [name, value] of Object.entries(SETTINGS)) liza(undefined, 'config', 'set', name, value);
  for (const agent of ['coder-1', 'code-reviewer-1']) liza(agent, 'register', agent);
  for (const id of ids) approve(id);
  renameSync(root, saved);
  console.log(`${tasks} tasks, ${bad} bad, a test of ${seconds} s, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`);
  const one = merged('1');
  const batches = merged('auto');
  const times = batches.rate / one.rate;
  console.log(`${times.toFixed(2)} times the landings per hour (at least 2.5)`);
  process.exitCode = times >= 2.5 && batches.each <= 2 ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
