// A test that an approval names: where a test's name stands in the common frameworks, and which are switched off.

import { describe, expect, test } from 'vitest';
import { namedTest } from '../../../src/tasks/rules/named-test.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const is = (text: string, ...names: readonly string[]): string => namedTest({ text }, names).is;

const JS = `import test from 'node:test';
// test('a commented one', () => {});
/*
test('one in a block', () => {});
*/
describe('calls', () => {
  it('are retried three times', () => { helper('not a name'); });
  it(
    'stand on a line of their own',
    async () => {},
  );
  it("it's quoted", () => {});
});
test.skip('is skipped', () => {});
xit('is crossed out', () => {});
test.todo('is to be done');
test('has an option', { skip: 'later' }, () => {});
test('has a condition', { skip: process.platform === 'win32' }, () => {});
test('skips by itself', (t) => {
  t.skip('later');
});
test('skips maybe', (t) => {
  if (slow) t.skip();
});
describe.skip('an outer block', () => {
  it('is in a skipped block', () => {});
});
it('comes after a skipped block', () => {});
`;

test('what stands below a test of one line is no part of it', () => {
  const text = "test('stays on', () => {});\ntest.skip('is off', () => {});\nxit('too', f);\n";
  expect(is(text, 'stays on')).toBe('there');
  expect(is('  it "stays on", f\n  pending "is off"\n', 'stays on')).toBe('there');
});

describe('JavaScript', () => {
  test.each([
    'calls',
    'are retried three times',
    'stand on a line of their own',
    "it's quoted",
    'has a condition',
    'skips maybe',
    'comes after a skipped block',
    'retried three times',
  ])('has: %s', (name) => {
    expect(is(JS, name)).toBe('there');
  });

  test.each([
    'a commented one',
    'one in a block',
    'not a name',
    't',
    'retried',
    'etried three time',
    'node:test',
    'helper',
  ])('has no test: %s', (name) => {
    expect(is(JS, name)).toBe('absent');
  });

  test.each([
    'is skipped',
    'is crossed out',
    'is to be done',
    'has an option',
    'skips by itself',
    'an outer block',
    'is in a skipped block',
  ])('switches off: %s', (name) => {
    expect(is(JS, name)).toBe('off');
  });

  test('a part that several names have names none', () => {
    expect(is("test('a line is read', f);\ntest('a line is written', f);", 'a line')).toBe('several');
  });

  test('a name that is off in one place and runs in another is there', () => {
    expect(is("test.skip('twice here', f);\ntest('twice here', f);", 'twice here')).toBe('there');
  });
});

describe('names that are made when it runs', () => {
  const each = "test.each([\n  ['a refund', 1],\n  ['ab', 2],\n])('the total with %s', (name) => {});\n";
  test.each([
    ['the pattern, filled in', each, 'the total with a refund'],
    ['a template', 'test(`adds $' + '{n} lines`, f)', 'adds 3 lines'],
  ])('%s is there', (_what, text, name) => {
    expect(is(text, name)).toBe('there');
  });
  test.each([
    ['the case of a table', each, 'a refund'],
    ['a name in a variable', "for (const [name] of [['with an accent']]) test(name, f);", 'with an accent'],
    [
      'a subtest of Go',
      'func TestX(t *testing.T) {\n\tt.Run(tc.name, f)\n}\nvar c = {name: "three times"}',
      'three times',
    ],
  ])('%s is there only if the runner names it as passed', (_what, text, name) => {
    expect(is(text, name)).toBe('absent');
    expect(namedTest({ text, passed: new Set(['another']) }, [name]).is).toBe('absent');
    expect(namedTest({ text, passed: new Set([name]) }, [name]).is).toBe('there');
  });
  const made = "import test from 'node:test';\nconsole.log('a text of its own');\ntest(`sub($" + '{a})`, f);\n';
  test.each([
    ['another string of the file', made, 'node:test'],
    ['what it prints', made, 'a text of its own'],
    ['a case that is not in the table', each, 'a discount'],
    ['a case of two letters', each, 'ab'],
    ['anything, where all of the name is made', 'test(`$' + '{a}`, f)', 'whatever one likes'],
  ])('%s is not', (_what, text, name) => {
    expect(is(text, name)).toBe('absent');
  });
});

