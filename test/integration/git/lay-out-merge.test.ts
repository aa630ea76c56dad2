// A merge laid out without `git merge`, held against what `git merge --no-commit` does in a twin of the repository.

import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { layOutMerge } from '../../../src/git/lay-out-merge.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { headOf, type Place } from '../../../src/git/task-folder.ts';
import type { Contents } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';
import { addWorktree, filesIn } from './outside.ts';

const LINES = Array.from({ length: 20 }, (_, n) => `line ${n}\n`).join('');
const ROWS = LINES.replaceAll('line', 'row');
const DEEP = LINES.replaceAll('line', 'deep');
const FINE = LINES.replaceAll('line', 'fine');
const START: Contents = {
  'a.txt': LINES,
  'fine.txt': FINE,
  'gone.txt': 'gone\n',
  'gone-too.txt': 'gone too\n',
  'moved.txt': ROWS,
  'sub/deep.txt': DEEP,
  link: 'link\n',
  run: 'run\n',
  bin: Buffer.from([0, 9, 9]),
};

/** One kind of conflict each, all in one merge. */
const CONFLICTS: readonly (readonly [ours: Contents, theirs: Contents])[] = [
  // both changed the same line
  [{ 'a.txt': LINES.replace('5', 'ours') }, { 'a.txt': LINES.replace('5', 'theirs') }],
  // both added a file
  [{ 'new.txt': 'ours\n' }, { 'new.txt': 'theirs\n' }],
  // changed on one side, deleted on the other
  [{ 'gone.txt': 'changed\n' }, { 'gone.txt': null }],
  [{ 'gone-too.txt': null }, { 'gone-too.txt': 'changed\n' }],
  // renamed and changed
  [
    { 'moved.txt': null, 'ours/moved.txt': ROWS.replace('row 5', 'ours') },
    { 'moved.txt': ROWS.replace('row 5', 'theirs') },
  ],
  // renamed to two names
  [
    { 'sub/deep.txt': null, 'one.txt': DEEP },
    { 'sub/deep.txt': null, 'two.txt': DEEP },
  ],
  // a file became a link; a mode; a binary file; an odd name
  [{ link: (file) => fs.symlinkSync('a.txt', file) }, { link: 'changed\n' }],
  [{ run: (file) => fs.writeFileSync(file, 'run\n', { mode: 0o755 }) }, { run: 'longer\n' }],
  [{ bin: Buffer.from([0, 1, 2]) }, { bin: Buffer.from([0, 3, 4]) }],
  [{ 'ä b"c\n.txt': 'ours\n' }, { 'ä b"c\n.txt': 'theirs\n' }],
  // and what merges
  [{ 'fine.txt': FINE.replace('2', 'ours') }, { 'fine.txt': FINE.replace('18', 'theirs'), 'added.txt': 'x\n' }],
];
const CASES: Readonly<Record<string, readonly [ours: Contents, theirs: Contents]>> = {
  'every kind of conflict': [
    Object.assign({}, ...CONFLICTS.map(([ours]) => ours)),
    Object.assign({}, ...CONFLICTS.map(([, theirs]) => theirs)),
  ],
  'no conflict at all': [{ 'a.txt': LINES.replace('2', 'ours') }, { 'a.txt': LINES.replace('18', 'theirs') }],
};

let repo: Repository;
let gitDir: PrivateGitDir;
let base: string;

beforeAll(async () => {
  repo = repository({ branch: 'integration', files: START });
  base = repo.git('rev-parse', 'HEAD');
  gitDir = await repo.gitDir();
});

let count = 0;
interface Twins {
  readonly ours: string;
  readonly theirs: string;
  readonly place: Place;
  readonly twin: { readonly folder: string; readonly gitDirectory: string };
}

