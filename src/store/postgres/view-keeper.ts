// When the files of this host are brought up to date: before this process first uses the board, after it changed the board,
// and, as long as somebody watches, after anybody did. A large board is not written after every change: a tenth of the
// time at most goes into it.

import { DatabaseError } from '../../ports/database.ts';
import { type Refusal, Refused } from '../../protocol/decision.ts';
import type { Notice } from '../../protocol/notice.ts';
import type { BoardTransaction } from '../board-transaction.ts';
import type { BoardContext } from '../context.ts';
import type { SharedBoard } from '../shared-board.ts';
import { finishMoveBack } from './move-back.ts';
import { type SharedSession, sessionOf } from './session.ts';
import { inSharedTransaction } from './shared-transaction.ts';
import { refreshView } from './view.ts';

export interface ViewKeeper {
  /** Once for each process; what it found is told with the first answer. */
  begin(): Promise<void>;
  changed(): Promise<void>;
  /** What was not told yet. */
  notices(): readonly Notice[];
}

/** A turn of a person's command, which looks at earlier entries; the files of this host show it at once. */
export async function inKeptTransaction<T>(
  context: BoardContext,
  shared: SharedBoard,
  work: (transaction: BoardTransaction) => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const session = sessionOf(context, shared);
  const view = viewKeeper(context, shared, session);
  await view.begin();
  const before = session.head?.seq;
  const done = await inSharedTransaction(context, shared, work, 'recent');
  if (session.head?.seq !== before) await view.changed();
  return done;
}

/** True: a move of the board back to this host was killed at its very end, and is finished now. */
export async function beginOnShared(context: BoardContext, shared: SharedBoard): Promise<boolean> {
  const session = sessionOf(context, shared);
  await viewKeeper(context, shared, session).begin();
  if (session.head !== undefined) return false;
  try {
    return await finishMoveBack(context, shared);
  } catch (error) {
    // Whoever needs the board is told.
    if (error instanceof Refused || error instanceof DatabaseError) return false;
    throw error;
  }
}

const KEEPERS = new WeakMap<SharedSession, ViewKeeper>();
const SHARE = 10;
/** A command changes the board a few times and ends: its files are right at once, and it waits for no timer. */
const AT_ONCE = 5;
const SHORTEST_MS = 1000;

export function viewKeeper(context: BoardContext, shared: SharedBoard, session: SharedSession): ViewKeeper {
  const known = KEEPERS.get(session);
  if (known !== undefined) return known;
  const { clock } = context;
  let begun: Promise<void> | undefined;
  let told: readonly Notice[] = [];
  let next = 0;
  let isWaiting = false;
  let left = AT_ONCE;
  const refresh = async (): Promise<void> => {
    const start = clock.monotonic();
    try {
      told = [...told, ...(await refreshView(context, shared, session))];
    } catch (error) {
      // The board itself is not concerned: whoever asks for it is told what is wrong with the database.
      if (!(error instanceof Refused || error instanceof DatabaseError)) throw error;
    }
    const end = clock.monotonic();
    next = end + Math.max(SHORTEST_MS, SHARE * (end - start));
  };
  const keeper: ViewKeeper = {
    begin: () => (begun ??= refresh()),
    changed: async () => {
      const wait = next - clock.monotonic();
      if (left > 0) {
        left -= 1;
        return refresh();
      }
      if (wait <= 0) return refresh();
      if (isWaiting) return;
      isWaiting = true;
      clock.after(wait, () => {
        isWaiting = false;
        void refresh();
      });
    },
    notices: () => {
      const all = told;
      told = [];
      return all;
    },
  };
  KEEPERS.set(session, keeper);
  return keeper;
}
