// Looks at the board after every change, and every second for what only time brings about, and tells each alarm
// once when it begins and once when it is over, also across restarts. Survives a board that cannot be read.

import { openSight, type SightOptions } from './observe.ts';
import { type OutletOptions, openOutlets } from './publish.ts';
import { type Alarm, type AlarmChanges, type AlarmsOn, alarmChanges, isChanged } from './rules/alarm.ts';

export interface WatcherOptions extends SightOptions, OutletOptions {
  /** Until something happened, or that long. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Alarms began or are over. `known`: on before this watcher started, and told by another. */
  changed(changes: AlarmChanges, known: AlarmsOn): void;
}

const LOOK_MS = 1000;
/** A look at a large board takes longer, and nothing about it is due to the second. */
const LARGE = 1000;
const LARGE_LOOK_MS = 5000;
/** What is told at the very end has this long to be delivered; the rest waits for the next watcher. */
export const LAST_WORD_MS = 1500;

export async function watchBoard(options: WatcherOptions, over: AbortSignal): Promise<void> {
  const outlets = openOutlets(options);
  const { halted } = outlets;
  const look = openSight({ ...options, halted });
  /** Told by an earlier watcher; after the first look everything is news. */
  let before = outlets.known();
  let shown: AlarmsOn = new Map();
  let pause = LOOK_MS;
  try {
    while (!over.aborted) {
      // Before looking: what happens meanwhile must end this wait.
      const next = options.wait(pause, over);
      const { board, found } = outlets.safe(await look());
      await outlets.tell({ board, found });
      // What was shown here, and what any watcher has told: two pasts, so two differences.
      const changes = alarmChanges(shown, found);
      if (isChanged(changes)) options.changed(changes, before);
      shown = changes.on;
      before = new Map();
      pause = (board?.state.tasks.length ?? 0) > LARGE ? LARGE_LOOK_MS : LOOK_MS;
      await next;
    }
  } finally {
    // However it ends, another watcher must be able to take over.
    await outlets.close(LAST_WORD_MS);
  }
}

export interface Looked {
  readonly alarms: readonly Alarm[];
  /** Keys of those that began since the last look of any watcher. */
  readonly news: ReadonlySet<string>;
  /** False: another watcher is at work here and tells. */
  readonly told: boolean;
}

/** One look, for cron and CI; it tells like the long one and remembers for the next. */
export async function watchOnce(options: SightOptions & OutletOptions, patienceMs: number): Promise<Looked> {
  const outlets = openOutlets(options);
  try {
    const before = outlets.known();
    const sight = outlets.safe(await openSight({ ...options, halted: outlets.halted })());
    const told = await outlets.tell(sight);
    const news = new Set(alarmChanges(before, sight.found).raised.map(({ key }) => key));
    return { alarms: sight.found, news, told };
  } finally {
    await outlets.close(patienceMs);
  }
}
