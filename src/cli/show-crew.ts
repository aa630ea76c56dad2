// Shows the crew of this process as plain lines, and at the end one sentence on how it ended. Ctrl-C once stops in order,
// twice at once. The live board is for crews in the background (attached-board.ts).

import { SIGN } from '../alarms/rules/alarm.ts';
import type { CrewControl, CrewEnd, CrewEvent, CrewMember, CrewView } from '../supervisor/crew-view.ts';
import { nothingMovesText } from '../supervisor/rules/why-idle.ts';
import { type Io, LAST_MS } from './io.ts';
import { happeningLine } from './live/events.ts';
import { zoneAt } from './live/format.ts';
import { pageFor } from './render/layout.ts';
import { printOut } from './render/print.ts';
import { type Look, plain } from './render/terminal.ts';
import type { Result } from './verb.ts';

/** Whether there is a terminal that the live board can take over. */
export const canShowLive = (io: Io): boolean => io.stdoutIsTty && io.env.TERM !== 'dumb';

/** `lines`: where they go; stdout is for the result alone when that is JSON. */
export async function showCrew(
  io: Io,
  control: CrewControl,
  lines: (text: string) => void = (text) => printOut(io, text),
): Promise<Result> {
  let asked = Number.NEGATIVE_INFINITY;
  io.onInterrupt(() => {
    const now = io.host.clock.now();
    if (now - asked < ONE_PRESS_MS) return;
    asked = now;
    control.stop('you stopped it: Ctrl-C, or a signal');
    io.self.exitWithin(LAST_MS, 1);
  });
  const look = { color: io.color, unicode: io.unicode, width: io.columns };
  const quiet = printLines(control, lines, look);
  const end = await control.ended;
  quiet();
  return endResult(end);
}

/** npm and timeout pass on a signal that the terminal has sent to all of them already: that is one Ctrl-C. */
const ONE_PRESS_MS = 50;

/** `lines`: what else stays in the terminal. */
export function endResult({ code, message, hint, needs }: CrewEnd, lines: readonly string[] = []): Result {
  // What comes next is the last line, whatever was warned of.
  const again = lines.length > 0 && message.endsWith(`: ${AGAIN}`) ? [`next: ${AGAIN}`] : [];
  const next = needs === undefined ? again : [`next: ${plain(needs)}`];
  if (code === 0) return { ok: true, message, lines: [...lines, ...next] };
  return { ok: false, code: code as 1, message, hint: hint ?? 'see the board: liza status', guard: 'ended', lines };
}

const AGAIN = 'liza run';
const MOST_WARNINGS = 8;

/**
 * What a live board warned of and takes along when it goes, as far as it is still so. One agent's troubles are in the log,
 * alarms that cleared over.
 */
export function lastWarnings({
  alarms,
  board,
  events,
  unconfined,
}: Pick<CrewView, 'alarms' | 'board' | 'events' | 'unconfined'>): readonly string[] {
  const isTold = (text: string): boolean =>
    /^sandbox: /.test(text) || Object.values(SIGN).some((sign) => text.startsWith(sign));
  const now = board.state.goal.integration_head;
  const isOver = ({ head, passing }: CrewEvent): boolean => passing === true || (head !== undefined && head !== now);
  const warned = events.filter(
    (one) => one.level === 'warning' && one.agent === undefined && !isTold(one.text) && !isOver(one),
  );
  const texts = [
    ...(unconfined === true ? ['sandbox: off, agents ran as you; what that means: liza help sandbox'] : []),
    ...[...warned, ...alarms].map(({ text }) => text),
  ];
  return [...new Set(texts)].slice(0, MOST_WARNINGS).map((text) => `warning: ${plain(text)}`);
}

interface LinesLook extends Look {
  /** Minutes east of UTC; absent: the process's own time zone. */
  readonly zone?: number;
}

/** A line is never cut: a log has room. */
const UNCUT = 1_000_000;

/**
 * Prints what happens from now on, one line each: `14:02:11 coder-1 parse-args: Edit src/parse.ts`. Alarms are told by a
 * word, also when they clear. Returns how to stop.
 */
export function printLines(control: CrewControl, write: (text: string) => void, look: LinesLook): () => void {
  const p = pageFor({ ...look, width: UNCUT });
  let before: CrewView | undefined;
  const tell = (): void => {
    const view = control.view();
    const zone = look.zone ?? zoneAt(view.now);
    const lines = news(before, view).map((event) => happeningLine(event, p, zone));
    // Copies: the crew changes its own lists.
    before = { ...view, members: [...view.members], alarms: [...view.alarms], events: [...view.events] };
    if (lines.length > 0) write(`${p.print(lines)}\n`);
  };
  tell();
  return control.onChange(tell);
}

/** Events and activities that are in `view` and not in `before`, in the order they happened. */
export function news(before: CrewView | undefined, view: CrewView): readonly CrewEvent[] {
  const seen = new Set(before?.events);
  const happened = view.events.filter((one) => !seen.has(one));
  const { now } = view;
  const doings = view.members.flatMap((member) => doing(before, member, now));
  const waits =
    view.waitsFor === undefined || ageless(view.waitsFor) === ageless(before?.waitsFor ?? '')
      ? []
      : [
          {
            time: now,
            level: 'info',
            text: nothingMovesText(view.waitsFor).replace(/^[NT]/, (letter) => letter.toLowerCase()),
          } as const,
        ];
  return [...happened, ...doings, ...waits];
}

/** `PAUSE is on (6s)` is no news after `PAUSE is on (1s)`. */
const ageless = (text: string): string => text.replace(/\d+(ms|[smhd])\b/g, '');

function doing(before: CrewView | undefined, member: CrewMember, time: number): readonly CrewEvent[] {
  const last = before?.members.find(({ agent }) => agent === member.agent);
  const text = member.activity;
  if (text === undefined || (last?.activity === text && last.task === member.task)) return [];
  const task = member.task === undefined ? {} : { task: member.task };
  return [{ time, level: 'info', agent: member.agent, ...task, text }];
}
