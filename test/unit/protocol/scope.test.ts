import { describe, expect, it } from 'vitest';
import { covers, matches } from '../../../src/protocol/facts/globs.ts';
import {
  beyondScope,
  forbidsTests,
  isCode,
  isTest,
  onlyTests,
  outOfScope,
  parseScope,
  unheldOut,
} from '../../../src/protocol/facts/scope.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

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
    expect(parseScope('Inner workings: none. Just the client.')).toEqual({
      in: [],
      maybe: [],
      out: [],
      prose: [],
      outProse: [],
      outParts: [],
      outWords: [],
      isWhole: false,
    });
  });

  it.each([
    ['IN: index.js: function x, lib/b.py: the class', ['index.js', 'lib/b.py']],
    ['IN: src/ (parser only, no printer), test/', ['src/', 'test/']],
    ['IN: `a.ts` and `b.ts`', ['a.ts', 'b.ts']],
    ['IN: src/{a,b}.ts, lib/**/*.{c,h}', ['src/a.ts', 'src/b.ts', 'lib/**/*.c', 'lib/**/*.h']],
    ['IN: src/a.ts:10-40, ./b.py:7, c.go#L3-L9, d.py::test_x', ['src/a.ts', 'b.py', 'c.go', 'd.py']],
    ['IN:\n- src/a.ts — the parser, its errors and names\n- docs/ - the guide', ['src/a.ts', 'docs/']],
    ['IN: only src/a.ts and test/, nothing else', ['src/a.ts', 'test/']],
    ['**IN:** src/a.ts', ['src/a.ts']],
    ['In scope: src/a.ts\nOut of scope: src/b.ts', ['src/a.ts']],
  ])('%j names %j', (text, paths) => expect(parseScope(text).in).toEqual(paths));

  it('what is in words is a path only where a file has that name', () => {
    expect(parseScope('IN: the Node.js client, read/write calls, the README.md text')).toMatchObject({
      in: [],
      maybe: ['Node.js', 'read/write', 'README.md'],
    });
  });

  it('OUT forbids whole paths; a part of a file is for a reader to judge', () => {
    expect(
      parseScope(
        "IN: a.md. OUT: package.json (its version too: releasing is the maintainer's), test/ (if it differs: report it), b.js (only x), c.js (other functions stay)",
      ),
    ).toMatchObject({ out: ['package.json', 'test/'], outProse: ['b.js (only x)', 'c.js (other functions stay)'] });
    expect(parseScope('IN: index.js: x\nOUT: index.js: all but x, docs/, lib/ (its tests), `a.ts`')).toMatchObject({
      out: ['docs/', 'a.ts'],
      outProse: ['index.js: all but x', 'lib/ (its tests)'],
    });
    expect(parseScope('OUT:\n- docs/ — done later, tests\n- ci').out).toEqual(['docs/', 'ci']);
  });

  it.each([
    ['src/add.js and README.md', ['src/add.js', 'README.md']],
    ['src/add.js README.md', ['src/add.js', 'README.md']],
    ['src/add.js or lib/', ['src/add.js', 'lib/']],
    ['the files src/add.js, src/b.js', ['src/add.js', 'src/b.js']],
    ['src/add.js (public API)', ['src/add.js']],
    ['src/add.js must not change', ['src/add.js']],
    ['do not touch src/add.js', ['src/add.js']],
    ['src/add.js - public API', ['src/add.js']],
    ['all *.md files', ['*.md']],
    ['generated files (dist/, build/)', ['dist/', 'build/']],
    ['src/a.js (see src/b.js)', ['src/a.js']],
    ['**never** `src/add.js`', ['src/add.js']],
    ['a * b', []],
    ['History.md (task history-lines), lib/', ['History.md', 'lib/']],
    ['lib/ (see task move-functions)', ['lib/']],
  ])('OUT: %s forbids %j', (entry, paths) => {
    expect([...parseScope(`IN: x\nOUT: ${entry}`).out].sort()).toEqual([...paths].sort());
    expect(parseScope(`IN: x\nOUT: ${entry}`).outParts).toEqual([]);
  });

  it.each([
    ['everything except src/add.js, lib/', ['src/add.js', 'lib/']],
    ['anything but ./src/add.js', ['src/add.js']],
    ['files not in src/', ['src/']],
    ['package.json (dependencies)', ['package.json']],
    ['README.md: the badges', ['README.md']],
    ['the other functions of src/add.js', ['src/add.js']],
    ['refactoring src/add.js', ['src/add.js']],
    ['lib/ (its tests)', ['lib/']],
    ['x.md badges', ['x.md']],
    ['the sections usage, install and licence of README.md (other tasks)', ['README.md']],
    ['History.md (task a: only its heading)', ['History.md']],
  ])('OUT: %s is a part of %j, and forbids nothing', (entry, paths) => {
    const scope = parseScope(`IN: x.md\nOUT: ${entry}`);
    expect(scope.out).toEqual([]);
    expect(scope.outParts.flatMap((part) => part.paths)).toEqual(paths);
  });

  it('what no machine checks is told as it is written: parts, areas, and quotes within', () => {
    const out = "functions bytes, 'var map' and what is above it in index.js, the other sections, package.json";
    expect(unheldOut(parseScope(`IN: index.js\nOUT: ${out}`))).toEqual([
      'functions bytes',
      "'var map' and what is above it in index.js",
      'the other sections',
    ]);
    expect(unheldOut(parseScope('IN: src/\nOUT: "docs/", `lib/a.js`'))).toEqual([]);
    // The evidence says of each existing test what became of it.
    expect(unheldOut(parseScope('IN: src/\nOUT: existing tests, existing tests of other areas'))).toEqual([
      'existing tests of other areas',
    ]);
  });

  it('words of OUT that name nothing in the tree are told, files and folders are not', () => {
    const unheld = (out: string, there: readonly string[] = []): readonly string[] =>
      unheldOut(parseScope(`IN: src/a.js, test/\nOUT: ${out}`), there);
    expect(unheld('describe, should_run, Job.run and times')).toEqual(['describe', 'should_run', 'Job.run and times']);
    expect(unheld('format, bytes.parseRate, docs/, b.py, *.md, .github, README, vendor', ['vendor'])).toEqual([
      'format',
      'bytes.parseRate',
    ]);
    expect(unheldOut(parseScope('IN: a.js\nOUT: describe'))).toEqual([]);
  });

  it('everything else is seen by IN, unless IN means a part', () => {
    expect(unheldOut(parseScope('IN: src/a.js, test/\nOUT: everything else'), [])).toEqual([]);
    expect(unheldOut(parseScope('IN: src/a.js: function x\nOUT: everything else'), [])).toEqual(['everything else']);
    expect(unheldOut(parseScope('IN: the parser\nOUT: everything else'), [])).toEqual(['everything else']);
  });

  it('what is listed before a file is its part, and of no other file', () => {
    expect(parseScope('OUT: the existing functions, the sections a and b of README.md, package.json').out).toEqual([
      'package.json',
    ]);
    expect(parseScope('OUT: other functions, History.md, lib/a.js').out).toEqual(['History.md', 'lib/a.js']);
  });

  it('what stands behind the dash of a list restricts its line alone', () => {
    expect(parseScope('OUT:\n- a.js \u2014 but its header\n- b.js \u2014 see c.js')).toMatchObject({
      out: ['b.js'],
      outParts: [{ text: 'a.js \u2014 but its header', paths: ['a.js'] }],
    });
  });

  it.each([
    'IN: src/ out: docs/',
    'IN: src/\nout: docs/',
    'In: src/. Out: docs/',
    'IN: src/ Out of scope: docs/',
    'In scope: src/\nNot in scope: docs/',
    '**In scope:** src/\n**Not in scope:** docs/',
    'Not in scope: docs/ In scope: src/',
    'OUT: docs/ IN: src/',
    '## In scope\n- src/\n## Out of scope\n- docs/',
    'IN: src/\n**OUT-OF-SCOPE**: docs/',
  ])('%j has src/ IN and docs/ OUT', (text) => {
    expect(parseScope(text)).toMatchObject({ in: ['src/'], out: ['docs/'] });
  });

  it('a word that only ends like a heading is none', () => {
    expect(parseScope('IN: the button to log out: src/a.js').out).toEqual([]);
  });

  it('a hostile text costs its length', () => {
    const spent = cpuTimer();
    for (const part of ['(', '`', '{', '{a,', ', ', 'a.b ', ' - ', '*', 'x: ', ' out:', '**a', 'a/b ', 'but a/b, ']) {
      parseScope(`IN: ${part.repeat(8000)}`);
      parseScope(`OUT: ${part.repeat(8000)}`);
    }
    expect(parseScope(`IN: ${'{a,b}'.repeat(200)}`).in).toHaveLength(64);
    expect(spent()).toBeLessThan(2000);
  });
});

