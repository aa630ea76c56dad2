// Worktree and clone behind one interface; and that nothing an agent can plant in the project or in its clone
// runs in Liza's git, or shows Liza another history. Each trap is first shown to work with plain git.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isolationFor } from '../../../src/git/isolation.ts';
import { clonedPlace, findPlace, headOf, isPlace } from '../../../src/git/task-folder.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { releaseClaim } from '../../../src/tasks/release.ts';
import { hostAt } from '../../host.ts';
import { isolations } from '../../runs.ts';
import { type Contents, write } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';
import { repository } from '../../support/repository.ts';

const KINDS = ['worktree', 'clone'] as const;
const HOOKS =
  'post-checkout pre-commit commit-msg post-commit reference-transaction post-index-change post-merge pre-merge-commit pre-auto-gc';
const LINES = Array.from({ length: 12 }, (_, n) => `line ${n}\n`).join('');

describe.each(KINDS)('%s, by itself', (kind) => {
  test('made whole, with odd files; its commits are brought; removed whole; all of it again', async () => {
    const files: Contents = {
      'a b/ä.txt': 'x\n',
      run: (file) => fs.writeFileSync(file, '#!/bin/sh\n', { mode: 0o755 }),
      link: (file) => fs.symlinkSync('run', file),
      out: (file) => fs.symlinkSync('/etc/passwd', file),
    };
    const repo = repository({ branch: 'integration', format: 'sha256', files });
    const gitDir = await repo.gitDir();
    const start = repo.git('rev-parse', 'HEAD');
    const isolation = isolationFor(gitDir, kind);
    for (const round of [1, 2]) {
      if (kind === 'worktree') repo.git('branch', 'task/t');
      const place = await isolation.make(gitDir, 't', start);
      expect(findPlace(gitDir, 't')).toEqual(place);
      expect(await headOf(gitDir, place)).toEqual({ commit: start, branch: 'refs/heads/task/t' });
      expect(repo.gitIn(place.folder, 'status', '--porcelain')).toBe('');
      expect(fs.readlinkSync(path.join(place.folder, 'out'))).toBe('/etc/passwd');
      expect(fs.statSync(path.join(place.folder, 'run')).mode & 0o111).not.toBe(0);
      const commit = repo.commit({ 'new.txt': `round ${round}\n` }, 'work', place.folder);
      await isolation.bring(gitDir, place, commit);
      await isolation.bring(gitDir, place, commit);
      await isolation.remove(gitDir, place);
      await isolation.remove(gitDir, { task: 't' });
      expect(findPlace(gitDir, 't')).toEqual({ none: true });
      expect(fs.readdirSync(gitDir.worktrees)).toEqual([]);
      expect(repo.blob(`${commit}:new.txt`)).toBe(`round ${round}\n`);
      if (kind === 'worktree') repo.git('branch', '-D', '-q', 'task/t');
    }
    expect(repo.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});

describe('a clone', () => {
  test('of a shallow project that borrows objects itself; what it does not have cannot be brought', async () => {
    const repo = repository({ branch: 'integration', files: { 'README.md': 'hello\n' } });
    repo.commit({ 'a.txt': 'a\n' });
    const root = path.join(repo.base, 'shallow');
    repo.git('clone', '-q', '--depth=1', `file://${repo.root}`, root);
    fs.writeFileSync(path.join(root, '.git/objects/info/alternates'), path.join(repo.root, '.git/objects'));
    fs.writeFileSync(path.join(root, '.git/info/exclude'), '*.mine\n');
    const { openPrivateGitDir } = await import('../../../src/git/private-git-dir.ts');
    const gitDir = await openPrivateGitDir(hostAt(Date.now, repo.env), root);
    if ('ok' in gitDir) throw new Error(gitDir.message);
    const start = repo.gitIn(root, 'rev-parse', 'HEAD');
    const isolation = isolationFor(gitDir, 'clone');
    const place = await isolation.make(gitDir, 't', start);
    const commit = repo.commit({ 'b.txt': 'b\n', 'x.mine': 'ignored\n' }, 'work', place.folder);
    expect(repo.gitIn(place.folder, 'log', '--format=%s').split('\n')).toEqual(['work', 'work']);
    await isolation.bring(gitDir, place, commit);
    expect(repo.gitIn(root, 'ls-tree', '--name-only', commit).split('\n')).toEqual(['README.md', 'a.txt', 'b.txt']);
    await expect(isolation.bring(gitDir, place, '1'.repeat(40))).rejects.toMatchObject({ code: 3 });
  });
});

describe('planted', () => {
  let p: Project;

  const fired = (): readonly string[] => fs.readdirSync(path.join(p.base, 'canaries')).sort();
  const clear = (): void => {
    for (const name of fired()) fs.rmSync(path.join(p.base, 'canaries', name));
  };
  /** A program that leaves its name, then passes its input on. */
  const trap = (name: string): string => `${path.join(p.base, 'trap')} ${name}`;
  const program = (text: string) => (file: string) => fs.writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const hooks = (folder: string, name: string): void =>
    write(
      folder,
      Object.fromEntries(HOOKS.split(' ').map((hook) => [hook, program(`${trap(`${name}-${hook}`)} </dev/null`)])),
    );

  /** Settings as an agent could write them into a repository's configuration. */
  function settings(config: string, name: string, root: string): void {
    const set = (key: string, value: string) => p.git('config', '--file', config, key, value);
    set('core.fsmonitor', trap(`${name}-fsmonitor`));
    set('filter.trap.clean', trap(`${name}-clean`));
    set('filter.trap.smudge', trap(`${name}-smudge`));
    // A filter that shakes hands and can do nothing.
    const hello = "printf '0016git-filter-server\\n000eversion=2\\n00000000'";
    set('filter.trap-process.process', `${trap(`${name}-process`)} </dev/null; ${hello}; cat >/dev/null`);
    set('merge.trap.driver', `${trap(`${name}-driver`)} </dev/null; git merge-file %A %O %B`);
    set('diff.external', `${trap(`${name}-external`)} </dev/null #`);
    set('diff.trap.textconv', `${trap(`${name}-textconv`)} <`);
    set('alias.x', `!${trap(`${name}-alias`)} </dev/null`);
    set('core.alternateRefsCommand', `${trap(`${name}-alternates`)} </dev/null #`);
    set(`url.ext::${trap(`${name}-ext`)} .insteadOf`, root);
    set('protocol.ext.allow', 'always');
  }

  function setUp(isolation: (typeof KINDS)[number]): void {
    const attributes = '*.ts filter=trap\n*.md filter=trap-process\nlist.txt merge=trap diff=trap\n';
    p = project({
      config: { isolation },
      files: { '.gitattributes': attributes, 'list.txt': LINES, 'scripts/integration-test.sh': 'git status\n' },
      tasks: (made) => ['u', 't', approvedTask(made, 'other', { 'list.txt': LINES.replace('line 1\n', 'other\n') })],
    });
    const canaries = path.join(p.base, 'canaries');
    fs.mkdirSync(canaries);
    write(p.base, { trap: program(`: > "${canaries}/$1"; case $1 in *-ext) exit 1 ;; *) cat ;; esac`) });
    const config = p.file('.git', 'config');
    // Directly, or by a file that it includes; hooks where git looks, or where it is told to.
    const included = path.join(p.base, 'included');
    settings(isolation === 'worktree' ? config : included, 'project', p.folder('t'));
    if (isolation === 'clone') p.git('config', '--file', config, 'include.path', included);
    if (isolation === 'worktree') p.git('config', '--file', config, 'core.hooksPath', path.join(p.base, 'hooks'));
    hooks(isolation === 'worktree' ? path.join(p.base, 'hooks') : p.file('.git', 'hooks'), 'project');
    const lender = path.join(p.base, 'lender');
    p.gitIn(p.base, 'init', '-q', '--bare', lender);
    write(p.file('.git', 'objects', 'info'), { alternates: `${path.join(lender, 'objects')}\n` });
  }

  /** All of them, by what a person or an agent does there every day. */
  function showThatTheyWork(): void {
    const there = path.join(p.base, 'there');
    p.git('worktree', 'add', '-q', '-b', 'demo', there, 'integration');
    write(there, {
      'src/app.ts': 'changed\n',
      'README.md': 'changed\n',
      'list.txt': LINES.replace('line 9\n', 'demo\n'),
    });
    p.gitIn(there, 'status');
    p.gitIn(there, 'diff');
    p.gitIn(there, 'add', '-A');
    p.gitIn(there, 'commit', '-q', '-m', 'demo');
    p.gitIn(there, 'merge', '-q', '--no-edit', p.refs('refs/liza/review')['refs/liza/review/other/1'] ?? '');
    p.gitIn(there, 'show', '-m', '--textconv', 'HEAD');
    p.gitIn(there, 'x');
    const source = path.join(p.base, 'source');
    p.gitIn(p.base, 'init', '-q', source);
    p.gitIn(source, 'commit', '-q', '--allow-empty', '-m', 'elsewhere');
    p.git('fetch', '-q', source, 'HEAD');
    // What this trap answers is no repository.
    expect(() => p.git('fetch', '-q', p.folder('t'))).toThrow();
    const names = [
      ...['alias', 'alternates', 'clean', 'driver', 'ext', 'external', 'fsmonitor', 'process', 'smudge', 'textconv'],
      ...HOOKS.split(' ').filter((hook) => !['pre-auto-gc', 'post-merge'].includes(hook)),
    ];
    expect(fired()).toEqual(expect.arrayContaining(names.map((name) => `project-${name}`)));
    p.gitIn(p.root, '-c', 'core.hooksPath=/dev/null', 'worktree', 'remove', '--force', there);
    clear();
  }

  test.each(isolations('clone'))(
    '%s: from the claim to the merge and the release none of it runs',
    async (isolation) => {
      setUp(isolation);
      showThatTheyWork();
      const step = async <T>(name: string, done: Promise<T>): Promise<T> => {
        const result = await done;
        expect([name, fired()]).toEqual([name, []]);
        return result;
      };
      await step('claim', p.claim('t'));
      if (isolation === 'clone') {
        settings(p.folder('t', '.git', 'config'), 'clone', p.root);
        hooks(p.folder('t', '.git', 'hooks'), 'clone');
      }
      p.gitIn(p.folder('t'), 'status');
      expect(fired()).toContain(isolation === 'clone' ? 'clone-fsmonitor' : 'project-fsmonitor');
      clear();
      succeeded(await step('begin', p.begin('t', 'coder-1', ['list.txt', 'inner', 'test/app.test.ts'])));

      // A repository inside, as a submodule, with a monitor of its own.
      const inner = p.folder('t', 'inner');
      fs.mkdirSync(inner);
      p.gitIn(inner, 'init', '-q');
      write(inner, { 'file.txt': 'x\n' });
      p.gitIn(inner, 'add', '-A');
      p.gitIn(inner, 'commit', '-q', '-m', 'inner');
      const first = p.work('t', { 'list.txt': LINES.replace('line 9\n', 'first\n'), 'test/app.test.ts': 'first\n' });
      p.gitIn(inner, 'config', 'core.fsmonitor', trap('inner'));
      write(inner, { 'file.txt': 'dirty\n' });
      p.gitIn(p.folder('t'), 'status');
      expect(fired()).toContain('inner');
      clear();
      p.pass(301);
      await step('claim again', p.claim('t'));
      succeeded(await step('submit', p.submit('t', first)));
      await p.approve('t');

      succeeded(await step('merge', p.merge('other')));
      write(p.folder('t'), { 'late.ts': 'late\n' });
      const merged = succeeded(await step('merge of two sides', p.merge('t')));
      expect(merged).toMatchObject({ how: 'merge', test: { verdict: 'green' } });
      // Unfiltered, and merged as text.
      expect(p.git('-c', 'core.fsmonitor=false', 'cat-file', 'blob', 'integration:list.txt')).toBe(
        LINES.replace('line 9\n', 'first\n').replace('line 1\n', 'other\n').trim(),
      );
      clear();

      await step('another claim', p.claim('u'));
      write(p.folder('u'), { 'src/app.ts': 'unfinished\n' });
      succeeded(await step('release', releaseClaim(p.as(), 'u', undefined)));
      await p.claim('u', 'coder-2');
      fs.rmSync(p.folder('u'), { recursive: true });
      expect(await step('reconcile', reconcile(p.as()))).toEqual([expect.objectContaining({ subject: 'u' })]);
    },
  );

  test('missing objects are fetched from nobody: not here, and not by the other side', async () => {
    p = project({ config: { isolation: 'clone' } });
    fs.mkdirSync(path.join(p.base, 'canaries'));
    write(p.base, { trap: program(`: > "${path.join(p.base, 'canaries')}/$1"; exit 1`) });
    await p.claim('t');
    p.work('t');
    const git = (...args: readonly string[]) => p.gitIn(p.folder('t'), ...args);
    for (const [key, value] of Object.entries({ url: p.root, promisor: 'true', uploadpack: trap('promisor') })) {
      git('config', `remote.evil.${key}`, value);
    }
    const blob = git('rev-parse', 'HEAD:src/app.ts');
    fs.rmSync(p.folder('t', '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    expect(() => git('cat-file', 'blob', blob)).toThrow();
    expect(fired()).toEqual(['promisor']);
    clear();
    // Older gits would also fire it on the other side of a fetch.
    expect(await p.begin('t')).toMatchObject({ ok: false, code: 1 });
    expect(fired()).toEqual([]);

    write(p.folder('t', '.git', 'refs', 'heads', 'task'), { t: `${'1'.repeat(40)}\n` });
    expect(() => git('rev-parse', '--verify', 'HEAD^{commit}')).toThrow();
    expect(fired()).toEqual(['promisor']);
    clear();
    const gitDir = await p.gitDir();
    expect(await headOf(gitDir, clonedPlace(gitDir, 't'))).toBeUndefined();
    p.pass(301);
    await p.claim('t', 'coder-2');
    expect(fired()).toEqual([]);
  });

  test('replaced commits and grafts show Liza no other history', async () => {
    p = project({ tasks: ['t', 'u'] });
    const commit = await p.approved('t');
    const evil = p.commitTo('main', { 'evil.txt': 'x\n' });
    p.git('update-ref', `refs/replace/${commit}`, evil);
    expect(p.git('ls-tree', '--name-only', commit)).toContain('evil.txt');
    expect(await p.merge('t')).toMatchObject({ how: 'fast-forward', commit });
    p.git('update-ref', '-d', `refs/replace/${commit}`);
    expect(p.git('ls-tree', '--name-only', 'integration')).not.toContain('evil.txt');

    // A commit with a history of its own that pretends to descend from the base.
    await p.begun('u', 'coder-2');
    const tree = p.git('rev-parse', `${p.work('u', { 'test/u.test.ts': 'u\n' })}^{tree}`);
    const stranger = p.git('commit-tree', tree, '-m', 'stranger');
    p.gitIn(p.folder('u'), 'reset', '-q', '--hard', stranger);
    write(p.file('.git', 'info'), { grafts: `${stranger} ${p.head()}\n` });
    expect(p.git('merge-base', '--is-ancestor', 'integration', stranger)).toBe('');
    expect(await p.submit('u', stranger, 'coder-2')).toMatchObject({
      message: expect.stringContaining('does not descend from the base'),
    });
  });

  test('a clone that its owner closed is broken, and ends nobody’s look', async () => {
    p = project({ config: { isolation: 'clone' } });
    await p.claim('t');
    const gitDir = await p.gitDir();
    const { host } = gitDir;
    // As any user but root is told.
    const lstatSync = ((path: string, ...how: []) => {
      if (!path.includes('/.git/HEAD')) return host.disk.lstatSync(path, ...how);
      throw Object.assign(new Error(`EACCES: permission denied, lstat '${path}'`), { code: 'EACCES', path });
    }) as typeof host.disk.lstatSync;
    const closed = { ...gitDir, host: { ...host, disk: { ...host.disk, lstatSync } } };
    expect(findPlace(closed, 't')).toEqual({ broken: '.worktrees/t cannot be looked at (EACCES)' });
  });

  test('a pipe where every git reads a file: the clone is broken, and nobody waits for it', async () => {
    p = project({ config: { isolation: 'clone' } });
    await p.claim('t');
    const config = p.folder('t', '.git', 'config');
    fs.rmSync(config);
    execFileSync('mkfifo', [config]);
    expect(findPlace(await p.gitDir(), 't')).toEqual({ broken: '.worktrees/t/.git/config is not a regular file' });
    succeeded(await releaseClaim(p.as(), 't', undefined));
    expect(fs.existsSync(p.folder('t'))).toBe(false);
  });

  test('a clone that claims to be elsewhere is looked at where it is', async () => {
    p = project({ config: { isolation: 'clone' } });
    await p.claim('t');
    write(p.folder('t'), { 'new.txt': 'x\n' });
    const config = p.folder('t', '.git', 'config');
    p.git('config', '--file', config, 'core.worktree', p.base);
    expect(await p.begin('t')).toMatchObject({ message: expect.stringContaining('changed already: new.txt') });
    p.git('config', '--file', config, 'core.repositoryFormatVersion', '99');
    expect(() => p.gitIn(p.folder('t'), 'status')).toThrow();
    // Liza does not read it; the next session has to, so it gets one that git can use.
    expect(await p.begin('t')).toMatchObject({ message: expect.stringContaining('changed already: new.txt') });
    p.pass(301);
    await p.claim('t');
    expect(p.gitIn(p.folder('t'), 'status', '--porcelain')).toBe('?? new.txt');
    p.pass(301);
    await p.claim('t', 'coder-2');
    expect(p.git('show', 'refs/liza/attempts/t/1:new.txt')).toBe('x');
  });

  test('allow_filters: those of the repository and of the user run, and nothing else', async () => {
    p = project({
      config: { allow_filters: true, takeover: 'fresh' },
      files: { '.gitattributes': '*.ts filter=here\n*.md filter=user\n' },
    });
    fs.mkdirSync(path.join(p.base, 'canaries'));
    write(p.base, { trap: program(`: > "${path.join(p.base, 'canaries')}/$1"; cat`) });
    p.git('config', 'filter.here.smudge', 'tr a-z A-Z');
    p.git('config', 'filter.here.clean', 'tr A-Z a-z');
    p.git('config', 'core.fsmonitor', trap('fsmonitor'));
    fs.appendFileSync(
      path.join(p.base, '.gitconfig'),
      '[filter "user"]\n\tsmudge = sed s/hello/HELLO/\n\tclean = sed s/HELLO/hello/\n',
    );
    await p.claim('t');
    expect(fs.readFileSync(p.folder('t', 'src', 'app.ts'), 'utf8')).toBe('EXPORT CONST APP = 1;\n');
    expect(fs.readFileSync(p.folder('t', 'README.md'), 'utf8')).toBe('HELLO\n');
    expect(await p.begin('t')).toMatchObject({ ok: true });
    expect(fired()).toEqual([]);
    await p.config({ allow_filters: false });
    p.pass(301);
    await p.claim('t', 'coder-2');
    expect(fs.readFileSync(p.folder('t', 'src', 'app.ts'), 'utf8')).toBe('export const app = 1;\n');
    expect(isPlace(findPlace(await p.gitDir(), 't'))).toBe(true);
  });
});
