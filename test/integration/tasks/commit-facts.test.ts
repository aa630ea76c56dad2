// What git says about a folder, for `begin`: where its HEAD is and what differs from how it was handed over.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPlace, isPlace } from '../../../src/git/task-folder.ts';
import { settings } from '../../../src/protocol/state.ts';
import { submitFacts, worktreeFacts } from '../../../src/tasks/commit-facts.ts';
import { write } from '../../support/core.mjs';
import { type Project, type ProjectOptions, project, succeeded } from '../../support/project.ts';

let p: Project;

const facts = async () => {
  const gitDir = await p.gitDir();
  return worktreeFacts({ gitDir, task: await p.task('t'), settings: settings(await p.state()), integration: p.head() });
};

describe.each(['worktree', 'clone'] as const)('%s', (isolation) => {
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
  await p.claim('t');
  succeeded(await p.begin('t'));
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
