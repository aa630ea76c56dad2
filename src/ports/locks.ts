// The writers' lock: a real flock(2) on state.yaml.lock, so that `flock -x .liza/state.yaml.lock …`
// in a shell and we exclude each other. Node has no flock, so Linux asks flock(1) to lock a descriptor
// that we own (the lock stays with our open file), and macOS, which has no flock(1), opens with
// O_EXLOCK. Either way the kernel frees it when this process ends, and children do not inherit it.
// It never removes the lock file.

import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import { beginningOf } from './beginning.ts';
import { openRegular } from './disk.ts';
import { errorCode } from './files.ts';
import { isHelper, type ResidentLock, residentLock } from './resident-lock.ts';
import { someNames } from './some-names.ts';

export interface Lock {
  /** False once someone deleted or replaced the lock file: others may then hold a lock of their own. */
  stillOurs(): boolean;
  release(): void;
  /** For a child that keeps the lock if this process dies before it. No other child inherits it. */
  readonly descriptor: number;
}

export type LockResult =
  | Lock
  | { readonly busy: readonly string[] }
  | { readonly missing: string }
  /** The folder of the lock is not there (any more): there is no board. */
  | { readonly gone: true }
  /** We run inside `liza lock modify`, whose lock would never be freed while it waits for us. */
  | { readonly nested: true };

export interface Locks {
  /** Waits until the holder releases it, at most that long (10 s). */
  acquire(path: string, timeoutMs?: number): Promise<LockResult>;
  /** This process will take that lock again and again. Returns how to end that. */
  keepReady?(path: string): () => void;
}

/** `performance` is loaded when it is first used, which takes as long as the lock. */
const milliseconds = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

const residents = new Map<string, ResidentLock>();

/** macOS needs no program for it. */
export function keepReady(path: string): () => void {
  if (process.platform === 'darwin' || residents.has(path)) return () => {};
  const resident = residentLock(path);
  residents.set(path, resident);
  return () => {
    residents.delete(path);
    resident.close();
  };
}

export async function acquireLock(path: string, timeoutMs = 10_000): Promise<LockResult> {
  const deadline = milliseconds() + timeoutMs;
  const asked = (await residents.get(path)?.acquire(timeoutMs)) ?? 'unable';
  if (asked === 'gone') return { gone: true };
  if (asked === 'busy') return { busy: holders(path) };
  if (asked !== 'unable') return asked;
  for (;;) {
    const fd = await openIn(path, deadline);
    if (fd === undefined) return { busy: holders(path) };
    if (typeof fd === 'object') return fd;
    const lock = held(fd, path);
    // Between our open and our lock the file may have been replaced; then we locked a file that nobody else sees.
    if (lock.stillOurs()) return lock;
    lock.release();
  }
}

async function openIn(path: string, deadline: number): Promise<number | undefined | Exclude<LockResult, Lock>> {
  try {
    return await (process.platform === 'darwin' ? openLocked(path, deadline) : openThenLock(path, deadline));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { gone: true };
    throw error;
  }
}

function held(fd: number, path: string): Lock {
  let open = true;
  return {
    descriptor: fd,
    stillOurs: () => {
      const ours = fstatSync(fd, { bigint: true });
      const there = statSync(path, { bigint: true, throwIfNoEntry: false });
      return there !== undefined && there.ino === ours.ino && there.dev === ours.dev;
    },
    release: () => {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

/** The lock was busy last time: asking without waiting first would only cost another process. */
let busyLately = false;

async function openThenLock(path: string, deadline: number): Promise<number | undefined | { missing: string }> {
  const fd = openRegular(path, 'a', 0o644);
  const program = flockProgram();
  if (!busyLately || deadline <= milliseconds()) {
    const stdio = ['ignore', 'ignore', 'ignore', fd] as const;
    const quick = spawnSync(program.path, ['-n', '-x', '3'], { ...program.options, stdio: [...stdio] });
    if (quick.status === 0) return fd;
    if (quick.error !== undefined) {
      closeSync(fd);
      return notStarted(quick.error);
    }
  }
  const asked = milliseconds();
  const wait = Math.max(0, deadline - asked) / 1000;
  const got = wait > 0 && (await runs(program, ['-x', '-w', wait.toFixed(2), '3'], fd));
  if (typeof got === 'object') {
    closeSync(fd);
    return notStarted(got);
  }
  busyLately = milliseconds() - asked > BRIEF;
  if (got) return fd;
  closeSync(fd);
  return undefined;
}

/** Of files, processes or memory there is too little: installing flock would not help. */
function notStarted(error: Error): { missing: string } {
  const code = errorCode(error);
  if (code !== 'ENOENT' && code !== 'EACCES') throw error;
  return { missing: `flock(1) could not be started (${code})` };
}

/** Milliseconds that starting flock takes by itself, with room to spare. */
const BRIEF = 5;

interface Program {
  readonly path: string;
  readonly options: { readonly env?: Record<string, string> };
}

/** With its full path, where it nearly always is, it starts a millisecond sooner: no search, no environment to copy. */
function flockProgram(): Program {
  const usual = '/usr/bin/flock';
  return existsSync(usual) ? { path: usual, options: { env: {} } } : { path: 'flock', options: {} };
}

/** Waiting happens in a child, so that this process can go on with its heartbeats. */
function runs({ path, options }: Program, args: readonly string[], fd: number): Promise<boolean | Error> {
  return new Promise((resolve) => {
    const child = spawn(path, args, { ...options, stdio: ['ignore', 'ignore', 'ignore', fd] });
    child.on('error', resolve);
    child.on('exit', (code) => resolve(code === 0));
  });
}

const O_EXLOCK = 0x20; // <fcntl.h> of macOS: open and flock(LOCK_EX) in one step

async function openLocked(path: string, deadline: number): Promise<number | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK;
  for (let pause = 2; ; pause = Math.min(pause * 2, 50)) {
    try {
      return openRegular(path, flags, 0o644);
    } catch (error) {
      if (errorCode(error) !== 'EAGAIN') throw error;
    }
    if (milliseconds() >= deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** A process may say that it was started with gigabytes. */
const MOST_WORDS = 4096;
/** Or have hundreds of thousands of files open. */
const MOST_DESCRIPTORS = 1000;

/** Processes that have the lock file open, for the message. Empty where there is no /proc. */
function holders(path: string): readonly string[] {
  const found: string[] = [];
  for (const pid of safely(() => readdirSync('/proc')) ?? []) {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) continue;
    const descriptors = safely(() => someNames({ opendirSync }, `/proc/${pid}/fd`, MOST_DESCRIPTORS)) ?? [];
    if (!descriptors.some((fd) => safely(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) === path)) continue;
    const command =
      safely(() => beginningOf({ openSync, readSync, closeSync }, `/proc/${pid}/cmdline`, MOST_WORDS)) ?? '';
    if (isHelper(command)) continue;
    found.push(`pid ${pid} (${command.split('\0').join(' ').trim().slice(0, 80)})`);
  }
  return found;
}

function safely<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
