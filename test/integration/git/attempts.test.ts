// Discarded is not lost: tips and uncommitted files of a task are kept as one commit before its folder goes.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Attempt, type Discard, listAttempts, recordTip, saveAttempt } from '../../../src/git/attempts.ts';
import { isolationFor } from '../../../src/git/isolation.ts';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { branchOf, readRefs, seenOf, updateRefs } from '../../../src/git/refs.ts';
import { findPlace, headOf, isPlace, type Place } from '../../../src/git/task-folder.ts';
import { isolations } from '../../runs.ts';
import { type Contents, write } from '../../support/core.mjs';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let gitDir: PrivateGitDir;
let start: string;

beforeAll(async () => {
  repo = repository({ branch: 'integration', files: { 'a.txt': 'a\n', '.gitignore': '*.log\n' } });
  gitDir = await repo.gitDir();
  start = repo.git('rev-parse', 'HEAD');
});

describe.each(isolations('clone'))('%s', (kind) => {
  let count = 0;
  let task: string;
  let place: Place;

  beforeEach(async () => {
    task = `${kind}-${++count}`;
    const refs = kind === 'clone' ? [seenOf(task)] : [seenOf(task), branchOf(task)];
    await updateRefs(
      gitDir,
      refs.map((ref) => ({ ref, to: start, from: null })),
    );
    place = await isolationFor(gitDir, kind).make(gitDir, task, start);
  });

  const discard = (more: Partial<Discard> = {}): Discard => ({
    task,
    why: 'given to another coder',
    agent: 'coder-1',
    leaveOut: ['.env'],
    integration: start,
    ...more,
  });
  const save = (more?: Partial<Discard>) => saveAttempt(gitDir, place, discard(more));
  /** The folder goes, as it does after saving. */
  const remove = (): Promise<void> => isolationFor(gitDir, kind).remove(gitDir, { task });
  const commit = (files: Contents, ...args: readonly string[]): string => {
    write(place.folder, files);
    repo.gitIn(place.folder, 'add', '-A', ':!.env');
    repo.gitIn(place.folder, 'commit', '-q', '-m', 'work', ...args);
    return repo.gitIn(place.folder, 'rev-parse', 'HEAD');
  };
  const filesOf = (attempt: Attempt | undefined): Readonly<Record<string, string>> => {
    const names = repo
      .git('ls-tree', '-r', '--name-only', attempt?.commit ?? '')
      .trim()
      .split('\n');
    return Object.fromEntries(names.map((name) => [name, repo.blob(`${attempt?.commit}:${name}`)]));
  };
  const isKept = (commit: string, attempt: Attempt | undefined): boolean =>
    repo.git('rev-list', attempt?.ref ?? '').includes(commit);

  test('nothing beyond integration: no attempt; ignored and declared files do not count', async () => {
    write(place.folder, { 'x.log': 'ignored\n', '.env': 'SECRET=1\n' });
    expect(await save()).toBeUndefined();
    expect(await listAttempts(gitDir, task)).toEqual([]);
  });

  test('commits and uncommitted files, staged ones too; who, why and how much', async () => {
    const tip = commit({ 'a.txt': 'committed\n' });
    write(place.folder, {
      'a.txt': 'changed\n',
      'new.txt': 'untracked\n',
      'staged.txt': `staged in ${task}\n`,
      '.env': 'SECRET=1\n',
    });
    repo.gitIn(place.folder, 'add', 'staged.txt');
    const attempt = await save();
    expect(attempt).toMatchObject({
      ref: `refs/liza/attempts/${task}/1`,
      task,
      n: 1,
      tip,
      why: 'given to another coder',
      agent: 'coder-1',
      uncommitted: 3,
      commits: 1,
    });
    // Even when nothing of the folder is left.
    await remove();
    expect(filesOf(attempt)).toEqual({
      '.gitignore': '*.log\n',
      'a.txt': 'changed\n',
      'new.txt': 'untracked\n',
      'staged.txt': `staged in ${task}\n`,
    });
    expect(isKept(tip, attempt)).toBe(true);
    expect(repo.git('fsck', '--connectivity-only', '--no-dangling', attempt?.commit ?? '')).toBe('');
  });

  test('again, it is the same attempt; more work is another', async () => {
    commit({ 'a.txt': 'committed\n' });
    write(place.folder, { 'new.txt': 'untracked\n' });
    const first = await save();
    expect(await save({ why: 'again' })).toEqual(first);
    write(place.folder, { 'new.txt': 'more\n' });
    expect(await save()).toMatchObject({ n: 2, commits: 0, uncommitted: 1 });
    expect((await listAttempts(gitDir, task)).map(({ n }) => n)).toEqual([1, 2]);
  });

  test('tips that went different ways are all kept', async () => {
    const seen = commit({ 'a.txt': 'first\n' });
    await recordTip(gitDir, place, discard());
    const onBranch = commit({ 'a.txt': 'on the branch\n' });
    repo.gitIn(place.folder, 'checkout', '-q', '--detach', start);
    const head = commit({ 'a.txt': 'detached\n' });
    const attempt = await save();
    expect(attempt?.tip).toBe(head);
    expect(isKept(seen, attempt)).toBe(true);
    expect(isKept(head, attempt)).toBe(true);
    // A clone's branch is its agent's own; Liza keeps what it saw of it.
    if (kind === 'worktree') expect(isKept(onBranch, attempt)).toBe(true);
  });

  test('HEAD leads nowhere: files are kept on top of what was seen last', async () => {
    const seen = commit({ 'a.txt': 'committed\n' });
    await recordTip(gitDir, place, discard());
    repo.gitIn(place.folder, 'checkout', '-q', '--orphan', 'nothing-yet');
    write(place.folder, { 'new.txt': 'untracked\n' });
    const attempt = await save();
    await remove();
    expect(isKept(seen, attempt)).toBe(true);
    expect(filesOf(attempt)).toMatchObject({ 'a.txt': 'committed\n', 'new.txt': 'untracked\n' });
  });

  test('a change hidden from git status is kept as well', async () => {
    repo.gitIn(place.folder, 'update-index', '--assume-unchanged', 'a.txt');
    write(place.folder, { 'a.txt': 'hidden\n' });
    expect(repo.gitIn(place.folder, 'status', '--porcelain')).toBe('');
    expect(filesOf(await save())).toMatchObject({ 'a.txt': 'hidden\n' });
  });

  test('files without a git directory: kept on top of what was seen last', async () => {
    write(place.folder, { 'new.txt': 'untracked\n' });
    fs.rmSync(`${place.folder}/.git`, { recursive: true });
    const found = findPlace(gitDir, task);
    if (kind === 'clone') expect(found).toEqual({ broken: `.worktrees/${task} no longer has a .git` });
    const nowhere = {
      ...place,
      kind: 'worktree' as const,
      gitDirectory: '/nowhere',
      index: '/nowhere/index',
      also: undefined,
    };
    const attempt = await saveAttempt(gitDir, isPlace(found) ? found : nowhere, discard());
    expect(filesOf(attempt)).toMatchObject({ 'a.txt': 'a\n', 'new.txt': 'untracked\n' });
  });

  test('see: what was rewritten since is put away first, what goes on is not', async () => {
    const first = commit({ 'a.txt': 'one\n' });
    expect(await recordTip(gitDir, place, discard())).toBe(first);
    const second = commit({ 'a.txt': 'two\n' });
    await recordTip(gitDir, place, discard());
    expect(await listAttempts(gitDir, task)).toEqual([]);
    const amended = commit({ 'a.txt': 'amended\n' }, '--amend');
    expect(await recordTip(gitDir, place, discard({ why: 'its history was rewritten' }))).toBe(amended);
    expect((await readRefs(gitDir, seenOf(task))).get(seenOf(task))).toBe(amended);
    const [attempt] = await listAttempts(gitDir, task);
    expect(attempt).toMatchObject({ tip: second, commits: 2, uncommitted: 0, why: 'its history was rewritten' });
    expect(isKept(second, attempt)).toBe(true);
  });
});

