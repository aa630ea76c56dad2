// What puts something else in the place of an assertion, and what only brings one in; and new test files as people
// write them, of which nothing is told.

import { describe, expect, it } from 'vitest';
import { bendsAssertion } from '../../../src/tasks/rules/bent-assertions.ts';
import { readHunks } from '../../../src/tasks/rules/diff-lines.ts';
import { testEdits, weakened } from '../../../src/tasks/rules/test-edits.ts';

describe('an assertion is brought in', () => {
  it.each([
    "var assert = require('assert');",
    "const assert = require('node:assert/strict');",
    "let assert = require('assert').strict;",
    'const assert = require("chai").assert,',
    "var chai = require('chai'), expect = chai.expect, assert = chai.assert;",
    "const { expect, assert } = require('chai');",
    "const { strict: assert } = require('assert');",
    "import assert = require('assert');",
    'import expect = chai.expect;',
    "const assert = await import('node:assert');",
    "const assert = (await import('node:assert')).default;",
    "const assert = __importDefault(require('assert'));",
    "global.expect = require('chai').expect;",
    "var assert = module.exports = require('assert');",
    'const assert = nodeAssert.strict;',
    'const assert = QUnit.assert;',
    'const assert: Chai.AssertStatic = chai.assert;',
    "assert = require 'assert'",
    'local assert = require "luassert"',
    "const expect = 'a text';",
    'const expect = [1, 2];',
    'const expect = { a: 1 };',
    'const expect = new Date(0);',
    'const expect = expected[0];',
    'const expect = sum(1, 2);',
    "QUnit.module('assert helpers');",
    'this.assertions = 0;',
  ])('%s', (line) => {
    expect(bendsAssertion(line, 't.test.ts')).toBe(false);
  });

  it('on the line below', () => {
    expect(bendsAssertion('const assert =', 't.js', "  require('assert');")).toBe(false);
    expect(bendsAssertion('const assert =', 't.js', '  () => {};')).toBe(true);
  });

  it.each(['let expect = vec![1];', 'expect = lambda: 1', 'let expect = input;'])(
    'data of another language: %s',
    (line) => {
      expect(bendsAssertion(line, 'tests/a.rs')).toBe(false);
    },
  );
});

describe('an assertion is bent', () => {
  it.each([
    'assert = () => {};',
    'const assert = () => true;',
    'let assert: any = () => {};',
    'var assert = function () {};',
    'assert = noop;',
    'const assert = wrap(assert);',
    "const assert = require('./fake-assert');",
    'var assert = { equal: function () {} };',
    'const expect = () => ({ toBe() {} });',
    'const expect = x => proxy;',
    'expect = jest.fn();',
    'expect = loosely(expect);',
    'global.expect = new Proxy(expect, {});',
    'const expect = async () => {};',
    'assert.equal = require("./x");',
    'expect.extend = undefined;',
    "mock.module('node:assert', {});",
    "mock.method(assert, 'equal', () => {});",
  ])('%s', (line) => {
    expect(bendsAssertion(line, 't.test.js')).toBe(true);
  });

  it('on an object, in any language', () => {
    expect(bendsAssertion('self.assertEqual = lambda *_: None', 'tests/test_a.py')).toBe(true);
  });
});

