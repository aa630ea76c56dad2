// A session over the Agent Client Protocol, with the SDK's own agent on the other end of two pipes.

import { PassThrough, Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { realClock } from '../../../src/ports/real-host.ts';
import type { Role } from '../../../src/protocol/state.ts';
import { answer } from '../../../src/providers/acp.ts';
import type { AgentEvent } from '../../../src/providers/provider.ts';
import { last, provider, request } from './recordings.ts';

const { drive } = provider('mine', { mine: { kind: 'acp', argv: ['some-agent', '--acp'] } });
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
  const exit = await drive?.(realClock, request(changes), { stdin, stdout }, (events) => heard.push(...events));
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
  expect(failing.exit).toEqual({ kind: 'exited', code: 1 });
  expect(last(failing.heard, 'result')?.ok).toBe(false);
  expect(last(failing.heard, 'failure')).toMatchObject({ failure: 'login' });
  const refusing = await session((app) =>
    polite(app).onRequest('session/prompt', () => ({ stopReason: 'refusal' as const })),
  );
  expect(last(refusing.heard, 'failure')).toMatchObject({ failure: 'model' });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const heard: AgentEvent[] = [];
  const gone = drive?.(realClock, request(), { stdin, stdout }, (events) => heard.push(...events));
  stdout.end('not json\n');
  expect(await gone).toEqual({ kind: 'exited', code: 1 });
  expect(last(heard, 'failure')).toBeDefined();
});
