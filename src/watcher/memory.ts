// Which alarms are on, kept in cache/watch/alarms.json, so that a watcher that starts again tells none twice. The
// log is written first and this after it; what a crash in between left in the log is recognised there by its line.
// Derived: deleted, it costs one repetition.

import { join } from 'node:path';
import type { Alarm, AlarmsOn } from '../core/alarms/alarm.ts';
import { isFields } from '../core/values.ts';
import { type Files, replaceFile } from '../store/files.ts';

export interface Remembered {
  readonly on: AlarmsOn;
  /** How long alerts.log was when this was written; undefined: nothing is remembered. */
  readonly logged: number | undefined;
}

const NOTHING: Remembered = { on: new Map(), logged: undefined };

export function recall(files: Files, folder: string): Remembered {
  try {
    const found: unknown = JSON.parse(files.read(fileIn(folder))?.toString('utf8') ?? 'null');
    if (!isFields(found) || !Array.isArray(found['on'])) return NOTHING;
    const on = found['on'].filter(isAlarm);
    const logged = typeof found['logged'] === 'number' ? found['logged'] : undefined;
    return { on: new Map(on.map((alarm) => [alarm.key, alarm])), logged };
  } catch {
    return NOTHING;
  }
}

export function remember(files: Files, folder: string, { on, logged }: Remembered): void {
  replaceFile(files, fileIn(folder), Buffer.from(JSON.stringify({ on: [...on.values()], logged })), false);
}

const fileIn = (folder: string): string => join(folder, 'alarms.json');

const isAlarm = (value: unknown): value is Alarm =>
  isFields(value) &&
  typeof value['key'] === 'string' &&
  typeof value['text'] === 'string' &&
  (value['level'] === 'warning' || value['level'] === 'alarm');
