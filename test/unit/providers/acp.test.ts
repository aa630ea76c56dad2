// A session over the Agent Client Protocol, with the SDK's own agent on the other end of two pipes.

import { PassThrough, Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import type { Clock } from '../../../src/ports/host.ts';
import { realClock } from '../../../src/ports/real-host.ts';
import type { Role } from '../../../src/protocol/state.ts';
import { answer } from '../../../src/providers/acp.ts';
import type { AgentEvent } from '../../../src/providers/provider.ts';
import { last, provider, request } from './recordings.ts';

const { drive } = provider('mine', { mine: { kind: 'acp', argv: ['some-agent', '--acp'] } });
/** Its agents stay when their input ends: the farewell they are given is a hundredth as long. */
const clock: Clock = { ...realClock, sleep: (ms, signal) => realClock.sleep(ms / 100, signal) };
const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
];

type App = ReturnType<typeof agent>;

/** Plays the agent; answers what Liza heard. */
async function session(play: (app: App) => App, changes: { role?: Role; resume?: string } = {}) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const connection = play(agent({ name: 'fake' })).connect(
    ndJsonStream(
      Writable.toWeb(stdout) as WritableStream<Uint8Array>,
      Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
    ),
  );
  const heard: AgentEvent[] = [];
  const exit = await drive?.(clock, request(changes), { stdin, stdout }, (events) => heard.push(...events));
  connection.close();
  return { heard, exit };
}

interface Opening {
  readonly can?: object;
  readonly hello?: (offered: unknown) => void;
  readonly open?: () => { sessionId: string };
}

/** The first handler of a method counts: what a test needs otherwise is given here. */
const polite = (app: App, { can = {}, hello, open }: Opening = {}): App =>
  app
    .onRequest('initialize', ({ params }) => {
      hello?.(params.clientCapabilities);
      return { protocolVersion: 1, agentCapabilities: can };
    })
    .onRequest('session/new', () => open?.() ?? { sessionId: 'new-one' });

test('contract and prompt are sent, doing and context are told, the end is good', async () => {
  let prompt: unknown;
  const { heard, exit } = await session((app) =>
    polite(app).onRequest('session/prompt', async ({ params, client }) => {
      prompt = params.prompt;
      const tell = (update: object) =>
        client.notify('session/update', { sessionId: params.sessionId, update: update as never });
      await tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'I look ' } });
      await tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'around.' } });
      await tell({
        sessionUpdate: 'tool_call',
        toolCallId: 't1',
        title: 'npm test',
        kind: 'execute',
        status: 'pending',
      });
      await tell({
        sessionUpdate: 'usage_update',
        used: 50_000,
        size: 200_000,
        cost: { amount: 0.25, currency: 'USD' },
      });
      return { stopReason: 'end_turn' as const };
    }),
  );
  expect(prompt).toEqual([{ type: 'text', text: 'CONTRACT: be honest.\n\nPROMPT: greet the world.\n' }]);
  expect(exit).toEqual({ kind: 'exited', code: 0 });
  expect(last(heard, 'session')?.id).toBe('new-one');
  expect(heard.filter(({ kind }) => kind === 'activity')).toEqual([
    { kind: 'activity', text: 'I look' },
    { kind: 'activity', text: 'I look around.' },
    { kind: 'activity', text: 'npm test' },
  ]);
  expect(last(heard, 'context')?.percent).toBe(25);
  expect(last(heard, 'usage')?.usage).toMatchObject({ input: 50_000, cost_usd: 0.25 });
  expect(last(heard, 'result')?.ok).toBe(true);
});

test('a session is gone on with: loaded where it can be, its past not told again, and not at all where it cannot', async () => {
  const loading = (app: App) =>
    polite(app, { can: { loadSession: true } })
      .onRequest('session/load', async ({ params, client }) => {
        await client.notify('session/update', {
          sessionId: params.sessionId,
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'long ago' } },
        });
        return {};
      })
      .onRequest('session/prompt', () => ({ stopReason: 'end_turn' as const }));
  const loaded = await session(loading, { resume: 'former' });
  expect(last(loaded.heard, 'session')?.id).toBe('former');
  expect(last(loaded.heard, 'activity')).toBeUndefined();
  const unable = await session(
    (app) => polite(app).onRequest('session/prompt', () => ({ stopReason: 'end_turn' as const })),
    { resume: 'former' },
  );
  expect(unable.exit?.code).toBe(1);
  expect(last(unable.heard, 'failure')).toMatchObject({ failure: 'other' });
});

