// A coder gets a task and its folder: fresh, kept or with a merge to resolve. Nobody's work is lost, nothing
// that Liza did not make is touched, and a claim that fails leaves nothing behind.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { leftoversIn } from '../../../src/git/scratch-folders.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { claimTask } from '../../../src/tasks/claim.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull, isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { approvedTask, type Project, type ProjectOptions, project, succeeded } from '../../support/project.ts';

let p: Project;

const read = (...parts: readonly string[]): string => fs.readFileSync(path.join(...parts), 'utf8');
const attempts = () => p.refs('refs/liza/attempts');
const EXPIRED = 301;

/** No trace of a task in git, on the disk or in a reservation. */
async function expectNothingLeft(task: string): Promise<void> {
  expect(fs.existsSync(p.folder(task))).toBe(false);
  expect(Object.keys(p.refs()).filter((ref) => ref.split('/').includes(task))).toEqual([]);
  expect(leftoversIn(p.context.disk, p.file('.worktrees'))).toEqual([]);
  expect(leftoversIn(p.context.disk, p.file('.git', 'liza'))).toEqual([]);
  expect(fs.existsSync(p.file('.git', 'worktrees', `liza-${task}`))).toBe(false);
  expect(await p.task(task)).toMatchObject({ status: 'UNCLAIMED' });
  expect(await p.task(task)).not.toHaveProperty('claiming');
}

/** What coder-2 works with in a process that dies at its n-th call of git: from then on nothing of it works. */
function dyingAt(of: Project, n: number) {
  let calls = 0;
  const isDead = (): boolean => calls >= n;
  const alive = <T>(call: () => T): T => {
    if (isDead()) throw new Error('killed');
    return call();
  };
  const whole = of.as('coder-2');
  const context = of.as('coder-2', {
    git: {
      ...whole.git,
      run: (...call) => {
        calls += 1;
        return alive(() => whole.git.run(...call));
      },
    },
    disk: new Proxy(whole.disk, {
      get: (disk, name) => {
        const value = Reflect.get(disk, name);
        return typeof value === 'function' && name !== 'closeSync'
          ? (...call: unknown[]) => alive(() => value.apply(disk, call))
          : value;
      },
    }),
    store: { ...whole.store, transact: (...call) => alive(() => whole.store.transact(...call)) },
  });
  return { context, isDead, calls: () => calls };
}

