// The life of a task where an exchange is set: what is where before a row names it, what waits when the exchange is away,
// and what becomes of a merge that was cut off.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import type { Config } from '../../../src/protocol/state.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { type Bare, bareRepository } from '../../support/exchange.ts';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';
import { INTEGRATION } from '../../support/repository.ts';

const NAMES = { review: 'refs/liza/review/t/1', fence: 'refs/liza/fence/t/2' };

function shared(config: Partial<Config> = {}): { readonly bare: Bare; readonly p: Project } {
  const bare = bareRepository();
  const p = project({
    tasks: (made) => [approvedTask(made, 't', { 'a.txt': 'a\n' }), 'u'],
    config: { exchange: bare.path, ...config },
  });
  return { bare, p };
}

test('a submitted commit is at the exchange before the board names it', async () => {
  const { bare, p } = shared();
  const commit = await p.submitted('u');
  expect(bare.refs()).toEqual({ 'refs/liza/review/u/1': commit });
  expect((await p.task('u')).status).toBe('READY_FOR_REVIEW');
});

test('without the exchange a submission waits, and the same command goes through later', async () => {
  const { bare, p } = shared();
  await p.begun('u');
  const commit = p.work('u');
  fs.renameSync(bare.path, `${bare.path}.away`);
  const refused = await p.submit('u', commit);
  expect(refused).toMatchObject({ ok: false, guard: 'exchange-refused' });
  expect((await p.task('u')).status).toBe('CLAIMED');
  fs.renameSync(`${bare.path}.away`, bare.path);
  succeeded(await p.submit('u', commit));
  expect(bare.refs()).toEqual({ 'refs/liza/review/u/1': commit });
});

test('a number that another host gave to its pin is not taken from it', async () => {
  const { bare, p } = shared();
  p.git('push', '--quiet', bare.path, `${p.head()}:refs/liza/review/u/1`);
  const commit = await p.submitted('u');
  expect(bare.refs()).toEqual({ 'refs/liza/review/u/1': p.head(), 'refs/liza/review/u/2': commit });
});

test('a merge moves the branch at the exchange and here', async () => {
  const { bare, p } = shared();
  const { commit } = succeeded(await p.merge('t'));
  expect(p.head()).toBe(commit);
  expect(bare.refs()).toEqual({ [INTEGRATION]: commit, [NAMES.fence]: commit });
  expect(await p.task('t')).toMatchObject({ status: 'MERGED', merge_commit: commit });
});

test('without the exchange nothing moves anywhere, and the merge goes on when it is back', async () => {
  const { bare, p } = shared();
  const before = p.head();
  fs.renameSync(bare.path, `${bare.path}.away`);
  expect(await p.merge('t')).toMatchObject({ ok: false, guard: 'exchange-refused' });
  expect([p.head(), (await p.task('t')).status]).toEqual([before, 'APPROVED']);
  fs.renameSync(`${bare.path}.away`, bare.path);
  succeeded(await p.merge('t'));
  expect(bare.refs()[INTEGRATION]).toBe(p.head());
});

test('a branch that somebody else moved at the exchange stops merges until a person has looked', async () => {
  const { bare, p } = shared();
  p.git('branch', 'other', 'integration');
  const other = p.commitTo('other', { 'o.txt': 'o\n' });
  p.git('push', '--quiet', bare.path, `${other}:${INTEGRATION}`);
  expect(await p.merge('t')).toMatchObject({ ok: false, guard: 'exchange-moved' });
  expect(bare.refs()).toEqual({ [INTEGRATION]: other });
  expect((await p.task('t')).status).toBe('APPROVED');
});

test('an exchange that is behind is brought to where the board is by the next merge', async () => {
  const { bare, p } = shared();
  p.git('push', '--quiet', bare.path, `integration:${INTEGRATION}`);
  await p.accepted({ 'p.txt': 'p\n' });
  const { commit } = succeeded(await p.merge('t'));
  expect(bare.refs()[INTEGRATION]).toBe(commit);
});

test('a merge that moves between its test and its landing is tried again on what is there', async () => {
  const { bare, p } = shared({ test_command: 'true' });
  p.git('push', '--quiet', bare.path, `integration:${INTEGRATION}`);
  p.git('branch', 'other', 'integration');
  const other = p.commitTo('other', { 'o.txt': 'o\n' });
  p.git('push', '--quiet', bare.path, `${other}:refs/heads/other`);
  // The server lets another push come first.
  bare.hook(
    'pre-receive',
    `grep -q ${INTEGRATION} || exit 0
[ -e stop ] && exit 0; touch stop
env -u GIT_QUARANTINE_PATH git update-ref ${INTEGRATION} ${other}`,
  );
  expect(await p.merge('t')).toMatchObject({ ok: false, guard: 'exchange-stale' });
  expect(bare.refs()[INTEGRATION]).toBe(other);
  expect(await p.task('t')).toMatchObject({ status: 'APPROVED' });
  expect((await p.task('t')).merging).toBeUndefined();
});

test('a reviewer on another machine gets the commit when it is not here', async () => {
  const { bare, p } = shared();
  const commit = await p.submitted('u');
  // As on a machine that never had it.
  const folder = p.folder('u');
  p.git('worktree', 'remove', '--force', folder);
  p.git('branch', '-D', 'task/u');
  for (const ref of Object.keys(p.refs('refs/liza'))) p.git('update-ref', '-d', ref);
  p.git('reflog', 'expire', '--expire=now', '--all');
  p.git('gc', '--quiet', '--prune=now');
  expect(() => p.git('cat-file', '-e', commit)).toThrow();
  const claimed = succeeded(await claimReview(p.as('code-reviewer-1'), 'u', 'code-reviewer-1'));
  expect(claimed.commit).toBe(commit);
  expect(p.git('cat-file', '-t', commit)).toBe('commit');
  expect(bare.refs()['refs/liza/review/u/1']).toBe(commit);
});

test('reconcile sends what waited, and takes away what nobody needs', async () => {
  const { bare, p } = shared();
  succeeded(await p.merge('t'));
  const kept = p.head();
  p.git('update-ref', 'refs/liza/attempts/u/1', kept);
  const mended = await reconcile(p.as());
  expect(mended).toContainEqual(expect.objectContaining({ subject: 'exchange', done: expect.stringContaining('sent') }));
  const refs = Object.keys(bare.refs('refs/liza'));
  expect(refs).toContain('refs/liza/attempts/u/1');
  expect(refs).not.toContain(NAMES.fence);
});
