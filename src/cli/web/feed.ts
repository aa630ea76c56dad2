// The board as the dashboard looks at it, with its alarms and the crew. Read when somebody asks; watched only while somebody
// looks: with nobody there, nothing runs. What did not change is not worked out again.

import { surroundingsOf } from '../../alarms/observe.ts';
import { alarms as alarmsOf } from '../../alarms/rules/evaluate.ts';
import { baseDistance } from '../../git/base-branch.ts';
import type { Board } from '../../protocol/board.ts';
import { type StatusView, statusWithoutWhy, whyOf } from '../../report/status-view.ts';
import type { Snapshot } from '../../store/store.ts';
import type { StoreContext } from '../../store/transact.ts';
import { readCrew } from '../../supervisor/crew-record.ts';
import type { CrewControl, CrewView } from '../../supervisor/crew-view.ts';
import type { Instant } from '../../text/time.ts';

export interface Looked {
  readonly board: Board;
  readonly seq: number;
  readonly now: Instant;
  readonly status: Omit<StatusView, 'why'>;
  /** Why nothing moves. */
  why(): string | undefined;
  readonly crew: CrewView;
  readonly hasCrew: boolean;
}

export interface Feed {
  look(): Promise<Looked>;
  /** Calls back after anything that is shown may have changed; returns how to stop. */
  watch(changed: () => void): () => void;
}

/** Alarms and leases change with time alone. */
const STALE_MS = 5000;
/** How often the record of a crew in another process is read. */
const CREW_MS = 400;

/** `crew`: that of this process; without it, whichever runs on the board. */
export function openFeed(context: StoreContext, crew: CrewControl | undefined): Feed {
  let last:
    | { readonly key: string; readonly state: unknown; readonly at: Instant; readonly looked: Looked }
    | undefined;
  /** The rules are checked at the first look, and again with what changes by time alone; a broken one each time. */
  let sound: Instant | undefined;
  const look = async (): Promise<Looked> => {
    const snapshot = await context.store.read();
    const other = crew === undefined ? crewElsewhere(context) : { view: crew.view(), text: '' };
    const key = JSON.stringify([snapshot.seq, snapshot.board.switches, snapshot.notices, other?.text ?? null]);
    const { now } = snapshot;
    if (crew === undefined && last?.key === key && last.state === snapshot.board.state && now - last.at < STALE_MS)
      return last.looked;
    const isChecked = sound === undefined || now - sound >= STALE_MS;
    const looked = await lookAt(context, snapshot, other?.view, isChecked ? 'checked' : 'unchecked');
    if (isChecked) sound = looked.isSound ? now : undefined;
    last = { key, state: snapshot.board.state, at: now, looked };
    return looked;
  };
  return { look, watch: (changed) => watch(context, crew, changed) };
}

type Known = Pick<CrewView, 'members' | 'alarms' | 'events' | 'waitsFor' | 'lag' | 'unconfined'>;

async function lookAt(
  context: StoreContext,
  snapshot: Snapshot,
  known: Known | undefined,
  rules: 'checked' | 'unchecked',
): Promise<Looked & { readonly isSound: boolean }> {
  const { board, now, seq, notices } = snapshot;
  // The crew's watcher has them already.
  const around = known === undefined ? await surroundingsOf(context, snapshot, rules) : undefined;
  const alarms = around === undefined ? (known?.alarms ?? []) : alarmsOf(board, now, around);
  // What a reached goal waits for is told by git.
  const base = board.state.goal.status === 'COMPLETED' ? await baseDistance(context, board) : undefined;
  const status = statusWithoutWhy(board, now, alarms, notices);
  const why = () => whyOf(board, now, notices, { base });
  const crew: CrewView = { members: [], events: [], ...known, now, board, alarms };
  return {
    board,
    seq,
    now,
    status,
    why,
    crew,
    hasCrew: known?.members.some(({ state }) => state !== 'stopped') === true,
    isSound: around?.invalid === undefined,
  };
}

function crewElsewhere(context: StoreContext): { readonly view: Known; readonly text: string } | undefined {
  const found = readCrew(context);
  if (found === undefined || !found.isAlive || found.end !== undefined) return undefined;
  return { view: found.view, text: JSON.stringify(found.view) };
}

function watch(context: StoreContext, crew: CrewControl | undefined, changed: () => void): () => void {
  const unwatch = context.store.watch(changed);
  const stale = context.clock.every(STALE_MS, changed, 'background');
  if (crew !== undefined) {
    const quiet = crew.onChange(changed);
    return () => stopAll(unwatch, stale, quiet);
  }
  let before = crewElsewhere(context)?.text;
  const looking = context.clock.every(
    CREW_MS,
    () => {
      const now = crewElsewhere(context)?.text;
      if (now !== before) changed();
      before = now;
    },
    'background',
  );
  return () => stopAll(unwatch, stale, looking);
}

function stopAll(...stops: readonly (() => void)[]): void {
  for (const stop of stops) stop();
}
