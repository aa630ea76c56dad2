// Outputs as the tools printed them, and the lines of them that a reader is told.

import { describe, expect, it } from 'vitest';
import { beginning, ending } from '../../../src/text/format.ts';
import { tellingLines, tellingText } from '../../../src/text/telling-lines.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const NODE_ASSERT = `node:assert:90
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

2 !== 3

    at [eval]:1:28
    at runScriptInThisContext (node:internal/vm:209:10)
    at node:internal/process/execution:118:14
    at [eval]-wrapper:6:24
    at runScript (node:internal/process/execution:101:62)
    at evalScript (node:internal/process/execution:133:3)
    at node:internal/main/eval_string:51:3 {
  generatedMessage: true,
  code: 'ERR_ASSERTION',
  actual: 2,
  expected: 3,
  operator: 'strictEqual'
}

Node.js v20.20.2
`;
const NODE_MISSING = `node:internal/modules/cjs/loader:1210
  throw err;
  ^

Error: Cannot find module './sum.js'
Require stack:
- /home/me/app/[eval]
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at Module._load (node:internal/modules/cjs/loader:1038:27)
    at Module.require (node:internal/modules/cjs/loader:1289:19)
    at require (node:internal/modules/helpers:182:18)
    at [eval]:1:7
    at runScriptInThisContext (node:internal/vm:209:10)
    at node:internal/process/execution:118:14
    at [eval]-wrapper:6:24
    at runScript (node:internal/process/execution:101:62)
    at evalScript (node:internal/process/execution:133:3) {
  code: 'MODULE_NOT_FOUND',
  requireStack: [ '/home/me/app/[eval]' ]
}

Node.js v20.20.2
`;
const TAP = `TAP version 13
# Subtest: adds
not ok 1 - adds
  ---
  duration_ms: 1.886338
  location: '/home/me/app/t.test.js:2:1'
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
    
    2 !== 3
    
  code: 'ERR_ASSERTION'
  name: 'AssertionError'
  expected: 3
  actual: 2
  operator: 'strictEqual'
  stack: |-
    TestContext.<anonymous> (/home/me/app/t.test.js:2:20)
    Test.runInAsyncScope (node:async_hooks:206:9)
    Test.run (node:internal/test_runner/test:796:25)
    Test.processPendingSubtests (node:internal/test_runner/test:526:18)
    node:internal/test_runner/harness:255:12
    node:internal/process/task_queues:140:7
    AsyncResource.runInAsyncScope (node:async_hooks:206:9)
    AsyncResource.runMicrotask (node:internal/process/task_queues:137:8)
  ...
# Subtest: fine
ok 2 - fine
  ---
  duration_ms: 0.130633
  ...
`;
const SPEC = `✖ adds (2.200264ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
  
  2 !== 3
  
      at TestContext.<anonymous> (/home/me/app/t.test.js:2:20)
      at Test.runInAsyncScope (node:async_hooks:206:9)
      at Test.run (node:internal/test_runner/test:796:25)
      at Test.processPendingSubtests (node:internal/test_runner/test:526:18)
      at node:internal/test_runner/harness:255:12
      at node:internal/process/task_queues:140:7
      at AsyncResource.runInAsyncScope (node:async_hooks:206:9)
      at AsyncResource.runMicrotask (node:internal/process/task_queues:137:8) {
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 2,
    expected: 3,
    operator: 'strictEqual'
  }

`;
const MOCHA = `

  sum
    1) adds
    ✔ fine


  1 passing (26ms)
  1 failing

  1) sum
       adds:

      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

2 !== 3

      + expected - actual

      -2
      +3
      
      at Context.<anonymous> (m.js:1:64)
      at process.processImmediate (node:internal/timers:483:21)



`;
const MOCHA_MISSING = `
Error: No test files found: "test/range.js"
npm notice
npm notice New minor version of npm available! 11.19.1 -> 11.21.1
npm notice Changelog: https://github.com/npm/cli/releases/tag/v11.21.1
npm notice To update run: npm install -g npm@11.21.1
npm notice
`;
const UNITTEST = `test_a (test_x.T.test_a) ... FAIL
test_b (test_x.T.test_b) ... ok

