// The text of a file at a commit: git is asked once for what cannot change, and each time where a name could mean another commit later.

import { expect, test } from 'vitest';
import { textAt } from '../../../src/git/text-at.ts';
import { repository } from '../../support/repository.ts';

test('git is asked once for a file of a commit, there or not, and each time by a short name', async () => {
  const repo = repository({ branch: 'integration' });
  const first = repo.commit({ 'a.txt': 'one\n' });
  const real = await repo.gitDir();
  let asked = 0;
  const counting: typeof real = {
    ...real,
    objects: (...call) => {
      asked += 1;
      return real.objects(...call);
    },
  };
  const calls = async (commit: string, path: string): Promise<readonly [string | undefined, number]> => {
    asked = 0;
    return [await textAt(counting, commit, path), asked];
  };
  expect([await calls(first, 'a.txt'), await calls(first, 'a.txt')]).toEqual([
    ['one\n', 2],
    ['one\n', 0],
  ]);
  expect([await calls(first, 'none.txt'), await calls(first, 'none.txt')]).toEqual([
    [undefined, 1],
    [undefined, 0],
  ]);
  const short = first.slice(0, 12);
  expect([await calls(short, 'a.txt'), await calls(short, 'a.txt')]).toEqual([
    ['one\n', 2],
    ['one\n', 2],
  ]);
});
