#!/usr/bin/env node
// Kill -9 at the system calls by which claim, submit, merge, delete, release, sync and finish change a project: of Liza,
// of a git that it started, or of both; then `liza doctor --fix`, and what must hold (git-examine.mjs).
// `node test/sweep/git.mjs [--slice K] [--scenario NAME[/ISOLATION]] [--only SCENARIO:POINT]
// [--straight] [--list] [--verbose]`. --straight repeats the command before the doctor comes.
// --slice K tries K points, or a few more, the same kind of call once, of K scenarios: to list the calls of a scenario
// takes longer than to kill at one of them. Without strace it says so and ends with 0.

import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helpIfAsked } from '../../tools/help.mjs';
import { examine, judgeSurvivor } from './git-examine.mjs';
import { fingerprint } from './git-fingerprint.mjs';
import { lookBefore } from './git-holds.mjs';
import { layOut, makePlace, projectIn } from './git-places.mjs';
import { makeShims, pointsOf, settled, strike } from './git-points.mjs';
import { ISOLATIONS, SCENARIOS, titleOf } from './git-scenarios.mjs';
import { makeTemplates } from './git-templates.mjs';
import { viewOf } from './git-view.mjs';
import { buildApart } from './project.mjs';
import { inParallel, skip, spread, unavailable } from './tracing.mjs';

helpIfAsked(import.meta.filename);
const ROOT = path.join(import.meta.dirname, '..', '..');
const WHAT = 'kill -9 at every system call of claim, submit, merge, delete, release, sync and finish';
const WORKERS = 2;
/** A count may be off by one when git finds a file younger than its index: then once more. */
const TRIES = 4;

const { values: options } = parseArgs({
  options: {
    slice: { type: 'string' },
    scenario: { type: 'string' },
    only: { type: 'string' },
    straight: { type: 'boolean' },
    list: { type: 'boolean' },
    report: { type: 'string' },
    verbose: { type: 'boolean' },
  },
});
const say = (line) => process.stdout.write(`${line}\n`);

async function main() {
  const began = Date.now();
  const missing = await unavailable();
  if (missing !== undefined) return skip('git', WHAT, missing, options.report);
  const [onlyTitle, onlyPoint] = options.only?.split(':') ?? [];
  const wanted = onlyTitle ?? options.scenario;
  const all = SCENARIOS.filter((scenario) => [undefined, scenario.name, titleOf(scenario)].includes(wanted));
  // Of each scenario one isolation, by turns.
  const byTurns = all.filter((_, index) => index % 4 === 0 || index % 4 === 3);
  const scenarios = options.slice === undefined ? all : spread(byTurns, options.slice);
  if (scenarios.length === 0) throw new Error(`no scenario ${wanted}; there are: ${SCENARIOS.map(titleOf).join(', ')}`);
  const yard = await makeYard(scenarios);
  let failed = true;
  try {
    const plans = await inParallel(
      scenarios,
      WORKERS,
      async (scenario, worker) => {
        const place = yard.places[worker - 1];
        const points = await pointsOf(yard, place, scenario);
        layOut(yard.base, place, scenario.from, scenario.isolation);
        return { scenario, points, before: await lookBefore(viewOf(yard, place), scenario), seen: new Map() };
      },
      'scenarios',
    );
    plans.sort((a, b) => scenarios.indexOf(a.scenario) - scenarios.indexOf(b.scenario));
    const jobs = chosen(plans).filter(({ point }) => onlyPoint === undefined || point.id === onlyPoint);
    if (options.list) {
      failed = false;
      for (const { plan, point } of jobs) say(`${titleOf(plan.scenario)}:${point.id}  ${point.what}`);
      return 0;
    }
    const results = await inParallel(
      jobs,
      WORKERS,
      async (job, worker) => {
        const result = await attempt(yard, yard.places[worker - 1], job);
        tell(result);
        return result;
      },
      'points',
    );
    failed = report(plans, results, Date.now() - began);
    return failed ? 1 : 0;
  } finally {
    if (!failed && options.only === undefined) fs.rmSync(yard.base, { recursive: true, force: true });
    else say(`kept: ${yard.base}`);
  }
}

async function makeYard(scenarios) {
  const yard = await buildApart(ROOT);
  const git = process.env.PATH.split(':')
    .map((folder) => path.join(folder, 'git'))
    .find((file) => fs.existsSync(file));
  const places = Array.from({ length: WORKERS }, (_, index) => makePlace(yard.base, index + 1));
  await inParallel(ISOLATIONS, WORKERS, (isolation, worker) => {
    const needed = scenarios.filter((scenario) => scenario.isolation === isolation);
    return makeTemplates(yard, places[worker - 1], isolation, new Set(needed.map(({ from }) => from)));
  });
  return { ...yard, git, places, shims: makeShims(yard.base) };
}

