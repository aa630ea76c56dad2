// The tripwire with real git: agents move their task's branch alone, Liza alone moves integration, people are free, and
// a hook that was there before keeps its say.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { checkHook } from '../../../src/identity/project-hook.ts';
import { ensureHook, examineHook, HOOK, type HookFacts, hasHook, removeHook } from '../../../src/identity/ref-hook.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { agentTag, repositoryMark } from '../../../src/process/tags.ts';
import { hostAt } from '../../host.ts';
import { type Repository, repository } from '../../support/repository.ts';

let repo: Repository;
let root: string;
let facts: HookFacts;
const env = (extra: Record<string, string> = {}) => ({ ...repo.env, ...extra });
const host = () => hostAt(Date.now, env());
const run = (cwd: string, extra: Record<string, string>, ...args: string[]) =>
  spawnSync('git', args, { cwd, env: env(extra), encoding: 'utf8' });
const person = (...args: string[]) => run(root, {}, ...args);
const AS_AGENT = (branch?: string) => ({
  LIZA_PROGRAM: `0123/${agentTag({ root, repository: facts.repository }, 'coder-1')}/4567`,
  LIZA_AGENT_ID: 'coder-1',
  ...(branch === undefined ? {} : { LIZA_BRANCH: branch }),
});
const agent = (cwd: string, ...args: string[]) => run(cwd, AS_AGENT('task/t'), ...args);
const head = (ref: string) => person('rev-parse', ref).stdout.trim();
const own = () => path.join(root, '.worktrees/t');
const hook = () => path.join(facts.repository, 'hooks', HOOK);
const refs = () => person('for-each-ref').stdout;

beforeEach(() => {
  repo = repository({ name: "it's a project", files: { 'a.txt': '1\n' } });
  root = repo.root;
  repo.git('branch', 'integration');
  repo.git('worktree', 'add', '-q', '-b', 'task/t', '.worktrees/t');
  const repositoryFolder = repo.file('.git');
  facts = { repository: repositoryFolder, mark: repositoryMark(repositoryFolder), branch: 'integration' };
  fs.mkdirSync(repo.file('.git/liza'));
});

const install = () => ensureHook(host(), root, facts);

describe('people', () => {
  beforeEach(async () => void (await install()));

  test('are free on their branches, tags and stash', () => {
    for (const args of [
      ['commit', '-q', '--allow-empty', '-m', 'mine'],
      ['branch', 'feature'],
      ['tag', 'v1'],
      ['branch', '-D', 'feature'],
      ['merge', '-q', 'task/t'],
      ['checkout', '-q', '--detach'],
      ['checkout', '-q', 'main'],
    ])
      expect(person(...args)).toMatchObject({ status: 0, stderr: expect.not.stringContaining('liza') });
    fs.writeFileSync(path.join(root, 'a.txt'), '2\n');
    expect(person('stash', '-q').status).toBe(0);
  });

  test('may pack and collect, with integration among what is packed', () => {
    const before = refs();
    person('branch', 'loose');
    expect(person('pack-refs', '--all').status).toBe(0);
    expect(person('gc', '-q').status).toBe(0);
    expect(fs.existsSync(path.join(root, '.git/gc.log'))).toBe(false);
    person('branch', '-D', 'loose');
    expect(refs()).toBe(before);
  });

  test('do not move integration by accident: it says how to do so on purpose', () => {
    const before = head('integration');
    person('commit', '-q', '--allow-empty', '-m', 'mine');
    for (const args of [
      ['update-ref', 'refs/heads/integration', 'HEAD'],
      ['branch', '-f', 'integration', 'HEAD'],
      ['fetch', '-q', '.', 'main:integration'],
    ]) {
      const ran = person(...args);
      expect(ran.status).not.toBe(0);
      expect(ran.stderr).toContain('LIZA_INTEGRATION=mine git');
    }
    expect(head('integration')).toBe(before);
    expect(run(root, { LIZA_INTEGRATION: 'mine' }, 'branch', '-f', 'integration', 'HEAD').status).toBe(0);
    expect(head('integration')).toBe(head('main'));
  });

  test('have git as before once Liza is gone, hook or not', () => {
    fs.rmSync(path.join(root, '.git/liza'), { recursive: true });
    person('commit', '-q', '--allow-empty', '-m', 'mine');
    expect(person('branch', '-f', 'integration', 'HEAD').status).toBe(0);
  });
});

