// Boards for the tests of this folder: an empty one, and what each test adds to it.

import type { Board, Lease } from '../../../src/protocol/board.ts';
import type { Agent, State, Task } from '../../../src/protocol/state.ts';
import { type Instant, instant, iso } from '../../../src/text/time.ts';

export const NOW: Instant = instant('2026-01-31T12:00:00Z');
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const COMMIT = '1111111111111111111111111111111111111111';

/** A timestamp that long before NOW (after it when negative). */
export const ago = (milliseconds: number): string => iso(NOW - milliseconds);

export interface Parts {
  readonly tasks?: readonly Task[];
  readonly agents?: Readonly<Record<string, Agent>>;
  readonly state?: Partial<State>;
  readonly switches?: Board['switches'];
  readonly leases?: readonly Lease[];
  readonly archived?: Board['archived'];
}

export function board(parts: Parts = {}): Board {
  return {
    state: {
      version: 1,
      goal: { id: 'goal-1', description: 'Retry every API call', status: 'IN_PROGRESS' },
      tasks: parts.tasks ?? [],
      agents: parts.agents ?? {},
      discovered: [],
      handoff: {},
      human_notes: [],
      spec_changes: [],
      anomalies: [],
      sprint: { id: 'sprint-1', scope: { planned: [] }, timeline: { started: ago(HOUR) }, status: 'IN_PROGRESS' },
      circuit_breaker: { status: 'OK' },
      config: {},
      ...parts.state,
    },
    switches: parts.switches ?? {},
    leases: new Map((parts.leases ?? []).map((lease) => [lease.agent, lease])),
    archived: parts.archived ?? new Map(),
  };
}

export const task = (id: string, fields: Partial<Task> = {}): Task => ({
  id,
  status: 'UNCLAIMED',
  priority: 3,
  created: ago(HOUR),
  ...fields,
});

/** An agent whose lease lives for five more minutes. */
export const agent = (role: Agent['role'], fields: Partial<Agent> = {}): Agent => ({
  role,
  status: 'IDLE',
  lease_expires: ago(-5 * MINUTE),
  ...fields,
});

export const event = (name: string, at: Instant, by?: string, extra: object = {}) => ({
  time: iso(at),
  event: name,
  ...(by === undefined ? {} : { agent: by }),
  ...extra,
});

/** The goal of a board, in another state. */
export const goal = (status: State['goal']['status']): Pick<State, 'goal'> => ({
  goal: { id: 'goal-1', description: 'Retry every API call', status },
});
