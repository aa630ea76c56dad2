// A test whose batch is no more, since a person took one of it out or put another first: it lands nowhere, and is ended.

import { type Refusal, refuse } from '../../protocol/decision.ts';
import type { State } from '../../protocol/state.ts';
import type { TaskContext } from '../context.ts';

/** A person took one of it out, which says more than that it is not announced any more. */
export const CHANGED = refuse(
  'the batch was changed while it was tested, and begins again',
  'see what waits: liza queue',
  1,
  'announced',
);

export async function asLongAs<T>(
  context: TaskContext,
  isIn: (state: State) => boolean,
  test: (context: TaskContext) => Promise<T>,
): Promise<T | Refusal> {
  const stop = new AbortController();
  const ended = test(endedBy(context, stop.signal));
  void endIfDropped(context, isIn, stop, ended);
  const result = await ended;
  return stop.signal.aborted ? CHANGED : result;
}

export async function endIfDropped(
  { clock, store }: TaskContext,
  isIn: (state: State) => boolean,
  stop: AbortController,
  ended: Promise<unknown>,
): Promise<void> {
  const over = new AbortController();
  const done = ended.catch(() => {}).then(() => over.abort());
  while (!over.signal.aborted && !stop.signal.aborted) {
    await Promise.race([done, clock.sleep(LOOK_MS, over.signal)]);
    const seen = over.signal.aborted ? undefined : await store.read().catch(() => undefined);
    if (seen !== undefined && !isIn(seen.board.state)) stop.abort();
  }
}

const LOOK_MS = 1000;

export function endedBy(context: TaskContext, stop: AbortSignal): TaskContext {
  const own = context.stop?.();
  return { ...context, stop: () => (own === undefined ? stop : AbortSignal.any([own, stop])) };
}
