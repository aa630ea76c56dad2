// `liza run` where no board can be drawn (a pipe, a file, TERM=dumb): one line per thing that happened,
// `14:02:11 coder-1 parse-args: Edit src/parse.ts`. Alarms are told by a word, also when they clear.

import type { CrewControl, CrewView, Happening, Seat } from '../../supervisor/crew-view.ts';
import { happeningLine } from '../live/events.ts';
import { zoneAt } from '../live/format.ts';
import { pen } from './layout.ts';
import type { Look } from './terminal.ts';

export interface LinesLook extends Look {
  /** Minutes east of UTC; without it, where the process runs. */
  readonly zone?: number;
}

/** A line is never cut: whoever reads a log has room. */
const UNCUT = 1_000_000;

/** Prints what happens from now on; returns how to stop. */
export function printLines(control: CrewControl, write: (text: string) => void, look: LinesLook): () => void {
  const p = pen({ ...look, width: UNCUT });
  let before: CrewView | undefined;
  const tell = (): void => {
    const view = control.view();
    const zone = look.zone ?? zoneAt(view.now);
    const lines = news(before, view).map((happening) => happeningLine(happening, p, zone));
    // The crew may go on writing in its own lists.
    before = { ...view, seats: [...view.seats], alarms: [...view.alarms], happenings: [...view.happenings] };
    if (lines.length > 0) write(`${p.print(lines)}\n`);
  };
  tell();
  return control.onChange(tell);
}

/** What `view` tells that `before` did not, in the order it happened. */
export function news(before: CrewView | undefined, view: CrewView): readonly Happening[] {
  const seen = new Set(before?.happenings);
  const happened = view.happenings.filter((one) => !seen.has(one));
  const { now } = view;
  const doings = view.seats.flatMap((seat) => doing(before, seat, now));
  const waits =
    view.waitsFor === undefined || ageless(view.waitsFor) === ageless(before?.waitsFor ?? '')
      ? []
      : [{ time: now, level: 'info', text: `nothing moves: ${view.waitsFor}` } as const];
  return [...happened, ...doings, ...waits];
}

/** `PAUSE is on (6s)` is no news after `PAUSE is on (1s)`. */
const ageless = (text: string): string => text.replace(/\d+(ms|[smhd])\b/g, '');

function doing(before: CrewView | undefined, seat: Seat, time: number): readonly Happening[] {
  const last = before?.seats.find(({ agent }) => agent === seat.agent);
  const text = seat.activity;
  if (text === undefined || (last?.activity === text && last.task === seat.task)) return [];
  const task = seat.task === undefined ? {} : { task: seat.task };
  return [{ time, level: 'info', agent: seat.agent, ...task, text }];
}
