// When a provider will serve again, read from its own words: an epoch, a timestamp, `in 5h 12m`, `resets 3pm
// (Europe/Berlin)`, `try again at Nov 18th, 2026 3:05 PM`. No answer is better than a wrong one: an instant in
// the past or further away than any quota lasts is none.

import { defined } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Monthly limits are the longest there are. */
const FURTHEST = 32 * DAY;

export function resetTime(text: string, now: Instant): Instant | undefined {
  const words = text.slice(0, 4000);
  for (const read of [epoch, stamp, span, clock]) {
    const at = read(words, now);
    if (isPlausible(at, now)) return at;
  }
  return undefined;
}

export const isPlausible = (at: Instant | undefined, now: Instant): at is Instant =>
  at !== undefined && at > now && at <= now + FURTHEST;

/** Seconds or milliseconds since the epoch, as programs write them. */
export const fromEpoch = (value: number): Instant => (value < 1e11 ? value * 1000 : value);

function epoch(text: string): Instant | undefined {
  const found = /(?:\||resets?_?at"?\s*[:=]?\s*"?)(\d{10}(?:\d{3})?)\b/i.exec(text)?.[1];
  return found === undefined ? undefined : fromEpoch(Number(found));
}

function stamp(text: string): Instant | undefined {
  const found = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)/.exec(text)?.[0];
  const at = found === undefined ? Number.NaN : Date.parse(found);
  return Number.isNaN(at) ? undefined : at;
}

const UNITS: Readonly<Record<string, number>> = { d: DAY, h: HOUR, m: MINUTE, s: 1000 };
const PART = String.raw`\d+(?:\.\d+)?\s*(?:d(?:ays?)?|h(?:(?:ou)?rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)(?![a-z])`;
const SPAN = new RegExp(
  String.raw`(?:\bin|\bafter|\bwait)\b[\s:]*(?:about |another )?(${PART}(?:[,\s]*(?:and\s+)?${PART})*)`,
  'i',
);
const RUN_TOGETHER = /(?<=\d[dhms])(?=\d)/gi;

/** `in 5h 12m`, `after 5h23m10s`, `Retry-After: 120`. */
function span(text: string, now: Instant): Instant | undefined {
  const words = SPAN.exec(text.replace(RUN_TOGETHER, ' '))?.[1];
  if (words !== undefined) {
    const parts = [...words.matchAll(/(\d+(?:\.\d+)?)\s*([dhms])/gi)];
    return now + Math.ceil(parts.reduce((sum, [, count, unit]) => sum + Number(count) * unitOf(unit), 0));
  }
  const seconds = /retry[-_ ]?after"?\s*[:=]?\s*"?(\d+)\b/i.exec(text)?.[1];
  return seconds === undefined ? undefined : now + Number(seconds) * 1000;
}

const unitOf = (unit = ''): number => UNITS[unit.toLowerCase()] ?? 0;

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DATE = String.raw`(?:(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?,?\s+(?:at\s+)?)?`;
const CLOCK = new RegExp(
  String.raw`(?:resets?|again|available|until|back)\s+(?:at\s+|on\s+)*${DATE}(\d{1,2})(?::(\d\d))?\s*([ap])?\.?m?\.?\b\s*(?:\(([a-z_/+-]+)\)|(utc|gmt)\b)?`,
  'i',
);

/** A time of the day, the next one to come; with a date, that day. Without a zone it is this machine's. */
function clock(text: string, now: Instant): Instant | undefined {
  const [, month, day, year, hours, minutes, half, named, universal] = CLOCK.exec(text) ?? [];
  const zone = named ?? universal;
  if (hours === undefined || (half === undefined && minutes === undefined)) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  if (Number(hours) > (half === undefined ? 23 : 12) || Number(minutes ?? 0) > 59) return undefined;
  const today = wall(now, zone);
  if (today === undefined) return undefined;
  const at = (shift: number) => {
    const date = new Date(today.days);
    const inYear = month === undefined ? undefined : MONTHS.indexOf(month.slice(0, 3).toLowerCase());
    const days =
      inYear === undefined
        ? today.days + shift * DAY
        : Date.UTC(Number(year ?? date.getUTCFullYear() + shift), inYear, Number(day));
    const local = days + hour * HOUR + Number(minutes ?? 0) * MINUTE;
    // The offset of that moment, not of now: a clock change may lie between.
    const offset = wall(local - today.offset, zone)?.offset ?? today.offset;
    return local - offset;
  };
  const first = at(0);
  return first > now || year !== undefined ? first : at(1);
}

/** The zone's calendar day as UTC midnight, and how far its clock is ahead of UTC. */
function wall(at: Instant, zone: string | undefined): { days: number; offset: number } | undefined {
  try {
    const parts = new Intl.DateTimeFormat('en-GB', {
      ...defined({ timeZone: zone }),
      hourCycle: 'h23',
      ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
    }).formatToParts(at);
    const part = (name: string) => Number(parts.find(({ type }) => type === name)?.value);
    const days = Date.UTC(part('year'), part('month') - 1, part('day'));
    const local = days + part('hour') * HOUR + part('minute') * MINUTE + part('second') * 1000;
    return { days, offset: local - Math.floor(at / 1000) * 1000 };
  } catch {
    return undefined; // no such zone
  }
}