describe('agents', () => {
  beforeEach(async () => void (await install()));

  test('commit, amend, rebase and detach in their own folder', () => {
    person('commit', '-q', '--allow-empty', '-m', 'mine');
    for (const args of [
      ['commit', '-q', '--allow-empty', '-m', 'one'],
      ['commit', '-q', '--amend', '--allow-empty', '-m', 'two'],
      ['rebase', '-q', '--force', 'main'],
      ['reset', '-q', '--hard', 'HEAD~1'],
      ['commit', '-q', '--allow-empty', '-m', 'three'],
      ['checkout', '-q', '--detach'],
      ['commit', '-q', '--allow-empty', '-m', 'four'],
      ['checkout', '-q', 'task/t'],
    ])
      expect(agent(own(), ...args)).toMatchObject({ status: 0, stderr: expect.not.stringContaining('liza') });
  });

  test.runIf(process.platform === 'linux')(
    'are known below their own process, whatever became of the environment',
    () => {
      const before = refs();
      const cleared =
        'env -i PATH="$PATH" HOME="$HOME" setsid -w git update-ref refs/heads/main "$(git rev-parse HEAD)"';
      agent(own(), 'commit', '-q', '--allow-empty', '-m', 'one');
      const below = spawnSync('sh', ['-c', `${cleared}; exit $?`], {
        cwd: own(),
        env: env(AS_AGENT('task/t')),
        encoding: 'utf8',
      });
      expect(below.stderr).toContain('a process of an agent may not move refs/heads/main');
      expect(below.status).not.toBe(0);
      expect(head('main')).toBe(/(\S+) commit\trefs\/heads\/main/.exec(before)?.[1]);
    },
  );

  test('move nothing else: main, integration, other tasks, new branches, tags, the stash, the project’s HEAD', () => {
    person('branch', 'task/other');
    agent(own(), 'commit', '-q', '--allow-empty', '-m', 'one');
    fs.writeFileSync(path.join(own(), 'a.txt'), '2\n');
    const before = refs();
    for (const [cwd, ...args] of [
      [root, 'commit', '-q', '--allow-empty', '-m', 'lost its way'],
      [root, 'checkout', '-q', '--detach'],
      [root, 'reset', '-q', '--hard', 'task/t'],
      [own(), 'update-ref', 'refs/heads/main', 'HEAD'],
      [own(), 'push', '-q', '-f', '.', 'HEAD:integration'],
      [own(), 'update-ref', 'refs/heads/integration', 'HEAD'],
      [own(), 'update-ref', '-d', 'refs/heads/main'],
      [own(), 'branch', '-D', 'task/other'],
      [own(), 'branch', '-f', 'task/other', 'HEAD'],
      [own(), 'branch', 'new'],
      [own(), 'tag', 'v1'],
      [own(), 'stash', '-q'],
      [own(), 'update-ref', 'refs/liza/seen/t', 'HEAD'],
    ] as const) {
      const ran = run(cwd, { ...AS_AGENT('task/t'), LIZA_INTEGRATION: 'mine' }, ...args);
      expect({ args, status: ran.status }).not.toEqual({ args, status: 0 });
      expect(ran.stderr).toContain('liza: refused: coder-1 may not move');
    }
    expect(refs()).toBe(before);
    expect(person('symbolic-ref', 'HEAD').stdout.trim()).toBe('refs/heads/main');
  });

  test('packed branches are as safe, and packing is no move', () => {
    agent(own(), 'commit', '-q', '--allow-empty', '-m', 'one');
    const before = refs();
    expect(agent(own(), 'pack-refs', '--all').status).toBe(0);
    expect(agent(own(), 'gc', '-q').status).toBe(0);
    for (const args of [
      ['branch', '-D', 'integration'],
      ['update-ref', '-d', 'refs/heads/integration'],
      ['branch', '-f', 'integration', 'HEAD'],
    ])
      expect(agent(own(), ...args).status).not.toBe(0);
    expect(refs()).toBe(before);
  });

  test('one without a task, such as a planner, moves nothing', () => {
    const before = refs();
    expect(run(own(), AS_AGENT(), 'commit', '-q', '--allow-empty', '-m', 'x').status).not.toBe(0);
    expect(refs()).toBe(before);
  });

  test.each(['integration', 'main'])('one that calls %s its task’s branch does not move it', (branch) => {
    const commit = run(own(), AS_AGENT('task/t'), 'commit-tree', '-m', 'x', 'HEAD^{tree}').stdout.trim();
    const before = refs();
    expect(run(own(), AS_AGENT(branch), 'update-ref', `refs/heads/${branch}`, commit).status).not.toBe(0);
    expect(run(root, { LIZA_BRANCH: 'integration' }, 'update-ref', 'refs/heads/integration', commit).status).not.toBe(
      0,
    );
    expect(refs()).toBe(before);
  });

  test('of another repository are people here', () => {
    const stranger = {
      ...AS_AGENT('task/t'),
      LIZA_PROGRAM: agentTag({ root: '/x', repository: '/x/.git' }, 'coder-1'),
    };
    expect(run(root, stranger, 'commit', '-q', '--allow-empty', '-m', 'mine').status).toBe(0);
  });
});

