// Of the merge queue: nothing lands, or nothing is tested.

import { LIZA } from '../../protocol/board.ts';
import { queueOf } from '../../protocol/queue/order.ts';
import type { Settings, State } from '../../protocol/state.ts';
import { gist } from '../../text/format.ts';
import { type Alarm, alarm, warning } from './alarm.ts';

/** A person who holds the queue knows it; keyed by its beginning, so that another time is another alarm. */
export function queueHeld(state: State): readonly Alarm[] {
  const { held } = queueOf(state);
  const found = held?.by === LIZA ? (held.reason ?? '') : held?.found;
  if (held === undefined || found === undefined) return [];
  const words = `${gist(found, 600)} — nothing lands until you have mended it: liza queue release`;
  return [alarm('QUEUE HELD', held.since, words)];
}

/** Whatever lands from now on does so by its reviews alone. */
export function nothingTested(state: State, { test_command }: Pick<Settings, 'test_command'>): readonly Alarm[] {
  const { test_gone: gone } = queueOf(state);
  if (gone === undefined || test_command?.trim()) return [];
  const words = `${gone.task} took scripts/integration-test.sh away, and there is no test_command — what lands is not tested any more: liza config set test_command "<command>"`;
  return [warning('NOTHING TESTED', gone.since, words)];
}
