// Everything of the outside world a verb may touch, passed down as one plain object. Only
// process-io.ts builds the real one; tests build their own. A verb that needs more asks for it here.

import type { Host } from '../ports/host.ts';
import type { Ancestor } from '../process/ancestors.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import type { Store } from '../store/store.ts';
import type { Shown } from './live/view-model.ts';

interface Self {
  readonly pid: number;
  readonly argv: readonly [string, ...string[]];
  readonly isRoot: boolean;
  /** It was started to run a crew without a terminal (background-crew.ts). */
  readonly inBackground?: boolean;
  /** The name of its terminal, where a person finds it again; `unknown` where there is none, or no name for it. */
  terminal(): string;
  /** Ends this process at once. */
  exit(status: number): never;
  /** Ends this process after so long, whatever it waits for then; it may end before. */
  exitWithin(ms: number, status: number): void;
  /** Calls when this process ends, however it does. */
  onExit(call: () => void): void;
}

/** Asks a person questions, one line each, until it is closed. */
export interface Dialogue {
  say(text: string): void;
  /** Undefined: the person left. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

/** Everything ends within ten seconds of a signal. */
export const LAST_MS = 9000;

export interface Io {
  /** The machine: clock, disk, processes. */
  readonly host: Host;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Sets the exit code before the last output: when its reader is gone, the process still ends with this code. */
  readonly ending?: (code: number) => void;
  readStdin(): Promise<string>;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  readonly columns: number;
  /** The locale is UTF-8: otherwise everything printed is folded to ASCII (never files, never --json). */
  readonly unicode: boolean;
  readonly color: boolean;
  /** Ends a command that would otherwise never end (`log -f`). */
  readonly stop: AbortSignal;
  /** Ctrl-C or SIGTERM while a program of the project runs: it ends first. Looking at it installs the handlers. */
  readonly interrupted: AbortSignal;
  /** From now on Ctrl-C, SIGTERM and SIGHUP only call this, each time; `hungUp`: what SIGHUP calls instead. */
  onInterrupt(asked: () => void, hungUp?: () => void): void;
  /** The live board, until the crew has ended or the person has left it. */
  live(shown: Shown): Promise<'ended' | 'left'>;
  /** The project: the nearest folder upward from cwd with a blackboard in it. */
  root(): string | Refusal;
  context(root: string, gitDirectory?: string): BoardContext;
  openStore(context: BoardContext): Store;
  /** A file shipped with the program, by its path in the package. */
  asset(path: string): string;
  /** Keeps V8 from optimising code that will not run again: node would wait for it at the end. */
  holdOptimiser(): void;
  /** The processes above this one; the nearest first. */
  ancestors(): Iterable<Ancestor>;
  /** The limits of this process: their marks say which agent or program started it, directly or through others. */
  limits(): string;
  /** This process: its id, how to start the same program again, whether root runs it. */
  readonly self: Self;
  /** Programs are started in a sandbox where there is one (sandbox/mode.ts). Absent: never. */
  readonly confines?: true;
  /** One line from the terminal. */
  readLine(): Promise<string>;
  /** Absent: stdin or stdout is no terminal, so nobody can be asked. */
  readonly openDialogue?: (() => Promise<Dialogue>) | undefined;
}
