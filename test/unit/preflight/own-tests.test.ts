// Which runners look into every folder, .worktrees included.

import { expect, test } from 'vitest';
import { wideRunner } from '../../../src/preflight/rules/own-tests.ts';
import { commandsRun } from '../../../src/protocol/facts/command-files.ts';

test.each([
  ['node --test', 'node --test'],
  ['node --test --test-reporter=tap', 'node --test'],
  ['node --test test/', undefined],
  ['node --test test/a.test.js', undefined],
  ['npx jest --ci', 'jest'],
  ['vitest run', 'vitest'],
  ['tsc && ava', 'ava'],
  ['cd packages/a && jest', undefined],
  ['mocha', undefined],
  ['pytest', undefined],
  ['node check.js', undefined],
])('%s: %s', (command, runner) => {
  expect(wideRunner(commandsRun(['npm test'], { test: command }), '')?.runner).toBe(runner);
  expect(wideRunner(commandsRun([command], {}), 'exclude: [".worktrees/**"]')).toBeUndefined();
});
