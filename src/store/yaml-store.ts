// The store of one project on one machine: `.liza/state.yaml`, readable and editable by a person.
// Hides the lock, the journal, the cache and the edits made by hand.

import { dirname } from 'node:path';
import { errorCode } from '../ports/files.ts';
import type { Board, Lease } from '../protocol/board.ts';
import { decide } from '../protocol/decide.ts';
import { type Decided, type Refusal, Refused } from '../protocol/decision.ts';
import { mayRenew } from '../protocol/leases.ts';
import { EDITED_OUTSIDE, type Notice } from '../protocol/notice.ts';
import { type Config, isTerminal, type State, settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { Archive } from './archive.ts';
import { assemble } from './assemble.ts';
import { type CacheKey, confirm, unchanged } from './cache.ts';
import { writeCache } from './cache-document.ts';
import { touchedRecords } from './changed-records.ts';
import type { BoardContext } from './context.ts';
import { normalise } from './file-values.ts';
import { mergeText } from './hand-edits.ts';
import { adoptFile, readFile, refuseInvalid } from './import.ts';
import { lastOf, readEntries, readTail } from './journal.ts';
import { writeLease } from './leases.ts';
import { type Loaded, load } from './load.ts';
import { asMigrated } from './migrate.ts';
import { missingBoard, unlocked } from './refusals.ts';
import { WAITING_SETTING } from './rejected.ts';
import type { Committed, Decide, JournalEntry, Operation, Outcome, Renewal, Snapshot, Store } from './store.ts';
import { LostRace, Session } from './transaction.ts';
import { refuseNewer } from './version.ts';
import { watchJournal } from './watch.ts';
import { parseStrict } from './yaml/strict.ts';
import { updateDocument, updateDocumentSimple } from './yaml/update.ts';

export function yamlStore(context: BoardContext): Store {
  const read = reader(context);
  return {
    read,
    readTask: (id) => readTask(context, read, id),
    transact: (operation, decision) => inTurn(context, (session) => transactIn(session, operation, decision)),
    archivedTasks: () => new Archive(context.files, context.paths.archive).tasks(),
    renew: (renewal) => renew(context, read, renewal),
    journal: (from) => journal(context, from),
    watch: (changed) => watchJournal(context.paths, changed),
  };
}

/** Takes the lock, opens a session, does the work; again from the start when a race was lost. */
export async function inTurn<T>(
  context: BoardContext,
  work: (session: Session) => Promise<T | Refusal>,
  edits: 'absorb' | 'leave' = 'absorb',
): Promise<T | Refusal> {
  for (let attempt = 1; ; attempt += 1) {
    const lock = await context.lock();
    if (!('release' in lock)) return unlocked(lock, context);
    try {
      const session = await openOrImport(context, lock, edits);
      return 'ok' in session ? session : await work(session);
    } catch (error) {
      if (!(error instanceof LostRace)) throw error;
      if (attempt === 5) return unlocked({ busy: ['whoever keeps deleting .liza/state.yaml.lock'] });
    } finally {
      lock.release();
    }
  }
}

async function openOrImport(
  context: BoardContext,
  lock: Parameters<typeof Session.open>[1],
  edits: 'absorb' | 'leave',
): Promise<Session | Refusal> {
  const session = await Session.open(context, lock, edits);
  if (!('ok' in session) || session.guard !== 'no-journal') return session;
  const refused = await adoptFile(context);
  return refused ?? Session.open(context, lock, edits);
}

async function transactIn(session: Session, operation: Operation, decideOn: Decide): Promise<Outcome> {
  const board = session.board();
  const decision = decideOn(board, session.now());
  if (!decision.ok) return withNotices(decision, session.notices);
  if (decision.already === true) return committed(decision, session);
  await record(session, board, operation, decision);
  await afterwards(session, () => archiveSurplus(session, operation));
  return committed(decision, session);
}

async function record(session: Session, board: Board, { actor, command }: Operation, decision: Decided): Promise<void> {
  const target = session.normal.toFile(decision.state);
  const { doc, edits } = updateDocumentSimple(session.doc, target) ?? (await updateDocument(session.doc, target));
  session.commit(doc, {
    actor,
    command,
    detail: decision.detail,
    change: edits,
    records: touchedRecords(board.state, decision.state),
    ...defined({ task: decision.task, switches: decision.switches }),
    ...(decision.archive === undefined ? {} : { archive: decision.archive, effect: true }),
  });
}

/** The operation stands by now: whatever fails here must neither fail nor repeat it. The next command tries again. */
async function afterwards(session: Session, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const why = error instanceof LostRace ? 'the lock file was deleted' : errorCode(error);
    if (why === undefined) throw error;
    session.notices.push({ kind: 'not-archived', level: 'alarm', message: `finished tasks were not archived: ${why}` });
  }
}