/** Two worktrees at the same commit, and one to merge into both. */
function twins([our, their]: readonly [Contents, Contents]): Twins {
  count++;
  const side = (files: Contents): string => {
    repo.git('checkout', '-q', '--detach', base);
    const commit = repo.commit(files);
    repo.git('checkout', '-q', 'integration');
    return commit;
  };
  const [ours, theirs] = [side(our), side(their)];
  const [one, two] = ['one', 'two'].map((name) => {
    repo.git('branch', '-q', `${name}-${count}`, ours);
    return addWorktree(repo, `${name}-${count}`, `${name}-${count}`);
  });
  if (one === undefined || two === undefined) throw new Error('no worktrees');
  const index = path.join(one.gitDirectory, 'index');
  return { ours, theirs, place: { ...one, task: 't', kind: 'worktree', index }, twin: two };
}

/** What a coder sees: stages, files, status. Git calls our side HEAD, we name its commit. */
function seen(folder: string, ours: string): unknown {
  const files = Object.entries(filesIn(folder)).map(([name, text]) => [
    name,
    text.replaceAll(`<<<<<<< ${ours}`, '<<<<<<< HEAD'),
  ]);
  return {
    stages: repo.gitIn(folder, 'ls-files', '--stage', '-z').split('\0'),
    status: repo.gitIn(folder, 'status', '--porcelain=v2', '-z').split('\0'),
    files: Object.fromEntries(files),
  };
}

describe('as git merge --no-commit', () => {
  test.each(Object.entries(CASES))('%s', async (name, sides) => {
    const { ours, theirs, place, twin } = twins(sides);
    const { conflicts } = await layOutMerge(gitDir, place, theirs, 'Merge the integration branch into task/t');
    const merge = () => repo.gitIn(twin.folder, 'merge', '-q', '--no-commit', '--no-ff', theirs);
    if (name === 'no conflict at all') merge();
    else expect(merge).toThrow(/Command failed/);
    expect(seen(place.folder, ours)).toEqual(seen(twin.folder, ours));
    const unmerged = repo.gitIn(twin.folder, 'diff', '--name-only', '--diff-filter=U', '-z');
    expect([...conflicts].sort()).toEqual([...new Set(unmerged.split('\0'))].filter((path) => path !== '').sort());
    expect(await headOf(gitDir, place)).toMatchObject({ commit: ours, merging: theirs });

    // Whatever the coder makes of it, the commit has both parents.
    repo.gitIn(place.folder, 'add', '-A');
    repo.gitIn(place.folder, 'commit', '-q', '--no-edit');
    expect(repo.gitIn(place.folder, 'show', '-s', '--format=%P|%s')).toBe(
      `${ours} ${theirs}|Merge the integration branch into task/t`,
    );
  });
});

test('again, it finds its own work and leaves what was resolved meanwhile', async () => {
  const { theirs, place } = twins([{ 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' }]);
  await layOutMerge(gitDir, place, theirs, 'merge');
  fs.writeFileSync(path.join(place.folder, 'a.txt'), 'resolved\n');
  expect(await layOutMerge(gitDir, place, theirs, 'merge')).toEqual({ conflicts: ['a.txt'] });
  expect(fs.readFileSync(path.join(place.folder, 'a.txt'), 'utf8')).toBe('resolved\n');
});

test('what is merged already is not merged again', async () => {
  const { place } = twins([{ 'a.txt': 'ours\n' }, {}]);
  expect(await layOutMerge(gitDir, place, base, 'merge')).toEqual({ conflicts: [] });
  expect(repo.gitIn(place.folder, 'status', '--porcelain')).toBe('');
  expect((await headOf(gitDir, place))?.merging).toBeUndefined();
});

test('links planted where git keeps its notes are replaced, not followed', async () => {
  const { theirs, place } = twins([{ 'a.txt': 'ours\n' }, { 'a.txt': 'theirs\n' }]);
  const victim = path.join(repo.base, 'victim');
  fs.writeFileSync(victim, 'precious');
  for (const name of ['MERGE_MSG', 'MERGE_MODE', 'MERGE_HEAD.new']) {
    fs.symlinkSync(victim, path.join(place.gitDirectory, name));
  }
  await layOutMerge(gitDir, place, theirs, 'merge');
  expect(fs.readFileSync(victim, 'utf8')).toBe('precious');
  expect(repo.gitIn(place.folder, 'rev-parse', 'MERGE_HEAD')).toBe(theirs);
});
