// Questions about objects (is it there, of what type and size, what does it hold), answered by one git that stays: a
// process for each would cost more than the answer. It works on the object database alone, under the same settings and
// limits as every other git; it holds no lock, ends after a moment without questions and with this process, and is
// started again when it died. A question that ends it twice is answered by an error.

import { type ChildProcess, spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { limitedGit, secondsOf } from './git-limits.ts';
import { endWithUs, HARDENED, isMissing, LONGEST, notStarted, scrubbed } from './git-program.ts';
import { type Watch, watchOver } from './git-watch.ts';
import type { Environment } from './host.ts';
import { closeInherited } from './inherited.ts';

/** Where the objects are: GIT_DIR, GIT_OBJECT_DIRECTORY. */
export type ObjectPlace = Readonly<Record<string, string>>;

export interface ObjectQuestion {
  /** An id, or what leads from an id to an object: `<id>^{commit}`. */
  readonly name: string;
  /** The content too. Only asked of what is known to be of a bearable size. */
  readonly content?: true;
}

export interface GitObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  /** Empty where it was not asked for. */
  readonly bytes: Buffer;
}

/** In the order of the questions; undefined: there is no such object. Rejects with what git said when it cannot answer. */
export function askObjects(
  env: Environment,
  place: ObjectPlace,
  questions: readonly ObjectQuestion[],
  prepare: () => void = () => {},
): Promise<readonly (GitObject | undefined)[]> {
  if (questions.some(({ name }) => !/^[!-~]+$/.test(name)))
    return Promise.reject(new Error('a name with a space in it'));
  return Promise.all(
    questions.map(
      ({ name, content = false }) =>
        new Promise<GitObject | undefined>((done, fail) => {
          readerOf(env, place, prepare).put({
            line: `${content ? 'contents' : 'info'} ${name}\n`,
            content,
            tries: 0,
            done,
            fail,
          });
        }),
    ),
  );
}

interface Pending {
  readonly line: string;
  readonly content: boolean;
  tries: number;
  done(found: GitObject | undefined): void;
  fail(cause: Error): void;
}

interface Reader {
  put(one: Pending): void;
  /** Ends it as soon as all is answered. */
  close(): void;
}

/** By the place, the program and its limits; the one that was used last comes last. */
const readers = new Map<string, Reader>();
/** A supervisor needs one; a test many, one after the other. */
const MOST_READERS = 4;
/** Without a question for so long it ends: it may hold files open that others want to remove. */
const IDLE_MS = 3000;
const MOST_TRIES = 2;
const MOST_SAID = 2000;

function readerOf(env: Environment, place: ObjectPlace, prepare: () => void): Reader {
  const { PATH, LIZA_GIT_SECONDS } = env;
  // A folder that was made again has other objects.
  const inode = statSync(place.GIT_OBJECT_DIRECTORY ?? '/', { throwIfNoEntry: false })?.ino;
  const key = JSON.stringify([place, inode, PATH, LIZA_GIT_SECONDS]);
  const reader = readers.get(key) ?? openReader(env, place, { prepare, ended: () => readers.delete(key) });
  readers.delete(key);
  readers.set(key, reader);
  for (const [other, old] of [...readers].slice(0, -MOST_READERS)) {
    readers.delete(other);
    old.close();
  }
  return reader;
}

interface Around {
  /** Before git starts and reads what is at the place; afterwards it reads objects by their ids alone. */
  prepare(): void;
  ended(): void;
}

