// From one goal to the next: what `liza init` makes of a board whose goal is finished.

import { type Instant, iso } from '../text/time.ts';
import type { State } from './state.ts';
import { defined } from './values.ts';

export interface NextGoal {
  readonly goal: string;
  readonly spec_ref: string;
  readonly now: Instant;
}

/** Tasks go to the archive and everything about them with it; notes, settings, agents and the integration branch stay. */
export function nextGoal(state: State, { goal, spec_ref, now }: NextGoal): State {
  const created = iso(now);
  const id = `goal-${numberOf(state.goal.id) + 1}`;
  const notes = state.human_notes.map((note) =>
    note.processed_at === undefined ? { ...note, processed_at: created, processed_by: 'init' } : note,
  );
  const { integration_head, integration_moved, days } = state.goal;
  return {
    ...state,
    goal: {
      id,
      description: goal,
      spec_ref,
      created,
      status: 'PLANNING',
      alignment_history: [],
      ...defined({ integration_head, integration_moved }),
      // A new goal is no new day.
      ...defined({ days }),
    },
    tasks: [],
    discovered: [],
    handoff: {},
    human_notes: notes,
    anomalies: [],
    sprint: {
      id: `sprint-${numberOf(state.sprint.id) + 1}`,
      goal_ref: id,
      scope: { planned: [], stretch: [] },
      timeline: { started: created },
      status: 'IN_PROGRESS',
    },
    circuit_breaker: { ...state.circuit_breaker, status: 'OK' },
  };
}

const numberOf = (id: string): number => Number(/-(\d+)$/.exec(id)?.[1] ?? 0);