======================================================================
FAIL: test_a (test_x.T.test_a)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/me/app/test_x.py", line 3, in test_a
    def test_a(self): self.assertEqual(1,2)
                      ^^^^^^^^^^^^^^^^^^^^^
AssertionError: 1 != 2

----------------------------------------------------------------------
Ran 2 tests in 0.001s

FAILED (failures=1)
`;
const PYTEST = `============================= test session starts ==============================
platform linux -- Python 3.11.7, pytest-9.0.3, pluggy-1.6.0
benchmark: 5.2.3 (defaults: timer=time.perf_counter disable_gc=False min_rounds=5 min_time=0.000005 max_time=1.0 calibration_precision=10 warmup=False warmup_iterations=100000)
rootdir: /home/me/app
plugins: hypothesis-6.155.2, benchmark-5.2.3
collected 2 items

test_x.py F.                                                             [100%]

=================================== FAILURES ===================================
___________________________________ T.test_a ___________________________________

self = <test_x.T testMethod=test_a>

>   def test_a(self): self.assertEqual(1,2)
                      ^^^^^^^^^^^^^^^^^^^^^
E   AssertionError: 1 != 2

test_x.py:3: AssertionError
=========================== short test summary info ============================
FAILED test_x.py::T::test_a - AssertionError: 1 != 2
========================= 1 failed, 1 passed in 0.80s ==========================
`;
const MAKE = `echo hi; exit 2
hi
make: *** [Makefile:4: x] Error 2
`;
const NPM = `npm warn Unknown user config "nodedir". This will stop working in the next major version of npm. See \`npm help npmrc\` for supported config options.
npm error code ENOENT
npm error syscall open
npm error path /home/me/app/package.json
npm error errno -2
npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/me/app/package.json'
npm error enoent This is related to npm not being able to find a file.
npm error enoent
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/2026-11-16T17_15_15_612Z-debug-0.log
`;

describe('the telling lines of an output', () => {
  it.each([
    [
      'node -e with an assertion',
      NODE_ASSERT,
      [
        'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
        '2 !== 3',
        '  actual: 2,',
        '  expected: 3,',
      ],
    ],
    [
      'node -e with a missing module',
      NODE_MISSING,
      [
        "Error: Cannot find module './sum.js'",
        'Require stack:',
        '- /home/me/app/[eval]',
        "  requireStack: [ '/home/me/app/[eval]' ]",
      ],
    ],
    [
      'node --test as TAP',
      TAP,
      ['not ok 1 - adds', '    Expected values to be strictly equal:', '    2 !== 3', '  expected: 3'],
    ],
    [
      'node --test as spec',
      SPEC,
      [
        '✖ adds (2.200264ms)',
        '  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
        '  2 !== 3',
        '      at TestContext.<anonymous> (/home/me/app/t.test.js:2:20)',
      ],
    ],
    [
      'mocha',
      MOCHA,
      [
        '    1) adds',
        '      AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
        '2 !== 3',
        '      + expected - actual',
      ],
    ],
    ['npx mocha without the file', MOCHA_MISSING, ['Error: No test files found: "test/range.js"']],
    [
      'unittest',
      UNITTEST,
      ['test_a (test_x.T.test_a) ... FAIL', 'AssertionError: 1 != 2', 'Ran 2 tests in 0.001s', 'FAILED (failures=1)'],
    ],
    [
      'pytest',
      PYTEST,
      [
        'E   AssertionError: 1 != 2',
        'test_x.py:3: AssertionError',
        'FAILED test_x.py::T::test_a - AssertionError: 1 != 2',
        '========================= 1 failed, 1 passed in 0.80s ==========================',
      ],
    ],
    ['make', MAKE, ['echo hi; exit 2', 'hi', 'make: *** [Makefile:4: x] Error 2']],
    [
      'npm without a package',
      NPM,
      [
        "npm error enoent Could not read package.json: Error: ENOENT: no such file or directory, open '/home/me/app/package.json'",
        'npm error enoent This is related to npm not being able to find a file.',
        'npm error enoent',
      ],
    ],
    ['an unknown tool', 'one\ntwo\nthree\nfour\nfive\nsix\n', ['three', 'four', 'five', 'six']],
    [
      'the project’s own frame',
      'TypeError: x\n    at sum (/home/me/app/sum.js:1:2)\n    at Module.load (node:internal/modules/a:1:2)\n    at /home/me/app/node_modules/mocha/lib/a.js:3:4\n',
      ['TypeError: x', '    at sum (/home/me/app/sum.js:1:2)'],
    ],
    ['colours', '\u001b[31mTypeError: x\u001b[39m\n    at node:internal/a:1:2\n', ['TypeError: x']],
  ])('%s', (_tool, printed, lines) => expect(tellingLines(printed, 4)).toEqual(lines));

  it('one line is the error itself, not its title', () => {
    expect(tellingLines(SPEC, 1)).toEqual(['  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:']);
  });

  it('where all is noise, its end is told rather than nothing', () => {
    expect(tellingLines('npm notice a\nnpm notice b\n', 1)).toEqual(['npm notice b']);
    expect(tellingLines('\n \n', 4)).toEqual([]);
  });

  it('told again it stays the same: what is kept of an output is shown by the same rule', () => {
    for (const printed of [NODE_ASSERT, TAP, SPEC, MOCHA, UNITTEST, PYTEST]) {
      const kept = tellingLines(printed, 12).join('\n');
      expect(tellingLines(kept, 4)).toEqual(tellingLines(printed, 4));
    }
  });

  it('is bounded, and quick on hostile text', () => {
    const spent = cpuTimer();
    const told = tellingLines(`${'at ('.repeat(50_000)}\n${'Error: x\n'.repeat(20_000)}`, 4);
    expect(told.join('\n').length).toBeLessThan(1000);
    expect(spent()).toBeLessThan(2000);
  });
});

