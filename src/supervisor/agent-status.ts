// What is shown of one agent: its supervisor changes it, the live board and the plain lines read it.

import type { Role } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import type { CrewMember, MemberState, SessionCount } from './crew-view.ts';

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
      const { task, session, recent } = member;
      const kept = { ...defined({ recent }), ...(state === 'stopping' ? defined({ task, session }) : {}) };
      // One that was about to begin when it was asked to stop: its session starts, and ends at once.
      const shown = member.state === 'stopping' && state === 'working' ? 'stopping' : state;
      member = { ...who, ...kept, ...about, state: shown, since: member.state === shown ? member.since : now() };
      changed();
    },
    update: (about) => {
      member = { ...member, ...about, ...defined({ recent: counted(member.recent, about.session) }) };
      changed();
    },
  };
}

/** The one before stays: a reader of the board may not have seen its end recorded when the next one begins. */
const KEPT = 2;

function counted(before: CrewMember['recent'], session: CrewMember['session']): CrewMember['recent'] {
  if (session === undefined) return before;
  const { nth, input, output, cost_usd } = session;
  const count: SessionCount = { nth, input, output, ...defined({ cost_usd }) };
  return [...(before ?? []).filter((one) => one.nth !== nth), count].slice(-KEPT);
}

const BUSY: ReadonlySet<MemberState> = new Set(['starting', 'claiming', 'working', 'merging', 'stopping']);

export const isBusy = (member: MemberStatus): boolean => BUSY.has(member.view().state);
