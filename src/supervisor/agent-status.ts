// What is shown of one agent: its supervisor changes it, the live board and the plain lines read it.

import type { Role } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import type { CrewMember, MemberState } from './crew-view.ts';

export interface MemberStatus {
  view(): CrewMember;
  /** Another state; what belonged to the one before is gone, except a session that is asked to end. */
  set(state: MemberState, about?: Pick<CrewMember, 'task' | 'why' | 'cause' | 'until' | 'end'>): void;
  /** What the running session does and has used. */
  update(about: Pick<CrewMember, 'activity' | 'session'>): void;
}

export function trackMember(
  who: { readonly agent: string; readonly role: Role; readonly provider: string },
  now: () => Instant,
  changed: () => void,
): MemberStatus {
  let member: CrewMember = { ...who, state: 'starting', since: now() };
  return {
    view: () => member,
    set: (state, about = {}) => {
      // A session that is asked to end still runs, and what it has used counts until its end is recorded.
      const { task, session } = member;
      const kept = state === 'stopping' ? defined({ task, session }) : {};
      member = { ...who, ...kept, ...about, state, since: member.state === state ? member.since : now() };
      changed();
    },
    update: (about) => {
      member = { ...member, ...about };
      changed();
    },
  };
}

const BUSY: ReadonlySet<MemberState> = new Set(['starting', 'claiming', 'working', 'merging', 'stopping']);

export const isBusy = (member: MemberStatus): boolean => BUSY.has(member.view().state);
