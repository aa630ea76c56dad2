// An ACP agent that says too much, as a real process: the loop of everybody else goes on.

import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { realClock } from '../../../src/ports/real-host.ts';
import { shortMessage } from '../../../src/providers/acp-messages.ts';
import type { AgentEvent } from '../../../src/providers/provider.ts';
import { last, provider, request } from './recordings.ts';

const { drive } = provider('mine', { mine: { kind: 'acp', argv: ['some-agent'] } });

/** Sends the update so often; answers what Liza heard, and the longest time in which nothing else was done, in ms. */
async function flooded(update: string, times: number) {
  const code = `
    const say = (it) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...it }) + '\\n');
    require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (method === 'initialize') return say({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') return say({ id, result: { sessionId: 's' } });
      for (let n = 0; n < ${times}; n++) say({ method: 'session/update', params: { sessionId: 's', update: ${update} } });
      say({ id, result: { stopReason: 'end_turn' } });
    });
    process.stdout.on('error', () => process.exit(1));`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'inherit'] });
  const heard: AgentEvent[] = [];
  let longest = 0;
  let before = performance.now();
  // The first message has the SDK loaded.
  const timer = setInterval(() => {
    if (last(heard, 'session') !== undefined) longest = Math.max(longest, performance.now() - before);
    before = performance.now();
  }, 10);
  const exit = await drive?.(realClock, request({}), child, (events) => heard.push(...events));
  clearInterval(timer);
  child.kill('SIGKILL');
  return { exit, heard, longest };
}

const COSTLY =
  '{ sessionUpdate: "tool_call", toolCallId: "x", title: "look", content: Array(35000).fill({ type: "q", a: {} }), locations: Array(100000).fill(1) }';

test('messages that take long to check are cut short, and the loop has its turn between them', async () => {
  const { exit, heard, longest } = await flooded(COSTLY, 4);
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  expect(last(heard, 'result')?.ok).toBe(true);
  expect(longest).toBeLessThan(700);
}, 60_000);

test('a line beyond the limit is not read, and the reason is told', async () => {
  const { exit, heard } = await flooded(
    '{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(1000000) } }',
    1,
  );
  expect(exit).toEqual({ kind: 'exited', code: 1, cut: true });
  expect(last(heard, 'failure')).toMatchObject({ text: 'it sent a line of more than 1 MB: none is read that long' });
}, 60_000);

test('what is read of a message stays: its id, its words, its first options', () => {
  const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' }];
  const ask = {
    params: { toolCall: { content: Array(5000).fill({}), title: 'edit' }, options },
    id: 3,
    jsonrpc: '2.0',
  };
  const short = shortMessage(ask);
  expect(short).toEqual({ ...ask, params: { toolCall: { content: Array(100).fill({}), title: 'edit' }, options } });
  const deep = JSON.parse(`{"id":1,"error":{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`) as object;
  expect(JSON.stringify(shortMessage(deep)).length).toBeLessThan(200);
  const many = { all: Array(100).fill(Array(100).fill(Array(100).fill({}))), id: 4 };
  expect(JSON.stringify(shortMessage(many)).length).toBeLessThan(10_000);
  expect(shortMessage(many).id).toBe(4);
});
