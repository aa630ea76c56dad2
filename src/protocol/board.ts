// What `decide` looks at: the state plus the facts around it that only the caller can know
// (kill switches, lease records, the archive, processes that ended), and who is asking.
// `liza show` loads this file: it must not import a schema.

import { type Instant, instant, iso } from '../text/time.ts';
import { type Refusal, refuse } from './decision.ts';
import type { Role, State, Task, TaskStatus } from './state.ts';
import type { HostOnBoard } from './work/hosts.ts';

export const SWITCHES = ['ABORT', 'CHECKPOINT', 'PAUSE'] as const;
/** A kill switch; in order of precedence. */
export type Switch = (typeof SWITCHES)[number];

export interface Board {
  readonly state: State;
  /** Switches that are on, and since when. */
  readonly switches: Readonly<Partial<Record<Switch, Instant>>>;
  /** Lease records by agent id. */
  readonly leases: ReadonlyMap<string, Lease>;
  /** Archived task ids and how they ended. */
  readonly archived: ReadonlyMap<string, TaskStatus>;
  /** Those of them that belong to an earlier goal; absent: none does. */
  readonly earlier?: ReadonlySet<string>;
  /** Processes that a task's `claiming` or `merging` names, or a registration without a sign of life, and that provably ended. */
  readonly gone?: ReadonlySet<string>;
  /** Processes that a task's `merging` names and that somebody stopped (Ctrl-Z): they hold what they hold, and do nothing. */
  readonly halted?: ReadonlySet<string>;
  /** Megabytes free on the board's disk; absent: not known. */
  readonly freeMb?: number;
  /** The machines that work on it; absent: it is on one machine alone. */
  readonly hosts?: readonly HostOnBoard[];
  /** The id of this one among them. */
  readonly here?: string;
}

/** One agent's side record, with what the store could find out about the process behind it. */
export interface Lease {
  readonly agent: string;
  readonly task?: string;
  /** The task's epoch when the lease was taken; a record of another epoch counts for nothing. */
  readonly epoch: number;
  readonly expires: string;
  readonly heartbeat: string;
  readonly holder: 'alive' | 'dead' | 'unknown';
  /** Milliseconds left by the monotonic clock; only for a live holder on this boot. */
  readonly remaining?: number;
  /** Its supervisor stopped in order: nobody is missed. */
  readonly stopped?: true;
  /** The host whose process renews it; absent: there is only one. */
  readonly host?: string;
}

/** The parts an actor may play. An id without a live session may act as supervisor or as its agent. */
export type Part = 'human' | 'supervisor' | Role;

export interface Actor {
  /** Agent id; absent for the operator. */
  readonly id?: string;
  readonly parts: readonly Part[];
  /** The epoch handed to the session at its start; a stale one is refused. */
  readonly epoch?: number;
  /** Through whom it asks: the id of the session whose credential it holds, or a supervisor's own loop. */
  readonly session?: string;
}

/** The value of `Actor.session` when the supervisor itself asks, before or between sessions. */
export const SUPERVISOR = 'supervisor';

export const supervisorOf = (agent: string): Actor => ({ id: agent, parts: ['supervisor'], session: SUPERVISOR });

/** Noted in the journal for a command under an agent's id that no session and no supervisor gave. */
export const SHELL = 'shell';

/** What the journal notes of an actor's session. */
export const sessionName = ({ id, session }: Actor): string | undefined =>
  session ?? (id === undefined || roleOfId(id) === undefined ? undefined : SHELL);

/** Who reports and asks what no agent and no person did. */
export const LIZA = 'liza';

export const OPERATOR: Actor = { parts: ['human'] };

export const actorName = (actor: Actor): string =>
  actor.id ?? (plays(actor, 'human') ? 'human' : (actor.parts[0] ?? 'human'));

export const isAgentPart = (part: Part): part is Role => part !== 'human' && part !== 'supervisor';

export const plays = (actor: Actor, part: Part): boolean => actor.parts.includes(part);

/** `code_reviewer` and `code_reviewer-1` as they are stored: `code-reviewer`, `code-reviewer-1`. */
export const storedName = (name: string): string => name.replace(/^code_reviewer(?=-|$)/, 'code-reviewer');

/** `code-reviewer-2` → `code_reviewer`; undefined when the id names no role. */
export function roleOfId(agentId: string): Role | undefined {
  const match = /^(planner|coder|code-reviewer)-[1-9][0-9]{0,3}$/.exec(agentId);
  return match?.[1]?.replace('-', '_') as Role | undefined;
}

export interface LeaseView {
  readonly expired: boolean;
  /** Milliseconds left, negative when past. */
  readonly remaining: number;
  readonly dead: boolean;
  /** Its supervisor ended, and in order. */
  readonly stopped?: true;
}

/**
 * The effective lease: the later of state and side record, the record counting only at equal epoch.
 * A provably dead holder is stale at once; a live one ages by the monotonic clock, so that a jump of
 * the wall clock neither steals a lease nor makes it immortal.
 */
export function effectiveLease(
  expires: string | undefined,
  epoch: number | undefined,
  record: Lease | undefined,
  now: Instant,
): LeaseView {
  const stated = expires === undefined ? Number.NEGATIVE_INFINITY : instant(expires) - now;
  const counts = record !== undefined && record.epoch === (epoch ?? 0);
  if (!counts) return { expired: stated <= 0, remaining: stated, dead: false };
  if (record.holder === 'dead')
    return { expired: true, remaining: Math.min(stated, 0), dead: true, ...stoppedOf(record) };
  if (record.holder === 'alive' && record.remaining !== undefined) {
    return { expired: record.remaining <= 0, remaining: record.remaining, dead: false };
  }
  const remaining = Math.max(stated, instant(record.expires) - now);
  return { expired: remaining <= 0, remaining, dead: false };
}

export const stoppedOf = ({ stopped }: Pick<Lease, 'stopped'>): Pick<LeaseView, 'stopped'> =>
  stopped === true ? { stopped } : {};

/** What holds work back: a kill switch, or the task's own pause. */
export type Hold = Switch | 'paused';

/** It lets a running agent finish what it has; the other switches do not. */
export const isPause = (held: Hold): boolean => held === 'PAUSE' || held === 'paused';

/** The switch that is on, the first in precedence, or the task's pause. */
export const holdOn = (board: Board, task: Task | undefined): Hold | undefined =>
  SWITCHES.find((one) => board.switches[one] !== undefined) ?? (task?.paused === true ? 'paused' : undefined);

interface Held {
  readonly task?: Task | undefined;
  /** What an agent may still do; absent: a person or a supervisor asks. */
  readonly open?: readonly string[] | undefined;
}

/** The refusal of a command that starts or continues work while it is on hold. */
export function onHold(board: Board, held: Hold, { task, open }: Held): Refusal {
  const named = held === 'paused' ? ` ${task?.id}` : '';
  const since = held === 'paused' ? undefined : board.switches[held];
  const fact = held === 'paused' ? `${task?.id} is paused` : `${held} is on`;
  const lets = 'A person lets the work continue';
  const taken = isPause(held) ? 'what you have finished is taken, and ' : '';
  const hint = open === undefined ? `${lets}: liza resume${named}` : `${taken}${listed(open)} stay open. ${lets}`;
  return refuse(`${fact}${since === undefined ? '' : ` since ${iso(since)}`}`, hint);
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
