// The life of a task where an exchange is set: what is where before a row names it, what waits when the exchange is away,
// and what becomes of a merge that was cut off.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recordTip } from '../../../src/git/attempts.ts';
import { findPlace, isPlace } from '../../../src/git/task-folder.ts';
import { watchBranches } from '../../../src/identity/branch-watch.ts';
import { acceptIntegration, examineWork } from '../../../src/project/doctor-work.ts';
import type { Config } from '../../../src/protocol/state.ts';
import { claimTask } from '../../../src/tasks/claim.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { findTrouble } from '../../../src/tasks/find-mismatches.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { syncBase } from '../../../src/tasks/sync.ts';
import { type Bare, bareRepository } from '../../support/exchange.ts';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';
import { INTEGRATION } from '../../support/repository.ts';

const NAMES = { merging: 'refs/liza/merging/t', fence: 'refs/liza/fence/t/2' };

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
  expect(bare.refs()).toEqual({ [INTEGRATION]: commit, [NAMES.fence]: commit, [NAMES.merging]: commit });
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

test('a merge whose answer is lost stays announced, and is found where it landed', async () => {
  const { bare, p } = shared({ exchange: undefined });
  const file = `${p.base}/how`;
  fs.writeFileSync(file, 'well');
  const ssh = `${process.execPath} ${path.join(import.meta.dirname, 'flaky-ssh.cjs')}`;
  const env = { ...p.env, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh', FLAKY_SSH: file };
  const by = p.as('code-reviewer-1', { env });
  // The list and the mark get through, the landing does what the file says by then.
  await p.config({ exchange: `near:${bare.path}`, test_command: `echo lost > ${file}`, sandbox: 'off' });
  const before = p.head();
  expect(await p.merge('t', {}, by)).toMatchObject({ ok: false, guard: 'exchange-unreachable' });
  expect(p.head()).toBe(before);
  const { merging } = await p.task('t');
  expect(bare.refs()[INTEGRATION]).toBe(merging?.candidate);
  fs.writeFileSync(file, 'well');
  const merged = succeeded(await p.merge('t', {}, by));
  expect([p.head(), merged.commit]).toEqual([merging?.candidate, merging?.candidate]);
  expect((await p.task('t')).status).toBe('MERGED');
}, 60_000);

test('a branch that moves at the exchange while the test runs: tried again on what is there', async () => {
  const { bare, p } = shared({ sandbox: 'off' });
  p.git('push', '--quiet', bare.path, `integration:${INTEGRATION}`);
  p.git('branch', 'other', 'integration');
  const other = p.commitTo('other', { 'o.txt': 'o\n' });
  p.git('push', '--quiet', bare.path, `${other}:refs/heads/other`);
  await p.config({ test_command: `git -C ${bare.path} update-ref ${INTEGRATION} ${other}` });
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

/** As on a host that another one was quicker than: its branch is where it was, and the new commits never came. */
async function leftBehind(p: Project): Promise<string> {
  const before = p.head('integration~1');
  const head = p.head();
  p.git('update-ref', INTEGRATION, before);
  for (const ref of Object.keys(p.refs('refs/liza'))) p.git('update-ref', '-d', ref);
  p.git('reflog', 'expire', '--expire=now', '--all');
  p.git('gc', '--quiet', '--prune=now');
  expect(() => p.git('cat-file', '-e', head)).toThrow();
  return head;
}

test('a host that was left behind has nothing wrong with it, and follows', async () => {
  const { p } = shared();
  succeeded(await p.merge('t'));
  const head = await leftBehind(p);
  expect(succeeded(await findTrouble(p.as()))).toEqual([]);
  expect(await watchBranches(p.as()).look()).toEqual([]);
  succeeded(await reconcile(p.as()));
  expect(p.head()).toBe(head);
  expect((await p.state()).goal.integration_moved).toBeUndefined();
});

test('a host that was left behind builds on what the others merged: a claim', async () => {
  const { p } = shared();
  succeeded(await p.merge('t'));
  const head = await leftBehind(p);
  const { base } = await p.claim('u');
  expect(base).toBe(head);
});

test('a host that was left behind builds on what the others merged: a merge, with its checkout', async () => {
  const bare = bareRepository();
  const p = project({
    tasks: (made) => [approvedTask(made, 't', { 'a.txt': 'a\n' }), approvedTask(made, 'v', { 'v.txt': 'v\n' })],
    config: { exchange: bare.path },
  });
  p.git('push', '--quiet', bare.path, 'refs/liza/*:refs/liza/*');
  succeeded(await p.merge('t'));
  const head = await leftBehind(p);
  const beside = `${p.base}/beside`;
  p.git('worktree', 'add', '--quiet', beside, 'integration');
  const { commit } = succeeded(await p.merge('v'));
  expect(p.git('rev-parse', `${commit}^1`)).toBe(head);
  expect([p.head(), bare.refs()[INTEGRATION]]).toEqual([commit, commit]);
  expect(p.gitIn(beside, 'status', '--porcelain')).toBe('');
  expect(fs.readdirSync(beside)).toEqual(expect.arrayContaining(['a.txt', 'v.txt']));
});

test('work that a dead host had sent is continued here', async () => {
  const { bare, p } = shared();
  await p.begun('u');
  const commit = p.work('u', { 'src/app.ts': 'export const app = 3;\n' });
  p.pass(1);
  await recordSeen(p, 'u');
  expect(bare.refs()['refs/liza/tips/u/1']).toBe(commit);
  p.git('worktree', 'remove', '--force', p.folder('u'));
  p.git('branch', '-D', 'task/u');
  for (const ref of Object.keys(p.refs('refs/liza'))) p.git('update-ref', '-d', ref);
  p.git('reflog', 'expire', '--expire=now', '--all');
  p.git('gc', '--quiet', '--prune=now');
  p.pass(1000);
  const claimed = succeeded(await claimTask(p.as('coder-2'), 'u', 'coder-2'));
  expect(claimed.continued).toBe(true);
  expect(p.gitIn(p.folder('u'), 'rev-parse', 'HEAD')).toBe(commit);
});

/** As a heartbeat does, and the crew's next offer. */
async function recordSeen(p: Project, task: string): Promise<void> {
  const gitDir = await p.gitDir({ integration: INTEGRATION });
  const place = findPlace(gitDir, task);
  if (!isPlace(place)) throw new Error('no folder');
  await recordTip(gitDir, place, { task, why: 'test', leaveOut: [], integration: p.head() });
  await reconcile(p.as());
}

test('a sync moves the branch at the exchange, too', async () => {
  const { bare, p } = shared({ base_branch: 'main' });
  p.commitTo('main', { 'm.txt': 'm\n' });
  const synced = succeeded(await syncBase(p.as(), { withUnreviewed: false }));
  expect(synced.how).toBe('fast-forward');
  expect([p.head(), bare.refs()[INTEGRATION]]).toEqual([p.head('main'), p.head('main')]);
});

test('a branch that moved at the exchange is accepted by a person, and merges go on from there', async () => {
  const { bare, p } = shared();
  p.git('push', '--quiet', bare.path, `integration:${INTEGRATION}`);
  p.git('branch', 'other', 'integration');
  const other = p.commitTo('other', { 'o.txt': 'o\n' });
  p.git('push', '--quiet', bare.path, `${other}:${INTEGRATION}`);
  expect(await p.merge('t')).toMatchObject({ guard: 'exchange-moved', hint: expect.stringContaining('doctor') });
  expect(succeeded(await acceptIntegration(p.as())).head).toBe(other);
  const { commit } = succeeded(await p.merge('t'));
  expect(p.git('rev-parse', `${commit}^1`)).toBe(other);
  expect(bare.refs()[INTEGRATION]).toBe(commit);
});

test('doctor says whether the exchange is reached', async () => {
  const { bare, p } = shared();
  expect(await examineWork(p.as(), false)).toContainEqual(
    expect.objectContaining({ check: 'exchange', level: 'ok', message: expect.stringContaining('is reached') }),
  );
  fs.renameSync(bare.path, `${bare.path}.away`);
  expect(await examineWork(p.as(), false)).toContainEqual(
    expect.objectContaining({ check: 'exchange', level: 'broken', remedy: expect.stringContaining('git init --bare') }),
  );
});

test('reconcile sends what waited, and takes away what nobody needs', async () => {
  const { bare, p } = shared();
  succeeded(await p.merge('t'));
  const kept = p.head();
  p.git('update-ref', 'refs/liza/attempts/u/1', kept);
  const mended = await reconcile(p.as());
  expect(mended).toContainEqual(
    expect.objectContaining({ subject: 'exchange', done: expect.stringContaining('sent') }),
  );
  const refs = Object.keys(bare.refs('refs/liza'));
  expect(refs).toContain('refs/liza/attempts/u/1');
  expect(refs).not.toContain(NAMES.fence);
  expect(refs).not.toContain(NAMES.merging);
});
