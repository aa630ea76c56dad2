// The one way from a text to a person's screen: outside UTF-8 locales it becomes ASCII, and on a terminal its lines are
// broken at words. In a pipe no line is broken, and JSON and files do not come this way.

import type { Io } from '../io.ts';
import { ascii, hang } from './terminal.ts';

type Screen = Pick<Io, 'unicode' | 'columns'>;

export const printOut = (io: Pick<Io, 'stdout' | 'stdoutIsTty'> & Screen, text: string): void =>
  io.stdout(forReader(text, io, io.stdoutIsTty));

export const printErr = (io: Pick<Io, 'stderr' | 'stderrIsTty'> & Screen, text: string): void =>
  io.stderr(forReader(text, io, io.stderrIsTty));

/** Folded before it is laid out: a stand-in may be longer than what it stands for. */
export function forReader(text: string, io: Screen, isTty: boolean): string {
  const folded = fold(text, io);
  if (!isTty) return folded;
  return folded
    .split('\n')
    .flatMap((line) => hang(line, io.columns))
    .join('\n');
}

/** Outside UTF-8 locales everything printed has an ASCII stand-in. */
export const fold = (text: string, io: Pick<Io, 'unicode'>): string => (io.unicode ? text : ascii(text));
