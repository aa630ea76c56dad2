// `node planted/run.mjs`: proves that somebody would notice. Every guard of the protocol is switched off in turn, and some
// test (table.mjs) or some row of the gauntlet (gauntlet.mjs) must turn red. Nobody chooses the list: it comes from the
// command table, and from the rows of the gauntlet, each of which names what holds it.

import { parseArgs } from 'node:util';
import { progress } from '../tools/progress.mjs';
import { gauntletPlants } from './gauntlet.mjs';
import { tablePlants } from './table.mjs';

const { values } = parseArgs({
  options: {
    list: { type: 'boolean' },
    table: { type: 'boolean' },
    gauntlet: { type: 'boolean' },
    only: { type: 'string' },
    slice: { type: 'string' },
    jobs: { type: 'string', default: '2' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  console.log(`node planted/run.mjs [options]
  --list              what would be planted
  --table, --gauntlet one half alone
  --only a,b          only those (submit-for-review/clean-sync, step/epoch, G03, G01/2)
  --slice n           n of them, evenly spread, every third of the gauntlet: for CI
  --jobs n            so many at once (2)`);
  process.exit(0);
}
const only = values.only?.split(',');
const both = values.table === values.gauntlet;
const isOfGauntlet = (name) => /^G\d\d+(\/\d+)?$/.test(name);
const wantsTable = (both || values.table) && (only === undefined || !only.every(isOfGauntlet));
const wantsGauntlet = (both || values.gauntlet) && (only === undefined || only.some(isOfGauntlet));

/** n of them, evenly spread. */
const spread = (all, n) =>
  all.filter((_, place) => Math.floor((place * n) / all.length) !== Math.floor(((place - 1) * n) / all.length));

function chosen(all, share) {
  if (only !== undefined) return all.filter(({ name }) => only.includes(name) || only.includes(name.split('/')[0]));
  if (values.slice === undefined) return all;
  const fast = all.filter((one) => one.fast === true);
  return spread(fast.length > 0 ? fast : all, share);
}

const slice = Number(values.slice);
const ofGauntlet = both ? Math.floor(slice / 3) : slice;
const gauntlet = wantsGauntlet ? await gauntletPlants() : undefined;
const halves = [
  ...(wantsTable
    ? [
        {
          what: 'of the table',
          all: await tablePlants({ fast: values.slice !== undefined }),
          share: both ? slice - ofGauntlet : slice,
        },
      ]
    : []),
  ...(gauntlet === undefined
    ? []
    : [{ what: `of the gauntlet’s ${gauntlet.rows} rows`, all: gauntlet.plants, share: ofGauntlet }]),
].map((half) => ({ ...half, plants: chosen(half.all, half.share) }));
const plants = halves.flatMap((half) => half.plants);
const unknown =
  only?.filter((asked) => !plants.some(({ name }) => name === asked || name.split('/')[0] === asked)) ?? [];
if (unknown.length > 0) throw new Error(`there is no ${unknown.join(', ')}; see --list`);
if (plants.length === 0) throw new Error('nothing to plant');

if (values.list === true) {
  for (const { name, told } of plants) console.log(`${name}: ${told}`);
} else {
  const begun = performance.now();
  const missed = new Set();
  const queue = [...plants];
  let tried = 0;
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { noticed, missed: why } = await next.attempt();
      if (noticed === undefined) missed.add(next);
      tried += 1;
      progress(tried, plants.length, 'bugs');
      console.log(noticed === undefined ? `✗ ${next.name}: ${why}` : `✓ ${next.name}: ${noticed}`);
    }
  };
  try {
    await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  } finally {
    await gauntlet?.close();
  }
  const counted = halves.map(({ what, all, plants: mine }) => {
    const not = mine.filter((one) => missed.has(one)).length;
    return `${mine.length} planted of ${all.length} ${what}, ${mine.length - not} noticed, ${not} not`;
  });
  console.log(`\n${counted.join('; ')}; ${Math.round((performance.now() - begun) / 1000)} s`);
  process.exitCode = missed.size === 0 ? 0 : 1;
}
