// Messages on their way to the webhook. They wait in cache/watch/webhook.json, in order, so that one that could not
// be delivered is tried again, later and later, also by the next watcher; the same file says what became of the last
// ones. Only this queue waits for the endpoint.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { defined, isFields } from '../protocol/values.ts';
import type { BoardContext } from '../store/context.ts';
import { counted } from '../text/format.ts';
import { iso } from '../text/time.ts';
import { type Post, type PostResult, post, STOPPED } from './webhook.ts';

export interface WebhookOptions {
  readonly folder: string;
  /** Asked for each attempt: the setting may be corrected meanwhile. */
  url(): string | undefined;
  readonly timeoutMs?: number | undefined;
  /** A message was given up. */
  lost(line: string): void;
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

export class WebhookQueue {
  readonly #context: BoardContext;
  readonly #options: WebhookOptions;
  readonly #file: string;
  readonly #stop = new AbortController();
  #waiting: readonly Waiting[];
  #last: readonly Delivery[];
  #delivering: Promise<void> | undefined;

  constructor(context: BoardContext, options: WebhookOptions) {
    this.#context = context;
    this.#options = options;
    this.#file = join(options.folder, 'webhook.json');
    const { waiting, last } = read(context.files, this.#file);
    this.#waiting = waiting;
    this.#last = last;
    this.#start();
  }

  add(message: Post): void {
    this.#waiting = [...this.#waiting, { ...message, attempts: 0 }];
    for (const surplus of this.#waiting.slice(0, -MOST_WAITING)) {
      this.#record(surplus, 'dropped: too many messages are waiting');
      this.#options.lost(`webhook: message ${surplus.id} was dropped: more than ${MOST_WAITING} wait`);
    }
    this.#waiting = this.#waiting.slice(-MOST_WAITING);
    this.#save();
    this.#start();
  }

  /** The message waits, or it is known what became of it. */
  has(id: string): boolean {
    return [...this.#waiting, ...this.#last].some((one) => one.id === id);
  }

  /** Everything that waited was delivered or given up. */
  async settled(): Promise<void> {
    while (this.#delivering !== undefined) await this.#delivering;
  }

  /** What is not delivered stays for the next watcher. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.#delivering;
  }

  #start(): void {
    if (this.#delivering !== undefined || this.#waiting.length === 0 || this.#stop.signal.aborted) return;
    this.#delivering = this.#deliver().finally(() => {
      this.#delivering = undefined;
      this.#start();
    });
  }

  async #deliver(): Promise<void> {
    const { signal } = this.#stop;
    for (let first = this.#waiting[0]; first !== undefined && !signal.aborted; first = this.#waiting[0]) {
      const spent = first.attempts >= ATTEMPTS;
      const one = spent ? first : { ...first, attempts: first.attempts + 1 };
      const result = spent ? UNANSWERED : await this.#attempt(one);
      const pause = this.#conclude(one, result);
      if (pause !== undefined) await this.#context.clock.sleep(pause, signal);
    }
  }

  async #attempt(one: Waiting): Promise<PostResult> {
    const url = this.#options.url();
    if (url === undefined) return { ok: false, again: false, why: 'escalation_webhook is no longer set' };
    // Counted first: an attempt that a signal or impatience ends in the middle was made all the same.
    this.#replace(one);
    this.#save();
    const secret = this.#context.env['LIZA_WEBHOOK_SECRET'];
    const { timeoutMs } = this.#options;
    return post(this.#context, one, { url, secret, signal: this.#stop.signal, ...defined({ timeoutMs }) });
  }

  /** How long to pause before the next attempt; undefined: the next message can go at once. */
  #conclude(one: Waiting, result: PostResult): number | undefined {
    if (result.ok) {
      this.#remove(one);
      this.#record(one, `delivered: HTTP ${result.status}`);
      return undefined;
    }
    if (!result.again || one.attempts >= ATTEMPTS) {
      this.#remove(one);
      this.#record(one, `given up: ${result.why}`);
      this.#options.lost(
        `webhook: message ${one.id} was dropped after ${counted(one.attempts, 'attempt')}: ${result.why}`,
      );
      return undefined;
    }
    this.#replace(one);
    this.#record(one, `failed: ${result.why}`);
    return Math.max(pauseAfter(one.attempts), Math.min(result.waitMs ?? 0, LONGEST_MS));
  }

  #replace(one: Waiting): void {
    this.#waiting = this.#waiting.map((other) => (other.id === one.id ? one : other));
  }

  #remove({ id }: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other.id !== id);
  }

  #record({ id, attempts }: Waiting, result: string): void {
    const time = iso(this.#context.clock.now());
    this.#last = [...this.#last, { id, time, attempts, result }].slice(-MOST_RECORDED);
    this.#save();
  }

  #save(): void {
    const saved = { waiting: this.#waiting, last: this.#last };
    try {
      replaceFile(this.#context.files, this.#file, Buffer.from(JSON.stringify(saved, undefined, 1)), false);
    } catch {
      // A full disk: it is still tried, and only a restart would forget it.
    }
  }
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