describe('a clone whose agent spoiled its objects', () => {
  const discard = { task: 'spoiled', why: 'spoiled', leaveOut: [], integration: undefined };
  const objectOf = (folder: string, id: string): string => `${folder}/.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;

  test.each(['removed', 'replaced by a pipe'])(
    'one of them %s: nothing fails, and its files are kept',
    async (how) => {
      await updateRefs(gitDir, [{ ref: seenOf('spoiled'), to: start }]);
      const place = await isolationFor(gitDir, 'clone').make(gitDir, 'spoiled', start);
      write(place.folder, { 'b.txt': `${how}\n` });
      repo.gitIn(place.folder, 'add', '-A');
      repo.gitIn(place.folder, 'commit', '-q', '-m', 'work');
      const lost = objectOf(place.folder, repo.gitIn(place.folder, 'rev-parse', 'HEAD:b.txt'));
      fs.rmSync(lost);
      if (how !== 'removed') execFileSync('mkfifo', [lost]);
      expect(await recordTip(gitDir, place, discard)).toBeUndefined();
      expect(await headOf(gitDir, place)).toBeUndefined();
      const attempt = await saveAttempt(gitDir, place, discard);
      expect(repo.blob(`${attempt?.commit}:b.txt`)).toBe(`${how}\n`);
      await isolationFor(gitDir, 'clone').remove(gitDir, { task: 'spoiled' });
    },
    30_000,
  );
});

test('attempts of all tasks, by task and number; a setting of the project does not blur them', async () => {
  const tree = repo.git('rev-parse', `${start}^{tree}`);
  const message = `b: kept, because\n\nLiza-Task: b\nLiza-Tip: ${start}\nLiza-Uncommitted: 2\nLiza-Commits: 3\n`;
  const made = repo.git('commit-tree', tree, '-p', start, '-m', message);
  for (const n of ['10', '2', 'mine']) repo.git('update-ref', `refs/liza/attempts/b/${n}`, made);
  repo.git('config', 'trailer.separators', '#');
  const found = (await listAttempts(gitDir)).filter(({ task }) => task === 'b');
  expect(found.map(({ n }) => n)).toEqual([2, 10]);
  expect(found[0]).toMatchObject({ tip: start, uncommitted: 2, commits: 3, why: 'because' });
});
