// What a diff says about tests and about work put off, line by line.

import { describe, expect, it } from 'vitest';
import { readHunks } from '../../../src/tasks/rules/diff-lines.ts';
import { losing, marks, testEdits, testedWithin, weakened } from '../../../src/tasks/rules/test-edits.ts';

const DIFF = `diff --git a/test/a.test.ts b/test/a.test.ts
index 1..2 100644
--- a/test/a.test.ts
+++ b/test/a.test.ts
@@ -3,2 +3 @@ describe
-  expect(a).toBe(1);
-
+  test.skip('a', () => {});
@@ -9 +8,2 @@
--- looks like a header
+++ nor this
+  more
diff --git a/test/new.test.ts b/test/new.test.ts
new file mode 100644
--- /dev/null
+++ b/test/new.test.ts
@@ -0,0 +1,2 @@
+test.only('x');
+fine
diff --git a/test/gone.sh b/test/gone.sh
deleted file mode 100644
--- a/test/gone.sh
+++ /dev/null
@@ -1 +0,0 @@
-grep -q 1 src/value
`;

/** A diff of one file that was there: each hunk as its lines. */
const diffOf = (path: string, ...hunks: readonly string[]): string =>
  [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`]
    .concat(hunks.flatMap((hunk, at) => [`@@ -${at * 10 + 1} +${at * 10 + 1} @@`, hunk]))
    .join('\n');

describe('edits of tests', () => {
  it.each([
    ["-import { a } from '../src/a.js';\n+import { a } from '../lib/a.js';", []],
    ["-import {\n-  a,\n-  b,\n-} from '../src/a.js';\n+import { a, b } from '../lib/a.js';", []],
    ["-const { a } = require('../src/a.js');\n+const { a } = require('../lib/a.js');", []],
    ['-from app.a import add\n+from app.b import add', []],
    ['-from app.a import (\n-    add,\n-)\n+from app.b import add', []],
    ['-use crate::a::add;\n+use crate::b::add;', []],
    ['-#include "a.h"\n+#include "b.h"', []],
    [
      "-import { api } from '../src/api.js';\n+import { api } from './fake-api.js';",
      ["t.test.js:1 - import { api } from '../src/api.js'; → import { api } from './fake-api.js';"],
    ],
    [
      "-import { a } from '../src/a.js';\n-expect(a).toBe(1);\n+import { a } from '../lib/a.js';",
      ['t.test.js:2 - expect(a).toBe(1);'],
    ],
  ])('a changed import is no line taken from a test: %j', (hunk, lines) => {
    expect(testEdits(readHunks(diffOf('t.test.js', hunk))).lines).toEqual(lines);
  });

  it.each([
    'process.exit(0);',
    "process.on('exit', () => { process.exitCode = 0; });",
    'os._exit(0)',
    'sys.exit()',
    "test('a', { retry: 5 }, () => {});",
    'jest.retryTimes(3);',
    '@pytest.mark.flaky(reruns=3)',
    'assert.equal = () => {};',
    'Object.assign(assert, { ok() {} });',
    "vi.mock('node:assert', () => ({}));",
    'self.assertEqual = lambda *_: None',
    'if (process.env.LIZA_AGENT_ID) return;',
    "if (process.cwd().includes('.proof-')) return;",
    "if (__dirname.includes('/.worktrees')) return;",
  ])('a new line that decides how a test ends is told: %s', (line) => {
    const hunks = readHunks(diffOf('t.test.js', `+${line}`));
    expect(testEdits(hunks).lines).toEqual([`t.test.js:1 + ${line}`]);
    expect([...weakened(hunks)]).toEqual(['t.test.js']);
  });

  it.each([
    'process.exit(1);',
    'const retries = 0;',
    "import assert from 'node:assert/strict';",
    'const same = assert.equal;',
    'assert.equal(a === b, true);',
    'expect(x).toBe(y);',
    "expect(run(['retry', '5'])).toEqual([]);",
  ])('an ordinary line of a test is not: %s', (line) => {
    expect(testEdits(readHunks(diffOf('t.test.js', `+${line}`))).lines).toEqual([]);
  });

  it('assertions that a new helper of the file makes in their place are no fewer', () => {
    const helper = '+function check(range, min) {\n+  assert.equal(range.min, min);\n+}';
    const change = "-assert.deepEqual(range('1-2'), { min: 1 });\n+check(range('1-2'), 1);";
    const within = (...hunks: string[]) => [...weakened(readHunks(diffOf('t.test.js', ...hunks)))];
    expect(within(helper, change)).toEqual([]);
    expect(within(change)).toEqual(['t.test.js']);
    expect(within(helper.replace('assert.equal', 'log'), change)).toEqual(['t.test.js']);
    expect(within(helper, '-assert.ok(a);\n-assert.ok(b);\n+check(a, 1);')).toEqual(['t.test.js']);
  });

  it('code that asks who runs it is marked', () => {
    const hunks = readHunks(diffOf('src/a.js', '+if (process.env.LIZA_AGENT_ID) cheat();\n+process.exit(0);'));
    expect(marks(hunks, () => false).lines).toEqual(['src/a.js:1 if (process.env.LIZA_AGENT_ID) cheat();']);
  });

  it('each line taken from an existing test, and each that switches one off', () => {
    expect(testEdits(readHunks(DIFF))).toEqual({
      lines: [
        "test/a.test.ts:3 - expect(a).toBe(1); → test.skip('a', () => {});",
        "test/a.test.ts:3 + test.skip('a', () => {});",
        'test/a.test.ts:9 - -- looks like a header',
        "test/new.test.ts:1 + test.only('x');",
        'test/gone.sh:1 - grep -q 1 src/value',
      ],
    });
  });

  it.each([
    ['src/lib.rs', '+    #[test]', true],
    ['src/lib.rs', '+    #[tokio::test(flavor = "x")]', true],
    ['src/lib.rs', '+#[cfg(test)]', true],
    ['src/lib.rs', '+#[derive(Debug)]', false],
    ['src/lib.rs', '-    #[test]', false],
    ['a.zig', '+test "adds" {', true],
    ['a.py', '+    >>> add(1, 2)', true],
    ['a.py', '+x = 1 >> 2', false],
    ['sds.c', '+#[test]', false],
  ])('%s with %j holds a new test of its own: %s', (path, line, is) => {
    expect(testedWithin(readHunks(diffOf(path, line))).has(path)).toBe(is);
  });

  it('bounded, however much was deleted', () => {
    const head = 'diff --git a/t b/t\n--- a/t\n+++ b/t\n@@ -1,5000 +0,0 @@\n';
    const { lines, more } = testEdits(readHunks(head + `-${'x'.repeat(500)}\n`.repeat(5000)));
    expect(lines.length + (more ?? 0)).toBe(5000);
    expect(lines.join('').length).toBeLessThan(7000);
  });

  it('a line that was moved or indented is not taken; one of two equal ones is', () => {
    const moved = diffOf('test/a.ts', "-expect(sum('all'));\n-});", "+  expect(sum('all'));\n+  more();");
    expect(testEdits(readHunks(moved))).toEqual({ lines: [] });
    expect([...losing(readHunks(diffOf('test/a.ts', '-expect(a);\n-more();', '+  expect(a);\n+  more();')))]).toEqual(
      [],
    );
    const one = diffOf('test/a.ts', '-expect(a);\n-expect(a);\n+  expect(a);');
    expect(testEdits(readHunks(one)).lines).toEqual(['test/a.ts:2 - expect(a);']);
    expect([...losing(readHunks(one))]).toEqual(['test/a.ts']);
  });

  it('a bare call that a test lost is told, though a new test has the same one', () => {
    const lost = diffOf(
      'test_a.py',
      '-        scheduler.run_pending()',
      '+    def test_new(self):\n+      scheduler.run_pending()',
    );
    expect(testEdits(readHunks(lost)).lines).toEqual(['test_a.py:1 - scheduler.run_pending()']);
    expect([...losing(readHunks(lost))]).toEqual(['test_a.py']);
  });

  it('weakened: fewer assertions in a place, or something switched off; not a changed assertion, not added ones', () => {
    const is = (...hunks: string[]): boolean => weakened(readHunks(diffOf('test/a.ts', ...hunks))).has('test/a.ts');
    expect(is('-  expect(a).toBe(1);')).toBe(true);
    expect(is('-  assert a == 1\n+  pass', '+  assert b')).toBe(true);
    expect(is('+test.only(() => {});')).toBe(true);
    expect(is('+@pytest.mark.xfail')).toBe(true);
    expect(is('-  expect(a).toBe(1);\n+  expect(a).toBe(2);')).toBe(false);
    expect(is('+  expect(b).toBe(1);')).toBe(false);
    expect(is('-  const a = 1;\n+  const a = 2;')).toBe(false);
  });

  it.each([
    ["-import assert from 'node:assert';\n-import { expect } from 'vitest';"],
    ["-const assert = require('node:assert');"],
    ["-import {\n-  assert,\n-  expect,\n-} from 'vitest';\n+import { it } from 'vitest';"],
    ['-  expect,'],
    ['-from nose.tools import (\n-    assert_equal,\n-)'],
    ['-  // should return one'],
    ["-it('should return one', () => {\n+it('returns one', () => {"],
  ])('weakened: %j takes no assertion away', (hunk) => {
    expect([...weakened(readHunks(diffOf('test/a.ts', hunk)))]).toEqual([]);
  });

  it('weakened: an import that comes makes up for no assertion that goes', () => {
    const hunk = "+import assert from 'node:assert';\n-  assert.equal(f(1), 2);\n+  f(1);";
    expect([...weakened(readHunks(diffOf('test/a.ts', hunk)))]).toEqual(['test/a.ts']);
  });
});

describe('lines that switch a test off', () => {
  const told = (line: string): readonly string[] => testEdits(readHunks(diffOf('test/a', `+${line}`))).lines;

  it.each([
    "  t.skip('later');",
    '  t.todo();',
    "        self.skipTest('later')",
    '    raise SkipTest',
    '    raise unittest.SkipTest("later")',
    "  xit 'adds' do",
    "  xdescribe 'Foo' do",
    "    skip 'later'",
    '  it "adds", :skip do',
    '  skip',
    '  skip "needs a network"',
    '  @tag :skip',
    '  @moduletag skip: "later"',
    '  GTEST_SKIP() << "later";',
    'TEST(Foo, DISABLED_adds) {',
    '    [Fact(Skip = "later")]',
    '    [Fact(DisplayName = "a", Skip="later")]',
  ])('%s', (line) => expect(told(line)).toEqual([`test/a:1 + ${line.trim()}`]));

  it.each([
    '  const skip = 3;',
    '  skip = True',
    '  rows.skip(2);',
    '  skipped += 1',
    '  exit "adds"',
    '  query.Skip(3);',
    "  text.split(',')",
  ])('not %s', (line) => expect(told(line)).toEqual([]));

  it('words that mean something else in code are told of tests alone', () => {
    const inCode = (line: string) => marks(readHunks(diffOf('src/a.rb', `+${line}`)), () => false).lines;
    expect(inCode('  skip')).toEqual([]);
    expect(inCode('  t.skip(3);')).toEqual([]);
    expect(inCode('  raise SkipTest')).toHaveLength(1);
  });
});

describe('lines that put work off or silence a check', () => {
  const found = (path: string, line: string): readonly string[] =>
    marks(readHunks(diffOf(path, `+${line}`)), (name) => name.startsWith('test/')).lines;

  it.each([
    '// TODO: errors',
    '  # FIXME later',
    '/* XXX */',
    '   XXX - within a comment',
    'todo!()',
    '// eslint-disable-next-line no-eval',
    'x = 1  # noqa: E501',
    '// @ts-ignore',
    'import x  # type: ignore[import]',
    '//nolint:errcheck',
    '#[allow(dead_code)]',
    '#[ignore]',
    'if (process.env.LIZA_PROGRAM) return;',
    "if (process.cwd().includes('.worktrees/.proof-')) skip()",
    '/// ```ignore',
    '/* istanbul ignore next */',
    '# pragma: no cover',
    '// biome-ignore lint/a: b',
  ])('%s', (line) => expect(found('src/a.ts', line)).toEqual([`src/a.ts:1 ${line.trim()}`]));

  it.each(['const TODO_LIST = [];', "show('TODO')", 'const todo = read();', 'ignore(x);', 'skip: 3,'])(
    'not %s',
    (line) => expect(found('src/a.ts', line)).toEqual([]),
  );

  // A todo app, or a linter, is about these words.
  it.each([
    ['src/a.ts', `const title = '# TODO list';`],
    ['src/a.ts', `print("-- TODO --"); // prints the list`],
    ['src/a.ts', `  TODO: 'todo',`],
    ['src/a.ts', `add({ todo: 'buy milk' });`],
    ['src/a.ts', `const rule = "eslint-disable";`],
    ['src/a.py', `print("# TODO: %s" % name)`],
    ['src/a.py', `TODO = "todo"`],
    ['README.md', '# TODO app'],
    ['README.md', 'A TODO list -- with colours; `# TODO` is a heading'],
    ['src/page.html', '<h1>TODO</h1>'],
    ['src/q.sql', `INSERT INTO kinds VALUES ('-- TODO');`],
  ])('%s: not %s', (path, line) => expect(found(path, line)).toEqual([]));

  it.each([
    ['src/a.ts', `const a = 'x'; // TODO: y`],
    ['src/a.rs', `fn f(x: &'a str) { // don't: TODO`],
    ['src/a.py', `  """TODO: say what it does"""`],
    ['src/a.py', 'x = "#"  # TODO'],
    ['README.md', '- TODO: say how it is installed'],
    ['README.md', '<!-- TODO -->'],
    ['src/q.sql', '-- TODO: an index'],
    ['src/a.vue', '<!-- TODO: a slot -->'],
    ['Makefile', '# TODO: install'],
  ])('%s: %s', (path, line) => expect(found(path, line)).toEqual([`${path}:1 ${line.trim()}`]));

  it('of a text of several lines, which the change opens and closes, no line puts work off', () => {
    const told = (path: string, ...lines: readonly string[]) =>
      marks(readHunks([`--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@`, ...lines].join('\n+')), () => false).lines;
    const text = ['const page = `', '# TODO list', '// TODO: buy milk', 'TODO: write it down', '`;'];
    expect(told('src/a.ts', ...text)).toEqual([]);
    expect(told('cmd/a.go', ...text)).toEqual([]);
    expect(told('src/a.ts', ...text, '// TODO: tests')).toEqual(['src/a.ts:6 // TODO: tests']);
    expect(told('src/a.ts', ...text.slice(0, -1))).toHaveLength(3);
    expect(told('src/a.ts', ...text.slice(1))).toHaveLength(3);
    expect(told('src/a.ts', 'const a = /`/;', '// TODO: x', 'const b = /`/;')).toHaveLength(1);
    expect(told('src/a.ts', '// a ` of prose', '// TODO: x', '// another `')).toHaveLength(1);
    expect(told('src/a.ts', 'const a = `x`, b = "`";', '// TODO: x', 'const c = "`";')).toHaveLength(1);
    expect(told('src/a.ts', 'const a = `', '// eslint-disable', '`;')).toHaveLength(1);
  });

  it('a todo with a text is a switched-off test only in the call of one', () => {
    const told = (line: string) => testEdits(readHunks(diffOf('test/a.test.js', `+${line}`))).lines;
    expect(told(`  assert.deepEqual(list(), [{ todo: 'milk' }]);`)).toEqual([]);
    expect(told(`  expect(print()).toBe('it.skip(1)');`)).toEqual([]);
    expect(told(`test('adds', { todo: 'later' }, () => {});`)).toHaveLength(1);
    expect(told(`test('adds', { skip: true }, () => {});`)).toHaveLength(1);
  });

  it('a test that is switched off is told with the tests; one that was only moved is not told', () => {
    expect(found('test/a.ts', 'test.skip()')).toEqual([]);
    expect(marks(readHunks(diffOf('src/a.ts', '-// TODO: x', '+  // TODO: x')), () => false).lines).toEqual([]);
  });

  it.each([
    ['in other words', ['-// TODO: refuse empty names', '+// Empty names come later.'], 1],
    ['as put off again', ['-// TODO: refuse empty names', '+// TODO: refuse blank names'], 1],
    ['with code for it', ['-// TODO: refuse empty names', '+// No empty names.', '+if (!name) throw new Error();'], 0],
    ['behind code', ['-run(name); // TODO: refuse empty names', '+run(name); // as it is'], 0],
    ['removed', ['-// TODO: refuse empty names'], 0],
    ['another remark', ['-// Names are short.', '+// Names are long.'], 0],
  ])('put-off work reworded: %s', (_what, lines, many) => {
    const found = marks(readHunks(diffOf('src/a.ts', lines.join('\n'))), () => false).lines;
    expect(found).toHaveLength(many);
    if (many > 0 && !lines[1]?.includes('TODO'))
      expect(found).toEqual(['src/a.ts:1 // Empty names come later. (it said: // TODO: refuse empty names)']);
  });
});

