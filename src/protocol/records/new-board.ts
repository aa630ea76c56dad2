// The blackboard as `liza init` writes it: of a first goal, or of the next one after a goal has ended. The settings that
// a person is likely to look for are spelt out, with their defaults.

import { type Instant, iso } from '../../text/time.ts';
import { patch } from '../change.ts';
import { numberOf } from '../goal/goal-tasks.ts';
import { isOpenDiscovery } from '../messages/discoveries.ts';
import { notesOfNextGoal } from '../messages/notes.ts';
import { questionsOfNextGoal } from '../messages/questions.ts';
import { STATE_VERSION, type State } from '../state.ts';
import { defined } from '../values.ts';
import { lastIds } from './record-ids.ts';

interface Beginning {
  readonly goal: string;
  readonly spec_ref: string;
  readonly integration_branch?: string;
  /** The person's branch that it was made from; absent: HEAD was on none. */
  readonly base_branch?: string | undefined;
  /** Where the integration branch is; absent: not known yet. */
  readonly integration_head?: string;
  readonly now: Instant;
}

export function freshState(beginning: Beginning): State {
  const { goal, spec_ref, integration_branch = 'integration', base_branch, integration_head, now } = beginning;
  const created = iso(now);
  return {
    version: STATE_VERSION,
    goal: {
      id: 'goal-1',
      description: goal,
      spec_ref,
      created,
      status: 'PLANNING',
      alignment_history: [],
      ...defined({ integration_head }),
    },
    tasks: [],
    agents: {},
    discovered: [],
    handoff: {},
    human_notes: [],
    spec_changes: [],
    anomalies: [],
    sprint: {
      id: 'sprint-1',
      goal_ref: 'goal-1',
      scope: { planned: [], stretch: [] },
      timeline: { started: created },
      status: 'IN_PROGRESS',
    },
    circuit_breaker: { status: 'OK', history: [] },
    config: {
      integration_branch,
      ...defined({ base_branch }),
      lease_duration: 300,
      heartbeat_interval: 60,
      max_coder_iterations: 10,
      max_review_cycles: 5,
      reviewers_required: 1,
      test_command: null,
      post_worktree_cmd: null,
      tdd: 'evidence',
      sandbox: 'auto',
    },
  };
}

/** `goal-1` → `goal-2`; an id of another shape starts the count. */
export function numbered(id: string, prefix: string): string {
  const number = Number.parseInt(id.slice(id.lastIndexOf('-') + 1), 10);
  return `${prefix}-${Number.isNaN(number) ? 2 : number + 1}`;
}

interface NextGoal {
  readonly goal: string;
  readonly spec_ref: string;
  readonly now: Instant;
}

/**
 * The board of the next goal, at zero. What was done and reported under the former one is in the archive (goal-record.ts);
 * what nobody has decided or heard of comes along, and notes, settings, agents and the integration branch stay.
 */
export function nextGoal(state: State, { goal, spec_ref, now }: NextGoal): State {
  const created = iso(now);
  const id = `goal-${numberOf(state.goal.id) + 1}`;
  const { integration_head, integration_moved, moving, days, queue } = state.goal;
  return {
    ...state,
    goal: {
      id,
      description: goal,
      spec_ref,
      created,
      status: 'PLANNING',
      alignment_history: [],
      last_ids: lastIds(state),
      ...defined({ integration_head, integration_moved, moving, queue }),
      // A new goal is no new day.
      ...defined({ days }),
    },
    tasks: [],
    discovered: state.discovered
      .filter(isOpenDiscovery)
      .map((found) => ({ ...found, carried_from: found.carried_from ?? state.goal.id })),
    agents: Object.fromEntries(
      Object.entries(state.agents).map(([name, agent]) => [name, patch(agent, { usage: undefined })]),
    ),
    handoff: {},
    human_notes: [...notesOfNextGoal(state, now)],
    spec_changes: [],
    ...(state.questions === undefined ? {} : { questions: questionsOfNextGoal(state) }),
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