const PY = 'import x\n\nclass TestA:\n    def test_one(self):\n        assert helper_of() == 1\n';
const RS =
  '#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {}\n\n    #[test]\n    #[ignore]\n    fn slow() {}\n\n    fn helper() {}\n}\n';
const GO =
  'func TestAdd(t *testing.T) {\n}\n\nfunc TestSlow(t *testing.T) {\n\tt.Skip("later")\n}\n\nfunc TestShort(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip()\n\t}\n}\n\nfunc helper() {}\n';
const JAVA =
  'class CalcTest {\n  @Test\n  void adds() {}\n\n  @Test\n  @Disabled("later")\n  void subtracts() {}\n\n  void helper() {}\n}\n';

test.each([
  ['pytest', PY, 'test_one'],
  ['a class of tests', PY, 'TestA'],
  ['unittest, with a condition', '@unittest.skipIf(WIN, "no")\ndef test_two():\n    pass\n', 'test_two'],
  ['pytest, with a condition', '@pytest.mark.skipif(WIN, reason="no")\ndef test_two():\n    pass\n', 'test_two'],
  ['Rust', RS, 'adds'],
  ['Rust, asynchronous', '#[tokio::test]\nasync fn waits() {}\n', 'waits'],
  ['Go', GO, 'TestAdd'],
  ['Go, skipped under a condition', GO, 'TestShort'],
  ['JUnit', JAVA, 'adds'],
  ['Kotlin', '@Test\nfun `adds two numbers`() {}\n', 'adds two numbers'],
  ['xUnit', '[Fact]\npublic async Task AddsTwo() {}\n', 'AddsTwo'],
  ['PHPUnit', 'public function testAdds(): void {}\n', 'testAdds'],
  ['XCTest', '  func testAdds() {}\n', 'testAdds'],
  ['googletest', 'TEST_F(Calc, Adds) {\n}\n', 'Calc.Adds'],
  ['Catch2', 'TEST_CASE("adds two", "[calc]") {}\n', 'adds two'],
  ['RSpec', "  it 'adds two' do\n  end\n", 'adds two'],
  ['ExUnit', '  test "adds two" do\n  end\n', 'adds two'],
  ['bats', '@test "adds two" {\n}\n', 'adds two'],
  ['Zig', 'test "adds two" {\n}\n', 'adds two'],
  ['Gherkin', '  Scenario: Adding two numbers\n    Given one\n', 'Adding two numbers'],
  ['testthat', 'test_that("it adds two", {\n})\n', 'it adds two'],
  ['a form that is not known, by a name of some length', 'case "adds two": …\n', 'adds two'],
  [
    'xUnit, after a skipped one on one line',
    '[Fact(Skip="later")] public void Later() {}\n[Theory]\npublic void Many(int n) {}\n',
    'Many',
  ],
  ['JUnit, on one line', '  @Test @DisplayName("x y") void adds() {}\n', 'adds'],
  ['PHPUnit, by a comment', '  /** @test */\n  public function adds_two(): void {}\n', 'adds_two'],
  ['PHPUnit, by a comment on its line', '  /** @test */ public function adds_two(): void {}\n', 'adds_two'],
])('%s: the test is there', (_what, text, name) => {
  expect(is(text, name)).toBe('there');
});

