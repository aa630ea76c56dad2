// Folders that are used again, through the life of tasks: they come and go with claims, proofs and merges, doctor and
// reconcile know them, and deinit leaves none.

import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { findTrouble } from '../../../src/tasks/find-mismatches.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { onDisk, testOnDisk as test, ways } from '../../runs.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

onDisk();

const MANY = Object.fromEntries(Array.from({ length: 520 }, (_, n) => [`lib/d${n % 13}/f${n}.txt`, `line ${n}\n`]));

const pools = (p: Project): readonly string[] =>
  fs
    .readdirSync(p.file('.worktrees'))
    .flatMap((name) => /^\.pool-(task|proof)-/.exec(name)?.[1] ?? [])
    .sort();

test.each(ways(['worktree', 'clone'] as const))(
  '%s: one task’s folder serves the next, and proofs have theirs',
  async (isolation) => {
    const p = project({ tasks: ['t', 'u'], files: MANY, config: { isolation } });
    await p.approved('t');
    expect(pools(p)).toEqual(['proof']);
    fs.writeFileSync(p.folder('t', 'planted.js'), 'planted\n');
    fs.writeFileSync(p.folder('t', 'lib/d3/.git'), 'gitdir: /elsewhere\n');
    succeeded(await p.merge('t'));
    expect(pools(p)).toEqual(['proof', 'task']);
    expect(await findTrouble(p.as())).toEqual([]);
    expect(await reconcile(p.as())).toEqual([]);

    await p.claim('u');
    expect(pools(p)).toEqual(['proof']);
    expect(p.gitIn(p.folder('u'), 'status', '--porcelain', '--ignored')).toBe('');
    expect(p.gitIn(p.folder('u'), 'rev-parse', 'HEAD')).toBe(p.head());
    expect(fs.readdirSync(p.folder('u', 'lib/d3'))).not.toContain('.git');
    expect(fs.existsSync(p.folder('u', 'planted.js'))).toBe(false);

    const records = p.file('.git', 'liza', 'pool');
    for (const name of fs.readdirSync(records)) if (name.startsWith('proof-')) fs.rmSync(path.join(records, name));
    const told = { subject: 'folders', problem: 'folders that were kept to be used again, and will not be' };
    expect(await findTrouble(p.as())).toEqual([told]);
    expect(await reconcile(p.as())).toEqual([{ ...told, done: 'removed 1' }]);
    expect(pools(p)).toEqual([]);
  },
);

test('deinit leaves no such folder', async () => {
  const p = project({ files: MANY, config: { isolation: 'clone' } });
  await p.claim('t');
  await p.run(undefined, { name: 'release-claim', task: 't' });
  await p.ok(['doctor', '--fix']);
  expect(pools(p)).toEqual(['task']);
  p.pass(3600);
  await p.ok(['deinit', '--purge', '--yes']);
  expect(fs.existsSync(p.file('.worktrees'))).toBe(false);
  expect(fs.existsSync(p.file('.git', 'liza'))).toBe(false);
});
