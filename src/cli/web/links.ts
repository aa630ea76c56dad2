// Links to a running dashboard, as the terminal prints them. A code is nowhere but there: in no file, no log, no title.

import type { Io } from '../io.ts';
import { printErr, printOut } from '../render/print.ts';
import type { Dashboard } from './open-dashboard.ts';

export function printLinks(io: Io, dashboard: Dashboard, { viewer = false, keys = false } = {}): void {
  printOut(io, `The dashboard: ${dashboard.link('operator')}\n`);
  if (viewer) printOut(io, `Only to look: ${dashboard.link('viewer')}\n`);
  const more = keys ? ' Enter: another one; v and Enter: one that only looks.' : '';
  printErr(io, `Each link lets one browser in, within an hour.${more}\n`);
}

/** Whether somebody is there to press Enter. */
export const hasKeys = ({ openDialogue }: Io): boolean => openDialogue !== undefined;

/** A person at the terminal gets as many links as they ask for, until Ctrl-C. */
export async function untilInterrupted(io: Io, dashboard: Dashboard): Promise<void> {
  const over = io.interrupted;
  const ended = new Promise<'over'>((resolve) => {
    if (over.aborted) resolve('over');
    over.addEventListener('abort', () => resolve('over'));
  });
  while (hasKeys(io)) {
    const said = await Promise.race([io.readLine(), ended]);
    if (said === 'over') return;
    const isViewer = said.toLowerCase().startsWith('v');
    printOut(
      io,
      `${isViewer ? 'Only to look' : 'Another link'}: ${dashboard.link(isViewer ? 'viewer' : 'operator')}\n`,
    );
  }
  await ended;
}
