// Everything of the outside world a verb may touch, passed down as one plain object. Only
// main.ts builds the real one; tests build their own. A verb that needs more asks for it here.

import type { Host } from '../ports/host.ts';
import type { Ancestor } from '../process/ancestors.ts';
import type { Mark } from '../process/own-mark.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import type { Store } from '../store/store.ts';
import type { CrewControl } from '../supervisor/crew-view.ts';
import type { Instant } from '../text/time.ts';

export interface Self {
  readonly pid: number;
  readonly argv: readonly [string, ...string[]];
  readonly isRoot: boolean;
}

/** Questions and answers in lines, until it is closed. */
export interface Dialogue {
  say(text: string): void;
  /** Undefined: the person left. */
  ask(question: string): Promise<string | undefined>;
  close(): void;
}

export interface Io {
  readonly host: Host;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  stdout(text: string): void;
  stderr(text: string): void;
  /** The code it will end with, told before the last word: its reader may be gone, and a refusal is one all the same. */
  readonly ending?: (code: number) => void;
  readStdin(): Promise<string>;
  readonly stdoutIsTty: boolean;
  readonly stderrIsTty: boolean;
  readonly columns: number;
  /** The locale is UTF-8: otherwise everything printed is folded to ASCII (never files, never --json). */
  readonly unicode: boolean;
  readonly color: boolean;
  /** Ends what would otherwise go on for ever (`log -f`). */
  readonly stop: AbortSignal;
  /** Ctrl-C or SIGTERM while a program of the project runs: it ends first. Looking at it installs the handlers. */
  readonly interrupted: AbortSignal;
  /** From now on Ctrl-C, SIGTERM and SIGHUP only call this, each time. */
  onInterrupt(asked: () => void): void;
  /** The live board, until the crew has ended. */
  live(control: CrewControl): Promise<void>;
  /** For what people type (`--deadline +2h`); decisions use the store's clock. */
  now(): Instant;
  /** The project: the nearest folder upward from cwd with a blackboard in it. */
  root(): string | Refusal;
  openStore(): Promise<Store | Refusal>;
  /** The parts of the YAML store of a project, for verbs that look after the store itself. */
  context(root: string, gitDirectory?: string): BoardContext;
  /** A file shipped with the program, by its path in the package. */
  asset(path: string): string;
  /** The rest is short: V8 need not optimise code that will not run again, and node would wait for it at the end. */
  holdOptimiser(): void;
  /** The processes above this one; the nearest first. */
  ancestors(): Iterable<Ancestor>;
  /** The mark of whoever started this process, however long ago and by however many others. */
  mark(): Mark | undefined;
  /** Of this very process: its id, how to start the same program again, whose it is. */
  readonly self: Self;
  /** Resolves after that long, or at once when the signal says so. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** What is started is confined where it can be; see sandbox/mode.ts. Absent: nothing is. */
  readonly confines?: true;
  /** One line from the terminal. */
  readLine(): Promise<string>;
  /** Absent: nobody is there to be asked, for stdin or stdout is no terminal. */
  readonly openDialogue?: (() => Promise<Dialogue>) | undefined;
}
