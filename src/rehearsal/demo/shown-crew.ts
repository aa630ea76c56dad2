// The demo's crew as the live board shows it: the crew itself, and among its events what the demo says. Whoever quits the
// board ends the demo; once the crew has ended, only the finished board, which stays for a moment.

import type { CrewControl, CrewEvent, CrewMember } from '../../supervisor/crew-view.ts';
import { onPurpose, STAGED, type StoryLine } from './narration.ts';

export interface ShownCrew {
  readonly control: CrewControl;
  say(event: Omit<CrewEvent, 'time'>): void;
}

export interface Showing {
  now(): number;
  /** The person quits the board while the crew works. */
  stop(): void;
  /** Resolves when the finished board has been shown long enough, at the latest when `left` says so. */
  linger(left: AbortSignal): Promise<void>;
}

export function shownCrew(crew: CrewControl, { now, stop, linger }: Showing): ShownCrew {
  const said: CrewEvent[] = [];
  const listeners = new Set<() => void>();
  const left = new AbortController();
  let isOver = false;
  const ended = crew.ended.then(async (end) => {
    isOver = true;
    await linger(left.signal);
    return end;
  });
  // The board awaits it; where no board is shown, a crew that fails is told by its own promise.
  ended.catch(() => {});
  return {
    control: {
      ...crew,
      ended,
      view: () => {
        const view = crew.view();
        const events = [...view.events.map(staged), ...said].sort((a, b) => a.time - b.time);
        const alarms = view.alarms.map((one) => ({ ...one, text: onPurpose(one.text) }));
        return { ...view, events, alarms, members: view.members.map(stagedMember) };
      },
      onChange: (changed) => {
        listeners.add(changed);
        const forget = crew.onChange(changed);
        return () => {
          listeners.delete(changed);
          forget();
        };
      },
      stop: () => (isOver ? left.abort() : stop()),
    },
    say: (event) => {
      said.push({ ...event, time: now() });
      for (const changed of listeners) changed();
    },
  };
}

/** What the crew itself does not tell among its events: a person's answers. */
export function boardEvent({ who, task, text, event }: StoryLine): Omit<CrewEvent, 'time'> | undefined {
  if (event !== 'answered') return undefined;
  return { level: 'info', agent: who, task, text };
}

/** The script's only crash: whoever sees it on the board must not take it for a defect. */
const staged = (event: CrewEvent): CrewEvent =>
  event.ended?.kind === 'signalled'
    ? { ...event, text: `${event.text} (${STAGED})` }
    : { ...event, text: onPurpose(event.text) };

const stagedMember = (member: CrewMember): CrewMember =>
  member.state === 'backing-off' && member.cause === 'signalled'
    ? { ...member, why: `${member.why} (${STAGED})` }
    : member;
