// What a verb may touch, on the process that runs it: terminal, signals, clock, project. Writes to stdout and stderr go
// around node's stream objects, whose loading alone costs a third of node's own start (measured: 6 of 20 ms); a terminal
// that asks for its width still gets them.

import { fstatSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { version } from '../../package.json';
import { gitDirectoryOf } from '../git/directory.ts';
import type { Disk } from '../ports/disk.ts';
import type { Environment } from '../ports/host.ts';
import { realClock, realHost } from '../ports/real-host.ts';
import { ancestorsFrom } from '../process/ancestors.ts';
import { limitsAt } from '../process/own-rlimit-mark.ts';
import { contextOf, openStore } from '../store/open.ts';
import { BACKGROUND } from './background-variable.ts';
import { type Dialogue, type Io, LAST_MS } from './io.ts';
import { isUnicode } from './is-unicode.ts';
import type { Shown } from './live/view-model.ts';
import { findRoot } from './open-board.ts';
import { forReader } from './render/print.ts';
import { specExists } from './spec-file.ts';
import { takeAddress } from './take-address.ts';

/** `holdOptimiser`: see Io. */
export function processIo(holdOptimiser: () => void): Io {
  const { env } = process;
  const inBackground = env[BACKGROUND] === '1';
  // Its agents must not take themselves for it.
  delete env[BACKGROUND];
  const host = realHost(env);
  return {
    host,
    cwd: currentFolder(),
    env,
    stdout: writer(1),
    stderr: writer(2),
    readStdin,
    readLine,
    get openDialogue() {
      return isTerminal(1) && process.stdin.isTTY === true ? dialogue : undefined;
    },
    get stdoutIsTty() {
      return isTerminal(1);
    },
    get stderrIsTty() {
      return isTerminal(2);
    },
    get columns() {
      return (isTerminal(1) && (process.stdout.columns || Number(env.COLUMNS))) || 80;
    },
    unicode: isUnicode(env),
    get color() {
      return wantsColor(env) && isTerminal(1);
    },
    // Ctrl-C ends the process; nothing has to be done before.
    get stop() {
      return new AbortController().signal;
    },
    get interrupted() {
      return onInterrupt();
    },
    onInterrupt: (asked, hungUp = asked) => {
      atInterrupt = asked;
      process.on('SIGINT', asked).on('SIGTERM', asked).on('SIGHUP', hungUp);
    },
    live,
    ending: (code) => {
      process.exitCode = code;
    },
    root: () => findRoot(currentFolder()),
    context: (root, gitDirectory = gitDirectoryOf(host.disk, root)) =>
      takeAddress(
        contextOf({
          root,
          gitDirectory,
          host,
          specExists: (specRef) => specExists(root, specRef),
          nested: env.LIZA_LOCK_HELD,
        }),
        env,
        version,
      ),
    openStore,
    get self() {
      return {
        pid: process.pid,
        argv: [process.execPath, join(__dirname, 'liza.cjs')] as const,
        isRoot: process.getuid?.() === 0,
        inBackground,
        terminal: () => terminalName(host.disk),
        exit: (status: number) => process.exit(status),
        exitWithin,
        onExit: (call: () => void) => void process.once('exit', call),
      };
    },
    ancestors: () => ancestorsFrom(host, process.ppid),
    limits: () => limitsAt(host, process.pid),
    confines: true,
    holdOptimiser,
    // The bundle is in dist/, beside the package's other folders.
    asset: (path) => join(__dirname, '..', path),
  };
}

const wantsColor = (env: Environment): boolean => !env.NO_COLOR && env.TERM !== 'dumb';

async function live(shown: Shown): Promise<'ended' | 'left'> {
  const { showLive } = await import('./live/show.ts');
  return showLive(shown, {
    stdin: process.stdin,
    stdout: process.stdout,
    color: wantsColor(process.env),
    unicode: isUnicode(process.env),
    onExit: (restore) => {
      process.on('exit', restore);
      return () => process.off('exit', restore);
    },
  });
}

let hasDeadline = false;

/** Whatever this process waits for then. A kill loses nothing (store/transaction.ts), and the next start repairs. */
function exitWithin(ms: number, status: number): void {
  const end = (): void => {
    process.stderr.write('liza: ended without waiting any longer; the next start repairs what was left half done\n');
    process.exit(process.exitCode ?? status);
  };
  if (!hasDeadline) realClock.after(ms, end, 'background');
  hasDeadline = true;
}

let interrupt: AbortController | undefined;

/** The first signal lets the work end in order, the second ends it at once. */
function onInterrupt(): AbortSignal {
  if (interrupt !== undefined) return interrupt.signal;
  const asked = new AbortController();
  interrupt = asked;
  for (const [name, number] of [
    ['SIGINT', 2],
    ['SIGTERM', 15],
    ['SIGHUP', 1],
  ] as const) {
    process.on(name, () => {
      if (asked.signal.aborted) process.exit(128 + number);
      asked.abort();
      exitWithin(LAST_MS, 128 + number);
    });
  }
  return asked.signal;
}

/** The shell's folder may have been deleted meanwhile. */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}

