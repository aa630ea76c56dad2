// `begin --set-aside`: what came before the checkpoint is kept, the folder goes back, the checkpoint is recorded, and
// the printed lines bring the work back in the very folder. Real git; by the verb, as an agent types it.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import { setAside } from '../../../src/tasks/set-aside.ts';
import { isolations } from '../../runs.ts';
import { write } from '../../support/core.mjs';
import { type Project, project, START, succeeded } from '../../support/project.ts';
import { sessionsAt } from '../../unit/cli/fixtures.ts';

const CHECKPOINT = [
  ...['--intent', 'change the app', '--risks', 'none', '--validation', 'npm test: passes'],
  ...['--file', 'src/app.ts', '--file', 'test/app.test.ts'],
];

describe.each(isolations('clone'))('%s', (isolation) => {
  let p: Project;
  const gitIn = (...args: readonly string[]): string => p.gitIn(p.folder('t'), ...args);
  const begin = (...more: readonly string[]) => p.liza(['begin', 't', ...CHECKPOINT, ...more], { as: 'coder-1' });
  const start = async (config: object = {}): Promise<string> => {
    p = project({ config: { isolation, ...config } });
    await p.claim('t');
    return gitIn('rev-parse', 'HEAD');
  };
  const commandIn = (stdout: string, word: string): readonly string[] =>
    (new RegExp(`git ${word}[^\\n]*`).exec(stdout)?.[0] ?? '').split(' ').slice(1);
  const wayBack = (stdout: string): readonly string[] => commandIn(stdout, 'cherry-pick --no-commit');
  /** Paths, modes and contents, committed or not. */
  const filesOf = (): string => {
    gitIn('add', '--all');
    return gitIn('write-tree');
  };
  const sessionOf = (agent: string, epoch: number): string =>
    openSession(sessionsAt(p.root), { agent, role: 'coder', task: 't', epoch, pid: process.pid }, START).credential;
  const kept = () => p.refs('refs/liza/attempts/t');

  test('a plan that lacks something is refused with the whole command again, --set-aside included', async () => {
    await start();
    p.work('t', { 'src/early.ts': 'early\n' }, 'too early');
    const vague = CHECKPOINT.map((word, at) => (CHECKPOINT[at - 1] === '--validation' ? 'tests pass' : word));
    const { stderr } = await p.liza(['begin', 't', ...vague, '--set-aside'], { as: 'coder-1' });
    expect(stderr).toMatch(/liza begin t .*--set-aside/s);
    expect(kept()).toEqual({});
  });

  test('folders that become empty go, at any depth; one with other files, or with ignored ones, stays', async () => {
    p = project({ config: { isolation }, files: { '.gitignore': '*.log\n' } });
    await p.claim('t');
    p.work('t', { 'made/by/commit.ts': 'early\n' }, 'too early');
    write(p.folder('t'), { 'lib/deep/er/a.ts': 'a\n', 'lib/b.ts': 'b\n', 'src/new/c.ts': 'c\n' });
    write(p.folder('t'), { 'logs/a.log': 'kept\n', 'logs/d.ts': 'd\n' });
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    expect(['made', 'lib', 'src/new'].filter((one) => fs.existsSync(p.folder('t', one)))).toEqual([]);
    expect(fs.readdirSync(p.folder('t', 'src'))).toEqual(['app.ts']);
    expect(fs.readdirSync(p.folder('t', 'logs'))).toEqual(['a.log']);
    expect(gitIn('status', '--porcelain')).toBe('');
  });

  test('commits that amend one before the start are not offered to be picked: only the way that works', async () => {
    await start();
    gitIn('commit', '--quiet', '--amend', '--allow-empty', '--message', 'amended');
    p.work('t', { 'src/early.ts': 'early\n' }, 'too early');
    const { code, stdout } = await begin('--set-aside');
    expect(code).toBe(0);
    expect(stdout).not.toContain('Or its commits');
    gitIn(...wayBack(stdout));
    expect(fs.readFileSync(p.folder('t', 'src/early.ts'), 'utf8')).toBe('early\n');
  });

  test('files that only a list which goes too ignores are not lost: refused, and nothing is changed', async () => {
    await start();
    write(p.folder('t'), { 'src/pkg/.gitignore': 'data/\n.env\n', 'src/pkg/a.ts': 'a\n' });
    write(p.folder('t'), { 'src/pkg/data/results.db': 'an hour of work\n', 'src/pkg/.env': 'A=1\n' });
    const refused = await begin('--set-aside');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('src/pkg/.env, src/pkg/data/') });
    expect(refused.stderr).toContain('src/pkg/.gitignore would be set aside');
    expect(fs.readFileSync(p.folder('t', 'src/pkg/data/results.db'), 'utf8')).toBe('an hour of work\n');
    expect(kept()).toEqual({});
    fs.renameSync(p.folder('t', 'src/pkg/data'), path.join(p.root, '..', `${path.basename(p.root)}-data`));
    fs.rmSync(p.folder('t', 'src/pkg/.env'));
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    expect(gitIn('status', '--porcelain', '--ignored')).toBe('');
  });

  test('a list at the top that was changed is one, too', async () => {
    p = project({ config: { isolation }, files: { '.gitignore': '*.log\n' } });
    await p.claim('t');
    write(p.folder('t'), {
      '.gitignore': '*.log\nbuilt/\n',
      'lib/built/x.js': 'x\n',
      'lib/a.log': 'a\n',
      'lib/b.ts': 'b\n',
    });
    const refused = await begin('--set-aside');
    expect(refused.stderr).toContain('any more: lib/built/\n');
    fs.rmSync(p.folder('t', 'lib/built'), { recursive: true });
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    expect(fs.readdirSync(p.folder('t', 'lib'))).toEqual(['a.log']);
  });

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
    expect(fs.existsSync(p.folder('t', 'notes'))).toBe(false);

    expect(Object.keys(kept())).toEqual(['refs/liza/attempts/t/1']);
    expect(done.stdout).toContain('kept as refs/liza/attempts/t/1, with 3 files');
    gitIn(...wayBack(done.stdout));
    expect(fs.existsSync(p.folder('t', 'test/app.test.ts'))).toBe(false);
    expect(fs.readFileSync(p.folder('t', 'notes/new file.txt'), 'utf8')).toBe('mine\n');
    expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('changed\n');
    gitIn('reset', '-q', '--hard');
    gitIn(...commandIn(done.stdout, `cherry-pick ${base}`));
    expect(gitIn('log', '-1', '--format=%s')).toBe('too early');
    expect(gitIn('rev-parse', 'HEAD^{tree}')).toBe(gitIn('rev-parse', `${early}^{tree}`));
  });

  const submit = (commit: string) => p.liza(['submit-for-review', 't', commit], { as: 'coder-1' });

  test('the commit that begin refused is refused after reset, begin and reset back; committed anew it is taken, and told', async () => {
    const base = await start();
    const early = p.work(
      't',
      { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' },
      'too early',
    );
    expect(await begin()).toMatchObject({ code: 1 });
    gitIn('reset', '-q', '--hard', base);
    expect(await begin()).toMatchObject({ code: 0 });
    gitIn('reset', '-q', '--hard', early);
    const refused = await submit(early);
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${early} was made before the checkpoint`),
    });
    expect(refused.stderr).toContain(`git reset --soft ${base}`);
    // Nor with another on top of it.
    const later = p.work('t', { 'src/app.ts': 'export const app = 3;\n' }, 'on top');
    expect((await submit(later)).stderr).toContain(`${early} was made before the checkpoint`);
    gitIn('reset', '-q', '--soft', base);
    gitIn('commit', '-q', '-m', 'anew');
    expect(await submit(gitIn('rev-parse', 'HEAD'))).toMatchObject({ code: 0 });
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({ brought_back: { paths: ['test/app.test.ts'] } });
    expect((await p.ok(['show', 't'])).stdout).toMatch(/as they were before the checkpoint.*: test\/app\.test\.ts/);
  });

  test('what was set aside and brought back by the printed line is taken; the reviewer is told of it', async () => {
    await start();
    p.work('t', { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' }, 'too early');
    const done = await begin('--set-aside');
    gitIn(...wayBack(done.stdout));
    gitIn('commit', '-q', '-m', 'as planned');
    expect(await submit(gitIn('rev-parse', 'HEAD'))).toMatchObject({ code: 0 });
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({
      brought_back: { paths: ['src/app.ts', 'test/app.test.ts'] },
    });
  });

  test('what was set aside and written anew is one line for the reviewer', async () => {
    await start();
    p.work('t', { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' }, 'too early');
    expect(await begin('--set-aside')).toMatchObject({ code: 0 });
    p.work('t', { 'src/app.ts': 'export const app = 3;\n', 'test/app.test.ts': 'test(3);\n' }, 'as planned');
    expect(await submit(gitIn('rev-parse', 'HEAD'))).toMatchObject({ code: 0 });
    const diff = (await p.last('t', 'submitted'))?.['diff'];
    expect(diff).toMatchObject({ put_aside: { paths: [expect.stringMatching(/^[0-9a-f]{12}$/)] } });
    expect(diff).not.toHaveProperty('brought_back');
  });

  test('a commit that Liza never saw and that is dated between claim and checkpoint is told', async () => {
    const base = await start();
    const dated = { ...process.env, GIT_COMMITTER_DATE: new Date(START + 30_000).toISOString() };
    write(p.folder('t'), { 'src/app.ts': 'export const app = 2;\n', 'test/app.test.ts': 'test(2);\n' });
    gitIn('add', '--all');
    execFileSync('git', ['-C', p.folder('t'), 'commit', '-q', '-m', 'unseen'], { env: dated });
    const unseen = gitIn('rev-parse', 'HEAD');
    gitIn('reset', '-q', '--hard', base);
    p.pass(60);
    expect(await begin()).toMatchObject({ code: 0 });
    gitIn('reset', '-q', '--hard', unseen);
    expect(await submit(unseen)).toMatchObject({ code: 0 });
    expect((await p.last('t', 'submitted'))?.['diff']).toMatchObject({ dated_before: { paths: [unseen] } });
  });

  test('after a rebase before the checkpoint the way back is the rebase, not the commits of others', async () => {
    const base = await start();
    p.work('t', { 'src/early.ts': 'early\n' }, 'mine');
    const theirs = await p.accepted({ 'src/theirs.ts': 'theirs\n' }, 'theirs');
    gitIn('fetch', '-q', p.root, theirs);
    gitIn('rebase', '-q', theirs);
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`git rebase ${theirs}`) });
    expect(gitIn('rev-parse', 'HEAD')).toBe(base);
    // Its own change alone, with the rebase or without.
    gitIn(...wayBack(done.stdout));
    expect(gitIn('diff', '--cached', '--name-only')).toBe('src/early.ts');
    gitIn('reset', '-q', '--hard');
    gitIn('rebase', '-q', theirs);
    gitIn(...wayBack(done.stdout));
    expect(gitIn('diff', '--cached', '--name-only')).toBe('src/early.ts');
  });

  test('a rebase of rejected work before the checkpoint: its copy, which the rebase brings anyway, is no part of the way back', async () => {
    p = project({ config: { isolation } });
    await p.submitted('t');
    await p.reject('t');
    await p.claim('t');
    const theirs = await p.accepted({ 'src/theirs.ts': 'theirs\n' }, 'theirs');
    gitIn('fetch', '-q', p.root, theirs);
    gitIn('rebase', '-q', theirs);
    p.work('t', { 'src/app.ts': 'two\n' }, 'the rework');
    const files = filesOf();
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining(`git rebase ${theirs}`) });
    gitIn(...commandIn(done.stdout, 'rebase'));
    gitIn(...wayBack(done.stdout));
    expect(filesOf()).toBe(files);
    gitIn('reset', '-q', '--hard');
    gitIn(...commandIn(done.stdout, 'cherry-pick [0-9a-f]'));
    expect(filesOf()).toBe(files);
  });

  test('of a rebase alone, before the checkpoint, that is said, and after the reset how to rebase', async () => {
    const base = await start();
    const newer = await p.accepted({ 'src/other.ts': 'other\n' }, 'theirs');
    gitIn('fetch', '-q', p.root, newer);
    gitIn('rebase', '-q', newer);
    const refused = await begin();
    expect(refused.stderr).toContain(
      `HEAD is ${newer}, a commit of the integration branch, but this iteration starts at`,
    );
    expect(refused.stderr).not.toContain('the code came before');
    expect(refused.stderr).toContain('--set-aside puts the folder back');
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0 });
    expect(gitIn('rev-parse', 'HEAD')).toBe(base);
    expect(done.stdout).toContain('you had only rebased onto the integration branch');
    gitIn(...commandIn(done.stdout, 'rebase'));
    expect(gitIn('rev-parse', 'HEAD')).toBe(newer);
    expect(kept()).toEqual({});
  });

  test('a hint that names begin carries --set-aside where something came before it', async () => {
    await start();
    const vague = CHECKPOINT.map((word, at) => (CHECKPOINT[at - 1] === '--validation' ? 'tests pass' : word));
    const told = async (): Promise<string> => (await p.liza(['begin', 't', ...vague], { as: 'coder-1' })).stderr;
    expect(await told()).not.toContain('--set-aside');
    write(p.folder('t'), { 'README.md': 'changed\n' });
    expect(await told()).toMatch(/Give it.*liza begin t .*--set-aside/s);
    p.work('t', { 'src/early.ts': 'early\n' }, 'too early');
    expect(await told()).toMatch(/Give it.*liza begin t .*--set-aside/s);
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: sessionOf('coder-1', 1) };
    const other = await p.liza(['submit-verdict', 't', 'APPROVED'], { env });
    expect(other.stderr).toMatch(/Next: liza begin t .*--set-aside/);
  });

  test('the way back restores added, deleted, renamed, binary, linked and mode-changed files exactly, committed or not', async () => {
    await start();
    const dir = p.folder('t');
    p.work('t', { 'bin/tool.sh': 'echo\n', 'old/name.txt': 'one\ntwo\nthree\n', 'src/goes.ts': 'goes\n' }, 'early');
    gitIn('mv', 'src/app.ts', 'src/renamed.ts');
    gitIn('rm', '-q', 'README.md');
    gitIn('commit', '-q', '-m', 'renamed and removed');
    fs.writeFileSync(path.join(dir, 'image.bin'), Buffer.from([0, 255, 1, 254, 10, 0]));
    fs.chmodSync(path.join(dir, 'bin/tool.sh'), 0o755);
    fs.symlinkSync('bin/tool.sh', path.join(dir, 'link'));
    fs.renameSync(path.join(dir, 'old/name.txt'), path.join(dir, 'new name.txt'));
    fs.rmSync(path.join(dir, 'test/app.test.ts'));
    write(dir, { 'src/renamed.ts': 'changed too\n' });
    const before = filesOf();
    gitIn('reset', '-q');
    const done = await begin('--set-aside');
    expect(done).toMatchObject({ code: 0 });
    gitIn(...wayBack(done.stdout));
    expect(filesOf()).toBe(before);
  });

  test('after new commits the way back keeps both, and what is in the way is not overwritten', async () => {
    await start();
    p.work('t', { 'README.md': null, 'src/early.ts': 'early\n', 'src/app.ts': 'export const app = 7;\n' }, 'early');
    const done = await begin('--set-aside');
    write(p.folder('t'), { 'src/early.ts': 'new, and untracked\n' });
    expect(() => gitIn(...wayBack(done.stdout))).toThrow(/would be overwritten/);
    expect(fs.readFileSync(p.folder('t', 'src/early.ts'), 'utf8')).toBe('new, and untracked\n');
    fs.rmSync(p.folder('t', 'src/early.ts'));

    p.work('t', { 'src/later.ts': 'later\n' }, 'later');
    gitIn(...wayBack(done.stdout));
    expect(
      gitIn('status', '--porcelain')
        .split('\n')
        .map((line) => line.trim()),
    ).toEqual(['D  README.md', 'M  src/app.ts', 'A  src/early.ts']);
    expect(fs.readFileSync(p.folder('t', 'src/later.ts'), 'utf8')).toBe('later\n');
  });

  test('the ref that is named resolves in the folder', async () => {
    await start();
    p.work('t', { 'src/early.ts': 'early\n' });
    const { stdout } = await begin('--set-aside');
    const [ref = ''] = /refs\/liza\/attempts\/t\/\d+/.exec(stdout) ?? [];
    expect(gitIn('rev-parse', '--verify', ref)).toBe(kept()[ref]);
  });

  test('liza attempts tells an agent commit ids, which resolve in its folder, and a person the refs', async () => {
    await start();
    p.work('t', { 'src/early.ts': 'early\n' });
    await begin('--set-aside');
    const env = { LIZA_AGENT_ID: 'coder-1', LIZA_SESSION: sessionOf('coder-1', 1) };
    const told = await p.liza(['attempts', 't'], { env });
    const commands = [...told.stdout.matchAll(/git (.*)$/gm)].map(([, words = '']) => words.split(' '));
    expect(commands.length).toBeGreaterThan(2);
    for (const words of commands) gitIn(...words);
    expect(fs.existsSync(p.folder('t', 'src/early.ts'))).toBe(true);
    expect((await p.liza(['attempts', 't'])).stdout).toContain('git show --stat refs/liza/attempts/t/1');
  });

  test('the way back of former work, as an agent is told it, restores what was deleted and renamed, and keeps later commits', async () => {
    await start();
    p.work('t', { 'src/former.ts': 'former\n', 'README.md': null }, 'former');
    gitIn('mv', 'src/app.ts', 'src/renamed.ts');
    succeeded(await p.liza(['release-claim', 't']));
    await p.claim('t', 'coder-2');
    const env = { LIZA_AGENT_ID: 'coder-2', LIZA_SESSION: sessionOf('coder-2', 2) };
    const told = await p.liza(['attempts', 't'], { env });
    p.work('t', { 'src/own.ts': 'own\n' }, 'own');
    // Some people have this in their configuration.
    gitIn('-c', 'merge.ff=false', ...commandIn(told.stdout, 'merge'));
    expect(gitIn('diff', '--cached', '--name-status', '-M').split('\n')).toEqual([
      'D\tREADME.md',
      'A\tsrc/former.ts',
      'R100\tsrc/app.ts\tsrc/renamed.ts',
    ]);
    expect(gitIn('log', '-1', '--format=%s')).toBe('own');
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
      expect(ran.stdout).toContain(`kept as refs/liza/attempts/t/${n}.`);
    for (const [commit, n] of [[first, 1] as const, [second, 2] as const])
      expect(p.git('merge-base', '--is-ancestor', commit, `refs/liza/attempts/t/${n}`)).toBe('');
    gitIn(...wayBack(two.stdout));
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

  test('the files of a set-up are not in the way back, and those that were changed are named', async () => {
    await start({ post_worktree_cmd: 'echo made > made.txt; echo left > left.txt; echo more >> README.md' });
    write(p.folder('t'), { 'src/early.ts': 'early\n', 'made.txt': 'spoilt\n', 'test/app.test.ts': null });
    const { stdout } = await begin('--set-aside');
    gitIn(...wayBack(stdout));
    expect(gitIn('diff', '--cached', '--name-status')).toBe('A\tsrc/early.ts\nD\ttest/app.test.ts');
    expect(fs.readFileSync(p.folder('t', 'made.txt'), 'utf8')).toBe('made\n');
    expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('hello\nmore\n');
    gitIn(...commandIn(stdout, 'restore'));
    expect(fs.readFileSync(p.folder('t', 'made.txt'), 'utf8')).toBe('spoilt\n');
    expect(stdout).not.toContain('left.txt');
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

test('commas separate files, before the work and later; a file of that very name is one', async () => {
  const p = project({ files: { 'src/a,b.ts': 'one\n' } });
  await p.claim('t');
  const as = { as: 'coder-1' };
  await p.ok(['begin', 't', ...CHECKPOINT, '--file', 'src/c.ts, src/d.ts,', '--file', 'src/a,b.ts'], as);
  const files = ['src/app.ts', 'test/app.test.ts', 'src/c.ts', 'src/d.ts', 'src/a,b.ts'];
  expect(await p.last('t', 'pre_execution_checkpoint')).toMatchObject({ checkpoint: { files_to_modify: files } });
  await p.ok(['begin', 't', '--also', 'lib/x.ts,lib/{y,z}.ts', '--also', 'lib/w.ts', '--reason', 'they call it'], as);
  expect(await p.last('t', 'declared')).toMatchObject({ files: ['lib/x.ts', 'lib/{y,z}.ts', 'lib/w.ts'] });
});
