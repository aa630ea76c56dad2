// Tests that are written and never run: left out by the preprocessor or the compiler, below a false condition, uncalled.

import { describe, expect, test } from 'vitest';
import { declaredTests } from '../../../src/tasks/rules/declared-tests.ts';
import { readHunks } from '../../../src/tasks/rules/diff-lines.ts';
import { isHollowTest } from '../../../src/tasks/rules/hollow-test.ts';
import { testEdits, weakened } from '../../../src/tasks/rules/test-edits.ts';

const on = (text: string, path: string): readonly string[] =>
  declaredTests(text, path)
    .tests.filter(({ sure, off }) => sure && !off)
    .map(({ name }) => name);

describe('which tests of a file run', () => {
  test.each([
    ['a.test.js', "if (false) {\n  test('off', f);\n}\ntest('on', f);\n"],
    ['a.test.js', "if (false) test('off', f);\ntest('on', f);\n"],
    ['a.test.ts', "if (false && slow) {\n  describe('x', () => {\n    it('off', f);\n  });\n}\nit('on', f);\n"],
    ['test_a.py', 'if False:\n    def test_off():\n        assert x()\n\ndef on_test():\n    assert y()\n'],
    [
      'test_a.py',
      'if 0:\n    class TestA:\n        def test_off(self):\n            assert x()\n\ndef on_test():\n    assert y()\n',
    ],
    [
      'tests/a.rs',
      '#[cfg(any())]\nmod more {\n    #[test]\n    fn off() { check(); }\n}\n\n#[test]\nfn on() { check(); }\n',
    ],
    ['tests/a.rs', '#[cfg(any())]\n#[test]\nfn off() { check(); }\n\n#[test]\nfn on() { check(); }\n'],
    [
      'tests/a.c',
      '#if 0\nvoid test_off(void) { check(1); }\n#if X\n#endif\n#endif\nvoid test_on(void) { check(2); }\n',
    ],
    ['tests/a.cpp', '#if 0 // later\nTEST(Suite, off) { check(1); }\n#else\nTEST(Suite, on) { check(2); }\n#endif\n'],
    [
      'tests/a.c',
      'static void test_off(void) { check(1); }\nstatic void test_on(void) { check(2); }\nint main(void) {\n  test_on();\n  return 0;\n}\n',
    ],
  ])('%s: %j', (path, text) => {
    expect(on(text, path).filter((name) => /off/.test(name))).toEqual([]);
    expect(on(text, path).some((name) => /on/.test(name))).toBe(true);
  });

  test.each([
    ['a.test.js', "if (isFalse) {\n  test('a', f);\n}\n", ['a']],
    ['a.test.js', "test('a', () => {\n  if (false) helper();\n  check();\n});\ntest('b', f);\n", ['a', 'b']],
    ['tests/a.c', '#if 1\nvoid test_a(void) { check(1); }\n#endif\n', ['test_a']],
    ['tests/a.c', 'void test_a(void) { check(1); }\n', ['test_a']],
    ['tests/a.c', 'void test_a(void) { check(1); }\nint main(void) { RUN_TEST(test_a); return 0; }\n', ['test_a']],
    [
      'tests/a.c',
      'void test_a(void) { check(1); }\nstruct t all[] = { { "a", test_a } };\nint main(void) { return run(all); }\n',
      ['test_a'],
    ],
    ['tests/a.rs', '#[cfg(any(unix, windows))]\n#[test]\nfn a() { check(); }\n', ['a']],
    ['tests/a.rs', '#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { check(); }\n}\n', ['a']],
  ])('honest: %s: %j', (path, text, names) => {
    expect(on(text, path)).toEqual(names);
  });

  test('a file that the preprocessor leaves out whole holds no test', () => {
    const text = '#include "a.h"\n#if 0\nint main(void) { return add(1, 2) != 3; }\n#endif\n';
    expect(isHollowTest(text, 'test/a.c')).toBe(true);
    expect(isHollowTest(text.replace('#if 0', '#if 1'), 'test/a.c')).toBe(false);
  });
});

describe('a new line that switches tests off is told', () => {
  const edit = (path: string, line: string) =>
    readHunks(
      [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, '@@ -0,0 +1 @@', `+${line}`].join('\n'),
    );

  test.each([
    ['test/a.c', '#if 0'],
    ['test/a.c', '#if 0 /* later */'],
    ['tests/a.rs', '#[cfg(any())]'],
    ['tests/a.rs', '#![cfg(any())]'],
    ['test/a.test.js', 'if (false) {'],
    ['test/a.test.js', '  if (0) test("x", f);'],
    ['test/test_a.py', 'if False:'],
    ['test/test_a.py', '    if 0:'],
    ['test/a_test.go', '\tif false {'],
  ])('%s: %s', (path, line) => {
    expect(testEdits(edit(path, line)).lines).toEqual([`${path}:1 + ${line.trim()}`]);
    expect(weakened(edit(path, line)).has(path)).toBe(true);
  });

  test.each([
    ['test/a.c', '#if defined(X)'],
    ['test/a.c', '#if 0x10 > VERSION'],
    ['tests/a.rs', '#[cfg(any(unix, windows))]'],
    ['tests/a.rs', '#[cfg(test)]'],
    ['test/a.test.js', 'if (falsePositives) {'],
    ['test/a.test.js', "lint('if (false) {}');"],
    ['test/a.test.js', 'expect(false).toBe(false);'],
    ['test/test_a.py', 'if False in values:'],
    ['test/test_a.py', 'x = 1 if False else 2'],
    ['test/a.test.js', 'if (0 < many) {'],
  ])('honest: %s: %s', (path, line) => {
    expect(testEdits(edit(path, line)).lines).toEqual([]);
  });
});
