// The store of a board on PostgreSQL. Reads ask for what was committed since the last one; the board itself is in memory.
// Leases are rows of their own, judged by the server's clock; nobody is woken by a heartbeat.

import { DatabaseError, type Row } from '../../ports/database.ts';
import { formatProcess, identify } from '../../process/process-identity.ts';
import { type Refusal, Refused, refuse } from '../../protocol/decision.ts';
import { findTask } from '../../protocol/find.ts';
import type { GoalRecord } from '../../protocol/goal/goal-record.ts';
import { numberOf, tasksOfGoal } from '../../protocol/goal/goal-tasks.ts';
import { mayRenew } from '../../protocol/leases.ts';
import type { Task } from '../../protocol/state.ts';
import { defined } from '../../protocol/values.ts';
import type { BoardContext } from '../context.ts';
import { transactIn } from '../decide-and-record.ts';
import type { SharedBoard } from '../shared-board.ts';
import type { JournalEntry, Renewal, Snapshot, Store } from '../store.ts';
import { parseStrict } from '../yaml/strict.ts';
import { archivedTexts, entriesFrom, type LeaseRow, leaseOf } from './board-rows.ts';
import { boardOf, holderOf } from './head.ts';
import { type SharedSession, sessionOf } from './session.ts';
import { inSharedTransaction } from './shared-transaction.ts';
import { viewKeeper } from './view-keeper.ts';
import { watchBoard } from './wake.ts';

export function sharedStore(context: BoardContext, shared: SharedBoard): Store {
  const session = sessionOf(context, shared);
  const view = viewKeeper(context, shared, session);
  const read = async (within = 0): Promise<Snapshot> => {
    await view.begin();
    const snapshot = lately(context, shared, session, within) ?? (await readBoard(context, session));
    return { ...snapshot, notices: view.notices() };
  };
  return {
    read,
    readTask: (id) => readTask(session, shared, read, id),
    readAgent: async (id) => {
      const { state } = (await read()).board;
      const agent = state.agents[id];
      const task = agent?.current_task === undefined ? undefined : findTask(state, agent.current_task);
      return { config: state.config, ...defined({ agent, task }) };
    },
    archivedTasks: async (goal) => {
      const all = (await archived(session, shared, 'task')) as readonly Task[];
      return goal === undefined ? all : tasksOfGoal(all, goal);
    },
    pastGoals: async () => {
      const goals = (await archived(session, shared, 'goal')) as readonly GoalRecord[];
      return goals.toSorted((a, b) => numberOf(a.id) - numberOf(b.id));
    },
    transact: async (operation, decide) => {
      await view.begin();
      const outcome = await inSharedTransaction(context, shared, (transaction) =>
        transactIn(transaction, operation, decide),
      );
      if (outcome.ok && outcome.already !== true) await view.changed();
      const notices = view.notices();
      return notices.length === 0 ? outcome : { ...outcome, notices: [...(outcome.notices ?? []), ...notices] };
    },
    renew: (renewal) => renew({ context, session, shared, read }, renewal),
    journal: (from) => journal(session, shared, from),
    watch: (changed) => watchBoard(context, shared, session, changed),
  };
}

async function readBoard(context: BoardContext, session: SharedSession): Promise<Snapshot> {
  const { head, look } = await session.link.refused(() =>
    session.link.retry((connection) => session.catchUp(connection, false)),
  );
  return { board: boardOf(context, head, look), now: look.now, seq: head.seq, notices: [] };
}

function lately(
  context: BoardContext,
  { time }: SharedBoard,
  session: SharedSession,
  within: number,
): Snapshot | undefined {
  const seen = session.lately(within);
  if (seen === undefined) return undefined;
  const { head, look } = seen;
  return { board: boardOf(context, head, look), now: time.now(), seq: head.seq, notices: [] };
}

type Read = (within?: number) => Promise<Snapshot>;

