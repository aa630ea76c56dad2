// What the runners told of a cited test, from what they really print: named, skipped, not named where its neighbours
// are, or not named because they name none.

import { describe, expect, test } from 'vitest';
import { reportedTests } from '../../../src/tasks/rules/reported-tests.ts';
import { toldByRunner } from '../../../src/tasks/rules/told-by-runner.ts';

const told = (printed: string, path: string, text: string, ...names: readonly string[]) =>
  toldByRunner(reportedTests(printed), { path, text, names });

const JS = "test('adds two', f);\nif (false) test('takes three', f);\n";
const JS_PATH = 'test/a.test.js';
const PY = 'def test_one():\n    pass\n\ndef test_two():\n    pass\n';
const GO = 'func TestOne(t *testing.T) {}\nfunc TestTwo(t *testing.T) {}\n';

describe('its neighbours are named, and it is not: it did not run', () => {
  test.each([
    ['node', '✔ adds two (0.5ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0', JS_PATH, JS, 'takes three', 'adds two'],
    ['TAP', 'TAP version 13\nok 1 - adds two\n1..1', JS_PATH, JS, 'takes three', 'adds two'],
    ['mocha', '  calc\n    ✔ adds two\n\n  1 passing (3ms)', JS_PATH, JS, 'takes three', 'adds two'],
    [
      'jest',
      'PASS test/a.test.js\n  ✓ adds two (2 ms)\n\nTests:       1 passed, 1 total',
      JS_PATH,
      JS,
      'takes three',
      'adds two',
    ],
    [
      'vitest, verbose',
      ' ✓ test/a.test.js > adds two 2ms\n\n      Tests  1 passed (1)',
      JS_PATH,
      JS,
      'takes three',
      'adds two',
    ],
    [
      'pytest -v',
      'tests/test_a.py::test_one PASSED [100%]\n=== 1 passed in 0.01s ===',
      'tests/test_a.py',
      PY,
      'test_two',
      'test_one',
    ],
    [
      'go -v',
      '=== RUN   TestOne\n--- PASS: TestOne (0.00s)\nPASS\nok  \tx.y/a\t0.1s',
      'a/a_test.go',
      GO,
      'TestTwo',
      'TestOne',
    ],
    [
      'cargo',
      'test tests::one ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored;',
      'src/lib.rs',
      '#[test]\nfn one() {}\n#[test]\nfn two() {}\n',
      'two',
      'one',
    ],
  ])('%s', (_runner, printed, path, text, cited, other) => {
    expect(told(printed, path, text, cited)).toEqual({ is: 'did_not_run', others: [other] });
    expect(told(printed, path, text, other)).toEqual({ is: 'ran' });
  });
});

test.each([
  ['node', '✔ adds two (0.5ms)\n﹣ takes three (0.1ms) # SKIP'],
  ['node, to be done', '✔ takes three (0.1ms) # TODO'],
  ['TAP', 'ok 1 - adds two\nok 2 - takes three # SKIP later'],
  ['jest', '  ✓ adds two (2 ms)\n  ○ skipped takes three'],
  ['vitest', ' ✓ test/a.test.js > adds two 2ms\n ↓ test/a.test.js > takes three'],
  ['mocha', '    ✔ adds two\n    - takes three'],
  ['bats', ' ✓ adds two\n - takes three (skipped: later)'],
  ['gradle', 'CalcTest > adds two PASSED\n\nCalcTest > takes three SKIPPED'],
])('skipped, by %s', (_runner, printed) => {
  expect(told(printed, JS_PATH, JS, 'takes three')).toEqual({ is: 'skipped' });
});

