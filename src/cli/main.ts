// The entry of the program, and the only place that reads the clock, the environment, the cwd or
// any other part of `process`, and that chooses the adapters. Everything heavy is imported where it
// is needed: `liza show` must start about as fast as node itself.

import { join } from 'node:path';
import { gitDirectoryOf } from '../git/directory.ts';
import type { Host } from '../ports/host.ts';
import { realClock, realHost } from '../ports/real-host.ts';
import { ancestorsFrom } from '../process/ancestors.ts';
import { markAt } from '../process/own-mark.ts';
import { refuse } from '../protocol/decision.ts';
import { isBrokered } from '../sandbox/mailbox-commands.ts';
import { contextOf, openYamlStore } from '../store/open.ts';
import type { CrewControl } from '../supervisor/crew-view.ts';
import type { Dialogue, Io } from './io.ts';
import { emit } from './render/result.ts';
import { findRoot } from './root.ts';
import { run } from './run.ts';
import { specExists } from './spec-exists.ts';
import { mayBeTerminal, writeOut } from './streams.ts';

const MINIMUM = [20, 19] as const;

/** Exit 5 before anything else could fail less clearly. */
function unsupported(platform: string, version: string): ReturnType<typeof refuse> | undefined {
  if (platform === 'win32') {
    return refuse(
      'Liza does not run on Windows itself',
      'run it inside WSL2, where it runs as on Linux',
      5,
      'platform',
    );
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1])) return undefined;
  return refuse(`Liza needs Node ${MINIMUM.join('.')} or newer, this is ${version}`, 'install a newer Node', 5, 'node');
}

function processIo(): Io {
  const { env } = process;
  const host = realHost(env);
  const context = boardContextOn(host);
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
    unicode: /utf-?8/i.test(env.LC_ALL || env.LC_CTYPE || env.LANG || ''),
    get color() {
      return !env.NO_COLOR && env.TERM !== 'dumb' && isTerminal(1);
    },
    // Ctrl-C ends the process; nothing in here has to be told before.
    get stop() {
      return new AbortController().signal;
    },
    get interrupted() {
      return onInterrupt();
    },
    onInterrupt: (asked) => {
      atInterrupt = asked;
      for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, asked);
    },
    live,
    ending: (code) => {
      process.exitCode = code;
    },
    now: realClock.now,
    root: () => findRoot(currentFolder()),
    openStore: async () => {
      const root = findRoot(currentFolder());
      return typeof root === 'string' ? openYamlStore(context(root)) : root;
    },
    context,
    get self() {
      return {
        pid: process.pid,
        argv: [process.execPath, join(__dirname, 'liza.cjs')] as const,
        isRoot: process.getuid?.() === 0,
      };
    },
    ancestors: () => ancestorsFrom(host, process.ppid),
    mark: () => markAt(host, process.pid),
    sleep: realClock.sleep,
    confines: true,
    // Not at the start: with other flags node's own modules cannot come out of its built-in code cache.
    holdOptimiser: () => optimiser('off'),
    // The bundle lies in dist/, beside the package's other folders.
    asset: (path) => join(__dirname, '..', path),
  };
}

async function live(control: CrewControl): Promise<void> {
  const { showLive } = await import('./live/show.ts');
  await showLive(control, {
    stdin: process.stdin,
    stdout: process.stdout,
    color: !process.env.NO_COLOR && process.env.TERM !== 'dumb',
    unicode: /utf-?8/i.test(process.env.LC_ALL || process.env.LC_CTYPE || process.env.LANG || ''),
    onExit: (restore) => {
      process.on('exit', restore);
      return () => process.off('exit', restore);
    },
  });
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
    process.on(name, () => (asked.signal.aborted ? process.exit(128 + number) : asked.abort()));
  }
  return asked.signal;
}

const boardContextOn =
  (host: Host): Io['context'] =>
  (root, gitDirectory = gitDirectoryOf(root)) =>
    contextOf({
      root,
      gitDirectory,
      host,
      specExists: (specRef) => specExists(root, specRef),
      nested: process.env.LIZA_LOCK_HELD,
    });

/** A shell may stand in a folder that was deleted meanwhile. */
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
  });
}

async function dialogue(): Promise<Dialogue> {
  return (await import('./dialogue.ts')).openDialogue(process.stdin, process.stdout);
}

const isTerminal = (descriptor: 1 | 2): boolean =>
  mayBeTerminal(descriptor) && (descriptor === 1 ? process.stdout : process.stderr).isTTY === true;

/** Something is still on its way out through a stream of node's. */
let streaming = false;

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

/** A reader that went away is not an error worth a word. */
function onBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  readerGone();
}

/** Whoever has agents running ends them first; all others just end, with the code of what they were about to say. */
function readerGone(): void {
  if (atInterrupt === undefined) process.exit();
  const asked = atInterrupt;
  atInterrupt = () => {};
  asked();
}

let atInterrupt: (() => void) | undefined;

let held = false;

function optimiser(is: 'on' | 'off'): void {
  held = is === 'off';
  process.getBuiltinModule('node:v8').setFlagsFromString(held ? '--no-opt' : '--opt');
}

/** Run for an agent in the sandbox, it must not outlive the supervisor that watches over both. */
function endWithParent(): void {
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 500).unref();
}

/** `onSuccess`: what is left to do before the process ends, after a command that was not refused. */
export async function main(onSuccess: () => void): Promise<void> {
  const io = processIo();
  if (isBrokered(process.env)) endWithParent();
  const bad = unsupported(process.platform, process.versions.node);
  const code = bad === undefined ? await run(process.argv.slice(2), io) : emit(bad, io, false);
  process.exitCode = code;
  // A code cache counts only under the flags it was made with.
  if (held) optimiser('on');
  if (code === 0) onSuccess();
  // Left to itself node waits here for V8's optimiser, which works on code that will not run again: 5 to 15 ms.
  if (!streaming) process.exit();
}
