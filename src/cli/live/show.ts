// The live board of `liza run`: takes over the terminal, and gives it back when the crew has ended or the program
// dies. Loaded only there: ink, react and the layout engine are a bundle of their own (dist/board.mjs). What it shows and
// what keys do is the program's, which hands in how to open it: no rule of the protocol is bundled twice.

import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { render } from 'ink';
import { createElement } from 'react';
import { App } from './app.ts';
import { zoneAt } from './format.ts';
import type { LiveLook } from './screen.ts';
import { keyByKey } from './stdin-keys.ts';
import type { openViewModel, Shown, ViewModel } from './view-model.ts';

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

interface Opened extends Shown {
  readonly open: typeof openViewModel;
}

/** Shows the crew at work until it has ended, or the person has left it. */
export async function showLive(
  { open, away: leaves, onUnsent, ...shown }: Opened,
  terminal: LiveTerminal,
): Promise<'ended' | 'left'> {
  const { control } = shown;
  const { stdout, color, unicode } = terminal;
  const zone = zoneAt(control.view().now);
  const look = (): LiveLook => ({
    ...{ color, unicode, zone },
    // The last column and row stay free: a terminal that wraps or scrolls there would spoil the rest.
    width: Math.max(20, (stdout.columns || 80) - 1),
    height: Math.max(4, (stdout.rows || 24) - 1),
  });
  // ink makes much short-lived garbage. By default V8 gives it 40 MB more room; measured: no slower without.
  setFlagsFromString('--semi-space-growth-factor=1');
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
  const model = open({ ...shown, look, leave, finish });
  let given = false;
  const giveBack = (): void => {
    if (!given) stdout.write(GIVE_BACK);
    given = true;
  };
  // The window was closed: the crew still has to end in order; the signal tells it so.
  const lost = (): void => {
    given = true;
    model.close();
    void control.ended.then(finish, () => {});
  };
  stdout.on('error', lost);
  terminal.stdin.on('error', lost);
  const forget = terminal.onExit(giveBack);
  stdout.write(TAKE);
  try {
    await play(over, model, terminal);
  } finally {
    model.close();
    leaves?.removeEventListener('abort', leave);
    forget();
    giveBack();
  }
  onUnsent?.(model.unsent());
  return left ? 'left' : 'ended';
}

async function play(over: Promise<unknown>, model: ViewModel, { stdin, stdout, color }: LiveTerminal): Promise<void> {
  const onResize = (resized: () => void): (() => void) => {
    stdout.on('resize', resized);
    return () => void stdout.off('resize', resized);
  };
  const board = render(createElement(App, { model, color, onResize }), {
    ...{ stdin: keyByKey(stdin), stdout: frameWriter(stdout), incrementalRendering: true },
    ...{ exitOnCtrlC: false, patchConsole: false, maxFps: 20 },
  });
  const gone = board.waitUntilExit();
  try {
    await Promise.race([over, gone]);
  } finally {
    board.unmount();
  }
  await gone;
}

/**
 * What ink writes on. Without a height: ink clears the terminal, and what was scrolled out of it, whenever
 * a page is as high as the screen; the model keeps pages within it. Nor does it hear of resizes: App does.
 * What belongs to one frame goes out in one piece, marked as such for terminals that then show it at once.
 */
function frameWriter(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  let pending = '';
  const flush = (): void => {
    stdout.write(`\x1b[?2026h${pending}\x1b[?2026l`);
    pending = '';
  };
  const stream = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      if (pending === '') queueMicrotask(flush);
      pending += text;
      done();
    },
  });
  Object.defineProperties(stream, { isTTY: { value: true }, columns: { get: () => stdout.columns } });
  return stream as NodeJS.WriteStream;
}
