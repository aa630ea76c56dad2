// What a claim and a merge cost beside the git calls they are made of. Each round takes the times of `node -e 0`,
// `liza note`, the raw git calls and the command in turn, so that a busy machine slows all of them.
//   claim-task ≤ 2 × note + 1.5 × (git worktree add | git clone --shared)
//   wt merge   ≤ 2 × note + 2 × (merge-tree, commit-tree, update-ref), the worktree's removal apart

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, LIZA, median, quick, wantsCase } from './part.mjs';
import { environmentOf, makeRepository, TASK } from './repository.mjs';

const ROUNDS = quick ? 5 : 15;

function timed(program, args, { cwd, as } = {}) {
  const start = process.hrtime.bigint();
  const done = spawnSync(program, args, {
    cwd,
    env: environmentOf(as),
    encoding: 'utf8',
  });
  const took = Number(process.hrtime.bigint() - start) / 1e6;
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit ${done.status}: ${done.stderr}${done.stdout}`);
  return { took, out: done.stdout.trim() };
}

const git = (cwd, ...args) => timed('git', args, { cwd });
const liza = (cwd, as, ...args) => timed(process.execPath, [LIZA, ...args], { cwd, as }).took;
const node = (cwd) => timed(process.execPath, ['-e', '0'], { cwd }).took;

const addTask = (root, id) => liza(root, undefined, 'add-task', '--id', id, '--desc', id, ...TASK);

function claims(tasks, isolation) {
  const root = makeRepository({ tasks, files: 30, folders: 50, isolation });
  addTask(root, 'bench');
  const times = { node: [], note: [], raw: [], own: [] };
  for (let round = 0; round < ROUNDS + 1; round += 1) {
    times.node.push(node(root));
    times.note.push(liza(root, undefined, 'note', `round ${round}`));
    const raw = join(root, '.worktrees', 'raw');
    times.raw.push(
      isolation === 'worktree'
        ? git(root, 'worktree', 'add', '-q', '-b', 'raw', raw, 'integration').took
        : git(root, 'clone', '-q', '--shared', '-b', 'integration', root, raw).took,
    );
    if (isolation === 'worktree') {
      git(root, 'worktree', 'remove', raw);
      git(root, 'branch', '-D', 'raw');
    } else rmSync(raw, { recursive: true });
    times.own.push(liza(root, 'coder-1', 'claim-task', 'bench', 'coder-1'));
    liza(root, undefined, 'release-claim', 'bench');
  }
  rmSync(root, { recursive: true, force: true });
  return times;
}

function merges(files) {
  const root = makeRepository({ tasks: 10, files, folders: 50, isolation: 'worktree' });
  const times = { node: [], note: [], raw: [], own: [] };
  for (let round = 0; round < ROUNDS + 1; round += 1) {
    const id = `m${round}`;
    addTask(root, id);
    // Claimed before the branch moves on, so that it is a true merge.
    liza(root, 'coder-1', 'claim-task', id, 'coder-1');
    const folder = join(root, '.worktrees', id);
    liza(
      folder,
      'coder-1',
      'begin',
      id,
      '--intent',
      'write the files of the task',
      '--risks',
      'none',
      '--validation',
      'node --test: passes',
      '--file',
      'src',
    );
    mkdirSync(join(folder, 'test'), { recursive: true });
    writeFileSync(join(folder, `test/${id}.test.js`), 'x\n');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', id);
    moveOn(root, round);
    liza(folder, 'coder-1', 'submit-for-review', id, 'HEAD');
    const commit = git(folder, 'rev-parse', 'HEAD').out;
    liza(root, 'code-reviewer-1', 'claim-review', id, 'code-reviewer-1');
    liza(root, 'code-reviewer-1', 'submit-verdict', id, 'APPROVED', `1: test/${id}.test.js:1`);
    times.node.push(node(root));
    times.note.push(liza(root, undefined, 'note', `round ${round}`));
    times.raw.push(rawMerge(root, commit));
    // The removal of worktree and branch is not part of the number.
    for (const ref of [`refs/heads/task/${id}`, `refs/liza/seen/${id}`]) git(root, 'update-ref', '-d', ref);
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(root, '.git/worktrees', `liza-${id}`), { recursive: true, force: true });
    times.own.push(liza(root, 'code-reviewer-1', 'wt', 'merge', id));
  }
  rmSync(root, { recursive: true, force: true });
  return times;
}

/** Somebody else's work reaches the branch meanwhile, and a person accepts it. */
function moveOn(root, round) {
  const tree = git(root, 'rev-parse', 'integration^{tree}').out;
  const commit = git(root, 'commit-tree', tree, '-p', 'integration', '-m', `other ${round}`).out;
  git(root, 'update-ref', 'refs/heads/integration', commit);
  liza(root, undefined, 'doctor', '--accept-integration');
}

function rawMerge(root, commit) {
  const head = git(root, 'rev-parse', 'integration').out;
  const tree = git(root, 'merge-tree', '--write-tree', head, commit);
  const made = git(root, 'commit-tree', tree.out, '-p', head, '-p', commit, '-m', 'raw');
  return tree.took + made.took + git(root, 'update-ref', 'refs/heads/raw', made.out).took;
}

const CASES = [
  ...['worktree', 'clone'].flatMap((isolation) =>
    [10, 1000].map((tasks) => ({
      name: `claim-task, ${isolation}, ${tasks} tasks`,
      times: () => claims(tasks, isolation),
      factor: 1.5,
    })),
  ),
  ...[30, 5000].map((files) => ({ name: `wt merge, ${files} files`, times: () => merges(files), factor: 2 })),
];
const missed = [];
const rows = [];
for (const { name, times, factor } of CASES.filter((one) => wantsCase(one.name))) {
  // The first round fills caches.
  const taken = Object.fromEntries(Object.entries(times()).map(([key, all]) => [key, median(all.slice(1))]));
  const limit = 2 * taken.note + factor * taken.raw;
  const of = (value) => (value / taken.node).toFixed(2);
  rows.push(
    `| ${name.padEnd(32)} | ${of(taken.own).padStart(7)} | ${of(limit).padStart(7)} | ${of(taken.note).padStart(6)} | ${of(taken.raw).padStart(7)} |`,
  );
  if (taken.own > limit) missed.push(`${name}: ${of(taken.own)} > ${of(limit)}`);
}
const head = `median ratio to \`node -e 0\`, ${ROUNDS} rounds, Node ${process.versions.node}`;
const table = [
  `| ${'command'.padEnd(32)} | ${'ratio'.padStart(7)} | ${'limit'.padStart(7)} | ${'note'.padStart(6)} | ${'raw git'.padStart(7)} |`,
  `|${'-'.repeat(34)}|${'-'.repeat(8)}:|${'-'.repeat(8)}:|${'-'.repeat(7)}:|${'-'.repeat(8)}:|`,
  ...rows,
];
console.log([head, '', ...table].join('\n'));
finish({ marker: 'git', table: [head, '', ...table], missed });