async function readTask(
  session: SharedSession,
  shared: SharedBoard,
  read: Read,
  id: string,
): ReturnType<Store['readTask']> {
  const { board } = await read();
  const { config, questions = [], discovered, human_notes: notes } = board.state;
  const { setup_failures: setup = [] } = board.state.goal;
  const others = {
    config,
    ...(questions.length === 0 ? {} : { questions }),
    ...(discovered.length === 0 ? {} : { discovered }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(setup.length === 0 ? {} : { setup }),
  };
  const task = findTask(board.state, id);
  if (task === undefined) {
    const [left] = (await archived(session, shared, 'task', id)) as readonly Task[];
    return left && { task: left, archived: true, ...others };
  }
  const lease = board.leases.get(task.reviewing_by ?? task.assigned_to ?? '');
  return { task, archived: false, ...defined({ lease }), ...others };
}

async function archived(
  session: SharedSession,
  { board }: SharedBoard,
  kind: 'task' | 'goal',
  id?: string,
): Promise<readonly unknown[]> {
  const texts = await session.link.refused(() =>
    session.link.retry((connection) => archivedTexts(connection, board, kind, id)),
  );
  const parsed = await Promise.all(texts.map((text) => parseStrict(text)));
  return parsed.flatMap((one) => (one.ok && Array.isArray(one.value) ? [one.value[0]] : []));
}

/** A change of the task would have been announced. */
const WITHIN = 10_000;

interface Renewing {
  readonly context: BoardContext;
  readonly session: SharedSession;
  readonly shared: SharedBoard;
  readonly read: Read;
}

async function renew({ context, session, shared, read }: Renewing, renewal: Renewal): ReturnType<Store['renew']> {
  try {
    // What the server holds is held against the epoch there.
    const { board, now } = await read(WITHIN);
    const task = renewal.task === undefined ? undefined : findTask(board.state, renewal.task);
    const lost = mayRenew(board, task, renewal, now);
    if (lost !== undefined) return lost;
    const { agent, task: named, epoch, seconds, pid, stops } = renewal;
    const identity = pid === undefined ? undefined : identify(context, pid);
    const process = identity === undefined ? null : formatProcess(identity);
    const values = [shared.board, agent, named ?? null, epoch, seconds, shared.host, process, stops === true];
    const [row] = await session.link.retry(async (connection) => {
      await session.greet(connection);
      return connection.run(
        `select agent, task, epoch, extract(epoch from expires) * 1000 as expires, extract(epoch from heartbeat) * 1000 as heartbeat,
           host, process, stopped from liza.renew($1, $2, $3, $4, $5, $6, $7, $8)`,
        values,
      );
    });
    const written = row === undefined ? undefined : leaseRow(row);
    // A lease of a later epoch is there: the task was taken over since we looked.
    if (written === undefined) return superseded(agent);
    session.renewed(written);
    return leaseOf(written, holderOf(context, written));
  } catch (error) {
    if (error instanceof Refused) return error.refusal;
    if (error instanceof DatabaseError) return session.link.refusal(error);
    throw error;
  }
}

const superseded = (agent: string): Refusal =>
  refuse(
    `${agent} no longer holds its task: it was taken over`,
    'stop this session: liza exit 42 --reason "lease lost"',
    1,
    'lease',
  );

const leaseRow = (row: Row): LeaseRow => ({
  ...(row as unknown as LeaseRow),
  epoch: Number(row['epoch']),
  expires: Number(row['expires']),
  heartbeat: Number(row['heartbeat']),
});

async function* journal(session: SharedSession, { board }: SharedBoard, from = 0): AsyncGenerator<JournalEntry> {
  for (let next = Math.max(from, 1); ; ) {
    const lines = await session.link.refused(() =>
      session.link.retry((connection) => entriesFrom(connection, board, next)),
    );
    const last = lines.at(-1);
    if (last === undefined) return;
    for (const { entry } of lines) yield entry;
    next = last.entry.seq + 1;
  }
}
