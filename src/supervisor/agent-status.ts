// What is shown of one agent: changed by its supervisor, read where it is drawn.

import type { Role } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';
import type { CrewMember, MemberState } from './crew-view.ts';

export interface MemberStatus {
  view(): CrewMember;
  /** Turns to something else: what belonged to the state before is gone. */
  turn(state: MemberState, about?: Pick<CrewMember, 'task' | 'why' | 'cause' | 'until' | 'end'>): void;
  /** News of the running session. */
  news(about: Pick<CrewMember, 'activity' | 'session'>): void;
}

export function trackMember(
  who: { readonly agent: string; readonly role: Role; readonly provider: string },
  now: () => Instant,
  changed: () => void,
): MemberStatus {
  let member: CrewMember = { ...who, state: 'starting', since: now() };
  return {
    view: () => member,
    turn: (state, about = {}) => {
      member = { ...who, ...about, state, since: member.state === state ? member.since : now() };
      changed();
    },
    news: (about) => {
      member = { ...member, ...about };
      changed();
    },
  };
}
