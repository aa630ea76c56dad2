// Who moved what, past the hook: agents are told of, people are not, and Liza's own merges are no news.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { watchBranches } from '../../../src/identity/branch-watch.ts';
import { findTrouble } from '../../../src/tasks/find-mismatches.ts';
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

describe('planted', () => {
  /** A commit of nobody's task. */
  const other = (): string => {
    p.git('branch', 'other', 'main');
    return p.commitTo('other', { 'x.txt': 'x\n' });
  };
  const planted = async () =>
    (await p.state()).anomalies.flatMap(({ type, details }) => (type === 'git_planted' ? [details] : []));

  test.each([
    ['refs/tags/integration', 'integration'],
    ['refs/integration', 'integration'],
    ['refs/remotes/integration/HEAD', 'integration'],
    ['refs/tags/main', 'main'],
    ['refs/tags/task/t', 'task/t'],
  ])('%s hides %s: told once for each place, and doctor names it', async (ref, hides) => {
    const commit = other();
    agent(p.root, 'update-ref', ref, commit);
    const told = [expect.stringContaining(`${ref} hides ${hides}: your git takes ${commit} for that name`)];
    const heads = watchBranches(p.as('coder-1'));
    expect(await heads.look()).toEqual(told);
    expect(await heads.look()).toEqual([]);
    expect(await planted()).toEqual([{ what: 'hides', at: ref, commit, hides }]);
    const found = await findTrouble(p.as());
    expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ problem: told[0] })]));
    agent(p.root, 'update-ref', ref, p.head('refs/heads/main'));
    expect(await heads.look()).toEqual([expect.stringContaining(p.head('refs/heads/main'))]);
  });

  test('a tag with the short id of a commit that Liza names', async () => {
    const commit = await p.submitted('t');
    agent(p.root, 'tag', commit.slice(0, 12), 'main');
    expect(await look()).toEqual([expect.stringContaining(`hides ${commit}`)]);
    expect(p.git('rev-parse', commit.slice(0, 12))).toBe(p.head('main'));
  });

  test('a replaced commit, and an agent’s notes; a person’s notes and tags are no news', async () => {
    await look();
    const commit = other();
    p.git('tag', 'v1', commit);
    p.git('notes', 'add', '-m', 'mine', 'main');
    expect(await look()).toEqual([]);
    agent(p.root, 'replace', p.head('main'), commit);
    agent(p.root, 'notes', '--ref', 'review', 'add', '-m', 'Reviewed-by: me', 'main');
    expect((await look()).map((line) => line.split(' ', 1)[0]).sort()).toEqual([
      'refs/notes/review',
      `refs/replace/${p.head('main')}`,
    ]);
  });

  test('a file in the git directory that git takes for the branch', async () => {
    const commit = other();
    fs.writeFileSync(p.file('.git', 'integration'), `${commit}\n`);
    expect(p.git('rev-parse', 'integration')).toBe(commit);
    const heads = watchBranches(p.as('coder-1'));
    expect(await heads.look()).toEqual([expect.stringContaining(`${p.file('.git', 'integration')} hides integration`)]);
    expect(await heads.look()).toEqual([]);
  });

  test('a branch that leads nowhere does not blind the watch', async () => {
    fs.writeFileSync(p.file('.git', 'refs', 'heads', 'aaa'), `${'1'.repeat(40)}\n`);
    agent(p.root, 'branch', 'mine', 'integration');
    await look();
    expect(await strays()).toMatchObject([{ agent: 'coder-1', branch: 'mine' }]);
  });

  test('a file in Liza’s own git directory is removed before the next call, and told', async () => {
    const gitDir = await p.gitDir();
    const own = p.file('.git', 'liza', 'git');
    expect(await look()).toEqual([]);
    const evil = p.file('.git', 'evil');
    fs.mkdirSync(evil);
    fs.writeFileSync(`${own}/commondir`, `${evil}\n`);
    fs.writeFileSync(`${own}/info/attributes`, '* filter=evil\n');
    await gitDir.objects(['rev-parse', 'HEAD']);
    expect(fs.existsSync(`${own}/commondir`)).toBe(false);
    const told = await look();
    expect(told).toHaveLength(2);
    expect(told[0]).toContain('was put into Liza’s own git directory; Liza has removed it');
    expect(await look()).toEqual([]);
    expect(await planted()).toMatchObject([{ at: `${own}/commondir` }, { at: `${own}/info/attributes` }]);
  });
});
