// Gathers alarms into messages for a person. The first alarm after a quiet time is sent at once, with what else comes in
// that instant; what follows is gathered, so that a storm of alarms is one message now and then.

import type { Clock } from '../ports/host.ts';
import { type AlarmGroup, isEmpty, joined } from './rules/grouping.ts';

export interface Batch {
  add(group: AlarmGroup): void;
  /** What is not sent yet. */
  gathered(): AlarmGroup;
  /** Sends what was gathered so far. */
  close(): void;
}

export const GATHER_MS = 300;
export const QUIET_MS = 30_000;

const NOTHING: AlarmGroup = { raised: [], cleared: [] };

export function openBatch({ sleep }: Pick<Clock, 'sleep'>, send: (group: AlarmGroup) => void): Batch {
  const over = new AbortController();
  let gathered = NOTHING;
  let isSending = false;
  const flush = (): void => {
    if (isEmpty(gathered)) return;
    const group = gathered;
    gathered = NOTHING;
    send(group);
  };
  const sendWhileAlarmsCome = async (): Promise<void> => {
    isSending = true;
    await sleep(GATHER_MS, over.signal);
    while (!isEmpty(gathered) && !over.signal.aborted) {
      flush();
      await sleep(QUIET_MS, over.signal);
    }
    isSending = false;
  };
  return {
    add: (group) => {
      gathered = joined(gathered, group);
      if (!isSending && !isEmpty(gathered) && !over.signal.aborted) void sendWhileAlarmsCome();
    },
    gathered: () => gathered,
    close: () => {
      over.abort();
      flush();
    },
  };
}
