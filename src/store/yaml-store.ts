// The store of one project on one machine: `.liza/state.yaml`, readable and editable by a person.
// Hides the lock, the journal, the cache and the edits made by hand.

import { basename, join } from 'node:path';
import { watchFolder } from '../ports/watch-folder.ts';
import { type Lease, SWITCHES } from '../protocol/board.ts';
import type { Refusal } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { tasksOfGoal } from '../protocol/goal/goal-tasks.ts';
import { mayRenew } from '../protocol/leases.ts';
import type { Config } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { taskArchive } from './archive.ts';
import type { BoardTransaction } from './board-transaction.ts';
import type { BoardContext } from './context.ts';
import { transactIn } from './decide-and-record.ts';
import { readEntries, readTail } from './journal.ts';
import { writeLease } from './lease-records.ts';
import { pastGoals } from './past-goals.ts';
import { type Read, reader } from './reader.ts';
import { unlocked } from './refusals.ts';
import type { JournalEntry, Renewal, Store } from './store.ts';
import { LostRace, Transaction } from './transaction.ts';
import { parseStrict } from './yaml/strict.ts';

export function yamlStore(context: BoardContext): Store {
  const read = reader(context);
  return {
    read,
    readTask: (id) => readTask(context, read, id),
    readAgent: (id) => readAgent(read, id),
    transact: (operation, decision) =>
      inFileTransaction(context, (transaction) => transactIn(transaction, operation, decision)),
    archivedTasks: async (goal) => {
      const all = await taskArchive(context.files, context.paths.archive).all();
      return goal === undefined ? all : tasksOfGoal(all, goal);
    },
    pastGoals: async () => pastGoals(context, (await read()).board.state.goal),
    renew: (renewal) => renew(context, read, renewal),
    journal: (from) => journal(context, from),
    watch: (changed) => watchFiles(context, changed),
  };
}

/** Takes the lock, opens a transaction, does the work; again from the start when a race was lost. */
export async function inFileTransaction<T>(
  context: BoardContext,
  work: (transaction: BoardTransaction) => Promise<T | Refusal>,
  edits: 'absorb' | 'leave' = 'absorb',
): Promise<T | Refusal> {
  for (let attempt = 1; ; attempt += 1) {
    const lock = await context.lock();
    if (!('release' in lock)) return unlocked(lock, context);
    try {
      const transaction = await openOrImport(context, lock, edits);
      return 'ok' in transaction ? transaction : await work(transaction);
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      if (attempt === 5) return unlocked({ busy: ['the process that keeps deleting .liza/state.yaml.lock'] });
    } finally {
      lock.release();
    }
  }
}

async function openOrImport(
  context: BoardContext,
  lock: Parameters<typeof Transaction.open>[1],
  edits: 'absorb' | 'leave',
): Promise<Transaction | Refusal> {
  const transaction = await Transaction.open(context, lock, edits);
  if (!('ok' in transaction) || transaction.guard !== 'no-journal') return transaction;
  const { adoptFile } = await import('./import.ts');
  const refused = await adoptFile(context);
  return refused ?? Transaction.open(context, lock, edits);
}

