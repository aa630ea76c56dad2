// A notification on the desktop of whoever runs Liza, where there is one: notify-send, or osascript on macOS.
// Arguments are a list, so no text is ever read as a command. It never waits and never fails: a notification that
// could not be shown is in alerts.log all the same.

import { type ChildProcess, spawn } from 'node:child_process';
import { platform } from 'node:os';
import type { Message } from '../core/alarms/group.ts';

export interface Desktop {
  show(message: Message): void;
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
  let running: ChildProcess | undefined;
  return {
    show: (message) => {
      if (missing) return;
      running?.kill('SIGKILL');
      const [program, args] = onMac ? osascript(message) : notifySend(message);
      // Without a timeout of its own, a notifier that hangs would be one process more for each message.
      const child = spawn(program, args, { stdio: 'ignore', env, timeout: LIMIT_MS, killSignal: 'SIGKILL' });
      running = child;
      child.unref();
      child.on('error', () => {
        missing = true;
      });
      child.on('exit', () => {
        if (running === child) running = undefined;
      });
    },
  };
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
