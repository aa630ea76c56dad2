// One message to one endpoint: JSON that Slack understands, signed, in bounded time. Goes straight there: no proxy,
// no redirect, http and https only. Never throws, and never tells the address, whose path is a secret of its own.

import { createHmac } from 'node:crypto';
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { webAddress } from '../protocol/ids.ts';
import { type Instant, iso } from '../text/time.ts';
import type { AlarmGroup, Message } from './rules/grouping.ts';

export interface Post {
  /** The same for every attempt: a receiver recognises what it has already. */
  readonly id: string;
  readonly body: string;
}

export interface PostOptions {
  readonly url: string;
  /** Signs the body; without one it goes unsigned. */
  readonly secret?: string | undefined;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export type PostResult =
  | { readonly ok: true; readonly status: number }
  | {
      readonly ok: false;
      readonly why: string;
      /** Trying again may help. */
      readonly again: boolean;
      /** The endpoint asked for this much patience. */
      readonly waitMs?: number;
    };

export const POST_TIMEOUT_MS = 10_000;
export const STOPPED = 'no answer before the watcher ended';

export const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

export function post({ id, body }: Post, options: PostOptions): Promise<PostResult> {
  const url = webAddress(options.url);
  if (url === undefined) {
    return Promise.resolve({ ok: false, again: false, why: 'escalation_webhook is no http or https address' });
  }
  return new Promise((resolve) => {
    const call = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'liza',
        'x-liza-delivery': id,
        ...(options.secret === undefined ? {} : { 'x-liza-signature': signatureOf(body, options.secret) }),
      },
    });
    const done = (result: PostResult): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      call.destroy();
      resolve(result);
    };
    const fail = (why: string): void => done({ ok: false, again: true, why });
    const stop = (): void => fail(STOPPED);
    const limit = options.timeoutMs ?? POST_TIMEOUT_MS;
    // Of the whole exchange: an endpoint that trickles a byte a second is as good as none.
    const timer = setTimeout(() => fail(`no answer within ${limit / 1000}s`), limit);
    call.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the connection failed'));
    call.on('response', ({ statusCode = 0, headers }) => done(judge(statusCode, headers['retry-after'])));
    if (options.signal?.aborted) return stop();
    options.signal?.addEventListener('abort', stop);
    call.end(body);
  });
}

const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/** What the endpoint says about itself is worth another try; what it says about the message is not. */
function judge(status: number, retryAfter: string | undefined): PostResult {
  if (status >= 200 && status < 300) return { ok: true, status };
  if (status >= 300 && status < 400)
    return { ok: false, again: false, why: `HTTP ${status}: redirects are not followed` };
  const again = status >= 500 || PASSING.has(status);
  const seconds = /^\d{1,5}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
  return { ok: false, again, why: `HTTP ${status}`, ...(seconds > 0 ? { waitMs: seconds * 1000 } : {}) };
}

const MOST = 50;

/** `text` is what Slack, Mattermost and others show; the rest is for programs. */
export function payload(
  message: Message,
  group: AlarmGroup,
  about: { project: string; time: Instant; id: string },
): string {
  const { raised, cleared } = group;
  const of = (list: AlarmGroup['raised']) => list.slice(0, MOST).map(({ key, level, text }) => ({ key, level, text }));
  return JSON.stringify({
    text: slack([message.title, ...message.lines].join('\n')),
    id: about.id,
    time: iso(about.time),
    project: about.project,
    urgent: message.urgent,
    raised: of(raised),
    raised_total: raised.length,
    cleared: of(cleared),
    cleared_total: cleared.length,
  });
}

/** An agent's words shall not call `<!channel>`. */
const slack = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
