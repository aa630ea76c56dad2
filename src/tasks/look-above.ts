// Looks, without a sandbox, whether what programs in a checkout find above it changed while agents work; it is recorded,
// and an alarm lasts until a person has looked. People install packages in their project, too: what they accept counts
// from then on. Until then no run is believed that could have found it.

import { type Above, changedAbove } from '../git/above.ts';
import type { PrivateGitDir } from '../git/private-git-dir.ts';
import { findTask } from '../protocol/find.ts';
import { agentsSince, isAcceptedAbove, placeText } from '../protocol/messages/above.ts';
import { defined } from '../protocol/values.ts';
import { transact } from '../store/transact.ts';
import { listed, nameText } from '../text/format.ts';
import type { TaskContext } from './context.ts';

export interface LookedFor {
  readonly checkout: string;
  readonly task: string;
  /** Came and went while programs ran in the checkout. */
  readonly passed?: readonly string[];
  /** See git/above.ts. */
  readonly topsOnly?: boolean;
}

export interface Found {
  /** As it is told. */
  readonly place: string;
  /** Programs in the checkout find it, so that nothing they say is believed. Otherwise the checkout's own comes first. */
  readonly decides: boolean;
  /** The anomaly that a person closes to accept it. */
  readonly anomaly?: string | undefined;
}

/** Each place that no person has accepted. */
export async function lookAbove(
  context: TaskContext,
  { worktrees }: PrivateGitDir,
  { checkout, task, passed = [], topsOnly }: LookedFor,
): Promise<readonly Found[]> {
  const { state } = (await context.store.read()).board;
  const since = agentsSince(state);
  if (since === undefined) return [];
  const gone = passed.map((at) => ({ at, changed: context.clock.now(), names: [CAME_AND_WENT] }));
  const found = [...changedAbove(context.disk, { worktrees, checkout, since, topsOnly }), ...gone]
    .map((one) => ({ ...wordsOf(one), decides: !('hasOwn' in one) }))
    .filter(({ at, changed }) => !isAcceptedAbove(state, at, changed));
  if (found.length === 0) return [];
  const by = { ...context, actor: { parts: ['supervisor'] } } as const;
  const about = defined({ task: findTask(state, task)?.id });
  for (const { at, changed, names } of found)
    await transact(by, { name: 'planted-above', ...about, at, changed, names });
  const { anomalies } = (await context.store.read()).board.state;
  return found.map(({ at, changed, names, decides }) => ({
    place: placeText(at, names),
    decides,
    anomaly: anomalies.findLast(
      ({ type, details }) => type === 'planted_above' && details?.['at'] === at && details['changed'] === changed,
    )?.id,
  }));
}

/** Files within a checkout that somebody exchanged: it is recorded, and an alarm. */
export async function tellExchanged(
  context: TaskContext,
  { folder, task, paths }: { readonly folder: string; readonly task: string; readonly paths: readonly string[] },
): Promise<void> {
  const { state } = (await context.store.read()).board;
  await transact(
    { ...context, actor: { parts: ['supervisor'] } },
    {
      name: 'planted-above',
      ...defined({ task: findTask(state, task)?.id }),
      at: nameText(folder),
      changed: new Date(context.clock.now()).toISOString(),
      names: listed(paths.map(nameText)),
      within: true,
    },
  );
}

const CAME_AND_WENT = 'came and went while tests ran';

const wordsOf = ({ at, changed, names }: Above) => ({
  at: nameText(at),
  changed: new Date(changed).toISOString(),
  names: names.map(nameText).join(', '),
});
