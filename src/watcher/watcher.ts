// Looks at the board after every change, and now and then for what only time brings about, and tells each
// alarm once when it begins and once when it is over. Keeps alerts.log. Survives a board that cannot be read.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Alarm } from '../core/alarms/alarm.ts';
import { alarms } from '../core/alarms.ts';
import { type Instant, instant, iso } from '../core/time.ts';
import type { Context } from '../store/context.ts';
import type { Store } from '../store/store.ts';

export interface WatcherOptions {
  readonly store: Store;
  readonly context: Context;
  now(): Instant;
  /** Until something happened, or that long. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  raised(alarm: Alarm): void;
  cleared(alarm: Alarm): void;
}

const LOOK_MS = 15_000;

export async function watchBoard(options: WatcherOptions, over: AbortSignal): Promise<void> {
  const file = join(options.context.paths.liza, 'alerts.log');
  const note = (line: string): void => appendFileSync(file, `${iso(options.now())} ${line}\n`);
  let on = new Map<string, Alarm>();
  while (!over.aborted) {
    const found = new Map((await evaluate(options)).map((alarm) => [alarm.key, alarm]));
    for (const alarm of found.values()) {
      if (on.has(alarm.key)) continue;
      note(alarm.text);
      options.raised(alarm);
    }
    for (const alarm of on.values()) {
      if (found.has(alarm.key)) continue;
      note(`cleared: ${alarm.text}`);
      options.cleared(alarm);
    }
    on = found;
    await options.wait(LOOK_MS, over);
  }
}

async function evaluate({ store }: WatcherOptions): Promise<readonly Alarm[]> {
  try {
    const { board, now, seq, notices } = await store.read();
    let lastChange = now;
    for await (const entry of store.journal(seq)) lastChange = instant(entry.time);
    return alarms(board, now, { lastChange, notices });
  } catch (error) {
    return [{ key: 'INVALID STATE', level: 'alarm', text: `🚨 INVALID STATE: ${(error as Error).message}` }];
  }
}
