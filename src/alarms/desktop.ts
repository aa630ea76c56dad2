// A notification on the desktop of the person who runs Liza, where there is one: notify-send, or osascript on macOS.
// Arguments are a list, so no text is ever read as a command. It never waits and never fails: a notification that
// could not be shown is in alerts.log all the same. A notifier that hangs is ended, at the latest with the watcher.

import type { Host } from '../ports/host.ts';
import type { Message } from './rules/grouping.ts';

export interface Desktop {
  show(message: Message): void;
  /** The last notification was shown, or its notifier has ended. */
  settled(): Promise<void>;
  /** Ends a notifier that still runs. */
  close(): void;
}

type Machine = Pick<Host, 'clock' | 'env' | 'processes'>;

const LIMIT_MS = 5000;
const BODY = 1000;

/** Undefined: nobody would see it, or LIZA_NOTIFY=off forbids it. */
export function openDesktop(host: Machine): Desktop | undefined {
  const { env, processes } = host;
  if (env.LIZA_NOTIFY === 'off' || env.CI !== undefined) return undefined;
  const onMac = processes.platform === 'darwin';
  if (!onMac && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return undefined;
  let isMissing = false;
  let running: Notifier | undefined;
  return {
    show: (message) => {
      if (isMissing) return;
      running?.end();
      try {
        const started = start(host, onMac ? osascript(message) : notifySend(message));
        running = started;
        void started.ended.then((how) => {
          if (how === 'missing') isMissing = true;
          if (running === started) running = undefined;
        });
      } catch {
        // No memory for another process: alerts.log has it.
      }
    },
    settled: async () => {
      await running?.ended;
    },
    close: () => running?.end(),
  };
}

interface Notifier {
  end(): void;
  readonly ended: Promise<'shown' | 'missing'>;
}

function start({ clock, env, processes }: Machine, [program, args]: Call): Notifier {
  // A group of its own: a notifier may be a script, and what hangs is then its child.
  const child = processes.spawn(program, args, { stdio: 'ignore', env, detached: true });
  const end = (): void => {
    try {
      if (child.pid !== undefined) processes.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  // Without a limit, a notifier that hangs would be one process more for each message.
  const stopTimer = clock.after(LIMIT_MS, end, 'background');
  child.unref();
  const ended = new Promise<'shown' | 'missing'>((resolve) => {
    child.on('error', () => resolve('missing'));
    child.on('exit', () => resolve('shown'));
  });
  void ended.then(stopTimer);
  return { end, ended };
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
