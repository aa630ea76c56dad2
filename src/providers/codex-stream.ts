// What `codex exec --json` prints. The context's fill is not part of it: a turn's tokens add up over all its
// requests, and only the rollout file knows the last one (codex-rollout.ts).

import type { Instant } from '../text/time.ts';
import { complaint, failure, failureKind } from './failures.ts';
import { activity, amount, type Json, object, objects, record, sessionNamed, shellLine, string } from './json-lines.ts';
import type { AgentEvent, Counting, Parser } from './provider.ts';
import { since, usage } from './token-counts.ts';

export function codexParser(counting: Counting = {}): Parser {
  return {
    stdout(line, now) {
      const event = record(line);
      switch (event?.['type']) {
        case 'thread.started':
          return sessionNamed(string(event['thread_id']));
        case 'item.started':
        case 'item.updated':
        case 'item.completed':
          return item(object(event['item']) ?? {}, event['type']);
        case 'turn.completed':
          return [...counted(object(event['usage']), counting), { kind: 'result', ok: true }];
        case 'turn.failed':
          return failed(string(object(event['error'])?.['message']) ?? 'the turn failed', now);
        case 'error':
          return trouble(words(string(event['message']) ?? ''), now);
        default:
          return [];
      }
    },
    stderr: complaint,
  };
}

function item(about: Json, when: string): readonly AgentEvent[] {
  switch (about['type']) {
    case 'agent_message':
    case 'reasoning':
      return activity(string(about['text']));
    case 'command_execution':
      return when === 'item.started' ? activity(`shell: ${shellLine(unwrapped(string(about['command']) ?? ''))}`) : [];
    case 'file_change':
      return activity(
        `edit: ${objects(about['changes'])
          .map((change) => string(change['path']))
          .join(', ')}`,
      );
    case 'mcp_tool_call':
      return activity(`${string(about['server']) ?? 'mcp'}: ${string(about['tool']) ?? ''}`);
    case 'web_search':
      return activity(`search: ${string(about['query']) ?? ''}`);
    case 'error':
      return activity(string(about['message']));
    default:
      return [];
  }
}

/** `/bin/bash -lc 'npm test'` → `npm test`. */
const unwrapped = (command: string): string => /^\S*sh -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2] ?? command;

function counted(counts: Json | undefined, { before, model }: Counting): readonly AgentEvent[] {
  const input = amount(counts?.['input_tokens']);
  if (input === undefined) return [];
  return [
    usage({
      input: since(input, before?.input),
      output: since(amount(counts?.['output_tokens']) ?? 0, before?.output),
      cached: since(amount(counts?.['cached_input_tokens']) ?? 0, before?.cached),
      model,
    }),
  ];
}

/**
 * Said again by turn.failed when it was the last word; until then it tries again. At a limit it may wait for
 * hours and without a network for ever, so that is told at once; a turn that completes after all takes it back.
 */
function trouble(text: string, now: Instant): readonly AgentEvent[] {
  const shown = activity(text);
  const isLong = failureKind(text) === 'quota' || text.includes('waiting for network');
  return isLong ? [...shown, failure(text, now)] : shown;
}

function failed(message: string, now: Instant): readonly AgentEvent[] {
  const text = words(message);
  const status = /\bstatus:? (\d{3})\b/.exec(text)?.[1];
  return [
    failure(text, now, { status: status === undefined ? undefined : Number(status) }),
    { kind: 'result', ok: false, text: text.slice(0, 2000) },
  ];
}

/** A refusal of the API comes as the body it sent. */
const words = (message: string): string => string(object(record(message)?.['error'])?.['message']) ?? message;