/** All; or, of each kind of call the first, as many of each scenario, evenly spread: the one in the middle if it is one. */
function chosen(plans) {
  const all = plans.map((plan) => plan.points.map((point) => ({ plan, point })));
  if (options.slice === undefined) return all.flat();
  const each = Math.ceil(options.slice / plans.length);
  return all.flatMap((jobs) => {
    const kinds = [...new Map(jobs.map((job) => [kindOf(job), job]).reverse()).values()].reverse();
    return each === 1 ? kinds.slice(kinds.length / 2).slice(0, 1) : spread(kinds, each);
  });
}

/** Calls on the blackboard itself are alike in all scenarios: strace.mjs has them. */
function kindOf({ plan, point: { process, how, what } }) {
  const title = what.includes('project/.liza/') ? '' : titleOf(plan.scenario);
  return [title, process.replace(/\.\d+$/, ''), how, what].join(' ');
}

/** `traced`: its calls were listed again, because the one that was chosen did not come. */
async function attempt(yard, place, { plan, point, traced = false }) {
  const { scenario, before, seen } = plan;
  const problems = [];
  try {
    let done;
    for (let tries = 0; tries < TRIES && done?.struck !== true; tries += 1) {
      layOut(yard.base, place, scenario.from, scenario.isolation);
      done = await strike(yard, place, scenario, point);
    }
    // Some calls depend on how old a file is: then the same kind of call, or the one at that place, is in a new list.
    if (!done.struck && !traced && options.only === undefined) {
      const points = await pointsOf(yard, place, scenario);
      const kind = kindOf({ plan, point });
      const other = points.find((one) => kindOf({ plan, point: one }) === kind) ?? points[plan.points.indexOf(point)];
      if (other !== undefined) return attempt(yard, place, { plan, point: other, traced: true });
    }
    if (!done.struck)
      return { plan, point, problems: [], missed: done.instead ?? `ended with ${done.code}: ${done.output}` };
    if (point.how === 'git') problems.push(...judgeSurvivor(scenario, done));
    const orphaned = point.how === 'orphan' ? () => settled(place, point) : undefined;
    if (options.only !== undefined) keep(yard, place, plan, point, 'killed');
    const another = scenario.another !== undefined && point.nth % 2 === 0;
    const state = orphaned === undefined ? `${fingerprint(projectIn(place))} ${another}` : point.id;
    const known = seen.get(state);
    if (known === undefined)
      seen.set(
        state,
        examine(viewOf(yard, place), scenario, before, { another, orphaned, straight: options.straight }),
      );
    problems.push(...(await seen.get(state)));
    if (known !== undefined) return { plan, point, problems };
  } catch (error) {
    problems.push(String(error.stack));
  }
  if (problems.length > 0) keep(yard, place, plan, point, 'failed');
  return { plan, point, problems };
}

function keep(yard, place, { scenario }, point, as) {
  const folder = path.join(yard.base, as, `${titleOf(scenario).replace('/', '-')}-${point.id}`);
  fs.cpSync(projectIn(place), folder, { recursive: true, preserveTimestamps: true });
}

function tell({ plan, point, problems, missed }) {
  const title = `${titleOf(plan.scenario)}:${point.id}`;
  if (missed !== undefined) say(`MISSED ${title}: ${point.what}; instead: ${missed}`);
  if (problems.length === 0) return;
  say(`FAILED ${title}: ${point.what}`);
  for (const problem of problems) say(`    ${options.verbose ? problem : problem.slice(0, 300)}`);
  say(`    once more: node test/sweep/git.mjs --only ${title}`);
}

function report(plans, results, milliseconds) {
  say(['scenario', 'points', 'tried', 'states', 'missed', 'failed'].map((head) => head.padEnd(24)).join(''));
  const count = (own, test) => own.filter(test).length;
  const rows = plans.map((plan) => {
    const own = results.filter((result) => result.plan === plan);
    const [missed, failed] = [
      count(own, (one) => one.missed !== undefined),
      count(own, (one) => one.problems.length > 0),
    ];
    return {
      scenario: titleOf(plan.scenario),
      points: plan.points.length,
      tried: own.length,
      states: plan.seen.size,
      missed,
      failed,
    };
  });
  for (const row of rows)
    say(
      Object.values(row)
        .map((cell) => String(cell).padEnd(24))
        .join(''),
    );
  const failed = count(results, ({ problems, missed }) => problems.length > 0 || missed !== undefined);
  say(`${Math.round(milliseconds / 1000)} s`);
  const total = { sweep: 'git', passed: results.length - failed, failed, milliseconds, scenarios: rows };
  if (options.report !== undefined) fs.writeFileSync(options.report, `${JSON.stringify(total)}\n`);
  say(`${total.passed} passed, ${failed} failed`);
  return failed > 0 || results.length === 0;
}

process.exitCode = await main();
