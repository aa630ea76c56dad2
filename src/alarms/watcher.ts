// Looks at the board after every change, and every second for what only time brings about, and publishes each alarm
// once when it begins and once when it is over, also across restarts. Survives a board that cannot be read.

import type { StoreContext } from '../store/transact.ts';
import { openObserver } from './observe.ts';
import { Publisher, type PublisherOptions } from './publish.ts';
import { type Alarm, type AlarmChanges, type AlarmsOn, alarmChanges, isChanged } from './rules/alarm.ts';

export interface WatcherOptions extends PublisherOptions {
  /** Until something happened, or that long. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Alarms began or are over. `known`: on before this watcher started, and published by another. */
  changed(changes: AlarmChanges, known: AlarmsOn): void;
}

const LOOK_MS = 1000;
/** A look at a large board takes longer, and nothing about it is due to the second. */
const LARGE = 1000;
const LARGE_LOOK_MS = 5000;
/** What is sent at the very end has this long to be delivered; the rest waits for the next watcher. */
export const LAST_WORD_MS = 1500;

export async function watchBoard(context: StoreContext, options: WatcherOptions, over: AbortSignal): Promise<void> {
  const publisher = new Publisher(context, options);
  const observe = openObserver(context, () => publisher.haltedAt);
  /** Published by an earlier watcher; after the first look everything is new. */
  let before = publisher.on;
  let shown: AlarmsOn = new Map();
  let pause = LOOK_MS;
  try {
    while (!over.aborted) {
      // Before looking: what happens meanwhile must end this wait.
      const next = options.wait(pause, over);
      const observation = publisher.redacted(await observe());
      await publisher.publish(observation);
      // What was shown here, and what any watcher has published: two pasts, so two differences.
      const changes = alarmChanges(shown, observation.found);
      if (isChanged(changes)) options.changed(changes, before);
      shown = changes.on;
      before = new Map();
      pause = (observation.board?.state.tasks.length ?? 0) > LARGE ? LARGE_LOOK_MS : LOOK_MS;
      await next;
    }
  } finally {
    // However it ends, another watcher must be able to take over.
    await publisher.close(LAST_WORD_MS);
  }
}

export interface Looked {
  readonly alarms: readonly Alarm[];
  /** Keys of those that began since the last look of any watcher. */
  readonly news: ReadonlySet<string>;
  /** False: another watcher is at work here and publishes. */
  readonly told: boolean;
}

/** One look, for cron and CI; it publishes like the long one and saves its state for the next. */
export async function watchOnce(context: StoreContext, options: PublisherOptions, patienceMs: number): Promise<Looked> {
  const publisher = new Publisher(context, options);
  try {
    const before = publisher.on;
    const observation = publisher.redacted(await openObserver(context, () => publisher.haltedAt)());
    const told = await publisher.publish(observation);
    const news = new Set(alarmChanges(before, observation.found).raised.map(({ key }) => key));
    return { alarms: observation.found, news, told };
  } finally {
    await publisher.close(patienceMs);
  }
}
