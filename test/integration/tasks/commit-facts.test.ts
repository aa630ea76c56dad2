// What git says about a folder, for `begin`: where its HEAD is and what differs from how it was handed over.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { chooseCommits, openRepository, replay, SPELLINGS } from '../../../bench/evidence-replay.mjs';
import { findPlace, isPlace } from '../../../src/git/task-folder.ts';
import { diffFacts } from '../../../src/protocol/facts/diff-facts.ts';
import { isTest, testPatterns } from '../../../src/protocol/facts/scope.ts';
import { DEFAULT_TEST_PATTERNS } from '../../../src/protocol/records/test-patterns.ts';
import { settings } from '../../../src/protocol/state.ts';
import { submitFacts, worktreeFacts } from '../../../src/tasks/commit-facts.ts';
import { readDiff } from '../../../src/tasks/read-diff.ts';
import { inFull, isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { cpuTimer } from '../../support/cpu-time.ts';
import { type Project, type ProjectOptions, project } from '../../support/project.ts';

let p: Project;

const facts = async () => {
  const gitDir = await p.gitDir();
  return worktreeFacts({ gitDir, task: await p.task('t'), settings: settings(await p.state()), integration: p.head() });
};

describe.each(isolations('worktree'))('%s', (isolation) => {
  const start = (options: ProjectOptions = {}): void => {
    p = project({ ...options, config: { isolation, ...options.config } });
  };

  test('HEAD, branch, changes and a merge under way; every commit is remembered', async () => {
    start();
    await p.claim('t');
    const base = p.head();
    expect(await facts()).toEqual({ head: base, branch: 'task/t', dirty: [] });
    const commit = p.work('t', { 'README.md': 'one\n' });
    write(p.folder('t'), { 'src/new.ts': 'x\n' });
    expect(await facts()).toEqual({ head: commit, branch: 'task/t', dirty: ['src/new.ts'] });
    expect(p.refs('refs/liza/seen')).toEqual({ 'refs/liza/seen/t': commit });
    expect(p.git('cat-file', '-t', commit)).toBe('commit');
    fs.rmSync(p.folder('t', 'src', 'new.ts'));

    p.gitIn(p.folder('t'), 'checkout', '-q', '-b', 'side', base);
    const side = p.work('t', { 'README.md': 'two\n' });
    expect(() => p.gitIn(p.folder('t'), 'merge', '-q', 'task/t')).toThrow();
    expect(await facts()).toEqual({ head: side, branch: 'side', dirty: ['README.md'], merging: true });
    p.gitIn(p.folder('t'), 'merge', '--abort');
    p.gitIn(p.folder('t'), 'checkout', '-q', '--detach');
    expect(await facts()).toEqual({ head: side, dirty: [] });
    // The branch it was on before went elsewhere: both are kept.
    expect(p.git('rev-list', ...Object.values(p.refs('refs/liza')))).toContain(commit);
  });

  test('compared with the folder as it was handed over', async () => {
    const config = { worktree_files: ['.env'], post_worktree_cmd: 'echo made > made.txt; echo more >> README.md' };
    start({ config });
    fs.writeFileSync(p.file('.env'), 'SECRET=1\n');
    await p.claim('t');
    expect((await facts())?.dirty).toEqual([]);
    write(p.folder('t'), { 'made.txt': 'changed\n', '.env': 'mine\n' });
    expect((await facts())?.dirty).toEqual(['made.txt']);
    write(p.folder('t'), { 'made.txt': null });
    p.gitIn(p.folder('t'), 'checkout', '-q', 'README.md');
    expect((await facts())?.dirty).toEqual(['README.md', 'made.txt']);
  });

  test('nothing to say of a folder that is gone, is a link, or has no commit', async () => {
    start();
    await p.claim('t');
    p.gitIn(p.folder('t'), 'checkout', '-q', '--orphan', 'nothing');
    expect(await facts()).toBeUndefined();
    fs.renameSync(p.folder('t'), path.join(p.base, 'moved'));
    expect(await facts()).toBeUndefined();
    fs.symlinkSync(path.join(p.base, 'moved'), p.folder('t'));
    expect(await facts()).toBeUndefined();
  });
});

test('a commit’s changes: renames as two, odd names, and what descends from the base', async () => {
  p = project();
  await p.begun('t');
  p.gitIn(p.folder('t'), 'mv', 'README.md', 'READ ä"me\n.md');
  const commit = p.work('t', { 'src/app.ts': null, 'src/new.ts': 'x\n' });
  const gitDir = await p.gitDir();
  const place = findPlace(gitDir, 't');
  if (!isPlace(place)) throw new Error('no place');
  const asked = { gitDir, task: await p.task('t'), settings: settings(await p.state()), integration: p.head() };
  const found = await submitFacts(asked, place, commit);
  expect(found).toMatchObject({ head: commit, descends_from_base: true });
  expect([...(found?.changes ?? [])].sort((a, b) => a.path.localeCompare(b.path))).toEqual([
    { path: 'READ ä"me\n.md', kind: 'added', moved_from: 'README.md' },
    { path: 'README.md', kind: 'removed' },
    { path: 'src/app.ts', kind: 'removed' },
    { path: 'src/new.ts', kind: 'added' },
  ]);
  expect(await submitFacts(asked, place, '1'.repeat(40))).toMatchObject({ descends_from_base: false, changes: [] });
});

test.each([
  ['evidence', undefined, ['src/lib.rs']],
  ['strict', undefined, []],
  ['strict', ['src/'], ['src/lib.rs', 'src/plain.c']],
] as const)('tests within code, tdd %s, tests_in_code %j', async (tdd, named, expected) => {
  p = project({ config: { tdd, ...(named === undefined ? {} : { tests_in_code: named }) } });
  await p.claim('t');
  const commit = p.work('t', {
    'src/lib.rs': '#[test]\nfn adds() {}\n',
    'src/plain.c': 'int a;\n',
    'test/a.rs': '#[test]\n',
  });
  const gitDir = await p.gitDir();
  const place = findPlace(gitDir, 't');
  if (!isPlace(place)) throw new Error('no folder');
  const asked = { gitDir, task: await p.task('t'), settings: settings(await p.state()), integration: p.head() };
  const found = await submitFacts(asked, place, commit);
  expect(found?.changes.filter((change) => change.tests_within).map((change) => change.path)).toEqual(expected);
});

test('a test of plain assertions that moves to where nobody runs it is a removed one; a helper with assertions is not', async () => {
  const plain =
    'import assert from "node:assert/strict";\nimport { b } from "../src/b.mjs";\n// keeps b\nassert.equal(b, 1);\nassert.ok(b > 0);\n';
  const named =
    'import assert from "node:assert/strict";\nfunction main() {\n  assert.equal(1, 1);\n}\nmain();\n// c\n';
  const helper =
    'import assert from "node:assert/strict";\nexport function isOne(n) {\n  assert.equal(n, 1);\n}\n// d\n// e\n';
  p = project({
    files: { 'test/b.mjs': plain, 'test/c.test.mjs': named, 'test/one.mjs': helper, 'test/a.test.js': 'test(1);\n' },
  });
  await p.claim('t');
  const commit = p.work('t', {
    ...{ 'test/b.mjs': null, 'src/b-check.mjs': `${plain}// used by nobody\n` },
    ...{ 'test/c.test.mjs': null, 'src/c-check.mjs': `${named}// used by nobody\n` },
    ...{ 'test/one.mjs': null, 'src/one.mjs': `${helper}// for all\n` },
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const { changes = [] } = await readDiff(asked, p.head(), commit);
  const removed = changes.filter(({ kind }) => kind === 'removed');
  expect(removed.map(({ path: at, moved_to }) => [at, moved_to])).toEqual([
    ['test/b.mjs', undefined],
    ['test/c.test.mjs', undefined],
    ['test/one.mjs', 'src/one.mjs'],
  ]);
  const told = diffFacts(await p.task('t'), { changes }, DEFAULT_TEST_PATTERNS);
  expect(told.tests_removed).toEqual({ paths: ['test/b.mjs', 'test/c.test.mjs'] });
});

test.runIf(inFull)(
  'files of very many lines are told as not looked at, tests too, and hold up nobody (in test:all)',
  async () => {
    p = project({ files: { 'test/old.test.js': 'test(1);\n' } });
    await p.claim('t');
    const some = Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`test/some${n}.test.js`, '\n'.repeat(15_000)]),
    );
    const commit = p.work('t', {
      ...some,
      'test/n.test.js': '\n'.repeat(300_000),
      'test/last.test.js': "test.skip('a');\n",
    });
    const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
    const worked = cpuTimer();
    const { unread, test_edits } = await readDiff(asked, p.head(), commit);
    expect(worked()).toBeLessThan(8000);
    expect(unread).toEqual(['test/n.test.js', 'test/some6.test.js', 'test/some7.test.js']);
    expect(test_edits?.lines.join()).toContain("test/last.test.js:1 + test.skip('a')");
  },
);

