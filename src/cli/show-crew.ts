// A crew at work before a person's eyes: the live board on a terminal, plain lines everywhere else, and at the
// end one sentence on how it ended. Ctrl-C once stops in order, twice at once.

import type { CrewControl } from '../supervisor/crew-view.ts';
import type { Io } from './io.ts';
import { printLines } from './render/plain-lines.ts';
import type { Result } from './verb.ts';

/** `lines`: where plain lines go; stdout is for the result alone when that is JSON. */
export async function showCrew(
  io: Io,
  control: CrewControl,
  plainly: boolean,
  lines: (text: string) => void = io.stdout,
): Promise<Result> {
  const stop = (): void => control.stop();
  io.onInterrupt(stop);
  if (!plainly && io.stdoutIsTty && io.env.TERM !== 'dumb') await io.live(control);
  else {
    const look = { color: io.color, unicode: io.unicode, width: io.columns };
    const quiet = printLines(control, lines, look);
    await control.ended;
    quiet();
  }
  const { code, message, hint } = await control.ended;
  if (code === 0) return { ok: true, message };
  return { ok: false, code: code as 1, message, hint: hint ?? 'see the board: liza status', guard: 'ended' };
}