describe('files beyond IN', () => {
  const beyond = (scope: string, ...files: string[]) => beyondScope(parseScope(scope), files);

  it('no spelling of a path makes a false one', () => {
    expect(beyond('IN: index.js: function x', 'index.js')).toEqual([]);
    expect(beyond('IN: src/ (parser only)', 'src/deep/a.js', 'lib/b.js')).toEqual(['lib/b.js']);
    expect(beyond('IN: src/*.{js,ts}', 'src/a.ts', 'src/b.js', 'src/c.py')).toEqual(['src/c.py']);
    expect(beyond('IN: the Node.js client', 'src/a.js')).toEqual([]);
    expect(beyond('IN: only the README.md text', 'README.md', 'src/a.js')).toEqual(['src/a.js']);
  });

  it('lock files and snapshots beside an allowed file belong to it', () => {
    const touched = ['package.json', 'package-lock.json', 'src/__snapshots__/a.snap', 'web/yarn.lock'];
    expect(beyond('IN: package.json, src/a.ts', ...touched)).toEqual(['web/yarn.lock']);
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

  it('a folder of documents named spec that is OUT takes no tests away, but those of Ruby', () => {
    expect(forbidsTests(parseScope('IN: src/a.ts\nOUT: spec/'), DEFAULT_TEST_PATTERNS)).toBe(false);
    expect(forbidsTests(parseScope('IN: lib/a.rb\nOUT: spec/'), DEFAULT_TEST_PATTERNS)).toBe(true);
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
      'spec/bar_spec.rb',
      'spec/support/users.rb',
      'spec/jasSpec.js',
      'app/FooTest.java',
      'Sources/FooTests.swift',
    ]) {
      expect(isTest(path, DEFAULT_TEST_PATTERNS), path).toBe(true);
    }
    for (const path of [
      'src/contest.ts',
      'latest/a.ts',
      'src/attest_a.ts',
      'README.md',
      'spec/goal.md',
      'src/latestSpecial.ts',
    ]) {
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
    const spent = cpuTimer();
    expect(matches(`${'*a'.repeat(500)}b`, 'a'.repeat(1500))).toBe(false);
    expect(matches(`${'**/a/'.repeat(300)}b`, 'a/'.repeat(800))).toBe(false);
    expect(spent()).toBeLessThan(1000);
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