function openReader(env: Environment, place: ObjectPlace, { prepare, ended }: Around): Reader {
  prepare();
  const { program, first } = limitedGit(secondsOf(env, false));
  closeInherited();
  const child = spawn(program, [...first, ...HARDENED, 'cat-file', '--batch-command'], {
    cwd: '/',
    // It answers all: with the tag of the session that asked first it would end with that session.
    env: { ...scrubbed(env), ...place, LIZA_PROGRAM: undefined } as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  endWithUs(child);
  const queue: Pending[] = [];
  let said = '';
  let parts: Buffer[] = [];
  let watch: Watch | undefined;
  let idle: NodeJS.Timeout | undefined;
  const close = (): void => void (queue.length === 0 && child.stdin.end());
  const rest = (): void => {
    watch?.end();
    watch = undefined;
    keepAlive(child, false);
    idle = setTimeout(() => {
      ended();
      close();
    }, IDLE_MS).unref();
  };
  const work = (): void => {
    clearTimeout(idle);
    keepAlive(child, true);
    watch ??= watchOver(child, undefined, LONGEST);
  };
  child.stdout.on('data', (part: Buffer) => {
    parts.push(part);
    const wanted = queue[0]?.content === true ? missingBytes(parts) : 0;
    if (wanted > 0) return;
    let bytes = parts.length === 1 ? part : Buffer.concat(parts);
    for (let one = queue[0]; one !== undefined; one = queue[0]) {
      const answer = readAnswer(bytes, one.content);
      if (answer === undefined) break;
      bytes = bytes.subarray(answer.end);
      queue.shift();
      one.done(answer.found);
    }
    parts = bytes.length === 0 ? [] : [bytes];
    if (queue.length === 0) rest();
  });
  child.stderr.on('data', (part: Buffer) => {
    said = `${said}${part}`.slice(-MOST_SAID);
  });
  const again = (one: Pending): void => {
    try {
      readerOf(env, place, prepare).put(one);
    } catch (error) {
      one.fail(error as Error); // the place cannot be prepared
    }
  };
  const gone = (why: string): void => {
    ended();
    clearTimeout(idle);
    watch?.end();
    for (const one of queue.splice(0)) {
      one.tries += 1;
      if (one.tries < MOST_TRIES) again(one);
      else one.fail(isMissing(said) ? notStarted({ code: 'ENOENT' }, '/') : new Error(why));
    }
  };
  // A broken pipe is told by its end.
  child.stdin.on('error', () => {});
  child.on('error', (cause) => gone(cause.message));
  child.on('close', (code, signal) =>
    gone(watch?.why() ?? (said.trim() || `git cat-file ended with ${signal ?? code}`)),
  );
  return {
    put: (one) => {
      queue.push(one);
      work();
      child.stdin.write(one.line);
    },
    close,
  };
}

/** Only while it is asked does it keep this process from ending. */
function keepAlive(child: ChildProcess, yes: boolean): void {
  const pipes = [child.stdin, child.stdout, child.stderr] as unknown as readonly ((Readable | Writable) & Ref)[];
  for (const one of [child, ...pipes]) yes ? one.ref() : one.unref();
}
interface Ref {
  ref(): void;
  unref(): void;
}

interface Answer {
  readonly found: GitObject | undefined;
  /** Where the next one begins. */
  readonly end: number;
}

const NEWLINE = 10;

/** `<id> <type> <size>`, with the content and another newline where it was asked for; or `<name> missing`. */
function readAnswer(bytes: Buffer, content: boolean): Answer | undefined {
  const newline = bytes.indexOf(NEWLINE);
  if (newline === -1) return undefined;
  const [, id = '', type = '', size = ''] =
    /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(bytes.toString('latin1', 0, newline)) ?? [];
  if (id === '') return { found: undefined, end: newline + 1 };
  const end = newline + 1 + (content ? Number(size) + 1 : 0);
  if (bytes.length < end) return undefined;
  const held = Buffer.from(content ? bytes.subarray(newline + 1, end - 1) : []);
  return { found: { id, type, size: Number(size), bytes: held }, end };
}

/** So many bytes at least until the first answer is whole: a long content is put together once. */
function missingBytes(parts: readonly Buffer[]): number {
  const head = parts[0] ?? Buffer.alloc(0);
  const line = head.toString('latin1', 0, Math.max(0, head.indexOf(NEWLINE)));
  const size = /^[0-9a-f]{40,64} \w+ (\d+)$/.exec(line)?.[1];
  if (size === undefined) return 0;
  return line.length + 1 + Number(size) + 1 - parts.reduce((sum, { length }) => sum + length, 0);
}
