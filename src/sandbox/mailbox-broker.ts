// `liza` for an agent in the sandbox, which cannot see the blackboard. It lays a request into a mailbox that is bound
// into its sandbox and nobody else's; here the real `liza` is run for it, with the identity of the session that the
// mailbox belongs to. Who asks is thereby told by the channel, not by the request. Of a request nothing is used but
// the arguments and what is to be read from stdin. Whatever else lies in the mailbox is harmless: links are not
// followed, pipes not waited for, and what is too long, too much or half written is not read.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../ports/host.ts';
import { defined } from '../protocol/values.ts';

export interface BrokerOptions {
  /** The mailbox, of this session alone; made here, and removed at the end. */
  readonly folder: string;
  /** How the real `liza` is started. */
  readonly program: readonly [string, ...string[]];
  /** The project: requests have no say in which board they are about. */
  readonly root: string;
  /** Of the session, its credential included. */
  readonly env: Environment;
  /** A command was asked for; it is answered when this is done. */
  readonly onAsked?: () => void | Promise<void>;
}

export interface Broker {
  /** No new requests; what is under way is finished within the grace. */
  close(graceMs: number): Promise<void>;
}

export interface Request {
  readonly argv: readonly string[];
  readonly stdin?: string;
}

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const AT_ONCE = 4;
const LOOKED_AT = 256;
const LONGEST_REQUEST = 4 * 1024 * 1024;
const LONGEST_ANSWER = 16 * 1024 * 1024;
const MOST_ARGUMENTS = 500;
/** A submission is validated before it is answered. */
const LONGEST_MS = 60 * 60_000;
/** What the watching misses. */
const POLL_MS = 100;
const NAME = /^([a-z0-9]{8,40})\.ask$/;

export function openBroker(options: BrokerOptions): Broker {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const running = new Map<ChildProcess, Promise<void>>();
  /** Answers that found no room on the disk: whoever asked still waits for them. */
  const owed = new Map<string, Answer>();
  let closed = false;
  let due = false;
  const look = (): void => {
    due = false;
    for (const [id, answer] of owed) if (reply(folder, id, answer)) owed.delete(id);
    for (const id of waiting(folder)) {
      if (closed || running.size >= AT_ONCE) return;
      const request = take(join(folder, `${id}.ask`));
      if (request === undefined) continue;
      const noticed = options.onAsked?.();
      const served = request === UNREADABLE ? UNREADABLE_ANSWER : serve(options, request);
      if ('code' in served) {
        reply(folder, id, served);
        continue;
      }
      const [child, answered] = served;
      running.set(
        child,
        Promise.all([answered, noticed]).then(([answer]) => {
          running.delete(child);
          if (!reply(folder, id, answer) && owed.size < AT_ONCE) owed.set(id, answer);
          soon();
        }),
      );
    }
  };
  // Many events come together: one look answers them all.
  const soon = (): void => {
    if (due || closed) return;
    due = true;
    setImmediate(look);
  };
  const watcher = watched(folder, soon);
  const timer = setInterval(soon, POLL_MS);
  return {
    close: async (graceMs) => {
      closed = true;
      clearInterval(timer);
      watcher?.close();
      const all = [...running];
      const late = setTimeout(() => {
        for (const [child] of all) child.kill('SIGKILL');
      }, graceMs);
      await Promise.all(all.map(([, ended]) => ended));
      clearTimeout(late);
      await rm(folder, { recursive: true, force: true }).catch(() => {}); // the next session's sweep tries again
    },
  };
}

function watched(folder: string, changed: () => void): { close(): void } | undefined {
  try {
    // Too many watchers on this machine: then it is looked at now and then.
    return watch(folder, changed).on('error', () => {});
  } catch {
    return undefined;
  }
}

/** The first few: whoever floods its own mailbox only waits longer itself. */
function waiting(folder: string): readonly string[] {
  const found: string[] = [];
  try {
    const entries = opendirSync(folder);
    try {
      for (let count = 0; count < LOOKED_AT; count += 1) {
        const entry = entries.readSync();
        if (entry === null) break;
        const id = NAME.exec(entry.name)?.[1];
        if (id !== undefined) found.push(id);
      }
    } finally {
      entries.closeSync();
    }
  } catch {
    return [];
  }
  return found;
}