test.each([
  ['a subtest of go', '--- PASS: TestMul (0.00s)\n    --- PASS: TestMul/three_by_two (0.00s)', 'three by two'],
  ['a name with its groups', 'ok 1 - calc sums adds two', 'adds two'],
  ['parameters of pytest', 'a.py::test_two[1-2] PASSED', 'test_two'],
  ['a name of PHPUnit, in words', ' ✔ Adds two', 'testAddsTwo'],
  ['values in its places', '✔ adds 3 lines (1ms)', 'adds %s lines'],
  ['what pytest -s prints between', 'a.py::test_two hello\nPASSED\na.py::test_one PASSED', 'test_two'],
  ['a docstring of unittest', 'test_two (a.A.test_two)\nIt adds. ... ok', 'test_two'],
])('%s is named', (_what, printed, name) => {
  expect(told(printed, 'test/x.test.js', JS, name)).toEqual({ is: 'ran' });
});

test.each([
  ['pytest', 'tests/test_a.py s   [100%]\n=== 1 passed, 1 skipped in 0.1s ===', 'unreported'],
  [
    'pytest, that ran both',
    'tests/test_a.py ..   [ 66%]\ntests/test_b.py s  [100%]\n= 2 passed, 1 skipped in 0.1s',
    'silent',
  ],
  ['pytest, over two lines', 'tests/test_a.py .s  [ 50%]\n.  [100%]\n= 2 passed, 1 skipped in 0.1s', 'silent'],
  ['pytest, a module', 'tests/test_b.py .  [100%]\n=== 1 passed, 1 skipped in 0.1s ===', 'unreported'],
  ['pytest -rs', 'SKIPPED [1] tests/test_a.py:2: no\n=== 1 passed, 1 skipped in 0.1s ===', 'unreported'],
  ['unittest', '.s\nRan 2 tests in 0.0s\n\nOK (skipped=1)', 'unreported'],
])('new, and more are skipped than on the base: %s', (_runner, printed, is) => {
  const asked = { path: 'tests/test_a.py', text: PY, names: ['test_two'], short: true, skips: true };
  expect(toldByRunner(reportedTests(printed), asked)).toEqual({ is });
});

describe('where they do not name it', () => {
  test.each([
    ['nothing is printed', '', JS_PATH, JS, 'takes three', 'silent'],
    ['pytest counts as many', '..\n2 passed in 0.01s', 'tests/test_a.py', PY, 'test_two', 'silent'],
    ['pytest counts fewer', '.\n1 passed in 0.01s', 'tests/test_a.py', PY, 'test_two', 'unreported'],
    [
      'pytest counts fewer, and skips some',
      '.s\n1 passed, 1 skipped in 0.01s',
      'tests/test_a.py',
      PY,
      'test_two',
      'silent',
    ],
    [
      'jest names the file',
      'PASS test/a.test.js\nTests:       2 passed, 2 total',
      JS_PATH,
      JS,
      'takes three',
      'silent',
    ],
    [
      'go ran no test of the package',
      'ok  \tx.y/a\t0.1s [no tests to run]',
      'a/a_test.go',
      GO,
      'TestTwo',
      'unreported',
    ],
    ['go ran other packages', 'ok  \tx.y/b\t0.1s\nok  \tx.y/c\t0.1s', 'a/a_test.go', GO, 'TestTwo', 'unreported'],
    ['go found its tests unchanged', 'ok  \tx.y/a\t(cached)', 'a/a_test.go', GO, 'TestTwo', 'silent'],
    ['go ran the package at the top', 'ok  \tx.y/calc\t0.1s', 'a_test.go', GO, 'TestTwo', 'silent'],
    ['go and another runner', '✔ other (0.5ms)\nok  \tx.y/a\t0.1s', 'a/a_test.go', GO, 'TestTwo', 'silent'],
    ['go ran a module below', 'ok  \tmod.org/a/v2\t0.1s', 'libs/a/a_test.go', GO, 'TestTwo', 'silent'],
    ['go names the package', 'ok  \tx.y/a\t0.1s', 'a/a_test.go', GO, 'TestTwo', 'silent'],
    [
      'vitest counts by file, and names what is slow',
      ' ✓ test/a.test.js (2 tests) 500ms\n   ✓ adds two 400ms\n      Tests  2 passed (2)',
      JS_PATH,
      JS,
      'takes three',
      'silent',
    ],
    [
      'vitest counts fewer in the file',
      ' ✓ test/a.test.js (1 test) 5ms\n ✓ test/b.test.js (9 tests) 5ms\n      Tests  10 passed (10)',
      JS_PATH,
      JS,
      'takes three',
      'unreported',
    ],
    [
      'only tests of other files are named',
      '✔ other (0.5ms)\nℹ pass 1',
      'tests/test_a.py',
      PY,
      'test_two',
      'unreported',
    ],
    [
      'another runner counts them',
      '✔ other (0.5ms)\nℹ pass 1\nℹ fail 0\n..\n2 passed in 0.01s',
      'tests/test_a.py',
      PY,
      'test_two',
      'silent',
    ],
    [
      'its words stand in what another is called',
      '✔ adds two (0.5ms)\n✔ it takes three more (0.1ms)',
      JS_PATH,
      JS,
      'takes three',
      'unreported',
    ],
  ])('%s', (_what, printed, path, text, name, is) => {
    expect(told(printed, path, text, name).is).toBe(is);
  });
});

