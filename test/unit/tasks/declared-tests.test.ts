// What a file declares as a test, and what only helps tests.

import { expect, test } from 'vitest';
import { declaredTests } from '../../../src/tasks/rules/declared-tests.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const names = (text: string, path: string) => declaredTests(text, path).tests.map(({ name }) => name);

test.each([
  [
    'function shouldBeFast(name, text) {\n  it("is fast: " + name, () => check(text));\n}',
    'a.test.js',
    ['is fast: %s'],
  ],
  ['function shouldParse(sizes) {\n  check(sizes);\n}', 'a.test.js', []],
  ['export async function testParse(text) {\n  check(text);\n}', 'a.test.ts', []],
  ['function testParse() {\n  check();\n}', 'a.test.js', ['testParse']],
  ['public function testParse($text) {\n  check($text);\n}', 'ParseTest.php', ['testParse']],
  ['@Test void shouldParse() {\n  check();\n}', 'ParseTest.java', ['shouldParse']],
])('%j in %s', (text, path, declared) => {
  expect([...new Set(names(text, path))]).toEqual(declared);
});

const sureIn = (text: string, path: string): readonly string[] =>
  declaredTests(text, path).tests.flatMap(({ name, sure }) => (sure ? [name] : []));

test.each([
  [
    'a fixture of pytest',
    '@pytest.fixture(\n    scope="module",\n)\ndef test_client():\n    return 1\n',
    'tests/test_a.py',
  ],
  ['a fixture by its own name', '@fixture\ndef test_client():\n    return 1\n', 'tests/test_a.py'],
  ['a helper', 'def run_test(one):\n    assert one\n', 'tests/test_a.py'],
  ['a function of a script', 'function testServer() {\n  return 1;\n}\n', 'test/a.test.js'],
])('%s is none for sure', (_what, text, path) => expect(sureIn(text, path)).toEqual([]));

test('a function within a test is none for sure', () => {
  const text = 'def test_a():\n    def test_view():\n        return 1\n    assert test_view()\n';
  expect(sureIn(text, 'tests/test_a.py')).toEqual(['test_a']);
});

test('a method of a class is one, whatever the class is called', () => {
  const text = 'class SubTest(unittest.TestCase):\n    def test_a(self):\n        self.assertTrue(a())\n';
  expect(sureIn(text, 'tests/test_a.py')).toEqual(['test_a']);
  expect(declaredTests(text, 'tests/test_a.py').made).toBe(false);
});

test.each([
  ['a name that code makes', 'for (const one of all) test(one, f);'],
  ['subTest', 'with self.subTest(one=one):'],
])('%s makes tests', (_what, text) => expect(declaredTests(text, 'test/a.test.js').made).toBe(true));

test.each([
  ['one line of calls', `it("${"it('x".repeat(58_000)}`, 0],
  ['a line for each', "it('x', () => {\n  check();\n});\n".repeat(9000), 1000],
  ['names alone', 'def test_a():\n'.repeat(20_000), 1000],
])('a file of endless tests costs no more than a large one: %s', (_what, text, count) => {
  const worked = cpuTimer();
  const { tests, made } = declaredTests(text, text.startsWith('def') ? 'test_a.py' : 'a.test.js');
  expect(worked()).toBeLessThan(1500);
  expect(tests).toHaveLength(count);
  expect(made).toBe(true);
});

test('lines just below the limit cost what short ones cost', () => {
  const cost = (length: number): number => {
    const text = `${'x'.repeat(length - 1)}\n`.repeat(Math.ceil(200_000 / length));
    const worked = cpuTimer();
    declaredTests(text, 'a.test.js');
    return worked();
  };
  cost(40);
  expect(cost(3990)).toBeLessThan(10 * cost(40) + 100);
});
