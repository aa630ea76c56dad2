// Criteria that nobody could check, and those that must not be taken for one.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { emptiness } from '../../../src/protocol/definition/criterion-words.ts';
import { isUnsure } from '../../../src/protocol/definition/praise.ts';
import { wordNotes } from '../../../src/protocol/definition/unchecked.ts';

test.each([
  ['The API works correctly and users are happy', 'besides praise'],
  ['The code is clean and well structured', 'besides praise'],
  ['Users are satisfied with the result', 'besides praise'],
  ['See specs/vision.md for the criteria', 'points to a text'],
  ['As described in specs/vision.md#retry', 'points to a text'],
  ['All requirements in specs/vision.md are met', 'points to a text'],
  ['the criteria listed in specs/auth.md hold', 'points to a text'],
  ['Works like before', 'compares with'],
  ['Everything still works like before', 'compares with'],
  ['behaves exactly the same as before', 'compares with'],
  ['There are no regressions anywhere', 'compares with'],
  ['as discussed with the team', 'somebody agrees'],
  ['as agreed in the meeting', 'somebody agrees'],
  ['same as criterion 1', 'somebody agrees'],
  ['see JIRA-123 for details', 'somebody agrees'],
  ['acceptance criteria are met', 'somebody agrees'],
  ['not applicable for this task', 'somebody agrees'],
  ['the reviewer approves it', 'somebody agrees'],
  ['the client is happy with it', 'besides praise'],
  ['it is fast enough', 'somebody agrees'],
  ['the design is modern and beautiful', 'somebody agrees'],
  ['exactly what we discussed yesterday', 'somebody agrees'],
  ['the module does what it is supposed to do', 'somebody agrees'],
  ['it does what the description says', 'somebody agrees'],
  ['the PR is merged', 'somebody agrees'],
  ['will be decided later', 'somebody agrees'],
  ['n/a n/a n/a n/a', 'fewer than'],
  ['x x x x', 'fewer than'],
  ['it passes', 'fewer than'],
  ['code exists', 'fewer than'],
])('refused: %s', (criterion, why) => {
  expect(emptiness(criterion)).toContain(why);
});

test.each([
  '`src/add.js` exports `add`',
  'README documents --retry',
  'npm test passes',
  'the API works correctly and returns 404 for unknown ids',
  'the parser works fine and keeps comments in place',
  'the output of the demo is the same as before',
  'Existing tests stay green as before',
  'the list is sorted as in the old version',
  'all options in README.md are sorted by name',
  'everything in src/ uses the new logger',
  'as in v1 the header has 3 fields',
  'see-also links of README.md resolve',
  'specs/vision.md has a section Retry',
  'users are asked for their password once',
  'the issue has no description',
  'no file is written',
  'users see what the reviewer approved',
  'the reviewer approves a request with one click',
  'the client is not approved',
  'the design has 3 columns',
  'the module needs no network',
  'an agreed price cannot be changed',
  'requests per minute are limited',
  'later runs reuse the cache',
  'all tests are green',
  'the meeting has a title',
  'like button shows the count',
  'what was typed is kept after an error',
  'every customer sees own orders',
])('taken: %s', (criterion) => {
  expect(emptiness(criterion)).toBeUndefined();
});

test.each([
  'provides a delightful, seamless experience',
  'the dashboard provides a delightful, seamless experience',
  'the search is best-in-class',
  'the API is robust and scalable',
  'the checkout flow of our online shop is robust and scalable',
  'the onboarding delivers a world-class user journey for all customers',
  'a world-class developer experience',
  'ensures an intuitive and engaging look and feel',
  'the app feels snappy and polished',
  'the solution is enterprise-grade and future-proof',
])('sales talk is refused: %s', (criterion) => {
  expect(emptiness(criterion)).toBeDefined();
});

const UNSURE = [
  'the parser works correctly with trailing commas',
  'the map zooms correctly in both directions',
  'users enjoy a smooth and modern interface',
  'the design is consistent across all pages',
  'offers powerful and flexible configuration',
  'leverages synergies to empower users',
  'an unforgettable, captivating journey for everyone',
];

test.each(UNSURE)('where that is not sure, it is taken, and told: %s', (criterion) => {
  expect(emptiness(criterion)).toBeUndefined();
  const [note] = wordNotes({ done_when: `- a 404 is logged\n- ${criterion}` });
  expect(note).toMatch(/^criterion 2 judges, and names nothing that can be seen or run: the reviewer is told/);
});

test.each([
  'the sort is stable',
  'the login is seamless and keeps the session',
  'the parser is robust against empty input',
  'the API is robust and returns 404 for unknown ids',
  'the secure flag is set on cookies',
  'a clean build has no warnings',
  'the rich text editor keeps bold text',
  'the shortest path is optimal on a grid of 10 by 10',
])('a word of praise beside what can be seen is no sales talk: %s', (criterion) => {
  expect(emptiness(criterion)).toBeUndefined();
  expect(wordNotes({ done_when: criterion })).toEqual([]);
});

test('the criteria of the demo and those that the docs show are taken', () => {
  const read = (path: string): string => readFileSync(path, 'utf8');
  const demo = read('demo/script.json');
  const docs = ['README.md', 'docs/commands.md', 'docs/start.md', 'docs/work.md'].map(read).join('\n');
  const shown = [
    ...[...demo.matchAll(/"done": "((?:[^"\\]|\\.)*)"/g)].map(([, one = '']) => one),
    ...[...docs.matchAll(/--(?:add-)?done "([^"\u2026]+)"/g)].map(([, one = '']) => one),
  ];
  expect(shown.length).toBeGreaterThan(8);
  expect(shown.filter((one) => emptiness(one) !== undefined)).toEqual([]);
});

const listed = (name: string): readonly string[] =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

test('honest criteria of many kinds of projects are taken, every one', () => {
  const honest = listed('honest-criteria.txt');
  expect(honest.length).toBeGreaterThan(200);
  expect(honest.filter((one) => emptiness(one) !== undefined)).toEqual([]);
  expect(honest.filter(isUnsure)).toEqual([]);
});

test('criteria that name nothing to observe are refused, every one', () => {
  const hollow = listed('hollow-criteria.txt');
  expect(hollow.length).toBeGreaterThan(60);
  expect(hollow.filter((one) => emptiness(one) === undefined)).toEqual([]);
});

test.each([
  'the parser is resilient to trailing commas',
  'the menu is accessible by keyboard',
  'a great circle distance is computed between two ports',
  'the API returns JSON and works well',
  'dates are sorted properly by day',
])('praise beside what can be seen is neither refused nor doubted: %s', (criterion) => {
  expect([emptiness(criterion), isUnsure(criterion)]).toEqual([undefined, false]);
});
