// One decision, made and recorded in a writer's turn, and the finished tasks that leave the state after it.

import { errorCode } from '../ports/files.ts';
import { type Actor, type Board, plays } from '../protocol/board.ts';
import { decide } from '../protocol/decide.ts';
import { type Decided, type Decision, type Refusal, refuse } from '../protocol/decision.ts';
import type { Notice } from '../protocol/notice.ts';
import { isTerminal, settings, type Task } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { gist } from '../text/format.ts';
import type { BoardTransaction } from './board-transaction.ts';
import { SIZE_LIMIT } from './bounded-text.ts';
import { touchedRecords } from './changed-records.ts';
import { keepable } from './keepable.ts';
import type { Committed, Decide, Operation, Outcome } from './store.ts';
import { LostRace, type Seen } from './transaction.ts';
import { updateDocument, updateDocumentSimple } from './yaml/update.ts';

export async function transactIn(
  transaction: BoardTransaction,
  operation: Operation,
  decideOn: Decide,
): Promise<Outcome> {
  const before = transaction.hasReadTasks ? transaction.state.tasks : [];
  const decision = await decideAndRecord(transaction, operation, (board) => decideOn(board, transaction.now()));
  if (!decision.ok) return withNotices(decision, transaction.notices);
  if (decision.already !== true && transaction.hasReadTasks)
    await afterwards(transaction, () => archiveSurplus(transaction, operation, before));
  return committed(decision, transaction);
}

async function decideAndRecord(
  transaction: BoardTransaction,
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
  const decision = keepable(decideOn(board), { state: board.state });
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
async function afterwards(transaction: BoardTransaction, work: () => Promise<void>): Promise<void> {
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
async function archiveSurplus(
  transaction: BoardTransaction,
  { actor }: Operation,
  before: readonly Task[],
): Promise<void> {
  const { state } = transaction;
  if (endedIn(state.tasks, before) <= settings(state).archive_after) return;
  const asking = { actor: { ...actor, parts: ['human'] as const }, now: transaction.now() };
  await decideAndRecord(transaction, { actor, command: 'archive' }, (seen) =>
    decide(seen, { name: 'archive' }, asking),
  );
}

const counted = new WeakMap<readonly Task[], number>();
const hasEnded = (task: Task | undefined): number => (task !== undefined && isTerminal(task.status) ? 1 : 0);

/** How many have ended. Asked after every command: of thousands of tasks only those that changed are looked at. */
function endedIn(tasks: readonly Task[], before: readonly Task[]): number {
  let ended = counted.get(tasks);
  if (ended !== undefined) return ended;
  const known = counted.get(before);
  ended = known ?? 0;
  for (let at = 0; at < Math.max(tasks.length, before.length); at += 1) {
    if (known === undefined) ended += hasEnded(tasks[at]);
    else if (tasks[at] !== before[at]) ended += hasEnded(tasks[at]) - hasEnded(before[at]);
  }
  counted.set(tasks, ended);
  return ended;
}

function committed(decision: Decided, transaction: BoardTransaction): Committed {
  const { state, seq, notices } = transaction;
  return { ...decision, state, seq, notices };
}

function withNotices(refusal: Refusal, notices: readonly Notice[]): Refusal {
  return notices.length === 0 ? refusal : { ...refusal, notices };
}
