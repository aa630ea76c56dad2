// Liza's own git directory: what it takes over from the project, what it refuses, and what it never takes.

import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkOut } from '../../../src/git/checkout.ts';
import { readPlanted } from '../../../src/git/own-directory.ts';
import { configText, openPrivateGitDir, type PrivateGitDir, refuseVersion } from '../../../src/git/private-git-dir.ts';
import { openRepository } from '../../../src/git/repository.ts';
import { git } from '../../../src/git/run.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { hostAt } from '../../host.ts';
import { refusedBy } from '../../refused-by.ts';
import { write } from '../../support/core.mjs';
import { repository } from '../../support/repository.ts';

const ownConfig = (gitDir: PrivateGitDir): string =>
  fs.readFileSync(path.join(gitDir.common, 'liza/git/config'), 'utf8');
const listed = async (gitDir: PrivateGitDir): Promise<readonly string[]> =>
  (await gitDir.objects(['config', '--local', '--list'])).stdout.trim().split('\n');

test('traits of the repository are taken over, whatever could start a program is not', async () => {
  const repo = repository({ branch: 'integration' });
  const settings = {
    'core.autocrlf': 'input',
    'core.eol': 'lf',
    'core.fileMode': 'false',
    'core.bigFileThreshold': '1m',
    'user.name': 'A "quoted" \\ name\n#;[x]',
    'core.fsmonitor': 'touch x',
    'core.hooksPath': '/x',
    'core.pager': 'x',
    'filter.lfs.clean': 'x',
    'merge.x.driver': 'x',
    'diff.x.textconv': 'x',
    'alias.x': '!x',
    'remote.origin.url': '/x',
    'gpg.program': 'x',
  };
  for (const [key, value] of Object.entries(settings)) repo.git('config', key, value);
  const gitDir = await repo.gitDir();
  expect(gitDir.filters).toEqual(['lfs']);
  expect((await listed(gitDir)).map((line) => line.split('=', 1)[0])).toEqual([
    'core.repositoryformatversion',
    'core.bare',
    'core.filemode',
    'core.autocrlf',
    'core.eol',
    'core.bigfilethreshold',
    'user.name',
    // the rest of the name, which has a second line
    '#;[x]',
  ]);
  expect((await gitDir.objects(['config', 'user.name'])).stdout).toBe(`${settings['user.name']}\n`);

  // Written anew: what somebody puts there does not last.
  fs.appendFileSync(path.join(gitDir.common, 'liza/git/config'), '[core]\n\tfsmonitor = touch x\n');
  fs.writeFileSync(path.join(gitDir.common, 'info/exclude'), '*.mine\n');
  const again = await repo.gitDir();
  expect(ownConfig(again)).not.toContain('fsmonitor');
  expect(fs.readFileSync(path.join(gitDir.common, 'liza/git/info/exclude'), 'utf8')).toBe('*.mine\n');
});

test('sha256', async () => {
  const repo = repository({ branch: 'integration', format: 'sha256' });
  const gitDir = await repo.gitDir();
  const head = repo.git('rev-parse', 'HEAD');
  expect(head).toHaveLength(64);
  expect((await gitDir.objects(['rev-parse', '--show-object-format'])).stdout).toBe('sha256\n');
  const folder = path.join(repo.base, 'out');
  fs.mkdirSync(folder);
  await checkOut(gitDir, { folder, index: path.join(repo.base, 'index') }, head);
  expect(fs.readFileSync(path.join(folder, 'README.md'), 'utf8')).toBe('hello\n');
  expect(configText([['extensions.objectformat', 'sha1']])).not.toContain('objectformat');
});

test('the project in a linked worktree: the common directory is found', async () => {
  const repo = repository({ branch: 'integration' });
  const other = path.join(repo.base, 'other');
  repo.git('worktree', 'add', '-q', '-b', 'side', other);
  const gitDir = await openPrivateGitDir(hostAt(Date.now, repo.env), other);
  expect(gitDir).toMatchObject({ root: other, common: path.join(repo.root, '.git') });
});

