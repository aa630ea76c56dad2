// A session over the Agent Client Protocol, with the SDK's own agent on the other end of two pipes.

import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { agent, ndJsonStream } from '@agentclientprotocol/sdk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/agents/provider.ts';
import { answer } from '../../../src/agents/providers/acp.ts';
import type { Role } from '../../../src/core/state.ts';
import { last, provider, request } from './playing.ts';

const { drive } = provider('mine', { mine: { kind: 'acp', argv: ['some-agent', '--acp'] } });
const OPTIONS = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
];

let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'liza-acp-'));
});
afterEach(() => rmSync(cwd, { recursive: true }));

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
  const exit = await drive?.(request({ cwd, ...changes }), { stdin, stdout }, (events) => heard.push(...events));
  connection.close();
  return { heard, exit };
}

const polite = (app: App, can: object = {}): App =>
  app
    .onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: can }))
    .onRequest('session/new', () => ({ sessionId: 'new-one' }));

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

test('a session is gone on with: loaded where it can be, its past not told again, anew where it cannot', async () => {
  const loading = (app: App) =>
    polite(app, { loadSession: true })
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
  const anew = await session(
    (app) => polite(app).onRequest('session/prompt', () => ({ stopReason: 'end_turn' as const })),
    { resume: 'former' },
  );
  expect(last(anew.heard, 'session')?.id).toBe('new-one');
});

test('files: only below the folder, written by a coder only', async () => {
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\nthree\n');
  symlinkSync('/etc', join(cwd, 'out'));
  symlinkSync(join(cwd, '..', 'liza-acp-nowhere'), join(cwd, 'dangling'));
  const outcomes: Record<string, string> = {};
  const trying = (app: App) =>
    polite(app).onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
      const attempt = async (name: string, act: () => Promise<unknown>) => {
        outcomes[name] = await act().then(
          (done) => JSON.stringify(done),
          () => 'refused',
        );
      };
      const path = (name: string) => join(cwd, name);
      await attempt('read', () =>
        client.request('fs/read_text_file', { sessionId, path: path('a.txt'), line: 2, limit: 1 }),
      );
      await attempt('outside', () => client.request('fs/read_text_file', { sessionId, path: '/etc/hostname' }));
      await attempt('link', () => client.request('fs/read_text_file', { sessionId, path: path('out/hostname') }));
      await attempt('write', () =>
        client.request('fs/write_text_file', { sessionId, path: path('new/b.txt'), content: 'b' }),
      );
      await attempt('through', () =>
        client.request('fs/write_text_file', { sessionId, path: path('dangling'), content: 'b' }),
      );
      await attempt('git', () =>
        client.request('fs/write_text_file', { sessionId, path: path('.git/config'), content: 'b' }),
      );
      return { stopReason: 'end_turn' as const };
    });
  await session(trying);
  expect(outcomes).toEqual({
    read: '{"content":"two"}',
    outside: 'refused',
    link: 'refused',
    write: '{}',
    through: 'refused',
    git: 'refused',
  });
  expect(readFileSync(join(cwd, 'new/b.txt'), 'utf8')).toBe('b');
  await session(trying, { role: 'code_reviewer' });
  expect(outcomes).toMatchObject({ read: '{"content":"two"}', write: 'refused' });
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
    polite(app).onRequest('session/new', () => {
      throw new Error('Authentication required: please run login');
    }),
  );
  expect(failing.exit).toEqual({ kind: 'exited', code: 1 });
  expect(last(failing.heard, 'result')?.ok).toBe(false);
  const refusing = await session((app) =>
    polite(app).onRequest('session/prompt', () => ({ stopReason: 'refusal' as const })),
  );
  expect(last(refusing.heard, 'failure')).toMatchObject({ failure: 'model' });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const heard: AgentEvent[] = [];
  const gone = drive?.(request({ cwd }), { stdin, stdout }, (events) => heard.push(...events));
  stdout.end('not json\n');
  expect(await gone).toEqual({ kind: 'exited', code: 1 });
  expect(last(heard, 'failure')).toBeDefined();
});
