// What `opencode run --format json` prints. Each step tells its own tokens and cost; they are added up here.
// It tries a failed request again for ever and says so only in its log on stderr.

import type { Instant } from '../text/time.ts';
import { complaint, failure } from './failures.ts';
import {
  activity,
  amount,
  context,
  dollars,
  type Json,
  object,
  record,
  sessionNamed,
  string,
  tool,
} from './json-lines.ts';
import type { AgentEvent, Counting, Parser } from './provider.ts';
import { usage } from './token-counts.ts';

/** It works with any model and tells no window; the project's configuration can. */
const WINDOW = 200_000;
const LONG_WINDOW = 1_000_000;

export function opencodeParser({ model }: Counting = {}, window?: number): Parser {
  const sum = { input: 0, output: 0, cached: 0, written: 0, cost: 0 };
  let named = false;
  const read = (event: Json, now: Instant): readonly AgentEvent[] => {
    const part = object(event['part']) ?? {};
    switch (event['type']) {
      case 'text':
        return activity(string(part['text']));
      case 'tool_use':
        return tool(string(part['tool']), object(part['state'])?.['input']);
      case 'step_finish':
        return [
          ...step(part, sum, model, window),
          ...(part['reason'] === 'stop' ? [{ kind: 'result', ok: true } as const] : []),
        ];
      case 'error':
        return failed(object(event['error']) ?? {}, now);
      default:
        return [];
    }
  };
  return {
    stdout(line, now) {
      const event = record(line);
      if (event === undefined) return [];
      const id = string(event['sessionID']);
      const first: readonly AgentEvent[] = named ? [] : sessionNamed(id);
      named ||= id !== undefined;
      return [...first, ...read(event, now)];
    },
    stderr: complaints,
  };
}

/** A request that failed; side requests, such as for a title, do not count. A success later takes it back. */
function complaints(text: string, now: Instant): readonly AgentEvent[] {
  if (!/\blevel=(ERROR|WARN)\b/.test(text)) return complaint(text, now);
  if (!text.includes('message="stream error"') || text.includes('small=true')) return [];
  return [failure(/\berror\.error="(?:\w+: )?([^"]*)/.exec(text)?.[1] ?? 'a request failed', now)];
}

function step(
  part: Json,
  sum: { input: number; output: number; cached: number; written: number; cost: number },
  model: string | undefined,
  window: number | undefined,
): readonly AgentEvent[] {
  const tokens = object(part['tokens']);
  const cache = object(tokens?.['cache']);
  const cached = amount(cache?.['read']) ?? 0;
  const written = amount(cache?.['write']) ?? 0;
  const input = (amount(tokens?.['input']) ?? 0) + cached + written;
  const output = (amount(tokens?.['output']) ?? 0) + (amount(tokens?.['reasoning']) ?? 0);
  sum.input += input;
  sum.output += output;
  sum.cached += cached;
  sum.written += written;
  sum.cost += dollars(part['cost']) ?? 0;
  return [
    usage({ ...sum, cost: sum.cost > 0 ? sum.cost : undefined, model }),
    ...context(input + output, window ?? (input + output > WINDOW ? LONG_WINDOW : WINDOW)),
  ];
}

function failed(error: Json, now: Instant): readonly AgentEvent[] {
  const data = object(error['data']) ?? {};
  const text = string(data['message']) ?? string(error['name']) ?? 'failed';
  const after = Number(string(object(data['responseHeaders'])?.['retry-after']));
  return [
    failure(text, now, {
      status: amount(data['statusCode']),
      kind: error['name'] === 'ProviderAuthError' ? 'login' : undefined,
      until: Number.isFinite(after) && after > 0 ? now + after * 1000 : undefined,
    }),
    { kind: 'result', ok: false, text: text.slice(0, 2000) },
  ];
}
