// `node bench/queue.mjs [--seeds 10000]`: the merge queue by its rules alone. That many random queues with culprits, flakes,
// outages, conflicts, kills and moved heads, with one lane and with three; as many with holds, too, and all of it at once;
// then what each size of batch costs, and how much sooner 16 that wait have landed. Exit 1: a rule broke, one of these costs too much, or planning takes too long.

import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { helpIfAsked } from '../tools/help.mjs';

helpIfAsked(import.meta.filename);

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '10000' } } });
const seeds = Number(values.seeds);
const here = new URL('../test/unit/protocol/queue/', import.meta.url).pathname;
const bundled = await build({
  stdin: {
    contents: ['simulated', 'costs', 'planning', 'waiting'].map((one) => `export * from './${one}.ts';`).join(''),
    resolveDir: here,
  },
  bundle: true,
  write: false,
  format: 'esm',
  platform: 'node',
});
const code = Buffer.from(bundled.outputFiles[0].contents).toString('base64');
const { simulate, trialOf, stormOf, cost, planning, waiting, timesAsMany, SIZES, TABLE } = await import(
  `data:text/javascript;base64,${code}`
);

let broken = 0;
for (const lanes of [1, 3]) {
  const begun = performance.now();
  let [runs, tasks, wronged, flaky, inVain, outages, holds, inOutages] = [0, 0, 0, 0, 0, 0, 0, 0];
  for (let seed = 1; seed <= seeds; seed++) {
    const trial = { ...trialOf(seed), lanes };
    const out = simulate(trial);
    const there = new Set(out.landed);
    const excused = new Set([...out.bad, ...out.conflicting, ...out.later]);
    const missing = [...Array(trial.tasks).keys()].filter((n) => !there.has(n) && !excused.has(n));
    const wrong = out.untested > 0 || out.bad.some((n) => there.has(n)) || (trial.flake === 0 && missing.length > 0);
    const lost = missing.some((n) => !out.blamed.includes(n));
    if (wrong || lost) console.log(`seed ${seed}, ${lanes} lanes: ${JSON.stringify({ ...out, missing })}`);
    broken += wrong || lost ? 1 : 0;
    runs += out.runs;
    tasks += trial.tasks;
    inVain += out.inVain;
    flaky += trial.flake > 0 ? trial.tasks : 0;
    wronged += trial.flake > 0 ? missing.length : 0;
    outages += out.outages;
    holds += trial.outages > 0 ? out.holds : 0;
    inOutages += trial.outages > 0 ? missing.length : 0;
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const share = ((100 * wronged) / flaky).toFixed(2);
  console.log(
    `${seeds} queues, lanes ${lanes}: ${broken} broken, ${(runs / tasks).toFixed(2)} runs per change, ${inVain} in vain`,
  );
  console.log(`  good ones blamed for ${outages} outages: ${inOutages}; the queue was held ${holds} times`);
  console.log(
    `  good ones blamed for flakes of 5 %: ${share} % (stated: below ${(100 * 0.05 ** 2 * 5).toFixed(2)} %); ${seconds} s`,
  );
}

{
  let [blamed, unproven, twice, lost] = [0, 0, 0, 0];
  for (let seed = 1; seed <= seeds; seed++) {
    const { tasks } = stormOf(seed);
    const out = simulate(stormOf(seed));
    const there = new Set(out.landed);
    blamed += out.blamed.length;
    unproven += out.unproven.length;
    twice += out.twice;
    lost += out.untested + out.bad.filter((n) => there.has(n)).length;
    lost += [...Array(tasks).keys()].filter((n) => !there.has(n) && !out.blamed.includes(n)).length;
  }
  broken += unproven + twice + lost;
  console.log(
    `${seeds} queues with flakes, outages, holds and kills at once: ${blamed} blamed, ${unproven} of them without red, green without it and red again since they were green; ${twice} green commits tested again; ${lost} lost or landed wrongly`,
  );
}

console.log(
  `\nruns per queued change; in brackets the table and one run for each red batch\n  bad   ${SIZES.map((n) => `n=${n}`.padEnd(14)).join('')}auto (of the best)`,
);
for (const bad of [0.01, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25, 0.3]) {
  const fixed = SIZES.map((size) => cost(bad, size));
  const cells = fixed.map(({ runs, red }, at) => {
    const most = TABLE[bad] === undefined ? undefined : TABLE[bad][at] + red;
    if (most !== undefined && runs > most * 1.1) broken += 1;
    return `${runs.toFixed(2)}${most === undefined ? '' : ` (${most.toFixed(2)})`}`.padEnd(14);
  });
  const best = Math.min(...fixed.map(({ runs }) => runs));
  const auto = cost(bad, 'auto').runs;
  if (bad >= 0.05 && auto > best * 1.15) broken += 1;
  console.log(`  ${`${bad * 100} %`.padEnd(6)}${cells.join('')}${auto.toFixed(2)} (${(auto / best).toFixed(2)})`);
}

const [WAIT, BAD, TIMES] = [16, 0.05, 2.5];
const rows = waiting(WAIT, BAD, 4);
const times = timesAsMany(WAIT, rows);
console.log(`\n${WAIT} tasks wait, each bad with a chance of ${BAD * 100} %: test runs in batches, and one at a time`);
for (const { culprits, share, one, batches, most } of rows)
  console.log(
    `  ${culprits} bad (${(share * 100).toFixed(1)} % of all queues): ${batches.toFixed(2)} (at most ${most}), and ${one.toFixed(2)}; ${(one / batches).toFixed(2)} times`,
  );
console.log(`  over all queues at least ${times.toFixed(2)} times the landings per hour (wanted: ${TIMES})`);
if (times < TIMES) broken += 1;

const MOST_MS = 50;
const took = planning(100);
console.log(`\n100 waiting tasks are planned anew in ${took.toFixed(2)} ms (at most ${MOST_MS})`);
if (took > MOST_MS) broken += 1;
process.exitCode = broken === 0 ? 0 : 1;
