// What the watcher sees: the board, and what is around it. A state that did not change is not read again; leases
// and kill switches, which change without it, are looked at each time. A board that cannot be read leaves the last
// good one in place and says what is wrong with it.

import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isBranchThere } from '../git/refs.ts';
import type { Board } from '../protocol/board.ts';
import { invariants } from '../protocol/invariants.ts';
import type { Notice } from '../protocol/notice.ts';
import { settings } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { keyOf, statKey } from '../store/cache.ts';
import { checkFile, issueLine } from '../store/check.ts';
import type { BoardContext } from '../store/context.ts';
import { readTail } from '../store/journal.ts';
import { readSwitches } from '../store/kill-switches.ts';
import { readLeases } from '../store/leases.ts';
import { WINDOW, WINDOW_BYTES } from '../store/load.ts';
import { mirrorJournal } from '../store/mirror.ts';
import { WAITING_SETTING } from '../store/rejected.ts';
import type { Snapshot, Store } from '../store/store.ts';
import { type Instant, instant } from '../text/time.ts';
import type { Alarm } from './rules/alarm.ts';
import { alarms, type ExternalEdit, invalidState, type SetAside, type Surroundings } from './rules/evaluate.ts';
import { steadyAges } from './steady-clock.ts';

export interface SightOptions {
  readonly store: Store;
  readonly context: BoardContext;
  now(): Instant;
  /** Milliseconds of a clock that never jumps; without it the wall clock ages everything. */
  readonly steady?: (() => number) | undefined;
  /** When an earlier look last saw a kill switch on. */
  halted?(): Instant | undefined;
}

export interface Sight {
  /** Undefined: it was never readable. */
  readonly board: Board | undefined;
  readonly found: readonly Alarm[];
}

interface Known extends Pick<Surroundings, 'lastChange' | 'edits' | 'invalid'> {
  readonly notices: readonly Notice[];
  readonly board: Board;
}

/** Looks once at each call. */
export function openSight(options: SightOptions): () => Promise<Sight> {
  const { context } = options;
  const ages = steadyAges(options.now, options.steady ?? options.now);
  const aside = asideReader(context);
  let key: string | undefined;
  let known: Known | undefined;
  let set: readonly SetAside[] = [];
  /** By the steady clock: when a kill switch was last on. */
  let halted: number | undefined;
  return async () => {
    let unreadable: string | undefined;
    let stamp: string | undefined;
    try {
      stamp = stampOf(context);
      if (known === undefined || stamp === undefined || stamp !== key) {
        key = undefined;
        known = await settled(options, known);
        key = stamp;
      }
    } catch (error) {
      unreadable = (error as Error).message;
    }
    let seen = known?.board;
    try {
      if (seen !== undefined && stamp !== undefined) seen = around(context, seen);
      set = aside();
    } catch (error) {
      unreadable ??= (error as Error).message;
    }
    if (known === undefined || seen === undefined) {
      return { board: undefined, found: [invalidState(unreadable ?? 'it cannot be read')] };
    }
    const steady = (options.steady ?? options.now)();
    if (Object.keys(seen.switches).length > 0) halted = steady;
    halted ??= earlier(options, steady);
    const sinceHalt = halted === undefined ? undefined : steady - halted;
    const extra = {
      lastChange: known.lastChange,
      notices: known.notices,
      edits: known.edits ?? [],
      aside: set,
      sinceHalt,
      integrationThere: hasIntegration(context, seen),
    };
    const invalid = unreadable ?? known.invalid;
    ages.next();
    return { board: seen, found: alarms(seen, options.now(), { ...extra, invalid, age: ages.age }) };
  };
}

const hasIntegration = ({ paths }: BoardContext, { state }: Board): boolean | undefined =>
  state.goal.integration_head === undefined ? undefined : isBranchThere(paths.root, settings(state).integration_branch);

/** By the steady clock; a time in the future counts as now. */
function earlier({ now, halted }: SightOptions, steady: number): number | undefined {
  const at = halted?.();
  return at === undefined ? undefined : steady - Math.max(0, now() - at);
}