test.each([
  ['unittest', '@unittest.skip("later")\ndef test_two():\n    pass\n', 'test_two'],
  ['pytest', '@pytest.mark.skip\ndef test_two():\n    pass\n', 'test_two'],
  ['pytest, expected to fail', '@pytest.mark.xfail(reason="x")\ndef test_two():\n    pass\n', 'test_two'],
  ['pytest, the whole file', 'pytestmark = pytest.mark.skip("x")\n\ndef test_two():\n    pass\n', 'test_two'],
  ['a class', '@unittest.skip("x")\nclass TestB(T):\n    def test_two(self):\n        pass\n', 'test_two'],
  ['in its body', 'def test_two(self):\n    self.skipTest("x")\n', 'test_two'],
  ['by raising', 'def test_two(self):\n    raise unittest.SkipTest("x")\n', 'test_two'],
  ['Rust', RS, 'slow'],
  ['Go', GO, 'TestSlow'],
  ['JUnit', JAVA, 'subtracts'],
  ['googletest', 'TEST(Calc, DISABLED_Adds) {\n}\n', 'Adds'],
  ['RSpec', "  xit 'adds two' do\n  end\n", 'adds two'],
  ['googletest, in its body', 'TEST(Calc, Adds)\n{\n  GTEST_SKIP();\n}\n', 'Adds'],
  ['bats', '@test "adds two" {\n  skip "later"\n}\n', 'adds two'],
  ['bats, on one line', '@test "adds two" { skip; }\n', 'adds two'],
  ['JUnit, on one line', '  @Disabled @Test void offOne() {}\n', 'offOne'],
  ['JUnit, with a reason on one line', '  @Disabled("later") @Test void offOne() {}\n', 'offOne'],
  ['Kotlin, on one line', '  @Ignore @Test fun offOne() {}\n', 'offOne'],
  ['xUnit, on one line', '[Fact(Skip="later")] public void Later() {}\n', 'Later'],
  ['PHPUnit, on one line', "public function testA(): void { $this->markTestSkipped('x'); }\n", 'testA'],
])('%s: the test is switched off', (_what, text, name) => {
  expect(is(text, name)).toBe('off');
});

test.each([
  ['a helper of pytest', PY, 'helper_of'],
  ['a part of an identifier', PY, 'test'],
  ['a helper of Rust', RS, 'helper'],
  ['a helper of Go', GO, 'helper'],
  ['a benchmark of Go', `${GO}func BenchmarkAdd(b *testing.B) {}\n`, 'BenchmarkAdd'],
  ['a method that is no test', JAVA, 'helper'],
  ['a letter, where no form is known', 'case "g": …\n', 'g'],
])('%s is no test', (_what, text, name) => {
  expect(is(text, name)).toBe('absent');
});

test('a hostile text takes no time', () => {
  const spent = cpuTimer();
  for (const piece of ['test(', "test('", 'void ', '#[test]\n', 'a '.repeat(9), '])(', '/*', 'x.y.z.', '  \n'])
    is(piece.repeat(10_000), 'a name');
  expect(spent()).toBeLessThan(3000);
});

