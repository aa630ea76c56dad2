// A page's stream of news as EventSource hears it, by hand: a browser of the test's own would hide what comes over the wire.

import { get, type IncomingMessage } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Browser, Opened } from './dashboard.ts';

export interface Told {
  readonly id?: number;
  readonly event: string;
  readonly data: Record<string, unknown>;
}

export interface Listener {
  readonly told: readonly Told[];
  /** Until one of them is such. */
  until(is: (one: Told) => boolean): Promise<Told>;
  /** The server has ended it. */
  readonly ended: Promise<void>;
  close(): void;
}

export function listen(
  dashboard: Opened,
  browser: Browser,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Listener {
  const told: Told[] = [];
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const waiting = new Set<() => void>();
  let rest = '';
  let response: IncomingMessage | undefined;
  const request = get(
    {
      host: '127.0.0.1',
      port: dashboard.port,
      path: `${browser.base}/events?${query}`,
      agent: false,
      headers: { cookie: browser.cookie, 'sec-fetch-site': 'same-origin', ...headers },
    },
    (found) => {
      response = found;
      found.setEncoding('utf8');
      found.on('error', () => {});
      found.on('close', end);
      found.on('data', (chunk: string) => {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
          const event = field('event');
          if (event === undefined) continue;
          const id = field('id');
          told.push({
            event,
            data: JSON.parse(field('data') ?? '{}'),
            ...(id === undefined ? {} : { id: Number(id) }),
          });
        }
        for (const look of waiting) look();
      });
    },
  );
  request.on('error', () => {});
  const close = (): void => {
    request.destroy();
    response?.destroy();
  };
  onTestFinished(close);
  return {
    told,
    ended,
    close,
    until: (is) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = told.find(is);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
