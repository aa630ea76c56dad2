// Criteria that nobody could check, and those that must not be taken for one.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { emptiness } from '../../../src/protocol/definition/criterion-words.ts';

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
])('refused: %s', (criterion, why) => {
  expect(emptiness(criterion)).toContain(why);
});

test.each([
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
])('taken: %s', (criterion) => {
  expect(emptiness(criterion)).toBeUndefined();
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
