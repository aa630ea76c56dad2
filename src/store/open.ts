// The store of a project, opened without loading it: `liza show` needs the cache alone, and
// everything else (schema, rules, YAML) is loaded by the first call that wants it.

import { filesOn } from '../ports/files.ts';
import type { Host } from '../ports/host.ts';
import { defined } from '../protocol/values.ts';
import type { BoardContext } from './context.ts';
import { readLease, writeLease } from './lease-records.ts';
import { lockInTurn } from './lock-in-turn.ts';
import { pathsOf } from './paths.ts';
import { peekAgent, peekTask } from './read-one-task.ts';
import { type SharedBoard, sharedBoard } from './shared-board.ts';
import type { AgentReading, Renewal, Store } from './store.ts';

export interface Project {
  readonly root: string;
  readonly gitDirectory: string | undefined;
  readonly host: Host;
  readonly specExists: (specRef: string) => boolean;
  /** LIZA_LOCK_HELD: set by `liza lock modify` for the command it runs. */
  readonly nested: string | undefined;
}

export function contextOf(project: Project): BoardContext {
  const { host } = project;
  const found = pathsOf(project.root, project.gitDirectory);
  const shared = sharedBoard(host.disk, host.clock, found);
  // The database keeps the board: there is no copy in the git directory beside it.
  const paths = shared === undefined ? found : { ...found, mirror: undefined };
  return {
    ...host,
    ...(shared === undefined ? {} : { shared, clock: { ...host.clock, now: () => shared.time.now() } }),
    files: filesOn(host.disk, host.processes.pid),
    paths,
    specExists: project.specExists,
    lock: lockInTurn(host.clock, async () =>
      project.nested === paths.liza ? { nested: true } : host.locks.acquire(paths.lock),
    ),
  };
}

/** Wherever the board is kept. */
export const openStore = (context: BoardContext): Store =>
  context.shared === undefined ? openYamlStore(context) : openSharedStore(context, context.shared);

function openSharedStore(context: BoardContext, shared: SharedBoard): Store {
  let opened: Promise<Store> | undefined;
  const store = () =>
    (opened ??= import('./postgres/shared-store.ts').then((part) => part.sharedStore(context, shared)));
  return {
    read: async (within) => (await store()).read(within),
    readTask: async (id) => (await store()).readTask(id),
    readAgent: async (id) => (await store()).readAgent(id),
    transact: async (operation, decide) => (await store()).transact(operation, decide),
    archivedTasks: async (goal) => (await store()).archivedTasks(goal),
    pastGoals: async () => (await store()).pastGoals(),
    renew: async (renewal) => (await store()).renew(renewal),
    journal: async function* (from) {
      yield* (await store()).journal(from);
    },
    watch: (changed) => whenOpen(store, (one) => one.watch(changed)),
  };
}

/** Begins once the store is there, unless it was stopped by then. */
function whenOpen(open: () => Promise<Store>, begin: (store: Store) => () => void): () => void {
  let stop = () => {};
  let stopped = false;
  void open().then((store) => {
    if (!stopped) stop = begin(store);
  });
  return () => {
    stopped = true;
    stop();
  };
}

export function openYamlStore(context: BoardContext): Store {
  let opened: Store | undefined;
  const whole = async () => (opened ??= (await import('./yaml-store.ts')).yamlStore(context));
  return {
    read: async () => (await whole()).read(),
    readTask: async (id) => {
      const cached = peekTask(context, id);
      if (cached?.task === undefined) return (await whole()).readTask(id);
      const { task, config, questions, discovered, notes, setup } = cached;
      const holder = task.reviewing_by ?? (task.status === 'CLAIMED' ? task.assigned_to : undefined);
      const lease = holder === undefined ? undefined : readLease(context, holder);
      return { task, archived: false, config, ...defined({ lease, questions, discovered, notes, setup }) };
    },
    transact: async (operation, decide) => (await whole()).transact(operation, decide),
    archivedTasks: async (goal) => (await whole()).archivedTasks(goal),
    pastGoals: async () => (await whole()).pastGoals(),
    readAgent: async (id) => peekAgent(context, id) ?? (await whole()).readAgent(id),
    renew: async (renewal) => {
      const held = peekAgent(context, renewal.agent, renewal.task);
      return held === undefined ? (await whole()).renew(renewal) : renewHeld(context, held, renewal);
    },
    journal: async function* (from) {
      yield* (await whole()).journal(from);
    },
    watch: (changed) => whenOpen(whole, (store) => store.watch(changed)),
  };
}

async function renewHeld(context: BoardContext, { agent, task }: AgentReading, renewal: Renewal) {
  const { mayRenew } = await import('../protocol/leases.ts');
  const lease = readLease(context, renewal.agent);
  const board = {
    state: { agents: agent === undefined ? {} : { [renewal.agent]: agent } },
    leases: new Map(lease === undefined ? [] : [[renewal.agent, lease]]),
  };
  const now = context.clock.now();
  return mayRenew(board, task, renewal, now) ?? writeLease(context, renewal, now);
}