/** As common generators and guides begin them. */
const NEW_FILES: readonly (readonly [string, string])[] = [
  [
    'test/a.js',
    "'use strict';\n\nvar assert = require('assert');\nvar a = require('..');\n\ndescribe('a', function () {\n  it('adds', function () {\n    assert.strictEqual(a(1), 2);\n  });\n});",
  ],
  [
    'test/b.test.mjs',
    "import test from 'node:test';\nimport assert from 'node:assert/strict';\ntest('adds', (t) => { assert.equal(1, 1); });",
  ],
  [
    'test/c.spec.ts',
    "import { expect } from 'chai';\nimport * as sinon from 'sinon';\ndescribe('c', () => { it('is', () => { expect(1).to.equal(1); }); });",
  ],
  [
    'src/d.test.tsx',
    "import { render, screen } from '@testing-library/react';\nimport { describe, expect, it, vi } from 'vitest';\nit('shows', async () => { const expected = 'x'; expect(await screen.findByText(expected)).toBeVisible(); });",
  ],
  ['test/e.js', "const test = require('ava');\ntest('e', t => { t.is(1, 1); t.pass(); });"],
  ['test/f.js', "const tap = require('tap');\ntap.test('f', t => { t.equal(1, 1); t.end(); });"],
  [
    'test/g.js',
    "const chai = require('chai');\nconst expect = chai.expect;\nconst should = chai.should();\nchai.use(require('chai-as-promised'));",
  ],
  [
    'test/h.js',
    "QUnit.module('assert', function () {\n  QUnit.test('h', function (assert) {\n    const done = assert.async();\n    assert.expect(1);\n    assert.equal(1, 1);\n    done();\n  });\n});",
  ],
  ['test/i.coffee', "assert = require 'assert'\ndescribe 'i', ->\n  it 'is', -> assert.equal 1, 1"],
  [
    'cypress/e2e/j.cy.ts',
    "describe('j', () => { it('opens', () => { cy.visit('/'); cy.get('h1').should('contain', 'x'); }); });",
  ],
  [
    'tests/test_a.py',
    'import pytest\nfrom app import add\n\n@pytest.mark.parametrize("a, expect", [(1, 2)])\ndef test_add(a, expect):\n    assert add(a) == expect\n    expect = [1]\n    assert expect == [1]',
  ],
  [
    'tests/test_b.py',
    'import unittest\nfrom unittest.mock import patch\n\nclass B(unittest.TestCase):\n    def setUp(self):\n        self.expect = {"a": 1}\n\n    def test_b(self):\n        with self.assertRaises(ValueError) as raised:\n            int("x")\n        self.assertEqual(1, 1)\n\nif __name__ == "__main__":\n    unittest.main()',
  ],
  [
    'tests/test_c.py',
    'import numpy.testing as npt\nfrom nose.tools import assert_equal as eq\nassert_same = eq\n\ndef test_c():\n    npt.assert_allclose([1], [1])',
  ],
  [
    'a_test.go',
    'package a\n\nimport (\n\t"testing"\n\t"github.com/stretchr/testify/assert"\n\t"github.com/stretchr/testify/require"\n)\n\nfunc TestA(t *testing.T) {\n\tassert := assert.New(t)\n\trequire := require.New(t)\n\texpect := 3\n\tassert.Equal(expect, 3)\n\tt.Run("sub", func(t *testing.T) { t.Parallel() })\n}',
  ],
  [
    'b_test.go',
    'package a\n\nimport "testing"\n\nfunc TestB(t *testing.T) {\n\tvar expect = "x"\n\tfor _, tt := range []struct{ expect string }{{expect: "x"}} {\n\t\tif tt.expect != expect { t.Errorf("got %q", tt.expect) }\n\t}\n}\n\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }',
  ],
  [
    'tests/a.rs',
    'use pretty_assertions::assert_eq;\nuse assert_cmd::Command;\n\n#[test]\nfn adds() {\n    let expect = vec![1];\n    assert_eq!(expect, [1]);\n    let mut expect: Vec<u8> = Vec::new();\n    expect = vec![];\n}',
  ],
  [
    'spec/a_spec.rb',
    "require 'spec_helper'\nrequire 'rspec/expectations'\n\nRSpec.describe A do\n  subject { described_class.new }\n  let(:expected) { 1 }\n  it 'adds' do\n    expect(subject.add).to eq(expected)\n  end\nend",
  ],
  [
    'test/b_test.rb',
    "require 'minitest/autorun'\n\nclass BTest < Minitest::Test\n  def test_b\n    expect = 1\n    assert_equal expect, 1\n    refute_nil 1\n  end\nend",
  ],
  [
    'src/test/java/ATest.java',
    'import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n\nclass ATest {\n  @Test\n  void adds() {\n    int expect = 2;\n    String expected = "x";\n    assertEquals(expect, 2);\n    assertThrows(Exception.class, () -> { throw new Exception(); });\n  }\n}',
  ],
  [
    'src/test/kotlin/BTest.kt',
    'import kotlin.test.assertEquals\n\nclass BTest {\n  @Test fun adds() {\n    val expect = listOf(1)\n    assertEquals(expect, listOf(1))\n  }\n}',
  ],
];

describe('of a new test file nothing is told', () => {
  it.each(NEW_FILES)('%s', (path, text) => {
    const lines = text.split('\n');
    const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n`;
    const hunks = readHunks(head + lines.map((line) => `+${line}`).join('\n'));
    expect(testEdits(hunks).lines).toEqual([]);
    expect([...weakened(hunks)]).toEqual([]);
  });
});
