// Who did what: agents on the board, agents that history still knows, and people.

import { actorName, OPERATOR } from '../protocol/board.ts';
import { historyOf } from '../protocol/leases.ts';
import type { HistoryEvent, State, Task } from '../protocol/state.ts';
import type { Worker } from './model.ts';

export function workersOf(state: State, tasks: readonly Task[]): readonly Worker[] {
  const events = tasks.flatMap((task) => historyOf(task).map((entry) => ({ task: task.id, entry, by: doer(entry) })));
  const reports = [
    ...state.anomalies.map(({ reporter }) => reporter),
    // What an earlier goal left was counted there.
    ...state.discovered.filter(({ carried_from }) => carried_from === undefined).map(({ by }) => by),
    ...state.human_notes.map(() => HUMAN),
  ];
  const ids = new Set([
    ...Object.keys(state.agents),
    ...events.flatMap(({ by }) => by ?? []),
    ...state.human_notes.map(() => HUMAN),
  ]);
  // Steps of the machinery that no agent is behind.
  ids.delete('supervisor');
  return [...ids]
    .map((id): Worker => {
      const agent = state.agents[id];
      const mine = events.filter(({ by }) => by === id);
      const count = (...names: readonly string[]): number =>
        mine.filter(({ entry }) => names.includes(entry.event)).length;
      const tasksOf = (name: string): number =>
        new Set(mine.flatMap(({ task, entry }) => (entry.event === name ? [task] : []))).size;
      const worked =
        tasksOf('claimed') + tasksOf('review_claimed') + (agent?.role === 'planner' ? count('created') : 0);
      return {
        id,
        role: agent?.role.replace('_', ' ') ?? (id === HUMAN ? 'person' : 'no longer registered'),
        ...(agent?.provider === undefined ? {} : { provider: agent.provider }),
        claimed: tasksOf('claimed'),
        submitted: count('submitted'),
        reviewed: tasksOf('review_claimed'),
        approved: count('approved'),
        rejected: count('rejected'),
        merged: count('merged'),
        blocked: count('blocked'),
        planned: count('created'),
        reported: reports.filter((by) => by === id).length,
        use: { ...(agent?.usage === undefined ? {} : { usage: agent.usage }), worked: worked > 0 },
      };
    })
    .toSorted((a, b) => rank(a) - rank(b) || a.id.localeCompare(b.id, 'en', { numeric: true }));
}

const HUMAN = actorName(OPERATOR);

/** Who did it. The agent that records a merge may not be the one that made it, which the event names in `by`. */
const doer = ({ event, agent, by }: HistoryEvent): string | undefined =>
  event === 'merged' && typeof by === 'string' ? by : agent;

const ORDER = ['planner', 'coder', 'code reviewer', 'person'];
const rank = ({ role }: Worker): number => (ORDER.includes(role) ? ORDER.indexOf(role) : ORDER.length);
