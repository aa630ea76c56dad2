// One message to one endpoint: JSON that Slack understands, signed, in bounded time; http and https only, redirects
// are not followed. Never throws, and never tells the address, because its path is a secret.

import { createHmac } from 'node:crypto';
import { errorCode } from '../ports/files.ts';
import type { Host } from '../ports/host.ts';
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

export async function post(
  { clock, network }: Pick<Host, 'clock' | 'network'>,
  { id, body }: Post,
  options: PostOptions,
): Promise<PostResult> {
  const url = webAddress(options.url);
  if (url === undefined) return { ok: false, again: false, why: 'escalation_webhook is not an http or https address' };
  const call = new AbortController();
  let ended: string | undefined;
  const end = (why: string): void => {
    ended ??= why;
    call.abort();
  };
  const stop = (): void => end(STOPPED);
  const limit = options.timeoutMs ?? POST_TIMEOUT_MS;
  // For the whole exchange: an endpoint that sends a byte a second is as good as none.
  const stopTimer = clock.after(limit, () => end(`no answer within ${limit / 1000}s`));
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted) stop();
  try {
    const headers = headersOf({ id, body }, options.secret);
    const { status, retryAfter } = await network.post(url, { headers, body, signal: call.signal });
    return judge(status, retryAfter);
  } catch (error) {
    return { ok: false, again: true, why: ended ?? errorCode(error) ?? 'the connection failed' };
  } finally {
    stopTimer();
    options.signal?.removeEventListener('abort', stop);
  }
}

const headersOf = ({ id, body }: Post, secret: string | undefined): Readonly<Record<string, string>> => ({
  'content-type': 'application/json; charset=utf-8',
  'user-agent': 'liza',
  'x-liza-delivery': id,
  ...(secret === undefined ? {} : { 'x-liza-signature': signatureOf(body, secret) }),
});

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
  const of = (list: AlarmGroup['raised']) =>
    list.slice(0, MOST).map(({ name, key, level, text }) => ({ name, key, level, text }));
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

/** An agent's words must not call `<!channel>`. */
const slack = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
