// Calls back when anybody committed to the board: the database announces each commit. Anybody who may connect there can
// announce anything, so it is only a hint to look at the board's row. Whatever was announced while the connection was broken
// is made up for by looking; where announcements do not arrive, looking now and then is enough.

import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import { CHANNEL } from './schema.ts';
import type { SharedSession } from './session.ts';
import { changedSwitches } from './view.ts';
import { viewKeeper } from './view-keeper.ts';

/** How late a change is noticed without announcements; where they arrive it is looked less often. */
const LOOK_MS = 5000;
const SELDOM = 3;
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
    session.announced(seq);
    if (stopped || seq === told) return;
    told = seq;
    void view.changed();
    for (const call of [...calls]) call();
  };
  /** Announcements do arrive: not every way to a server passes them on. */
  let isAnnounced = false;
  /** The highest that was announced since the last look began, and whether another one is to begin. */
  let hinted = 0;
  let isDue = false;
  /** Who announces what is not so is not heard for a while. */
  let believes = 0;
  const heard = (payload: string): void => {
    const [name, seq] = payload.split(' ');
    if (name !== board) return;
    isAnnounced = true;
    if (!(Number(seq) > told)) return;
    hinted = Math.max(hinted, Number(seq));
    if (isDue) return;
    isDue = true;
    clock.after(Math.max(0, believes - clock.monotonic()), () => void look(), 'background');
  };
  const look = async (): Promise<void> => {
    try {
      let asked = 0;
      const seq = await session.link.use(async (connection) => {
        isDue = false;
        [asked, hinted] = [hinted, 0];
        const greeted = await session.greet(connection);
        if (greeted !== undefined) return greeted;
        const [row] = await connection.run('select seq from liza.board where id = $1', [board]);
        return Number(row?.['seq'] ?? 0);
      });
      if (asked > seq) believes = clock.monotonic() + AGAIN_MS;
      tell(seq);
    } catch {
      // It is not there now; the next look may find it.
      isDue = false;
    }
  };
  const listen = async (): Promise<void> => {
    if (stopped) return;
    try {
      await session.link.listen(heard, () => void clock.after(AGAIN_MS, () => void listen(), 'background'));
      // Nobody's change: whoever hears it knows that announcements arrive.
      await session.link.use((connection) => connection.run('select pg_notify($1, $2)', [CHANNEL, `${board} 0`]));
      await look();
    } catch {
      clock.after(AGAIN_MS, () => void listen(), 'background');
    }
  };
  void listen();
  let looks = 0;
  const stopLooking = clock.every(LOOK_MS, () => {
    looks += 1;
    if (!isAnnounced || looks % SELDOM === 0) void look();
  });
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