describe('a hook that was there before', () => {
  const theirs = (code: number) => `#!/bin/sh\n{ echo "$1"; cat; } >> '${repo.base}/heard'\nexit ${code}\n`;
  const put = (file: string, text: string) => {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text, { mode: 0o755 });
  };
  const heard = () => fs.readFileSync(path.join(repo.base, 'heard'), 'utf8');

  test('is called with the same words at every stage, and comes back when Liza goes', async () => {
    put(hook(), theirs(0));
    expect(await install()).toBe('there');
    expect(await install()).toBe('there');
    expect(person('branch', 'feature').status).toBe(0);
    expect(heard()).toMatch(/^prepared\n\S+ \S+ refs\/heads\/feature\ncommitted\n\S+ \S+ refs\/heads\/feature\n$/);
    expect(removeHook(realDisk, facts.repository)).toEqual([]);
    expect(fs.readFileSync(hook(), 'utf8')).toBe(theirs(0));
    expect(hasHook(realDisk, facts.repository)).toBe(false);
    expect(fs.readdirSync(path.dirname(hook())).filter((name) => name.includes('liza'))).toEqual([]);
  });

  test('is never ours: of several that start at once each puts ours there, and it is not called by itself', async () => {
    await install();
    const ours = fs.readFileSync(hook(), 'utf8');
    fs.rmSync(hook());
    const own = host();
    /** Another one is a step ahead: ours is there when this one begins to write, and a file of one name is gone by then. */
    const disk = {
      ...own.disk,
      mkdirSync: ((...args: Parameters<typeof fs.mkdirSync>) => {
        const made = own.disk.mkdirSync(...args);
        if (args[0] === path.dirname(hook())) fs.writeFileSync(hook(), ours, { mode: 0o755 });
        return made;
      }) as typeof own.disk.mkdirSync,
      chmodSync: (file: fs.PathLike, mode: fs.Mode) => {
        fs.rmSync(`${hook()}.liza-new`, { force: true });
        own.disk.chmodSync(file, mode);
      },
    };
    expect(await ensureHook({ ...own, disk }, root, facts)).toBe('there');
    expect(fs.readFileSync(hook(), 'utf8')).toBe(ours);
    expect(fs.readdirSync(path.dirname(hook())).filter((name) => name.includes('liza'))).toEqual([]);
  });

  test('keeps its no', async () => {
    put(hook(), '#!/bin/sh\n[ "$1" != prepared ] || exit 1\n');
    await install();
    expect(person('branch', 'feature').status).not.toBe(0);
  });

  test('that a tool writes over Liza’s is taken in again', async () => {
    await install();
    put(hook(), theirs(0));
    expect(await examineHook(host(), root, facts)).toBe('missing');
    expect(await install()).toBe('there');
    person('branch', 'feature');
    expect(heard()).toContain('refs/heads/feature');
    expect(agent(root, 'branch', 'other').status).not.toBe(0);
  });

  test('core.hooksPath in the tree: guarded there, other hooks go on, git status stays clean', async () => {
    put(path.join(root, '.githooks/pre-commit'), `#!/bin/sh\necho ran >> '${repo.base}/heard'\n`);
    person('config', 'core.hooksPath', '.githooks');
    person('add', '-A');
    person('commit', '-q', '-m', 'hooks');
    expect(await install()).toBe('there');
    expect(person('status', '--porcelain').stdout).toBe('');
    const told = async () => (await checkHook(host(), root, 'integration', false)).message;
    expect(await told()).toContain('core.hooksPath is relative, so linked worktrees have no hook');
    person('config', 'core.hooksPath', path.join(root, '.githooks'));
    expect(await told()).toBe('guards the branches of people and of Liza');
    expect(agent(root, 'commit', '-q', '--allow-empty', '-m', 'x').status).not.toBe(0);
    expect(person('commit', '-q', '--allow-empty', '-m', 'mine').status).toBe(0);
    expect(heard()).toContain('ran');
    expect(hasHook(realDisk, facts.repository)).toBe(true);
    removeHook(realDisk, facts.repository);
    expect(fs.readdirSync(path.join(root, '.githooks'))).toEqual(['pre-commit']);
  });

  test('one that is part of the repository, and a folder for all repositories, are left alone and told', async () => {
    put(path.join(root, '.githooks', HOOK), theirs(0));
    person('config', 'core.hooksPath', '.githooks');
    person('add', '-A');
    person('commit', '-q', '-m', 'hooks');
    expect(await install()).toBe('tracked');
    person('config', '--unset', 'core.hooksPath');
    fs.appendFileSync(path.join(repo.base, '.gitconfig'), '[core]\n\thooksPath = ~/all\n');
    expect(await install()).toBe('outside');
    expect(fs.existsSync(path.join(repo.base, 'all'))).toBe(false);
  });
});
