// Many questions about ancestors, answered from one reading of the history, as git answers each of them.

import { expect, test } from 'vitest';
import { buildingOn } from '../../../src/git/ancestry.ts';
import { isAncestor } from '../../../src/git/reach.ts';

import { type Project, project } from '../../support/project.ts';

let p: Project;

test('the same answers as git’s own, without a process for each', async () => {
  p = project({});
  const tree = p.git('rev-parse', 'HEAD^{tree}');
  const make = (n: number, ...parents: readonly string[]) =>
    p.git('commit-tree', tree, ...parents.flatMap((one) => ['-p', one]), '-m', `c${n}`);
  const old = make(0);
  const since = make(1, old);
  const all = [old, since];
  // A line of merges, each of work that began a few merges before; and work that was never merged.
  for (let n = 2; n < 14; n += 2) {
    const work = make(n, all[Math.max(1, n - 4)] ?? since);
    all.push(work, make(n + 1, all[n - 1] ?? since, work));
  }
  all.push(make(20, since), make(21, old));
  const gitDir = await p.gitDir();
  const pairs = all.flatMap((older) => all.map((newer) => `${older}..${newer}`));
  const truth = new Set<string>();
  for (const pair of pairs) {
    const [older = '', newer = ''] = pair.split('..');
    if (await isAncestor(gitDir, older, newer)) truth.add(pair);
  }
  let asked = 0;
  const counting = {
    ...gitDir,
    objects: (...args: Parameters<typeof gitDir.objects>) => {
      asked += 1;
      return gitDir.objects(...args);
    },
  };
  expect(new Set(await buildingOn(counting, pairs, since))).toEqual(truth);
  // Only those that ask for what came before.
  expect(asked).toBeLessThanOrEqual(2 + 2 * all.length);
  expect(new Set(await buildingOn(gitDir, pairs.slice(0, 30), undefined))).toEqual(
    new Set(pairs.slice(0, 30).filter((pair) => truth.has(pair))),
  );
});