describe.each(isolations('clone'))('%s', (isolation) => {
  const start = (options: ProjectOptions = {}): Project => {
    p = project({ ...options, config: { isolation, ...options.config } });
    return p;
  };
  const status = (task = 't'): string => p.gitIn(p.folder(task), 'status', '--porcelain');
  const headIn = (task = 't'): string => p.gitIn(p.folder(task), 'rev-parse', 'HEAD');
  const seen = (task = 't'): string | undefined => p.refs('refs/liza/seen')[`refs/liza/seen/${task}`];

  test('fresh, from where integration is; again it is no news; another coder is refused', async () => {
    start();
    const base = await p.accepted({ 'new.txt': 'on integration\n' });
    const claimed = await p.claim('t');
    expect(claimed).toMatchObject({ folder: '.worktrees/t', base });
    expect(p.gitIn(p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
    expect(headIn()).toBe(base);
    expect(status()).toBe('');
    expect(read(p.folder('t', 'new.txt'))).toBe('on integration\n');
    expect(fs.existsSync(p.file('new.txt'))).toBe(false); // the root is on main
    expect(p.git('status', '--porcelain')).toBe('');
    const expected = { 'refs/liza/seen/t': base, ...(isolation === 'worktree' ? { 'refs/heads/task/t': base } : {}) };
    expect({ ...p.refs('refs/liza'), ...p.refs('refs/heads/task') }).toEqual(expected);
    expect(p.git('worktree', 'list').split('\n')).toHaveLength(isolation === 'worktree' ? 2 : 1);
    expect(p.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
    expect(p.git('fsck', '--no-dangling')).toBe('');
    const task = await p.task('t');
    expect(task).toMatchObject({
      status: 'CLAIMED',
      assigned_to: 'coder-1',
      worktree: '.worktrees/t',
      base_commit: base,
      iteration: 1,
      epoch: 1,
      lease_expires: '2026-03-01T09:05:00Z',
    });
    expect(task).not.toHaveProperty('claiming');
    expect(await p.last('t', 'claimed')).toMatchObject({ agent: 'coder-1', start_commit: base });

    write(p.folder('t'), { 'work.txt': 'mine\n' });
    expect(await p.claim('t')).toMatchObject({ already: true, base, folder: '.worktrees/t' });
    expect((await p.task('t')).epoch).toBe(1);
    expect(await claimTask(p.as('coder-2'), 't', 'coder-2')).toMatchObject({
      ok: false,
      code: 1,
      message: expect.stringContaining('coder-1 holds t'),
    });
    expect(read(p.folder('t', 'work.txt'))).toBe('mine\n');
    // A commit as an agent makes it, under the person's name.
    p.gitIn(p.folder('t'), 'commit', '-q', '--allow-empty', '-m', 'work');
    const made = headIn();
    expect(p.gitIn(p.folder('t'), 'show', '-s', '--format=%an %P', made)).toBe(`Person ${base}`);
  });

  test('rejected: its coder keeps folder and commits; once that one is gone, another starts fresh', async () => {
    start();
    const base = p.head();
    const commit = await p.submitted('t');
    await p.reject('t');
    expect(await claimTask(p.as('coder-2'), 't', 'coder-2')).toMatchObject({
      message: expect.stringContaining('reserved for coder-1'),
    });
    await p.claim('t');
    expect(await p.task('t')).toMatchObject({ iteration: 2, base_commit: base, assigned_to: 'coder-1' });
    expect(await p.last('t', 'claimed')).toMatchObject({ start_commit: commit, iteration: 2 });
    expect(headIn()).toBe(commit);
    expect(await p.begin('t')).toMatchObject({ ok: true });
    const second = p.work('t', { 'src/app.ts': 'second\n' });
    succeeded(await p.submit('t', second));
    await p.reject('t');

    // Gone, and something lies there that was never committed.
    write(p.folder('t'), { 'src/app.ts': 'uncommitted\n', 'notes.txt': 'untracked\n' });
    p.pass(EXPIRED);
    await p.claim('t', 'coder-2');
    expect(await p.task('t')).toMatchObject({ iteration: 1, assigned_to: 'coder-2', base_commit: base });
    expect(headIn()).toBe(base);
    expect(status()).toBe('');
    expect(seen()).toBe(base);
    const kept = attempts()['refs/liza/attempts/t/1'];
    expect(p.git('show', `${kept}:notes.txt`)).toBe('untracked');
    expect(p.git('show', `${kept}:src/app.ts`)).toBe('uncommitted');
    expect(p.git('merge-base', '--is-ancestor', second, kept ?? '')).toBe('');
    expect(p.said.filter((line) => !/^(validation of| {2}green, )/.test(line))).toEqual([
      'the old work is kept as refs/liza/attempts/t/1',
    ]);
  });

  test('takeover: fresh: a lease that ran out, the same coder keeps all, another gets a fresh folder', async () => {
    start({ config: { takeover: 'fresh' } });
    const base = p.head();
    await p.begun('t');
    const commit = p.work('t');
    write(p.folder('t'), { 'notes.txt': 'uncommitted\n' });
    expect(await claimTask(p.as('coder-2'), 't', 'coder-2')).toMatchObject({ ok: false });
    p.pass(EXPIRED);
    await p.claim('t');
    expect(await p.task('t')).toMatchObject({ iteration: 1, epoch: 2, assigned_to: 'coder-1' });
    expect([headIn(), status(), seen()]).toEqual([commit, '?? notes.txt', commit]);
    // The iteration goes on: its checkpoint counts, and its start is where it was.
    expect(await p.last('t', 'claimed')).toMatchObject({ takeover: true, start_commit: base });

    p.pass(EXPIRED);
    await p.claim('t', 'coder-2');
    expect(await p.task('t')).toMatchObject({ iteration: 1, epoch: 3, assigned_to: 'coder-2' });
    expect([headIn(), status()]).toEqual([base, '']);
    const kept = attempts()['refs/liza/attempts/t/1'];
    expect(p.git('show', `${kept}:notes.txt`)).toBe('uncommitted');
    expect(p.git('rev-parse', `${kept}^`)).toBe(commit);
    // The name of the former work is told, and resolves where the next coder is.
    expect(await p.last('t', 'claimed')).toMatchObject({ fresh: true, former: 'refs/liza/attempts/t/1' });
    expect(p.gitIn(p.folder('t'), 'show', 'refs/liza/attempts/t/1:notes.txt')).toBe('uncommitted');
  });

  describe('another coder takes over', () => {
    /** Begun, one commit, then files of every kind that nobody committed; the lease is past. */
    async function left(config: ProjectOptions['config'] = {}): Promise<string> {
      start({ config: { ...config } });
      fs.appendFileSync(p.file('.git', 'info', 'exclude'), '*.log\n');
      await p.begun('t', 'coder-1', ['src/', 'test/', 'run.sh', 'notes.txt', 'link']);
      const commit = p.work('t', { 'src/app.ts': 'mine\n', 'src/old.ts': 'old\n', 'run.sh': 'echo\n' });
      write(p.folder('t'), { 'src/app.ts': 'half\n', 'notes.txt': 'untracked\n', 'built.log': 'ignored\n' });
      fs.rmSync(p.folder('t', 'src/old.ts'));
      fs.chmodSync(p.folder('t', 'run.sh'), 0o755);
      fs.symlinkSync('notes.txt', p.folder('t', 'link'));
      p.pass(EXPIRED);
      return commit;
    }
    const files = [' M run.sh', ' M src/app.ts', ' D src/old.ts', '?? link', '?? notes.txt'].join('\n');

    test('with commits and uncommitted files, in a new folder; branch, iteration and checkpoint go on', async () => {
      const commit = await left();
      const base = p.head();
      p.gitIn(p.folder('t'), 'config', 'alias.planted', '!touch planted');
      const before = fs.statSync(p.folder('t')).ino;
      expect(await p.claim('t', 'coder-2')).toMatchObject({ kept: true, continued: true });
      expect(fs.statSync(p.folder('t')).ino).not.toBe(before);
      expect(p.gitIn(p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
      expect([headIn(), status(), seen()]).toEqual([commit, files, commit]);
      expect(read(p.folder('t', 'src/app.ts'))).toBe('half\n');
      expect(fs.readlinkSync(p.folder('t', 'link'))).toBe('notes.txt');
      // Ignored files stay behind, and in a clone its agent's configuration does, too.
      expect(fs.existsSync(p.folder('t', 'built.log'))).toBe(false);
      if (isolation === 'clone') expect(() => p.gitIn(p.folder('t'), 'config', '--get', 'alias.planted')).toThrow();
      expect(await p.task('t')).toMatchObject({ assigned_to: 'coder-2', iteration: 1, epoch: 2 });
      expect(await p.last('t', 'claimed')).toMatchObject({ takeover: true, start_commit: base });
      expect(p.refs('refs/liza/saved')).toEqual({});
      // No second checkpoint is asked for.
      succeeded(await p.submit('t', p.work('t', { 'test/app.test.ts': 'x\n' }), 'coder-2'));
    });

    test.runIf(inFull)('and the same again: nothing is lost by being taken over twice (in test:all)', async () => {
      const commit = await left();
      await p.claim('t', 'coder-2');
      p.pass(EXPIRED);
      await p.claim('t', 'coder-3');
      expect([headIn(), status()]).toEqual([commit, files]);
    });

    test('its folder is gone: it continues from the last commit that was seen', async () => {
      start();
      await p.begun('t');
      const commit = p.work('t');
      expect(await p.submit('t', '0'.repeat(40))).toMatchObject({ ok: false }); // refused, but seen
      p.pass(EXPIRED);
      fs.rmSync(p.folder('t'), { recursive: true });
      await p.claim('t', 'coder-2');
      expect([headIn(), status()]).toEqual([commit, '']);
    });

    // Some of the calls; test/sweep/git.mjs kills at all of them.
    test.runIf(inFull)(
      'killed at a call of git: the next claim, or reconcile and then its own coder, has all of it (in test:all)',
      async () => {
        await left();
        const whole = dyingAt(p, Number.POSITIVE_INFINITY);
        succeeded(await claimTask(whole.context, 't', 'coder-2'));
        const shares = inFull ? [0.25, 0.4, 0.55, 0.7, 0.85] : [0.4, 0.7];
        const points = shares.map((share) => Math.ceil(whole.calls() * share));
        for (const [n, at] of points.entries()) {
          const commit = await left();
          const killed = dyingAt(p, at);
          await expect(claimTask(killed.context, 't', 'coder-2')).rejects.toThrow();
          expect(killed.isDead()).toBe(true);
          const back = n % 2 === 1;
          if (back) {
            const process = (await p.task('t')).claiming?.process;
            if (process !== undefined) await p.run(undefined, { name: 'release-reservation', task: 't', process });
            succeeded(await reconcile(p.as()));
          }
          await p.claim('t', back ? 'coder-1' : 'coder-2');
          expect({ at, head: headIn(), status: status() }).toEqual({ at, head: commit, status: files });
          expect(p.refs('refs/liza/saved')).toEqual({});
        }
      },
      240_000,
    );

    test('code from before any checkpoint is kept and named, and the iteration begins where it began', async () => {
      start();
      const base = p.head();
      await p.claim('t');
      const early = p.work('t');
      write(p.folder('t'), { 'notes.txt': 'untracked\n' });
      p.pass(EXPIRED);
      await p.claim('t', 'coder-2');
      expect([headIn(), status()]).toEqual([base, '']);
      const former = 'refs/liza/attempts/t/1';
      expect(await p.last('t', 'claimed')).toMatchObject({ takeover: true, former });
      expect(p.gitIn(p.folder('t'), 'show', `${former}:notes.txt`)).toBe('untracked');
      expect(p.gitIn(p.folder('t'), 'merge-base', '--is-ancestor', early, former)).toBe('');
      expect(await p.begin('t', 'coder-2')).toMatchObject({ ok: true });
    });

    test.runIf(inFull)(
      'a merge that is half resolved comes along: what was resolved, and that it is a merge (in test:all)',
      async () => {
        const other = { 'src/app.ts': 'other\n', 'test/other.test.ts': 'other\n' };
        start({ tasks: (made) => ['t', approvedTask(made, 'other', other)] });
        const commit = await p.approved('t', { 'src/app.ts': 'mine\n', 'test/app.test.ts': 'mine\n' });
        succeeded(await p.merge('other'));
        await p.merge('t');
        const integration = p.head();
        await p.claim('t', 'coder-3');
        expect(await p.begin('t', 'coder-3')).toMatchObject({ ok: true });
        write(p.folder('t'), { 'src/app.ts': 'both\n' });
        p.pass(EXPIRED);
        expect(await p.claim('t', 'coder-1')).toMatchObject({ base: integration, conflicts: ['src/app.ts'] });
        expect(headIn()).toBe(commit);
        expect(p.gitIn(p.folder('t'), 'rev-parse', 'MERGE_HEAD')).toBe(integration);
        expect(read(p.folder('t', 'src/app.ts'))).toBe('both\n');
        const fixed = p.work('t', { 'test/app.test.ts': 'fixed\n' });
        expect(p.gitIn(p.folder('t'), 'show', '-s', '--format=%P', fixed)).toBe(`${commit} ${integration}`);
        expect(await p.submit('t', fixed, 'coder-1')).toMatchObject({ ok: true });
      },
    );
  });

  test('blocked and unblocked with its worktree: the next coder goes on in it', async () => {
    start();
    await p.begun('t');
    const commit = p.work('t');
    await p.run('coder-1', { name: 'block', task: 't', reason: 'which limit?', questions: ['How many?'] });
    await p.run(undefined, {
      name: 'unblock',
      task: 't',
      withdraw: 'the spec says it now',
      keep_worktree: true,
      facts: { spec_exists: true },
    });
    await p.claim('t', 'coder-2');
    expect([headIn(), status()]).toEqual([commit, '']);
    expect(attempts()).toEqual({});
    expect(await p.task('t')).toMatchObject({ assigned_to: 'coder-2', iteration: 1 });
    expect(await p.last('t', 'claimed')).toMatchObject({ start_commit: commit });
    expect(await p.begin('t', 'coder-2')).toMatchObject({ ok: true });

    // Without that word everything begins anew.
    await p.run('coder-2', { name: 'block', task: 't', reason: 'which limit?', questions: ['How many?'] });
    await p.run(undefined, {
      name: 'unblock',
      task: 't',
      changes: { done_when: 'the other test passes' },
      facts: { spec_exists: true },
    });
    await p.claim('t', 'coder-3');
    expect(headIn()).toBe(p.head());
    expect(Object.values(attempts())).toHaveLength(1);
  });

  test('a conflict is laid out, counts as the beginning, and must be concluded before the submission', async () => {
    const other = { 'src/app.ts': 'other\n', 'test/other.test.ts': 'other\n' };
    start({ tasks: (made) => ['t', approvedTask(made, 'other', other)] });
    const commit = await p.approved('t', { 'src/app.ts': 'mine\n', 'test/app.test.ts': 'mine\n' });
    succeeded(await p.merge('other'));
    expect(await p.merge('t')).toMatchObject(refusedBy('conflict', { code: 3 }));
    const integration = p.head();
    const claimed = await p.claim('t', 'coder-3');
    expect(claimed).toMatchObject({ base: integration, conflicts: ['src/app.ts'] });
    expect(await p.task('t')).toMatchObject({ integration_fix: true, iteration: 2, base_commit: integration });
    expect(headIn()).toBe(commit);
    expect(status()).toBe('UU src/app.ts\nA  test/other.test.ts');
    expect(p.gitIn(p.folder('t'), 'rev-parse', 'MERGE_HEAD')).toBe(integration);
    expect(read(p.folder('t', 'src/app.ts'))).toMatch(/^<<<<<<< .*\nmine\n=======\nother\n>>>>>>> .*\n$/);

    // Not begun yet, its session ended: the same coder finds it as it was.
    p.pass(EXPIRED);
    await p.claim('t', 'coder-3');
    expect(status()).toBe('UU src/app.ts\nA  test/other.test.ts');
    // Given to another: the approved work and its conflict, not a fresh start.
    p.pass(EXPIRED);
    await p.claim('t', 'coder-1');
    expect(headIn()).toBe(commit);
    expect(status()).toBe('UU src/app.ts\nA  test/other.test.ts');
    p.work('t', { 'src/app.ts': 'half done\n' });
    p.pass(EXPIRED);
    expect(await p.claim('t', 'coder-3')).toMatchObject({ base: integration, conflicts: ['src/app.ts'] });
    expect(headIn()).toBe(commit);
    expect(status()).toBe('UU src/app.ts\nA  test/other.test.ts');
    expect(Object.values(attempts())).toHaveLength(1);
    expect(await p.begin('t', 'coder-3')).toMatchObject({ ok: true });
    expect(await p.submit('t', 'HEAD', 'coder-3')).toMatchObject({ message: expect.stringContaining('not concluded') });
    const fixed = p.work('t', { 'src/app.ts': 'both\n' });
    expect(p.gitIn(p.folder('t'), 'show', '-s', '--format=%P', fixed)).toBe(`${commit} ${integration}`);
    expect(await p.submit('t', fixed, 'coder-3')).toMatchObject({ ok: true });
    if (isolation === 'clone') return;
    await p.approve('t');
    // By first parents the branch must stay itself: the fix has it as its second.
    expect(await p.merge('t')).toMatchObject({ how: 'merge' });
    expect(p.git('show', 'integration:src/app.ts')).toBe('both');
    expect(fs.existsSync(p.folder('t'))).toBe(false);
  });

  test('its folder is gone: it comes back at the last commit that was seen', async () => {
    start();
    await p.begun('t');
    const commit = p.work('t');
    expect(await p.submit('t', '0'.repeat(40))).toMatchObject({ ok: false }); // refused, but seen
    fs.rmSync(p.folder('t'), { recursive: true });
    expect(await claimTask(p.as('coder-1'), 't', 'coder-1')).toMatchObject({
      code: 3,
      message: 'coder-1 holds t, but its folder .worktrees/t is not usable',
    });
    p.pass(EXPIRED);
    await p.claim('t');
    expect([headIn(), status(), seen()]).toEqual([commit, '', commit]);
    expect(await p.task('t')).toMatchObject({ iteration: 1, epoch: 2 });
    expect(p.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
  });

  test('its .git is gone: no git there finds the project instead, and no file is lost', async () => {
    start();
    await p.claim('t');
    const commit = p.work('t');
    await p.begin('t'); // refused, but seen
    write(p.folder('t'), { 'notes.txt': 'uncommitted\n' });
    fs.rmSync(p.folder('t', '.git'), { recursive: true });
    p.pass(EXPIRED);
    await p.claim('t');
    expect(p.gitIn(p.folder('t'), 'rev-parse', '--show-toplevel')).toBe(p.folder('t'));
    expect(p.gitIn(p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
    expect(headIn()).toBe(commit);
    const kept = attempts()['refs/liza/attempts/t/1'];
    const notes = fs.existsSync(p.folder('t', 'notes.txt'))
      ? read(p.folder('t', 'notes.txt')).trim()
      : p.git('show', `${kept}:notes.txt`);
    expect(notes).toBe('uncommitted');
  });

  test('a repository of its agent’s own in its place: another coder gets a clean start all the same', async () => {
    start();
    await p.claim('t');
    fs.rmSync(p.folder('t', '.git'), { recursive: true });
    p.gitIn(p.folder('t'), 'init', '-q', '-b', 'elsewhere');
    const own = p.work('t', { 'own.txt': 'own\n' });
    p.pass(EXPIRED);
    await p.claim('t', 'coder-2');
    expect([headIn(), status()]).toEqual([p.head(), '']);
    expect(p.gitIn(p.folder('t'), 'symbolic-ref', 'HEAD')).toBe('refs/heads/task/t');
    expect(p.git('merge-base', '--is-ancestor', own, attempts()['refs/liza/attempts/t/1'] ?? '')).toBe('');
    expect(p.git('worktree', 'prune', '--dry-run', '--verbose')).toBe('');
  });

  test('a link where the folder should be is refused, and what it leads to stays', async () => {
    start({ tasks: ['t', 'u'] });
    const elsewhere = path.join(p.base, 'elsewhere');
    fs.mkdirSync(elsewhere);
    fs.writeFileSync(path.join(elsewhere, 'precious'), 'x');
    await p.claim('t');
    fs.rmSync(p.folder('t'), { recursive: true });
    fs.symlinkSync(elsewhere, p.folder('t'));
    p.pass(EXPIRED);
    for (const agent of ['coder-1', 'coder-2']) {
      expect(await claimTask(p.as(agent), 't', agent)).toMatchObject({
        code: 3,
        message: '.worktrees/t is a symbolic link, which could point outside the project',
      });
    }
    fs.rmSync(p.file('.worktrees'), { recursive: true });
    fs.symlinkSync(elsewhere, p.file('.worktrees'));
    expect(await claimTask(p.as('coder-2'), 'u', 'coder-2')).toMatchObject(refusedBy('link', { code: 3 }));
    expect(fs.readdirSync(elsewhere)).toEqual(['precious']);
    fs.rmSync(p.file('.worktrees'));
    fs.mkdirSync(p.file('.worktrees'));
    fs.writeFileSync(p.folder('u'), 'a file');
    expect(await claimTask(p.as('coder-2'), 'u', 'coder-2')).toMatchObject(refusedBy('link', { code: 3 }));
    expect(read(p.folder('u'))).toBe('a file');
  });

  describe('preparing', () => {
    test('the command’s failure leaves nothing behind and shows what it printed', async () => {
      start({ config: { post_worktree_cmd: 'echo making > made; echo "no network" >&2; exit 7' } });
      expect(await claimTask(p.as('coder-1'), 't', 'coder-1')).toMatchObject(
        refusedBy('post-worktree-cmd', {
          code: 3,
          message: expect.stringContaining('ended with 7'),
          lines: ['  no network'],
        }),
      );
      await expectNothingLeft('t');
      expect(p.said).toEqual([expect.stringContaining('preparing .worktrees/t')]);

      if (isolation === 'clone') return;

      // Halted meanwhile: what was made is taken back.
      await p.config({ post_worktree_cmd: `touch ${p.file('.liza', 'PAUSE')}` });
      expect(await claimTask(p.as('coder-1'), 't', 'coder-1')).toMatchObject(refusedBy('switches', { code: 1 }));
      await expectNothingLeft('t');
      fs.rmSync(p.file('.liza', 'PAUSE'));

      // Stopped by the person.
      await p.config({ post_worktree_cmd: 'sleep 100' });
      const hands = p.as('coder-1', { stop: () => AbortSignal.timeout(50) });
      expect(await claimTask(hands, 't', 'coder-1')).toMatchObject({
        code: 3,
        message: expect.stringContaining('stopped'),
      });
      await expectNothingLeft('t');
    });

    test('declared files are copied, are no change, and are no work to keep or to submit', async () => {
      start({
        config: { worktree_files: ['.env'], post_worktree_cmd: 'cat .env > copy.log; echo changed > README.md' },
      });
      fs.writeFileSync(p.file('.env'), 'SECRET=1\n');
      fs.appendFileSync(p.file('.git', 'info', 'exclude'), '*.log\n');
      await p.claim('t');
      expect(read(p.folder('t', 'copy.log'))).toBe('SECRET=1\n');
      expect(status()).toBe(' M README.md\n?? .env');
      // The command changed a tracked file: that is how the folder was handed over.
      expect(p.refs('refs/liza/baseline')).toHaveProperty('refs/liza/baseline/t');
      expect(await p.last('t', 'claimed')).toMatchObject({ baseline: expect.stringMatching(/^[0-9a-f]{40}$/) });
      write(p.folder('t'), { 'early.txt': 'x\n' });
      expect(await p.begin('t')).toMatchObject({
        message: 'begin t refused: these files are changed already: early.txt',
      });
      write(p.folder('t'), { 'early.txt': null });
      expect(await p.begin('t')).toMatchObject({ ok: true });
      p.gitIn(p.folder('t'), 'checkout', '-q', 'README.md');
      const leaking = p.work('t');
      expect(await p.submit('t', leaking)).toMatchObject(refusedBy('no-worktree-files'));
      p.gitIn(p.folder('t'), 'rm', '-q', '--cached', '.env');
      p.gitIn(p.folder('t'), 'commit', '-q', '--amend', '--no-edit');
      expect(status()).toBe('?? .env');
      expect(await p.submit('t')).toMatchObject({ ok: true });
      if (isolation === 'clone') return;

      // A newer one is copied for the next coder, and none is kept with the former work.
      await p.reject('t');
      p.pass(EXPIRED);
      fs.writeFileSync(p.file('.env'), 'SECRET=2\n');
      write(p.folder('t'), { 'src/app.ts': 'unfinished\n' });
      await p.claim('t', 'coder-2');
      expect(read(p.folder('t', '.env'))).toBe('SECRET=2\n');
      const kept = Object.entries(attempts()).filter(([, commit]) =>
        p.git('ls-tree', '-r', '--name-only', commit).includes('.env'),
      );
      // The commit with .env in it had been seen before it was amended; nothing else has it.
      expect(kept).toEqual([['refs/liza/attempts/t/1', expect.any(String)]]);
    });
  });
});

test.runIf(inFull)('a link that an agent made of its clone’s index is not written through (in test:all)', async () => {
  p = project({
    config: { isolation: 'clone' },
    files: { 'scripts/integration-test.sh': '! grep -q "app = 2" src/app.ts\n' },
  });
  const commit = await p.approved('t');
  expect(await p.merge('t')).toMatchObject({ code: 3 });
  await p.accepted({ 'newer.txt': 'x\n' });
  const victim = path.join(p.base, 'victim');
  fs.rmSync(p.folder('t', '.git', 'index'));
  fs.symlinkSync(victim, p.folder('t', '.git', 'index'));
  await p.claim('t', 'coder-2');
  expect(fs.existsSync(victim)).toBe(false);
  expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(commit);
  expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('A  newer.txt');
});

test('a holder that is provably dead is followed at once', async () => {
  p = project();
  const { state } = await p.claim('t');
  const child = spawn('sleep', ['100'], { stdio: 'ignore' });
  const epoch = state.tasks[0]?.epoch ?? 0;
  await p.store.renew({ agent: 'coder-1', task: 't', epoch, seconds: 300, pid: child.pid ?? 0 });
  expect(await claimTask(p.as('coder-2'), 't', 'coder-2')).toMatchObject({ ok: false });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await p.claim('t', 'coder-2')).toMatchObject({ folder: '.worktrees/t' });
});

test('a reservation of a process that is gone is taken over', async () => {
  p = project();
  const process = `${read('/proc/sys/kernel/random/boot_id').trim()}/999999999/1`;
  await p.run('coder-1', { name: 'reserve-claim', task: 't', agent: 'coder-1', process });
  expect(await p.claim('t', 'coder-2')).toMatchObject({ folder: '.worktrees/t' });
  expect(await p.task('t')).toMatchObject({ assigned_to: 'coder-2' });
});

test('a setting that changed meanwhile: a folder stays what it is until it is made anew', async () => {
  p = project({ config: { isolation: 'worktree' } });
  await p.claim('t');
  const commit = p.work('t');
  await p.config({ isolation: 'clone' });
  p.pass(EXPIRED);
  await p.claim('t');
  expect(fs.statSync(p.folder('t', '.git')).isFile()).toBe(true);
  p.pass(EXPIRED);
  await p.claim('t', 'coder-2');
  expect(fs.statSync(p.folder('t', '.git')).isDirectory()).toBe(true);
  expect(p.refs('refs/heads/task')).toEqual({});
  expect(p.git('merge-base', '--is-ancestor', commit, attempts()['refs/liza/attempts/t/1'] ?? '')).toBe('');
  p.pass(EXPIRED);
  await p.config({ isolation: 'worktree' });
  await p.claim('t', 'coder-3');
  expect(fs.statSync(p.folder('t', '.git')).isFile()).toBe(true);
});

test('two at once: one gets it, the other touches nothing', async () => {
  p = project();
  const [one, two] = await Promise.all(['coder-1', 'coder-2'].map((agent) => claimTask(p.as(agent), 't', agent)));
  const winner = one !== undefined && 'folder' in one ? 'coder-1' : 'coder-2';
  expect([one, two].filter((outcome) => outcome !== undefined && 'folder' in outcome)).toHaveLength(1);
  expect(await p.task('t')).toMatchObject({ status: 'CLAIMED', assigned_to: winner, epoch: 1 });
  expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('');
  expect(attempts()).toEqual({});
});

test('what Liza did not make is refused and stays: a folder, a branch, branches below its name', async () => {
  p = project({ tasks: ['folder', 'branch', 'below', 'used'] });
  const main = p.head('main');
  write(p.folder('folder'), { 'mine.txt': 'x\n' });
  p.git('branch', 'task/branch');
  p.git('branch', 'task/below/mine');
  const claims = await Promise.all(
    ['folder', 'branch', 'below'].map((task, at) => claimTask(p.as(`coder-${at + 1}`), task, `coder-${at + 1}`)),
  );
  expect(claims.map((claim) => 'code' in claim && [claim.code, claim.guard])).toEqual<[number, RefusalName][]>([
    [3, 'foreign'],
    [3, 'foreign'],
    [3, 'foreign'],
  ]);
  expect(read(p.folder('folder', 'mine.txt'))).toBe('x\n');
  expect(p.refs('refs/heads/task')).toEqual({ 'refs/heads/task/below/mine': main, 'refs/heads/task/branch': main });
  expect(p.refs('refs/liza')).toEqual({});
  expect(await p.task('folder')).not.toHaveProperty('claiming');

  // A person looks at the task's branch in a worktree of their own.
  await p.claim('used');
  fs.rmSync(p.folder('used'), { recursive: true });
  p.git('worktree', 'prune');
  p.git('worktree', 'add', '-q', path.join(p.base, 'looking'), 'task/used');
  p.pass(EXPIRED);
  expect(await claimTask(p.as('coder-2'), 'used', 'coder-2')).toMatchObject(refusedBy('branch-in-use', { code: 3 }));
  expect(p.gitIn(path.join(p.base, 'looking'), 'status', '--porcelain')).toBe('');
});

test('a red integration test is fixed where it failed, from the approved commit', async () => {
  p = project({ files: { 'scripts/integration-test.sh': 'grep -q good src/app.ts\n', 'src/app.ts': 'good\n' } });
  const commit = await p.approved('t', { 'src/app.ts': 'bad\n', 'test/app.test.ts': 'x\n' });
  expect(await p.merge('t')).toMatchObject(refusedBy('integration-test', { code: 3 }));
  // What somebody did there since the submission is put away.
  write(p.folder('t'), { 'left.txt': 'x\n' });
  expect(await p.claim('t')).toMatchObject({ conflicts: [] });
  expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(commit);
  expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('');
  expect(p.git('show', 'refs/liza/attempts/t/1:left.txt')).toBe('x');
  expect(await p.last('t', 'claimed')).toMatchObject({ start_commit: commit, iteration: 2 });
  succeeded(await p.begin('t'));
  succeeded(await p.submit('t', p.work('t', { 'src/app.ts': 'good again\n' })));
  await p.approve('t');
  expect(await p.merge('t')).toMatchObject({ how: 'fast-forward' });
});
