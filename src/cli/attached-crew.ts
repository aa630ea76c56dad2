// A crew of another process, as the live board sees it: the board from the disk, the rest from what the crew publishes
// (supervisor/crew-record.ts). Takes no lock and needs nothing of the crew's memory.

import type { StoreContext } from '../store/transact.ts';
import { askToStop, type CrewRecord, readCrew } from '../supervisor/crew-record.ts';
import type { CrewControl, CrewEnd } from '../supervisor/crew-view.ts';
import { setupRunsNow } from '../tasks/setup-runs.ts';

const LOOK_MS = 250;

export interface AttachedCrew extends CrewControl {
  close(): void;
}

/** `first`: the crew as it was found. */
export async function attachTo(context: StoreContext, first: CrewRecord): Promise<AttachedCrew> {
  const { clock, store } = context;
  const listeners = new Set<() => void>();
  let { board } = await store.read();
  let crew = first;
  let told = '';
  let stops = 0;
  let end: (how: CrewEnd) => void = () => {};
  const ended = new Promise<CrewEnd>((resolve) => {
    end = resolve;
  });
  const changed = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const unwatch = store.watch(() => {
    // A board that cannot be read now is shown as it was.
    void store.read().then(
      (snapshot) => {
        board = snapshot.board;
        changed();
      },
      () => {},
    );
  });
  const stopLooking = clock.every(LOOK_MS, () => {
    const now = readCrew(context);
    // Another crew has taken its place, or the file is gone: this one is over when its process is.
    if (now !== undefined && now.process === first.process) {
      const text = JSON.stringify([now.view, setupRunsNow(context)]);
      crew = now;
      if (text !== told) changed();
      told = text;
      if (now.end !== undefined) end(now.end);
      else if (!now.isAlive) end(KILLED);
    } else end(KILLED);
  });
  return {
    ended,
    view: () => ({ ...crew.view, now: clock.now(), board, setUp: setupRunsNow(context) }),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop: () => {
      stops += 1;
      // What cannot be asked for is told by the crew that goes on.
      void askToStop(context, crew, Math.min(stops, 2)).catch(() => {});
    },
    close: () => {
      unwatch();
      stopLooking();
    },
  };
}

export const KILLED: CrewEnd = {
  code: 1,
  message: 'the crew ended and gave no reason; its process is gone',
  hint: 'continue with liza run, which repairs what was left half done; its last output: .liza/crew.log',
};
