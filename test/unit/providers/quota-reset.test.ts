// When a provider serves again, in the words of the CLIs.

import { expect, test } from 'vitest';
import { resetTime } from '../../../src/providers/quota-reset.ts';
import { iso } from '../../../src/text/time.ts';

const NOW = Date.parse('2026-11-15T11:39:30Z');
const at = (text: string): string | undefined => {
  const found = resetTime(text, NOW);
  return found === undefined ? undefined : iso(found);
};

test.each([
  ['Claude AI usage limit reached|1794757168', '2026-11-15T15:39:28Z'],
  ['"resets_at": 1794757168', '2026-11-15T15:39:28Z'],
  ['Your quota resets at 2026-11-16T00:00:00Z.', '2026-11-16T00:00:00Z'],
  ["You've hit your 5-hour limit · resets 3:39pm (UTC)", '2026-11-15T15:39:00Z'],
  ['5-hour limit reached ∙ resets 3pm (UTC)', '2026-11-15T15:00:00Z'],
  ['try again at 3:39 PM UTC.', '2026-11-15T15:39:00Z'],
  ['resets 3am (UTC)', '2026-11-16T03:00:00Z'],
  ['resets 12am (UTC)', '2026-11-16T00:00:00Z'],
  ['resets 12pm (UTC)', '2026-11-15T12:00:00Z'],
  ["You've hit your weekly limit · resets Nov 18, 3pm (Europe/Berlin)", '2026-11-18T14:00:00Z'],
  ['resets 3pm (America/New_York)', '2026-11-15T20:00:00Z'],
  ['or try again at Nov 18th, 2026 3:05 PM (UTC).', '2026-11-18T15:05:00Z'],
  ["You've hit your usage limit. Try again in 5h 12m.", '2026-11-15T16:51:30Z'],
  ['Try again in 2 days 3 hours 4 minutes.', '2026-11-17T14:43:30Z'],
  ['Your quota will reset after 5h23m10s.', '2026-11-15T17:02:40Z'],
  ['Please retry in 34.074824224s.', '2026-11-15T11:40:04Z'],
  ['rate limited, please wait 90 seconds', '2026-11-15T11:41:00Z'],
  ['retry-after: 120', '2026-11-15T11:41:30Z'],
  ['Retry-After: 3600', '2026-11-15T12:39:30Z'],
])('%s', (text, expected) => {
  expect(at(text)).toBe(expected);
});

test.each([
  'The usage limit has been reached',
  'usage limit reached|1600000000', // long past
  'usage limit reached|9999999999', // further than any limit
  'resets 3pm (Nowhere/Land)',
  'resets 99pm (UTC)',
  'version 3 resets everything',
  'try again later',
  '',
])('no answer rather than a wrong one: %s', (text) => {
  expect(at(text)).toBeUndefined();
});

test('a time without a zone is this machine’s, whatever words follow', () => {
  const found = resetTime('purchase more credits or try again at 3:39 PM and then some', NOW) ?? 0;
  expect([new Date(found).getHours(), new Date(found).getMinutes()]).toEqual([15, 39]);
});

test('a time of the day over a change of the clocks', () => {
  const night = Date.parse('2026-10-24T20:00:00Z');
  expect(iso(resetTime('resets 9am (Europe/Berlin)', night) ?? 0)).toBe('2026-10-25T08:00:00Z');
});
