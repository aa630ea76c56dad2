// What the watcher sees: the board, and what is around it. A state that did not change is not read again; leases
// and kill switches, which change without it, are looked at each time. A board that cannot be read leaves the last
// good one in place and says what is wrong with it.

import { isBranchThere } from '../git/refs.ts';
import type { Clock } from '../ports/host.ts';
import { type Board, SHELL } from '../protocol/board.ts';
import { Refused } from '../protocol/decision.ts';
import { invariants } from '../protocol/invariants.ts';
import type { Notice } from '../protocol/notice.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { keyOf, statKey } from '../store/cache.ts';
import { checkFile, issueLine } from '../store/check.ts';
import type { BoardContext } from '../store/context.ts';
import { mirrorJournal } from '../store/git-dir-copy.ts';
import { readTail } from '../store/journal.ts';
import { readLeases } from '../store/lease-records.ts';
import { WINDOW, WINDOW_BYTES } from '../store/load.ts';
import { rejectedReader } from '../store/rejected.ts';
import type { Snapshot } from '../store/store.ts';
import { readSwitches } from '../store/switch-files.ts';
import type { StoreContext } from '../store/transact.ts';
import { type Instant, instant } from '../text/time.ts';
import { readOutage } from './exchange-outage.ts';
import type { Alarm } from './rules/alarm.ts';
import { alarms, invalidState, type SetAside, type Surroundings } from './rules/evaluate.ts';
import { exchangeAlarms, type StoreTrouble, storeAlarms } from './rules/host-rows.ts';

export interface Observation {
  /** Undefined: it was never readable. */
  readonly board: Board | undefined;
  readonly found: readonly Alarm[];
}

interface Known extends Pick<Surroundings, 'lastChange' | 'edits' | 'unbacked' | 'invalid'> {
  readonly notices: readonly Notice[];
  readonly board: Board;
}

/** Looks once at each call. `lastHalt`: when an earlier watcher last saw a kill switch on. */
export function openObserver(context: StoreContext, lastHalt?: () => Instant | undefined): () => Promise<Observation> {
  const { clock } = context;
  const ages = steadyAges(clock);
  const readBoard = boardReader(context);
  const readRejected = rejectedReader(context);
  let aside: readonly SetAside[] = [];
  /** By the steady clock: when a kill switch was last on. */
  let haltedAt: number | undefined;
  return async () => {
    const { known, stamp, problem, store } = await readBoard();
    let board = known?.board;
    let unreadable = problem;
    try {
      if (board !== undefined && stamp !== undefined) board = withSurroundings(context, board);
      aside = readRejected();
    } catch (error) {
      unreadable ??= (error as Error).message;
    }
    const exchange = readOutage(context, clock.now());
    if (known === undefined || board === undefined) {
      const found = store === undefined ? [invalidState(unreadable ?? 'it cannot be read')] : storeAlarms({ store });
      return { board: undefined, found: [...found, ...exchangeAlarms({ exchange })] };
    }
    const steady = clock.steady();
    if (Object.keys(board.switches).length > 0) haltedAt = steady;
    const before = lastHalt?.();
    haltedAt ??= before === undefined ? undefined : onSteadyClock(clock, before);
    const surroundings = {
      lastChange: known.lastChange,
      notices: known.notices,
      edits: known.edits ?? [],
      unbacked: known.unbacked ?? [],
      aside,
      sinceHalt: haltedAt === undefined ? undefined : steady - haltedAt,
      integrationThere: hasIntegration(context, board),
      invalid: unreadable ?? known.invalid,
      store,
      exchange,
    };
    ages.next();
    return { board, found: alarms(board, clock.now(), { ...surroundings, age: ages.age }) };
  };
}

export interface Ages {
  age(stamp: Instant): number;
  /** Between two evaluations: forgets the stamps that nobody asked for in the last one. */
  next(): void;
}

/**
 * How long ago something was, by a clock that no jump of the wall clock moves. A stamp is anchored when it is first
 * seen: from then on its age grows by the steady clock alone, so that setting the clock neither raises an alarm nor
 * puts one off. A stamp in the future counts as now.
 */
export function steadyAges(clock: Pick<Clock, 'now' | 'steady'>): Ages {
  let known = new Map<Instant, number>();
  let asked = new Map<Instant, number>();
  return {
    age: (stamp) => {
      const began = asked.get(stamp) ?? known.get(stamp) ?? onSteadyClock(clock, stamp);
      asked.set(stamp, began);
      return clock.steady() - began;
    },
    next: () => {
      known = asked;
      asked = new Map();
    },
  };
}

/** A time in the future counts as now. */
const onSteadyClock = (clock: Pick<Clock, 'now' | 'steady'>, at: Instant): number =>
  clock.steady() - Math.max(0, clock.now() - at);

interface BoardReading {
  /** The last board that could be read. */
  readonly known: Known | undefined;
  /** Undefined: there is no board on the disk. */
  readonly stamp?: string | undefined;
  /** Why it could not be read this time. */
  readonly problem?: string;
  /** Why the database that it is in could not be asked this time. */
  readonly store?: StoreTrouble;
}

function boardReader(context: StoreContext): () => Promise<BoardReading> {
  let readAt: string | undefined;
  let known: Known | undefined;
  return async () => {
    let stamp: string | undefined;
    try {
      stamp = stampOf(context);
      // What is on the disk of a shared board is only a view of it.
      if (known === undefined || stamp === undefined || stamp !== readAt || context.shared !== undefined) {
        readAt = undefined;
        known = await settled(context, known);
        readAt = stamp;
      }
      return { known, stamp };
    } catch (error) {
      const store = context.shared === undefined ? undefined : storeTrouble(error);
      return store === undefined ? { known, stamp, problem: (error as Error).message } : { known, stamp, store };
    }
  };
}

