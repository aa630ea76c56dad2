// `liza` for an agent in the sandbox, which cannot see the blackboard. It puts a request into a mailbox that is bound
// into its sandbox alone; here the real `liza` is run for it, with the identity of the session that the mailbox belongs
// to: in this process, which has the board already, or as a program of its own. So the channel tells who asks, not the request. Of a request nothing is used but the arguments, what is to be read
// from stdin, and whom it claims to be, so that a false claim is refused. Anything else in the mailbox is harmless: links
// are not followed, pipes not waited for, and what is too long, too much or half written is not read.

import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Disk } from '../ports/disk.ts';
import type { Clock, Environment, Host } from '../ports/host.ts';
import { watchFolder } from '../ports/watch-folder.ts';
import { defined } from '../protocol/values.ts';
import { type Answer, answerText } from './answer-text.ts';
import { endsWithAsker } from './mailbox-commands.ts';

export interface BrokerOptions {
  /** The mailbox, of this session alone; made here. It goes with the session's folder, however much is in it. */
  readonly folder: string;
  /** How the real `liza` is started. */
  readonly program: readonly [string, ...string[]];
  /** The project: requests have no say in which board they are about. */
  readonly root: string;
  /** The session's environment, its credential included. */
  readonly env: Environment;
  /** Runs a command in this process. Undefined: it must be a program of its own. `stop`: its session is over. */
  readonly serve?: ServeCommand | undefined;
  /** Called for each request; it is answered when this is done. */
  readonly onRequest?: () => void | Promise<void>;
  /** Called with what a command said that failed for a reason outside the board: the session is told, a person is not. */
  readonly onFailure?: ((said: string) => void) | undefined;
}