/** Terminal tasks beyond `archive_after` leave the state by themselves. */
async function archiveSurplus(session: Session, { actor }: Operation): Promise<void> {
  const board = session.board();
  const terminal = board.state.tasks.filter((task) => isTerminal(task.status)).length;
  if (terminal <= settings(board.state).archive_after) return;
  const decision = decide(board, { name: 'archive' }, { actor: { ...actor, parts: ['human'] }, now: session.now() });
  if (decision.ok && decision.already !== true) {
    await record(session, board, { actor, command: 'archive' }, decision);
  }
}

function committed(decision: Decided, session: Session): Committed {
  return { ...decision, state: session.normal.state, seq: session.seq, notices: session.notices };
}

function withNotices(refusal: Refusal, notices: readonly Notice[]): Refusal {
  return notices.length === 0 ? refusal : { ...refusal, notices };
}

type Read = () => Promise<Snapshot>;

/** What was read last, and stays right as long as neither the journal nor the file has changed. */
interface Kept {
  readonly key: CacheKey;
  readonly state: State;
  readonly seq: number;
  /** Read so soon after the file's last change that its time stamp could hide another one: read once more by then. */
  readonly until: Instant | undefined;
}

/** A supervisor reads the same board many times after every change: it is parsed once. */
function reader(context: BoardContext): Read {
  const { files, paths, clock } = context;
  let kept: Kept | undefined;
  return async () => {
    const now = clock.now();
    if (kept !== undefined && now <= (kept.until ?? now) && unchanged(files, kept.key, paths)) {
      const { state, seq } = kept;
      return { board: assemble(context, state), now, seq, notices: waitingNotice(context) };
    }
    const { snapshot, keep } = await readWhole(context);
    kept = keep;
    return snapshot;
  };
}

async function readWhole(
  context: BoardContext,
): Promise<{ readonly snapshot: Snapshot; readonly keep: Kept | undefined }> {
  const { files, paths, clock, specExists } = context;
  const loaded = await load(files, paths);
  if ('none' in loaded) return { snapshot: await readImported(context, loaded.none), keep: undefined };
  if ('ok' in loaded) throw new Refused(loaded);
  const newer = refuseNewer(loaded.doc);
  if (newer !== undefined) throw new Refused(newer);
  refreshCache(context, loaded);
  let board = assemble(context, normalise(loaded.doc.value).state);
  const notices: Notice[] = [];
  if (loaded.broken !== undefined) notices.push(invalidState(loaded.broken.message));
  for (const text of loaded.edits) {
    const found = { head: loaded.doc, board, recent: loaded.tail.lines, now: clock.now(), specExists };
    const absorbed = await mergeText(found, text, { kind: 'person' });
    if ('ok' in absorbed) {
      notices.push(invalidState(`line ${absorbed.line}, column ${absorbed.column}: ${absorbed.message}`));
      continue;
    }
    board = absorbed.merge.board;
    const { adopted, aside } = absorbed.merge;
    const what = `${adopted.length} change(s) will be adopted, ${aside.length} set aside by the next command`;
    notices.push({ kind: 'edit-pending', level: 'info', message: `state.yaml was ${EDITED_OUTSIDE}${what}` });
  }
  const seq = loaded.tail.lines.at(-1)?.entry.seq ?? 0;
  const now = clock.now();
  const { key, behind, edits, broken } = loaded;
  const whole = key !== undefined && !behind && edits.length === 0 && broken === undefined;
  const racy = key === undefined ? now : Number(BigInt(key.state[3]) / 1_000_000n) + CLOCK_TICK;
  const until = now > racy ? undefined : racy;
  return {
    snapshot: { board, now, seq, notices: [...notices, ...waitingNotice(context)] },
    keep: whole && unchanged(files, key, paths) ? { key, state: board.state, seq, until } : undefined,
  };
}

