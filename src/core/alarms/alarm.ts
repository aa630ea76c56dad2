// What an alarm is, and the two levels with their marks.

export interface Alarm {
  /** The same while the condition lasts; another one for each level it escalates to. */
  readonly key: string;
  readonly level: 'warning' | 'alarm';
  readonly text: string;
}

export const warning = (key: string, text: string): Alarm => ({ key, level: 'warning', text: `⚠️ ${text}` });

export const alarm = (key: string, text: string): Alarm => ({ key, level: 'alarm', text: `🚨 ${text}` });

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
/** A draft, a pause, a checkpoint or the whole goal is stale after this long. */
export const STALE_AFTER = 30 * MINUTE;

export const minutes = (milliseconds: number): number => Math.floor(milliseconds / MINUTE);