describe('refused', () => {
  test('an old git, by what it says of itself', async () => {
    expect(refuseVersion('git version 2.39.5')).toBeUndefined();
    expect(refuseVersion('git version 2.38.0.windows.1')).toBeUndefined();
    expect(refuseVersion('git version 3.0.rc1')).toBeUndefined();
    expect(refuseVersion('')).toMatchObject({ code: 5 });
    const repo = repository({ branch: 'integration' });
    const bin = path.join(repo.base, 'bin');
    write(bin, { git: (file) => fs.writeFileSync(file, '#!/bin/sh\necho git version 2.30.2\n', { mode: 0o755 }) });
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
    // Asked for once, by init and doctor.
    expect(await openRepository(hostAt(Date.now, env), repo.root)).toMatchObject(
      refusedBy('git-version', {
        code: 5,
        message: 'git version 2.30.2 is too old: Liza merges with git merge-tree, which needs 2.38',
      }),
    );
  });

  test('no git at all', async () => {
    const repo = repository({ branch: 'integration' });
    await expect(
      openPrivateGitDir(hostAt(Date.now, { ...repo.env, PATH: '/nowhere' }), repo.root),
    ).rejects.toMatchObject({ code: 5 });
  });

  test.each([
    ['extensions.partialClone', 'origin'],
    ['remote.origin.promisor', 'true'],
  ])('a partial clone, by %s', async (key, value) => {
    const repo = repository({ branch: 'integration' });
    repo.git('config', key, value);
    expect(await openPrivateGitDir(hostAt(Date.now, repo.env), repo.root)).toMatchObject(
      refusedBy('partial-clone', { code: 3, hint: expect.stringContaining(`--unset ${key.toLowerCase()}`) }),
    );
  });

  test('no repository, and a configuration that git cannot read', async () => {
    const repo = repository({ branch: 'integration' });
    expect(await openPrivateGitDir(hostAt(Date.now, repo.env), repo.base)).toMatchObject(
      refusedBy('no-git', { code: 3 }),
    );
    fs.appendFileSync(path.join(repo.root, '.git/config'), '[broken\n');
    expect(await openPrivateGitDir(hostAt(Date.now, repo.env), repo.root)).toMatchObject(
      refusedBy('git-config', { code: 3 }),
    );
  });
});

test('none of the caller’s git variables has a say', async () => {
  const repo = repository({ branch: 'integration' });
  const env = {
    ...repo.env,
    GIT_DIR: '/nowhere',
    GIT_WORK_TREE: '/nowhere',
    GIT_INDEX_FILE: '/nowhere/index',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.planted',
    GIT_CONFIG_VALUE_0: 'x',
    GIT_CONFIG_PARAMETERS: "'core.planted=x'",
    GIT_TRACE: '1',
  };
  const asked = await git(hostAt(Date.now, env), repo.root, ['config', '--list', '--show-origin']);
  expect(asked).toMatchObject({ status: 0, stderr: '' });
  expect(asked.stdout).not.toContain('planted');
  expect(asked.stdout).not.toContain('person@example.org'); // the user's own file
  expect((await git(hostAt(Date.now, env), repo.root, ['rev-parse', '--show-toplevel'])).stdout.trim()).toBe(repo.root);
});

test('a git that is killed, or ends before it has read its input, is told apart', async () => {
  const repo = repository({ branch: 'integration' });
  const input = 'x'.repeat(1_000_000);
  expect((await git(hostAt(Date.now, repo.env), repo.root, ['rev-parse', 'HEAD'], { input })).status).toBe(0);
  const bin = path.join(repo.base, 'bin');
  write(bin, { git: (file) => fs.writeFileSync(file, '#!/bin/sh\nkill -9 $$\n', { mode: 0o755 }) });
  const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH']}` };
  await expect(git(hostAt(Date.now, env), repo.root, ['status'])).rejects.toMatchObject({
    code: 3,
    message: 'git status was ended by SIGKILL',
  });
});

describe('allow_filters', () => {
  test('the repository’s and the user’s own filters come along, and nothing else of theirs', async () => {
    const repo = repository({ branch: 'integration' });
    repo.git('config', 'filter.here.smudge', 'cat');
    fs.appendFileSync(
      path.join(repo.base, '.gitconfig'),
      '[filter "lfs"]\n\tprocess = git-lfs filter-process\n[core]\n\tfsmonitor = x\n',
    );
    const gitDir = await repo.gitDir({ allowFilters: true });
    expect(gitDir.filters).toEqual([]);
    const own = (await listed(gitDir)).filter((line) => !/^(core|user)\./.test(line));
    expect(own).toEqual([
      'filter.lfs.process=git-lfs filter-process',
      'filter.here.smudge=cat',
      // Ours: where the project's content is.
      `lfs.storage=${gitDir.common}/lfs`,
      'lfs.skipdownloaderrors=true',
    ]);
    expect(ownConfig(gitDir)).not.toContain('fsmonitor');
    expect(ownConfig(await repo.gitDir())).not.toContain('filter');
  });
});

