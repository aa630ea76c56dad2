// Runs one agent CLI for as long as its session lasts: its prompt on stdin, its output line by line to whoever
// reads it and, within bounds, to its log. Whatever it starts carries the agent's and the session's tag, so
// that the whole tree can be ended, here or by whoever takes over after us.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import type { Environment } from '../ports/host.ts';
import { secretsOf } from '../text/redact.ts';
import { markOf, underMark } from './mark.ts';
import { openOutput, type Printed } from './output.ts';
import type { Mark } from './own-mark.ts';
import { startTime, TAG } from './process-table.ts';
import { type Taken, takenBelow } from './resource-usage.ts';
import { nested, reasonOf, signalOf } from './start.ts';
import { agentTag, type Site } from './tags.ts';
import { treeOf } from './tree.ts';

export interface AgentProgram {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** Whole: nothing is scrubbed, an agent needs its credentials. */
  readonly env: Environment;
  /** Names all sessions of this agent; see agentTag. */
  readonly tag: string;
  readonly stdin?: string | undefined;
  readonly logFile: string;
  readonly onLine: (stream: 'stdout' | 'stderr', line: string) => void;
  /** It printed something, be it half a line: it lives. */
  readonly onOutput?: () => void;
  /** Takes stdin and stdout over, for a provider that talks both ways; `onLine` then hears stderr only. */
  readonly talks?: boolean;
  /** See Startable. */
  readonly wrapped?: boolean;
}

export type AgentExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string };

export interface RunningAgent {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Of the program itself; its tree may go on until `end`. */
  readonly exited: Promise<AgentExit>;
  /** Of its whole tree, just now. */
  taken(): Taken;
  /** Asks the whole tree to end, and after the grace ends it. Also tidies up after one that ended by itself. */
  end(graceMs: number, hurry?: AbortSignal): Promise<Printed & { readonly survivors: number }>;
}

const LOG_LIMIT = 16 * 1024 * 1024;
/** A line that carries a whole file may be long; one without end must not pile up. */
const LONGEST_LINE = 8 * 1024 * 1024;
/** Of a flood of plain lines, so many of each piece are told; a line that may be an event always is. */
const MOST_LINES = 100;
const POLL_MS = 25;
const REAP_MS = 5000;
const DRAIN_MS = 1000;

/** Ends what a supervisor that is gone left running. Answers how many could not be ended. */
export const endAgent = (site: Site, agent: string): Promise<number> => {
  const tag = agentTag(site, agent);
  return treeOf({ pid: -1, started: undefined, tag, mark: markOf(tag) }).end();
};

export async function startAgent(program: AgentProgram): Promise<RunningAgent | { readonly reason: string }> {
  const { argv, cwd, env, tag } = program;
  const session = randomBytes(16).toString('hex');
  const mark = markOf(tag);
  const marked = underMark(argv, mark, { cwd, path: env['PATH'] });
  const [file, ...args] = marked ?? argv;
  let child: ChildProcess;
  try {
    child = spawn(file, args, {
      cwd,
      env: { ...env, [TAG]: `${nested(env, tag)}/${session}` },
      stdio: [program.stdin === undefined && program.talks !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return { reason: reasonOf(error as Error, program) };
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    return { reason: reasonOf(error, program) };
  }
  return follow(child, child.pid, { session, mark: marked && mark }, program);
}

interface Known {
  readonly session: string;
  /** undefined: it could not be given one. */
  readonly mark: Mark | undefined;
}

function follow(child: ChildProcess, pid: number, { session, mark }: Known, program: AgentProgram): RunningAgent {
  // Read before the first turn of the event loop, in which a child that has ended would give its pid away.
  const started = startTime(pid);
  const tree = treeOf({ pid, started, tag: session, mark, wrapped: program.wrapped });
  const output = openOutput({ logFile: program.logFile, logLimit: LOG_LIMIT, secrets: secretsOf(program.env) });
  const exited = new Promise<AgentExit>((done) => {
    child.once('exit', (code, sent) => {
      const signal = signalOf(code, sent, program.wrapped);
      done(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal });
    });
  });
  const { stdin, stdout, stderr } = child as ChildProcess & { stdout: Readable; stderr: Readable };
  const drained = Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.once('close', done))));
  // It may end before it has read everything: that is its own affair.
  stdin?.on('error', () => {});
  if (program.stdin !== undefined) stdin?.end(program.stdin);
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.write(chunk);
      program.onOutput?.();
    });
  }
  if (program.talks !== true) byLine(stdout, (line) => program.onLine('stdout', line));
  byLine(stderr, (line) => program.onLine('stderr', line));
  return {
    pid,
    stdin: stdin as Writable,
    stdout,
    exited,
    // Who left the tree is not counted, though ended with it; in a sandbox nobody leaves it.
    taken: () => takenBelow(pid),
    end: async (graceMs, hurry) => {
      // All of them, wherever they went: a tool in a session of its own does not hear of its group's end.
      if (graceMs > 0) tree.ask();
      const until = performance.now() + graceMs;
      while (performance.now() < until && hurry?.aborted !== true && tree.look().length > 0) await wait(POLL_MS);
      const survivors = await tree.end();
      await Promise.race([exited, wait(REAP_MS, undefined, { ref: false })]);
      // Its last words may still be on their way: all who could write are gone, so the end of them comes.
      await Promise.race([drained, wait(DRAIN_MS, undefined, { ref: false })]);
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      child.unref();
      return { ...output.close(), survivors };
    },
  };
}

/** Each byte is looked at once, however long a line gets; of one without end the beginning is told. */
function byLine(stream: Readable, tell: (line: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let parts: string[] = [];
  let length = 0;
  const put = (text: string): void => {
    if (length < LONGEST_LINE) parts.push(text.slice(0, LONGEST_LINE - length));
    length += text.length;
  };
  const flush = (): void => {
    const line = parts.join('');
    [parts, length] = [[], 0];
    tell(line);
  };
  const read = (text: string): void => {
    let from = 0;
    let told = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      if (length > 0 || told < MOST_LINES || text[from] === '{') {
        put(text.slice(from, end));
        flush();
        told += 1;
      }
      from = end + 1;
    }
    put(text.slice(from));
  };
  stream.on('data', (chunk: Buffer) => read(decoder.write(chunk)));
  stream.on('end', () => {
    read(decoder.end());
    if (length > 0) flush();
  });
}
