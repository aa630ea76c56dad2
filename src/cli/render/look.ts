// How what is printed looks where it goes. A terminal gets a page that fits it. A pipe or a file gets everything, whole,
// for nobody there sees that a line went on. An agent reads through a pipe too: its lines are whole, but it gets a page
// with the command for the rest, so that what it reads does not grow with the board.

import type { Io } from '../io.ts';
import type { Look } from './terminal.ts';

export const lookOf = (io: Pick<Io, 'color' | 'unicode' | 'columns' | 'stdoutIsTty' | 'env'>): Look => ({
  color: io.color,
  unicode: io.unicode,
  width: io.columns,
  isWhole: !io.stdoutIsTty,
  all: listsAll(io),
});

/** Whether a list is printed to its end, where it would otherwise be a page. */
export const listsAll = ({ stdoutIsTty, env }: Pick<Io, 'stdoutIsTty' | 'env'>): boolean =>
  !stdoutIsTty && !env['LIZA_AGENT_ID'];
