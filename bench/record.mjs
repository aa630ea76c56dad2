// What it costs to check the whole record: `log verify` of 100,000 entries on a small and on a large board, `doctor` and
// `audit` at 10,000 tasks, as the median ratio to `node -e 0` of the same run, and how much memory each takes at most.

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, hash } from 'node:crypto';
import { closeSync, copyFileSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { makeBoard } from './boards.mjs';
import { finish, LIZA, median, quick, wantsCase } from './part.mjs';

const ENTRIES = 100_000;
const LARGE = 10_000;
const CHECKS = [
  { what: `log verify, ${ENTRIES} entries, 100 tasks`, args: ['log', 'verify'], tasks: 100, most: 30, long: true },
  {
    what: `log verify, ${ENTRIES} entries, ${LARGE} tasks`,
    args: ['log', 'verify'],
    tasks: LARGE,
    most: 30,
    long: true,
  },
  { what: `doctor, ${LARGE} tasks`, args: ['doctor'], tasks: LARGE, most: 20 },
  { what: `audit, ${LARGE} tasks`, args: ['audit'], tasks: LARGE, most: 20 },
];
const MEGABYTES = 300;
const { NODE_EXTRA_CA_CERTS: _certificates, LIZA_AGENT_ID: _id, ...env } = process.env;

/** What an agent's step leaves, about 900 bytes: so long is the middle one of a crew's lines. */
const step = (n) => [
  `      - time: "2026-02-01T00:00:${`${n % 60}`.padStart(2, '0')}Z"`,
  `        event: ${n % 2 === 0 ? 'validated' : 'submitted'}`,
  '        agent: coder-1',
  `        commit: "${`${n}`.padStart(40, '0')}"`,
  `        note: step ${n} of a task that takes long, in the words of whoever took it`,
];

/** Adds entries to a board's journal and its copy, up to so many. All change its end alone: the rest is hashed once. */
function lengthen(root) {
  const journal = join(root, '.liza', 'journal.jsonl');
  const state = join(root, '.liza', 'state.yaml');
  const last = readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1);
  let prev = hash('sha256', last);
  const text = readFileSync(state, 'utf8');
  const at = text.indexOf('agents: {}\n');
  const line = text.slice(0, at).split('\n').length - 1;
  const begun = createHash('sha256').update(text.slice(0, at));
  let own = [];
  const fd = openSync(journal, 'a');
  for (let seq = JSON.parse(last).seq + 1; seq <= ENTRIES; seq += 1) {
    const next = step(seq);
    const end = `${next.join('\n')}\n${text.slice(at)}`;
    const entry = {
      ...{ seq, time: '2026-02-01T00:00:00Z', command: 'submit-for-review', detail: `step ${seq}`, task: 'task-1' },
      change: [{ at: line, del: own, ins: next }],
      ...{ records: ['tasks/task-1', 'agents/coder-1'], actor: 'coder-1', session: 'measured', prev },
      state: begun.copy().update(end).digest('hex'),
    };
    own = next;
    const written = JSON.stringify(entry);
    prev = hash('sha256', written);
    writeSync(fd, `${written}\n`);
    if (seq === ENTRIES) writeFileSync(state, `${text.slice(0, at)}${end}`);
  }
  closeSync(fd);
  copyFileSync(journal, join(root, '.git', 'liza', 'journal.jsonl'));
}

function boardFor({ tasks, long }) {
  const root = makeBoard(tasks);
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
  git('branch', 'integration');
  for (const message of ['a', 'b', 'c', 'd']) run(root, [LIZA, 'note', message]);
  run(root, [LIZA, 'doctor', '--fix']);
  if (long) lengthen(root);
  return root;
}

function run(cwd, argv, program = process.execPath) {
  const begun = process.hrtime.bigint();
  const done = spawnSync(program, argv, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`${argv.join(' ')}: exit ${done.status}: ${done.stderr}`);
  return { ms: Number(process.hrtime.bigint() - begun) / 1e6, stderr: done.stderr };
}

const PEAK = `process.on('exit', () => process.stderr.write('PEAK=' + process.resourceUsage().maxRSS))`;
const peakOf = (root, args) => {
  const preload = `data:text/javascript,${encodeURIComponent(PEAK)}`;
  const { stderr } = run(root, ['--import', preload, LIZA, ...args]);
  return Number(/PEAK=(\d+)/.exec(stderr)?.[1] ?? Number.NaN) / 1024;
};

const rounds = quick ? 3 : 11;
const table = ['| what | `node -e 0` | limit | peak MB | limit |', '|---|--:|--:|--:|--:|'];
const missed = [];
for (const check of CHECKS) {
  const { what, args, most } = check;
  if (!wantsCase(what)) continue;
  const root = boardFor(check);
  // Its own code cache first.
  run(root, [LIZA, ...args]);
  const times = { unit: [], own: [] };
  for (let round = 0; round < rounds; round += 1) {
    times.unit.push(run(root, ['-e', '0']).ms);
    times.own.push(run(root, [LIZA, ...args]).ms);
  }
  const ratio = median(times.own) / median(times.unit);
  const peak = peakOf(root, args);
  rmSync(root, { recursive: true, force: true });
  table.push(`| ${what} | ${ratio.toFixed(1)} | ${most} | ${peak.toFixed(0)} | ${MEGABYTES} |`);
  console.error(table.at(-1));
  if (!(ratio <= most)) missed.push(`${what}: ${ratio.toFixed(1)} > ${most}`);
  if (!(peak <= MEGABYTES)) missed.push(`${what}: ${peak.toFixed(0)} MB > ${MEGABYTES}`);
}
const head = `median of ${rounds} rounds, Node ${process.versions.node}`;
console.log([head, '', ...table].join('\n'));
finish({ marker: 'record', table: [head, '', ...table], missed });
