// From a piece of work to a running agent. What others need to know of the session is on the disk before its process
// starts: the prompt, the provider's own files, and the record with the hash of its credential.

import { join } from 'node:path';
import { siteOf } from '../git/directory.ts';
import { type OpenSession, openSession } from '../identity/agent-sessions.ts';
import { type RunningAgent, startAgent } from '../process/agent-process.ts';
import { agentTag } from '../process/tags.ts';
import { holdOn } from '../protocol/board.ts';
import { findTask } from '../protocol/find.ts';
import { addressOf } from '../protocol/ids.ts';
import { settings } from '../protocol/state.ts';
import type { Launch, SessionRequest } from '../providers/provider.ts';
import { openSandboxSession, type SandboxSession, sandboxPromptSection } from '../sandbox/session.ts';
import { writeTold } from '../store/session-news.ts';
import { redact, secretsOf } from '../text/redact.ts';
import type { Instant } from '../text/time.ts';
import type { SupervisorContext } from './context.ts';
import { estimateContext } from './rules/context-estimate.ts';
import type { SessionRun, SessionWork } from './session.ts';
import { sessionFiles, writePrompt } from './session-files.ts';
import { readOutput, type SessionOutput } from './session-output.ts';

export interface PreparedSession {
  readonly startedAt: Instant;
  readonly request: SessionRequest;
  readonly launch: Launch;
  readonly logFile: string;
  readonly output: SessionOutput;
  /** agents/<id>.session: from here on its credential is the agent's, and any earlier one is over. */
  readonly record: OpenSession;
}

export interface StartedSession {
  readonly agent: RunningAgent;
  readonly sandbox: SandboxSession;
}