/** A reader leaves the cache better than it found it: derived data, replaced atomically, safe without the lock. */
function refreshCache(context: BoardContext, { doc, hash, tail, cached, behind, edits, key }: Loaded): void {
  const { files, paths, clock, leavesCache } = context;
  if (leavesCache || behind || edits.length > 0 || key === undefined || !unchanged(files, key, paths)) return;
  const head = lastOf(tail);
  try {
    if (cached === undefined || !unchanged(files, cached.index.key, paths)) {
      files.makeDirectory(dirname(paths.cache));
      writeCache(files, paths.cache, doc, { key, hash, seq: head.entry.seq });
    } else if (cached.racy && clock.now() - Number(BigInt(key.state[3]) / 1_000_000n) > CLOCK_TICK) {
      confirm(files, paths.cache);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error; // a read-only disk is no reason not to read
  }
}

/** Longer than any file system's time stamps are coarse (4 ms on Linux, 10 ms on older kernels). */
const CLOCK_TICK = 50;

/** A board that no command has touched yet is shown as the file has it. */
async function readImported(context: BoardContext, none: 'no-board' | 'no-journal'): Promise<Snapshot> {
  const seen = none === 'no-board' ? missingBoard(context) : await readFile(context);
  if ('ok' in seen) throw new Refused(seen);
  const refused = refuseInvalid(seen, context);
  if (refused !== undefined) throw new Refused(refused);
  const board = assemble(context, normalise(asMigrated(seen.value, context.clock.now())).state);
  const message = 'state.yaml has no journal yet; the first command that writes will adopt it';
  return { board, now: context.clock.now(), seq: 0, notices: [{ kind: 'no-journal', level: 'info', message }] };
}

/** Repeated as long as they wait: the person who edited may not have seen the command that set them aside. */
function waitingNotice({ files, paths }: BoardContext): readonly Notice[] {
  const waiting = files.list(paths.rejected).filter((name) => WAITING_SETTING.test(name));
  if (waiting.length === 0) return [];
  return [
    {
      kind: 'settings-wait',
      level: 'info',
      message: `${waiting.length} setting(s) changed by hand wait for your word: liza edit --adopt`,
    },
  ];
}

function invalidState(message: string): Notice {
  const problem = `${message} (showing the last good state; mend it with: liza edit)`;
  return { kind: 'invalid-state', level: 'alarm', message: `🚨 INVALID STATE: ${problem}`, problem };
}

async function readTask(context: BoardContext, read: Read, id: string): ReturnType<Store['readTask']> {
  const { board } = await read();
  const { config } = board.state;
  const task = board.state.tasks.find((candidate) => candidate.id === id);
  if (task === undefined) return readArchived(context, id, config);
  const lease = board.leases.get(task.reviewing_by ?? task.assigned_to ?? '');
  return { task, archived: false, config, ...defined({ lease }) };
}

async function readArchived({ files, paths }: BoardContext, id: string, config: Config): ReturnType<Store['readTask']> {
  const text = new Archive(files, paths.archive).text(id);
  const parsed = text === undefined ? undefined : await parseStrict(text);
  if (parsed === undefined || !parsed.ok || !Array.isArray(parsed.value)) return undefined;
  return { task: parsed.value[0], archived: true, config };
}

async function renew(context: BoardContext, read: Read, renewal: Renewal): Promise<Lease | Refusal> {
  const { board, now } = await read();
  const refused = mayRenew(board, renewal, now);
  return refused ?? writeLease(context.files, context.paths.agents, renewal, now);
}

async function* journal({ files, paths }: BoardContext, from = 0): AsyncGenerator<JournalEntry> {
  // Reading the latest entries must not cost reading all of them.
  const tail = from > 0 ? readTail(files, paths.journal, 8) : undefined;
  const near = tail !== undefined && (tail.lines[0]?.entry.seq ?? Number.POSITIVE_INFINITY) <= from;
  for (const { entry } of near ? tail.lines : readEntries(files, paths.journal)) if (entry.seq >= from) yield entry;
}
