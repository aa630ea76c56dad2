// The real git: argument arrays, no shell. The caller's GIT_* variables, hooks, pagers, replacements and configuration
// have no effect. Never uses force, never falls back to something that destroys. Reached through git/run.ts.

import { spawn } from 'node:child_process';
import { closeSync, constants, promises as fs, openSync, unlinkSync } from 'node:fs';
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
  /** A folder that an agent writes: this call may wait at a pipe in it. */
  readonly in?: string | undefined;
}

/** merge-tree --write-tree came with 2.38. */
export const MINIMUM_GIT = [2, 38] as const;

/** Longer than any honest call: then git waits for ever, for example at a pipe that was put where it expects a file. */
const LONGEST = 10 * 60_000;
/** When a call takes this long, pipes are looked for: once soon, then again and again. */
const SLOW = 1000;
const SLOWER = 5000;

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
  { at = {}, input = '', hold, in: folderOfAgent }: GitCall = {},
): Promise<GitAnswer> {
  return new Promise((done, fail) => {
    const child = spawn('git', [...HARDENED, '-C', folder, ...args], {
      env: { ...scrubbed(env), ...at },
      stdio: ['pipe', 'pipe', 'pipe', ...(hold === undefined ? [] : [hold])],
    });
    const [stdin, stdout, stderr] = child.stdio as unknown as [Writable, Readable, Readable];
    const out = collect(stdout);
    const err = collect(stderr);
    const late = setTimeout(() => child.kill('SIGKILL'), LONGEST);
    const look = () => folderOfAgent !== undefined && void removePlantedPipes(folderOfAgent).catch(() => {});
    const slow = setTimeout(look, SLOW);
    const slower = setInterval(look, SLOWER);
    child.on('error', (cause: NodeJS.ErrnoException) => {
      clearTimeout(late);
      clearTimeout(slow);
      clearInterval(slower);
      fail(notStarted(cause, folder));
    });
    child.on('close', (code, signal) => {
      clearTimeout(late);
      clearTimeout(slow);
      clearInterval(slower);
      if (code !== null) return done({ status: code, stdout: out(), stderr: err() });
      const message = `git ${args[0] ?? ''} was ended by ${signal}`;
      fail(new EnvironmentError(message, `look at ${folder}`, 3, { fault: 'machine' }));
    });
    // A git that ends before it has read everything is judged by its status, not by the broken pipe.
    stdin.on('error', () => {});
    stdin.end(input);
  });
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
