// Calls a person: on the desktop and through the webhook. The first alarm after a quiet time is told at once, with
// what else comes in that instant; what follows is gathered, so that a storm is a message now and then.

import { type AlarmGroup, isEmpty, joined, type Message, messageOf } from './rules/grouping.ts';

export interface CallerOptions {
  readonly project: string;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  send(message: Message, group: AlarmGroup): void;
}

export interface Caller {
  tell(group: AlarmGroup): void;
  /** What is not sent yet. */
  gathered(): AlarmGroup;
  /** Sends what was gathered so far. */
  close(): void;
}

export const GATHER_MS = 300;
export const QUIET_MS = 30_000;

const NOTHING: AlarmGroup = { raised: [], cleared: [] };

export function openCaller(options: CallerOptions): Caller {
  const over = new AbortController();
  let gathered = NOTHING;
  let calling = false;
  const send = (): void => {
    if (isEmpty(gathered)) return;
    const group = gathered;
    gathered = NOTHING;
    options.send(messageOf(options.project, group), group);
  };
  const call = async (): Promise<void> => {
    calling = true;
    await options.sleep(GATHER_MS, over.signal);
    while (!isEmpty(gathered) && !over.signal.aborted) {
      send();
      await options.sleep(QUIET_MS, over.signal);
    }
    calling = false;
  };
  return {
    tell: (group) => {
      gathered = joined(gathered, group);
      if (!calling && !isEmpty(gathered) && !over.signal.aborted) void call();
    },
    gathered: () => gathered,
    close: () => {
      over.abort();
      send();
    },
  };
}
