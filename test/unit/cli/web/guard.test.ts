// What is decided from a request's head alone, and sessions: pure rules, without a connection.

import { expect, test } from 'vitest';
import { type Head, isDenied, judge } from '../../../../src/cli/web/guard.ts';
import { openSessions } from '../../../../src/cli/web/sessions.ts';
import { hostAt } from '../../../host.ts';

const OWN = 'http://127.0.0.1:4711';
const doors = { origins: new Set([OWN, 'http://localhost:4711', 'https://liza.example.org']) };
const head = (headers: Readonly<Record<string, string>> = {}, more: Partial<Head> = {}): Head => ({
  method: 'GET',
  url: '/',
  rawHeaders: Object.entries({ Host: '127.0.0.1:4711', ...headers }).flat(),
  ...more,
});
const statusOf = (asked: Head): number => {
  const judged = judge(asked, doors);
  return isDenied(judged) ? judged.status : 200;
};
const post = (headers: Readonly<Record<string, string>>) =>
  head(
    { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '3', ...headers },
    { method: 'POST', url: '/login' },
  );

test.each([
  ['127.0.0.1:4711', 200],
  ['localhost:4711', 200],
  ['liza.example.org', 200],
  ['LIZA.example.org', 200],
  ['liza.example.org:4711', 421],
  ['127.0.0.1', 421],
  ['127.0.0.2:4711', 421],
  ['[::1]:4711', 421],
  ['0.0.0.0:4711', 421],
  ['127.0.0.1:4711.', 421],
  ['', 421],
])('addressed to %s: %i', (name, status) => expect(statusOf(head({ Host: name }))).toBe(status));

test.each([
  ['/', 200],
  ['/9f/task/a-1/diff/2?step=1', 200],
  ['/9f/..', 400],
  ['/9f/./x', 400],
  ['/9f/.hidden', 400],
  ['//9f', 400],
  ['/9f/', 400],
  ['/9f/%61', 400],
  ['/9f/a\\b', 400],
  ['/9f/ä', 400],
  ['http://127.0.0.1:4711/', 400],
  ['*', 400],
  ['', 400],
])('the path %s: %i', (url, status) => expect(statusOf(head({}, { url }))).toBe(status));

test.each([
  [{ Origin: OWN }, 200],
  [{ Origin: OWN, 'Sec-Fetch-Site': 'same-origin' }, 200],
  [{ 'Sec-Fetch-Site': 'same-origin' }, 200],
  [{ Origin: 'https://liza.example.org' }, 200],
  [{ Origin: 'null' }, 403],
  [{ Origin: 'http://127.0.0.1:4712' }, 403],
  [{ Origin: OWN, 'Sec-Fetch-Site': 'same-site' }, 403],
  [{ Origin: OWN, 'Sec-Fetch-Site': 'cross-site' }, 403],
  [{}, 403],
])('a form with %o: %i', (headers, status) => expect(statusOf(post(headers))).toBe(status));

test('a page that another site opens is seen as such, and one that it fetches is denied', () => {
  const opened = judge(head({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }), doors);
  expect(opened).toMatchObject({ isForeign: true });
  expect(statusOf(head({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }))).toBe(403);
  expect(judge(head({ 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': 'navigate' }), doors)).toMatchObject({
    isForeign: false,
  });
});

test('a code is good once and for an hour, a session for half a day after it was used', () => {
  let now = 0;
  const { random, clock } = hostAt();
  const sessions = openSessions({ random, clock: { ...clock, steady: () => now } });
  const late = sessions.newCode('operator');
  const code = sessions.newCode('viewer');
  expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  const opened = sessions.open(code);
  expect(opened?.session.role).toBe('viewer');
  expect(sessions.open(code)).toBeUndefined();
  now = 61 * 60_000;
  expect(sessions.open(late)).toBeUndefined();
  const secret = opened?.secret ?? '';
  expect(sessions.find(secret)).toBe(opened?.session);
  now += 11 * 3_600_000;
  expect(sessions.find(secret)).toBe(opened?.session);
  now += 13 * 3_600_000;
  expect(sessions.find(secret)).toBeUndefined();
});

test('codes are not guessed: no two are alike, and all signs occur', () => {
  const { random, clock } = hostAt();
  const sessions = openSessions({ random, clock });
  const codes = Array.from({ length: 400 }, () => sessions.newCode('operator'));
  expect(new Set(codes).size).toBe(400);
  expect(new Set(codes.join('').replaceAll('-', '')).size).toBe(32);
});