describe('what is no test, whatever it looks like', () => {
  const of = (path: string, text: string, name: string): string => namedTest({ text, path }, [name]).is;
  test.each([
    ['one in a comment within a line', 'a.test.js', "f(); /* test('one in it', f) */ test('other', f);", 'one in it'],
    ['one in a comment behind code', 'a.test.js', "test('other', f); // test('one in it', f)", 'one in it'],
    ['one in a string', 'a.test.js', `const s = "test('string one', f)"; test('other', f);`, 'string one'],
    [
      'one in a text of Python',
      'test_a.py',
      "'''\ndef test_text():\n    pass\n'''\ndef test_b():\n    pass\n",
      'test_text',
    ],
    ['a comment of a script', 'test/smoke.sh', '# adds two numbers\n./run 1 2\n', 'adds two numbers'],
  ])('%s', (_what, path, text, name) => {
    expect(of(path, text, name)).toBe('absent');
  });
  test.each([
    ['behind a string with slashes', 'a.test.js', "get('http://a'); test('stays on', f);"],
    ['behind a pattern that opens a comment', 'a.test.js', "const a = /x/*2;\ntest('stays on', f);"],
    ['behind an odd quote', 'a.test.js', "const a = /'/;\ntest('stays on', f);"],
    ['behind a comment with a quote', 'a.test.js', "// don't\ntest('stays on', f);"],
    ['in a script', 'test/smoke.sh', 'echo "stays on"\n'],
  ])('a test %s is there', (_what, path, text) => {
    expect(of(path, text, 'stays on')).toBe('there');
  });
  test.each([
    ['in a skipped block on one line', "describe.skip('off', () => { it('inner one here', f); });"],
    ['put off within its body', "test('inner one here', (t) => {\n  t.todo();\n});"],
    ['put off within its body on one line', "test('inner one here', (t) => { t.todo(); });"],
  ])('a test %s is off', (_what, text) => {
    expect(of('a.test.js', text, 'inner one here')).toBe('off');
  });
  test('what follows a skipped block on one line is on', () => {
    expect(of('a.test.js', "describe.skip('off', f); it('stays on', f);", 'stays on')).toBe('there');
  });
  test.each(['/*', '"\\"', '`\\', "'", '"""', "test('"])('is read in linear time: %s', (part) => {
    const spent = cpuTimer();
    is(part.repeat(10_000), 'some name');
    namedTest({ text: part.repeat(10_000), path: 'a.py' }, ['some name']);
    expect(spent()).toBeLessThan(2500);
  });
});

test.each([
  [
    'a template',
    `for (const n of [1, 2]) test(\`sub of \${n} gives \${n}\`, f);\n`,
    'a.test.js',
    'sub of 1 gives 1',
    'sub of 9 gives 9',
    [],
  ],
  [
    'pytest',
    'import pytest\n\ndef test_add(a):\n    assert a\n',
    'test_a.py',
    'test_add[1-2-3]',
    'test_add[9-9-9]',
    ['test_add'],
  ],
])(
  '%s: values that the runner does not name are absent where it names others',
  (_what, text, path, real, made, more) => {
    const passed = new Set([real]);
    expect(namedTest({ text, path, passed }, [real, ...more]).is).toBe('there');
    expect(namedTest({ text, path, passed }, [made, ...more]).is).toBe('absent');
    expect(namedTest({ text, path }, [made, ...more]).is).toBe('there');
  },
);

