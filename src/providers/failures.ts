// Why a session failed, told from the words its CLI printed. The words differ by CLI, version and plan, so
// they are matched loosely, most certain kind first. Only text that is known to be an error comes here.

import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { line } from './json-lines.ts';
import type { AgentEvent, FailureKind } from './provider.ts';
import { isPlausible, resetTime } from './quota-reset.ts';

/** The session to go on with is gone: a fresh one will do. */
const GONE =
  /no conversation found|error resuming session|invalid session identifier|session not found|no rollout found|resource not found: session|unknown session/i;

export const isSessionGone = (text: string): boolean => GONE.test(text);

/** First match wins. A 429 that speaks of a login is still a quota. */
const KINDS: readonly (readonly [FailureKind, RegExp])[] = [
  ['other', GONE],
  [
    'quota',
    /rate.?limit|(usage|session|weekly|daily|spend(ing)?|opus|sonnet) limit|hit your .{0,30}limit|limit (was |has been )?reached|limit will reset|quota|too many requests|\b429\b|credit balance|out of (extra )?(credits|usage)|insufficient.?(credits|funds|balance)|billing|resource.?exhausted|\b402\b/i,
  ],
  [
    'login',
    /\/login|log ?in\b|logged (in|out)|auth(entication|orization)?.?(failed|error|required|method)|unauthenticated|unauthorized|invalid.{0,12}api.?key|api.?key.{0,24}(not valid|invalid|missing|required|not found|expired)|(missing|set|specify).{0,30}api.?key|\bapi_key\b|(oauth|refresh|access|bearer).?token|credentials?\b|\b40[13]\b|permission_error|sign ?in\b/i,
  ],
  [
    'network',
    /\bE(CONN\w+|NOTFOUND|AI_AGAIN|TIMEDOUT|HOSTUNREACH|NETUNREACH|PIPE)\b|getaddrinfo|fetch failed|network|socket hang ?up|connection (\w+ )?(dropped|refused|reset|error|closed|lost|timed)|(unable to|cannot|could not|failed to) (connect|lookup)|waiting for network|error sending request|stream disconnected|dns|certificate|timed? ?out/i,
  ],
  [
    'model',
    /\bmodel\b|overloaded|high demand|internal server error|server.?error|service unavailable|bad gateway|\b5\d\d\b|context (length|window)|too long|max(imum)? (turns|tokens)|refus/i,
  ],
];

export function failureKind(text: string, status?: number): FailureKind {
  if (status === 429 || status === 402) return 'quota';
  if (status === 401 || status === 403) return KINDS[1]?.[1].test(text) ? 'quota' : 'login';
  const words = text.slice(0, 4000);
  const kind = KINDS.find(([, pattern]) => pattern.test(words))?.[0];
  return kind ?? (status === undefined ? 'other' : 'model');
}

export interface Said {
  /** The HTTP status, where the CLI passed it on. */
  readonly status?: number | undefined;
  /** Known without reading the words. */
  readonly kind?: FailureKind | undefined;
  readonly until?: Instant | undefined;
}

export function failure(text: string, now: Instant, said: Said = {}): AgentEvent {
  const kind = said.kind ?? failureKind(text, said.status);
  const stated = isPlausible(said.until, now) ? said.until : resetTime(text, now);
  const until = kind === 'quota' ? stated : undefined;
  return { kind: 'failure', failure: kind, text: line(text), ...defined({ until }) };
}

/** A CLI tries again by itself: worth showing, no failure yet. */
const RETRIES = /\bretry(ing)?\b|reconnecting|attempt \d+/i;
const FATAL = /^\W*((error|fatal|panic)\b|no conversation found)/i;

/** What stderr says: most of it is chatter, and only a line that calls itself an error is one. */
export function complaint(text: string, now: Instant): readonly AgentEvent[] {
  const words = line(text);
  if (words === '') return [];
  if (RETRIES.test(words)) return [{ kind: 'activity', text: words }];
  const kind = failureKind(words);
  return FATAL.test(words) || (kind === 'login' && /auth|api.?key|log ?in/i.test(words)) ? [failure(words, now)] : [];
}
