// What needs a person: the same for the page that lists it and for the number in the menu. Pure.

import type { Alarm, AlarmName } from '../../../alarms/rules/alarm.ts';
import { findTask } from '../../../protocol/find.ts';
import { isUrgent } from '../../../protocol/messages/discoveries.ts';
import type { Discovery } from '../../../protocol/state.ts';
import type { QuestionView, StatusView, TaskView } from '../../../report/status-view.ts';
import { byUrgency } from '../../live/events.ts';
import type { Subject } from '../offers.ts';
import type { Seen } from './view.ts';

interface Needs {
  readonly switches: StatusView['switches'];
  readonly questions: readonly QuestionView[];
  /** Without those that a question above them holds. */
  readonly blocked: readonly TaskView[];
  /** Without those that one of the others tells: a question, a switch that is on for long. Most urgent first. */
  readonly alarms: readonly Alarm[];
  readonly found: readonly Discovery[];
}

/** What has a place of its own. */
const TOLD: ReadonlySet<AlarmName> = new Set(['QUESTION', 'BLOCKED', 'IMMEDIATE DISCOVERY']);

export function needsOf({ status }: Pick<Seen, 'status'>): Needs {
  const { questions, switches } = status;
  const held = new Set(questions.filter(({ blocks }) => blocks).map(({ task }) => task));
  const isTold = ({ name, family }: Alarm): boolean => TOLD.has(name) || switches.some((one) => one.name === family);
  return {
    ...{ switches, questions },
    blocked: status.groups.flatMap(({ status: name, tasks }) =>
      name === 'BLOCKED' ? tasks.filter(({ id }) => !held.has(id)) : [],
    ),
    alarms: byUrgency(status.alarms.filter((one) => !isTold(one))),
    found: status.discoveries.filter(isUrgent),
  };
}

export const countOf = (needs: Needs): number => Object.values(needs).reduce((sum, all) => sum + all.length, 0);

/** What can be done about an alarm: all that its subject allows, or some actions of the board. */
export interface Remedy {
  readonly subject: Subject;
  /** All of them, unless told otherwise. */
  readonly only?: readonly string[];
}

const BOARD: Subject = { kind: 'board', id: '' };

/** Alarms about the board as a whole that an action ends. */
const ENDED_BY: Partial<Record<AlarmName, readonly string[]>> = {
  'CIRCUIT BREAKER': ['analyze --resolve'],
  'DEADLINE PASSED': ['resume'],
  'INTEGRATION MOVED OUTSIDE LIZA': ['accept integration'],
  'PLAN NOT CLOSED': ['plan done'],
  'QUEUE HELD': ['queue release'],
};

/** By its key, which names what it is about: `REVIEW LOOP:retry-login`, `IDENTITY:anomaly-3`. */
export function remedyOf({ board: { state } }: Pick<Seen, 'board'>, { name, key }: Alarm): Remedy | undefined {
  const only = ENDED_BY[name];
  if (only !== undefined) return { subject: BOARD, only };
  const named = key.split(/[: ]/).slice(1);
  const anomaly = state.anomalies.find(({ id }) => id !== undefined && named.includes(id));
  if (anomaly?.id !== undefined) return { subject: { kind: 'anomaly', id: anomaly.id } };
  const task = named.find((one) => findTask(state, one) !== undefined);
  return task === undefined ? undefined : { subject: { kind: 'task', id: task } };
}
