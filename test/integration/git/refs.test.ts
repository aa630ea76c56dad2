// Several refs changed in one step: all or none, and never over what somebody else did meanwhile.

import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PrivateGitDir } from '../../../src/git/private-git-dir.ts';
import { isAncestor } from '../../../src/git/reach.ts';
import { commitOf, readRefs, reviewOf, seenOf, updateRefs } from '../../../src/git/refs.ts';
import { EnvironmentError } from '../../../src/protocol/decision.ts';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let gitDir: PrivateGitDir;
let first: string;
let second: string;
const A = 'refs/liza/seen/a';
const B = 'refs/liza/seen/b';
const values = async () => Object.fromEntries(await readRefs(gitDir, A, B));

beforeAll(async () => {
  repo = repository({ branch: 'integration' });
  gitDir = await repo.gitDir();
  first = repo.git('rev-parse', 'HEAD');
  second = repo.commit({ a: 'a\n' });
});
beforeEach(async () => {
  for (const ref of (await readRefs(gitDir, 'refs/liza/')).keys()) repo.git('update-ref', '-d', ref);
});

describe('updateRefs', () => {
  test('makes, moves and deletes in one step', async () => {
    expect(await updateRefs(gitDir, [{ ref: A, to: first, from: null }])).toBe('done');
    expect(
      await updateRefs(gitDir, [
        { ref: A, to: second, from: first },
        { ref: B, to: first, from: null },
      ]),
    ).toBe('done');
    expect(await values()).toEqual({ [A]: second, [B]: first });
    expect(
      await updateRefs(gitDir, [
        { ref: A, to: null, from: second },
        { ref: B, to: null },
      ]),
    ).toBe('done');
    expect(await values()).toEqual({});
    expect(await updateRefs(gitDir, [])).toBe('done');
  });

  test.each([
    ['it is elsewhere', (): Change => ({ ref: A, to: second, from: second })],
    ['it is there', (): Change => ({ ref: A, to: second, from: null })],
    ['it is gone', (): Change => ({ ref: B, to: second, from: first })],
    ['it is elsewhere and should go', (): Change => ({ ref: A, to: null, from: second })],
    ['it is gone and should go', (): Change => ({ ref: B, to: null, from: first })],
  ])('moved: %s, and nothing changes', async (_why, change) => {
    await updateRefs(gitDir, [{ ref: A, to: first }]);
    const other = { ref: 'refs/liza/seen/c', to: second, from: null };
    expect(await updateRefs(gitDir, [other, change()])).toBe('moved');
    expect(Object.fromEntries(await readRefs(gitDir, 'refs/liza/'))).toEqual({ [A]: first });
  });

  test('to delete what is not there is done, unless it had to be there', async () => {
    expect(await updateRefs(gitDir, [{ ref: B, to: null }])).toBe('done');
  });

  test('a branch in the way is said to be one', async () => {
    repo.git('update-ref', A, first);
    const failed = updateRefs(gitDir, [{ ref: `${A}/below`, to: first, from: null }]);
    await expect(failed).rejects.toMatchObject({ code: 3, hint: expect.stringContaining(`rename ${A}`) });
  });

  test('a lock file that was left is an error with a way out, not "moved"', async () => {
    const lock = path.join(gitDir.common, `${A}.lock`);
    fs.mkdirSync(path.dirname(lock), { recursive: true });
    fs.writeFileSync(lock, '');
    try {
      const failed = updateRefs(gitDir, [{ ref: A, to: first, from: null }]);
      await expect(failed).rejects.toThrow(EnvironmentError);
      await expect(failed).rejects.toMatchObject({ code: 3, message: expect.stringContaining(`${A}.lock`) });
      expect(await values()).toEqual({});
    } finally {
      fs.rmSync(lock);
    }
  });
});

test('a name means the ref and everything below, and no other that begins alike', async () => {
  const below = [reviewOf('a', 1), reviewOf('a', 12)];
  for (const ref of [...below, reviewOf('ab', 1), seenOf('ab')]) repo.git('update-ref', ref, first);
  expect([...(await readRefs(gitDir, seenOf('a'))).keys()]).toEqual([]);
  expect(Object.fromEntries(await readRefs(gitDir, reviewOf('a'), seenOf('ab')))).toEqual(
    Object.fromEntries([...below, seenOf('ab')].map((ref) => [ref, first])),
  );
});

test('refs of every kind are read without git, symbolic and packed ones too', async () => {
  const names = ['refs/heads', 'refs/remotes', 'refs/notes', 'refs/replace', 'refs/tags'];
  repo.git('update-ref', 'refs/remotes/origin/main', first);
  repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
  repo.git('update-ref', 'refs/notes/commits', first);
  repo.git('tag', '-a', '-m', 'x', 'v1', first);
  repo.git('pack-refs', '--all');
  repo.git('update-ref', 'refs/heads/later', second);
  const asked = repo.git('for-each-ref', '--format=%(refname) %(objectname)', ...names).split('\n');
  const silent = { ...gitDir, project: () => Promise.reject(new Error('no git')) };
  const read = [...(await readRefs(silent, ...names))].map(([ref, id]) => `${ref} ${id}`);
  expect(read).toEqual(asked);
  repo.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/gone');
  await expect(readRefs(silent, ...names)).rejects.toThrow('no git');
});

test('commits by name, and who builds on whom', async () => {
  expect(await commitOf(gitDir, 'refs/heads/integration')).toBe(second);
  expect(await commitOf(gitDir, first.slice(0, 12))).toBe(first);
  expect(await commitOf(gitDir, 'refs/heads/none')).toBeUndefined();
  expect(await commitOf(gitDir, '--all')).toBeUndefined();
  expect(await commitOf(gitDir, repo.git('rev-parse', 'HEAD^{tree}'))).toBeUndefined();
  expect(await isAncestor(gitDir, first, second)).toBe(true);
  expect(await isAncestor(gitDir, second, first)).toBe(false);
  expect(await isAncestor(gitDir, '1'.repeat(40), first)).toBe(false);
});

type Change = Parameters<typeof updateRefs>[1][number];
