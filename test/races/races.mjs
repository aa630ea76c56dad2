// `node test/races/races.mjs [--rounds 100]`: real processes race for the same task, review and merge. In each round
// two coders claim one task at once (the loser takes another), both commit, two reviewers claim one review
// at once, and both tasks are merged by two processes each, all at once. Then: exactly one claimer and one
// reviewer won, every commit of the winner is there, each task was merged once, and the first-parent
// history of the integration branch is exactly what the board has recorded. Isolations take turns.
// Runs the program in dist/: `npm run build` first.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { helpIfAsked } from '../../tools/help.mjs';
import { progress } from '../../tools/progress.mjs';
import {
  addTask,
  checkpoint,
  cleanEnvironment,
  gitIn,
  runToEnd,
  SHOWN,
  startRepository,
  write,
} from '../support/core.mjs';

helpIfAsked(import.meta.filename);
const LIZA = join(process.env.LIZA_DIST ?? join(import.meta.dirname, '../../dist'), 'liza.cjs');
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const rounds = Number(values.rounds);
const base = realpathSync(mkdtempSync(join(tmpdir(), 'liza-races-')));
const root = join(base, 'project');
const env = cleanEnvironment(base);

const git = (cwd, ...args) => gitIn(cwd, args, env).trim();

/** Ends the run when it fails: everything here is meant to work. */
function liza(as, ...args) {
  const done = spawnSync(process.execPath, [LIZA, ...args], { cwd: root, env: { ...env, ...as }, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`liza ${args.join(' ')}: exit ${done.status}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

const race = async (as, ...args) => ({
  ...(await runToEnd(process.execPath, [LIZA, ...args], { cwd: root, env: { ...env, ...as } })),
  by: as.LIZA_AGENT_ID,
});

const agent = (id) => ({ LIZA_AGENT_ID: id });
const wrong = [];
const expect = (holds, what) => holds || wrong.push(what);

function oneWinner(ended, what) {
  const winners = ended.filter(({ code }) => code === 0);
  expect(winners.length === 1, `${what}: ${winners.length} winners: ${ended.map(({ text }) => text).join(' | ')}`);
  const losers = ended.filter(({ code }) => code !== 0);
  expect(
    losers.every(({ code }) => code === 1 || code === 2),
    `${what}: a loser ended with ${losers.map((one) => one.code)}`,
  );
  return winners[0]?.by;
}

/** Two commits in the task's worktree. */
function work(coder, id) {
  const folder = join(root, '.worktrees', id);
  liza(agent(coder), 'begin', id, ...checkpoint('src'), '--file', 'test');
  const commits = ['src', 'test'].map((kind) => {
    write(folder, { [`${kind}/${id}.${kind === 'src' ? 'js' : 'test.js'}`]: `${id}\n` });
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', `${id} ${kind}`);
    return git(folder, 'rev-parse', 'HEAD');
  });
  liza(agent(coder), 'submit-for-review', id, 'HEAD');
  return commits;
}

async function round(n) {
  liza({}, 'config', 'set', 'isolation', n % 2 === 0 ? 'worktree' : 'clone');
  const [first, second] = [`a${n}`, `b${n}`];
  for (const id of [first, second]) liza({}, ...addTask(id));
  const coders = ['coder-1', 'coder-2'];
  const claims = await Promise.all(coders.map((id) => race(agent(id), 'claim-task', first, id)));
  const coder = oneWinner(claims, `claim of ${first}`) ?? 'coder-1';
  const other = coders.find((id) => id !== coder);
  liza(agent(other), 'claim-task', second, other);
  const commits = [...work(coder, first), ...work(other, second)];
  const reviewers = ['code-reviewer-1', 'code-reviewer-2'];
  const reviews = await Promise.all(reviewers.map((id) => race(agent(id), 'claim-review', first, id)));
  const reviewer = oneWinner(reviews, `review of ${first}`) ?? 'code-reviewer-1';
  const otherReviewer = reviewers.find((id) => id !== reviewer);
  liza(agent(otherReviewer), 'claim-review', second, otherReviewer);
  liza(agent(reviewer), 'submit-verdict', first, 'APPROVED', SHOWN);
  liza(agent(otherReviewer), 'submit-verdict', second, 'APPROVED', SHOWN);
  const merges = await Promise.all([first, first, second, second].map((id) => race({}, 'wt', 'merge', id)));
  expect(
    merges.every(({ code }) => code === 0),
    `merges of round ${n}: ${merges.map(({ text }) => text).join(' | ')}`,
  );
  const done = merges.filter(({ text }) => !text.includes('already done')).length;
  expect(done === 2, `round ${n}: ${done} merges were made instead of 2`);
  const reachable = new Set(git(root, 'rev-list', 'integration').split('\n'));
  for (const commit of commits) expect(reachable.has(commit), `round ${n}: commit ${commit} is not on integration`);
}

/** Each recorded merge starts where the one before ended, and nothing else is on the first-parent line. */
function checkHistory(start) {
  const tasks = [
    ...liza({}, 'lock', 'read').matchAll(/merge_commit: "?([0-9a-f]{40})"?\n\s+onto: "?([0-9a-f]{40})"?/g),
  ];
  const next = new Map(tasks.map(([, commit, onto]) => [onto, commit]));
  expect(next.size === 2 * rounds, `${next.size} merges are recorded, ${2 * rounds} were made`);
  let at = start;
  for (let seen = 0; next.has(at) && seen <= tasks.length; seen += 1) {
    const to = next.get(at);
    const line = git(root, 'rev-list', '--first-parent', `${at}..${to}`).split('\n');
    const parents = git(root, 'show', '-s', '--format=%P', to).split(' ');
    // A true merge is one commit on the line; a fast-forward brings the task's own two.
    expect(line.length === (parents.length === 2 ? 1 : 2), `${to} brought ${line.length} commits`);
    at = to;
  }
  expect(at === git(root, 'rev-parse', 'integration'), 'the recorded merges do not lead to the branch’s head');
}

const began = performance.now();
startRepository(root, env);
liza({}, 'init', 'Race');
// Where it is on, all folders are clones.
liza({}, 'config', 'set', 'sandbox', 'off');
liza({}, 'config', 'set', 'archive_after', '100000');
for (const id of ['coder-1', 'coder-2', 'code-reviewer-1', 'code-reviewer-2']) liza(agent(id), 'register', id);
const start = git(root, 'rev-parse', 'integration');
for (let n = 0; n < rounds && wrong.length === 0; n += 1) {
  await round(n);
  progress(n + 1, rounds, 'rounds');
}
if (wrong.length === 0) checkHistory(start);
const left = git(root, 'for-each-ref', '--format=%(refname)', 'refs/heads/task', 'refs/liza/seen', 'refs/liza/merging');
expect(left === '', `refs were left: ${left}`);
expect(git(root, 'worktree', 'list').split('\n').length === 1, 'a worktree was left');
expect(git(root, 'status', '--porcelain') === '', 'the project’s own tree was touched');
const seconds = ((performance.now() - began) / 1000).toFixed(0);
console.log(
  `${rounds} rounds in ${seconds} s: ${wrong.length === 0 ? 'each claim, review and merge had one winner' : 'FAILED'}`,
);
for (const what of wrong) console.log(`  ${what}`);
if (wrong.length === 0) rmSync(base, { recursive: true, force: true });
else console.log(`  left in ${root}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