test('files of code that are too many, too long or generated are told as not looked at', async () => {
  p = project({});
  await p.claim('t');
  const many = Object.fromEntries(
    Array.from({ length: 210 }, (_, n) => [`src/m${String(n).padStart(3, '0')}.ts`, `export const m = ${n};\n`]),
  );
  const commit = p.work('t', {
    ...many,
    'src/long.ts': 'a();\n'.repeat(5001),
    'dist/out.js': 'b();\n',
    'dist/notes.md': 'c\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const { unread = [] } = await readDiff(asked, p.head(), commit);
  expect(unread.filter((path) => !path.startsWith('src/m')).sort()).toEqual(['dist/out.js', 'src/long.ts']);
  expect(unread.filter((path) => path.startsWith('src/m'))).toHaveLength(10);
});

test('a helper that moves from the tests to the code is no removed test; a test that does is one', async () => {
  const helper = 'export function twice(n) {\n  return n * 2;\n}\nexport const three = 3;\nexport const four = 4;\n';
  const held = "import test from 'node:test';\ntest('is held', () => {});\nexport const five = 5;\n";
  p = project({ files: { 'test/helper.js': helper, 'test/held.js': held, 'test/a.test.js': 'test(1);\n' } });
  await p.begun('t');
  const base = p.head();
  const commit = p.work('t', {
    'test/helper.js': null,
    'src/helper.js': `import './app.js';\n${helper}`,
    'test/held.js': null,
    'src/held.js': held,
    'test/a.test.js': 'test(1);\ntest(2);\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const { changes, test_edits } = await readDiff(asked, base, commit);
  expect(changes.find(({ path: at }) => at === 'test/helper.js')).toEqual({
    path: 'test/helper.js',
    kind: 'removed',
    moved_to: 'src/helper.js',
  });
  expect(changes.find(({ path: at }) => at === 'test/held.js')).not.toHaveProperty('moved_to');
  expect((test_edits?.lines ?? []).join()).not.toContain('helper');
  const told = diffFacts(await p.task('t'), { changes }, DEFAULT_TEST_PATTERNS);
  expect(told.tests_removed).toEqual({ paths: ['test/held.js'] });
});

test('a diff, read for its reviewer: tests that lost lines or none, moved, weakened; how tests are run; work put off', async () => {
  const files = {
    'test/kept.test.ts': 'test(1);\nexpect(1);\n',
    'test/weak.test.ts': 'expect(1);\nexpect(2);\n',
    'test/old.test.ts': "expect('three');\n",
    'package.json': '{"version":"1","scripts":{"test":"sh tools/run.sh"}}',
    'tools/run.sh': 'true\n',
    'src/app.ts': 'one\n',
  };
  p = project({ files, tasks: [{ id: 't', validation: ['grep -q x README.md', 'npm test'] }] });
  await p.begun('t');
  const commit = p.work('t', {
    'test/kept.test.ts': 'describe(() => {\n  test(1);\n  expect(1);\n  expect(2);\n});\n',
    'test/weak.test.ts': 'expect(2);\n',
    'test/old.test.ts': null,
    'test/moved.test.ts': "expect('three');\n",
    'package.json': '{"version":"2","scripts":{"test":"sh tools/run.sh"}}',
    'tools/run.sh': 'true || true\n',
    'README.md': 'x\n',
    'src/app.ts': 'one\n// TODO: two\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const { changes, ...found } = await readDiff(asked, p.head(), commit);
  expect(changes.filter(({ path: name }) => name.startsWith('test/'))).toEqual([
    { path: 'test/kept.test.ts', kind: 'changed', only_added: true },
    { path: 'test/moved.test.ts', kind: 'added', moved_from: 'test/old.test.ts' },
    { path: 'test/old.test.ts', kind: 'removed' },
    { path: 'test/weak.test.ts', kind: 'changed', weakened: true },
  ]);
  expect(found).toEqual({
    lines: { added: expect.any(Number), removed: expect.any(Number) },
    test_edits: { lines: ['test/weak.test.ts:1 - expect(1);'] },
    marks: { lines: ['src/app.ts:2 // TODO: two'] },
    test_setup: ['tools/run.sh'],
  });
  expect(diffFacts(asked.task, { changes, ...found }, testPatterns(asked.settings))).toMatchObject({
    tests_extended: { paths: ['test/kept.test.ts'] },
    tests_changed: { paths: ['test/weak.test.ts'] },
    tests_weakened: { paths: ['test/weak.test.ts'] },
    tests_moved: { paths: ['test/old.test.ts → test/moved.test.ts'] },
    test_setup: { paths: ['tools/run.sh'] },
  });
});

test('a test whose lines all stay, and that is no test any more, is told as removed', async () => {
  const js = "test('adds', () => expect(1));\n";
  const zero = "test(\n  'adds zero',\n  () => expect(0),\n);\n";
  const py = 'def test_add():\n    assert 1\n';
  const files = {
    'test/add.test.js': `${js}${zero}`,
    'tests/test_add.py': `${py}\n\n${py.replace('add', 'zero')}`,
    'test/named.test.js': zero,
  };
  p = project({ files, tasks: [{ id: 't' }] });
  await p.claim('t');
  const commit = p.work('t', {
    'test/add.test.js': `${js}/*\n${zero}*/\n`,
    'tests/test_add.py': `${py}\n\n"""\n${py.replace('add', 'zero')}"""\n`,
    // Another name on a line of its own.
    'test/named.test.js': zero.replace('adds zero', 'adds nothing'),
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const told = diffFacts(asked.task, await readDiff(asked, p.head(), commit), testPatterns(asked.settings));
  expect(told).toMatchObject({
    tests_removed: {
      paths: [
        'test/add.test.js › adds zero (its lines stay, but it is no test any more)',
        'tests/test_add.py › test_zero (its lines stay, but it is no test any more)',
      ],
    },
    tests_weakened: { paths: ['test/add.test.js', 'tests/test_add.py'] },
  });
  expect(told).not.toHaveProperty('tests_extended');
});

test('a new file of tests with a skip is told as that, and weakens nothing', async () => {
  p = project({ tasks: [{ id: 't' }] });
  await p.claim('t');
  const commit = p.work('t', { 'test/new.test.ts': "test.skip('later', f);\n" });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const told = diffFacts(asked.task, await readDiff(asked, p.head(), commit), testPatterns(asked.settings));
  expect(told).toMatchObject({ tests_new_off: { paths: ['test/new.test.ts'] } });
  expect(told).not.toHaveProperty('tests_weakened');
});

test('tests within code that lost lines, went or moved, and a test file moved with changes, are told by name', async () => {
  const inner = (name: string, text: string): string => `    #[test]\n    fn ${name}() {\n        ${text}\n    }\n`;
  const within = (...tests: readonly string[]): string =>
    `pub fn f() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n${tests.join('\n')}}\n`;
  const kept = inner('keeps', 'assert_eq!(f(), ());\n        assert!(true);');
  const checks = ['one', 'two', 'three', 'four', 'five'].map((word) => `expect(${word});`);
  const files = {
    'src/lib.rs': within(kept, inner('goes', 'assert!(f() == ());'), inner('travels', 'assert!(1 == 1);')),
    'test/deep/old.test.ts': `${checks.join('\n')}\n`,
    'test/unit/same.test.ts': 'expect(6);\nexpect(7);\n',
  };
  p = project({ files, tasks: [{ id: 't', validation: ['cargo test'] }] });
  await p.claim('t');
  const commit = p.work('t', {
    'src/lib.rs': within(kept.replace('        assert!(true);\n', '')),
    'tests/outer.rs': inner('travels', 'assert!(2 == 2);'),
    'test/deep/old.test.ts': null,
    'test/new.test.ts': `${checks.join('\n').replace('expect(two);', 'expect(2);')}\n`,
    'test/unit/same.test.ts': null,
    'test/same.test.ts': 'expect(8);\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const found = await readDiff(asked, p.head(), commit);
  const told = diffFacts(asked.task, found, testPatterns(asked.settings));
  expect(told).toMatchObject({
    tests_changed: { paths: ['src/lib.rs › keeps'] },
    tests_removed: { paths: ['src/lib.rs › goes'] },
    tests_moved_changed: {
      paths: [
        'test/deep/old.test.ts → test/new.test.ts',
        'test/unit/same.test.ts → test/same.test.ts',
        'src/lib.rs › travels → tests/outer.rs',
      ],
    },
    tests_added: { paths: ['tests/outer.rs'] },
    tests_weakened: { paths: ['test/same.test.ts'] },
  });
  expect(told.test_edits?.lines).toContain('src/lib.rs:9 - assert!(true);');
  expect(told.test_edits?.lines).toContain('test/deep/old.test.ts:2 - expect(two);');
});

test('tests that are gone from files that stay are told by name, in each of the common conventions', async () => {
  const rspec = (names: readonly string[]): string =>
    `describe Foo do\n${names.map((name) => `  it "${name}" do\n    expect(1).to eq(1)\n  end\n`).join('\n')}end\n`;
  const java = (names: readonly string[]): string =>
    `class FooTest {\n${names.map((name) => `  @Test\n  void ${name}() {\n    assertEquals(1, ${name.length});\n  }\n`).join('\n')}}\n`;
  const python = (names: readonly string[]): string =>
    names.map((name) => `def test_${name}():\n    assert ${name}() == 1\n`).join('\n\n');
  const zig = (names: readonly string[]): string =>
    `fn f() u8 {\n    return 1;\n}\n${names.map((name) => `\ntest "${name}" {\n    try expect(f() == 1);\n}\n`).join('')}`;
  const script = (body: string): string => `export const f = () => 1;\n${body}`;
  const block = "if (import.meta.vitest) {\n  it('is one', () => {\n    expect(f()).toBe(1);\n  });\n}\n";
  const kept = "it('stays', () => {\n  expect(1).toBe(1);\n});\n";
  const files = {
    'spec/bar_spec.rb': rspec(['bars']),
    'spec/foo_spec.rb': rspec(['foos', 'is two']),
    'spec/jasSpec.js': `${kept}it('goes', () => {\n  expect(2).toBe(2);\n  run('ls');\n});\n`,
    'app/FooTest.java': java(['adds', 'subtracts']),
    'src/f.zig': zig(['f is one', 'f is two']),
    'src/q.js': script(block),
    'tests/test_a.py': python(['one', 'two', 'three']),
    'tests/test_b.py': python(['four']),
    'tests/test_c.py': python(['adds_two_numbers', 'six']),
  };
  p = project({ files });
  await p.claim('t');
  const commit = p.work('t', {
    'spec/bar_spec.rb': null,
    'spec/foo_spec.rb': rspec(['foos']),
    'spec/jasSpec.js': kept,
    'app/FooTest.java': java(['adds']),
    'src/f.zig': zig(['f is one']),
    'src/q.js': script(''),
    'tests/test_a.py': python(['one']),
    'tests/test_b.py': python(['four', 'three']).replace('three()', 'three(3)'),
    'tests/test_c.py': python(['adds_2_numbers', 'six']),
  });
  const context = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const diff = await readDiff(context, p.head(), commit);
  const told = diffFacts(context.task, diff, DEFAULT_TEST_PATTERNS);
  expect(told.tests_removed?.paths.toSorted()).toEqual(
    [
      'app/FooTest.java › subtracts',
      'spec/bar_spec.rb',
      'spec/foo_spec.rb › is two',
      'spec/jasSpec.js › goes',
      'src/f.zig › f is two',
      'src/q.js › is one',
      'tests/test_a.py › test_two',
    ].toSorted(),
  );
  expect(told.tests_moved_changed?.paths).toEqual(['tests/test_a.py › test_three → tests/test_b.py']);
  expect(told.tests_changed?.paths).toContain('tests/test_c.py');
});

test('what the integration test of the base runs, through its scripts, is told with how tests are run', async () => {
  const files = {
    'scripts/integration-test.sh':
      '#!/bin/sh\nset -e\ncd "$(dirname "$0")/.."\n. scripts/env.sh\nsh scripts/lib.sh\nnode tools/check.mjs\n',
    'scripts/env.sh': 'A=1\n',
    'scripts/lib.sh': 'sh tools/deep.sh\n',
    'tools/deep.sh': 'node tools/deepest.mjs\n',
    'tools/deepest.mjs': '1\n',
    'tools/check.mjs': '1\n',
  };
  p = project({ files, tasks: [{ id: 't', validation: ['node --test'] }] });
  await p.claim('t');
  const { 'scripts/integration-test.sh': _judge, ...run } = files;
  const commit = p.work('t', {
    ...Object.fromEntries(Object.entries(run).map(([path, text]) => [path, `${text}#\n`])),
    'tools/other.mjs': 'x\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  expect((await readDiff(asked, p.head(), commit)).test_setup).toEqual(Object.keys(run).toSorted());
  // One that only the commit has judges nothing yet.
  p = project({ tasks: [{ id: 't', validation: ['node --test'] }] });
  await p.claim('t');
  const first = p.work('t', files);
  const now = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  expect((await readDiff(now, p.head(), first)).test_setup).toBeUndefined();
});

test('a set-up file that only a script of the validation names is told with how tests are run', async () => {
  const files = { 'scripts/run-tests.sh': '. scripts/env.sh\nnode --test\n', 'scripts/env.sh': 'export A=1\n' };
  p = project({ files, tasks: [{ id: 't', validation: ['sh scripts/run-tests.sh'] }] });
  await p.claim('t');
  const commit = p.work('t', { 'scripts/env.sh': 'export A=2\n', 'scripts/other.sh': 'x\n' });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  expect((await readDiff(asked, p.head(), commit)).test_setup).toEqual(['scripts/env.sh']);
});

test('replayed histories raise no false alarm, and every planted one is told', async () => {
  p = project();
  const at = (files: Record<string, string | null>): void => {
    write(p.root, files);
    p.git('add', '-A');
    p.git('commit', '-q', '-m', 'one of a history');
  };
  at({ 'lib/index.js': 'a\n', 'test.js': 'is(a);\n', 'package.json': '{"version":"1"}', 'README.md': 'usage\n' });
  at({ 'lib/index.js': 'b\n', 'test.js': 'is(a);\nis(b);\n', 'package.json': '{"version":"2"}' });
  at({ 'README.md': 'usage, more\n', Makefile: 'all:\n', '.gitignore': 'x\n' });
  at({ 'test.js': 'suite(() => {\n  is(a);\n  is(b);\n});\n', 'lib/util/deep.js': 'c\n' });
  const repository = openRepository(p.file('.git'));
  const parts = { readDiff, diffFacts, isTest, patterns: DEFAULT_TEST_PATTERNS };
  for (const commit of (await chooseCommits(repository, 4)).slice(0, 4)) {
    for (const spelling of Object.keys(SPELLINGS)) {
      const told = await replay(parts, repository, commit, { spelling, testCommand: 'npm test' });
      for (const what of ['false', 'missed'] as const)
        for (const [kind, list] of Object.entries(told?.[what] ?? {}))
          expect(list, `${what} ${kind}, ${spelling}`).toEqual([]);
    }
  }
});

test('files that are too large to be looked at are not read, and named; the others are', async () => {
  const big = `${'x'.repeat(5000)}\n`;
  p = project({ files: { 'test/old.test.ts': big, 'package.json': '{}\n' } });
  await p.claim('t');
  const commit = p.work('t', {
    'test/old.test.ts': null,
    'test/big.test.ts': `test.skip('${big}', () => {});\n`,
    'test/small.test.ts': "test.skip('small', () => {});\n",
    'src/more.ts': `// ${'TODO '.repeat(100)}\n`,
    'src/last.ts': '// TODO: one\n',
  });
  const asked = { gitDir: await p.gitDir(), task: await p.task('t'), settings: settings(await p.state()) };
  const whole = await readDiff(asked, p.head(), commit);
  expect(whole.unread).toBeUndefined();
  expect(whole.test_edits?.lines.join()).toContain('x'.repeat(50));
  const { unread, test_edits, changes } = await readDiff(asked, p.head(), commit, { file: 1000, all: 100_000 });
  expect(unread).toEqual(['test/big.test.ts', 'test/old.test.ts']);
  expect(test_edits?.lines.join()).toContain('small');
  expect(test_edits?.lines.join()).not.toContain('xxx');
  expect(changes.map(({ path }) => path)).toContain('test/big.test.ts');
  // Together they have less room than one by one.
  expect((await readDiff(asked, p.head(), commit, { file: 1000, all: 40 })).unread).toContain('src/more.ts');
});
