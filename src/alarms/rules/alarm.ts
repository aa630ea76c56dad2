// What an alarm is, the two levels with their marks, and what is new between two looks.

export interface Alarm {
  /** The same while the condition lasts; another one for each level it escalates to. */
  readonly key: string;
  /** What escalates: one level giving way to the next of the same family is not over. */
  readonly family?: string;
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

/** Alarms that are on, by key, each as it was when it began. */
export type AlarmsOn = ReadonlyMap<string, Alarm>;

export interface AlarmChanges {
  readonly on: AlarmsOn;
  readonly raised: readonly Alarm[];
  readonly cleared: readonly Alarm[];
  /** Gave way to another of their family: alerts.log closes their line, and nobody is called for it. */
  readonly replaced: readonly Alarm[];
}

/** What began and what is over since the last look: each is told once, however its text moves on meanwhile. */
export function alarmChanges(before: AlarmsOn, found: readonly Alarm[]): AlarmChanges {
  const on = new Map(found.map((one) => [one.key, before.get(one.key) ?? one]));
  const families = new Set(found.map(({ family }) => family));
  const raised = [...on.values()].filter(({ key }) => !before.has(key));
  const gone = [...before.values()].filter(({ key }) => !on.has(key));
  const isReplaced = ({ family }: Alarm): boolean => family !== undefined && families.has(family);
  const cleared = gone.filter((one) => !isReplaced(one));
  return { on, raised, cleared, replaced: gone.filter(isReplaced) };
}
