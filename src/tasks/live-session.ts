// A folder that somebody may still work in is not taken away: what is written after it was kept would be lost, and a
// program that lives changes what Liza looks at. A session whose work is done ends soon, so a moment is waited for it.

import { readSessions } from '../identity/agent-sessions.ts';
import { isAlive } from '../process/process-identity.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { TaskContext } from './context.ts';

const PATIENCE_MS = 5000;
const LOOK_MS = 50;

/** The refusal, where a session of the task goes on. */
export async function refuseLiveSession(
  context: TaskContext,
  task: string,
  patience = PATIENCE_MS,
): Promise<Refusal | undefined> {
  const { clock } = context;
  const until = clock.steady() + patience;
  for (let agent = workerOn(context, task); agent !== undefined; agent = workerOn(context, task)) {
    if (clock.steady() >= until)
      return refuse(
        `the session of ${agent} still runs in the folder of ${task}`,
        'it is removed when that session has ended; if it does not end: liza stop --now',
        2,
        'live-session',
      );
    await clock.sleep(LOOK_MS);
  }
  return undefined;
}

/** The agent whose process may live; a reviewer works in a copy. */
const workerOn = (context: TaskContext, task: string): string | undefined =>
  readSessions(context).find(
    (one) =>
      one.task === task &&
      one.role === 'coder' &&
      ((one.ended === undefined && isAlive(context, one.supervisor)) ||
        (one.process !== undefined && isAlive(context, one.process))),
  )?.agent;

/** A session of the task's coder was under way when its supervisor was killed. */
export const isLeftAlone = (context: TaskContext, task: string): boolean =>
  workerOn(context, task) === undefined &&
  readSessions(context).some((one) => one.task === task && one.role === 'coder' && one.ended === undefined);
