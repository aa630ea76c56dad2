// What an ACP agent reports while it works. Its context use is uniform over all agents; token counts are not
// part of the stable protocol, but many send them with the answer to a prompt.

import type * as Acp from '@agentclientprotocol/sdk';
import { activity, amount, context, dollars, object } from './json-lines.ts';
import type { AgentEvent } from './provider.ts';
import { usage } from './token-counts.ts';

export function updateReader(): (update: Acp.SessionUpdate) => readonly AgentEvent[] {
  // Sentences come in pieces.
  let sentence = '';
  return (update) => {
    if (update.sessionUpdate === 'agent_message_chunk') {
      sentence = `${sentence}${update.content.type === 'text' ? update.content.text : ''}`.slice(-2000);
      return activity(sentence);
    }
    switch (update.sessionUpdate) {
      case 'tool_call':
      case 'tool_call_update':
        sentence = '';
        return update.status === 'completed' ? [] : activity(update.title ?? undefined);
      case 'usage_update': {
        const used = amount(update.used);
        const cost = update.cost?.currency === 'USD' ? dollars(update.cost.amount) : undefined;
        // The context as it is now: the least that has been read so far.
        return [...context(used, amount(update.size)), usage({ input: used ?? 0, output: 0, cost })];
      }
      default:
        return [];
    }
  };
}

const WHY: Readonly<Record<string, string>> = {
  max_tokens: 'the model reached its limit of tokens',
  max_turn_requests: 'the agent reached its limit of requests in one turn',
  refusal: 'the model refused to continue',
  cancelled: 'the turn was cancelled',
};

export function ended(response: Acp.PromptResponse): readonly AgentEvent[] {
  const counted = countsOf(response);
  const why = WHY[response.stopReason];
  if (why === undefined) return [...counted, { kind: 'result', ok: true }];
  return [...counted, { kind: 'failure', failure: 'model', text: why }, { kind: 'result', ok: false, text: why }];
}

/** The field that the protocol is about to get, or what Gemini CLI sends in the meantime. */
function countsOf(response: Acp.PromptResponse): readonly AgentEvent[] {
  const counts = object((response as { readonly usage?: unknown }).usage);
  const cached = amount(counts?.['cachedReadTokens']);
  const input = amount(counts?.['inputTokens']);
  if (input !== undefined)
    return [usage({ input: input + (cached ?? 0), output: amount(counts?.['outputTokens']) ?? 0, cached })];
  const quota = object(object(response._meta?.['quota'])?.['token_count']);
  const total = amount(quota?.['input_tokens']);
  return total === undefined ? [] : [usage({ input: total, output: amount(quota?.['output_tokens']) ?? 0 })];
}
