// `liza undo`: reverts the last operation by a new one. Only a change of the state alone can be
// undone: nothing with an effect on git, processes or files, nothing that someone has built on since,
// nothing that has ended. Fields return to what they were; history is never cut, it gains `undone`.

import { type Actor, actorName } from '../protocol/board.ts';
import type { CommandName } from '../protocol/command.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { invariants } from '../protocol/invariants.ts';
import { withIdsGiven } from '../protocol/records/record-ids.ts';
import { type HistoryEvent, isTerminal, RECORD_SECTIONS, type State, type Task } from '../protocol/state.ts';
import { TABLE } from '../protocol/table.ts';
import type { Fields } from '../protocol/values.ts';
import { defined } from '../protocol/values.ts';
import type { BoardTransaction } from '../store/board-transaction.ts';
import { touchedRecords } from '../store/changed-records.ts';
import type { BoardContext } from '../store/context.ts';
import { normalise } from '../store/file-values.ts';
import { inTransaction } from '../store/in-transaction.ts';
import type { Entry } from '../store/journal.ts';
import { parseDocument } from '../store/yaml/document.ts';
import { revertHunks } from '../store/yaml/hunks.ts';
import { updateDocument } from '../store/yaml/update.ts';
import { iso } from '../text/time.ts';

interface Undone {
  readonly ok: true;
  readonly entry: Entry;
  readonly seq: number;
}

export function undo(context: BoardContext, actor: Actor, wanted: number | undefined): Promise<Undone | Refusal> {
  return inTransaction<Undone>(context, async (transaction) => {
    const target = transaction.entryAt(wanted ?? transaction.seq);
    if (target === undefined)
      return refuse(`there is no recent entry ${wanted}`, 'liza log shows the entries', 1, 'entry');
    const refused = refuseUndo(transaction, target);
    if (refused !== undefined) return refused;
    const was = await before(transaction, target);
    if ('ok' in was) return was;
    const now = transaction.normal.state;
    const event = { time: iso(transaction.now()), event: 'undone', agent: actorName(actor), entry: target.seq };
    const after = withIdsGiven(now, revert(now, was, target, event));
    const { archived } = transaction.board();
    const old = new Set(invariants(now, archived).map((violation) => violation.message));
    const broken = invariants(after, archived).find((violation) => !old.has(violation.message));
    if (broken !== undefined) {
      return refuse(
        `entry ${target.seq} cannot be undone: ${broken.path.join('.')} ${broken.message}`,
        'undo what builds on it first',
        1,
        'invariant',
      );
    }
    const { doc, edits } = await updateDocument(transaction.doc, transaction.normal.toFile(after));
    transaction.commit(doc, {
      actor,
      command: 'undo',
      detail: `undid entry ${target.seq}: ${target.command}: ${target.detail}`.slice(0, 500),
      change: edits,
      records: touchedRecords(now, after),
      undoes: target.seq,
      ...defined({ task: target.task }),
    });
    return { ok: true, entry: target, seq: transaction.seq };
  });
}

/** Entries of the journal by which a board came into being; no row of the table made them. */
const BEGINNINGS: ReadonlySet<string> = new Set(['init', 'imported', 'migrated']);

const isIrreversible = (command: string): boolean =>
  BEGINNINGS.has(command) || (Object.hasOwn(TABLE, command) && TABLE[command as CommandName].irreversible === true);

function refuseUndo(transaction: BoardTransaction, target: Entry): Refusal | undefined {
  const what = `entry ${target.seq} (${target.command})`;
  if (target.undoes !== undefined) {
    return refuse(`${what} is an undo itself`, 'make the change again with its own command', 1, 'undo');
  }
  if (target.effect === true || isIrreversible(target.command)) {
    return refuse(
      `${what} cannot be undone: it had an effect outside the blackboard`,
      'undo it where it happened',
      1,
      'effect',
    );
  }
  if (target.switches !== undefined) {
    return refuse(`${what} set a kill switch`, 'use: liza pause, liza resume', 1, 'switch');
  }
  const ended = transaction.normal.state.tasks.find(
    (task) => target.records.includes(`tasks/${task.id}`) && isTerminal(task.status),
  );
  if (ended !== undefined) {
    return refuse(
      `${what} cannot be undone: ${ended.id} is ${ended.status}, and that is final`,
      'add a new task for what is missing',
      1,
      'terminal',
    );
  }
  const touched = new Set(target.records);
  const later = transaction.recent.find(
    ({ entry }) => entry.seq > target.seq && entry.records.some((one) => touched.has(one) && !isIdsOnly(entry, one)),
  );
  if (later === undefined) return undefined;
  return refuse(
    `${what} cannot be undone: entry ${later.entry.seq} (${later.entry.command}) has since changed the same record`,
    `undo that one first: liza undo ${later.entry.seq}`,
    1,
    'later',
  );
}

/** An undo writes the ids it took off the board into the goal; where it changed more of it, its own target says so. */
const isIdsOnly = ({ undoes }: Entry, record: string): boolean => undoes !== undefined && record === 'goal';

/** The state before one recent entry, by walking the journal back. */
async function before(transaction: BoardTransaction, target: Entry): Promise<State | Refusal> {
  let text = transaction.doc.text;
  for (const { entry } of [...transaction.recent].reverse()) {
    if (entry.seq < target.seq) break;
    text = revertHunks(text, entry.change);
  }
  const parsed = await parseDocument(text, { recordSections: RECORD_SECTIONS, previous: transaction.doc });
  if (!parsed.ok) return refuse('the journal could not be followed back', 'run: liza log verify', 4, 'journal');
  return normalise(parsed.doc.value).state;
}

function revert(now: State, was: State, target: Entry, event: HistoryEvent): State {
  const result: Record<string, unknown> = { ...now };
  for (const record of target.records) {
    const [section = record, key] = record.split('/');
    const current = result[section];
    const earlier = (was as Fields)[section];
    if (key === undefined) result[section] = earlier;
    else if (Array.isArray(current) && Array.isArray(earlier))
      result[section] = revertItem(current, earlier, key, event);
    else result[section] = revertEntry(current as Fields, earlier as Fields, key);
  }
  return result as unknown as State;
}

/** A record that did not exist before goes; its whole story is in the journal. */
function revertItem(current: readonly Fields[], earlier: readonly Fields[], id: string, event: HistoryEvent): Fields[] {
  const old = earlier.find((item) => item['id'] === id);
  return current.flatMap((item) => {
    if (item['id'] !== id) return [item];
    if (old === undefined) return [];
    if (isReopened(item, old)) return [{ ...old, reopened: latest(event.time, item['closed_at']) }];
    return 'history' in item ? [revertTask(item as unknown as Task, old as unknown as Task, event)] : [old];
  });
}

/** A question whose end was taken back: who was told of that end hears of it. */
const isReopened = (item: Fields, old: Fields): boolean => old['status'] === 'open' && item['status'] !== 'open';

const latest = (time: string, other: unknown): string => (typeof other === 'string' && other > time ? other : time);

function revertTask(task: Task, was: Task, event: HistoryEvent): Fields {
  // The epoch only grows: a writer fenced by it must stay fenced.
  const epoch = Math.max(task.epoch ?? 0, was.epoch ?? 0);
  return { ...was, ...(epoch === 0 ? {} : { epoch }), history: [...(task.history ?? []), event] };
}

function revertEntry(current: Fields, earlier: Fields, key: string): Fields {
  const { [key]: _, ...others } = current;
  return key in earlier ? { ...current, [key]: earlier[key] } : others;
}
