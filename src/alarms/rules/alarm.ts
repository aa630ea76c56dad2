// What an alarm is, the two levels with their signs, and what is new between two looks.

/** In the order of docs/alarms.md, which says what each of them means. */
export const ALARM_NAMES = [
  'LEASE EXPIRED',
  'HOLDER GONE',
  'REVIEW LEASE EXPIRED',
  'BLOCKED',
  'QUESTION',
  'ORPHANED REJECTED',
  'REASSIGNED',
  'REVIEW LOOP',
  'INTEGRATION FAILED',
  'MERGE HELD',
  'QUEUE HELD',
  'NOTHING TESTED',
  'HYPOTHESIS EXHAUSTION',
  'APPROACHING LIMIT',
  'STALLED',
  'STALE DRAFT',
  'PLAN NOT CLOSED',
  'ENDED EARLY',
  'IMMEDIATE DISCOVERY',
  'INVALID STATE',
  'CHECKPOINT STALE',
  'CHECKPOINT STUCK',
  'CHECKPOINT ABANDONED?',
  'STALE PAUSE',
  'PAUSE FORGOTTEN',
  'CRASH LOOP',
  'SPIN',
  'PROVIDER QUOTA',
  'PROVIDER UNREACHABLE',
  'LOGIN NEEDED',
  'PROVIDER MISSING',
  'RUBBER STAMP',
  'BUDGET',
  'DISK SPACE',
  'SET-UP FAILED',
  'SANDBOX OFF',
  'INTEGRATION GONE',
  'INTEGRATION MOVED OUTSIDE LIZA',
  'CIRCUIT BREAKER',
  'DEADLINE PASSED',
  'IDENTITY',
  'BRANCH MOVED BY AN AGENT',
  'PLANTED IN GIT',
  'CHANGED ABOVE CHECKOUTS',
  'CHANGED WHILE TESTED',
  'VERDICT DISPUTED',
  'STEP WITHOUT SESSION',
  'EXTERNAL EDIT',
  'HOST LOST',
  'NO HOST FITS',
  'STORE UNREACHABLE',
  'STORE SET BACK',
  'EXCHANGE UNREACHABLE',
] as const;

export type AlarmName = (typeof ALARM_NAMES)[number];

export interface Alarm {
  readonly name: AlarmName;
  /** The same while the condition lasts; another one for each level it escalates to. */
  readonly key: string;
  /** What escalates: one level giving way to the next of the same family is not over. */
  readonly family?: string | undefined;
  readonly level: 'warning' | 'alarm';
  readonly text: string;
}

export const SIGN: Readonly<Record<Alarm['level'], string>> = { warning: '⚠️', alarm: '🚨' };

/** `about` tells it from others of its name, and is undefined where there is only one. */
const made =
  (level: Alarm['level']) =>
  (name: AlarmName, about: string | undefined, words: string, family?: string): Alarm => ({
    name,
    key: about === undefined ? name : `${name}:${about}`,
    family,
    level,
    text: `${SIGN[level]} ${name}: ${words}`,
  });

export const warning = made('warning');
export const alarm = made('alarm');

/** Its text without the sign. */
const unsigned = ({ level, text }: Alarm): string => text.slice(SIGN[level].length + 1);

/** That it has ended, without what a person could have done about it: nobody needs that any more. */
export function endedText(one: Alarm): string {
  const words = unsigned(one).replace(/ \u2014 liza answer \S+ "\u2026"$/, '');
  if (one.name === 'QUESTION') return words.replace(/^QUESTION: (\S+) \u2014 /, 'question $1 is settled: ');
  return `alarm over: ${one.name === 'SET-UP FAILED' ? words.split(' \u2014 ', 1)[0] : words}`;
}

const MINUTE = 60_000;
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

export const isChanged = ({ raised, cleared, replaced }: AlarmChanges): boolean =>
  raised.length + cleared.length + replaced.length > 0;

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
