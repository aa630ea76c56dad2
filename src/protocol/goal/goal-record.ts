// What the archive keeps of a goal, whole: the goal as it ended, its sprints, numbers, agents, and everything that was
// reported, asked and noted under it. Its tasks are named here and kept beside it. Made from the board alone, so that
// the journal leads to the same record again.

import { type Metrics, metricsOf } from '../../governance/rules/metrics.ts';
import { type Instant, iso } from '../../text/time.ts';
import type { Refusal } from '../decision.ts';
import { questionsOf } from '../messages/questions.ts';
import type { Agent, Goal, Question, Sprint, State, Task } from '../state.ts';
import { noSuch } from '../unknown-id.ts';
import { tasksOfGoal } from './goal-tasks.ts';

export interface GoalRecord extends Omit<Goal, 'days' | 'last_ids' | 'queue'> {
  readonly archived_at: string;
  /** All of them, the last one included. */
  readonly sprints: readonly Sprint[];
  readonly metrics: Metrics;
  readonly tasks: readonly string[];
  readonly agents: Readonly<Record<string, Pick<Agent, 'role' | 'provider' | 'usage'>>>;
  readonly discovered: State['discovered'];
  readonly questions: readonly Question[];
  readonly anomalies: State['anomalies'];
  readonly spec_changes: State['spec_changes'];
  readonly human_notes: State['human_notes'];
}

/** `archived`: tasks that left the state earlier, of whatever goal. */
export function goalRecord(state: State, archived: readonly Task[], now: Instant): GoalRecord {
  const { id, days: _, last_ids: __, queue: ___, sprints = [], ...goal } = state.goal;
  const tasks = tasksOfGoal([...archived, ...state.tasks], state.goal);
  const since = <T extends { readonly timestamp: string }>(all: readonly T[]): readonly T[] =>
    all.filter(({ timestamp }) => timestamp >= (goal.created ?? ''));
  return {
    // First, so that the archive finds where a record begins.
    id,
    ...goal,
    archived_at: iso(now),
    sprints: [...sprints, state.sprint],
    metrics: metricsOf(tasks),
    tasks: tasks.map(({ id }) => id),
    agents: Object.fromEntries(Object.entries(state.agents).map(([id, agent]) => [id, namedAgent(agent)])),
    discovered: state.discovered,
    questions: questionsOf(state),
    anomalies: state.anomalies,
    spec_changes: since(state.spec_changes),
    human_notes: since(state.human_notes),
  };
}

const namedAgent = ({ role, provider, usage }: Agent): GoalRecord['agents'][string] => ({
  role,
  ...(provider === undefined ? {} : { provider }),
  ...(usage === undefined ? {} : { usage }),
});

/** The board as it was when the goal ended, as far as a report asks for it; settings are today's. */
export function boardOfGoal(record: GoalRecord, today: State): State {
  const { sprints, agents, discovered, questions, anomalies, spec_changes, human_notes } = record;
  return {
    ...today,
    goal: record,
    sprint: sprints.at(-1) ?? today.sprint,
    tasks: [],
    agents: Object.fromEntries(
      Object.entries(agents).map(([id, agent]): [string, Agent] => [id, { status: 'IDLE', ...agent }]),
    ),
    discovered,
    questions,
    anomalies,
    spec_changes,
    human_notes,
    handoff: {},
  };
}

export const noGoal = (goal: string, known: readonly string[]): Refusal =>
  noSuch({ what: 'goal', id: goal, known, see: 'See the goals: liza goals', guard: 'goal' });
