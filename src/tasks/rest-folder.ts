// At the end of a coder's session its folder rests: see git/rest-clone.ts.

import { restClone } from '../git/rest-clone.ts';
import { look, type TaskContext, withTaskFolder } from './context.ts';
import { refuseLiveSession } from './live-session.ts';

const PATIENCE_MS = 2000;

/** Unless somebody else has it by now. What cannot be done is done at the end of the next session. */
export async function restFolder(context: TaskContext, id: string, agent: string): Promise<void> {
  await withTaskFolder(context, id, PATIENCE_MS, async (gitDir) => {
    const { task } = await look(context, id);
    const isAnothers = task?.status === 'CLAIMED' && task.assigned_to !== agent;
    if (isAnothers || (await refuseLiveSession(context, id, 0)) !== undefined) return {};
    await restClone(gitDir, id);
    return {};
  }).catch(() => {}); // an agent can make of its folder what it likes: the next claim tells
}
