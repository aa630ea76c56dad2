// A watcher on a real board whose looks are counted out by the test, and an endpoint for its messages.

import fs from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { QUIET_MS } from '../../../src/alarms/batch.ts';
import { SETTLE_MS } from '../../../src/alarms/observe.ts';
import type { Alarm } from '../../../src/alarms/rules/alarm.ts';
import type { Message } from '../../../src/alarms/rules/grouping.ts';
import { LAST_WORD_MS, type WatcherOptions, watchBoard } from '../../../src/alarms/watcher.ts';
import type { Clock, Environment } from '../../../src/ports/host.ts';
import type { Store } from '../../../src/store/store.ts';
import type { StoreContext } from '../../../src/store/transact.ts';
import type { Project } from '../../support/project.ts';

export interface Watching {
  readonly raised: { readonly alarm: Alarm; readonly known: boolean }[];
  readonly cleared: Alarm[];
  readonly shown: Message[];
  readonly troubles: string[];
  /** How long it wanted to sleep before it tried something again. */
  readonly pauses: number[];
  /** Until at least one whole look was taken from now on. */
  look(times?: number): Promise<void>;
  end(): Promise<void>;
}

export interface Around {
  readonly env?: Environment;
  readonly store?: Store;
  readonly sleep?: Clock['sleep'];
}

/** The project as a watcher has it, with a wall clock that ages everything and nobody at the desktop. */
export const alarmContext = (p: Project, { env = {}, store = p.store, sleep }: Around = {}): StoreContext => {
  const { clock } = p.context;
  return {
    ...p.context,
    env,
    store,
    clock: { ...clock, steady: clock.now, sleep: sleep ?? clock.sleep },
  };
};

export function watching(p: Project, options: Partial<WatcherOptions> & Around = {}): Watching {
  const over = new AbortController();
  let wake = (): void => {};
  let begun = (): void => {};
  let looks = 0;
  const self: Omit<Watching, 'look' | 'end'> = { raised: [], cleared: [], shown: [], troubles: [], pauses: [] };
  // What is tried again later takes no time here; the quiet between two messages lasts until the end.
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    self.pauses.push(ms);
    if (ms === LAST_WORD_MS) return new Promise((resolve) => setTimeout(resolve, ms));
    return ms < QUIET_MS ? Promise.resolve() : aborted(signal);
  };
  const asked = options.sleep ?? sleep;
  const done = watchBoard(
    alarmContext(p, {
      ...options,
      // A file that is being saved takes its real time to settle.
      sleep: (ms, signal) => (ms <= SETTLE_MS ? p.context.clock.sleep(ms, signal) : asked(ms, signal)),
    }),
    {
      wait: () =>
        new Promise((resolve) => {
          looks += 1;
          wake = resolve;
          begun();
        }),
      desktop: { show: (message) => self.shown.push(message), settled: () => Promise.resolve(), close: () => {} },
      changed: ({ raised, cleared }, known) => {
        self.raised.push(...raised.map((alarm) => ({ alarm, known: known.has(alarm.key) })));
        self.cleared.push(...cleared);
      },
      trouble: (line) => self.troubles.push(line),
      ...options,
    },
    over.signal,
  );
  const next = async (): Promise<void> => {
    const target = looks + 1;
    const there = new Promise<void>((resolve) => {
      begun = () => looks >= target && resolve();
    });
    wake();
    await there;
  };
  return {
    ...self,
    // The look under way may have begun before the change: the second one has not.
    look: async (times = 1) => {
      for (let n = 0; n <= times; n += 1) await next();
    },
    end: async () => {
      over.abort();
      wake();
      await done;
    },
  };
}

export const aborted = (signal = new AbortController().signal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve());
  });

/** Lines of alerts.log without their times. */
export function alerts(p: Project): readonly string[] {
  const file = p.file('.liza', 'alerts.log');
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1));
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Endpoint {
  readonly url: string;
  readonly received: Received[];
  /** Resolves when that many messages have come in all. */
  got(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function endpoint(answer: (response: ServerResponse, nth: number) => void): Promise<Endpoint> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      answer(response, received.length);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/T0/secret-path`,
    received,
    got: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const answering =
  (...codes: readonly number[]) =>
  (response: ServerResponse, nth: number): void => {
    response.writeHead(codes[Math.min(nth, codes.length) - 1] ?? 200).end('ok');
  };
