// Which alarms are on and told, kept in cache/watch/alarms.json, so that a watcher that starts again tells none twice and
// owes none: what alerts.log did not take yet and the message that is being gathered are in the same file. The log is
// written first and this after it; what a crash in between left in the log is recognised there by its line.
// Derived: deleted, it costs one repetition.

import { join } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import { isFields } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { ALARM_NAMES, type Alarm, type AlarmsOn, SIGN } from './rules/alarm.ts';
import { type AlarmGroup, isEmpty } from './rules/grouping.ts';

export interface Remembered {
  readonly on: AlarmsOn;
  /** How long alerts.log was when this was written; undefined: nothing is remembered. */
  readonly logged: number | undefined;
  /** When a kill switch was last seen on: a look from cron does not live to see its end. */
  readonly halted: Instant | undefined;
  /** Lines that alerts.log did not take yet. */
  readonly unwritten: readonly string[];
  /** What a person is yet to be called about, under the id the message will have. */
  readonly calling: Calling | undefined;
}

export interface Calling {
  readonly id: string;
  readonly group: AlarmGroup;
}

const NOTHING: Remembered = { on: new Map(), logged: undefined, halted: undefined, unwritten: [], calling: undefined };

export function recall(files: Files, folder: string): Remembered {
  try {
    const found: unknown = JSON.parse(files.read(fileIn(folder))?.toString('utf8') ?? 'null');
    if (!isFields(found) || !Array.isArray(found['on'])) return NOTHING;
    const on = alarmsIn(found['on']);
    const logged = typeof found['logged'] === 'number' ? found['logged'] : undefined;
    const halted = typeof found['halted'] === 'number' ? found['halted'] : undefined;
    const unwritten = Array.isArray(found['unwritten'])
      ? found['unwritten'].filter((line) => typeof line === 'string')
      : [];
    return {
      on: new Map(on.map((alarm) => [alarm.key, alarm])),
      logged,
      halted,
      unwritten,
      calling: callingIn(found['calling']),
    };
  } catch {
    return NOTHING;
  }
}

export function remember(files: Files, folder: string, { on, logged, halted, unwritten, calling }: Remembered): void {
  const owed = {
    ...(unwritten.length === 0 ? {} : { unwritten }),
    ...(calling === undefined || isEmpty(calling.group) ? {} : { calling }),
  };
  replaceFile(
    files,
    fileIn(folder),
    Buffer.from(JSON.stringify({ on: [...on.values()], logged, halted, ...owed })),
    false,
  );
}

const fileIn = (folder: string): string => join(folder, 'alarms.json');

function callingIn(value: unknown): Calling | undefined {
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
