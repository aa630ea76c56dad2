// Many alarms as one message: however many tasks are blocked at once, a person is called once. The whole list is
// in alerts.log; a message has the questions, whole, names the first few of the rest and counts the others.

import { counted, listed } from '../../text/format.ts';
import { type Alarm, type AlarmName, endedText } from './alarm.ts';

export interface AlarmGroup {
  readonly raised: readonly Alarm[];
  readonly cleared: readonly Alarm[];
}

export interface Message {
  readonly title: string;
  readonly lines: readonly string[];
  /** At least one is of the higher level. */
  readonly urgent: boolean;
}

const SHOWN = 5;
/** Each whole, for a person answers from the message. */
const MOST_QUESTIONS = 20;

export const isEmpty = ({ raised, cleared }: AlarmGroup): boolean => raised.length + cleared.length === 0;

/** What came and went in between is not worth a call: alerts.log has both. */
export function joined(first: AlarmGroup, then: AlarmGroup): AlarmGroup {
  const keys = (list: readonly Alarm[]): ReadonlySet<string> => new Set(list.map(({ key }) => key));
  const [cameFirst, wentFirst] = [keys(first.raised), keys(first.cleared)];
  const [cameThen, wentThen] = [keys(then.raised), keys(then.cleared)];
  return {
    raised: [
      ...first.raised.filter(({ key }) => !wentThen.has(key)),
      ...then.raised.filter(({ key }) => !wentFirst.has(key)),
    ],
    cleared: [
      ...first.cleared.filter(({ key }) => !cameThen.has(key)),
      ...then.cleared.filter(({ key }) => !cameFirst.has(key)),
    ],
  };
}

export function messageOf(project: string, { raised, cleared }: AlarmGroup): Message {
  const parts = [
    ...(raised.length === 0 ? [] : [raised.length === 1 ? '1 alarm' : `${raised.length} alarms${byName(raised)}`]),
    ...(cleared.length === 0 ? [] : [`${cleared.length} ended`]),
  ];
  const asked = raised.filter(({ name }) => name === 'QUESTION').map(({ text }) => text);
  const others = raised.filter(({ name }) => name !== 'QUESTION').map(({ text }) => text);
  const told = [...others, ...cleared.map(endedText)];
  const more = told.length - SHOWN;
  const unasked = asked.length - MOST_QUESTIONS;
  const left = unasked > 0 ? [`… and ${counted(unasked, 'more question')}: liza status`] : [];
  return {
    title: `Liza · ${project}: ${parts.join(', ')}`,
    lines: [
      ...asked.slice(0, MOST_QUESTIONS),
      ...left,
      ...told.slice(0, SHOWN),
      ...(more > 0 ? [`… and ${counted(more, 'more line')}: liza watch --once`] : []),
    ],
    urgent: raised.some(({ level }) => level === 'alarm'),
  };
}

/** ` (998 BLOCKED, 2 INTEGRATION FAILED)` */
function byName(list: readonly Alarm[]): string {
  const counts = new Map<AlarmName, number>();
  for (const { name } of list) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
  return ` (${listed(sorted)})`;
}