export interface Broker {
  /** The session has ended: whoever asks is told so at once. */
  end(): void;
  /** Refuses new requests; those under way are finished within the grace, or until `hurry` says that it is over. Takes
   *  little more than that, whatever is in the mailbox and whatever they left behind. */
  close(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

export interface Request {
  readonly argv: readonly string[];
  readonly stdin?: string;
  /** The agent that the environment inside named. It can only refuse what the session itself may do. */
  readonly claims?: string;
}

export type ServeCommand = (request: Request, env: Environment, stop: AbortSignal) => Promise<Answer> | undefined;

/** The exit code of a command that its surroundings failed. */
const ENVIRONMENT = 3;
const AT_ONCE = 4;
const LOOKED_AT = 256;
const LONGEST_REQUEST = 4 * 1024 * 1024;
const LONGEST_ANSWER = 16 * 1024 * 1024;
const MOST_ARGUMENTS = 500;
/** A submission is validated before it is answered. */
const LONGEST_MS = 60 * 60_000;
/** For changes that the watcher misses. */
const POLL_MS = 100;
const NAME = /^([a-z0-9]{8,40})\.(ask|gone)$/;

interface Running {
  readonly id: string;
  readonly finished: Promise<void>;
  readonly endsWithAsker: boolean;
  readonly kill: Served['kill'];
}

export function openBroker(host: Host, options: BrokerOptions): Broker {
  const { clock, disk } = host;
  const { folder } = options;
  disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const running = new Set<Running>();
  /** Answers that found no room on the disk: their clients still wait for them. */
  const owed = new Map<string, Answer>();
  let ended = false;
  let closed = false;
  let due = false;
  const take = (id: string): void => {
    const request = takeRequest(disk, join(folder, `${id}.ask`));
    if (request === undefined) return;
    if (ended) {
      reply(host, folder, id, endedAnswer(options.env['LIZA_AGENT_ID'] ?? 'this agent'));
      return;
    }
    const noticed = options.onRequest?.();
    const served = request === UNREADABLE ? UNREADABLE_ANSWER : serve(host, options, request);
    if ('code' in served) {
      reply(host, folder, id, served);
      return;
    }
    const finished = Promise.all([served.answered, noticed]).then(([answer]) => {
      running.delete(one);
      if (answer.code === ENVIRONMENT) options.onFailure?.(answer.stderr);
      if (!reply(host, folder, id, answer) && owed.size < AT_ONCE) owed.set(id, answer);
      soon();
    });
    const ends = request !== UNREADABLE && endsWithAsker(request.argv);
    const one: Running = { id, finished, endsWithAsker: ends, kill: served.kill };
    running.add(one);
  };
  /** Asks what is worth nothing without its asker to end. */
  const endFor = (asker?: string): void => {
    for (const { id, endsWithAsker: ends, kill } of running)
      if (ends && (asker === undefined || asker === id)) kill('SIGTERM');
  };
  const look = (): void => {
    due = false;
    for (const [id, answer] of owed) if (reply(host, folder, id, answer)) owed.delete(id);
    for (const [id, kind] of waiting(disk, folder)) {
      if (kind === 'gone') {
        forget(disk, folder, id);
        endFor(id);
        continue;
      }
      if (closed || (!ended && running.size >= AT_ONCE)) return;
      take(id);
    }
  };
  // Many events come together: one look answers them all.
  const soon = (): void => {
    if (due || closed) return;
    due = true;
    void clock.nextTurn().then(look);
  };
  const watcher = watchFolder(host, folder, soon);
  const stopPolling = clock.every(POLL_MS, soon);
  const end = (): void => {
    ended = true;
    endFor();
    look();
  };
  return {
    end,
    close: async (graceMs, hurry) => {
      end();
      await finishedWithin(clock, [...running], { graceMs, hurry });
      closed = true;
      stopPolling();
      watcher?.close();
      markEnded(disk, folder);
    },
  };
}

/** What a command started may hold its pipes open after its end. */
const SETTLE_MS = 2000;

/** Those that are left at the end of the grace are killed. */
function finishedWithin(
  clock: Clock,
  all: readonly Running[],
  { graceMs, hurry }: { readonly graceMs: number; readonly hurry: AbortSignal | undefined },
): Promise<void> {
  return new Promise((done) => {
    const timers: (() => void)[] = [];
    const over = (): void => {
      for (const cancel of timers) cancel();
      hurry?.removeEventListener('abort', kill);
      done();
    };
    const kill = (): void => {
      for (const { kill: killOne } of all) killOne('SIGKILL');
      timers.push(clock.after(SETTLE_MS, over));
    };
    timers.push(clock.after(graceMs, kill));
    hurry?.addEventListener('abort', kill);
    if (hurry?.aborted) kill();
    void Promise.all(all.map(({ finished }) => finished)).then(over);
  });
}

/** Nobody waits for this request any more. */
function forget(disk: Disk, folder: string, id: string): void {
  for (const name of [`${id}.gone`, `${id}.ask`]) forgetFile(disk, join(folder, name));
}

/** The folder is the agent's: it may have closed it, or put something else there. */
function forgetFile(disk: Disk, file: string): void {
  try {
    disk.unlinkSync(file);
  } catch {
    // It is taken already, or no file.
  }
}

/** The first few: a session that floods its own mailbox only waits longer itself. */
function waiting(disk: Disk, folder: string): readonly (readonly [id: string, kind: string])[] {
  const found: [string, string][] = [];
  try {
    const entries = disk.opendirSync(folder);
    try {
      for (let count = 0; count < LOOKED_AT; count += 1) {
        const entry = entries.readSync();
        if (entry === null) break;
        const [, id, kind] = NAME.exec(entry.name) ?? [];
        if (id !== undefined && kind !== undefined) found.push([id, kind]);
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    return [];
  }
  return found;
}

/** A file that tells the client that nobody answers any more (mailbox-client.ts). */
const ENDED = 'ended';

const endedAnswer = (agent: string): Answer =>
  failed(`this session of ${agent} has ended`, 'Stop now: nothing this session does counts now');

function markEnded(disk: Disk, folder: string): void {
  try {
    disk.writeFileSync(join(folder, ENDED), '', { flag: 'wx', mode: 0o600 });
  } catch {
    // The folder goes next, and says the same.
  }
}

const UNREADABLE = 'unreadable';
const UNREADABLE_ANSWER = failed('the request is too long or incomplete', 'send less: a few megabytes at most');

/** Reads and removes it. Undefined: there is no request, and nobody waits for an answer. */
function takeRequest(disk: Disk, file: string): Request | typeof UNREADABLE | undefined {
  try {
    // Not through a link, and without waiting for the other end of a pipe.
    const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = disk.constants;
    const fd = disk.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      // First: a request that stayed would be carried out again and again.
      disk.unlinkSync(file);
      const stat = disk.fstatSync(fd);
      if (!stat.isFile()) return undefined;
      const { size } = stat;
      if (size > LONGEST_REQUEST) return UNREADABLE;
      const bytes = Buffer.alloc(size);
      let read = 0;
      for (let got = -1; got !== 0 && read < size; read += got) got = disk.readSync(fd, bytes, read, size - read, read);
      return requestIn(bytes.toString('utf8', 0, read)) ?? UNREADABLE;
    } finally {
      disk.closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

export function requestIn(text: string): Request | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof found !== 'object' || found === null) return undefined;
  const { argv, stdin, claims } = found as { readonly [key in keyof Request]?: unknown };
  if (!Array.isArray(argv) || argv.length > MOST_ARGUMENTS) return undefined;
  if (!argv.every((word) => typeof word === 'string' && !word.includes('\0'))) return undefined;
  if (stdin !== undefined && typeof stdin !== 'string') return undefined;
  const named = typeof claims === 'string' && /^[a-z0-9_-]{1,80}$/.test(claims) ? claims : undefined;
  return { argv: argv as readonly string[], ...defined({ stdin, claims: named }) };
}

interface Served {
  readonly answered: Promise<Answer>;
  /** One in this process is asked to end what it runs. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** An answer at once: it could not be started. */
function serve(host: Host, options: BrokerOptions, request: Request): Served | Answer {
  const stop = new AbortController();
  const answered = options.serve?.(request, environmentOf(options, request), stop.signal);
  if (answered === undefined) return serveAside(host, options, request);
  // Whatever went wrong in it, the crew lives on.
  const safely = answered.catch((error: Error) => failed(`the command failed: ${error.message}`, 'try again'));
  return { answered: safely, kill: () => stop.abort() };
}

/** The program must know that its arguments come from inside: files they name are not its to read. */
const environmentOf = ({ env }: BrokerOptions, { claims }: Request): Environment => ({
  ...env,
  LIZA_BROKERED: '1',
  ...(claims === undefined ? {} : { LIZA_CLAIMED: claims }),
});

function serveAside(host: Host, options: BrokerOptions, request: Request): Served | Answer {
  let child: ChildProcess;
  try {
    child = startLiza(host, options, request);
  } catch (error) {
    // The system may refuse outright, for example an argument that is too long for it: that must not end the broker.
    return notStarted(error as NodeJS.ErrnoException);
  }
  const { stdin, stdout, stderr } = child;
  // Without room for its pipes there is no child to wait for.
  if (stdin === null || stdout === null || stderr === null || stdin === undefined) {
    child.once('error', () => {});
    return notStarted({ message: 'too many open files' });
  }
  const answered = answerOf(host.clock, child, [stdout, stderr]);
  stdin.on('error', () => {}); // it may not read what it is given
  stdin.end(request.stdin ?? '');
  return { answered, kill: (signal) => void child.kill(signal) };
}

function answerOf(clock: Clock, child: ChildProcess, streams: readonly [Readable, Readable]): Promise<Answer> {
  const [printed, complained] = [bounded(streams[0]), bounded(streams[1])];
  return new Promise((done) => {
    const cancel = clock.after(LONGEST_MS, () => child.kill('SIGKILL'));
    let isThere = true;
    child.once('error', (error) => {
      isThere = false;
      done(notStarted(error));
    });
    child.once('close', (code, signal) => {
      cancel();
      if (!isThere) return;
      const stderr = complained();
      done({
        code: code ?? 1,
        stdout: printed(),
        stderr: signal === null ? stderr : `${stderr}liza was ended by ${signal}\n`,
      });
    });
  });
}

/** What a stream has said so far, within a limit. */
function bounded(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= LONGEST_ANSWER) chunks.push(chunk);
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

const startLiza = ({ processes }: Host, options: BrokerOptions, request: Request): ChildProcess =>
  processes.spawn(options.program[0], [...options.program.slice(1), ...request.argv], {
    cwd: options.root,
    env: environmentOf(options, request),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });

function notStarted({ code, message }: { readonly code?: string | undefined; readonly message: string }): Answer {
  return code === 'E2BIG'
    ? failed('an argument is too long', 'give long text on stdin: … - < file')
    : failed(`liza could not be started: ${message}`, 'try again');
}

function failed(what: string, next: string): Answer {
  return { code: 1, stdout: '', stderr: `liza: ${what}\n  → ${next}\n` };
}

/** Appears whole, under a name that only a folder could keep from it. False: there is no room now. */
function reply({ disk, random }: Host, folder: string, id: string, answer: Answer): boolean {
  const temporary = join(folder, `.${random.hex(12)}`);
  try {
    disk.writeFileSync(temporary, answerText(answer, random.hex(8)), { flag: 'wx', mode: 0o600 });
    disk.renameSync(temporary, join(folder, `${id}.answer`));
  } catch (error) {
    forgetFile(disk, temporary);
    // Anything else: the mailbox is gone or blocked, and nobody waits there.
    return !['ENOSPC', 'EDQUOT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
  return true;
}
