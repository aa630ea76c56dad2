// The real git: argument arrays, no shell. The caller's GIT_* variables, hooks, pagers, replacements and configuration
// have no effect. Never uses force, never falls back to something that destroys. Reached through git/run.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, existsSync, promises as fs, openSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { EnvironmentError } from '../protocol/decision.ts';
import type { Environment } from './host.ts';

export interface GitProgram {
  run(env: Environment, folder: string, args: readonly string[], call?: GitCall): Promise<GitAnswer>;
}

export interface GitAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface GitCall {
  /** GIT_DIR and similar variables: where this call works. */
  readonly at?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** A lock's descriptor: if this process dies, the lock stays until this git has ended too. */
  readonly hold?: number | undefined;
  /** Descriptors of files, in place of `input` and of the answer's `stdout`. */
  readonly from?: number | undefined;
  readonly into?: number | undefined;
  /** A folder that an agent writes: this call may wait at a pipe in it. */
  readonly in?: string | undefined;
}

/** merge-tree --write-tree came with 2.38. */
export const MINIMUM_GIT = [2, 38] as const;

/** Longer than any honest call. */
const LONGEST = 10 * 60_000;
/** The same where it cannot be seen whether git does anything, for calls in a folder that an agent writes. */
const LONGEST_UNSEEN = 60_000;
/** A call that takes this long is looked at, again and again. */
const LOOK = 1000;
/** So many looks without any progress, and git waits for ever, for example at a pipe in place of a file. */
const MOST_IDLE = 3;
/** At every so many looks, pipes are looked for, at the first too. */
const PIPES_EVERY = 5;
/** No honest call in a task's folder needs that much; an endless file in place of a short one does. */
const MOST_PAGES = 2 ** 19;

const HARDENED = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.quotePath=false',
  // Without it a power cut may leave an empty object or branch: git's own default syncs neither.
  'core.fsync=committed,reference',
  // A graph file can be forged; history is read from the commits themselves.
  'core.commitGraph=false',
  'core.alternateRefsCommand=',
  'gc.auto=0',
  'maintenance.auto=false',
  'submodule.recurse=false',
  'advice.graftFileDeprecated=false',
].flatMap((setting) => ['-c', setting]);

export function runGit(
  env: Environment,
  folder: string,
  args: readonly string[],
  { at = {}, input = '', hold, from, into, in: folderOfAgent }: GitCall = {},
): Promise<GitAnswer> {
  return new Promise((done, fail) => {
    const child = spawn('git', [...HARDENED, '-C', folder, ...args], {
      env: { ...scrubbed(env), ...at },
      stdio: [from ?? 'pipe', into ?? 'pipe', 'pipe', ...(hold === undefined ? [] : [hold])],
    });
    const [stdin, stdout, stderr] = child.stdio as unknown as [Writable | null, Readable | null, Readable];
    const out = stdout === null ? () => '' : collect(stdout);
    const err = collect(stderr);
    const watch = watchOver(child, folderOfAgent);
    child.on('error', (cause: NodeJS.ErrnoException) => {
      watch.end();
      fail(notStarted(cause, folder));
    });
    child.on('close', (code, signal) => {
      watch.end();
      if (code !== null) return done({ status: code, stdout: out(), stderr: err() });
      const how = watch.why() ?? `was ended by ${signal}`;
      // What an agent put into its own folder is no fault of the machine.
      const fault = watch.why() === undefined || folderOfAgent === undefined ? { fault: 'machine' as const } : {};
      fail(new EnvironmentError(`git ${commandIn(args)} ${how}`, `look at ${folderOfAgent ?? folder}`, 3, fault));
    });
    // A git that ends before it has read everything is judged by its status, not by the broken pipe.
    stdin?.on('error', () => {});
    stdin?.end(input);
  });
}

/** Behind the options that git itself takes. */
const commandIn = (args: readonly string[]): string =>
  args.find((word, at) => !word.startsWith('-') && !['-c', '-C', '--git-dir'].includes(args[at - 1] ?? '')) ?? '';

interface Watch {
  end(): void;
  /** Why it was ended, if it was. */
  why(): string | undefined;
}

