// Which command lines can run tests, read without running them.

import { describe, expect, test } from 'vitest';
import { gateNotes } from '../../../src/protocol/definition/unchecked.ts';
import { mentionsTests, recipesOf, testReach } from '../../../src/protocol/facts/test-commands.ts';

const SCRIPTS = { test: 'node --test', lint: 'eslint test', check: 'npm run lint && npm test', build: 'tsc' };

test.each([
  'npm test',
  'npm t',
  'npm run check',
  'npx vitest run',
  'node --test',
  'node test/mul.test.js',
  'pytest -q',
  'python3 -m unittest',
  'python3 -m pytest tests',
  'go test ./...',
  'cargo test',
  'cargo nextest run',
  './gradlew check',
  'mvn -q verify',
  'tox',
  'rake',
  'sh test/smoke.sh',
  'sh -c "cd api && mocha"',
  'CI=1 timeout 60 pytest',
  'eslint src && node --test',
])('can run tests: %s', (command) => {
  expect(testReach([command], SCRIPTS).runs).toBe(true);
});

test.each([
  'node --check src/add.js',
  'node --check test/mul.test.js',
  'test -f test/mul.test.js',
  '[ -d test ]',
  'grep -q multiplies test/mul.test.js',
  'eslint src test',
  'npm run lint',
  'npm run build',
  'npx tsc --noEmit',
  'python3 -m py_compile tests/test_a.py',
  'bash -n test/smoke.sh',
  'npx cowsay@latest hi',
  'cargo build',
  'go vet ./...',
  'node -e "require(\'./src/add.js\')"',
])('runs none: %s', (command) => {
  expect(testReach([command], SCRIPTS).runs).toBe(false);
});

test('a script that a command runs decides by what it says, without its comments', () => {
  expect(testReach(['sh ci.sh', 'node src/add.js'], {}).files).toEqual(['ci.sh', 'src/add.js']);
  expect(mentionsTests('set -e\nnode --test\n')).toBe(true);
  expect(mentionsTests('# no tests yet\n// test\necho the latest\n')).toBe(false);
});

describe('make', () => {
  const MAKE = 'all: lint\n\nlint:\n\t@eslint src\n\ntest: lint\n\tnode --test\n\nci: test\n';
  test.each([
    [['lint'], ['eslint src']],
    [['ci'], ['node --test', 'eslint src']],
    [[''], ['eslint src']],
    [['none'], []],
  ])('of %s runs the lines of it and of what it needs', (targets, lines) => {
    expect(recipesOf(MAKE, targets)).toEqual(lines);
  });
  test('is asked for its target', () => {
    expect(testReach(['make -s ci', 'make'], {}).targets).toEqual(['ci', '']);
  });
});

describe('the planner at finalize', () => {
  const task = (validation: readonly string[], type: 'code' | 'docs' = 'code') =>
    ({
      id: 'a',
      status: 'DRAFT',
      priority: 3,
      type,
      done_when: 'it adds',
      scope: 'IN: src/add.js',
      validation,
    }) as const;
  const told = (...args: Parameters<typeof gateNotes>) =>
    gateNotes(...args)
      .join('\n')
      .includes('no command runs tests');
  test('is told where no command of a code task can run tests', () => {
    expect(told({}, task(['node --check src/add.js']))).toBe(true);
  });
  test('is not told of a docs task, with a test_command, or where a script may run them', () => {
    expect(told({}, task(['node --check src/add.js'], 'docs'))).toBe(false);
    expect(told({ test_command: 'npm test' }, task(['node --check src/add.js']))).toBe(false);
    for (const command of ['npm run check', 'sh ci.sh', 'make', 'node --test'])
      expect(told({}, task([command])), command).toBe(false);
  });
});
