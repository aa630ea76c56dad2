// After a kill: the doctor comes, and the command is done again. Says what did not hold.

import fs from 'node:fs';
import path from 'node:path';
import { checkpoint } from '../support/core.mjs';
import { usable, whole } from './git-holds.mjs';
import { taskOf } from './git-view.mjs';

/**
 * Problems, in words. `another`: repeated by another agent, where that is possible; `orphaned` waits for a
 * git that outlived Liza; `straight`: repeated first, as by a supervisor that does not start anew.
 */
export async function examine(view, scenario, before, { another, orphaned, straight }) {
  const doctored = async () => {
    const fixed = await view.liza(['doctor', '--fix']);
    await orphaned?.();
    const again = await view.liza(['doctor']);
    return [
      ...(fixed.code === 0 ? [] : [`doctor --fix ends with ${fixed.code}: ${fixed.output}`]),
      ...(again.output.includes('git and the blackboard agree') ? [] : [`doctor still finds: ${again.output}`]),
      ...(await whole(view, scenario, before, 'after doctor')),
    ];
  };
  const repeated = async () => {
    await orphaned?.();
    const [problems, after] = await repeat(view, scenario, another);
    if (!straight) problems.push(...(await whole(view, scenario, before, 'after repeating')));
    const held = scenario.continues ? continued(view, scenario, before) : begun(view, scenario, after);
    return [...problems, ...(await held)];
  };
  const steps = straight ? [repeated, doctored] : [doctored, repeated];
  const problems = await usable(view, 'after the kill');
  for (const step of steps) problems.push(...(await step()));
  return problems;
}

async function repeat(view, scenario, another) {
  const { status } = taskOf(view, scenario);
  const { argv, env } = another && status === 'UNCLAIMED' ? scenario.another : scenario;
  const { code, output } = await view.liza(argv, env);
  const after = taskOf(view, scenario);
  const problems = [
    ...(code === 0 ? [] : [`repeated, it ends with ${code}: ${output}`]),
    ...(after.status === scenario.ends ? [] : [`repeated, ${scenario.task} is ${after.status}`]),
  ];
  return [problems, after];
}

/** Whoever holds the task can work in its folder. */
async function begun(view, { task }, { status, assigned_to: agent }) {
  if (status !== 'CLAIMED') return [];
  const { code, output } = await view.liza(['begin', task, ...checkpoint('src/hello.js')], { LIZA_AGENT_ID: agent });
  return code === 0 ? [] : [`in the worktree, begin ends with ${code}: ${output}`];
}

/** Whoever took the task over has the files that nobody committed. */
async function continued(view, { task }, { uncommitted }) {
  const lost = uncommitted.filter(({ file, text }) => {
    const there = path.join(view.root, '.worktrees', task, file);
    return !fs.existsSync(there) || fs.readFileSync(there, 'utf8') !== text;
  });
  return lost.map(({ file }) => `${file} was not carried over`);
}

/** A Liza that sees git die says so. A merge that was done stands: of a checkout that did not follow it tells. */
export function judgeSurvivor({ argv }, { code, output }) {
  const told = /ended by SIGKILL|died of signal 9/.test(output);
  if (told && code === (argv[0] === 'doctor' && output.includes('was not updated with its branch') ? 4 : 3)) return [];
  if (told && code === 0 && /could not be advanced/.test(output)) return [];
  return [`Liza saw git die and ended with ${code}: ${output}`];
}
