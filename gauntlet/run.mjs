// `npm run gauntlet`: agents that misbehave, under the real supervisor, with and without the sandbox. Prints what each
// did and what came of it; ends with 1 when a row did not come out as stated, or when a column could not be played.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fillMarkers } from '../tools/fill-markers.mjs';
import { progress } from '../tools/progress.mjs';
import { play } from './harness.mjs';
import { allRows, SLICE } from './rows.mjs';
import { amongRows, markdown, printed } from './table.mjs';

const PAGE = 'docs/gauntlet.md';
const PAGE_FILE = path.join(import.meta.dirname, '..', PAGE);

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean' },
    keep: { type: 'boolean' },
    json: { type: 'boolean' },
    docs: { type: 'boolean' },
    jobs: { type: 'string', default: '2' },
    'no-sandbox': { type: 'boolean' },
    'only-sandbox': { type: 'boolean' },
    slice: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) {
  console.log(`npm run gauntlet -- [options]
  --only G07,G10   these rows alone
  --slice          a few fast rows, for CI
  --list           say what the rows are, and play none
  --no-sandbox     without the sandbox only; --only-sandbox: with it only
  --jobs <n>       so many rows at once (2)
  --keep           keep the folders of the rows
  --json           the results as JSON
  --docs           put the table into docs/gauntlet.md; with --only the lines of those rows`);
  process.exit(0);
}

const all = await allRows();
const wanted = values.only?.split(',') ?? (values.slice ? SLICE : all.map(({ id }) => id));
const unknown = wanted.filter((id) => !all.some((row) => row.id === id));
if (unknown.length > 0) {
  console.error(`there is no row ${unknown.join(', ')}; there are ${all.map(({ id }) => id).join(' ')}`);
  process.exit(1);
}
if (values.docs && (values.slice || values['only-sandbox'] || (values.only !== undefined && values['no-sandbox']))) {
  console.error('--docs shows both columns: leave --slice and --only-sandbox out, and --no-sandbox beside --only');
  process.exit(1);
}
const rows = all.filter(({ id }) => wanted.includes(id));

if (values.list) {
  for (const { id, agent, stated } of rows) console.log(`${id}  ${agent}\n     → ${stated}`);
  process.exit(0);
}

const missing = values['no-sandbox'] ? undefined : withoutSandbox();
const modes = [
  ...(values['only-sandbox'] ? [] : [false]),
  ...(values['no-sandbox'] || missing !== undefined ? [] : [true]),
];
const begun = performance.now();
const jobs = rows.flatMap((row) => modes.map((sandboxed) => ({ row, sandboxed })));
const results = new Map();
let next = 0;
await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs) || 1) }, worker));

async function worker() {
  for (let job = jobs[next++]; job !== undefined; job = jobs[next++]) {
    const { row, sandboxed } = job;
    const result = await play(row, sandboxed, { keep: values.keep });
    results.set(`${row.id} ${sandboxed}`, result);
    progress(results.size, jobs.length, 'rows');
    const said = `${row.id} ${sandboxed ? 'sandbox ' : 'open    '} ${result.kind}, ${result.seconds} s`;
    console.error(
      result.ok ? said : `${said}\n${result.outcome}\n--- agents\n${result.logs}\n--- supervisor\n${result.crew}\n`,
    );
  }
}

const played = rows.map((row) => ({
  row,
  open: results.get(`${row.id} false`),
  sandbox: results.get(`${row.id} true`),
}));
const wrong = [...results.values()].filter(({ ok }) => !ok);
const seconds = Math.round((performance.now() - begun) / 1000);

if (values.json) console.log(JSON.stringify({ rows: played, missing, seconds }, undefined, 2));
else console.log(printed(played, missing));
if (values.docs) {
  const table = markdown(played, missing);
  fillMarkers(PAGE, 'gauntlet', values.only === undefined ? table : amongRows(readFileSync(PAGE_FILE, 'utf8'), table));
}
// `npm test` needs git and Node alone, and lists what it could not run; the whole gauntlet fails instead.
if (missing !== undefined && values.slice) console.log(`SKIPPED the gauntlet's sandbox column: ${missing}`);
else if (missing !== undefined)
  console.error(`\nTHE SANDBOX COLUMN WAS NOT PLAYED: ${missing}; without it on purpose: --no-sandbox`);
console.error(`\n${rows.length} rows, ${results.size} played in ${seconds} s, ${wrong.length} not as stated`);
process.exitCode = wrong.length > 0 || (missing !== undefined && !values.slice) ? 1 : 0;

/** Why nothing can be confined here; undefined: it can. */
function withoutSandbox() {
  const [program, ...argv] =
    process.platform === 'darwin'
      ? ['sandbox-exec', '-p', '(version 1)(allow default)', '/usr/bin/true']
      : ['bwrap', '--ro-bind', '/', '/', '--unshare-pid', '--die-with-parent', 'true'];
  const tried = spawnSync(program, argv, { encoding: 'utf8' });
  if (tried.error !== undefined) return `${program} is not installed; to get it: apt-get install bubblewrap`;
  return tried.status === 0 ? undefined : `${program} does not work here: ${tried.stderr.trim()}`;
}
