// What a real set-up says of itself while it runs: its attempts are counted, with the reason of each.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkSetup } from '../../../src/tasks/check-setup.ts';
import { setupRunsNow } from '../../../src/tasks/setup-runs.ts';
import { project } from '../../support/project.ts';

test('which attempt it is, and why, until it works', async () => {
  const p = project();
  const seen = path.join(p.base, 'seen');
  const command = `cat ${p.root}/.liza/cache/setup-runs/*.json >> ${seen}; echo >> ${seen}`;
  const said: string[] = [];
  const context = { ...p.as(undefined), say: (line: string) => void said.push(line.replace(/^.*?: /, '')) };
  await p.config({ post_worktree_cmd: `${command}; false` });
  await checkSetup(context);
  await checkSetup(context);
  expect((await p.state()).goal.setup_failures).toMatchObject([{ tries: 2 }]);
  await p.config({ post_worktree_cmd: command });
  expect(await checkSetup(context)).toMatchObject({ setup: 'works' });
  expect(said).toEqual([
    `${command}; false`,
    `${command}; false (attempt 2: the last one failed)`,
    `${command} (attempt 3: a setting changed)`,
  ]);
  const told = fs
    .readFileSync(seen, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(told).toMatchObject([
    { part: 'check', command: `${command}; false`, attempt: 1 },
    { attempt: 2, why: 'the last one failed' },
    { attempt: 3, why: 'a setting changed' },
  ]);
  expect(setupRunsNow(context)).toEqual([]);
});