describe('planted in it', () => {
  const own = (gitDir: PrivateGitDir, ...parts: readonly string[]): string =>
    path.join(gitDir.common, 'liza/git', ...parts);
  const list = (gitDir: PrivateGitDir): readonly string[] =>
    fs.readdirSync(own(gitDir), { recursive: true }) as string[];

  test.each<[string, (file: (...parts: readonly string[]) => string) => void]>([
    ['commondir', (file) => fs.writeFileSync(file('commondir'), '/nowhere\n')],
    ['info/attributes', (file) => fs.writeFileSync(file('info/attributes'), '* -diff\n')],
    ['info/grafts', (file) => fs.writeFileSync(file('info/grafts'), 'x\n')],
    ['config.worktree', (file) => fs.writeFileSync(file('config.worktree'), '[x]\n')],
    ['hooks', (file) => fs.mkdirSync(file('hooks'))],
    ['packed-refs', (file) => fs.writeFileSync(file('packed-refs'), '')],
    ['refs/replace', (file) => fs.mkdirSync(file('refs/replace'))],
    ['objects/info', (file) => fs.mkdirSync(file('objects/info'))],
    ['HEAD', (file) => fs.writeFileSync(file('HEAD'), 'ref: refs/heads/evil\n')],
    ['config', (file) => fs.appendFileSync(file('config'), '[core]\n\tattributesFile = "/x"\n')],
    ['config', (file) => fs.appendFileSync(file('config'), '[include]\n\tpath = /x\n')],
    [
      'config',
      (file) => {
        fs.renameSync(file('config'), file('..', 'elsewhere'));
        fs.symlinkSync('../elsewhere', file('config'));
      },
    ],
    [
      'info',
      (file) => {
        fs.renameSync(file('info'), file('..', 'elsewhere'));
        fs.symlinkSync('../elsewhere', file('info'));
      },
    ],
  ])('%s: gone before the next call, and noted', async (name, plant) => {
    const repo = repository({ branch: 'integration' });
    const gitDir = await repo.gitDir();
    await gitDir.objects(['rev-parse', 'HEAD']);
    const before = list(gitDir).toSorted();
    plant((...parts) => own(gitDir, ...parts));
    expect((await gitDir.objects(['config', '--list', '--local'])).stdout).not.toMatch(/attributesfile|include/);
    expect(list(gitDir).toSorted()).toEqual(before);
    expect(fs.lstatSync(own(gitDir, 'config')).isFile()).toBe(true);
    expect(fs.readFileSync(own(gitDir, 'HEAD'), 'utf8')).toBe('ref: refs/heads/none\n');
    expect(readPlanted(realDisk, gitDir.common)).toEqual([`liza/git/${name}`]);
  });

  test('a git that answers questions starts on what Liza wrote, and what comes later does not mislead it', async () => {
    const repo = repository({ branch: 'integration' });
    const gitDir = await repo.gitDir();
    const head = repo.git('rev-parse', 'HEAD').trim();
    const plant = (): void => {
      fs.writeFileSync(own(gitDir, 'commondir'), '/nowhere\n');
      fs.writeFileSync(own(gitDir, 'info/grafts'), `${head}\n`);
      fs.mkdirSync(own(gitDir, 'refs/replace'), { recursive: true });
      fs.writeFileSync(own(gitDir, 'refs/replace', head), `${'0'.repeat(39)}1\n`);
    };
    const asked = async () => (await gitDir.ask([{ name: `${head}^{commit}`, content: true }]))[0]?.id;
    plant();
    expect(await asked()).toBe(head);
    expect(readPlanted(realDisk, gitDir.common)).toContain('liza/git/commondir');
    plant();
    expect(await asked()).toBe(head);
    await gitDir.objects(['rev-parse', 'HEAD']);
    expect(fs.existsSync(own(gitDir, 'commondir'))).toBe(false);
  });

  test('what Liza itself writes, here or in another process, is not noted', async () => {
    const repo = repository({ branch: 'integration' });
    repo.git('config', 'filter.here.smudge', 'cat');
    const gitDir = await repo.gitDir();
    const filtered = await repo.gitDir({ allowFilters: true });
    repo.git('config', 'core.autocrlf', 'input');
    fs.writeFileSync(path.join(gitDir.common, 'info/exclude'), '*.x\n');
    const later = await repo.gitDir();
    for (const one of [gitDir, filtered, later, gitDir]) await one.objects(['rev-parse', 'HEAD']);
    expect(await listed(filtered)).toContain('filter.here.smudge=cat');
    expect(await listed(later)).toContain('core.autocrlf=input');
    expect(readPlanted(realDisk, gitDir.common)).toEqual([]);
  });
});
