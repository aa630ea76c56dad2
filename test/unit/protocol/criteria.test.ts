// The criteria of a text, and one more of them.

import { expect, test } from 'vitest';
import { criteriaOf, saysThatItStays, withCriterion } from '../../../src/protocol/definition/criteria.ts';
import { shownOf } from '../../../src/protocol/review/approval-record.ts';
import type { Task } from '../../../src/protocol/state.ts';

test.each([
  ['nothing has none', undefined, []],
  ['blanks have none', ' \n ', []],
  ['a text without items is one as a whole', 'it parses\nand prints', ['it parses\nand prints']],
  ['each top-level item is one', '- it parses\n- it prints', ['it parses', 'it prints']],
  [
    'what is below an item belongs to it',
    '- it parses\n  also - blanks\n  - and tabs\n- it prints',
    ['it parses\nalso - blanks\n- and tabs', 'it prints'],
  ],
  ['what stands before the first item is none', 'All of:\n- it parses\n- it prints', ['it parses', 'it prints']],
  ['an item that says nothing is none', '- it parses\n-  \n- it prints', ['it parses', 'it prints']],
  ['a dash inside a line is no item', 'it prints a - b', ['it prints a - b']],
])('%s', (_name, text, criteria) => {
  expect(criteriaOf(text)).toEqual(criteria);
});

test('one more criterion makes a text without items the first, and counts as one itself however many lines it has', () => {
  expect(criteriaOf(withCriterion('it parses\nand prints', 'it is fast:\n- really'))).toEqual([
    'it parses\nand prints',
    'it is fast:\n- really',
  ]);
  expect(criteriaOf(withCriterion(undefined, 'it is fast'))).toEqual(['it is fast']);
  expect(criteriaOf(withCriterion('- a b\n', 'it is fast'))).toEqual(['a b', 'it is fast']);
});

test.each([
  ['Without strict nothing changes: bytes.parse(x) gives 12', true],
  ['nothing else changes', true],
  ['without base all results are as before', true],
  ['the public API is unchanged', true],
  ['existing calls still work', true],
  ['calls are retried three times', false],
  ['the cache changes with each call', false],
  ['bytes.rate(0, 1) is "0B/s"', false],
])('%s: says that something stays as it is: %s', (criterion, is) => {
  expect(saysThatItStays(criterion)).toBe(is);
});

test('a command that was green before, too, is no doubt where the criterion says that something stays', () => {
  const task = { id: 'a', done_when: '- nothing else changes\n- it is faster' } as Task;
  const idle_commands = [{ command: 'make same', why: 'green_before' } as const];
  const shown = shownOf(task, '1: ran make same\n2: ran make same', { idle_commands });
  expect(shown.map(({ idle }) => idle)).toEqual([undefined, 'green_before']);
});