const NOT_IN_SYNC = `npm error code EUSAGE
npm error
npm error \`npm ci\` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with \`npm install\` before continuing.
npm error
npm error Missing: left-pad@1.3.0 from lock file
npm error
npm error Clean install a project
npm error
npm error Usage:
npm error npm ci
npm error
npm error Options:
npm error [--install-strategy <hoisted|nested|shallow|linked>] [--legacy-bundling]
npm error [--no-bin-links] [--no-fund] [--dry-run]
npm error
npm error   --install-strategy
npm error     Sets the strategy for installing packages in node_modules.
npm error
npm error aliases: clean-install, ic, install-clean, isntall-clean
npm error
npm error Run "npm help ci" for more info
npm error A complete log of this run can be found in: /home/ada/.npm/_logs/x.log
`;

it('npm ci that finds the lock file wrong is told by its reason, not by its usage', () => {
  expect(tellingLines(NOT_IN_SYNC, 20)).toEqual([
    'npm error EUSAGE: `npm ci` can only install packages when your package.json and package-lock.json or npm-shrinkwrap.json are in sync. Please update your lock file with `npm install` before continuing.',
    'npm error Missing: left-pad@1.3.0 from lock file',
  ]);
});

it('what is kept of a long output has the lines that tell, not its end', () => {
  const text = `npm error Missing: left-pad\n${'at somewhere in the middle of a package\n'.repeat(500)}`;
  const kept = tellingText(text, 200);
  expect(kept.length).toBeLessThanOrEqual(200);
  expect(kept.split('\n')[0]).toBe('npm error Missing: left-pad');
});

it('that an assertion was false is said by its message, not by its fields', () => {
  const printed = `AssertionError [ERR_ASSERTION]: the list has 4 lines
    at [eval]:1:200
  generatedMessage: false,
  code: 'ERR_ASSERTION',
  actual: false,
  expected: true,
  operator: '=='
}`;
  expect(tellingLines(printed, 4)).toEqual(['AssertionError [ERR_ASSERTION]: the list has 4 lines']);
});

it('cuts no character in two', () => {
  const line = `error: ${'a'.repeat(232)}\ud83d\ude00 and more`;
  expect(tellingLines(line, 1)).toEqual([line.slice(0, 239)]);
  expect(ending('\ud83d\ude00b', 2)).toBe('b');
  expect(beginning('b\ud83d\ude00', 2)).toBe('b');
});
