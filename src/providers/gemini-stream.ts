// What Gemini CLI prints: `-o stream-json`. Tokens come with the result only, summed over all requests.

import type { Instant } from '../text/time.ts';
import { complaint, failure } from './failures.ts';
import { activity, amount, type Json, object, record, sessionNamed, string, tool } from './json-lines.ts';
import type { AgentEvent, Counting, Parser } from './provider.ts';
import { usage } from './token-counts.ts';

export function geminiParser(counting: Counting = {}): Parser {
  let model = counting.model;
  // Sentences come in pieces.
  let sentence = '';
  return {
    stdout(line, now) {
      const event = record(line);
      if (event?.['type'] !== 'message') sentence = '';
      switch (event?.['type']) {
        case 'init':
          model = string(event['model']) ?? model;
          return sessionNamed(string(event['session_id']));
        case 'message':
          if (event['role'] !== 'assistant') return [];
          sentence = `${event['delta'] === true ? sentence : ''}${string(event['content']) ?? ''}`.slice(-2000);
          return activity(sentence);
        case 'tool_use':
          return tool(string(event['tool_name']), event['parameters']);
        case 'error':
          return activity(string(event['message']));
        case 'result':
          return result(event, model, now);
        default:
          return [];
      }
    },
    stderr: complaint,
  };
}

function result(event: Json, model: string | undefined, now: Instant): readonly AgentEvent[] {
  const stats = object(event['stats']);
  const input = amount(stats?.['input_tokens']);
  const counted =
    input === undefined
      ? []
      : [
          usage({
            input,
            output: amount(stats?.['output_tokens']) ?? 0,
            cached: amount(stats?.['cached']),
            model,
          }),
        ];
  if (event['status'] === 'success') return [...counted, { kind: 'result', ok: true }];
  const text = words(string(object(event['error'])?.['message']) ?? 'failed');
  return [
    ...counted,
    failure(text.message, now, { status: text.status }),
    { kind: 'result', ok: false, text: text.message.slice(0, 2000) },
  ];
}

/** `[API Error: {"error":{"code":401,"message":…}}]`, or just words. */
function words(message: string): { readonly message: string; readonly status?: number | undefined } {
  const inner = /^\[?API Error: ([\s\S]*?)\]?$/.exec(message)?.[1] ?? message;
  const error = object(record(inner)?.['error']);
  return { message: string(error?.['message']) ?? inner, status: amount(error?.['code']) };
}
