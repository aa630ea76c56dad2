// Alarms that are on, discoveries that are open, and what happened last. A word names the level; the colour only repeats it.

import type { Alarm } from '../../alarms/rules/alarm.ts';
import { discoveryHead, holdsGoal } from '../../protocol/messages/discoveries.ts';
import type { Discovery } from '../../protocol/state.ts';
import type { CrewEvent } from '../../supervisor/crew-view.ts';
import type { Line, Page, Tone } from '../render/layout.ts';
import { columns } from '../render/terminal.ts';
import { clock } from './format.ts';

/** The sign an alarm starts with: one or two columns wide, depending on the terminal. A word replaces it. */
export const SIGN = /^(?:\u{1f6a8}|\u26a0)\ufe0f? */u;

export const byUrgency = (alarms: readonly Alarm[]): readonly Alarm[] => [
  ...alarms.filter(({ level }) => level === 'alarm'),
  ...alarms.filter(({ level }) => level !== 'alarm'),
];

/** Each alarm whole, on as many lines as it takes. `marked`: the key of the chosen one. */
export const alarmLines = (
  alarms: readonly Alarm[],
  marked: string | undefined,
  p: Page,
): readonly (readonly Line[])[] =>
  alarms.map(({ key, level, text }) => {
    const tone: Tone = level === 'alarm' ? 'bad' : 'warn';
    const word = markedWord(level === 'alarm' ? 'ALARM' : 'warning', key === marked, p);
    const used = columns(word);
    return p.lines(p.say(text.replace(SIGN, '')), Math.max(10, p.width - used)).map((part, at) => [
      { text: at === 0 ? word : ' '.repeat(used), tone },
      { text: part, tone },
    ]);
  });

/** What was found beside the tasks and waits for a decision. */
export const discoveryLines = (
  discoveries: readonly Discovery[],
  marked: string | undefined,
  p: Page,
): readonly Line[] =>
  discoveries.map((found) => [
    { text: markedWord('found', found.id === marked, p), tone: holdsGoal(found) ? 'warn' : 'faint' },
    { text: p.say(`${discoveryHead(found)}: ${found.description}`), tone: holdsGoal(found) ? 'warn' : undefined },
  ]);

/** The first column of these rows begins at the edge: the mark of the chosen one takes the place of the blanks behind. */
const markedWord = (word: string, isMarked: boolean, p: Page): string => `${isMarked ? p.mark : ''}${word} `.padEnd(9);

/** `14:02:11 coder-1 parse-args: Edit src/parse.ts`, for the board and the plain lines alike. */
export const happeningLine = (event: CrewEvent, p: Page, zone: number): Line => {
  const { lead, text, tone } = happening(event, p, zone);
  return [...lead, { text: p.say(text), tone }];
};

interface Rows {
  readonly rows: number;
  /** The id of the chosen one. */
  readonly marked: string | undefined;
}

/** The last events, each on a line; rows that are left over show long ones whole, newest first. */
export function happenedLines(
  events: readonly CrewEvent[],
  { rows, marked }: Rows,
  p: Page,
  zone: number,
): readonly Line[] {
  let spare = rows - events.length;
  return events
    .toReversed()
    .map((event): readonly Line[] => {
      const { lead, text, tone } = happening(event, p, zone);
      const first: Line = eventId(event) === marked ? [{ text: p.mark, tone: 'strong' }, ...lead] : lead;
      const used = first.reduce((sum, span) => sum + columns(span.text), 0);
      // Beside a name that takes the whole line there is no room to go on.
      if (used > p.width / 2) return [[...first, { text: p.say(text), tone }]];
      const parts = p.lines(p.say(text), p.width - used);
      if (parts.length - 1 > spare) return [[...first, { text: p.say(text), tone }]];
      spare -= parts.length - 1;
      return parts.map(
        (part, at): Line => [...(at === 0 ? first : [{ text: ' '.repeat(used) }]), { text: part, tone }],
      );
    })
    .reverse()
    .flat();
}

/** Events have no id of their own. */
export const eventId = ({ time, agent, text }: CrewEvent): string => `${time} ${agent ?? ''} ${text}`;

function happening({ time, level, agent, task, text }: CrewEvent, p: Page, zone: number) {
  const who = [agent, task].flatMap((name) => (name === undefined ? [] : [p.say(name)])).join(' ');
  const mark = level === 'alarm' ? 'ALARM ' : level === 'warning' ? 'warning ' : '';
  const tone = level === 'alarm' ? 'bad' : level === 'warning' ? 'warn' : undefined;
  const lead: Line = [
    { text: `${clock(time, zone)} `, tone: 'faint' },
    { text: mark, tone },
    { text: who === '' ? '' : `${who}: `, tone: 'busy' },
  ];
  return { lead, text: text.replace(SIGN, ''), tone } as const;
}