/** Ends a git that waits for ever, so that nobody waits with it. */
function watchOver(child: ChildProcess, folderOfAgent: string | undefined): Watch {
  let reason: string | undefined;
  const endIt = (why: string): void => {
    reason = why;
    child.kill('SIGKILL');
  };
  const canSee = existsSync('/proc/self/stat');
  const longest = canSee || folderOfAgent === undefined ? LONGEST : LONGEST_UNSEEN;
  const late = setTimeout(() => endIt(`took longer than ${longest / 60_000} min and was ended`), longest);
  let looks = 0;
  let idle = 0;
  let before: string | undefined;
  const look = setInterval(() => {
    if (looks % PIPES_EVERY === 0 && folderOfAgent !== undefined)
      void removePlantedPipes(folderOfAgent).catch(() => {});
    looks += 1;
    const now = child.pid === undefined ? undefined : progressOf(child.pid);
    idle = now?.waits === true && now.mark === before ? idle + 1 : 0;
    before = now?.mark;
    if (idle >= MOST_IDLE) endIt('waited for ever, as at a pipe in place of a file, and was ended');
    else if (folderOfAgent !== undefined && (now?.pages ?? 0) > MOST_PAGES)
      endIt('read more than any file there should hold, and was ended');
  }, LOOK);
  return {
    end: () => {
      clearTimeout(late);
      clearInterval(look);
    },
    why: () => reason,
  };
}

interface Progress {
  /** It sleeps, not for the disk, and no program of its own is at work. */
  readonly waits: boolean;
  /** The processor time that it has used: the same as long as it does nothing. */
  readonly mark: string;
  readonly pages: number;
}

/** undefined: it has ended, or this system does not tell. */
function progressOf(pid: number): Progress | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
    return {
      waits: state === 'S' && children === '',
      mark: `${fields[10]} ${fields[11]}`,
      pages: Number(fields[20]),
    };
  } catch {
    return undefined;
  }
}

function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString('utf8');
}

function notStarted(cause: NodeJS.ErrnoException, folder: string): EnvironmentError {
  if (cause.code === 'ENOENT') {
    return new EnvironmentError('git was not found', `install git ${MINIMUM_GIT.join('.')} or newer`, 5, { cause });
  }
  const message = `git could not be started: ${cause.message}`;
  return new EnvironmentError(message, `look at ${folder}`, 3, { cause, fault: 'machine' });
}

function scrubbed(env: Environment): Record<string, string | undefined> {
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_OPTIONAL_LOCKS: '0',
    // Replacement refs and grafts would show another history than the one that is reviewed.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_GRAFT_FILE: '/dev/null',
    // A missing promised object would be fetched, by a program that the repository's configuration names.
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_AUTHOR_NAME: 'Liza',
    GIT_AUTHOR_EMAIL: 'liza@localhost',
    GIT_COMMITTER_NAME: 'Liza',
    GIT_COMMITTER_EMAIL: 'liza@localhost',
    LC_ALL: 'C',
  };
}

/** Files that git looks for in every folder. */
const READ_BY_GIT: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.git']);
const MOST_ENTRIES = 500_000;

/**
 * An agent may put a pipe where git expects a file, and git would wait at it for ever. No repository holds a pipe, so
 * nothing is lost: each one below the folder is removed, and a program that waits there reads an empty file. Links are
 * not followed; in a git directory every file counts.
 */
export async function removePlantedPipes(folder: string): Promise<void> {
  const folders = [folder];
  let left = MOST_ENTRIES;
  for (const at of folders) {
    const isGit = /\/\.git(\/|$)/.test(at);
    const entries = await fs.opendir(at).catch(() => undefined); // gone meanwhile
    if (entries === undefined) continue;
    for await (const entry of entries) {
      left -= 1;
      if (left < 0) return;
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFIFO() && (isGit || READ_BY_GIT.has(entry.name))) await removePipe(path);
    }
  }
}

async function removePipe(pipe: string): Promise<void> {
  try {
    if (!(await fs.lstat(pipe)).isFIFO()) return;
    // Opens both ends at once: that does not wait, and a reader that waits goes on.
    const ends = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    unlinkSync(pipe);
    closeSync(ends);
  } catch {
    // Gone meanwhile, or not ours to open: git is ended when its time is over.
  }
}