export async function prepareSession(context: SupervisorContext, run: SessionRun): Promise<PreparedSession> {
  const { clock, disk, pid } = context;
  const { work, begun } = run;
  const startedAt = clock.now();
  const { prompt, log: logFile } = sessionFiles(context, work, startedAt, begun);
  const request = requestOf(context, work, await sandboxPromptSection(context, work, settings(begun)));
  const launch = work.chosen.provider.launch(request);
  writePrompt(disk, prompt, request);
  for (const folder of launch.folders ?? []) {
    disk.rmSync(folder, { recursive: true, force: true });
    disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  for (const file of launch.files ?? []) disk.writeFileSync(file.path, file.text, { mode: 0o600 });
  const estimate = estimateOf(run, request);
  const output = readOutput(context, run, { log: logFile, started: startedAt, estimate });
  const record = openSession(context, { ...work, pid }, startedAt);
  writeTold(context, work.agent, { session: record.id, told: work.told });
  return { startedAt, request, launch, logFile, output, record };
}

/** For a provider that does not tell how full its context is. */
function estimateOf({ work, begun }: SessionRun, { contract, prompt, resume }: SessionRequest) {
  const { contextWindow } = work.chosen.provider;
  if (contextWindow === undefined) return undefined;
  const before = resume === undefined ? 0 : begun.agents[work.agent]?.context_percent;
  return estimateContext(contextWindow, contract.length + prompt.length, before);
}

/** In its sandbox, where there is one. A reason, or what holds it: nothing was started, and nothing is left. */
export async function startSession(
  context: SupervisorContext,
  { work, begun }: SessionRun,
  { request, launch, logFile, output, record }: PreparedSession,
): Promise<StartedSession | { readonly reason: string } | { readonly held: string }> {
  const sandbox = await openSandboxSession(context, work, {
    launch,
    settings: settings(begun),
    scratch: request.scratch,
    env: environmentOf(context, work, launch, record.credential),
    onRequest: () => {
      output.alive();
      // Its commits so far are kept by the time it is answered: it may destroy its folder next.
      return work.keepCommits?.().catch(() => {}); // tried again when the session ends
    },
    onFailure: tellOverruns(context, work),
  });
  if ('reason' in sandbox) return sandbox;
  const held = await heldNow(context, work);
  if (held !== undefined) {
    await sandbox.close(0);
    return { held };
  }
  const agent = await startAgent(context, {
    argv: sandbox.argv,
    cwd: work.cwd,
    env: sandbox.env,
    wrapped: sandbox.wrapped,
    descriptor3: sandbox.descriptor3,
    held: sandbox.held,
    onInside: record.inside,
    tag: agentTag(siteOf(context.disk, context.paths.root), work.agent),
    stdin: launch.stdin,
    logFile,
    talks: work.chosen.provider.drive !== undefined,
    onLine: output.line,
    onOutput: output.printed,
  });
  if (!('reason' in agent)) return { agent, sandbox };
  await sandbox.close(0);
  return agent;
}

/** What ended git in a command of the agent's, as the crew tells what ended its own; once each. */
function tellOverruns({ emit }: SupervisorContext, { agent, task }: SessionWork): (said: string) => void {
  const told = new Set<string>();
  return (said) => {
    const [, text, hint] = /^liza: (git \S+ .*and was ended.*)\n +\u2192 (.*)$/m.exec(said) ?? [];
    if (text === undefined || told.has(text) || told.size >= MOST_TOLD) return;
    told.add(text);
    emit({ level: 'alarm', agent, ...(task === undefined ? {} : { task }), text: `${text} → ${hint}` });
  };
}

/** Of one session. */
const MOST_TOLD = 5;

/** Looked at last of all: a sandbox and a copy may have taken their time since the transaction that let it begin. */
async function heldNow({ store }: SupervisorContext, { task }: SessionWork): Promise<string | undefined> {
  const { board } = await store.read();
  const held = holdOn(board, task === undefined ? undefined : findTask(board.state, task));
  return held === undefined ? undefined : held === 'paused' ? `${task} is paused` : `${held} is on`;
}

function requestOf(context: SupervisorContext, work: SessionWork, note: string): SessionRequest {
  const scratch = join(context.paths.liza, 'cache', 'agents', work.agent);
  context.disk.mkdirSync(scratch, { recursive: true });
  return {
    agent: work.agent,
    role: work.role,
    cwd: work.cwd,
    contract: context.contract(work.role),
    // It goes to a model and to the disk, and what a person wrote on the board may hold a secret.
    prompt: redact(`${work.prompt}${note}`, secretsOf(context.env)),
    resume: work.resume,
    sessionId: context.random.uuid(),
    model: work.chosen.model,
    scratch,
    env: context.env,
    root: context.isRoot,
  };
}

/** The supervisor's own environment, without the variables of the session or hook that started it, and with the agent's. */
function environmentOf(
  context: SupervisorContext,
  work: SessionWork,
  launch: Launch,
  credential: string,
): Record<string, string | undefined> {
  const inherited = Object.entries(context.env).filter(
    ([name]) => !/^(LIZA_(?!(PROGRAM|GIT_SECONDS)$)|GIT_)/.test(name),
  );
  const author = addressOf(work.agent);
  return {
    ...Object.fromEntries(inherited),
    PATH: `${context.bin}:${context.env['PATH'] ?? '/usr/bin:/bin'}`,
    GIT_AUTHOR_NAME: work.agent,
    GIT_AUTHOR_EMAIL: author,
    GIT_COMMITTER_NAME: work.agent,
    GIT_COMMITTER_EMAIL: author,
    GIT_TERMINAL_PROMPT: '0',
    // In a folder that has lost its own, git would find the project's repository, and commit to the user's branch.
    GIT_CEILING_DIRECTORIES: join(context.paths.root, '.worktrees'),
    ...launch.env,
    LIZA_AGENT_ID: work.agent,
    LIZA_SESSION: credential,
    ...(work.epoch === undefined ? {} : { LIZA_EPOCH: String(work.epoch) }),
    // The one branch that the project's hook lets it move (identity/ref-hook.ts).
    ...(work.role === 'coder' && work.task !== undefined ? { LIZA_BRANCH: `task/${work.task}` } : {}),
  };
}
