import { describe, expect, it } from 'vitest';
import {
  covers,
  DEFAULT_TEST_PATTERNS,
  isCode,
  isTest,
  matches,
  onlyTests,
  outOfScope,
  parseScope,
} from '../../../src/protocol/facts/scope.ts';

describe('scope text', () => {
  it('is read as IN and OUT lists', () => {
    const scope = parseScope(
      'IN: hello/__init__.py, `hello/__main__.py`, tests/test_hello.py\nOUT: packaging, CI/CD, the docs of old',
    );
    expect(scope.in).toEqual(['hello/__init__.py', 'hello/__main__.py', 'tests/test_hello.py']);
    expect(scope.out).toEqual(['packaging', 'CI/CD']);
  });

  it('may go over several lines, as a list, or on one line', () => {
    expect(parseScope('The client.\nIN:\n- src/a.ts\n- src/b.ts\nOUT:\n* docs/').in).toEqual(['src/a.ts', 'src/b.ts']);
    expect(parseScope('The client.\nIN:\n- src/a.ts\nOUT:\n* docs/').out).toEqual(['docs/']);
    expect(parseScope('in: src/** OUT: docs/**')).toMatchObject({ in: ['src/**'], out: ['docs/**'] });
    expect(parseScope('IN scope: src/').in).toEqual(['src/']);
  });

  it('keeps prose apart from paths, and free text is no scope list', () => {
    expect(parseScope('IN: retry logic of the client, src/a.ts')).toMatchObject({
      in: ['src/a.ts'],
      prose: ['retry logic of the client'],
    });
    expect(parseScope('Inner workings: none. Just the client.')).toEqual({ in: [], out: [], prose: [] });
  });
});

describe('tests split from their code', () => {
  it.each([
    ['IN: tests/test_retry.py', true],
    ['IN: tests/', true],
    ['IN: test/**, src/client.test.ts', true],
    ['IN: src/__tests__/a.ts', true],
    ['IN: pkg/retry_test.go', true],
    ['IN: src/client.ts, test/client.test.ts', false],
    ['IN: src/, test/', false],
    ['IN: the retry logic, test/client.test.ts', false],
    ['IN: testing/framework.ts', false],
    ['only words', false],
  ])('%s → %s', (text, expected) => {
    expect(onlyTests(parseScope(text), DEFAULT_TEST_PATTERNS)).toBe(expected);
  });

  it('a file is a test by pattern, at any depth', () => {
    for (const path of [
      'test/a.ts',
      'a/tests/b/c.py',
      'x.test.ts',
      'a/b.spec.js',
      'c_test.go',
      'test_a.py',
      'a/test_b.py',
    ]) {
      expect(isTest(path, DEFAULT_TEST_PATTERNS), path).toBe(true);
    }
    for (const path of ['src/contest.ts', 'latest/a.ts', 'src/attest_a.ts', 'README.md']) {
      expect(isTest(path, DEFAULT_TEST_PATTERNS), path).toBe(false);
    }
  });
});

describe('paths declared OUT', () => {
  it('cover the file, the folder and the glob', () => {
    const scope = parseScope('IN: src/\nOUT: docs/, package.json, *.md, src/gen/**, ./ci');
    const files = [
      'docs/a/b.txt',
      'package.json',
      'src/deep/README.md',
      'src/gen/x.ts',
      'ci/run.sh',
      'src/a.ts',
      'documents/a',
    ];
    expect(outOfScope(scope, files)).toEqual(files.slice(0, 5));
  });

  it('covers no neighbour that only begins alike', () => {
    expect(covers('src/a', 'src/ab.ts')).toBe(false);
    expect(covers('src/a', 'src/a/b.ts')).toBe(true);
  });
});

describe('the glob matcher', () => {
  it.each([
    ['**/*.test.*', 'a.test.ts', true],
    ['**/*.test.*', 'x/y/a.test.ts', true],
    ['*.ts', 'a/b.ts', false],
    ['a/*/c', 'a/b/c', true],
    ['a/*/c', 'a/b/b/c', false],
    ['a/**/c', 'a/c', true],
    ['a/**/c', 'a/b/b/c', true],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['**', 'anything/at/all', true],
    ['', 'a', false],
    ['a.c', 'abc', false],
    ['(a|b)+', 'ab', false],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('never backtracks itself to death', () => {
    const started = performance.now();
    expect(matches(`${'*a'.repeat(500)}b`, 'a'.repeat(1500))).toBe(false);
    expect(matches(`${'**/a/'.repeat(300)}b`, 'a/'.repeat(800))).toBe(false);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});

it('knows code from prose by its ending', () => {
  expect(['src/a.ts', 'b.py', 'run.sh', 'X.SQL'].map(isCode)).toEqual([true, true, true, true]);
  expect(['README.md', 'a.yaml', 'Makefile', '.ts', 'docs/a.txt'].map(isCode)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