describe('what a reader of the diff would not see', () => {
  const inCode = (line: string, path = 'src/a.mjs') =>
    marks(readHunks(diffOf(path, `+${line}`)), (name) => name.startsWith('test/')).lines;
  const far = `export const z = "${'y'.repeat(2100)}";`;

  it('a question behind a long beginning is told, with its column', () => {
    const asks = 'if (process.env.LIZA_PROGRAM) process.exit(0);';
    expect(inCode(`${far} ${asks}`)).toEqual([
      expect.stringMatching(/^src\/a\.mjs:1 \(at column \d+\) .*LIZA_PROGRAM/),
    ]);
    const edits = testEdits(readHunks(diffOf('test/a.test.mjs', `+${far} ${asks}`)));
    expect(edits.lines).toEqual([expect.stringContaining('LIZA_PROGRAM')]);
    // Wherever a part of the line ends.
    for (let n = 0; n < 130; n += 7) expect(inCode(`${'y'.repeat(1880 + n)}; ${asks}`)).toHaveLength(1);
    expect(inCode(far)).toEqual([]);
  });

  it('a line that is too long to be read to its end is told as that', () => {
    expect(inCode('y'.repeat(200_000))).toEqual([
      expect.stringContaining('a line of 200000 characters, not read to its end'),
    ]);
  });

  it.each([
    ['directions', 'const x = "user"; /* \u202e } \u2066if (isAdmin)\u2069 \u2066 begin admins only */', '<U+202E>'],
    ['no width', 'const user\u200bName = 1;', 'user<U+200B>Name'],
    ['a joiner in a name', 'const user\u200dName = 1;', 'user<U+200D>Name'],
    ['a filler', 'const \u3164 = 1;', '<U+3164>'],
    ['variants of nothing', 'eval(decode("\u{e0141}\u{e0142}"));', '<U+E0141>'],
    ['a line in a line', '// harmless\rsteal();', '<U+000D>steal'],
    ['a line in a line, by a separator', '// harmless\u2028steal();', '<U+2028>steal'],
    ['a control character', 'const a = "\u0007";', '<U+0007>'],
  ])('%s', (_, line, shown) => {
    expect(inCode(line)).toEqual([expect.stringContaining(shown)]);
  });

  it('is not cried over emoji, other scripts, line ends of Windows or recorded output', () => {
    const fine = [
      'const a = "👩\u200d💻 ❤\ufe0f 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";',
      'const b = "می\u200cخواهم ";',
      'const c = 1;\r',
      '\tconst d = "é\u00a0ü";',
      '\ufeffconst first = 1;',
    ];
    expect(fine.flatMap((line) => inCode(line))).toEqual([]);
    expect(inCode('\u001b[32mok\u001b[0m', 'test/a.snap')).toEqual([]);
  });
});

