// The real git: argument arrays, no shell. The caller's GIT_* variables, hooks, pagers, replacements and configuration
// have no effect. Never uses force, never falls back to something that destroys. Reached through git/run.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { EnvironmentError } from '../protocol/decision.ts';
import { SHORTAGES } from '../text/shortage.ts';
import {
  costlyList,
  limitedGit,
  limitReached,
  NO_SUCH_PROGRAM,
  type Overrun,
  overran,
  rested,
  secondsOf,
  wallOf,
  wentWell,
} from './git-limits.ts';
import type { GitObject, ObjectPlace, ObjectQuestion } from './git-objects.ts';
import { type GitRemoteCall, REMOTE_SETTINGS, remoteEnvironment } from './git-remote.ts';
import { type Ended, type Order, type Ordered, order, type Told } from './git-starter.ts';
import { type Watch, watchOver } from './git-watch.ts';
import type { Environment } from './host.ts';
import { closeInherited } from './inherited.ts';

export interface GitProgram {
  run(env: Environment, folder: string, args: readonly string[], call?: GitCall): Promise<GitAnswer>;
  /** About objects; see git-objects.ts. `prepare` is called before a git is started for it. */
  ask(
    env: Environment,
    place: ObjectPlace,
    questions: readonly ObjectQuestion[],
    prepare?: () => void,
  ): Promise<readonly (GitObject | undefined)[]>;
  /** Calls back when git used in an agent's folder all that it may; returns how to stop. */
  onOverrun?(told: (overrun: Overrun) => void): () => void;
  /** This process lives for long and may grow: once it is large, a small one starts its git. Returns how to end that. */
  startAside?(): () => void;
  /** The crew ends: no call in an agent's folder takes longer than a moment from now on. Returns how to end that. */
  hurry?(): () => void;
}

export interface GitAnswer {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

type GitLine = readonly [string, ...string[]];

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
  /** Makes of its command line one that runs confined. */
  readonly wrap?:
    | ((argv: GitLine, env: Environment) => { readonly argv: GitLine; readonly env: Environment })
    | undefined;
  /** Bytes that its answer may have. */
  readonly most?: number | undefined;
  /** Milliseconds that it may take, by the clock. */
  readonly longest?: number | undefined;
  /** It talks to another repository; every other call is without network, logins and the user's settings. */
  readonly remote?: GitRemoteCall | undefined;
}

/** merge-tree --write-tree came with 2.38. */
export const MINIMUM_GIT = [2, 38] as const;

/** Longer than any honest call. */
export const LONGEST = 10 * 60_000;
/** Bytes of an answer: a text has no room for much more, and no honest one is nearly as long. */
const LONGEST_ANSWER = 256_000_000;

/** Before every command of git that works on this machine alone. */
const LOCAL: readonly string[] = ['core.askPass=', 'credential.helper=', 'core.sshCommand=false'];

const asOptions = (settings: readonly string[]): readonly string[] => settings.flatMap((setting) => ['-c', setting]);

/** Before every command of git. */
const ALWAYS: readonly string[] = [
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
  // Settings of the project that make git start a program.
  'log.showSignature=false',
  'gpg.program=false',
  'gpg.ssh.program=false',
  'gpg.x509.program=false',
  'diff.external=',
  'core.pager=cat',
  'uploadpack.packObjectsHook=',
];

/** The last one marks where git's own words begin (test/integration/tasks/programs.test.ts). */
const LAST = 'advice.graftFileDeprecated=false';
export const HARDENED: readonly string[] = asOptions([...ALWAYS, ...LOCAL, LAST]);
const REMOTE: readonly string[] = asOptions([...ALWAYS, ...REMOTE_SETTINGS, LAST]);