describe('without a body, or with an empty one', () => {
  const found = (text: string, name = 'adds two', path = 'a.test.js') => namedTest({ text, path }, [name]);
  test.each([
    ['alone', "it('adds two');\n"],
    ['node', "test('adds two')\n"],
    ['a subtest', "t.test('adds two');"],
    ['with a comma', "it('adds two', );"],
    ['with options', "test('adds two', { timeout: 50 });"],
    ['with a comment', "it('adds two' /* later */);"],
    ['on lines of its own', "it(\n  'adds two',\n);"],
    ['RSpec', "  it 'adds two'\n  it 'others' do\n    x\n  end\n"],
    ['RSpec, in brackets', '  it("adds two")\n'],
  ])('%s: it is off', (_what, text) => expect(found(text).is).toBe('off'));

  test.each([
    ['a name of a function', "it('adds two', adds);"],
    ['a block behind the brackets', 'test("adds two") {\n  check()\n}\n'],
    ['a block of Ruby', 'it("adds two") do\n  x\nend\n'],
    ['a block of Zig', 'test "adds two" {\n  x();\n}\n'],
    ['options and a function', "test('adds two', { skip: isSlow }, () => { x(); });"],
    ['a function without braces', "test('adds two', () => expect(add(1, 1)).toBe(2));"],
    ['a trailing call', "test('adds two').run(() => x());"],
    ['Dart', "test('adds two', () {\n  x();\n});"],
    ['an object that it gives', "test('adds two', async () => { const {} = await x(); });"],
  ])('%s is a body', (_what, text) => {
    expect(found(text)).toMatchObject({ is: 'there' });
    expect(found(text)).not.toHaveProperty('empty');
  });

  test.each([
    ['an arrow', "\nit('adds two', () => {});", 'adds two', 'a.test.js'],
    ['an arrow with a comment', "\nit('adds two', async (t) => {\n  // later\n});", 'adds two', 'a.test.js'],
    ['an arrow that gives nothing', "\nit('adds two', () => undefined);", 'adds two', 'a.test.js'],
    ['a function', "\nit('adds two', function () {});", 'adds two', 'a.test.js'],
    ['pytest', '\ndef test_two():\n    pass\n\ndef test_b():\n    assert x\n', 'test_two', 'test_a.py'],
    ['a docstring', '\ndef test_two():\n    "adds"\n    ...\n', 'test_two', 'test_a.py'],
    [
      'a docstring in a class',
      '\n    def test_two(self):\n        """It adds."""\n\n    def test_b(self):\n        self.assertEqual(add(1, 1), 2)\n',
      'test_two',
      'test_a.py',
    ],
    ['Go', '\nfunc TestTwo(t *testing.T) {\n\t// later\n}\n', 'TestTwo', 'a_test.go'],
    ['Rust', '#[test]\nfn two() {}\n', 'two', 'src/a.rs'],
    ['a constant', "\nit('adds two', () => { assert.ok(true); });", 'adds two', 'a.test.js'],
    ['a constant in an arrow', "\ntest('adds two', () => assert.equal(1, 1));", 'adds two', 'a.test.js'],
    ['constants', "\nit('adds two', (t) => {\n  expect(true).toBe(true);\n  t.pass();\n});", 'adds two', 'a.test.js'],
    ['a constant of Python', '\ndef test_two():\n    assert True\n', 'test_two', 'test_a.py'],
    ['one of unittest', '\n    def test_two(self):\n        self.assertEqual(1, 1)\n', 'test_two', 'test_a.py'],
    ['a constant of Rust', '#[test]\nfn two() { assert!(true); }\n', 'two', 'src/a.rs'],
  ])('%s: nothing stands in it', (_what, text, name, path) =>
    expect(found(text, name, path)).toMatchObject({ is: 'there', empty: 2 }),
  );

  test.each([
    ['a line more', 'def test_two():\n    pass\n    assert add(1, 1) == 2\n', 'test_two', 'test_a.py'],
    ['what is set up for it', 'def test_two(client):\n    pass\n', 'test_two', 'test_a.py'],
    ['a helper', "it('adds two', () => { expectValid('1+1'); });", 'adds two', 'a.test.js'],
    ['a helper in an arrow', "it('adds two', () => assertSum('1+1', 2));", 'adds two', 'a.test.js'],
    ['a call', "it('adds two', () => { assert.equal(add(1, 1), 2); });", 'adds two', 'a.test.js'],
    ['a variable', "it('adds two', () => { expect(two).toBe(2); });", 'adds two', 'a.test.js'],
    ['a call alone', "it('adds two', () => { start(); });", 'adds two', 'a.test.js'],
    ['a call of Python', 'def test_two():\n    """It adds."""\n    run()\n', 'test_two', 'test_a.py'],
    ['a literal', 'func TestTwo(t *testing.T) {\n\tx := T{}\n\tx.Check(t)\n}\n', 'TestTwo', 'a_test.go'],
  ])('%s stands in it', (_what, text, name, path) => expect(found(text, name, path)).not.toHaveProperty('empty'));
});

test('a name with values counts where the runner prints it behind its groups', () => {
  const text = `describe('Bytes', () => {\n  for (const n of ALL) it(\`takes \${n} bytes\`, () => assert(n));\n});\n`;
  const passed = new Set(['Bytes takes 3 bytes']);
  expect(namedTest({ text, path: 'test/a.test.js', passed }, ['takes 3 bytes'])).not.toHaveProperty('unnamed');
  expect(namedTest({ text, path: 'test/a.test.js', passed }, ['takes 5 bytes'])).toHaveProperty('unnamed', true);
});