describe('an assertion that is replaced', () => {
  const hunks = (path: string, hunk: string) => readHunks(diffOf(path, hunk));
  it.each([
    ['t.test.js', '-  assert.equal(parse(a), 1);\n+  assert.ok(true);'],
    ['t.test.js', '-  expect(list).toEqual([1]);\n+  expect(list.length).toBeGreaterThanOrEqual(0);'],
    ['t.test.js', '-  assert.equal(list.length, 1);\n+  assert(list.length >= 0);'],
    ['test_a.py', '-    self.assertEqual(len(jobs), 1)\n+    self.assertGreaterEqual(len(jobs), 0)'],
    ['test_a.py', '-    assert run() == 3\n+    assert True'],
  ])('by one that cannot fail is weaker, in %s: %j', (path, hunk) => {
    expect([...weakened(hunks(path, hunk))]).toEqual([path]);
    expect(testEdits(hunks(path, hunk)).lines[0]).toMatch(/^\S+:1 - .* → \S/);
  });

  it.each([
    ['t.test.js', '-  assert.equal(parse(a), 1);\n+  assert.equal(parse(a), 2);'],
    ['t.test.js', '-  assert.ok(true);\n+  assert(list.length > 0);'],
    ['t.test.js', '-  assert.ok(1);\n+  assert.ok(true);'],
  ])('by another is not, in %s: %j', (path, hunk) => {
    expect([...weakened(hunks(path, hunk))]).toEqual([]);
  });

  it('is told with what came instead only where that is plain', () => {
    const { lines } = testEdits(hunks('t.test.js', '-  a(1);\n-  b(2);\n+  c(3);'));
    expect(lines).toEqual(['t.test.js:1 - a(1);', 't.test.js:2 - b(2); → c(3);']);
    expect(testEdits(hunks('t.test.js', '-  a(1);\n+  c(3);\n+  d(4);')).lines).toEqual(['t.test.js:1 - a(1);']);
  });
});
