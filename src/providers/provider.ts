// What Liza knows of an agent CLI: how one session of it is started, and how its output is read. A provider
// is data plus a parser. It starts nothing, reads no clock and writes no file that it is not told to:
// the supervisor runs the launch, feeds the parser and judges the outcome by events, blackboard and git together.

import type { Readable, Writable } from 'node:stream';
import type { Clock, Environment, Host } from '../ports/host.ts';
import type { Role } from '../protocol/state.ts';
import type { Instant } from '../text/time.ts';

/** One session that is asked for. */
export interface SessionRequest {
  readonly agent: string;
  readonly role: Role;
  /** Where it works: the task's folder, or the project's root for a planner. */
  readonly cwd: string;
  /** What every session of this role is told; see contracts/. */
  readonly contract: string;
  readonly prompt: string;
  /** The provider's own session to go on with. */
  readonly resume?: string | undefined;
  /** A fresh UUID, for providers that let us choose the session's id. */
  readonly sessionId: string;
  readonly model?: string | undefined;
  /** A folder of this agent's own, outside of any repository, for the provider's files. */
  readonly scratch: string;
  /** The supervisor's own environment, to look things up in; what the session gets is `Launch.env` on top of it. */
  readonly env: Environment;
  /** Runs as root: some CLIs want to be told that this is on purpose. */
  readonly root: boolean;
}

/** How it is started. Never a shell line. */
export interface Launch {
  readonly argv: readonly [string, ...string[]];
  /** Besides the inherited environment; undefined takes a variable away. */
  readonly env?: Environment;
  /** Written to its stdin, which is then closed. Absent: /dev/null. */
  readonly stdin?: string;
  /** Files to write first, below `scratch`. */
  readonly files?: readonly { readonly path: string; readonly text: string }[];
  /** Folders to make first, empty, below `scratch`: the session writes there, and what reads them is outside. */
  readonly folders?: readonly string[];
  /** The session's id where we chose it. */
  readonly session?: string;
  /** Other files that it reads, wherever they are. */
  readonly reads?: readonly string[];
}

/** What a CLI keeps in the user's home, for a session that has a home of its own. */
export interface HomeFolder {
  /** Below HOME; empty: HOME itself. */
  readonly folder: string;
  /** The variable that names another place for it. */
  readonly env?: string;
  /** Only where one of these variables is set: the login of a cloud, if that serves the model. */
  readonly when?: readonly string[];
  /** The login: the very files, for it is renewed there, and a copy would become void. */
  readonly login?: readonly string[];
  /** Settings: files are copied for each session, folders shown read-only. */
  readonly settings?: readonly string[];
  /** By these files it goes on with a session: nothing else that a session writes in its home lasts (clear-home.ts). */
  readonly keeps?: readonly string[];
}

export interface LoginSigns {
  readonly variables: readonly string[];
  /** What a file among its settings says when that, or another service, is its login. */
  readonly mentions: RegExp;
  /** Variables that the project's configuration gives it. */
  readonly env: Environment;
}

export type FailureKind = 'quota' | 'login' | 'network' | 'model' | 'other';

/** What a line of output says. All numbers are of this process so far, never of one step. */
export type AgentEvent =
  | { readonly kind: 'session'; readonly id: string }
  /** What it does now, in one line: a tool call or a sentence. */
  | { readonly kind: 'activity'; readonly text: string }
  | { readonly kind: 'usage'; readonly usage: Usage }
  | { readonly kind: 'context'; readonly percent: number }
  /** It said why it failed. `until`: when the provider will serve again, where it said so. */
  | { readonly kind: 'failure'; readonly failure: FailureKind; readonly text: string; readonly until?: Instant }
  /** It said that it is finished; a provider's `ok` alone proves nothing. */
  | { readonly kind: 'result'; readonly ok: boolean; readonly text?: string };

export interface Usage {
  /** All that was read, the cached part included. */
  readonly input: number;
  readonly output: number;
  /** How much of the input came from the provider's cache. */
  readonly cached?: number;
  /** How much of it was put into that cache, and how much of that for an hour: dearer than other input. */
  readonly written?: number;
  readonly written_1h?: number;
  readonly cost_usd?: number;
  readonly model?: string;
}

/** Reads one session's output line by line. `now` is only for "resets in 5 hours". */
export interface Parser {
  stdout(line: string, now: Instant): readonly AgentEvent[];
  stderr(line: string, now: Instant): readonly AgentEvent[];
}

export interface Streams {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

/** `cut`: the connection was lost or refused before the turn was over. */
export interface Driven {
  readonly kind: 'exited';
  readonly code: number;
  readonly cut?: true;
}

/** What the parser must know to count right. */
export interface Counting {
  /**
   * What former processes of a resumed session have used together. Some CLIs go on counting where they
   * stopped (codex: tokens; claude: money), and what is known of before is then taken off.
   */
  readonly before?: Usage | undefined;
  readonly model?: string | undefined;
}

export interface Provider {
  readonly name: string;
  /** For people: `Claude Code`. */
  readonly title: string;
  /** The program that must be on PATH; absent: Liza itself plays it. */
  readonly program?: string;
  /** false: it is not known to answer `--version`, so it is not tried. */
  readonly trial?: false;
  /** false: it never tells tokens, so that its silence says nothing about what it used. */
  readonly tellsUse?: false;
  /** Tokens of its model's window, for one that never tells how full its context is: then that is estimated. */
  readonly contextWindow?: number;
  /** Whether a session can be gone on with after its process ended. */
  readonly resumes: boolean;
  /** Also from another folder than the one it began in, which may be gone by then. */
  readonly resumesElsewhere?: true;
  /** How it is told that it is out of date, not logged in…: for `liza doctor`. */
  readonly hints: { readonly install: string | { readonly npm: string }; readonly login: string };
  /** What people should know before it works as root. */
  readonly asRoot?: string;
  /** What it needs of the user's home, besides what every session has. */
  readonly home?: readonly HomeFolder[];
  /** What tells, besides the login files of `home`, that somebody is logged in; absent: nothing is known of that. */
  readonly loginSigns?: LoginSigns;
  launch(request: SessionRequest): Launch;
  parser(counting?: Counting): Parser;
  /**
   * For a provider that talks both ways (ACP): holds the session over the program's streams and answers when it
   * is over. stdout then is not given to the parser.
   */
  drive?(
    clock: Clock,
    request: SessionRequest,
    streams: Streams,
    take: (events: readonly AgentEvent[]) => void,
  ): Promise<Driven>;
  /**
   * Figures that the stream does not tell while the session runs (codex: tokens and context are in its own
   * files). Cheap, never rejects; to be asked now and then, and its events taken like any others.
   */
  measure?(host: Pick<Host, 'disk' | 'env'>, session: string, counting?: Counting): Promise<readonly AgentEvent[]>;
}
