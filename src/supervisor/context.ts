// What supervisors work with: built once by the command that starts them, and shared by all agents of this process.

import type { RunningUse } from '../budget/rules/limits.ts';
import { siteOf } from '../git/directory.ts';
import { programEnvironment } from '../process/tags.ts';
import { supervisorOf } from '../protocol/board.ts';
import type { Role } from '../protocol/state.ts';
import type { Provider } from '../providers/provider.ts';
import type { ServeCommand } from '../sandbox/mailbox-broker.ts';
import type { SandboxSupport } from '../sandbox/mode.ts';
import type { StoreContext } from '../store/transact.ts';
import type { TaskContext } from '../tasks/context.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { CrewEvent } from './crew-view.ts';
import type { MergeTurn } from './merge-turn.ts';
import type { Places } from './prompts/prompt.ts';
import type { StartGate } from './start-gate.ts';

/** The CLI and the model of an agent. */
export interface Chosen {
  readonly provider: Provider;
  readonly model?: string | undefined;
}

/** Runs commands of agents outside the sandbox in this process (cli/served/). */
export interface CommandServer {
  /** Where their clients find it. */
  readonly folder: string;
  /** What runs for an agent has ended; waits for a few seconds at most. */
  settled(agent: string): Promise<void>;
  close(): void;
}

export interface SupervisorContext extends StoreContext {
  readonly changeSignal: ChangeSignal;
  /** This process holds the leases. */
  readonly pid: number;
  readonly isRoot: boolean;
  readonly terminal?: string | undefined;
  readonly places: Places;
  /** A folder with a `liza` that starts this program, to go first on an agent's PATH. */
  readonly bin: string;
  /** Absent: nothing is confined. */
  readonly sandboxSupport?: SandboxSupport | undefined;
  /** Runs commands of confined agents in this process. Absent: each is a program of its own. */
  readonly serve?: ServeCommand | undefined;
  /** The same for those that are not confined. */
  readonly served?: CommandServer | undefined;
  contract(role: Role): string;
  /** What the sessions of this process have used so far, by agent. */
  readonly running?: Map<string, () => RunningUse>;
  readonly mergeTurn: MergeTurn;
  readonly startGate: StartGate;
  /** Why no coder takes work yet; undefined: it may. Planning and reviews go on. */
  readonly codeHeld?: (() => string | undefined) | undefined;
  /** Shows an event to people. */
  emit(event: Omit<CrewEvent, 'time'>): void;
}

/** First: end in order. Again: at once. */
export interface Stop {
  readonly orderly: AbortSignal;
  readonly atOnce: AbortSignal;
  /** Why, for people. */
  readonly why?: () => string | undefined;
}

export const runningUse = ({ running }: SupervisorContext): readonly RunningUse[] =>
  [...(running?.values() ?? [])].map((use) => use());

export function taskContextOf(context: SupervisorContext, agent: string, stop?: AbortSignal): TaskContext {
  return {
    ...context,
    env: programEnvironment(context.env, siteOf(context.disk, context.paths.root)),
    actor: supervisorOf(agent),
    say: (text) => context.emit({ level: 'info', agent, text }),
    alarm: (text) => context.emit({ level: 'alarm', agent, text }),
    ...(stop === undefined ? {} : { stop: () => stop }),
  };
}
