// A run that came to no test is told apart from one whose tests are red.

import { expect, test } from 'vitest';
import { notFoundMend, notFoundText, testsNotFound } from '../../../src/tasks/rules/tests-not-found.ts';

const run = (code: number, tail: string) => testsNotFound({ how: 'exited', code, tail });

test.each([
  [1, '> x@1.0.0 test\n> echo "Error: no test specified" && exit 1\n\nError: no test specified\n'],
  [1, 'npm error Missing script: "test"\nnpm error\nnpm error To see a list of scripts, run:'],
  [254, 'npm error code ENOENT\nnpm error enoent Could not read package.json: Error: ENOENT: no such file'],
  [1, "Could not find '/p/.worktrees/.trial-_preflight-1a2b/test'\n"],
  [1, "  throw err;\n\nError: Cannot find module '/p/test/a.js'\n  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n"],
  [2, 'sh: 0: cannot open test.sh: No such file'],
  [127, 'sh: 1: ./test.sh: not found'],
  [127, 'bash: line 1: scripts/test.sh: No such file or directory'],
  [2, "/usr/bin/python3: can't open file '/p/t.py': [Errno 2] No such file or directory"],
  [5, 'collected 0 items\n\n===== no tests ran in 0.89s =====\n'],
  [4, 'ERROR: file or directory not found: tests\n\n===== no tests ran in 0.01s =====\n'],
  [2, "make: *** No rule to make target 'test'.  Stop."],
  [1, '\u001b[31mNo test files found, exiting with code 1\u001b[39m\n'],
  [1, 'No tests found, exiting with code 1\n'],
])('no tests yet: exit %i, %j', (code, tail) => expect(run(code, tail)).toMatchObject({ what: 'tests' }));

test.each([
  [127, 'sh: 1: pytest: not found'],
  [127, 'bash: line 1: cargo: command not found'],
  [1, '/usr/bin/python3: No module named pytest'],
  [126, 'sh: 1: ./test.sh: Permission denied'],
])('a program that is not there: exit %i, %j', (code, tail) =>
  expect(run(code, tail)).toMatchObject({ what: 'program' }),
);

test.each([
  [0, 'no tests ran in 0.89s'],
  [1, '1 failing'],
  [1, 'Error: no such user\n    at test/a.test.js:3:1\n# pass 3\n# fail 1\n'],
  [1, "Error: Cannot find module '../src/greet.js'\nRequire stack:\n- /p/test/a.test.js\n"],
  [1, "Cannot find module '/p/src/greet.js' imported from /p/test/a.test.js\n"],
  [1, 'cat: out.txt: No such file or directory\n'],
  [1, 'No tests found, exiting with code 1\nTests:       1 failed, 2 passed, 3 total\n'],
  [1, 'Test Suites: 1 failed, 1 total\nTests:       0 total\n'],
])('tests that are there and are not green: exit %i, %j', (code, tail) => expect(run(code, tail)).toBeUndefined());

test('what is told, and what helps: a task, a person, another command, or none', () => {
  const found = run(1, "Could not find '/p/.worktrees/.trial-_preflight-1a2b/test'\n");
  if (found === undefined) throw new Error('not found');
  expect(notFoundText('npm test', found)).toBe("npm test finds no tests yet (Could not find 'test')");
  expect(run(5, '===== no tests ran in 0.89s =====\n')?.said).toBe('no tests ran');
  expect(notFoundMend(found, { branch: 'main' })).toMatch(/^a task of this goal may write them.* on main.*liza sync/);
  expect(notFoundMend(found, { branch: 'main', isOver: true })).toMatch(/^the next goal may.*test_command null$/);
  const denied = { what: 'program', said: 'sh: 1: ./test.sh: Permission denied' } as const;
  expect(notFoundMend(denied, { branch: 'main' })).toMatch(/^make it executable \(chmod \+x\)/);
});
