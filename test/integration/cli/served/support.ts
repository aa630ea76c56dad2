// A supervisor's server with agents outside the sandbox: real processes, a real session, the real client. The program that
// a command falls back to only tells what it was given.

import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { openCommandServer } from '../../../../src/cli/served/server.ts';
import { siteOf } from '../../../../src/git/directory.ts';
import { type OpenSession, openSession } from '../../../../src/identity/agent-sessions.ts';
import { agentTag, TAG } from '../../../../src/process/tags.ts';
import type { Role } from '../../../../src/protocol/state.ts';
import type { StoreContext } from '../../../../src/store/transact.ts';
import { type AgentClient, writeAgentClient } from '../../../../src/supervisor/agent-client.ts';
import type { CommandServer } from '../../../../src/supervisor/context.ts';
import { ioOf } from '../../../support/in-process.ts';
import { type Project, START } from '../../../support/project.ts';

export interface Heard {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PlayedAgent {
  readonly env: Readonly<Record<string, string>>;
  readonly session: OpenSession;
  readonly shell: ChildProcess;
  /** Runs a line of sh below the agent's process. */
  sh(line: string): Promise<Heard>;
  /** The same; it goes on by itself. */
  begin(line: string): void;
}

export interface Server extends CommandServer {
  readonly client: AgentClient;
  readonly at: string;
  agent(id: string, role: Role, env?: Readonly<Record<string, string>>): PlayedAgent;
}

const FAKE = `process.stdout.write('itself ' + JSON.stringify({ argv: process.argv.slice(2),
  input: process.argv.includes('-') ? require('node:fs').readFileSync(0, 'latin1') : '' }))`;
/** What the program itself was given, where a command was not served. */
export const itself = (heard: Heard): { argv: string[]; input: string } => {
  expect(heard).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^itself /) });
  return JSON.parse(heard.stdout.slice('itself '.length));
};

/** `hurry`: it waits for clients so many times less long. */
export function serverOf(p: Project, { hurry = 1, board = {} as Partial<StoreContext> } = {}): Server {
  const { clock } = p.context;
  const hurried = { ...clock, after: ((ms, ...rest) => clock.after(ms / hurry, ...rest)) as typeof clock.after };
  const context = { ...p.context, clock: hurried, store: p.store, ...board };
  const program = path.join(p.root, '..', 'itself.cjs');
  fs.writeFileSync(program, FAKE);
  const client = writeAgentClient(context, [process.execPath, program]);
  if (client.shows === undefined) throw new Error('there is no perl here');
  const server = openCommandServer(ioOf(p.root, process.env), context, client.shows);
  if (server === undefined) throw new Error('there is no server');
  const shells: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const shell of shells)
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGKILL');
    await Promise.all(
      shells.map((one) => one.exitCode ?? one.signalCode ?? new Promise((done) => one.once('exit', done))),
    );
    server.close();
  });
  let asked = 0;
  const agent: Server['agent'] = (id, role, more = {}) => {
    const session = openSession(p.context, { agent: id, role, task: 't', epoch: 1, pid: process.pid }, START);
    const env = {
      PATH: `${client.folder}:${process.env['PATH']}`,
      LIZA_SERVED: server.folder,
      LIZA_AGENT_ID: id,
      LIZA_SESSION: session.credential,
      LIZA_EPOCH: '1',
      [TAG]: agentTag(siteOf(p.context.disk, p.root), id),
      ...more,
    };
    const shell = spawn('/bin/sh', [], { cwd: p.root, env, stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    shells.push(shell);
    session.begun(shell.pid ?? 0);
    const begin = (line: string): void => void shell.stdin?.write(`${line}\n`);
    return {
      env,
      session,
      shell,
      begin,
      sh: async (line) => {
        asked += 1;
        const at = path.join(p.root, '..', `said-${asked}`);
        begin(`( ${line}\n) >'${at}.out' 2>'${at}.err' </dev/null; echo $? >'${at}.tmp'; mv '${at}.tmp' '${at}.code'`);
        await expect.poll(() => fs.existsSync(`${at}.code`), { timeout: 30_000, interval: 5 }).toBe(true);
        const read = (kind: string): string => fs.readFileSync(`${at}.${kind}`, 'utf8');
        return { code: Number(read('code')), stdout: read('out'), stderr: read('err') };
      },
    };
  };
  return { ...server, client, at: path.join(server.folder, 's'), agent };
}
