// Looks, without a sandbox, whether what programs in a checkout find above it changed while agents work; it is recorded,
// and an alarm lasts until a person has looked. Nothing is held up: people install packages in their project, too.

import { type Above, changedAbove } from '../git/above.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { findTask } from '../protocol/find.ts';
import { agentsSince, isAcceptedAbove, placeText } from '../protocol/messages/above.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import { nameText } from '../text/format.ts';
import type { TaskContext } from './context.ts';

interface LookedFor {
  readonly checkout: string;
  readonly task: string;
  /** Came and went while programs ran in the checkout. */
  readonly passed?: readonly string[];
}

/** As it is told, each place that no person has accepted. */
export async function lookAbove(
  context: TaskContext,
  { worktrees }: PrivateGitDir,
  { checkout, task, passed = [] }: LookedFor,
): Promise<readonly string[]> {
  const { state } = (await context.store.read()).board;
  const since = agentsSince(state);
  if (since === undefined) return [];
  const gone = passed.map((at) => ({ at, changed: context.clock.now(), names: [CAME_AND_WENT] }));
  const found = [...changedAbove(context.disk, { worktrees, checkout, since }), ...gone]
    .map(
      (one) => ({ name: 'planted-above', ...defined({ task: findTask(state, task)?.id }), ...wordsOf(one) }) as const,
    )
    .filter(({ at, changed }) => !isAcceptedAbove(state, at, changed));
  for (const one of found) await transact({ ...context, actor: { parts: ['supervisor'] } }, one);
  return found.map(({ at, names }) => placeText(at, names));
}

const CAME_AND_WENT = 'came and went while tests ran';

const wordsOf = ({ at, changed, names }: Above) => ({
  at: nameText(at),
  changed: new Date(changed).toISOString(),
  names: names.map(nameText).join(', '),
});
