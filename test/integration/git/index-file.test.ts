// An index read without git says what git says of it; what is of another form is left to git.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { forgetTimes, pathOf, readIndex, withoutTimes } from '../../../src/git/index-file.ts';
import { type Repository, repository } from '../../support/repository.ts';

describe.each([
  ['sha1', 20],
  ['sha256', 32],
] as const)('%s', (format, bytes) => {
  let repo: Repository;
  beforeEach(() => {
    repo = repository({ format, files: { 'a.txt': 'a\n', 'src/ü.ts': 'x', 'src/a b/c': '' } });
  });
  const index = (): string => path.join(repo.root, '.git', 'index');
  const read = () => readIndex(fs.readFileSync(index()), bytes);

  test('the entries, and the tree that they are', () => {
    repo.git('read-tree', 'HEAD');
    const found = read();
    const lines = found?.entries.map(
      (entry) => `${entry.mode.toString(8)} ${entry.id} ${entry.stage}\t${pathOf(entry)}`,
    );
    expect(lines?.join('\n')).toBe(repo.git('-c', 'core.quotePath=false', 'ls-files', '--stage'));
    expect(found?.tree).toBe(repo.git('rev-parse', 'HEAD^{tree}'));
  });

  test('one that was changed since is no tree as a whole', () => {
    fs.writeFileSync(path.join(repo.root, 'b.txt'), 'b\n');
    repo.git('add', 'b.txt');
    expect(read()?.entries.length).toBe(4);
    expect(read()?.tree).toBeUndefined();
  });

  test('times are forgotten, and git reads the files again', () => {
    repo.git('update-index', '--refresh');
    const text = fs.readFileSync(index());
    const parsed = readIndex(text, bytes);
    if (parsed === undefined) throw new Error('no index');
    expect(withoutTimes(text, parsed)).toEqual([]);
    fs.writeFileSync(index(), forgetTimes(text, parsed, 0, bytes));
    expect(withoutTimes(text, parsed).length).toBe(3);
    expect(repo.git('fsck', '--no-progress')).toBe('');
    expect(repo.git('ls-files', '--modified')).toBe('');
    fs.writeFileSync(path.join(repo.root, 'a.txt'), 'b\n');
    expect(repo.git('ls-files', '--modified')).toBe('a.txt');
  });

  test.each([
    ['a newer form', (repo: Repository) => repo.git('update-index', '--index-version', '4')],
    ['files that are not there on purpose', (repo: Repository) => repo.git('update-index', '--skip-worktree', 'a.txt')],
    ['a shared part', (repo: Repository) => repo.git('update-index', '--split-index')],
  ])('%s is left to git', (_, change) => {
    change(repo);
    expect(read()).toBeUndefined();
  });

  test('what somebody cut off or wrote over is left to git', () => {
    const text = fs.readFileSync(index());
    for (let length = 0; length < text.length - 1; length += 1) {
      const found = readIndex(text.subarray(0, length), bytes);
      expect(found?.entries.length ?? 3).toBe(3);
    }
    const many = Buffer.from(text);
    many.writeUInt32BE(2 ** 32 - 1, 8);
    expect(readIndex(many, bytes)).toBeUndefined();
    expect(execFileSync('git', ['-C', repo.root, 'status', '--porcelain'], { encoding: 'utf8' })).toBe('');
  });
});
