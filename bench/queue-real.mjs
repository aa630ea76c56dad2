// `node bench/queue-real.mjs [--seconds 30] [--tasks 16] [--share 5] [--draws 5] [--seed 1] [--lanes 1]`: the merge queue as it
// is, on real git with a test that takes that long, against the same tasks one at a time (`merge_batch 1`). In each of the
// draws every task breaks the test with that chance (per cent), by the seed; `--bad 1` instead of `--share`: so many, in
// places spread over the queue, and one draw. Exit 1: fewer than 2.5 times the landings per hour over all draws, more than two
// notes in the journal for a landed task, something good that did not land, or a ref that is left. Runs the program in dist/:
// `npm run build` first. A draw takes about (tasks + 2 × bad) × seconds, and a third of that.

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
const asked = { seconds: '30', tasks: '16', share: '5', draws: '5', seed: '1', lanes: '1', bad: 'none' };
const options = Object.fromEntries(
  Object.entries(asked).map(([name, value]) => [name, { type: 'string', default: value }]),
);
const { seconds, tasks, share, draws, seed, lanes, bad } = Object.fromEntries(
  Object.entries(parseArgs({ options }).values).map(([name, value]) => [name, Number(value)]),
);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-queue-')));
const [root, saved] = [join(base, 'project'), join(base, 'saved')];
const env = cleanEnvironment(base);
const SCRIPT = `echo run >> "$HOME/runs"; sleep ${seconds}; for one in src/*.bad; do [ ! -e "$one" ] || exit 1; done\n`;
const ids = Array.from({ length: tasks }, (_, n) => `t${String(n + 1).padStart(2, '0')}`);

/** The n-th of so many, as far apart as they can be. */
const spread = () => [Array.from({ length: bad }, (_, n) => ids[Math.round(((n + 0.5) * tasks) / bad) - 1])];

function drawn() {
  const chance = chances(seed);
  return Array.from({ length: draws }, () => ids.filter(() => chance() < share / 100));
}

/** Numbers from 0 to 1 that follow from the seed alone (mulberry32). */
function chances(from) {
  let state = from >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

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
function approve(id, isBad) {
  liza(undefined, ...addTask(id));
  liza('coder-1', 'claim-task', id, 'coder-1');
  liza('coder-1', 'begin', id, ...checkpoint('src'), '--file', 'test');
  const folder = join(root, '.worktrees', id);
  write(folder, { [`src/${id}.${isBad ? 'bad' : 'js'}`]: `${id}\n`, [`test/${id}.test.js`]: `${id}\n` });
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
function merged(size, culprits) {
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
  const lost = ids.filter((id) => (all[id] === 'MERGED') === culprits.includes(id));
  const refs = git(root, 'for-each-ref', '--format=%(refname)', 'refs/liza/merging');
  if (lost.length > 0 || refs !== '') throw new Error(`merge_batch ${size}: ${JSON.stringify({ all, refs })}`);
  const runs = readFileSync(join(base, 'runs'), 'utf8').trim().split('\n').length;
  const written = journal() - notes;
  console.log(
    `merge_batch ${size}: ${landed.length} landed in ${(hours * 60).toFixed(1)} min, ${runs} runs of the test, ${(landed.length / hours).toFixed(1)} landings per hour, ${(written / landed.length).toFixed(2)} notes per landing`,
  );
  return { landed: landed.length, hours, notes: written };
}

/** Approved tasks, of which these break the test, merged both ways from the same start. */
function measure(culprits) {
  rmSync(saved, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
  startRepository(root, env, { files: { 'specs/vision.md': '# Vision\n', 'scripts/integration-test.sh': SCRIPT } });
  liza(undefined, 'init', 'Build it');
  for (const [name, value] of Object.entries(SETTINGS)) liza(undefined, 'config', 'set', name, value);
  for (const agent of ['coder-1', 'code-reviewer-1']) liza(agent, 'register', agent);
  for (const id of ids) approve(id, culprits.includes(id));
  renameSync(root, saved);
  console.log(`bad: ${culprits.join(' ') || 'none'}`);
  return { one: merged('1', culprits), batches: merged('auto', culprits) };
}

const sum = (results, key, field) => results.reduce((all, result) => all + result[key][field], 0);

try {
  console.log(`${tasks} tasks, a test of ${seconds} s, ${lanes === 1 ? 'one lane' : `${lanes} lanes`}`);
  const results = (Number.isNaN(bad) ? drawn() : spread()).map(measure);
  const rate = (key) => sum(results, key, 'landed') / sum(results, key, 'hours');
  const times = rate('batches') / rate('one');
  const each = sum(results, 'batches', 'notes') / sum(results, 'batches', 'landed');
  console.log(
    `${times.toFixed(2)} times the landings per hour (at least 2.5), ${each.toFixed(2)} notes per landing (at most 2)`,
  );
  process.exitCode = times >= 2.5 && each <= 2 ? 0 : 1;
} finally {
  rmSync(base, { recursive: true, force: true });
}
