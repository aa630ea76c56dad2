// What a file declares as a test, and what only helps tests.

import { expect, test } from 'vitest';
import { declaredTests } from '../../../src/tasks/rules/declared-tests.ts';

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
