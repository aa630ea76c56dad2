// Hears a session out: every line goes through its provider's parser, and what was said so far is kept for the
// board, for the record, and for whoever has to decide whether it is still alive.

import { lineRedactor } from '../process/redacting-stream.ts';
import { defined } from '../protocol/values.ts';
import type { AgentEvent, Usage } from '../providers/provider.ts';
import { atLeast } from '../providers/token-counts.ts';
import { redact, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import type { MemberStatus } from './agent-status.ts';
import type { SupervisorContext } from './context.ts';
import type { SessionEnd } from './rules/restarts.ts';
import type { SessionWork } from './session.ts';

/** What a session said so far. */
export interface Heard {
  readonly usage: Usage;
  /** Its provider told tokens at least once. */
  readonly counted?: boolean;
  readonly contextPercent?: number;
  /** The provider's id of it. */
  readonly session?: string;
  /** Its last lines, for whoever has to find out what it was about. */
  readonly said?: string;
  readonly failure?: NonNullable<SessionEnd['failure']>;
}

export interface Listener {
  line(stream: 'stdout' | 'stderr', line: string): void;
  take(events: readonly AgentEvent[]): void;
  /** The same of what was found out beside its output: it is no sign of life. */
  learn(events: readonly AgentEvent[]): void;
  so(): Heard;
  last(): Instant;
  alive(): void;
  /** Since when its provider has not served it, by its own word. */
  unservedSince(): Instant | undefined;
}

export function listen(
  { clock: { now }, changeSignal, env }: SupervisorContext,
  { chosen, task, usedBefore }: SessionWork,
  member: MemberStatus,
  log: string,
  started: Instant,
): Listener {
  const parser = chosen.provider.parser({ before: usedBefore, model: chosen.model });
  let heard: Heard = { usage: { input: 0, output: 0 } };
  let activity: string | undefined;
  const words: string[] = [];
  let last = started;
  let unserved: { readonly since: Instant; readonly output: number } | undefined;
  const show = (): void => {
    const { usage, contextPercent } = heard;
    member.news({
      ...defined({ activity }),
      session: {
        started,
        log,
        input: usage.input,
        output: usage.output,
        ...defined({ cost_usd: usage.cost_usd, context_percent: contextPercent }),
      },
    });
  };
  const secrets = secretsOf(env);
  // Before anything is cut off it: half a secret would not be known for one.
  const clean = { stdout: lineRedactor(secrets), stderr: lineRedactor(secrets) };
  const learn = (events: readonly AgentEvent[]): void => {
    for (const said of events) {
      const event = 'text' in said && said.text !== undefined ? { ...said, text: redact(said.text, secrets) } : said;
      if (event.kind === 'activity') {
        activity = event.text;
        if (words.push(event.text) > LAST_LINES) words.shift();
      }
      heard = hear(heard, event);
      const { failure, usage } = heard;
      if (failure === undefined || usage.output > (unserved?.output ?? usage.output)) unserved = undefined;
      else if (event.kind === 'failure' && WAITS.has(failure.kind)) unserved ??= { since: last, output: usage.output };
      // Whoever stands beside it has to tell it.
      if (event.kind === 'context') changeSignal.ring();
    }
    if (events.length > 0 && !isTooMuch()) show();
  };
  /** Whoever looks on reads no more than a few lines a second, and drawing them costs more than reading them did. */
  let shown = { second: 0, count: 0 };
  const isTooMuch = (): boolean => {
    const second = Math.floor(now() / 1000);
    shown = { second, count: shown.second === second ? shown.count + 1 : 1 };
    return shown.count > MOST_NEWS;
  };
  const take = (events: readonly AgentEvent[]): void => {
    last = now();
    learn(events);
  };
  member.turn('working', task === undefined ? {} : { task });
  show();
  return {
    take,
    learn,
    line: (stream, line) => take(parser[stream](clean[stream](line), now())),
    so: () => (words.length === 0 ? heard : { ...heard, said: words.map(oneLine).join('\n') }),
    last: () => last,
    alive: () => {
      last = now();
    },
    unservedSince: () => unserved?.since,
  };
}

const LAST_LINES = 3;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, 200);
const MOST_NEWS = 100;

/** What some CLIs wait out by themselves, for hours if need be. */
const WAITS: ReadonlySet<string> = new Set(['quota', 'network']);

function hear(heard: Heard, event: AgentEvent): Heard {
  switch (event.kind) {
    case 'session':
      return { ...heard, session: event.id };
    case 'usage':
      return { ...heard, usage: atLeast(heard.usage, event.usage), counted: true };
    case 'context':
      return { ...heard, contextPercent: Math.round(event.percent) };
    case 'failure': {
      const { failure: kind, text, until } = event;
      return { ...heard, failure: { kind, text, ...defined({ until }) } };
    }
    case 'result': {
      // What it complained of on the way did not stop it.
      const { failure: _, ...rest } = heard;
      return event.ok ? rest : heard;
    }
    case 'activity':
      return heard;
    default:
      return event satisfies never;
  }
}