async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function readLine(): Promise<string> {
  return new Promise((resolve) => {
    process.stdin.once('data', (chunk) => {
      process.stdin.pause();
      resolve(String(chunk).trim());
    });
    // The line before has paused it.
    process.stdin.resume();
  });
}

async function dialogue(): Promise<Dialogue> {
  const screen = { unicode: isUnicode(process.env), columns: process.stdout.columns || 80 };
  const { openDialogue } = await import('./init-guide.ts');
  return openDialogue(process.stdin, process.stdout, (text) => forReader(text, screen, true));
}

const isTerminal = (descriptor: 1 | 2): boolean =>
  mayBeTerminal(descriptor) && (descriptor === 1 ? process.stdout : process.stderr).isTTY === true;

/** Output is still waiting in one of node's streams. */
let streaming = false;

export const isStreaming = (): boolean => streaming;

/** A descriptor that would block is left to node's stream, which waits for it; from then on all goes that way. */
function writer(descriptor: 1 | 2): (text: string) => void {
  let stream: NodeJS.WriteStream | undefined;
  return (text) => {
    const left = stream === undefined ? writeOut(descriptor, text) : Buffer.from(text);
    if (left === 'gone') return readerGone();
    if (left === 'done') return;
    stream ??= (descriptor === 1 ? process.stdout : process.stderr).on('error', onBrokenPipe);
    streaming = true;
    stream.write(left);
  };
}

/** A reader that went away is no error. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  readerGone();
}

/** A command with agents running ends them first; all others just end, with the code of what they were about to say. */
function readerGone(): void {
  if (atInterrupt === undefined) process.exit();
  const asked = atInterrupt;
  atInterrupt = () => {};
  asked();
}

let atInterrupt: (() => void) | undefined;

/** Whether it may be a terminal; only then is it worth asking for its size. */
function mayBeTerminal(descriptor: 1 | 2): boolean {
  try {
    const { rdev } = fstatSync(descriptor);
    return rdev !== 0 && rdev !== statSync('/dev/null').rdev;
  } catch {
    return false; // closed by the parent process
  }
}

/**
 * Writes the text; returns the bytes that are left when the descriptor would block, or 'gone' when the reader went away
 * (`liza log | head`).
 */
function writeOut(descriptor: 1 | 2, text: string): 'done' | 'gone' | Buffer {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EAGAIN') return bytes.subarray(at);
      if (code === 'EPIPE' || code === 'EBADF') return 'gone';
      throw error;
    }
  }
  return 'done';
}

function terminalName(disk: Pick<Disk, 'readlinkSync'>): string {
  try {
    const name = process.stdin.isTTY ? disk.readlinkSync('/proc/self/fd/0') : '';
    return name.startsWith('/dev/') ? name : 'unknown';
  } catch {
    return 'unknown';
  }
}