test('a reviewer that asks to edit is denied by the protocol, and its shell is allowed', async () => {
  const outcomes: unknown[] = [];
  let offered: unknown;
  const { heard } = await session(
    (app) =>
      polite(app, {
        hello: (capabilities) => {
          offered = capabilities;
        },
      }).onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        for (const kind of ['edit', 'execute'] as const) {
          const toolCall = { toolCallId: kind, title: `will ${kind}`, kind, status: 'pending' as const };
          const said = await client.request('session/request_permission', { sessionId, toolCall, options: OPTIONS });
          outcomes.push((said as { readonly outcome: unknown }).outcome);
        }
        return { stopReason: 'end_turn' as const };
      }),
    { role: 'code_reviewer' },
  );
  expect(outcomes).toEqual([
    { outcome: 'selected', optionId: 'no' },
    { outcome: 'selected', optionId: 'yes' },
  ]);
  expect(last(heard, 'activity')?.text).toBe('will execute');
  expect(offered).toBeDefined();
  expect(JSON.stringify(offered)).not.toContain('true');
});

test.each([
  ['coder', 'edit', 'yes'],
  ['code_reviewer', 'edit', 'no'],
  ['planner', 'delete', 'no'],
  ['code_reviewer', 'execute', 'yes'],
  ['code_reviewer', 'read', 'yes'],
] as const)('a %s that asks to %s hears %s', (role, kind, expected) => {
  expect(answer({ role }, { toolCall: { toolCallId: 't', kind }, options: OPTIONS })).toEqual({
    outcome: { outcome: 'selected', optionId: expected },
  });
});

test('who may not edit and is offered no refusal is cancelled', () => {
  const allow = OPTIONS.slice(0, 1);
  expect(answer({ role: 'planner' }, { toolCall: { toolCallId: 't', kind: 'edit' }, options: allow })).toEqual({
    outcome: { outcome: 'cancelled' },
  });
});

test('an error, a refusal, and an agent that goes away: told, and never thrown', async () => {
  const failing = await session((app) =>
    polite(app, {
      open: () => {
        throw new Error('Authentication required: please run login');
      },
    }),
  );
  expect(failing.exit).toEqual({ kind: 'exited', code: 1, cut: true });
  expect(last(failing.heard, 'result')?.ok).toBe(false);
  expect(last(failing.heard, 'failure')).toMatchObject({ failure: 'login' });
  const refusing = await session((app) =>
    polite(app).onRequest('session/prompt', () => ({ stopReason: 'refusal' as const })),
  );
  expect(last(refusing.heard, 'failure')).toMatchObject({ failure: 'model' });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const heard: AgentEvent[] = [];
  const gone = drive?.(clock, request(), { stdin, stdout }, (events) => heard.push(...events));
  stdout.end('not json\n');
  expect(await gone).toEqual({ kind: 'exited', code: 1, cut: true });
  expect(last(heard, 'failure')).toBeDefined();
});

/** An agent that is only bytes; answers how `drive` ended, if it did. */
function raw(lines: readonly string[], reads: boolean) {
  const stdin = new PassThrough({ highWaterMark: 1000 });
  const stdout = new PassThrough();
  const result = (id: unknown, what: object): string => `${JSON.stringify({ jsonrpc: '2.0', id, result: what })}\n`;
  const listen = (chunk: Buffer): void => {
    for (const line of chunk
      .toString()
      .split('\n')
      .filter((one) => one !== '')) {
      const { id, method } = JSON.parse(line) as { id: unknown; method?: string };
      if (method === 'initialize') stdout.write(lines[0] ?? result(id, { protocolVersion: 1, agentCapabilities: {} }));
      if (method === 'session/new') stdout.write(result(id, { sessionId: 's' }));
      if (method !== 'session/prompt') continue;
      if (!reads) stdin.off('data', listen).pause();
      return void flood(stdout);
    }
  };
  stdin.on('data', listen);
  const driven = drive?.(clock, request({}), { stdin, stdout }, () => {});
  return { stdin, stdout, driven };
}

const ASKED = 20_000;
function flood(stdout: PassThrough): void {
  const toolCall = { toolCallId: 't', title: 'x'.repeat(100) };
  const params = { sessionId: 's', toolCall, options: OPTIONS };
  const ask = (id: number): string =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method: 'session/request_permission', params })}\n`;
  for (let id = 0; id < ASKED; id++) stdout.write(ask(id));
}

test('an agent that asks and asks and reads no answer is heard no more until it does', async () => {
  const { stdin, stdout } = raw([], false);
  await expect.poll(() => stdin.writableLength + stdin.readableLength, { timeout: 10_000 }).toBeGreaterThan(1_000_000);
  await new Promise((done) => setTimeout(done, 200));
  expect(stdin.writableLength + stdin.readableLength).toBeLessThan(1_500_000);
  expect(stdout.readableLength + stdout.writableLength).toBeGreaterThan(1_000_000);
  let answers = 0;
  stdin.on('data', (chunk: Buffer) => {
    answers += chunk.toString().split('\n').length - 1;
  });
  stdin.resume();
  await expect.poll(() => answers, { timeout: 20_000 }).toBeGreaterThanOrEqual(ASKED);
}, 40_000);

test('an error whose details are too deep to be shown ends the session, and nothing else', async () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const { driven } = raw([`{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":"no","data":${deep}}}\n`], true);
  expect(await driven).toEqual({ kind: 'exited', code: 1, cut: true });
});