/** What a single look knows besides the board it has read; for commands that show alarms and tell none. */
export async function surroundingsOf(store: Store, context: BoardContext, snapshot: Snapshot): Promise<Surroundings> {
  const { lastChange, edits = [], invalid, notices } = await know({ store, context }, snapshot);
  const integrationThere = hasIntegration(context, snapshot.board);
  return { lastChange, edits, invalid, notices, aside: asideReader(context)(), integrationThere };
}

/** An editor that saves in place empties the file first: what is new or wrong counts if it is still so a moment later. */
async function settled(options: SightOptions, before: Known | undefined): Promise<Known> {
  const look = async (): Promise<Known> => know(options, await options.store.read());
  const now = await look().catch(() => undefined);
  const told = new Set(before?.notices.map(({ message }) => message));
  const calm = now?.notices.every(({ message }) => told.has(message)) === true;
  if (calm && (now.invalid === undefined || now.invalid === before?.invalid)) return now;
  await wait(SETTLE_MS);
  return look();
}

export const SETTLE_MS = 150;

async function know({ store, context }: Pick<SightOptions, 'store' | 'context'>, snapshot: Snapshot): Promise<Known> {
  const { board, seq, notices, now } = snapshot;
  const { lastChange, edits } = await recent(store, context, seq, now);
  const invalid = (await problemOf(context, notices)) ?? violationOf(board);
  return { board, notices, lastChange, edits, invalid };
}

/**
 * What `liza validate` says of the file as it is on the disk: the board that was read is without what the next command will
 * set aside. A file that Liza wrote is not parsed for that.
 */
async function problemOf(context: BoardContext, notices: readonly Notice[]): Promise<string | undefined> {
  const { files, paths } = context;
  if (files.stat(paths.state) === undefined) {
    return hasJournal(context) ? 'state.yaml is not there; the next command that writes brings it back' : undefined;
  }
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
  store: Store,
  { files, paths }: BoardContext,
  seq: number,
  now: Instant,
): Promise<{ readonly lastChange: Instant; readonly edits: readonly ExternalEdit[] }> {
  const lines = readTail(files, paths.journal, WINDOW, WINDOW_BYTES)?.lines;
  if (lines === undefined) {
    // A store without files, or a journal that only its copy in the git directory has.
    for await (const { time } of store.journal(seq)) return { lastChange: instant(time), edits: [] };
    return { lastChange: now, edits: [] };
  }
  const last = lines.at(-1)?.entry.time;
  const edits = lines.flatMap(({ entry: { command, seq, time, detail } }) =>
    command === 'external_edit' ? [{ seq, time: instant(time), detail }] : [],
  );
  return { lastChange: last === undefined ? now : instant(last), edits };
}

/** Not what a record says by itself: that was checked when it came in. */
function violationOf({ state, archived }: Board): string | undefined {
  return invariants(state, archived)[0]?.message;
}

/** With leases, switches and the disk as they are now. */
function around({ files, paths }: BoardContext, board: Board): Board {
  const freeMb = files.freeMb?.(paths.liza);
  return {
    ...board,
    switches: readSwitches(files, paths),
    leases: readLeases(files, paths.agents),
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

const RECORD = /^\d+-\d+-.+\.yaml$/;
const MOST = 50;

/** Records in rejected/, newest last; the folder is read again only when it changed. */
function asideReader({ files, paths }: BoardContext): () => readonly SetAside[] {
  let seen: bigint | undefined;
  let found: readonly SetAside[] = [];
  return () => {
    const stamp = files.stat(paths.rejected)?.mtimeNs;
    if (stamp === seen) return found;
    seen = stamp;
    const names = stamp === undefined ? [] : files.list(paths.rejected);
    found = names
      .filter((name) => RECORD.test(name) && !WAITING_SETTING.test(name))
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .slice(-MOST)
      .map((name) => readAside({ files, paths }, name));
    return found;
  };
}

/** The first lines say what it is and why (store/rejected.ts). */
function readAside({ files, paths }: Pick<BoardContext, 'files' | 'paths'>, name: string): SetAside {
  const file = join(paths.rejected, name);
  const head = files.read(file)?.toString('utf8', 0, 4000).split('\n') ?? [];
  const comment = (line: string | undefined): string => (line ?? '').replace(/^# (set aside from state\.yaml: )?/, '');
  return { file: relative(paths.root, file), record: comment(head[0]), reason: comment(head[1]) };
}
