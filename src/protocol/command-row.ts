// The shape of a row of the command table (table.ts). A row says how a command is typed, who may run it from
// which states, under which guards, and what it changes. Help, docs/state-machine.md, hints and tests read the rows;
// nobody keeps a list of commands or guards beside them.

import type { Instant } from '../text/time.ts';
import type { Actor, Board, Part } from './board.ts';
import type { CommandName, CommandOf } from './command.ts';
import type { Decided, Need, Refusal } from './decision.ts';
import type { GuardName } from './refusal-names.ts';
import type { Settings, State, Task, TaskStatus } from './state.ts';

/** Everything a guard or change may look at. `task` is there for rows with a `from`. */
export interface Situation<K extends CommandName> {
  readonly board: Board;
  readonly state: State;
  readonly settings: Settings;
  readonly actor: Actor;
  /** The part the actor plays here: the first of its parts that the row admits. */
  readonly part: Part;
  readonly now: Instant;
  readonly command: CommandOf<K>;
  readonly task: Task;
  /** Values to hide in facts: an agent may have put one into a file name. */
  readonly secrets: readonly string[];
  /** For hints, which name the commands of other rows. */
  readonly commandLine: CommandLine;
}

/** The whole line that somebody types: `liza abandon task-1 --reason "…"`. */
export type CommandLine = (name: CommandName, task?: string) => string;

/** What a guard sees that does not say that it needs more. */
export type BoardSituation<K extends CommandName> = Omit<Situation<K>, 'command'> & {
  readonly command: Omit<CommandOf<K>, 'facts'>;
};

interface Rule {
  /** Unique within its row. */
  readonly name: GuardName;
  /** The rule in one phrase; printed in docs/state-machine.md. */
  readonly rule: string;
  /** What it refuses may have changed since the caller looked, so another try may succeed. */
  readonly raced?: true;
}

interface BoardGuard<K extends CommandName> extends Rule {
  readonly needs?: never;
  readonly check: (situation: BoardSituation<K>) => Refusal | undefined;
}

interface FactGuard<K extends CommandName> extends Rule {
  readonly needs: Need;
  readonly check: (situation: Situation<K>) => Refusal | undefined;
}

export type Guard<K extends CommandName> = BoardGuard<K> | FactGuard<K>;

export interface Row<K extends CommandName> {
  readonly name: K;
  /** The name that people know, where this row is only a step of a command that they type. */
  readonly typed?: string;
  /** How it is typed, `{task}` being the task's id. Hints and docs quote it. */
  readonly syntax: string;
  /** One line for docs/state-machine.md; the one that `--help` prints is in cli/registry.ts. */
  readonly summary: string;
  readonly who: readonly Part[];
  /** States the task may be in; 'new' creates one; 'board' concerns no single task. */
  readonly from: readonly TaskStatus[] | 'new' | 'board';
  /** Narrows `from` for some parts: a planner blocks only INTEGRATION_FAILED, a coder only CLAIMED. */
  readonly fromOf?: Readonly<Partial<Record<Part, readonly TaskStatus[]>>>;
  /** What to do instead when the task is in another state; without it the hint names what is possible there. */
  readonly instead?: (task: Task, commandLine: CommandLine, part: Part, actor: Actor) => string | undefined;
  /** What a hint adds that proposes it, where the row alone cannot know whether it is needed, and it harms nowhere. */
  readonly hinted?: (task: Task) => string;
  /** False: a hint does not propose it for this task now. */
  readonly offered?: (task: Task, state: State) => boolean;
  /** States it may end in; absent: the status stays. */
  readonly to?: readonly TaskStatus[];
  /** A step of the machine or housekeeping: possible, but never the next thing that a hint proposes. */
  readonly inner?: true;
  /** `liza undo` cannot take it back: its effect is not in the state alone. */
  readonly irreversible?: true;
  /** Starts work, or a new stretch of it: refused while ABORT, CHECKPOINT or PAUSE is on, or the task is paused. */
  readonly startsWork?: true;
  /** It is the agent's own epoch that fences: somebody else's claim of the task since then does not. */
  readonly ownEpoch?: true;
  /** An agent's command that ABORT and CHECKPOINT leave open: handoff, block, exit. PAUSE leaves all that starts nothing. */
  readonly whileHalted?: true;
  /**
   * Whether this very command already took effect: same actor, same fields; where it made a record, that record's id.
   * Checked before state and guards.
   */
  readonly already?: (situation: Situation<K>) => boolean | string | undefined;
  readonly guards: readonly Guard<K>[];
  readonly effects: string;
  readonly change: (situation: Situation<K>) => Change | Refusal;
}

/** What a row decides; `decide` adds the task where the row is about one. */
export type Change = Omit<Decided, 'ok'> & {
  /** How its agent stops; left out where `decide` tells a session when it ends. */
  readonly stop?: string;
};

export type Table = { readonly [K in CommandName]: Row<K> };
