// A green run that says nothing about a change: no test ran in it, and it was green before, too.

import { expect, test } from 'vitest';
import { idleRun, testsRun } from '../../../src/tasks/rules/idle-run.ts';

test.each([
  ['a list of files', 'app.ts\nlib.ts\n'],
  ['nothing', ''],
  ['cargo test --no-run', '    Finished `test` profile\n  Executable unittests src/lib.rs (target/debug/deps/a-1)\n'],
  ['mvn -DskipTests', '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n'],
])('%s, green before the change, too', (_what, printed) => {
  expect(idleRun(printed, true)).toBe('green_before');
  expect(idleRun(printed, false)).toBeUndefined();
});

test.each([
  ['node', 'ℹ tests 0\nℹ pass 0\nℹ fail 0\n'],
  ['go', 'ok  \tx.y/a\t0.1s [no tests to run]\n'],
  ['cargo', 'test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s\n'],
  ['jest', 'No tests found, exiting with code 0\n'],
  ['jest, all left out by -t', 'Tests:       5 skipped, 5 total\n'],
  ['vitest, all left out by -t', ' \u2193 test/a.test.ts (5 tests | 5 skipped)\n      Tests  5 skipped (5)\n'],
  ['node, all left out by a name', 'ok 1 - a # SKIP test name does not match pattern\n# tests 1\n# pass 0\n# fail 0\n'],
  ['mocha', '\n  0 passing (2ms)\n'],
  ['PHPUnit', 'No tests executed!\n'],
  ['ctest', 'No tests were found!!!\n'],
  ['dotnet', 'No test matches the given testcase filter `FullyQualifiedName~nosuch` in a.dll\n'],
  ['TAP', 'TAP version 13\n1..0\n'],
  ['bun', ' 0 pass\n 0 fail\n'],
])('%s ran no test', (_what, printed) => {
  expect(idleRun(printed, false)).toBe('no_tests');
  expect(testsRun(printed, 'npm test')).toBe(0);
});

test.each([
  ['node', 'ℹ tests 2\nℹ pass 2\nℹ fail 0\n'],
  ['TAP alone', 'ok 1 - adds\n'],
  ['go', 'ok  \tx.y/a\t0.1s\n?   \tx.y/b\t[no test files]\nok  \tx.y/c\t0.1s [no tests to run]\n'],
  ['vitest', ' ✓ test/a.test.js (2 tests) 5ms\n'],
])('%s ran tests', (_what, printed) => {
  expect(idleRun(printed, true)).toBeUndefined();
  expect(testsRun(printed, 'npm test')).not.toBe(0);
});

test.each(['! npm test', 'if npm test; then exit 1; fi', 'npm run build && ! npm test', 'npm test; test $? -ne 0'])(
  'what %s counts are no green tests',
  (command) => {
    const printed = '# tests 17\n# pass 16\n# fail 1\n';
    expect(testsRun(printed, command)).toBeUndefined();
    expect(testsRun(printed, 'npm test')).toBe(17);
    expect(testsRun('# tests 0\n# pass 0\n# fail 0\n', command)).toBe(0);
  },
);
