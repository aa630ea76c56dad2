// A notification on the desktop of whoever runs Liza, where there is one: notify-send, or osascript on macOS.
// Arguments are a list, so no text is ever read as a command. It never waits and never fails: a notification that
// could not be shown is in alerts.log all the same. A notifier that hangs is ended, at the latest with the watcher.

import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Message } from './rules/grouping.ts';

export interface Desktop {
  show(message: Message): void;
  /** The last one was shown, or ended. */
  settled(): Promise<void>;
  /** Ends a notifier that is still at it. */
  close(): void;
}

export interface DesktopOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
}

const LIMIT_MS = 5000;
const BODY = 1000;

/** Undefined: nobody would see it. LIZA_NOTIFY=off wants none. */
export function openDesktop(options: DesktopOptions): Desktop | undefined {
  const { env } = options;
  const system = options.platform ?? platform();
  if (env.LIZA_NOTIFY === 'off' || env.CI !== undefined) return undefined;
  const onMac = system === 'darwin';
  if (!onMac && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return undefined;
  let missing = false;
  let running: { readonly end: () => void; readonly over: Promise<void> } | undefined;
  const start = (message: Message): NonNullable<typeof running> => {
    const [program, args] = onMac ? osascript(message) : notifySend(message);
    // A group of its own: a notifier may be a script, and what hangs is then its child.
    const child = spawn(program, args, { stdio: 'ignore', env, detached: true });
    const end = (): void => endGroup(child);
    // Without a limit, a notifier that hangs would be one process more for each message.
    const limit = setTimeout(end, LIMIT_MS);
    limit.unref();
    child.unref();
    const over = new Promise<void>((resolve) => {
      child.on('error', () => {
        missing = true;
        resolve();
      });
      child.on('exit', () => resolve());
    }).then(() => clearTimeout(limit));
    return { end, over };
  };
  return {
    show: (message) => {
      if (missing) return;
      running?.end();
      try {
        const mine = start(message);
        running = mine;
        void mine.over.then(() => {
          if (running === mine) running = undefined;
        });
      } catch {
        // No memory for another process: alerts.log has it.
      }
    },
    settled: async () => running?.over,
    close: () => running?.end(),
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

type Call = readonly [program: string, args: readonly string[]];

export function notifySend({ title, lines, urgent }: Message): Call {
  // Its body is a kind of HTML.
  const body = lines.join('\n').slice(0, BODY).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return [
    'notify-send',
    ['--app-name=Liza', `--urgency=${urgent ? 'critical' : 'normal'}`, '--expire-time=15000', '--', title, body],
  ];
}

export function osascript({ title, lines }: Message): Call {
  const script = ['on run argv', 'display notification (item 2 of argv) with title (item 1 of argv)', 'end run'];
  return ['osascript', [...script.flatMap((line) => ['-e', line]), '--', title, lines.join('\n').slice(0, BODY)]];
}
