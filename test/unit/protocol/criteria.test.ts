// The criteria of a text, and one more of them.

import { describe, expect, test } from 'vitest';
import { criteriaOf, withCriterion } from '../../../src/protocol/definition/criteria.ts';
import { mayHoldBefore, saysThatItStays } from '../../../src/protocol/definition/criterion-kinds.ts';
import { isFlagged, type Shown, shownOf } from '../../../src/protocol/review/approval-record.ts';
import { shownText } from '../../../src/protocol/review/shown-text.ts';
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

test.each([
  ["Still null with strict: '', ' '", true],
  ["Any base other than the number 10 gives what no base gives: bytes.format(1024, {base: 2}) is '1KB'", true],
  ["Text that is wholly a size gives with strict exactly the number that it gives without: '0', '-1'", true],
  ["bytes('12 apples', {strict: true}) is null, bytes('12 apples', {unit: 'KB'}) stays 12", true],
  ["Text without a decimal unit as without base: '12' and '12B' are 12", true],
  ['in a.py no line that is there before this task is changed or removed', true],
  ['index.js and the tests stay ES5', true],
  ['the public API is unchanged', true],
  ['calls are retried three times', false],
  ['jobs that take no argument are run without delay', false],
])('%s: may hold before the change: %s', (criterion, is) => {
  expect(mayHoldBefore(criterion)).toBe(is);
});

test('a command that was green before, too, is no doubt where the criterion says that something stays', () => {
  const task = { id: 'a', done_when: '- nothing else changes\n- it is faster' } as Task;
  const idle_commands = [{ command: 'make same', why: 'green_before' } as const];
  const shown = shownOf(task, '1: ran make same\n2: ran make same', { idle_commands });
  expect(shown.map(({ idle }) => idle)).toEqual([undefined, 'green_before']);
});

test.each([
  ['`npm run lint` and `npm test` are green', true],
  ['npm run lint: exits with 0', true],
  ['`npm run lint:all` is green', false],
  ['`npm run lint -- --fix` exits with 0', false],
  ['it is faster', false],
])('%s: asks for the command itself, so that it is no flag that it was green before: %s', (criterion, isMeant) => {
  const idle_commands = [{ command: 'npm run lint', why: 'green_before' } as const];
  const [shown] = shownOf({ id: 'a', done_when: criterion } as Task, '1: ran npm run lint', { idle_commands });
  expect(isFlagged(shown as Shown)).toBe(!isMeant);
});

test('a command that was green before is no flag beside the diff, and one that ran no test is', () => {
  const task = { id: 'a', done_when: 'src/a.ts exports add' } as Task;
  const flags = (why: 'green_before' | 'no_tests') =>
    shownOf(task, '1: ran make same\n1: diff only adds src/a.ts', {
      idle_commands: [{ command: 'make same', why }],
    }).map(isFlagged);
  expect(flags('green_before')).toEqual([false, false]);
  expect(flags('no_tests')[0]).toBe(true);
});

describe('a test that passes without the change, too', () => {
  const COMMIT = 'a'.repeat(40);
  const LINES = '1: test a.test.ts › old news\n2: test a.test.ts › news\n3: test a.test.ts › old news';
  const shown = (tests: object, more: Partial<Task> = {}, lines = LINES) => {
    const proof = {
      commit: COMMIT,
      commands: [],
      runs: [],
      seconds: 1,
      tests: { mode: 'evidence', base: 'b', ...tests },
    };
    const task = {
      id: 'a',
      done_when: '- it is faster\n- it is smaller\n- nothing else changes',
      review_commit: COMMIT,
      history: [{ event: 'submitted', commit: COMMIT, proof }],
      ...more,
    } as unknown as Task;
    return shownOf(task, lines);
  };
  const idle = (...given: Parameters<typeof shown>) => shown(...given).map((one) => one.idle);

  test('is flagged where the runner named it as passed on the base', () => {
    const found = shown({ on_base: 'red', base_alone: 'green', passed: ['old news'] });
    expect(found.map((one) => one.idle)).toEqual(['green_before', undefined, undefined]);
    expect(found.map(isFlagged)).toEqual([true, false, false]);
    expect(shownText(found[0] as Shown)).toBe('FLAGGED, it passes without the change, too: test a.test.ts › old news');
  });

  test('is no flag beside something else that shows the criterion', () => {
    const tests = { on_base: 'red', base_alone: 'green', passed: ['old news'] };
    const text = '1: test a.test.ts › old news\n1: test a.test.ts › news\n1: seen I looked at it';
    const found = shown(tests, {}, text).filter(({ n }) => n === 1);
    expect(found.map(isFlagged)).toEqual([false, false, false]);
    expect(found.map(shownText)).toEqual([
      'test a.test.ts › old news (green without the change, too)',
      'test a.test.ts › news',
      'seen, too: I looked at it',
    ]);
    const alone = shown(tests, {}, '1: test a.test.ts › old news\n1: seen I looked at it').filter(({ n }) => n === 1);
    expect(alone.map(isFlagged)).toEqual([true, true]);
  });

  test('is flagged where all new tests are green on the base', () => {
    expect(idle({ on_base: 'green', base_alone: 'green' })).toEqual(['green_before', 'green_before', undefined]);
  });

  test('is not where that is not known, or meant so', () => {
    for (const tests of [
      { on_base: 'green', base_alone: 'partly' },
      { on_base: 'unknown', base_alone: 'green' },
      {
        on_base: 'green',
        base_alone: 'green',
        because: { on_base: 'the commit changes only files that count as tests' },
      },
    ])
      expect(idle(tests)).toEqual([undefined, undefined, undefined]);
    expect(idle({ on_base: 'green', base_alone: 'green' }, { type: 'test' })).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
