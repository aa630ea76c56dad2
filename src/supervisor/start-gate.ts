// How many sessions of a process are in their first seconds. Each begins with a claim, a folder and a dozen programs; when
// thirty supervisors do that at once, every step of a merge waits behind all of them. So a few begin at a time, reviews
// before new work, and new work waits for a merge that is under way. Nobody waits for long: a set-up, a session or a merge
// that takes minutes holds up nothing.

import type { Clock } from '../ports/host.ts';

export type Beginning = 'review' | 'code' | 'plan';

/** A place among those who begin; given back once. */
export type Leave = () => void;

export interface StartGate {
  /** At once, or undefined: others are before it. */
  tryEnter(kind: Beginning): Leave | undefined;
  /** Waits for a place. What was seen of the board before is old by then. */
  enter(kind: Beginning, stop: AbortSignal): Promise<Leave>;
}

/** For each processor, and at least. */
const PLACES = 2;
const FEWEST = 4;
/** Whoever takes longer is at work by then, and does not keep the next one from beginning. */
const LONGEST_MS = 5000;
/** New work waits so long at most for a merge. */
const PATIENCE_MS = 2000;
const LOOK_MS = 50;

export interface GateHost {
  readonly clock: Pick<Clock, 'after' | 'monotonic' | 'sleep'>;
  /** Processors of this machine. */
  readonly processors: number;
  /** A supervisor of this process merges. */
  readonly isMerging: () => boolean;
}

interface Waiting {
  readonly kind: Beginning;
  readonly called: (leave: Leave) => void;
}

export function makeStartGate({ clock, processors, isMerging }: GateHost): StartGate {
  const most = Math.max(FEWEST, PLACES * processors);
  const line: Waiting[] = [];
  let inside = 0;

  const take = (): Leave => {
    inside += 1;
    let isIn = true;
    const leave = (): void => {
      if (!isIn) return;
      isIn = false;
      cancel();
      inside -= 1;
      callNext();
    };
    const cancel = clock.after(LONGEST_MS, leave, 'background');
    return leave;
  };
  const callNext = (): void => {
    if (inside >= most) return;
    const first = line.findIndex(({ kind }) => kind !== 'code');
    const [next] = line.splice(Math.max(first, 0), 1);
    next?.called(take());
  };
  const place = (kind: Beginning, stop: AbortSignal): Promise<Leave> =>
    new Promise((resolve) => {
      const stopped = (): void => {
        line.splice(line.indexOf(one), 1);
        resolve(() => {});
      };
      const called = (leave: Leave): void => {
        stop.removeEventListener('abort', stopped);
        resolve(leave);
      };
      const one: Waiting = { kind, called };
      line.push(one);
      stop.addEventListener('abort', stopped, { once: true });
      if (stop.aborted) stopped();
      else callNext();
    });

  return {
    tryEnter: (kind) => {
      const isFree = inside < most && line.length === 0 && !(kind === 'code' && isMerging());
      return isFree ? take() : undefined;
    },
    enter: async (kind, stop) => {
      const leave = await place(kind, stop);
      const until = clock.monotonic() + PATIENCE_MS;
      while (kind === 'code' && isMerging() && !stop.aborted && clock.monotonic() < until)
        await clock.sleep(LOOK_MS, stop);
      return leave;
    },
  };
}
