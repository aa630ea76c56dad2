// Who moved what, past the hook: agents are told of, people are not, and Liza's own merges are no news.

import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, test } from 'vitest';
import { watchBranches } from '../../../src/identity/branch-watch.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;
beforeEach(() => {
  p = project({ tasks: ['t', 'u'] });
});

/** As an agent's own git: its name on commits and in git's log, and no hook in its way. */
function agent(folder: string, ...args: readonly string[]): string {
  const who = { GIT_AUTHOR_NAME: 'coder-1', GIT_AUTHOR_EMAIL: 'coder-1@liza.invalid' };
  const env = { ...p.env, ...who, GIT_COMMITTER_NAME: 'coder-1', GIT_COMMITTER_EMAIL: 'coder-1@liza.invalid' };
  const argv = ['-C', folder, '-c', 'core.hooksPath=/dev/null', ...args];
  return execFileSync('git', argv, { env, encoding: 'utf8', stdio: 'pipe' }).trim();
}
const look = () => watchBranches(p.as('coder-1')).look();
const strays = async () =>
  (await p.state()).anomalies.flatMap(({ type, details }) => (type === 'branch_moved' ? [details] : []));

describe('told', () => {
  test('a commit on main: once, with the commit kept although main is put back', async () => {
    const before = p.head('main');
    agent(p.root, 'commit', '-q', '--allow-empty', '-m', 'lost');
    const commit = p.head('main');
    const heads = watchBranches(p.as('coder-1'));
    expect(await heads.look()).toEqual([`main was moved by coder-1 to ${commit}`]);
    expect(await heads.look()).toEqual([]);
    expect(await look()).toEqual([]);
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'main', commit }]);
    p.git('reset', '-q', '--hard', before);
    p.git('reflog', 'expire', '--expire=now', '--all');
    p.git('gc', '-q', '--prune=now');
    expect(p.git('cat-file', '-t', commit)).toBe('commit');
    expect(await look()).toEqual([]);
  });

  test('a branch moved to its own submitted commit, by git’s log of who moved it', async () => {
    const commit = await p.submitted('t');
    agent(p.folder('t'), 'update-ref', 'refs/heads/main', commit);
    await look();
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'main', commit }]);
  });

  test('a branch of its own making', async () => {
    agent(p.root, 'branch', 'mine', 'integration');
    await look();
    expect(await strays()).toMatchObject([{ agent: 'coder-1', branch: 'mine' }]);
  });

  test('without a log: a commit of an agent that is part of no work Liza has seen', async () => {
    const tree = p.git('rev-parse', 'main^{tree}');
    const commit = agent(p.root, 'commit-tree', tree, '-p', 'main', '-m', 'plumbed');
    agent(p.root, '-c', 'core.logAllRefUpdates=false', 'update-ref', 'refs/heads/plumbed', commit);
    await look();
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'plumbed', commit }]);
  });

  test('integration: merging stops, both heads are named, and what it holds is kept', async () => {
    await p.approved('t');
    const left = p.head();
    agent(p.root, 'update-ref', 'refs/heads/integration', agent(p.root, 'commit-tree', 'HEAD^{tree}', '-m', 'mine'));
    const found = p.head();
    expect(await look()).toEqual([expect.stringContaining(`moved to ${found}; Liza left it at ${left}`)]);
    expect((await p.state()).goal.integration_moved).toMatchObject({ expected: left, found });
    expect(p.refs('refs/liza/strays')).toEqual({ [`refs/liza/strays/${found}`]: found });
    expect(await p.merge('t')).toMatchObject({ ok: false });
    expect(p.head()).toBe(found);
  });
});

describe('not told', () => {
  const quiet = async () => {
    expect(await look()).toEqual([]);
    expect(await strays()).toEqual([]);
    expect((await p.state()).goal.integration_moved).toBeUndefined();
  };

  test('people on their branches, merging and taking over agents’ work as they like', async () => {
    const commit = await p.submitted('t');
    p.git('commit', '-q', '--allow-empty', '-m', 'a person’s');
    p.git('branch', 'copy', commit);
    p.git('merge', '-q', '--no-edit', commit);
    p.git('checkout', '-q', '-b', 'picked', 'HEAD~1');
    p.git('cherry-pick', '--allow-empty', commit);
    p.git('branch', 'ahead', 'integration');
    await quiet();
  });

  test('merges of Liza’s own, and main brought up to them', async () => {
    await p.approved('t');
    await p.approved('u', { 'src/u.ts': 'u\n', 'test/u.test.ts': 'u\n' });
    for (const task of ['t', 'u']) succeeded(await p.merge(task));
    p.git('merge', '-q', '--no-edit', 'integration');
    await quiet();
  });

  test('agents on their own task’s branch', async () => {
    await p.claim('t');
    agent(p.folder('t'), 'commit', '-q', '--allow-empty', '-m', 'work');
    await quiet();
  });
});
