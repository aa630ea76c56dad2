// A Store that lives in this process: the second implementation of the interface, for tests and
// for programs that want a blackboard without a disk. Transactions run one after the other, so two
// racing writers both see a whole state. Nothing here outlives the process.

import { actorName, type Board, type Lease, type Switch, sessionName } from '../src/protocol/board.ts';
import { Bug } from '../src/protocol/decision.ts';
import { isOfGoal, tasksOfGoal } from '../src/protocol/goal/goal-tasks.ts';
import { mayRenew } from '../src/protocol/leases.ts';
import type { State, Task } from '../src/protocol/state.ts';
import { defined } from '../src/protocol/values.ts';
import { keepable } from '../src/store/keepable.ts';
import type {
  Committed,
  Decide,
  JournalEntry,
  Operation,
  Outcome,
  Renewal,
  Snapshot,
  Store,
} from '../src/store/store.ts';
import { type Instant, instant, iso, later } from '../src/text/time.ts';

export interface MemoryOptions {
  readonly now: () => Instant;
  readonly switches?: Board['switches'];
  readonly archived?: readonly Task[];
}

export function memoryStore(first: State, options: MemoryOptions): Store {
  let state: State = frozen(structuredClone(first));
  let switches: Board['switches'] = { ...options.switches };
  const leases = new Map<string, Lease>();
  const archive = new Map((options.archived ?? []).map((task) => [task.id, task]));
  const journal: JournalEntry[] = [];
  const watchers = new Set<() => void>();
  const { now } = options;

  const board = (): Board => ({
    state,
    switches,
    leases: new Map(leases),
    archived: new Map([...archive].map(([id, task]) => [id, task.status])),
    earlier: new Set([...archive.values()].filter((task) => !isOfGoal(task, state.goal)).map(({ id }) => id)),
  });

  const taskOf = (id: string | undefined) => state.tasks.find((task) => task.id === id);

  const commit = (operation: Operation, decided: Omit<Committed, 'seq' | 'notices'>, at: Instant): void => {
    for (const task of decided.archive ?? []) archive.set(task.id, task);
    state = frozen(structuredClone(decided.state));
    switches = switched(switches, decided.switches ?? {}, at);
    const session = sessionName(operation.actor);
    journal.push({
      seq: journal.length + 1,
      time: iso(at),
      actor: actorName(operation.actor),
      ...defined({ session }),
      command: operation.command,
      ...defined({ task: decided.task }),
      detail: decided.detail,
    });
    // A watcher is told after the commit and never from within it.
    for (const changed of watchers) queueMicrotask(changed);
  };

  return {
    read: async (): Promise<Snapshot> => ({ board: board(), now: now(), seq: journal.length, notices: [] }),

    readTask: async (id) => {
      const { config, questions = [], discovered } = state;
      const others = {
        ...(questions.length === 0 ? {} : { questions }),
        ...(discovered.length === 0 ? {} : { discovered }),
      };
      const live = state.tasks.find((task) => task.id === id);
      const lease = leases.get(live?.reviewing_by ?? live?.assigned_to ?? '');
      if (live !== undefined) return { task: live, archived: false, config, ...defined({ lease }), ...others };
      const task = archive.get(id);
      return task === undefined ? undefined : { task, archived: true, config, ...others };
    },

    readAgent: async (id) => {
      const { agents, config } = board().state;
      const agent = agents[id];
      return { config, ...defined({ agent, task: taskOf(agent?.current_task) }) };
    },
    archivedTasks: async (goal) =>
      goal === undefined ? [...archive.values()] : tasksOfGoal([...archive.values()], goal),
    pastGoals: async () => [],

    transact: async (operation: Operation, decide: Decide): Promise<Outcome> => {
      const at = now();
      const decision = keepable(decide(board(), at), { state });
      if (!decision.ok) return decision;
      if (!decision.already) commit(operation, decision, at);
      return { ...decision, seq: journal.length, notices: [] };
    },

    renew: async (renewal) => {
      const at = now();
      const lost = mayRenew(board(), taskOf(renewal.task), renewal, at);
      if (lost !== undefined) return lost;
      const lease = renewed(leases.get(renewal.agent), renewal, at);
      leases.set(renewal.agent, lease);
      return lease;
    },

    journal: async function* (from = 1) {
      yield* journal.filter(({ seq }) => seq >= from);
    },

    watch: (changed) => {
      watchers.add(changed);
      return () => {
        watchers.delete(changed);
      };
    },
  };
}

function renewed(old: Lease | undefined, { agent, task, epoch, seconds }: Renewal, now: Instant): Lease {
  const same = old !== undefined && old.epoch === epoch && old.task === task;
  const asked = later(now, seconds);
  return {
    agent,
    ...defined({ task }),
    epoch,
    expires: same && instant(old.expires) > instant(asked) ? old.expires : asked,
    heartbeat: iso(now),
    holder: 'unknown',
  };
}

function switched(
  before: Board['switches'],
  changes: Readonly<Partial<Record<Switch, boolean>>>,
  now: Instant,
): Board['switches'] {
  const after: Partial<Record<Switch, Instant>> = { ...before };
  for (const [name, on] of Object.entries(changes) as [Switch, boolean][]) {
    if (!on) delete after[name];
    else after[name] ??= now;
  }
  return after;
}

/** Freezes the state: a decision that changes what it was given would be a race elsewhere; here it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'function') throw new Bug('the state holds plain data only');
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) frozen(field);
  return Object.freeze(value);
}
