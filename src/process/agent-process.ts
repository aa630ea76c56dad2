// Runs one agent CLI for as long as its session lasts: its prompt on stdin, its output line by line to the listener
// and, within bounds, to its log. Whatever it starts carries the agent's and the session's tag, so that the whole tree
// can be ended, here or by the supervisor that takes over after us.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Environment, Host } from '../ports/host.ts';
import { secretsOf } from '../text/redact.ts';
import { type Tree, treeOf } from './end-process-tree.ts';
import { type Held, holdUntilNoted, livesOn, UNKNOWN } from './first-inside.ts';
import { openOutput, type Printed } from './output.ts';
import type { Mark } from './own-rlimit-mark.ts';
import { isAlive, type ProcessIdentity } from './process-identity.ts';
import { startTime } from './process-table.ts';
import { type Asked, type ResourceUsage, usageBelow } from './resource-usage.ts';
import { markOf, underMark } from './rlimit-mark.ts';
import { within } from './run.ts';
import { furtherDescriptors, giveDescriptor3, reasonOf, signalOf } from './start.ts';
import { agentTag, nestedTag, type Site, TAG } from './tags.ts';

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
  /** It printed something, even if only half a line: it lives. */
  readonly onOutput?: (bytes: number) => void;
  /** Its provider uses stdin and stdout itself, to talk both ways; `onLine` then hears stderr only. */
  readonly talks?: boolean;
  /** See Startable. */
  readonly wrapped?: boolean;
  readonly descriptor3?: Uint8Array | undefined;
  readonly held?: boolean | undefined;
  readonly onInside?: ((inside: ProcessIdentity) => void) | undefined;
}

export type AgentExit =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  /** In a sandbox: it said that it had ended, and went on. */
  | { readonly kind: 'lived-on' }
  /** It could not be let run. */
  | { readonly kind: 'not-started'; readonly reason: string };

export interface RunningAgent {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** When the program itself has ended; its tree may go on until `end`. */
  readonly exited: Promise<AgentExit>;
  /** What its whole tree uses now. */
  resources(asked: Asked): ResourceUsage;
  /** Asks the whole tree to end, and after the grace ends it. Also tidies up after one that ended by itself. */
  end(graceMs: number, hurry?: AbortSignal): Promise<Printed & { readonly survivors: number }>;
}

const LOG_LIMIT = 16 * 1024 * 1024;
/** A line that carries a whole file may be long; one without end must not pile up, and a line is looked at in one go. */
const LONGEST_LINE = 1024 * 1024;
/** So many plain lines of each piece are passed on in a flood; a line that may be an event always is. */
const MOST_LINES = 100;
const POLL_MS = 25;
const REAP_MS = 5000;
const DRAIN_MS = 1000;

/**
 * Ends what a supervisor that is gone left running; `inside` is the first process in its last sandbox, as it is on
 * record. Answers how many could not be ended.
 */
export const endAgent = (host: Host, site: Site, agent: string, inside?: ProcessIdentity): Promise<number> => {
  const tag = agentTag(site, agent);
  const tree = treeOf(host, { pid: -1, started: undefined, tag, mark: markOf(tag) });
  if (inside !== undefined && isAlive(host, inside)) tree.add(inside);
  return tree.end();
};

export async function startAgent(
  host: Host,
  program: AgentProgram,
): Promise<RunningAgent | { readonly reason: string }> {
  const { argv, cwd, env, tag, descriptor3 } = program;
  const session = host.random.hex(16);
  const mark = markOf(tag);
  const marked = underMark(host, argv, { agent: mark }, { cwd, path: env['PATH'] });
  const [file, ...args] = marked ?? argv;
  let child: ChildProcess;
  try {
    child = host.processes.spawn(file, args, {
      cwd,
      env: { ...env, [TAG]: `${nestedTag(env, tag)}/${session}` },
      stdio: [
        ...([program.stdin === undefined && program.talks !== true ? 'ignore' : 'pipe', 'pipe', 'pipe'] as const),
        ...furtherDescriptors(program),
      ],
      detached: true,
    });
  } catch (error) {
    return { reason: reasonOf(host.disk, error as Error, program) };
  }
  giveDescriptor3(child, descriptor3);
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    return { reason: reasonOf(host.disk, error, program) };
  }
  return follow(host, program, { child, pid: child.pid, session, mark: marked && mark });
}

