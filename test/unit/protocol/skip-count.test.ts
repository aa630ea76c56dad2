// What a runner left out: an alarm only where the change may have switched it off.

import { expect, test } from 'vitest';
import { leftOut, skipCount, skippedText } from '../../../src/protocol/review/skip-count.ts';

test.each([
  ['skipped 2', 2],
  ['skipped 2; todo 1', 3],
  ['Tests 3 passed | 2 skipped (5)', 2],
  ['Tests: 2 skipped, 1 todo, 5 passed, 8 total', 3],
  ['3 passed, 2 skipped, 1 xfailed, 30 deselected in 0.12s', 33],
  ['OK (skipped=2, expected failures=1)', 3],
  ['--- SKIP: TestA (0.00s); --- SKIP: TestB (0.00s); and 3 more lines', 5],
  ['test result: ok. 5 passed; 0 failed; 2 ignored; 0 measured; 3 filtered out', 2],
  ['5 examples, 0 failures, 1 pending', 1],
  ['[ SKIPPED ] 2 tests, listed below:', 2],
  ['Tests run: 5, Failures: 0, Errors: 0, Skipped: 2', 2],
  [undefined, 0],
])('%s: %s', (said, many) => expect(skipCount(said)).toBe(many));

test.each([
  ['npm test', 'skipped 2', 2, ', skipped 2 (as many left out on the base)'],
  ['npm test', 'skipped 2', 5, ', skipped 2 (as many left out on the base)'],
  ['npm test', 'skipped 2', 1, ', BUT 1 MORE LEFT OUT THAN ON THE BASE (skipped 2; on the base: 1 left out)'],
  ['npm test', 'skipped 2', 0, ', BUT NOT ALL RAN (skipped 2; on the base all did)'],
  ['npm test', 'skipped 2', undefined, ', BUT NOT ALL RAN (skipped 2)'],
  [
    'pytest -k retry',
    '1 passed, 9 deselected in 0.1s',
    undefined,
    ', 1 passed, 9 deselected in 0.1s (the command itself chooses tests)',
  ],
  [
    'python3 -m pytest -m fast',
    '1 passed, 9 deselected in 0.1s',
    0,
    ', 1 passed, 9 deselected in 0.1s (the command itself chooses tests)',
  ],
  [
    'python3 -m pytest',
    '1 passed, 9 deselected in 0.1s',
    0,
    ', BUT NOT ALL RAN (1 passed, 9 deselected in 0.1s; on the base all did)',
  ],
  [
    'pytest -k retry',
    '1 passed, 1 skipped, 9 deselected in 0.1s',
    undefined,
    ', BUT NOT ALL RAN (1 passed, 1 skipped in 0.1s)',
  ],
  [
    'pytest -k retry',
    '1 passed, 1 skipped, 9 deselected in 0.1s',
    0,
    ', BUT NOT ALL RAN (1 passed, 1 skipped in 0.1s)',
  ],
  [
    'pytest -k retry',
    '1 passed, 1 skipped, 9 deselected in 0.1s',
    1,
    ', 1 passed, 1 skipped in 0.1s (as many left out on the base)',
  ],
  [
    'npx jest -t retries',
    'Tests: 9 skipped, 1 passed, 10 total',
    undefined,
    ', Tests: 9 skipped, 1 passed, 10 total (the command itself chooses tests)',
  ],
  [
    'cargo test retries',
    'test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured',
    undefined,
    ', BUT NOT ALL RAN (test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured)',
  ],
  ['npm test', undefined, 3, ''],
])('%s, %s, %s on the base', (command, skipped, before, told) => {
  expect(
    skippedText({
      command,
      ...(skipped === undefined ? {} : { skipped }),
      ...(before === undefined ? {} : { skips_on_base: before }),
    }),
  ).toBe(told);
});

test.each([
  ['pytest -k retry', '1 passed, 1 skipped, 9 deselected in 0.1s', 1],
  ['pytest -k retry', '9 deselected in 0.1s', 0],
  ['pytest', '1 passed, 9 deselected in 0.1s', 9],
  ['npm test', undefined, 0],
])('%s, %s: what the command did not choose is not left out: %s', (command, skipped, many) => {
  expect(leftOut({ command, ...(skipped === undefined ? {} : { skipped }) })).toBe(many);
});
