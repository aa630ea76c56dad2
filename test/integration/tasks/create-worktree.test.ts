// `wt create`: the folder of a claimed task, made again where it was or anew from integration.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createWorktree } from '../../../src/tasks/create-worktree.ts';
import { refusedBy } from '../../refused-by.ts';
import { isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

describe.each(isolations('clone'))('%s', (isolation) => {
  const headIn = (): string => p.gitIn(p.folder('t'), 'rev-parse', 'HEAD');
  const status = (): string => p.gitIn(p.folder('t'), 'status', '--porcelain');

  test('there: nothing to do; gone: as it was seen last; fresh: from integration, the work kept', async () => {
    p = project({ config: { isolation } });
    const base = p.head();
    await p.begun('t');
    const commit = p.work('t');
    await p.submit('t', '0'.repeat(40)); // refused, but seen
    write(p.folder('t'), { 'notes.txt': 'uncommitted\n' });
    expect(await createWorktree(p.as('coder-1'), 't', false)).toEqual({ folder: '.worktrees/t', start: commit });
    expect(status()).toBe('?? notes.txt');

    fs.rmSync(p.folder('t'), { recursive: true });
    expect(await createWorktree(p.as('coder-1'), 't', false)).toMatchObject({ start: commit });
    expect([headIn(), status()]).toEqual([commit, '']);
    // In mid-iteration: base, start and checkpoint are what they were.
    expect(await p.task('t')).toMatchObject({ base_commit: base, iteration: 1 });
    expect(await p.last('t', 'worktree_created')).toMatchObject({ start_commit: base });

    // Preparing fails: where the work was is not forgotten.
    await p.config({ post_worktree_cmd: 'exit 9' });
    fs.rmSync(p.folder('t'), { recursive: true });
    expect(await createWorktree(p.as('coder-1'), 't', false)).toMatchObject(
      refusedBy('post-worktree-cmd', { code: 3 }),
    );
    expect(fs.existsSync(p.folder('t'))).toBe(false);
    await p.config({ post_worktree_cmd: null });
    expect(await createWorktree(p.as('coder-1'), 't', false)).toMatchObject({ start: commit });
    expect(headIn()).toBe(commit);

    const integration = await p.accepted({ 'newer.txt': 'x\n' });
    write(p.folder('t'), { 'notes.txt': 'uncommitted again\n' });
    const fresh = succeeded(await createWorktree(p.as(), 't', true));
    expect(fresh).toMatchObject({ start: integration, kept: 'refs/liza/attempts/t/1' });
    expect([headIn(), status()]).toEqual([integration, '']);
    expect(p.git('show', 'refs/liza/attempts/t/1:notes.txt')).toBe('uncommitted again');
    expect(await p.task('t')).toMatchObject({ base_commit: integration, status: 'CLAIMED', assigned_to: 'coder-1' });
    expect(p.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
  });
});

test('only for a claimed task, and by whoever may', async () => {
  p = project();
  expect(await createWorktree(p.as(), 't', false)).toMatchObject(refusedBy('state'));
  await p.claim('t');
  expect(await createWorktree(p.as('coder-2'), 't', true)).toMatchObject(refusedBy('own-task'));
  expect(await createWorktree(p.as(), 'none', false)).toMatchObject(refusedBy('task-exists'));
});
