// Test files in which nothing could run, and files that may hold a test in whatever form.

import { expect, test } from 'vitest';
import { gainsHollowTests, isHollowTest } from '../../../src/tasks/rules/hollow-test.ts';

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
  [
    'a.test.js',
    "import test from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => assert.ok(true));\n",
  ],
  ['a.test.js', "test('adds', () => {\n  assert.ok(true);\n  assert.equal(1 + 1, 2);\n});\n"],
  ['a.test.ts', "import { expect, test } from 'vitest';\ntest('adds', async () => { expect(true).toBe(true); });\n"],
  ['a.test.ts', "describe('a', () => {\n  it('b', () => {\n    expect(1).to.equal(1);\n  });\n});\n"],
  ['test_a.py', 'def test_a():\n    assert True\n'],
  ['test_a.py', 'def test_a(): assert 1 == 1, "works"\n'],
  [
    'test_a.py',
    'import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(not False)\n',
  ],
  ['tests/a.rs', '#[test]\nfn adds() {\n    assert!(true);\n}\n'],
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
  ['test/a.rb', 'assert true\n'],
  ['a.test.js', "test('adds', () => { assert.ok(true); assert.equal(add(1, 2), 3); });\n"],
  ['a.test.js', "test('loads', async () => { await import('../a.js'); assert.ok(true); });\n"],
  ['a.test.js', "import '../a.js';\ntest('loads', () => assert.ok(true));\n"],
  ['a.test.js', "test('adds', () => assert.ok(done));\n"],
  ['a.test.js', "beforeEach(() => check());\ntest('adds', () => assert.ok(true));\n"],
  ['test_a.py', 'def test_a(loaded):\n    assert True\n'],
  ['test_a.py', 'def test_a():\n    run()\n    assert True\n'],
  ['test_a.py', 'def test_a():\n    assert value\n'],
  ['tests/a.rs', '#[test]\nfn adds() { run(); assert!(true); }\n'],
  ['test/a.c', '#include "a.h"\nint main(void) { return add(1, 2) != 3; }\n'],
  ['tests/a.rs', '#[test]\nfn adds() { assert_eq!(add(1, 2), 3); }\n'],
  ['AppTest.java', 'class AppTest extends Base {\n  @Test void adds() { check(); }\n}\n'],
])('%s may hold one: %j', (path, text) => {
  expect(isHollowTest(text, path)).toBe(false);
});

const OLD = "import { test } from 'node:test';\ntest('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\n";
test.each([
  ["test('subtracts', () => assert.ok(true));\n", true],
  ["test('subtracts', () => {\n  assert.ok(true);\n});\n", true],
  ["// works\ntest('subtracts', () => {});\n", true],
  ["test('subtracts', () => assert.equal(sub(1, 2), -1));\n", false],
  ["test('subtracts', () => {\n  assert.equal(add(1, 2), 3);\n});\n", false],
  ["const x = sub(1);\ntest('subtracts', () => assert.ok(true));\n", false],
  ["test('adds', () => assert.ok(true));\n", false],
  ["beforeEach(() => check());\ntest('subtracts', () => assert.ok(true));\n", false],
  ['', false],
])('a file of tests that gains %j gains nothing that could fail: %s', (more, is) => {
  expect(gainsHollowTests(OLD, `${OLD}${more}`, 'a.test.js')).toBe(is);
});

test('an assertion that moved to a new test is there', () => {
  const moved = OLD.replace("test('adds'", "test('adds up'");
  expect(gainsHollowTests(OLD, moved, 'a.test.js')).toBe(false);
  expect(gainsHollowTests(OLD, '', 'a.test.js')).toBe(false);
});
