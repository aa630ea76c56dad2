// The live board of `liza run`: takes over the terminal, and gives it back when the crew has ended or the program
// dies. What it shows is the model's (view-model.ts), what keys mean the keyboard's.

import { openRows } from './draw-rows.ts';
import { zoneAt } from './format.ts';
import { openKeyboard } from './keyboard.ts';
import type { LiveLook } from './screen.ts';
import { onKeys } from './stdin-keys.ts';
import { openViewModel, type Shown } from './view-model.ts';

interface LiveTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly color: boolean;
  readonly unicode: boolean;
  /** Calls back when the process ends, however it ends; returns how to forget it. */
  onExit(restore: () => void): () => void;
}

// The other screen, so that what was there before comes back; no wrapping, so that a character which is wider
// than we think costs no more than its own line.
// Pasted text is marked as such, so that a line break in it sends nothing.
const TAKE = '\x1b[?1049h\x1b[?7l\x1b[?25l\x1b[?2004h\x1b[2J\x1b[H';
const GIVE_BACK = '\x1b[?2026l\x1b[0m\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l';

/** Shows the crew at work until it has ended, or the person has left it. */
export async function showLive(
  { away: leaves, onUnsent, ...shown }: Shown,
  terminal: LiveTerminal,
): Promise<'ended' | 'left'> {
  const { control } = shown;
  const { stdin, stdout, color, unicode } = terminal;
  const zone = zoneAt(control.view().now);
  const look = (): LiveLook => ({
    ...{ color, unicode, zone },
    // The last column and row stay free: a terminal that wraps or scrolls there would spoil the rest.
    width: Math.max(20, (stdout.columns || 80) - 1),
    height: Math.max(4, (stdout.rows || 24) - 1),
  });
  let left = false;
  let finish: () => void = () => {};
  const over = new Promise<void>((resolve, reject) => {
    finish = resolve;
    control.ended.catch(reject);
  });
  const leave = (): void => {
    left = true;
    finish();
  };
  leaves?.addEventListener('abort', leave);
  const model = openViewModel({ ...shown, look, leave, finish });
  const rows = openRows(
    (text) => void stdout.write(text),
    () => model.frame().lines,
    color,
  );
  const resized = (): void => {
    model.redraw();
    rows.resized();
  };
  let given = false;
  const giveBack = (): void => {
    if (!given) stdout.write(GIVE_BACK);
    given = true;
  };
  // The window was closed: the crew still has to end in order; the signal tells it so.
  const lost = (): void => {
    given = true;
    model.close();
    rows.stop();
    stdout.off('resize', resized);
    void control.ended.then(finish, () => {});
  };
  stdout.on('error', lost);
  stdin.on('error', lost);
  const forget = terminal.onExit(giveBack);
  stdout.write(TAKE);
  stdout.on('resize', resized);
  model.onFrame(rows.changed);
  rows.changed();
  const deaf = onKeys(stdin, openKeyboard(model));
  try {
    await over;
  } finally {
    model.close();
    rows.stop();
    deaf();
    stdout.off('resize', resized);
    leaves?.removeEventListener('abort', leave);
    forget();
    giveBack();
  }
  onUnsent?.(model.unsent());
  return left ? 'left' : 'ended';
}
