// Test files in which nothing could run, and files that may hold a test in whatever form.

import { expect, test } from 'vitest';
import { isHollowTest } from '../../../src/tasks/rules/hollow-test.ts';

test.each([
  ['test_a.py', ''],
  ['test_a.py', '# to be written\n'],
  ['test_a.py', '"""Tests of the driver."""\nimport unittest\nfrom driver import load\n'],
  ['test_a.py', 'import unittest\n\nclass DriverTest(unittest.TestCase):\n    pass\n'],
  [
    'test_a.py',
    'import unittest\nclass T(unittest.TestCase):\n    def test_load(self):\n        pass\n\nif __name__ == "__main__":\n    unittest.main()\n',
  ],
  ['a.test.ts', "// later\nimport { test } from 'vitest';\nimport { a } from './a.ts';\n"],
  ['a.test.js', "const test = require('node:test');\nconst { a } = require('../a');\n"],
  ['a.test.js', "describe('a', () => {\n});\n"],
  ['a.test.js', "test('adds', () => {});\n"],
  ['a_test.go', 'package a\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n}\n'],
  ['test/a.sh', '#!/bin/sh\n# nothing yet\n'],
])('%s holds no test: %j', (path, text) => {
  expect(isHollowTest(text, path)).toBe(true);
});

test.each([
  ['test_a.py', 'def test_a():\n    assert add(1, 2) == 3\n'],
  ['test_a.py', 'from a import add\nassert add(1, 2) == 3\n'],
  ['test_a.py', 'import check_all\ncheck_all.run()\n'],
  ['test_a.py', 'class T(Base):\n    value = 3\n'],
  ['test_a.py', 'def test_a(loaded):\n    pass\n'],
  ['a.test.ts', "import { test } from 'vitest';\ntest('a', () => expect(a()).toBe(1));\n"],
  ['a.test.ts', "import './all-cases.ts';\n"],
  ['a.test.mjs', "import { a } from '../a.mjs'; a(1) === 2 || process.exit(1);\n"],
  ['test_a.py', 'import a; a.check()\n'],
  ['test/all.rb', "require_relative 'cases'\n"],
  ['a.test.js', "describe('a', () => { it('b', () => check(a)); });\n"],
  ['a.test.js', 'test(cases);\n'],
  ['a.test.js', "require('../a').add(1, 2) === 3 || process.exit(1);\n"],
  ['a_test.go', 'package a\nfunc TestA(t *testing.T) { check(t) }\n'],
  ['test/a.sh', 'grep -q 2 src/value\n'],
  ['test/a.sh', 'true\n'],
  ['test/a.c', '#include "a.h"\nint main(void) { return add(1, 2) != 3; }\n'],
  ['tests/a.rs', '#[test]\nfn adds() { assert_eq!(add(1, 2), 3); }\n'],
  ['AppTest.java', 'class AppTest extends Base {\n  @Test void adds() { check(); }\n}\n'],
])('%s may hold one: %j', (path, text) => {
  expect(isHollowTest(text, path)).toBe(false);
});
