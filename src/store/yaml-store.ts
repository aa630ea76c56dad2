// The store of one project on one machine: `.liza/state.yaml`, readable and editable by a person.
// Hides the lock, the journal, the cache and the edits made by hand.

import { basename, join } from 'node:path';
import { errorCode } from '../ports/files.ts';
import { watchFolder } from '../ports/watch-folder.ts';
import { type Actor, type Board, type Lease, plays, SWITCHES } from '../protocol/board.ts';
import { decide } from '../protocol/decide.ts';
import { type Decided, type Decision, type Refusal, refuse } from '../protocol/decision.ts';
import { findTask } from '../protocol/find.ts';
import { tasksOfGoal } from '../protocol/goal/goal-tasks.ts';
import { mayRenew } from '../protocol/leases.ts';
import type { Notice } from '../protocol/notice.ts';
import { type Config, isTerminal, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { gist } from '../text/format.ts';
import { taskArchive } from './archive.ts';
import { SIZE_LIMIT } from './bounded-text.ts';
import { touchedRecords } from './changed-records.ts';
import type { BoardContext } from './context.ts';
import { adoptFile } from './import.ts';
import { readEntries, readTail } from './journal.ts';
import { writeLease } from './lease-records.ts';
import { pastGoals } from './past-goals.ts';
import { type Read, reader } from './reader.ts';
import { unlocked } from './refusals.ts';
import type { Committed, Decide, JournalEntry, Operation, Outcome, Renewal, Store } from './store.ts';
import { LostRace, type Seen, Transaction } from './transaction.ts';
import { parseStrict } from './yaml/strict.ts';
import { updateDocument, updateDocumentSimple } from './yaml/update.ts';

export function yamlStore(context: BoardContext): Store {
  const read = reader(context);
  return {
    read,
    readTask: (id) => readTask(context, read, id),
    readAgent: (id) => readAgent(read, id),
    transact: (operation, decision) =>
      inTransaction(context, (transaction) => transactIn(transaction, operation, decision)),
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
export async function inTransaction<T>(
  context: BoardContext,
  work: (transaction: Transaction) => Promise<T | Refusal>,
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
  const refused = await adoptFile(context);
  return refused ?? Transaction.open(context, lock, edits);
}

async function transactIn(transaction: Transaction, operation: Operation, decideOn: Decide): Promise<Outcome> {
  const decision = await decideAndRecord(transaction, operation, (board) => decideOn(board, transaction.now()));
  if (!decision.ok) return withNotices(decision, transaction.notices);
  if (decision.already !== true && transaction.hasReadTasks)
    await afterwards(transaction, () => archiveSurplus(transaction, operation));
  return committed(decision, transaction);
}

async function decideAndRecord(
  transaction: Transaction,
  { actor, command }: Operation,
  decideOn: (board: Board) => Decision,
): Promise<Decision> {
  const { decision, update } = await transaction.withEnough((seen) => decideAndUpdate(seen, decideOn));
  if (!decision.ok || update === undefined) return decision;
  const refused = tooLarge(actor, update.doc.source.length, update.before);
  if (refused !== undefined) return refused;
  transaction.commit(update.doc, {
    actor,
    command,
    detail: withSaid(decision),
    change: update.edits,
    records: update.records,
    ...defined({ task: decision.task, switches: decision.switches }),
    ...(decision.archive === undefined ? {} : { archive: decision.archive, effect: true }),
  });
  return decision;
}

/** A larger file nobody reads any more: what leads there is refused, to agents first, so that a person can still mend it. */
function tooLarge(actor: Actor, length: number, before: number): Refusal | undefined {
  const isAgents = !plays(actor, 'human') && !plays(actor, 'supervisor');
  const most = isAgents ? SIZE_LIMIT * 0.75 : SIZE_LIMIT;
  if (length <= most || length <= before) return undefined;
  return refuse(
    `the blackboard would have ${Math.ceil(length / 2 ** 20)} MB, at most ${most / 2 ** 20} are taken${isAgents ? ' from agents' : ''}`,
    isAgents
      ? 'Stop here: a person has to make room'
      : 'make room: liza archive moves ended tasks out; liza edit shows what is so large',
    1,
    'board-size',
  );
}

/** The decision, and the document it leads to; commits nothing. */
async function decideAndUpdate({ doc, normal, board }: Seen, decideOn: (board: Board) => Decision) {
  const decision = decideOn(board);
  if (!decision.ok || decision.already === true) return { decision };
  const target = normal.toFile(decision.state);
  const update = updateDocumentSimple(doc, target) ?? (await updateDocument(doc, target));
  const records = touchedRecords(board.state, decision.state);
  return { decision, update: { ...update, records, before: doc.source.length } };
}

const withSaid = ({ detail, said }: Decided): string =>
  said === undefined || said.trim() === '' ? detail : `${detail}: ${gist(said, LONGEST_SAID)}`;

/** The record itself has all of it. */
const LONGEST_SAID = 1000;

/** The operation is committed: a failure here must neither fail nor repeat it. The next command tries again. */
async function afterwards(transaction: Transaction, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof LostRace ? 'the lock file was deleted' : errorCode(error);
    if (why === undefined) throw error;
    transaction.notices.push({
      kind: 'not-archived',
      level: 'alarm',
      message: `finished tasks were not archived: ${why}`,
    });
  }
}

/** Terminal tasks beyond `archive_after` leave the state by themselves. */
async function archiveSurplus(transaction: Transaction, { actor }: Operation): Promise<void> {
  const board = transaction.board();
  const terminal = board.state.tasks.filter((task) => isTerminal(task.status)).length;
  if (terminal <= settings(board.state).archive_after) return;
  const asking = { actor: { ...actor, parts: ['human'] as const }, now: transaction.now() };
  await decideAndRecord(transaction, { actor, command: 'archive' }, (seen) =>
    decide(seen, { name: 'archive' }, asking),
  );
}

function committed(decision: Decided, transaction: Transaction): Committed {
  const { state, seq, notices } = transaction;
  return { ...decision, state, seq, notices };
}

function withNotices(refusal: Refusal, notices: readonly Notice[]): Refusal {
  return notices.length === 0 ? refusal : { ...refusal, notices };
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

async function* journal({ files, paths }: BoardContext, from = 0): AsyncGenerator<JournalEntry> {
  // Reading the latest entries must not cost reading all of them.
  const tail = from > 0 ? readTail(files, paths.journal, 8) : undefined;
  const near = tail !== undefined && (tail.lines[0]?.entry.seq ?? Number.POSITIVE_INFINITY) <= from;
  for (const { entry } of near ? tail.lines : readEntries(files, paths.journal)) if (entry.seq >= from) yield entry;
}

/** Without file system events (network mounts, containers, no watcher left) a change is noticed this late. */
const FALLBACK_MS = 2000;
const SETTLE_MS = 4;

/** Calls back when anybody committed, set or removed a kill switch by hand, or saved state.yaml in an editor. */
function watchFiles({ disk, clock, paths }: BoardContext, changed: () => void): () => void {
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
  // A commit touches several files within milliseconds; read in the middle of it, a board costs more than after it.
  let stopSettling: (() => void) | undefined;
  const watcher = watchFolder(disk, paths.liza, (file) => {
    if (stopSettling !== undefined || (file !== null && !names.has(file))) return;
    stopSettling = clock.after(SETTLE_MS, () => {
      stopSettling = undefined;
      compare();
    });
  });
  const stopComparing = clock.every(FALLBACK_MS, compare);
  return () => {
    watcher?.close();
    stopSettling?.();
    stopComparing();
  };
}
