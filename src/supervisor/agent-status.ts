// What is shown of one agent: changed by its supervisor, read by whoever draws it.

import type { Role } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';
import type { Seat, SeatState } from './crew-view.ts';

export interface SeatKeeper {
  view(): Seat;
  /** Turns to something else: what belonged to the state before is gone. */
  turn(state: SeatState, about?: Pick<Seat, 'task' | 'why' | 'until'>): void;
  /** News of the running session. */
  news(about: Pick<Seat, 'activity' | 'session'>): void;
}

export function keepSeat(
  who: { readonly agent: string; readonly role: Role; readonly provider: string },
  now: () => Instant,
  changed: () => void,
): SeatKeeper {
  let seat: Seat = { ...who, state: 'starting', since: now() };
  return {
    view: () => seat,
    turn: (state, about = {}) => {
      seat = { ...who, ...about, state, since: seat.state === state ? seat.since : now() };
      changed();
    },
    news: (about) => {
      seat = { ...seat, ...about };
      changed();
    },
  };
}
