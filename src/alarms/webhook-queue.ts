// Messages on their way to the webhook. They wait in cache/watch/webhook.json, in order, so that one that could not
// be delivered is tried again, later and later, also by the next watcher; the same file says what became of the last
// ones. Nobody waits for an endpoint but this queue.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { defined, isFields } from '../protocol/values.ts';
import { type Instant, iso } from '../text/time.ts';
import { type Post, type PostResult, post, STOPPED } from './webhook.ts';

export interface DeliveriesOptions {
  readonly files: Files;
  readonly folder: string;
  now(): Instant;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Asked anew for each attempt: the setting may be corrected meanwhile. */
  url(): string | undefined;
  readonly secret?: string | undefined;
  readonly timeoutMs?: number | undefined;
  /** A message was given up. */
  lost(line: string): void;
}

export interface Deliveries {
  add(message: Post): void;
  /** It waits, or it is known what became of it. */
  has(id: string): boolean;
  /** Everything that waited was delivered or given up. */
  settled(): Promise<void>;
  /** What is not delivered stays for the next watcher. */
  close(): Promise<void>;
}

export const ATTEMPTS = 10;
const LONGEST_MS = 300_000;
const MOST_WAITING = 50;
const MOST_RECORDED = 50;

/** 1 s, 2 s, 4 s … 5 min. */
export const pauseAfter = (attempts: number): number => Math.min(1000 * 2 ** (attempts - 1), LONGEST_MS);

const UNANSWERED: PostResult = { ok: false, again: true, why: STOPPED };

interface Waiting extends Post {
  readonly attempts: number;
}

interface Delivery {
  readonly id: string;
  readonly time: string;
  readonly attempts: number;
  readonly result: string;
}

export function openDeliveries(options: DeliveriesOptions): Deliveries {
  const { files, lost } = options;
  const file = join(options.folder, 'webhook.json');
  const stop = new AbortController();
  let { waiting, last } = read(files, file);
  let pump: Promise<void> | undefined;
  const save = (): void => {
    try {
      replaceFile(files, file, Buffer.from(JSON.stringify({ waiting, last }, undefined, 1)), false);
    } catch {
      // A full disk: it is still tried, and only a restart would forget it.
    }
  };
  const record = ({ id, attempts }: Waiting, result: string): void => {
    last = [...last, { id, time: iso(options.now()), attempts, result }].slice(-MOST_RECORDED);
    save();
  };
  /** Undefined: on to the next one at once. */
  const judge = (one: Waiting, result: PostResult): number | undefined => {
    if (result.ok) {
      waiting = waiting.filter(({ id }) => id !== one.id);
      record(one, `delivered: HTTP ${result.status}`);
      return undefined;
    }
    if (!result.again || one.attempts >= ATTEMPTS) {
      waiting = waiting.filter(({ id }) => id !== one.id);
      record(one, `given up: ${result.why}`);
      lost(`webhook: message ${one.id} was given up after ${one.attempts} attempt(s): ${result.why}`);
      return undefined;
    }
    waiting = waiting.map((other) => (other.id === one.id ? one : other));
    record(one, `failed: ${result.why}`);
    return Math.max(pauseAfter(one.attempts), Math.min(result.waitMs ?? 0, LONGEST_MS));
  };
  const attempt = async (one: Waiting): Promise<PostResult> => {
    const url = options.url();
    if (url === undefined) return { ok: false, again: false, why: 'escalation_webhook is not set any more' };
    // Counted first: whoever is ended in the middle of it, by a signal or by impatience, has made it all the same.
    waiting = waiting.map((other) => (other.id === one.id ? one : other));
    save();
    const { secret, timeoutMs } = options;
    return post(one, { url, secret, signal: stop.signal, ...defined({ timeoutMs }) });
  };
  const deliver = async (): Promise<void> => {
    for (let first = waiting[0]; first !== undefined && !stop.signal.aborted; first = waiting[0]) {
      const spent = first.attempts >= ATTEMPTS;
      const one = spent ? first : { ...first, attempts: first.attempts + 1 };
      const result = spent ? UNANSWERED : await attempt(one);
      const pause = judge(one, result);
      if (pause !== undefined) await options.sleep(pause, stop.signal);
    }
  };
  const start = (): void => {
    if (pump !== undefined || waiting.length === 0 || stop.signal.aborted) return;
    pump = deliver().finally(() => {
      pump = undefined;
      start();
    });
  };
  start();
  return {
    add: (message) => {
      waiting = [...waiting, { ...message, attempts: 0 }];
      for (const surplus of waiting.slice(0, -MOST_WAITING)) {
        record(surplus, 'given up: too many wait');
        lost(`webhook: message ${surplus.id} was given up: more than ${MOST_WAITING} wait`);
      }
      waiting = waiting.slice(-MOST_WAITING);
      save();
      start();
    },
    has: (id) => [...waiting, ...last].some((one) => one.id === id),
    settled: async () => {
      while (pump !== undefined) await pump;
    },
    close: async () => {
      stop.abort();
      await pump;
    },
  };
}

function read(files: Files, file: string): { waiting: readonly Waiting[]; last: readonly Delivery[] } {
  try {
    const found: unknown = JSON.parse(files.read(file)?.toString('utf8') ?? 'null');
    if (!isFields(found) || !Array.isArray(found['waiting']) || !Array.isArray(found['last'])) throw new Error('other');
    return { waiting: found['waiting'].filter(isWaiting), last: found['last'] as readonly Delivery[] };
  } catch {
    return { waiting: [], last: [] };
  }
}

const isWaiting = (value: unknown): value is Waiting =>
  isFields(value) &&
  typeof value['id'] === 'string' &&
  typeof value['body'] === 'string' &&
  typeof value['attempts'] === 'number';