export function runGit(
  env: Environment,
  folder: string,
  args: readonly string[],
  {
    at = {},
    input = '',
    hold,
    from,
    into,
    in: folderOfAgent,
    wrap,
    most = LONGEST_ANSWER,
    longest,
    remote,
  }: GitCall = {},
): Promise<GitAnswer> {
  const seconds = secondsOf(env, folderOfAgent !== undefined);
  const command = commandIn(args);
  const rest = folderOfAgent === undefined ? undefined : rested(folderOfAgent, performance.now());
  if (rest !== undefined) return Promise.reject(overLimit(rest, folderOfAgent ?? folder));
  return new Promise((done, fail) => {
    const { program, first } = limitedGit(seconds, remote?.largest);
    // The limits are set inside: the sandbox's own program is not the one that is limited.
    const plain = {
      argv: [program, ...first, ...(remote === undefined ? HARDENED : REMOTE), '-C', folder, ...args] as const,
      env: { ...scrubbed(env), ...(remote === undefined ? {} : remoteEnvironment(env, remote)), ...at },
    };
    const { argv, env: around } = wrap?.(plain.argv, plain.env) ?? plain;
    const usual = folderOfAgent === undefined ? LONGEST : wallOf(seconds);
    const begin = (one: Ordered): Watch => watchOver(one, folderOfAgent, Math.min(longest ?? usual, usual));
    const ended = ({ code, signal, stdout, stderr, isCut }: Ended): void => {
      if (isCut) watch.endIt(`printed more than ${most} bytes and was ended`);
      watch.end();
      const unconfined = wrap === undefined ? undefined : /^bwrap: (.*)/.exec(stderr)?.[1];
      if (code !== 0 && unconfined !== undefined) return fail(notConfined(unconfined));
      if (code === NO_SUCH_PROGRAM && isMissing(stderr)) return fail(notStarted({ code: 'ENOENT' }, folder));
      const limit = watch.isLate() ? watch.why() : limitReached(seconds, { signal, code, stderr });
      if (limit !== undefined) {
        const list = folderOfAgent === undefined ? undefined : costlyList(folderOfAgent, command);
        const about = list === undefined ? '' : `: a pattern in ${list} has many wildcards`;
        const text = `git ${command} ${limit}${about}`;
        if (folderOfAgent !== undefined) overran(folderOfAgent, text, performance.now());
        return fail(overLimit(text, join(folderOfAgent ?? folder, list ?? '')));
      }
      if (code !== null && !isCut) {
        if (folderOfAgent !== undefined) wentWell(folderOfAgent);
        return done({ status: code, stdout, stderr });
      }
      const how = watch.why() ?? `was ended by ${signal}`;
      // What an agent put into its own folder is no fault of the machine.
      const isTheirs = watch.why() !== undefined && folderOfAgent !== undefined;
      const fault = isCut ? { fault: 'limit' as const } : isTheirs ? {} : { fault: 'machine' as const };
      fail(new EnvironmentError(`git ${command} ${how}`, `look at ${folderOfAgent ?? folder}`, 3, fault));
    };
    const failed: Told['failed'] = (cause) => {
      watch.end();
      fail(notStarted(cause, folder));
    };
    const what = { argv, env: around, input, most };
    const needsOurs = hold !== undefined || from !== undefined || into !== undefined || remote !== undefined;
    const aside = needsOurs ? undefined : order(what, { ended, failed });
    let watch: Watch;
    try {
      watch = begin(aside ?? startHere(what, { hold, from, into, remote }, { ended, failed }));
    } catch (error) {
      // Of a command line that is too long the system says so at once.
      fail(notStarted(error as NodeJS.ErrnoException, folder));
    }
  });
}

/** The descriptors are the caller's. */
function startHere(
  { argv: [program = '', ...args], env, input, most }: Order,
  { hold, from, into, remote }: Pick<GitCall, 'hold' | 'from' | 'into' | 'remote'>,
  told: Told,
): ChildProcess {
  closeInherited();
  const child = spawn(program, args, {
    env: env as NodeJS.ProcessEnv,
    // Its ssh would wait at a dead connection, and keep the pipes open, long after git was ended: all of them end together.
    detached: remote !== undefined,
    stdio: [from ?? 'pipe', into ?? 'pipe', 'pipe', ...(hold === undefined ? [] : [hold])],
  });
  if (remote !== undefined) child.kill = () => endGroup(child);
  endWithUs(child);
  const [stdin, stdout, stderr] = child.stdio as unknown as [Writable | null, Readable | null, Readable];
  let isCut = false;
  const flooded = (): void => {
    isCut = true;
    child.kill('SIGKILL');
  };
  const out = stdout === null ? () => '' : collect(stdout, most, flooded);
  const err = collect(stderr, most, flooded);
  child.on('error', told.failed);
  child.on('close', (code, signal) => told.ended({ code, signal, stdout: out(), stderr: err(), isCut }));
  // A git that ends before it has read everything is judged by its status, not by the broken pipe.
  stdin?.on('error', () => {});
  stdin?.end(input);
  return child;
}

function endGroup({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 'SIGKILL');
  } catch {
    return false;
  }
}

/** What was written for git to read is the cause, not the machine. */
const overLimit = (text: string, place: string): EnvironmentError =>
  new EnvironmentError(text, `look at ${place}`, 3, { fault: 'limit' });

/** In the words of the shell, which looks for it. */
export const isMissing = (said: string): boolean => /\bgit: (not found|No such file|command not found)/.test(said);

let atWork: Set<ChildProcess> | undefined;

/** This process may have to end before git does: one that waits at a pipe would be left behind for ever. */
export function endWithUs(child: ChildProcess): void {
  if (atWork === undefined) {
    const all = new Set<ChildProcess>();
    atWork = all;
    process.once('exit', () => {
      for (const one of all) one.kill('SIGKILL');
    });
  }
  const mine = atWork;
  mine.add(child);
  child.once('close', () => mine.delete(child)).once('error', () => mine.delete(child));
}

/** Behind the options that git itself takes. */
const commandIn = (args: readonly string[]): string =>
  args.find(
    (word, at) => !word.startsWith('-') && !['-c', '-C', '--git-dir', '--work-tree'].includes(args[at - 1] ?? ''),
  ) ?? '';

function collect(stream: Readable, most: number, flooded: () => void): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= most) chunks.push(chunk);
    else {
      // Also for a program of git's that goes on printing.
      stream.destroy();
      flooded();
    }
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

/** Nothing is known of the folder then. */
const notConfined = (why: string): EnvironmentError =>
  new EnvironmentError(`git could not be confined: ${why}`, 'see what is wrong: liza doctor', 3, { fault: 'machine' });

export function notStarted(
  cause: { readonly code?: string | undefined; readonly message?: string },
  folder: string,
): EnvironmentError {
  if (cause.code === 'ENOENT') {
    return new EnvironmentError('git was not found', `install git ${MINIMUM_GIT.join('.')} or newer`, 5, { cause });
  }
  const [why, hint] = SHORTAGES[cause.code ?? ''] ?? [cause.message ?? '', `look at ${folder}`];
  return new EnvironmentError(`git could not be started: ${why}`, hint, 3, { cause, fault: 'machine' });
}

export function scrubbed(env: Environment): Record<string, string | undefined> {
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
