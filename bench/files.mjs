// What a claim, a submission with its proof and a merge cost where a repository has many files: folders are
// reused, so that only what differs between two commits is written. Each round takes the times of `node -e 0` and of the
// commands in turn, so that a busy machine slows all of them; the first round, which finds no folder to reuse, is apart.

import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finish, LIZA, median, quick, wantsCase } from './part.mjs';
import { environmentOf, makeRepository, TASK } from './repository.mjs';

const ROUNDS = quick ? 3 : 9;
/** The first one fills caches and pools. */
const FIRST = 1;
const SIZES = quick ? [5000] : [5000, 50_000];
const LIMITS = { claim: 12, submit: 20, merge: 8 };
const GROWTH = 2;

/** Milliseconds, and those of the processor that it and what it started used: the shell's `times` knows both. */
function timed(program, args, { cwd, as } = {}) {
  const start = process.hrtime.bigint();
  const done = spawnSync('sh', ['-c', '"$@"; code=$?; times >&2; exit $code', 'sh', program, ...args], {
    cwd,
    env: environmentOf(as),
    encoding: 'utf8',
  });
  const took = Number(process.hrtime.bigint() - start) / 1e6;
  if (done.status !== 0)
    throw new Error(`${program} ${args.join(' ')}: exit ${done.status}: ${done.stderr}${done.stdout}`);
  const children = done.stderr.trim().split('\n').at(-1) ?? '';
  const cpu = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 60_000 * m + 1000 * s, 0);
  return { took, cpu, out: done.stdout.trim() };
}

/** Several at once: the shell tells hundredths of a second, and one takes three of them. */
const UNITS = 10;
function unit(cwd) {
  const all = timed('sh', ['-c', `for n in $(seq ${UNITS}); do "$0" -e 0; done`, process.execPath], { cwd });
  return { took: all.took / UNITS, cpu: all.cpu / UNITS };
}

const git = (cwd, ...args) => timed('git', args, { cwd });
const liza = (cwd, as, ...args) => timed(process.execPath, [LIZA, ...args], { cwd, as });

const BEGIN = ['--intent', 'write the files of the task', '--risks', 'none', '--validation', 'node --test: passes'];

function rounds(files, isolation) {
  const root = makeRepository({ tasks: 10, files, folders: 100, isolation });
  const all = { node: [], claim: [], submit: [], merge: [] };
  try {
    for (let round = 0; round < ROUNDS + FIRST; round += 1) {
      const id = `m${round}`;
      liza(root, undefined, 'add-task', '--id', id, '--desc', id, ...TASK);
      all.node.push(unit(root));
      all.claim.push(liza(root, 'coder-1', 'claim-task', id, 'coder-1'));
      const folder = join(root, '.worktrees', id);
      liza(folder, 'coder-1', 'begin', id, ...BEGIN, '--file', 'src');
      mkdirSync(join(folder, 'test'), { recursive: true });
      writeFileSync(join(folder, `test/${id}.test.js`), 'x\n');
      git(folder, 'add', '-A');
      git(folder, 'commit', '-q', '-m', id);
      all.submit.push(liza(folder, 'coder-1', 'submit-for-review', id, 'HEAD'));
      liza(root, 'code-reviewer-1', 'claim-review', id, 'code-reviewer-1');
      liza(root, 'code-reviewer-1', 'submit-verdict', id, 'APPROVED', `1: test/${id}.test.js:1`);
      all.merge.push(liza(root, 'code-reviewer-1', 'wt', 'merge', id));
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const of = (key, part) => median(all[key].slice(FIRST).map((one) => one[part]));
  return Object.fromEntries(
    Object.keys(LIMITS).map((key) => [
      key,
      {
        wall: of(key, 'took') / of('node', 'took'),
        cpu: of(key, 'cpu') / of('node', 'cpu'),
        first: all[key][0].took / of('node', 'took'),
      },
    ]),
  );
}

const missed = [];
const rows = [];
const before = new Map();
for (const isolation of ['worktree', 'clone'])
  for (const files of SIZES) {
    if (!wantsCase(`${isolation}, ${files} files`)) continue;
    for (const [key, { wall, cpu, first }] of Object.entries(rounds(files, isolation))) {
      const name = `${key}, ${isolation}`;
      const limit = files === SIZES[0] ? LIMITS[key] : GROWTH * (before.get(name) ?? LIMITS[key]);
      if (files === SIZES[0]) before.set(name, wall);
      if (wall > limit) missed.push(`${name}, ${files} files: ${wall.toFixed(1)} > ${limit.toFixed(1)}`);
      rows.push(
        `| ${name} | ${files} | ${wall.toFixed(1)} | ${limit.toFixed(1)} | ${cpu.toFixed(1)} | ${first.toFixed(1)} |`,
      );
    }
  }
const head = `median ratio to \`node -e 0\`, ${ROUNDS} rounds, Node ${process.versions.node}`;
const table = ['| command | files | time | limit | CPU | first time |', '|---|--:|--:|--:|--:|--:|', ...rows];
console.log([head, '', ...table].join('\n'));
finish({ marker: 'files', table: [head, '', ...table], missed });
