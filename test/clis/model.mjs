// A scripted model on loopback: no account, no network, the same answers every time. It remembers nothing: what
// it answers follows from the request alone, so that a resumed session is one only if its history came along.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { toCall, understand } from './dialects.mjs';

/** Each answer is counted alike, so that the sum says how many there were. */
export const USAGE = { input: 1000, cached: 200, output: 50 };

/** `choose({ system, turns, at })` → a step; `asked` gathers what was asked, for the checks afterwards. */
export async function startModel(choose) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    const body = await read(request);
    const question = request.method === 'POST' ? understand(path, body) : undefined;
    if (question === undefined) return other(path, response);
    // Titles, summaries and the like come without tools.
    if (question.tools.length === 0) return question.answer(response, { text: 'ok', usage: USAGE });
    const step = choose(question);
    asked.push({ ...question, body: undefined, step });
    const call = step.shell === undefined && step.write === undefined ? undefined : toCall(step, question.tools);
    question.answer(response, { text: step.text, call, usage: USAGE });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function read(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString() || '{}');
  } catch {
    return {};
  }
}

/** Lists of models and counts of tokens: enough to keep a CLI going. */
function other(path, response) {
  const isCount = /count_?tokens$/i.test(path);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify(
      isCount ? { input_tokens: 10, totalTokens: 10 } : { object: 'list', data: [], models: [], has_more: false },
    ),
  );
}
