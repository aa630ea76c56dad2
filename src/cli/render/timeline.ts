// The last events of a task, one a line, as `liza show` ends with them.

import { amendmentLines } from '../../protocol/definition/amendment.ts';
import { historyOf } from '../../protocol/leases.ts';
import type { HistoryEvent, Task } from '../../protocol/state.ts';
import { lossText } from '../../protocol/work/losses.ts';
import { duration, type Instant, instant } from '../../text/time.ts';
import { eventWords, isLizas, whoDid } from './event-words.ts';
import type { Line, Page } from './layout.ts';
import { columns, pad } from './terminal.ts';

const MOST_EVENTS = 15;

export function timeline(task: Task, now: Instant, p: Page): readonly Line[] {
  const history = historyOf(task);
  if (history.length === 0) return [];
  const earlier = p.all ? 0 : Math.max(0, history.length - MOST_EVENTS);
  const shown = history.slice(earlier);
  const words = ({ event }: HistoryEvent): string => p.say(eventWords(event));
  const eventWidth = Math.max(...shown.map((entry) => columns(words(entry))));
  const agentWidth = Math.max(...shown.map((entry) => columns(p.say(whoDid(entry) ?? ''))));
  const last = shown.at(-1);
  const age = last === undefined ? '' : `, last change ${duration(now - instant(last.time))} ago`;
  return [
    [
      { text: 'History', tone: 'strong' },
      { text: age, tone: 'faint' },
    ],
    ...(earlier === 0
      ? []
      : [[{ text: `  ${p.more} ${earlier} earlier: liza show ${task.id} --json`, tone: 'faint' } as const]]),
    ...shown.flatMap((entry): readonly Line[] => {
      const when = `  ${moment(entry.time)}  `;
      const what = `${pad(words(entry), eventWidth)}  ${pad(p.say(whoDid(entry) ?? ''), agentWidth)}  `;
      const beside = p.width - columns(when) - columns(what);
      const said = eventDetails(task, entry);
      const narrow = beside < LEAST_BESIDE && columns(said) > beside;
      const [first = '', ...more] = narrow ? ['', ...p.lines(said, p.width - NARROW.length)] : p.lines(said, beside);
      const indent = narrow ? NARROW : ' '.repeat(columns(when) + columns(what));
      return [
        [{ text: when, tone: 'faint' }, { text: narrow ? what.trimEnd() : what }, { text: first, tone: 'faint' }],
        ...more.filter((text) => text !== '').map((text): Line => [{ text: indent }, { text, tone: 'faint' }]),
      ];
    }),
  ];
}

/** With less room than this beside it, what an event says goes below it: a commit id is not broken. */
const LEAST_BESIDE = 50;
const NARROW = ' '.repeat(6);

/** What one event says. */
export const eventDetails = (task: Task, entry: HistoryEvent): string =>
  details(isLizas(entry) ? { ...entry, by: `the supervisor of ${entry.agent}` } : entry, amendmentLines(task, entry));

/** `changes`: what an amendment changed, told instead of the complete former texts. */
function details(
  {
    time: _time,
    event,
    agent: _agent,
    diff: _diff,
    proof: _proof,
    runs: _runs,
    commands: _commands,
    shown: _shown,
    concerns: _concerns,
    was: _was,
    since_red: _since,
    command: _command,
    why,
    ...rest
  }: HistoryEvent,
  changes: readonly string[],
): string {
  return Object.entries({
    ...rest,
    ...(VERDICTS.has(event) && typeof rest.reason === 'string' && rest.reason !== '' ? { reason: UNDER_REVIEWS } : {}),
    why: lossText(why) ?? why,
    ...(changes.length === 0 ? {} : { changes: changes.join(' | ') }),
  })
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => `${key.replaceAll('_', ' ')}: ${valueText(value)}`)
    .join('; ');
}

const VERDICTS: ReadonlySet<string> = new Set(['approved', 'rejected']);

/** What a verdict says stands there once, whole. */
export const UNDER_REVIEWS = 'whole under Reviews';

/** As it is stored, in one line; a list of texts without its brackets, fields by their names. */
function valueText(value: unknown): string {
  const isTexts = Array.isArray(value) && value.every((one) => typeof one === 'string');
  const text = isTexts
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : isFields(value)
        ? Object.entries(value)
            .map(([key, one]) => [key.replaceAll('_', ' '), valueText(one)])
            .filter(([, one]) => one !== '')
            .map(([key, one]) => `${key}: ${one}`)
            .join(', ')
        : JSON.stringify(value);
  return text.trim().replace(/\s*\n\s*/g, ' ');
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `2026-03-01T09:14:07Z`, as in log and audit: several steps of agents fall into one minute. */
export const moment = (timestamp: string): string => `${timestamp.slice(0, 19)}Z`;
