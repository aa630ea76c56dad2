// The demo's crew as the live board shows it: the crew itself, and among its events what the demo says. Whoever quits the
// board ends the demo; once the crew has ended, only the finished board, which stays for a moment.

import type { Board } from '../../protocol/board.ts';
import { isOpen } from '../../protocol/messages/questions.ts';
import type { State } from '../../protocol/state.ts';
import type { CrewControl, CrewEvent, CrewMember } from '../../supervisor/crew-view.ts';
import { answerTo } from './human.ts';
import { onPurpose, STAGED, type StoryLine } from './narration.ts';

export interface ShownCrew {
  readonly control: CrewControl;
  say(event: Omit<CrewEvent, 'time'>): void;
  /** The demo answers in so many milliseconds: the question says so, and counts down. */
  answerIn(ms: number): void;
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
  const changed = (): void => {
    for (const tell of listeners) tell();
  };
  const left = new AbortController();
  let isOver = false;
  let answersAt = 0;
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
        const board = { ...view.board, state: withNote(view.board, answersAt - now()) };
        return { ...view, board, events, alarms, members: view.members.map(stagedMember) };
      },
      onChange: (tell) => {
        listeners.add(tell);
        const forget = crew.onChange(tell);
        return () => {
          listeners.delete(tell);
          forget();
        };
      },
      stop: () => (isOver ? left.abort() : stop()),
    },
    say: (event) => {
      said.push({ ...event, time: now() });
      changed();
    },
    answerIn: (ms) => {
      answersAt = now() + ms;
      changed();
    },
  };
}

/** Who answers the demo's question, and when, beside the question itself: there a newcomer looks. */
function withNote({ state, switches }: Board, left: number): State {
  const task = answerTo(state)?.task;
  if (task === undefined) return state;
  const when =
    switches.PAUSE !== undefined
      ? 'waits while PAUSE is on; press a to answer yourself, r to go on'
      : left > 0
        ? `answers for you in ${Math.ceil(left / 1000)} s; press a to answer yourself`
        : 'answers for you as soon as nobody types';
  const noted = (text: string): string => `${text} (The demo ${when}.)`;
  return {
    ...state,
    // A task is BLOCKED by the question whose text it has.
    tasks: state.tasks.map((one) =>
      one.id === task ? { ...one, blocked_questions: (one.blocked_questions ?? []).map(noted) } : one,
    ),
    questions: (state.questions ?? []).map((one) =>
      one.task === task && isOpen(one) ? { ...one, text: noted(one.text) } : one,
    ),
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