const UNREADABLE = 'unreadable';
const UNREADABLE_ANSWER = failed('what was asked is too long or not whole', 'ask with less: a few megabytes at most');

/** Reads and removes it. Undefined: there is nothing to take, and nobody who waits for an answer. */
function take(file: string): Request | typeof UNREADABLE | undefined {
  try {
    // Not through a link, and without waiting for the other end of a pipe.
    const fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      // First: one that stayed would be carried out again and again.
      unlinkSync(file);
      const { size } = fstatSync(fd);
      if (!fstatSync(fd).isFile()) return undefined;
      if (size > LONGEST_REQUEST) return UNREADABLE;
      const bytes = Buffer.alloc(size);
      let read = 0;
      for (let got = -1; got !== 0 && read < size; read += got) got = readSync(fd, bytes, read, size - read, read);
      return requestIn(bytes.toString('utf8', 0, read)) ?? UNREADABLE;
    } finally {
      closeSync(fd);
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
  const { argv, stdin } = found as { readonly argv?: unknown; readonly stdin?: unknown };
  if (!Array.isArray(argv) || argv.length > MOST_ARGUMENTS) return undefined;
  if (!argv.every((word) => typeof word === 'string' && !word.includes('\0'))) return undefined;
  if (stdin !== undefined && typeof stdin !== 'string') return undefined;
  return { argv: argv as readonly string[], ...defined({ stdin }) };
}

/** An answer at once: it could not be started. */
function serve(options: BrokerOptions, request: Request): [ChildProcess, Promise<Answer>] | Answer {
  let child: ChildProcess;
  try {
    child = started(options, request);
  } catch (error) {
    // What the system refuses outright is thrown, an argument that is too long for it, say: whoever asks must not end us.
    return notStarted(error as NodeJS.ErrnoException);
  }
  const { stdin, stdout, stderr } = child;
  // Without room for its pipes there is no child to wait for.
  if (stdin === null || stdout === null || stderr === null || stdin === undefined) {
    child.once('error', () => {});
    return notStarted({ message: 'too many open files' });
  }
  const answered = new Promise<Answer>((done) => {
    const texts = [stdout, stderr].map((stream) => {
      const chunks: Buffer[] = [];
      let length = 0;
      stream.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= LONGEST_ANSWER) chunks.push(chunk);
      });
      return () => Buffer.concat(chunks).toString('utf8');
    });
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
    let isThere = true;
    child.once('error', (error) => {
      isThere = false;
      done(notStarted(error));
    });
    child.once('close', (code, signal) => {
      clearTimeout(late);
      if (!isThere) return;
      const [stdout = '', stderr = ''] = texts.map((text) => text());
      done({ code: code ?? 1, stdout, stderr: signal === null ? stderr : `${stderr}liza was ended by ${signal}\n` });
    });
  });
  stdin.on('error', () => {}); // it may not read what it is given
  stdin.end(request.stdin ?? '');
  return [child, answered];
}

const started = ({ program: [file, ...rest], root, env }: BrokerOptions, { argv }: Request): ChildProcess =>
  spawn(file, [...rest, ...argv], {
    cwd: root,
    // The program must know that its arguments come from inside: files they name are not its to read.
    env: { ...env, LIZA_BROKERED: '1' },
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
function reply(folder: string, id: string, answer: Answer): boolean {
  const temporary = join(folder, `.${randomBytes(12).toString('hex')}`);
  try {
    writeFileSync(temporary, JSON.stringify(answer), { flag: 'wx', mode: 0o600 });
    renameSync(temporary, join(folder, `${id}.answer`));
  } catch (error) {
    rmSync(temporary, { force: true });
    // Anything else: the mailbox is gone or blocked, and nobody waits there.
    return !['ENOSPC', 'EDQUOT', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
  return true;
}
