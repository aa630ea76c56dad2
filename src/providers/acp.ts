// Any agent that speaks the Agent Client Protocol over its stdio (`gemini --acp`, `opencode acp`, the Claude
// adapter). It asks before it uses a tool, and it is answered by role. The SDK is loaded with the first
// session only: everything else of Liza starts without it.

import { once } from 'node:events';
import type * as Acp from '@agentclientprotocol/sdk';
import type { Clock } from '../ports/host.ts';
import { LONGEST_LINE, shortMessages } from './acp-messages.ts';
import { pacedStreams } from './acp-streams.ts';
import { ended, updateReader } from './acp-updates.ts';
import { failure } from './failures.ts';
import { homeOf } from './home-files.ts';
import type { AgentEvent, Driven, Launch, Parser, Provider, SessionRequest, Streams } from './provider.ts';
import { edits } from './role-access.ts';
import type { ProviderSettings } from './settings.ts';

type Take = (events: readonly AgentEvent[]) => void;

/** Tokens; the project can say another number. */
const WINDOW = 200_000;
/** Characters; the board keeps it. A session with a longer name is not gone on with. */
const LONGEST_ID = 500;

export const acp = (settings: ProviderSettings): Provider => ({
  name: settings.name,
  title: `${settings.name} (ACP)`,
  program: settings.program ?? settings.argv?.[0] ?? settings.name,
  trial: false,
  contextWindow: settings.contextWindow ?? WINDOW,
  // Many can load a session, but not all find one of an earlier process again: the project says which.
  resumes: settings.resumes,
  hints: {
    install: `config.providers.${settings.name}.argv names the program`,
    login: 'log in with the agent’s own command first',
  },
  home: homeOf([settings.program ?? '', ...(settings.argv ?? [settings.name])]),
  launch: (request) => launch(settings, request),
  parser,
  drive,
});

function launch(settings: ProviderSettings, request: SessionRequest): Launch {
  const [program, ...rest] = settings.argv ?? [settings.name];
  const model = request.model ?? settings.model ?? '';
  return {
    argv: [settings.program ?? program, ...rest.map((part) => part.replaceAll('{model}', model)), ...settings.args],
    env: { ...settings.env },
  };
}

/** All that counts comes through the protocol; stderr is only for people who read the log. */
const parser = (): Parser => ({ stdout: () => [], stderr: () => [] });

async function drive(clock: Clock, request: SessionRequest, streams: Streams, take: Take): Promise<Driven> {
  // An agent that dies while we write is told by the requests that fail.
  streams.stdin.on('error', () => {});
  try {
    const sdk = await import('./acp-library.ts');
    const { told, said } = pacedStreams(clock, streams);
    const { readable, writable } = sdk.ndJsonStream(told, said, { maxMessageBytes: LONGEST_LINE });
    const stream = { readable: readable.pipeThrough(shortMessages()), writable };
    const updates = updateReader();
    let live = false;
    const stop = await sdk
      .client({ name: 'liza' })
      .onNotification('session/update', ({ params }) => {
        // Loading a session replays its past.
        if (live) take(updates(params.update));
      })
      .onRequest('session/request_permission', ({ params }) => {
        take(updates({ ...params.toolCall, sessionUpdate: 'tool_call_update' }));
        return answer(request, params);
      })
      .connectWith(stream, async (agent) => {
        const { session, isNew } = await open(sdk, agent, request);
        if (session.length <= LONGEST_ID) take([{ kind: 'session', id: session }]);
        live = true;
        const text = isNew ? `${request.contract.trimEnd()}\n\n${request.prompt}` : request.prompt;
        return agent.request('session/prompt', { sessionId: session, prompt: [{ type: 'text', text }] });
      });
    take(ended(stop));
    await farewell(clock, streams);
    return { kind: 'exited', code: stop.stopReason === 'end_turn' ? 0 : 1 };
  } catch (error) {
    const text = errorText(error);
    // Without a clock here a stated reset cannot be made an instant; the supervisor's own patience counts.
    take([failure(text, Number.POSITIVE_INFINITY), { kind: 'result', ok: false, text: text.slice(0, 2000) }]);
    // Before its tree is ended it may end itself, and say how.
    streams.stdin.end();
    return { kind: 'exited', code: 1, cut: true };
  }
}

const FAREWELL_MS = 3000;

/** Ends its input and lets it write down what it must before its tree is ended. */
async function farewell(clock: Clock, { stdin, stdout }: Streams): Promise<void> {
  stdin.end();
  if (stdout.readableEnded || stdout.destroyed) return;
  const over = new AbortController();
  const closed = once(stdout, 'close', { signal: over.signal }).catch(() => {});
  await Promise.race([closed, clock.sleep(FAREWELL_MS, over.signal)]);
  over.abort();
}

async function open(
  sdk: Pick<typeof Acp, 'PROTOCOL_VERSION'>,
  agent: Acp.ClientContext,
  request: SessionRequest,
): Promise<{ readonly session: string; readonly isNew: boolean }> {
  const { agentCapabilities: can } = await agent.request('initialize', {
    protocolVersion: sdk.PROTOCOL_VERSION,
    // No files and no terminal of ours: it works on the same disk with its own tools, and asks before it does.
    // (Gemini CLI 0.61 cannot write a new file through its client.)
    clientCapabilities: {},
    clientInfo: { name: 'liza', version: '1' },
  });
  const place: Acp.NewSessionRequest = { cwd: request.cwd, mcpServers: [] };
  const former = request.resume;
  if (former !== undefined) {
    // A resumed session's prompt says too little for a new one: then there is none.
    if (can?.sessionCapabilities?.resume) await agent.request('session/resume', { ...place, sessionId: former });
    else if (can?.loadSession === true) await agent.request('session/load', { ...place, sessionId: former });
    else throw new Error('unknown session: this agent cannot continue an earlier one');
    return { session: former, isNew: false };
  }
  const { sessionId } = await agent.request('session/new', place);
  return { session: sessionId, isNew: true };
}

const EDITING: readonly (string | null | undefined)[] = ['edit', 'delete', 'move'];

/** Denies edits to a role that may not edit, in the words the agent offers; allows everything else once. */
export function answer(
  { role }: Pick<SessionRequest, 'role'>,
  { toolCall, options }: Pick<Acp.RequestPermissionRequest, 'toolCall' | 'options'>,
): Acp.RequestPermissionResponse {
  const allowed = edits(role) || !EDITING.includes(toolCall.kind);
  const wanted = allowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
  const option = wanted.map((kind) => options.find((one) => one.kind === kind)).find((one) => one !== undefined);
  return {
    outcome: option === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: option.optionId },
  };
}

function errorText(error: unknown): string {
  const { name, message, data } = error as Readonly<Record<'name' | 'message' | 'data', unknown>>;
  if (name === 'MessageTooLargeError')
    return `it sent a line of more than ${LONGEST_LINE / 1_000_000} MB: none is read that long`;
  const details = data === undefined ? '' : ` ${textOf(data)}`;
  return `${typeof message === 'string' ? message : 'it failed without a message'}${details}`.slice(0, 4000);
}

/** An agent sent it: as deep as it likes. */
function textOf(data: unknown): string {
  try {
    return JSON.stringify(data) ?? '';
  } catch {
    return '(details that cannot be shown)';
  }
}
