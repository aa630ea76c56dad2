// A planner is told, before it cuts tasks, by which rules about tests they are judged.

import { describe, expect, test } from 'vitest';
import { addReady, claim, PLANNER, SUPERVISOR, world } from '../../protocol/world.ts';
import { toCoder, toPlanner } from './situations.ts';

describe('the planner’s prompt says', () => {
  test('that code is submitted only with a test, what counts as one, and that tests are IN', () => {
    const told = toPlanner(world({ test_patterns: ['sds-test.c'], tests_in_code: ['sds.c'] }));
    expect(told).toContain(
      'TESTS: a code task is submitted only with a changed test file; those are IN unless OUT.\n| test files: sds-test.c\n| code that holds its own tests: sds.c\n',
    );
    expect(toPlanner(world())).toContain('| test files: **/test/**, **/tests/**, **/__tests__/**, **/*.test.*');
  });

  test('what runs at every submission, or that each task needs its own', () => {
    expect(toPlanner(world({ test_command: 'make test' }))).toContain(
      '| test_command, run at each submission: make test\n',
    );
    expect(toPlanner(world({ test_command: null }))).toContain('each submission: none, so --validate each code task');
  });

  test('what tdd asks for', () => {
    expect(toPlanner(world({ tdd: 'strict' }))).toContain('tdd: strict, new tests must fail on the base');
    expect(toPlanner(world({ tdd: 'off' }))).toContain('tdd: off');
  });

  test('how tasks of one file are kept apart', () => {
    expect(toPlanner(world())).toContain('SAME FILE at once: a fixed place in it for each task');
    expect(toPlanner(world(), { resumed: true })).not.toContain('SAME FILE');
  });
});

test('the coder of a test task is told that other code is refused, one of documents that code needs a test', () => {
  const told = (type: 'test' | 'docs', scope: string): string => {
    const w = world();
    w.run(PLANNER, addReady('a', { type, scope }));
    w.run(SUPERVISOR, claim('a'));
    return toCoder(w, 'a');
  };
  const test = told('test', 'IN: test/a.test.ts');
  expect(test).toContain('Write only tests: other code is refused.');
  expect(test).not.toContain('needs a test too');
  expect(told('docs', 'IN: docs/')).toContain('a docs task that touches code needs a test too');
});
