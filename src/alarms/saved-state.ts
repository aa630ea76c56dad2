// Which alarms are on and published, kept in cache/watch/alarms.json, so that a watcher that starts again publishes none
// twice and forgets none: the lines that alerts.log did not take yet and the message that is being gathered are in the
// same file. The log is written before it; a line that a crash kept from this file is recognised in the log.
// Derived: deleted, it costs one repetition.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { isFields } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { ALARM_NAMES, type Alarm, type AlarmsOn, SIGN } from './rules/alarm.ts';
import { type AlarmGroup, isEmpty } from './rules/grouping.ts';

export interface SavedState {
  readonly on: AlarmsOn;
  /** The size of alerts.log when this was saved; undefined: nothing was saved. */
  readonly logSize: number | undefined;
  /** When a kill switch was last seen on: `watch --once` does not live to see its end. */
  readonly haltedAt: Instant | undefined;
  /** Lines that alerts.log did not take yet. */
  readonly unwritten: readonly string[];
  /** The message that is being gathered. */
  readonly pending: PendingMessage | undefined;
}

export interface PendingMessage {
  /** The id it will be sent under. */
  readonly id: string;
  readonly group: AlarmGroup;
}

const NOTHING: SavedState = {
  on: new Map(),
  logSize: undefined,
  haltedAt: undefined,
  unwritten: [],
  pending: undefined,
};

export function loadState(files: Files, folder: string): SavedState {
  try {
    const found: unknown = JSON.parse(files.read(fileIn(folder))?.toString('utf8') ?? 'null');
    if (!isFields(found) || !Array.isArray(found['on'])) return NOTHING;
    const { logged, halted, unwritten, calling } = found;
    return {
      on: new Map(alarmsIn(found['on']).map((alarm) => [alarm.key, alarm])),
      logSize: typeof logged === 'number' ? logged : undefined,
      haltedAt: typeof halted === 'number' ? halted : undefined,
      unwritten: Array.isArray(unwritten) ? unwritten.filter((line) => typeof line === 'string') : [],
      pending: pendingIn(calling),
    };
  } catch {
    return NOTHING;
  }
}

export function saveState(files: Files, folder: string, state: SavedState): void {
  const { unwritten, pending } = state;
  const saved = {
    on: [...state.on.values()],
    logged: state.logSize,
    halted: state.haltedAt,
    ...(unwritten.length === 0 ? {} : { unwritten }),
    ...(pending === undefined || isEmpty(pending.group) ? {} : { calling: pending }),
  };
  replaceFile(files, fileIn(folder), Buffer.from(JSON.stringify(saved)), false);
}

const fileIn = (folder: string): string => join(folder, 'alarms.json');

function pendingIn(value: unknown): PendingMessage | undefined {
  if (!isFields(value) || typeof value['id'] !== 'string' || !isFields(value['group'])) return undefined;
  const { raised, cleared } = value['group'];
  return { id: value['id'], group: { raised: alarmsIn(raised), cleared: alarmsIn(cleared) } };
}

const alarmsIn = (value: unknown): readonly Alarm[] => (Array.isArray(value) ? value.flatMap(alarmIn) : []);

function alarmIn(value: unknown): readonly Alarm[] {
  if (!isFields(value)) return [];
  const { key, level, text, family } = value;
  if (typeof key !== 'string' || typeof text !== 'string' || (level !== 'warning' && level !== 'alarm')) return [];
  // Up to version 0.4.0 an alarm was saved without its name; its text has always begun with it.
  const saved = value['name'] ?? text.slice(SIGN[level].length + 1).split(':', 1)[0];
  const name = ALARM_NAMES.find((one) => one === saved);
  if (name === undefined) return [];
  return [{ name, key, level, text, ...(typeof family === 'string' ? { family } : {}) }];
}
