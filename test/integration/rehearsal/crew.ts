// A crew for tests: planner, two coders and a reviewer, each a loop that takes what the rules say is there, claims it by
// the real command and starts a rehearsal. No leases, no back-off: that is the supervisor's.

import { setTimeout as pass } from 'node:timers/promises';
import type { State } from '../../../src/protocol/state.ts';
import { openYamlStore } from '../../../src/store/open.ts';
import { claimable, reviewable } from '../../../src/supervisor/rules/claim-order.ts';
import { plannerWakes } from '../../../src/supervisor/rules/wakes.ts';
import { boardContext } from '../../support/board-context.ts';
import type { BuiltProject, Ran } from '../../support/program.ts';
import { coderPrompt, plannerPrompt, reviewerPrompt, session } from './stage.ts';

/** Plays until the goal is complete; the first session that fails ends it. `human` looks at every change, and may act. */
export async function playCrew(p: BuiltProject, script: string, human: (state: State) => void): Promise<void> {
  const store = openYamlStore(boardContext(p.root));
  let failed: Error | undefined;
  const loop = async (agent: string, turn: (state: State) => boolean | Promise<boolean>): Promise<void> => {
    try {
      while (failed === undefined) {
        const { state } = (await store.read()).board;
        if (state.goal.status === 'COMPLETED') return;
        if (!(await turn(state))) await pass(200);
      }
    } catch (error) {
      failed ??= new Error(`${agent}: ${(error as Error).message}`);
    }
  };
  const play = async (agent: string, prompt: string, cwd = p.root): Promise<Ran> => {
    const ran = await session(p, agent, prompt, { script, cwd });
    if (ran.code !== 0 && ran.signal !== 'SIGKILL') throw new Error(ran.stderr);
    return ran;
  };

  const seen = new Set<string>();
  const planner = async (): Promise<boolean> => {
    const { board, now } = await store.read();
    const wakes = plannerWakes(board, now).filter(({ key }) => !seen.has(key));
    if (wakes.length === 0) return false;
    for (const { key } of wakes) seen.add(key);
    await play('planner-1', plannerPrompt(...new Set(wakes.map(({ trigger }) => trigger))));
    return true;
  };

  /** The task of a coder that was killed is for another one. */
  const died = new Map<string, string>();
  const coder = (agent: string) => async (): Promise<boolean> => {
    const { board, now } = await store.read();
    const task = claimable(board, agent, now).find(({ id }) => died.get(id) !== agent);
    if (task === undefined) return false;
    if (p.liza(['claim-task', task.id, agent], { as: agent }).code !== 0) return false; // somebody else was faster
    const ran = await play(agent, coderPrompt(task.id), p.folder(task.id));
    if (ran.signal !== 'SIGKILL') return true;
    died.set(task.id, agent);
    p.ok(['release-claim', task.id]);
    return true;
  };

  const reviewer = async (): Promise<boolean> => {
    const as = 'code-reviewer-1';
    const { board, now } = await store.read();
    const [task] = reviewable(board, as, now);
    if (task === undefined) return false;
    p.ok(['claim-review', task.id, as], { as });
    await play(as, reviewerPrompt(task.id), p.folder(task.id));
    if (p.task(task.id).status !== 'APPROVED') return true;
    const merged = p.liza(['wt', 'merge', task.id], { as });
    if (merged.code !== 0 && merged.code !== 3) throw new Error(merged.stderr);
    return true;
  };

  const turns = { 'planner-1': planner, 'coder-1': coder('coder-1'), 'coder-2': coder('coder-2') };
  const crew = Object.entries({ ...turns, 'code-reviewer-1': reviewer });
  for (const [as] of crew) p.ok(['register', as], { as });
  const looks = (state: State): boolean => {
    human(state);
    return false;
  };
  await Promise.all([...crew.map(([agent, turn]) => loop(agent, turn)), loop('human', looks)]);
  if (failed !== undefined) throw failed;
}
