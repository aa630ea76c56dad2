// Calls back when anybody committed to the board: the database announces each commit. Whatever was announced while the
// connection was broken is made up for by looking; where announcements do not arrive, looking now and then is enough.

import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import { GREET_MS, greet } from './hosts.ts';
import type { SharedSession } from './session.ts';
import { changedSwitches } from './view.ts';
import { viewKeeper } from './view-keeper.ts';

/** How late a change is noticed without announcements. */
const LOOK_MS = 5000;
const AGAIN_MS = 1000;
const SWITCHES_MS = 1000;

interface Watchers {
  readonly calls: Set<() => void>;
  stop(): void;
}

const WATCHED = new WeakMap<SharedSession, Watchers>();

export function watchBoard(
  context: BoardContext,
  shared: SharedBoard,
  session: SharedSession,
  changed: () => void,
): () => void {
  const watchers = WATCHED.get(session) ?? begin(context, shared, session);
  // Each in its own right: the same function may watch twice.
  const call = (): void => changed();
  watchers.calls.add(call);
  return () => {
    watchers.calls.delete(call);
    if (watchers.calls.size > 0) return;
    watchers.stop();
    WATCHED.delete(session);
  };
}

function begin(context: BoardContext, shared: SharedBoard, session: SharedSession): Watchers {
  const { clock } = context;
  const { board } = shared;
  const view = viewKeeper(context, shared, session);
  const calls = new Set<() => void>();
  let stopped = false;
  let told = session.head?.seq ?? 0;
  const tell = (seq: number): void => {
    if (stopped || seq <= told) return;
    told = seq;
    void view.changed();
    for (const call of [...calls]) call();
  };
  const heard = (payload: string): void => {
    const [name, seq] = payload.split(' ');
    if (name === board) tell(Number(seq));
  };
  let greetAt = Number.NEGATIVE_INFINITY;
  const look = async (): Promise<void> => {
    try {
      if (clock.monotonic() >= greetAt) {
        await session.link.use((connection) => greet(connection, shared, session.head?.seq ?? 0));
        greetAt = clock.monotonic() + GREET_MS;
      }
      const [row] = await session.link.use((connection) =>
        connection.run('select seq from liza.board where id = $1', [board]),
      );
      tell(Number(row?.['seq'] ?? 0));
    } catch {
      // It is not there now; the next look may find it.
    }
  };
  const listen = async (): Promise<void> => {
    if (stopped) return;
    try {
      await session.link.listen(heard, () => void clock.after(AGAIN_MS, () => void listen(), 'background'));
      await look();
    } catch {
      clock.after(AGAIN_MS, () => void listen(), 'background');
    }
  };
  void listen();
  const stopLooking = clock.every(LOOK_MS, () => void look());
  // A person may set or remove a switch file, which is seen as soon as on one machine.
  const stopSwitches = clock.every(SWITCHES_MS, () => {
    if (Object.keys(changedSwitches(context)).length > 0) void view.changed();
  });
  const watchers = {
    calls,
    stop: () => {
      stopped = true;
      stopLooking();
      stopSwitches();
      session.link.unlisten();
    },
  };
  WATCHED.set(session, watchers);
  return watchers;
}
