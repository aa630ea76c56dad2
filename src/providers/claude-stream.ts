// What Claude Code prints: `--output-format stream-json`.

import type { Instant } from '../text/time.ts';
import { complaint, failure } from './failures.ts';
import {
  activity,
  amount,
  context,
  dollars,
  type Json,
  object,
  objects,
  record,
  sessionNamed,
  string,
  tool,
} from './json-lines.ts';
import type { AgentEvent, Counting, FailureKind, Parser } from './provider.ts';
import { fromEpoch } from './quota-reset.ts';
import { costSince, usage } from './token-counts.ts';

const WINDOW = 200_000;
const LONG_WINDOW = 1_000_000;
const NO_COUNTS: Counts = { input: 0, output: 0, cached: 0, written: 0, written_1h: 0 };
const KEYS = ['input', 'output', 'cached', 'written', 'written_1h'] as const;

/** What is known before the result tells: `[1m]` asks for the long window. */
const claudeWindow = (model: string | undefined): number => (/\[1m\]/i.test(model ?? '') ? LONG_WINDOW : WINDOW);

/** Its own names for what went wrong. */
const KINDS: Readonly<Record<string, FailureKind>> = {
  rate_limit: 'quota',
  billing_error: 'quota',
  authentication_failed: 'login',
  oauth_org_not_allowed: 'login',
  model_not_found: 'model',
  invalid_request: 'model',
  max_output_tokens: 'model',
};

interface Counts {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  readonly written_1h: number;
}

interface Tally {
  /** Per message: each is printed once per content block, with the same counts. */
  readonly messages: Map<string, Counts>;
  total: Counts;
  model: string | undefined;
  window: number;
  used: number;
  /** What its last synthetic message was an error of. */
  error: string | undefined;
  /** A limit that was said to be reached, and until when. */
  until: Instant | undefined;
}

export function claudeParser(counting: Counting = {}): Parser {
  const tally: Tally = {
    messages: new Map(),
    total: NO_COUNTS,
    model: counting.model,
    window: claudeWindow(counting.model),
    used: 0,
    error: undefined,
    until: undefined,
  };
  return {
    stdout(line, now) {
      const event = record(line);
      switch (event?.['type']) {
        case 'system':
          return system(event, tally);
        case 'assistant':
          return assistant(event, tally);
        case 'rate_limit_event':
          return limited(event, tally);
        case 'result':
          return result(event, tally, counting, now);
        default:
          return [];
      }
    },
    stderr: complaint,
  };
}

function system(event: Json, tally: Tally): readonly AgentEvent[] {
  if (event['subtype'] === 'init') {
    tally.model = string(event['model']) ?? tally.model;
    tally.window = claudeWindow(tally.model);
    return sessionNamed(string(event['session_id']));
  }
  if (event['subtype'] !== 'api_retry') return [];
  const why = string(event['error']) ?? 'error';
  const status = amount(event['error_status']);
  return activity(
    `waits to try again: ${why}${status === undefined ? '' : ` (${status})`}, try ${event['attempt']} of ${event['max_retries']}`,
  );
}

const LONGEST_ID = 200;
const MOST_MESSAGES = 1000;

function assistant(event: Json, tally: Tally): readonly AgentEvent[] {
  const message = object(event['message']) ?? {};
  const blocks = objects(message['content']);
  if (message['model'] === '<synthetic>') {
    tally.error = string(event['error']);
    return [];
  }
  const shown = blocks.flatMap((block) =>
    block['type'] === 'tool_use' ? tool(string(block['name']), block['input']) : activity(string(block['text'])),
  );
  const counts = countsOf(object(message['usage']));
  const id = string(message['id'])?.slice(0, LONGEST_ID);
  if (counts === undefined || id === undefined) return shown;
  const former = tally.messages.get(id) ?? NO_COUNTS;
  // Told again while it grows: only the last few are still told of.
  tally.messages.delete(id);
  tally.messages.set(id, counts);
  if (tally.messages.size > MOST_MESSAGES) tally.messages.delete(tally.messages.keys().next().value ?? id);
  tally.total = each((key) => tally.total[key] + counts[key] - former[key]);
  const events = [...shown, usage({ ...tally.total, model: tally.model })];
  // A subagent's context is not the session's.
  if (string(event['parent_tool_use_id']) !== undefined) return events;
  tally.used = counts.input + counts.output;
  if (tally.used > tally.window) tally.window = LONG_WINDOW;
  return [...events, ...context(tally.used, tally.window)];
}

function countsOf(counts: Json | undefined): Counts | undefined {
  const input = amount(counts?.['input_tokens']);
  if (counts === undefined || input === undefined) return undefined;
  const cached = amount(counts['cache_read_input_tokens']) ?? 0;
  const written = amount(counts['cache_creation_input_tokens']) ?? 0;
  return {
    input: input + cached + written,
    output: amount(counts['output_tokens']) ?? 0,
    cached,
    written,
    written_1h: amount(object(counts['cache_creation'])?.['ephemeral_1h_input_tokens']) ?? 0,
  };
}

const each = (of: (key: (typeof KEYS)[number]) => number): Counts => ({
  ...{ input: of('input'), output: of('output'), cached: of('cached') },
  written: of('written'),
  written_1h: of('written_1h'),
});

/** Told with every answer while a plan's limit is near; only `rejected` means that it is reached. */
function limited(event: Json, tally: Tally): readonly AgentEvent[] {
  const info = object(event['rate_limit_info']);
  const until = amount(info?.['resetsAt']);
  if (info?.['status'] === 'rejected' && info['isUsingOverage'] !== true && until !== undefined)
    tally.until = fromEpoch(until);
  return [];
}

function result(event: Json, tally: Tally, { before }: Counting, now: Instant): readonly AgentEvent[] {
  const text =
    string(event['result']) ??
    objects(event['errors'])
      .map((error) => string(error['message']))
      .join('; ');
  const said = text === '' ? (textsOf(event['errors']) ?? string(event['subtype']) ?? 'failed') : text;
  const told = countsOf(object(event['usage'])) ?? NO_COUNTS;
  // What subagents used is in the messages at least.
  const counts = { ...each((key) => Math.max(told[key], tally.total[key])), model: tally.model };
  const cost = dollars(event['total_cost_usd']);
  const window = windowOf(object(event['modelUsage']), tally);
  const counted: AgentEvent[] = [
    usage({
      ...counts,
      cost: cost === undefined ? undefined : costSince(cost, before?.cost_usd, counts),
    }),
    ...context(tally.used, window),
  ];
  if (event['is_error'] !== true) return [...counted, { kind: 'result', ok: true, text: said.slice(0, 2000) }];
  const kind = Object.hasOwn(KINDS, tally.error ?? '') ? KINDS[tally.error ?? ''] : undefined;
  const status = amount(event['api_error_status']);
  return [
    ...counted,
    failure(said, now, { kind, status, until: kind === 'quota' ? tally.until : undefined }),
    { kind: 'result', ok: false, text: said.slice(0, 2000) },
  ];
}

/** The window of the session's own model where it is named, else the largest: helpers run on small ones. */
function windowOf(models: Json | undefined, { model, window }: Tally): number {
  const sizes = Object.entries(models ?? {}).map(([name, one]) => ({
    name,
    size: amount(object(one)?.['contextWindow']) ?? 0,
  }));
  const own = sizes.find(({ name }) => name === model)?.size ?? Math.max(0, ...sizes.map(({ size }) => size));
  return own > 0 ? own : window;
}

function textsOf(value: unknown): string | undefined {
  const texts = Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
  return texts.length === 0 ? undefined : texts.join('; ');
}