describe('a new test, and fewer ran than those of the base and all that are new', () => {
  const short = (printed: string, path: string, text: string, name: string) =>
    toldByRunner(reportedTests(printed), { path, text, names: [name], short: true }).is;
  const PY_PATH = 'tests/test_two.py';
  const TWO = 'class Two:\n    def test_two(self):\n        assert two()\n';

  test.each([
    ['unittest', 'Ran 5 tests in 0.001s\n\nOK'],
    ['pytest -q', '.....  [100%]\n5 passed in 0.01s'],
  ])('%s: that as many ran says nothing of it', (_runner, printed) => {
    expect(short(printed, PY_PATH, TWO, 'test_two')).toBe('unreported');
    expect(told(printed, PY_PATH, TWO, 'test_two').is).toBe('silent');
  });

  test.each([
    [
      'a runner that shows its file',
      'tests/test_two.py .  [100%]\n=== 5 passed in 0.01s ===',
      PY_PATH,
      TWO,
      'test_two',
    ],
    ['a number that is not of tests', '100% tests passed, 0 tests failed out of 5', PY_PATH, TWO, 'test_two'],
    ['no number', 'all is well', PY_PATH, TWO, 'test_two'],
  ])('no doubt by %s', (_what, printed, path, text, name) => expect(short(printed, path, text, name)).toBe('silent'));
});

describe('node takes a file without tests for one test', () => {
  const printed = (file: string) => `ok 1 - adds\nok 2 - ${file}\n1..2\n# tests 2\n# suites 0\n# pass 2\n# fail 0`;
  const body = "export function all() {\n  test('takes three', f);\n}\n";
  const text = `import { test } from 'node:test';\n${body}`;

  test.each(['test/b.test.js', '/tmp/x/test/b.test.js'])('%s', (file) =>
    expect(told(printed(file), 'test/b.test.js', text, 'takes three').is).toBe('unreported'),
  );
  test('a project’s own test is none that node would count', () =>
    expect(told(printed('test/b.test.js'), 'test/b.test.js', body, 'takes three').is).toBe('silent'));
  test('a file whose names code makes may well have it', () =>
    expect(told(printed('test/b.test.js'), 'test/b.test.js', `${text}test(name, f);`, 'takes three').is).toBe(
      'silent',
    ));
  test('another runner may print the files that it ran', () =>
    expect(told('ok 1 - test/b.test.js\n1..1', 'test/b.test.js', text, 'takes three').is).toBe('silent'));
});

test('TAP without numbers names a test behind its groups, with its values filled in', () => {
  const text = `describe('Bytes', () => {\n  it('adds two', f);\n  for (const n of ALL) it(\`takes \${n} bytes\`, f);\n});\n`;
  const printed = 'ok - Bytes adds two\nok - Bytes takes 3 bytes\nnot ok - Bytes takes 4 bytes\n';
  expect(told(printed, JS_PATH, text, 'adds two')).toEqual({ is: 'ran' });
  expect(told(printed, JS_PATH, text, 'takes 3 bytes', `takes \${n} bytes`)).toEqual({ is: 'ran' });
});
