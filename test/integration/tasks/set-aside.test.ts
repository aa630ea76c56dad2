// `begin --set-aside`: what came before the checkpoint is kept, the folder goes back, the checkpoint is recorded, and
// the printed lines bring the work back in the very folder. Real git; by the verb, as an agent types it.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { setAside } from '../../../src/tasks/set-aside.ts';
import { write } from '../../support/core.mjs';
import { type Project, project, START, succeeded } from '../../support/project.ts';
import { sessionsAt } from '../../unit/cli/fixtures.ts';

const CHECKPOINT = [
  ...['--intent', 'change it', '--risks', 'none', '--validation', 'npm test: passes'],
  ...['--file', 'src/app.ts', '--file', 'test/app.test.ts'],
];

describe.each(['worktree', 'clone'] as const)('%s', (isolation) => {
  let p: Project;
  const gitIn = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
  const begin = (...more: readonly string[]) => p.liza(['begin', 't', ...CHECKPOINT, ...more], { as: 'coder-1' });
  const start = async (config: object = {}): Promise<string> => {
    p = project({ config: { isolation, ...config } });
    await p.claim('t');
    return gitIn('rev-parse', 'HEAD');
  };
  const commandIn = (stdout: string, word: string): readonly string[] =>
    (new RegExp(`git ${word} [^\\n]*`).exec(stdout)?.[0] ?? '').split(' ').slice(1);
  const kept = () => p.refs('refs/liza/attempts/t');

  test('commits, changed, deleted and new files are kept; the folder goes back; the checkpoint counts; the lines bring all of it back', async () => {
    const base = await start();
    const early = p.work('t', { 'src/early.ts': 'early\n' }, 'too early');
    write(p.folder('t'), { 'README.md': 'changed\n', 'notes/new file.txt': 'mine\n', 'test/app.test.ts': null });
    const refused = await begin();
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--set-aside') });

    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0 });
    expect(await p.last('t', 'pre_execution_checkpoint')).toMatchObject({ head: base });
    expect(gitIn('rev-parse', 'HEAD')).toBe(base);
    expect(gitIn('rev-parse', '--abbrev-ref', 'HEAD')).toBe('task/t');
    expect(gitIn('status', '--porcelain')).toBe('');
    expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('hello\n');

    expect(Object.keys(kept())).toEqual(['refs/liza/attempts/t/1']);
    expect(done.stdout).toContain(`kept as ${kept()['refs/liza/attempts/t/1']} with 3 files`);
    gitIn(...commandIn(done.stdout, 'checkout'));
    expect(fs.readFileSync(p.folder('t', 'notes/new file.txt'), 'utf8')).toBe('mine\n');
    expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('changed\n');
    gitIn('reset', '-q', '--hard');
    gitIn(...commandIn(done.stdout, 'cherry-pick'));
    expect(gitIn('log', '-1', '--format=%s')).toBe('too early');
    expect(gitIn('rev-parse', 'HEAD^{tree}')).toBe(gitIn('rev-parse', `${early}^{tree}`));
  });

  test('after a rebase before the checkpoint the way back is the rebase, not the commits of others', async () => {
    const base = await start();
    p.work('t', { 'src/early.ts': 'early\n' }, 'mine');
    const theirs = await p.accepted({ 'src/theirs.ts': 'theirs\n' }, 'theirs');
    gitIn('fetch', '-q', p.root, theirs);
    gitIn('rebase', '-q', theirs);
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`git rebase ${theirs}`) });
    expect(done.stdout).not.toContain('cherry-pick');
    expect(gitIn('rev-parse', 'HEAD')).toBe(base);
  });

  test('liza attempts tells an agent commit ids, which resolve in its folder, and a person the refs', async () => {
    await start();
    p.work('t', { 'src/early.ts': 'early\n' });
    await begin('--set-aside');
    const { credential } = openSession(
      sessionsAt(p.root),
      { agent: 'coder-1', role: 'coder', task: 't', epoch: 1, pid: process.pid },
      START,
    );
    const told = await p.liza(['attempts', 't'], { env: { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: credential } });
    const commands = [...told.stdout.matchAll(/git (.*)$/gm)].map(([, words = '']) => words.split(' '));
    expect(commands.length).toBeGreaterThan(2);
    for (const words of commands) gitIn(...words);
    expect(fs.existsSync(p.folder('t', 'src/early.ts'))).toBe(true);
    expect((await p.liza(['attempts', 't'])).stdout).toContain('git show --stat refs/liza/attempts/t/1');
  });

  test('each time under a ref of its own: what was put aside before stays where it was said to be', async () => {
    await start();
    const first = p.work('t', { 'src/early.ts': 'first\n' }, 'first');
    const one = await begin('--set-aside');
    succeeded(await p.submit('t', p.work('t')));
    await p.reject('t');
    await p.claim('t');
    const second = p.work('t', { 'src/early.ts': 'second\n' }, 'second');
    const two = await begin('--set-aside');
    expect(two).toMatchObject({ code: 0 });
    expect(Object.keys(kept())).toEqual(['refs/liza/attempts/t/1', 'refs/liza/attempts/t/2']);
    for (const [ran, n] of [[one, 1] as const, [two, 2] as const])
      expect(ran.stdout).toContain(`kept as ${kept()[`refs/liza/attempts/t/${n}`]}`);
    for (const [commit, n] of [[first, 1] as const, [second, 2] as const])
      expect(p.git('merge-base', '--is-ancestor', commit, `refs/liza/attempts/t/${n}`)).toBe('');
    gitIn(...commandIn(two.stdout, 'checkout'));
    expect(fs.readFileSync(p.folder('t', 'src/early.ts'), 'utf8')).toBe('second\n');
  });

  test('on another branch, or on none, it goes back to the task’s branch', async () => {
    const base = await start();
    gitIn('checkout', '-q', '--detach');
    const stray = p.work('t', { 'src/early.ts': 'early\n' });
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    expect(gitIn('rev-parse', '--abbrev-ref', 'HEAD')).toBe('task/t');
    expect(gitIn('rev-parse', 'HEAD')).toBe(base);
    expect(p.git('cat-file', '-t', stray)).toBe('commit');
    succeeded(await p.submit('t', p.work('t')));
  });

  test('what a set-up made and what is ignored stays', async () => {
    await start({ post_worktree_cmd: 'echo made > made.txt; echo out > .gitignored; echo .gitignored > .gitignore' });
    write(p.folder('t'), { 'src/early.ts': 'early\n', 'made.txt': 'spoilt\n' });
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    expect(fs.readFileSync(p.folder('t', 'made.txt'), 'utf8')).toBe('made\n');
    expect(fs.existsSync(p.folder('t', '.gitignored'))).toBe(true);
    expect(fs.existsSync(p.folder('t', 'src/early.ts'))).toBe(false);
  });

  test('with nothing to put aside it is a plain begin', async () => {
    await start();
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0, stdout: expect.not.stringContaining('kept') });
    expect(kept()).toEqual({});
  });

  test('a checkpoint that would be refused anyway moves nothing', async () => {
    await start();
    write(p.folder('t'), { 'src/early.ts': 'early\n' });
    const ran = await p.liza(['begin', 't', ...CHECKPOINT, '--set-aside'], { as: 'coder-2' });
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('held by coder-1') });
    expect(fs.existsSync(p.folder('t', 'src/early.ts'))).toBe(true);
    expect(kept()).toEqual({});
  });

  test('a laid-out merge is not put aside: the hint is block', async () => {
    await start();
    const task = await p.task('t');
    const context = p.as('coder-1');
    const fixing = { ...task, integration_fix: true };
    const store = {
      ...context.store,
      read: async () => {
        const seen = await context.store.read();
        return { ...seen, board: { ...seen.board, state: { ...seen.board.state, tasks: [fixing] } } };
      },
    };
    write(p.folder('t'), { 'src/early.ts': 'early\n' });
    expect(await setAside({ ...context, store }, 't')).toMatchObject({
      ok: false,
      hint: expect.stringContaining('liza block t'),
    });
    expect(fs.existsSync(path.join(p.folder('t'), 'src/early.ts'))).toBe(true);
  });
});
