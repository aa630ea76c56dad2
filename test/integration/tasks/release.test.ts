// A task is let go: the board says so first, then folder and branch are put away with everything in them kept.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { deleteWorktree, releaseClaim, tidy } from '../../../src/tasks/release.ts';
import { refusedBy } from '../../refused-by.ts';
import { isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;
const KEPT = 'refs/liza/attempts/t/1';

/** Only what is kept is left of the task. */
function expectPutAway(): void {
  expect(fs.existsSync(p.folder('t'))).toBe(false);
  expect(Object.keys(p.refs()).filter((ref) => ref.includes('/t') && !ref.startsWith('refs/liza/review'))).toEqual(
    Object.keys(p.refs('refs/liza/attempts')),
  );
  expect(p.git('worktree', 'list').split('\n')).toHaveLength(1);
  expect(fs.readdirSync(p.file('.liza', 'locks')).filter((name) => name === 't.lock')).toEqual([]);
}

describe.each(isolations('worktree'))('%s', (isolation) => {
  test('release-claim keeps commits and files; again there is nothing left to do', async () => {
    p = project({ config: { isolation } });
    await p.claim('t');
    const commit = p.work('t');
    write(p.folder('t'), { 'notes.txt': 'uncommitted\n' });
    const released = succeeded(await releaseClaim(p.as(), 't', 'it is stuck'));
    expect(released).toMatchObject({
      committed: { ok: true },
      attempt: { ref: KEPT, tip: commit, commits: 1, uncommitted: 1, agent: 'coder-1', why: 'its claim was released' },
    });
    expectPutAway();
    expect(p.git('show', `${KEPT}:notes.txt`)).toBe('uncommitted');
    expect(p.git('rev-parse', `${KEPT}^`)).toBe(commit);
    const task = await p.task('t');
    expect(task).toMatchObject({ status: 'UNCLAIMED' });
    expect(task).not.toHaveProperty('worktree');
    expect(await p.last('t', 'released')).toMatchObject({ reason: 'it is stuck' });
    expect(await releaseClaim(p.as(), 't', 'it is stuck')).toMatchObject({ committed: { already: true } });
    expect(Object.keys(p.refs('refs/liza/attempts'))).toEqual([KEPT]);
    // And it can be had again, from the beginning.
    await p.claim('t', 'coder-2');
    expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(p.head());
  });

  test('wt delete: not while somebody works there; of a rejected task once its coder is gone', async () => {
    p = project({ config: { isolation } });
    const commit = await p.submitted('t');
    for (const parts of ['in review', 'rejected']) {
      expect(await deleteWorktree(p.as(), 't')).toMatchObject({ ok: false, code: 1 });
      expect(fs.existsSync(p.folder('t', 'src', 'app.ts'))).toBe(true);
      if (parts === 'in review') await p.reject('t');
    }
    p.pass(301);
    expect(await deleteWorktree(p.as(), 't')).toMatchObject({ attempt: { tip: commit, commits: 1 } });
    expectPutAway();
    expect(await p.task('t')).toMatchObject({ status: 'REJECTED', review_commit: commit });
    expect(await deleteWorktree(p.as(), 't')).toMatchObject({ committed: { already: true } });
    // Its coder comes back: a fresh start, since there is nothing left to go on with.
    await p.claim('t');
    expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('');
  });
});

test('what is not worth keeping leaves no attempt; a task that has ended is tidied too', async () => {
  p = project({ tasks: ['t', 'u'] });
  await p.claim('t');
  expect(await releaseClaim(p.as('coder-1'), 't', undefined)).toEqual({ committed: expect.anything() });
  expectPutAway();
  expect(p.refs('refs/liza')).toEqual({});
  expect(await releaseClaim(p.as('coder-2'), 'none', undefined)).toMatchObject(refusedBy('task-exists'));

  // Leftovers of a merged task, as a kill before the tidying leaves them.
  await p.approved('u', { 'src/u.ts': 'u\n', 'test/u.test.ts': 'u\n' });
  fs.cpSync(p.folder('u'), path.join(p.base, 'saved'), { recursive: true });
  succeeded(await p.merge('u'));
  fs.renameSync(path.join(p.base, 'saved'), p.folder('u'));
  p.git('update-ref', 'refs/liza/seen/u', 'integration');
  write(p.folder('u'), { 'late.txt': 'late\n' });
  expect(await deleteWorktree(p.as(), 'u')).toMatchObject({ attempt: { ref: 'refs/liza/attempts/u/1' } });
  expect(p.git('show', 'refs/liza/attempts/u/1:late.txt')).toBe('late');
  expect(fs.existsSync(p.folder('u'))).toBe(false);
});

test('a folder that resists is told; the board stands', async () => {
  p = project();
  await p.claim('t');
  const elsewhere = path.join(p.base, 'elsewhere');
  fs.renameSync(p.folder('t'), elsewhere);
  fs.symlinkSync(elsewhere, p.folder('t'));
  expect(await releaseClaim(p.as(), 't', undefined)).toMatchObject({
    committed: { ok: true },
    left: refusedBy('link', { code: 3 }),
  });
  expect(await p.task('t')).toMatchObject({ status: 'UNCLAIMED' });
  expect(fs.existsSync(path.join(elsewhere, 'README.md'))).toBe(true);
});

test('a folder whose coder still lives stays, with all that is in it; it goes when that process has ended', async () => {
  p = project({ config: { isolation: 'clone' } });
  await p.claim('t');
  p.work('t');
  const agent = spawn('sleep', ['60']);
  const ended = new Promise((done) => agent.once('exit', done));
  const context = p.as();
  const opening = { agent: 'coder-1', role: 'coder', task: 't', pid: process.pid } as const;
  const session = openSession(context, opening, context.clock.now());
  session.begun(agent.pid ?? 0);
  // Its commands do not count any more, and its process is still there.
  session.ending(context.clock.now());
  const released = succeeded(await releaseClaim(context, 't', 'it is stuck'));
  expect(released).toMatchObject({ left: { guard: 'live-session' } });
  expect(fs.existsSync(p.folder('t', '.git'))).toBe(true);
  agent.kill('SIGKILL');
  await ended;
  expect(succeeded(await tidy(context, 't', 'it was released'))).toMatchObject({ attempt: { ref: KEPT } });
  expectPutAway();
});
