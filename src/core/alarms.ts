// Condition × threshold → alarm (SPEC §12, the table of the tooling seed). Pure: the watcher compares two
// evaluations to raise an alarm once when its key appears and once when it goes.

import { type Alarm, alarm, HOUR, minutes, STALE_AFTER, warning } from './alarms/alarm.ts';
import { type AlarmContext, taskAlarms } from './alarms/task-rows.ts';
import type { Board } from './board.ts';
import { gist } from './gist.ts';
import { type State, settings, type Trouble } from './state.ts';
import { duration, type Instant } from './time.ts';

/** What the watcher knows besides board and clock. */
export interface Surroundings {
  /** When the state last changed. */
  readonly lastChange: Instant;
  /** The first thing wrong with state.yaml. */
  readonly invalid?: string;
  /** What the store noticed: edits made by hand, records set aside. */
  readonly notices?: readonly { readonly level: 'info' | 'alarm'; readonly message: string }[];
}

export const INVALID_KEY = 'INVALID STATE';

export const editKey = (message: string): string => `EXTERNAL EDIT:${message}`;

/** Every alarm that is on now: about the board as a whole first, then task by task. */
export function alarms(board: Board, now: Instant, extra: Surroundings): readonly Alarm[] {
  const context: AlarmContext = { board, now, settings: settings(board.state) };
  return [
    ...invalid(extra),
    ...notices(extra),
    ...integrationMoved(context),
    ...checkpoint(board, now),
    ...pause(board, now),
    ...stalled(board, now, extra),
    ...troubles(board.state),
    ...discoveries(board.state),
    ...rubberStamp(board.state),
    ...taskAlarms(board.state.tasks, context),
  ];
}

function invalid(extra: Surroundings): readonly Alarm[] {
  return extra.invalid === undefined ? [] : [alarm(INVALID_KEY, `INVALID STATE: ${gist(extra.invalid)}`)];
}

function notices(extra: Surroundings): readonly Alarm[] {
  return (extra.notices ?? []).map(({ level, message }) =>
    (level === 'alarm' ? alarm : warning)(editKey(message), `EXTERNAL EDIT: ${gist(message)}`),
  );
}

/** Keyed by where it is: moved once more, it is another alarm. */
function integrationMoved({ board, settings: { integration_branch } }: AlarmContext): readonly Alarm[] {
  const moved = board.state.goal.integration_moved;
  if (moved === undefined) return [];
  const text = `INTEGRATION MOVED OUTSIDE LIZA: ${integration_branch} is at ${moved.found}, Liza left it at ${moved.expected}`;
  return [alarm(`INTEGRATION MOVED:${moved.found}`, text)];
}

function checkpoint(board: Board, now: Instant): readonly Alarm[] {
  const age = now - (board.switches.CHECKPOINT ?? now);
  if (age >= 8 * HOUR) return [alarm('CHECKPOINT:8h', 'CHECKPOINT ABANDONED?: waiting for human')];
  if (age >= 2 * HOUR) return [alarm('CHECKPOINT:2h', 'CHECKPOINT STUCK: waiting for human')];
  if (age >= STALE_AFTER) return [warning('CHECKPOINT:30m', 'CHECKPOINT STALE: waiting for human')];
  return [];
}

function pause(board: Board, now: Instant): readonly Alarm[] {
  const age = now - (board.switches.PAUSE ?? now);
  const exists = `PAUSE file exists for ${minutes(age)}min`;
  if (age >= 2 * HOUR) return [alarm('PAUSE:2h', `PAUSE FORGOTTEN: ${exists}`)];
  if (age >= STALE_AFTER) return [warning('PAUSE:30m', `STALE PAUSE: ${exists}`)];
  return [];
}

/** Only while the goal is meant to progress: under a kill switch the switch has its own alarm. */
function stalled(board: Board, now: Instant, extra: Surroundings): readonly Alarm[] {
  const { status } = board.state.goal;
  const meant = (status === 'PLANNING' || status === 'IN_PROGRESS') && Object.keys(board.switches).length === 0;
  const age = now - extra.lastChange;
  return meant && age >= STALE_AFTER ? [warning('STALLED', `STALLED: no progress for ${duration(age)}`)] : [];
}

const SAID: Readonly<Record<Trouble, string>> = {
  'crash-loop': 'CRASH LOOP',
  spin: 'SPIN',
  quota: 'PROVIDER QUOTA',
  network: 'PROVIDER UNREACHABLE',
  login: 'LOGIN NEEDED',
  provider: 'PROVIDER MISSING',
};

/** Waits that end by themselves are warnings; a supervisor that stopped is an alarm. */
function troubles(state: State): readonly Alarm[] {
  return Object.entries(state.agents).flatMap(([id, { trouble }]) => {
    if (trouble === undefined) return [];
    const { kind, detail, until } = trouble;
    const when = until === undefined ? '' : ` (until ${until})`;
    const text = `${SAID[kind]}: ${id} — ${gist(detail)}${when}`;
    return [(until === undefined ? alarm : warning)(`${SAID[kind]}:${id}`, text)];
  });
}

function discoveries(state: State): readonly Alarm[] {
  return state.discovered
    .filter((found) => found.urgency === 'immediate' && !found.converted_to_task && !found.dismissed_reason)
    .map(({ id, description }) =>
      alarm(`IMMEDIATE DISCOVERY:${id}`, `IMMEDIATE DISCOVERY: ${id} — ${gist(description)} (Planner should wake)`),
    );
}

/** SPEC §11: more than 95 % approvals over at least 5 verdicts is no review. */
function rubberStamp(state: State): readonly Alarm[] {
  let approvals = 0;
  let verdicts = 0;
  for (const task of state.tasks) {
    for (const { event } of task.history ?? []) {
      if (event === 'approved') approvals += 1;
      if (event === 'approved' || event === 'rejected') verdicts += 1;
    }
  }
  if (verdicts < 5 || approvals * 100 <= verdicts * 95) return [];
  return [warning('RUBBER STAMP', `RUBBER STAMP: ${approvals} of ${verdicts} verdicts approved`)];
}