function storeTrouble(error: unknown): StoreTrouble | undefined {
  if (!(error instanceof Refused)) return undefined;
  const { guard, message, hint } = error.refusal;
  return { isSetBack: guard === 'store-set-back', text: `${message}; ${hint}` };
}

const hasIntegration = ({ disk, paths }: BoardContext, { state }: Board): boolean | undefined =>
  state.goal.integration_head === undefined
    ? undefined
    : isBranchThere(disk, paths.root, settings(state).integration_branch);

/** What a single look knows besides the board it has read; for commands that show alarms and publish none. */
export async function surroundingsOf(
  context: StoreContext,
  snapshot: Snapshot,
  rules: 'checked' | 'unchecked' = 'checked',
): Promise<Surroundings> {
  const { board: _read, ...known } = await know(context, snapshot, rules);
  const integrationThere = hasIntegration(context, snapshot.board);
  const exchange = readOutage(context, snapshot.now);
  return { ...known, aside: rejectedReader(context)(), integrationThere, exchange };
}

/** An editor that saves in place empties the file first: what is new or wrong counts if it is still so a moment later. */
async function settled(context: StoreContext, before: Known | undefined): Promise<Known> {
  const look = async (): Promise<Known> => know(context, await context.store.read(WITHIN));
  const now = await look().catch(() => undefined);
  const told = new Set(before?.notices.map(({ message }) => message));
  const calm = now?.notices.every(({ message }) => told.has(message)) === true;
  if (calm && (now.invalid === undefined || now.invalid === before?.invalid)) return now;
  await context.clock.sleep(SETTLE_MS);
  return look();
}

export const SETTLE_MS = 150;
/** Between announcements nothing changes but what time brings. */
const WITHIN = 10_000;

/** `unchecked`: for who looks again and again; every task is looked at to check the rules. */
async function know(
  context: StoreContext,
  snapshot: Snapshot,
  rules: 'checked' | 'unchecked' = 'checked',
): Promise<Known> {
  const { board, notices } = snapshot;
  const { lastChange, edits, unbacked } = await recent(context, snapshot);
  const invalid = (await problemOf(context, notices)) ?? (rules === 'checked' ? violationOf(board) : undefined);
  return { board, notices, lastChange, edits: edits ?? [], unbacked: unbacked ?? [], invalid };
}

/**
 * What `liza validate` says of the file as it is on the disk: the board that was read is already without what the next
 * command will set aside. A file that Liza wrote is not parsed for that.
 */
async function problemOf(context: BoardContext, notices: readonly Notice[]): Promise<string | undefined> {
  const { files, paths } = context;
  const stat = files.stat(paths.state);
  if (stat === undefined) {
    return hasJournal(context) ? 'state.yaml is missing; the next command that writes restores it' : undefined;
  }
  if (!stat.isFile) return 'state.yaml is not a regular file; the next command that writes replaces it';
  if (!notices.some(({ kind }) => kind === 'edit-pending')) return undefined;
  const issues = await checkFile(files, paths.state, context);
  if ('ok' in issues) return issues.message;
  const [first] = issues;
  if (first === undefined) return undefined;
  return `${issueLine(first)}${issues.length === 1 ? '' : ` (and ${issues.length - 1} more: liza validate)`}`;
}

/** A store without files has none, and misses no state.yaml. */
const hasJournal = ({ files, paths }: BoardContext): boolean =>
  files.stat(paths.journal) !== undefined ||
  (paths.mirror !== undefined && files.stat(mirrorJournal(paths.mirror)) !== undefined);

async function recent(
  { store, files, paths }: StoreContext,
  { seq, now }: Snapshot,
): Promise<Pick<Known, 'lastChange' | 'edits' | 'unbacked'>> {
  const lines = readTail(files, paths.journal, WINDOW, WINDOW_BYTES)?.lines;
  if (lines === undefined) {
    // A store without files, or a journal that only its copy in the git directory has.
    for await (const { time } of store.journal(seq)) return { lastChange: instant(time) };
    return { lastChange: now };
  }
  const last = lines.at(-1)?.entry.time;
  const edits = lines.flatMap(({ entry: { command, seq, time, detail } }) =>
    command === 'external_edit' ? [{ seq, time: instant(time), detail }] : [],
  );
  const unbacked = lines.flatMap(({ entry: { command, seq, time, task, actor, session } }) =>
    session === SHELL ? [{ seq, time: instant(time), step: [command, task].join(' ').trim(), actor }] : [],
  );
  return { lastChange: last === undefined ? now : instant(last), edits, unbacked };
}

/** Not what a record says by itself: that was checked when it came in. */
function violationOf({ state, archived }: Board): string | undefined {
  return invariants(state, archived)[0]?.message;
}

/** With leases, switches and the disk as they are now. */
function withSurroundings(context: BoardContext, board: Board): Board {
  if (context.shared !== undefined) return board;
  const { files, paths } = context;
  const freeMb = files.freeMb?.(paths.liza);
  return {
    ...board,
    switches: readSwitches(files, paths),
    leases: readLeases(context),
    ...defined({ freeMb }),
  };
}

/** Equal as long as neither state, journal nor the records set aside were touched. */
function stampOf({ files, paths }: BoardContext): string | undefined {
  const key = keyOf(files, paths);
  if (key === undefined) {
    const journal = files.stat(paths.journal);
    return journal === undefined ? undefined : ['gone', ...statKey(journal)].join();
  }
  // Where a save went last time is told by its size and time; its link comes and goes.
  const superseded = key.superseded?.slice(0, 3) ?? [];
  return [key.state, key.journal, superseded, files.stat(paths.rejected)?.mtimeNs].join();
}