async function readTask(context: BoardContext, read: Read, id: string): ReturnType<Store['readTask']> {
  const { board } = await read();
  const { config, questions = [], discovered, human_notes: notes } = board.state;
  const { setup_failures: setup = [] } = board.state.goal;
  const task = board.state.tasks.find((candidate) => candidate.id === id);
  const others = {
    ...(questions.length === 0 ? {} : { questions }),
    ...(discovered.length === 0 ? {} : { discovered }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(setup.length === 0 ? {} : { setup }),
  };
  const archived = task === undefined ? await readArchived(context, id, config) : undefined;
  if (task === undefined) return archived && { ...archived, ...others };
  const lease = board.leases.get(task.reviewing_by ?? task.assigned_to ?? '');
  return { task, archived: false, config, ...defined({ lease }), ...others };
}

async function readArchived({ files, paths }: BoardContext, id: string, config: Config): ReturnType<Store['readTask']> {
  const text = taskArchive(files, paths.archive).text(id);
  const parsed = text === undefined ? undefined : await parseStrict(text);
  if (parsed === undefined || !parsed.ok || !Array.isArray(parsed.value)) return undefined;
  return { task: parsed.value[0], archived: true, config };
}

async function readAgent(read: Read, id: string): ReturnType<Store['readAgent']> {
  const { state } = (await read()).board;
  const agent = state.agents[id];
  const task = agent?.current_task === undefined ? undefined : findTask(state, agent.current_task);
  return { config: state.config, ...defined({ agent, task }) };
}

async function renew(context: BoardContext, read: Read, renewal: Renewal): Promise<Lease | Refusal> {
  const { board, now } = await read();
  const task = renewal.task === undefined ? undefined : findTask(board.state, renewal.task);
  return mayRenew(board, task, renewal, now) ?? writeLease(context, renewal, now);
}

/** So many of the last entries are read from the end. */
const NEAR = 1000;

async function* journal({ files, paths }: BoardContext, from = 0): AsyncGenerator<JournalEntry> {
  // Reading the latest entries must not cost reading all of them.
  const end = from > 0 ? readTail(files, paths.journal, 2) : undefined;
  const wanted = 1 + (end?.lines.at(-1)?.entry.seq ?? 0) - from;
  const tail = wanted > 2 && wanted <= NEAR ? readTail(files, paths.journal, wanted) : end;
  const near = tail !== undefined && (tail.lines[0]?.entry.seq ?? Number.POSITIVE_INFINITY) <= from;
  for (const { entry } of near ? tail.lines : readEntries(files, paths.journal)) if (entry.seq >= from) yield entry;
}

/** Without file system events (network mounts, containers, no watcher left) a change is noticed this late. */
const FALLBACK_MS = 2000;
const SETTLE_MS = 4;
/** The last thing that a commit touches is there: it is over. */
const OVER_MS = 1;
/** From a commit's entry in the journal to its state.yaml, which a large board takes some time to write. */
const COMMIT_MS = 40;

/** Calls back when anybody committed, set or removed a kill switch by hand, or saved state.yaml in an editor. */
function watchFiles(context: BoardContext, changed: () => void): () => void {
  const { disk, clock, paths } = context;
  const files = [paths.journal, paths.state, ...SWITCHES.map((name) => join(paths.liza, name))];
  const names = new Set(files.map((file) => basename(file)));
  const stampOf = (file: string): string => {
    const stat = disk.statSync(file, { throwIfNoEntry: false });
    return stat === undefined ? '' : `${stat.ino}.${stat.size}.${stat.mtimeMs}`;
  };
  const look = (): string => files.map(stampOf).join();
  let last = look();
  const compare = () => {
    const now = look();
    if (now === last) return;
    last = now;
    changed();
  };
  // A commit touches the journal first and state.yaml last; read in the middle of it, a board costs twice as much as after it.
  const [commit, state] = [basename(paths.journal), basename(paths.state)];
  let settling: { readonly due: number; readonly stop: () => void } | undefined;
  const compareIn = (ms: number): void => {
    const due = clock.monotonic() + ms;
    if (settling !== undefined && settling.due <= due) return;
    settling?.stop();
    const stop = clock.after(ms, () => {
      settling = undefined;
      compare();
    });
    settling = { due, stop };
  };
  const watcher = watchFolder(context, paths.liza, (file) => {
    if (file !== null && !names.has(file)) return;
    compareIn(file === commit ? COMMIT_MS : file === state && settling !== undefined ? OVER_MS : SETTLE_MS);
  });
  const stopComparing = clock.every(FALLBACK_MS, compare);
  return () => {
    watcher?.close();
    settling?.stop();
    stopComparing();
  };
}