interface Begun {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly session: string;
  /** undefined: it could not be given one. */
  readonly mark: Mark | undefined;
}

function follow(host: Host, program: AgentProgram, { child, pid, session, mark }: Begun): RunningAgent {
  // Read before the first turn of the event loop, in which a child that has ended would give its pid away.
  const started = startTime(host, pid);
  const tree = treeOf(host, { pid, started, tag: session, mark, wrapped: program.wrapped });
  const held = program.held
    ? holdUntilNoted(host, child, (inside) => {
        tree.add(inside);
        program.onInside?.(inside);
      })
    : undefined;
  const output = openOutput(host, {
    logFile: program.logFile,
    logLimit: LOG_LIMIT,
    secrets: secretsOf(program.env),
  });
  const exited = exitOf(host, child, program.wrapped, held);
  const { stdin, stdout, stderr } = child as ChildProcess & { stdout: Readable; stderr: Readable };
  const drained = Promise.all([stdout, stderr].map((stream) => new Promise((done) => stream.once('close', done))));
  // A program may end before it has read everything.
  stdin?.on('error', () => {});
  if (program.stdin !== undefined) stdin?.end(program.stdin);
  for (const stream of [stdout, stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.write(chunk);
      program.onOutput?.(chunk.length);
    });
  }
  if (program.talks !== true) byLine(stdout, (line) => program.onLine('stdout', line));
  byLine(stderr, (line) => program.onLine('stderr', line));
  return {
    pid,
    stdin: stdin as Writable,
    stdout,
    exited,
    // A process that left the tree is not counted, though ended with it; in a sandbox none can leave.
    resources: (asked) => usageBelow(host, pid, asked),
    end: async (graceMs, hurry) => {
      if (graceMs > 0) await askToEnd(host, tree, graceMs, hurry);
      const survivors = await tree.end();
      held?.close();
      await within(host.clock, REAP_MS, exited);
      // Its last output may still be on its way: all who could write are gone, so it comes to an end.
      await within(host.clock, DRAIN_MS, drained);
      for (const stream of [stdin, stdout, stderr]) stream?.destroy();
      child.unref();
      return { ...(await output.close()), survivors };
    },
  };
}

const exitOf = (
  host: Host,
  child: ChildProcess,
  wrapped: boolean | undefined,
  held: Held | undefined,
): Promise<AgentExit> =>
  new Promise((done) => {
    void held?.failed.then((reason) => done({ kind: 'not-started', reason }));
    child.once('exit', async (code, sent) => {
      const signal = signalOf(host.processes, { code, signal: sent, wrapped });
      // It was not let run, and nothing but the program ends so.
      if (held !== undefined && held.inside() === undefined && code === 0) {
        done({ kind: 'not-started', reason: UNKNOWN });
      } else if (await livesOn(host, held?.inside())) done({ kind: 'lived-on' });
      else done(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal });
    });
  });

/** SIGTERM to all of the tree: a tool in a session of its own does not hear of its group's end. */
async function askToEnd({ clock }: Host, tree: Tree, graceMs: number, hurry?: AbortSignal): Promise<void> {
  tree.ask();
  const until = clock.monotonic() + graceMs;
  while (clock.monotonic() < until && hurry?.aborted !== true && tree.look().length > 0) await clock.sleep(POLL_MS);
}

/** Looks at each byte once, however long a line gets; passes on the beginning of a line without end. */
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
