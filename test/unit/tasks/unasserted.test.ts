// New tests in whose own lines nothing is asserted.

import { expect, test } from 'vitest';
import { unassertedTests } from '../../../src/tasks/rules/unasserted.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

test.each([
  [
    'a.test.js',
    "it('parses', () => {\n  bytes.parse('1kb');\n});\nit('adds', () => {\n  assert.equal(1, sum());\n});\n",
    'parses',
  ],
  ['a.test.js', "test('should parse', () => { parse('1'); });\n", 'should parse'],
  [
    'test_a.py',
    'def test_runs(self):\n    job = every()\n    job.run()\n\ndef test_b(self):\n    assert job\n',
    'test_runs',
  ],
])('%s: a new one that only calls is told', (path, text, name) => {
  expect(unassertedTests('', text, path)).toEqual([name]);
  expect(unassertedTests(text, text, path)).toEqual([]);
});

test.each([
  ['a.test.js', "it('parses', () => {\n  bytes.parse('1').should.equal(1);\n});\n"],
  ['a.test.js', "it('parses', (done) => {\n  run(done);\n});\nafterEach(() => check());\n"],
  ['a.test.js', "it('parses', () => {\n  checkAll(parse);\n});\n"],
  ['a.test.js', "it('parses', () => {\n  bytes(1).should.equal('1kb')\n  bytes(2).should.equal('2kb')\n});\n"],
  ['a.test.js', "describe('x', () => {\n  it('a', () => {\n    expect(1);\n  });\n});\n"],
  ['test_a.py', 'def test_runs(self):\n    with pytest.raises(E):\n        run()\n'],
  ['a_test.go', 'func TestA(t *testing.T) {\n\tif f() != 1 {\n\t\tt.Errorf("x")\n\t}\n}\n'],
  ['a_spec.rb', "it 'x' do\n  run\nend\n"],
])('%s: one that may check is not: %j', (path, text) => {
  expect(unassertedTests('', text, path)).toEqual([]);
});

test('linear, and bounded', () => {
  const spent = cpuTimer();
  const many = Array.from({ length: 3000 }, (_, n) => `it('n${n}', () => {\n  run();\n});\n`).join('');
  expect(unassertedTests('', many, 'a.test.js')).toHaveLength(10);
  expect(spent()).toBeLessThan(5000);
});
