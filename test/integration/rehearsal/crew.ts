// A crew for tests: planner, two coders and a reviewer, each a loop that takes what the core says is there,
// claims it by the real command and starts a rehearsal. No leases, no back-off: that is the supervisor's.

import { setTimeout as pass } from 'node:timers/promises';
import { claimable, reviewable } from '../../../src/supervisor/rules/claim-order.ts';
import { plannerWakes } from '../../../src/supervisor/rules/wakes.ts';
import { coderPrompt, plannerPrompt, type Ran, reviewerPrompt, type Stage } from './stage.ts';

export interface CrewOptions {
  /** What becomes of the task of a coder that was killed. */
  readonly afterDeath: 'same coder' | 'another coder';
  /** The human: looks at every change, may act. */
  readonly human: (stage: Stage) => Promise<void>;
}

/** Plays until the goal is complete; the first session that fails ends it with what it said. */
export async function playCrew(stage: Stage, { afterDeath, human }: CrewOptions): Promise<readonly Session[]> {
  const sessions: Session[] = [];
  let failed: Error | undefined;
  const over = async (): Promise<boolean> =>
    failed !== undefined || (await stage.store.read()).board.state.goal.status === 'COMPLETED';
  const loop = async (agent: string, turn: () => Promise<boolean>): Promise<void> => {
    try {
      while (!(await over())) if (!(await turn())) await pass(200);
    } catch (error) {
      failed ??= new Error(`${agent}: ${(error as Error).message}`);
    }
  };
  const session = async (agent: string, what: string, prompt: string, cwd?: string): Promise<Ran> => {
    const ran = await stage.session(agent, prompt, cwd === undefined ? {} : { cwd });
    sessions.push({ agent, what, ran });
    if (ran.code !== 0 && ran.signal !== 'SIGKILL') throw new Error(ran.err);
    return ran;
  };

  const seen = new Set<string>();
  const planner = async (): Promise<boolean> => {
    const { board, now } = await stage.store.read();
    const wakes = plannerWakes(board, now).filter(({ key }) => !seen.has(key));
    if (wakes.length === 0) return false;
    for (const { key } of wakes) seen.add(key);
    const triggers = [...new Set(wakes.map(({ trigger }) => trigger))];
    await session('planner-1', triggers.join('+'), plannerPrompt(...triggers));
    return true;
  };

  const avoid = new Map<string, string>();
  const coder = (agent: string) => async (): Promise<boolean> => {
    const { board, now } = await stage.store.read();
    const task = claimable(board, agent, now).find(({ id }) => avoid.get(id) !== agent);
    if (task === undefined) return false;
    const claimed = await stage.liza(['claim-task', task.id, agent], { as: agent });
    if (claimed.code !== 0) return false; // somebody was faster
    const cwd = `${stage.root}/.worktrees/${task.id}`;
    const ran = await session(agent, task.id, coderPrompt(task.id), cwd);
    if (ran.signal !== 'SIGKILL') return true;
    if (afterDeath === 'same coder') await session(agent, task.id, coderPrompt(task.id), cwd);
    else {
      avoid.set(task.id, agent);
      await stage.ok(['release-claim', task.id]);
    }
    return true;
  };

  const reviewer = async (): Promise<boolean> => {
    const agent = 'code-reviewer-1';
    const { board, now } = await stage.store.read();
    const [task] = reviewable(board, agent, now);
    if (task === undefined) return false;
    await stage.ok(['claim-review', task.id, agent], { as: agent });
    await session(agent, task.id, reviewerPrompt(task.id), `${stage.root}/.worktrees/${task.id}`);
    if (stage.state().tasks.find(({ id }) => id === task.id)?.status !== 'APPROVED') return true;
    const merged = await stage.liza(['wt', 'merge', task.id], { as: agent });
    if (merged.code !== 0 && merged.code !== 3) throw new Error(merged.err);
    return true;
  };

  const agents = ['planner-1', 'coder-1', 'coder-2', 'code-reviewer-1'];
  for (const agent of agents) await stage.ok(['register', agent], { as: agent });
  await Promise.all([
    loop('planner-1', planner),
    loop('coder-1', coder('coder-1')),
    loop('coder-2', coder('coder-2')),
    loop('code-reviewer-1', reviewer),
    loop('human', async () => {
      await human(stage);
      return false;
    }),
  ]);
  if (failed !== undefined) throw failed;
  return sessions;
}

export interface Session {
  readonly agent: string;
  readonly what: string;
  readonly ran: Ran;
}
