// Who moved what, past the hook: agents are told of, people are not, and Liza's own merges are no news.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
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
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'main', commit, from: before }]);
    p.git('reset', '-q', '--hard', before);
    p.git('reflog', 'expire', '--expire=now', '--all');
    p.git('gc', '-q', '--prune=now');
    expect(p.git('cat-file', '-t', commit)).toBe('commit');
    expect(await look()).toEqual([]);
  });

  test('a branch moved to its own submitted commit, by git’s log of who moved it', async () => {
    const commit = await p.submitted('t');
    const from = p.head('main');
    agent(p.folder('t'), 'update-ref', 'refs/heads/main', commit);
    await look();
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'main', commit, from }]);
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
    expect(await strays()).toEqual([{ agent: 'coder-1', branch: 'plumbed', commit, holds: true }]);
  });

  describe('past the log too: whoever moved it looks like a person', () => {
    /** As a process that cleared its environment: git takes the person's name. */
    const cleared = (...args: readonly string[]) => p.git('-c', 'core.hooksPath=/dev/null', ...args);
    /** In the task's folder, under the agent's name. */
    const made = async (): Promise<string> => {
      await p.claim('t');
      agent(p.folder('t'), 'commit', '-q', '--allow-empty', '-m', 'unreviewed');
      return p.head('refs/heads/task/t');
    };
    const holding = (branch: string, commit: string, from?: string) => [
      { agent: 'coder-1', branch, commit, holds: true, ...(from === undefined ? {} : { from }) },
    ];

    test.each(['main', 'other'])('%s moved to work on a task', async (branch) => {
      if (branch === 'other') p.git('branch', branch, 'main');
      const commit = await made();
      const from = p.head(branch);
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      cleared('update-ref', `refs/heads/${branch}`, commit);
      expect(await heads.look()).toEqual([`${branch} holds ${commit}, a commit of coder-1 that Liza did not merge`]);
      expect(await strays()).toEqual(holding(branch, commit, from));
      expect(p.refs('refs/liza/strays')).toEqual({ [`refs/liza/strays/${commit}`]: commit });
      p.git('commit', '-q', '--allow-empty', '-m', 'a person’s, on top');
      expect(await heads.look()).toEqual([]);
      expect(await look()).toEqual([]);
    });

    test('main, seen for the first time after it moved twice, below another commit', async () => {
      await p.config({ base_branch: 'main' });
      const commit = await made();
      cleared('update-ref', 'refs/heads/main', commit);
      p.git('commit', '-q', '--allow-empty', '-m', 'on top');
      await look();
      expect(await strays()).toEqual(holding('main', commit, commit));
    });

    test('a branch deleted and made again', async () => {
      const commit = await made();
      p.git('branch', 'other', 'main');
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      cleared('branch', '-q', '-D', 'other');
      await heads.look();
      cleared('update-ref', 'refs/heads/other', commit);
      await heads.look();
      expect(await strays()).toEqual(holding('other', commit, p.head('main')));
    });

    test('a submitted commit that bears the person’s name, and merges that hold it', async () => {
      const commit = await p.submitted('t');
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      const from = p.head('main');
      cleared('merge', '-q', '--no-ff', '--no-edit', commit);
      expect(await heads.look()).toHaveLength(1);
      expect(await strays()).toEqual(holding('main', commit, from));
    });

    test.each([[['tag', 'v1']], [['tag', '-a', '-m', 'v1', 'v1']]])('git %j', async (args) => {
      const commit = await made();
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      cleared(...args, commit);
      expect(await heads.look()).toHaveLength(1);
      expect(await strays()).toEqual(holding('refs/tags/v1', commit));
    });

    test('a remote’s branch', async () => {
      const from = p.head('main');
      p.git('update-ref', 'refs/remotes/origin/main', from);
      const commit = await made();
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      cleared('update-ref', 'refs/remotes/origin/main', commit);
      expect(await heads.look()).toHaveLength(1);
      expect(await strays()).toEqual(holding('refs/remotes/origin/main', commit, from));
    });

    test('doctor names it', async () => {
      const commit = await made();
      cleared('update-ref', 'refs/heads/main', commit);
      const found = await findTrouble(p.as());
      const problem = `main holds ${commit}, a commit of coder-1 that Liza did not merge`;
      expect(found).toEqual(expect.arrayContaining([expect.objectContaining({ problem })]));
    });
  });

  describe('gone, or elsewhere, while an agent worked without a sandbox', () => {
    const cleared = (...args: readonly string[]) => p.git('-c', 'core.hooksPath=/dev/null', ...args);
    const atWork = (sandbox?: 'confined') => {
      const session = openSession(
        p.context,
        { agent: 'coder-1', role: 'coder', pid: process.pid },
        p.context.clock.now(),
      );
      session.begun(process.pid, sandbox);
      return session;
    };
    const lost = (branch: string, commit: string, how = 'deleted') => ({ agent: 'coder-1', branch, commit, lost: how });
    /** A branch with a commit that no other ref has. */
    const feature = (): string => {
      p.git('branch', 'feature', 'main');
      return p.commitTo('feature', { 'x.txt': 'x\n' });
    };

    test('a branch and a tag are deleted: told once, kept, and the command of the alarm puts them back', async () => {
      const commit = feature();
      p.git('tag', '-a', '-m', 'v1', 'v1', commit);
      const tag = p.git('rev-parse', 'refs/tags/v1');
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      atWork();
      cleared('update-ref', '-d', 'refs/heads/feature');
      cleared('update-ref', '-d', 'refs/tags/v1');
      expect(await heads.look()).toEqual([
        `feature, which was at ${commit}, was deleted while coder-1 worked`,
        `refs/tags/v1, which was at ${tag}, was deleted while coder-1 worked`,
      ]);
      expect(await heads.look()).toEqual([]);
      expect(await strays()).toEqual([lost('feature', commit), lost('refs/tags/v1', tag)]);
      p.git('reflog', 'expire', '--expire=now', '--all');
      p.git('gc', '-q', '--prune=now');
      p.git('update-ref', 'refs/heads/feature', commit);
      p.git('update-ref', 'refs/tags/v1', tag);
      expect(p.git('cat-file', '-t', 'v1')).toBe('tag');
    });

    test('by a session that has ended since; put back and deleted again, once more', async () => {
      const commit = feature();
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      const session = atWork();
      fs.rmSync(p.file('.git/refs/heads/feature'));
      session.over(p.context.clock.now());
      expect(await heads.look()).toHaveLength(1);
      p.pass(10);
      p.git('update-ref', 'refs/heads/feature', commit);
      await heads.look();
      p.pass(10);
      p.git('update-ref', '-d', 'refs/heads/feature');
      expect(await heads.look()).toEqual([]);
      p.git('update-ref', 'refs/heads/feature', commit);
      await heads.look();
      atWork();
      p.git('update-ref', '-d', 'refs/heads/feature');
      expect(await heads.look()).toHaveLength(1);
    });

    test('moved away without a word in git’s log; a tag with or without', async () => {
      const commit = feature();
      const before = p.git('rev-parse', 'main');
      p.git('tag', 'v1', commit);
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      atWork();
      fs.writeFileSync(p.file('.git/refs/heads/feature'), `${before}\n`);
      cleared('tag', '-f', 'v1', before);
      await heads.look();
      expect(await strays()).toEqual([lost('feature', commit, 'moved'), lost('refs/tags/v1', commit, 'moved')]);
    });

    test('not told: people’s commits, resets and deletions where agents are confined, and what a person was told of', async () => {
      feature();
      const heads = watchBranches(p.as('coder-1'));
      await heads.look();
      const session = atWork('confined');
      p.git('branch', '-D', 'feature');
      expect(await heads.look()).toEqual([]);
      session.over(p.context.clock.now());
      atWork();
      agent(p.root, 'branch', 'mine', 'main');
      expect(await heads.look()).toHaveLength(1);
      p.git('branch', '-D', 'mine');
      p.git('commit', '-q', '--allow-empty', '-m', 'a person’s');
      await heads.look();
      p.git('reset', '-q', '--hard', 'HEAD~1');
      p.git('update-ref', 'refs/remotes/origin/x', 'main');
      await heads.look();
      p.git('update-ref', '-d', 'refs/remotes/origin/x');
      expect(await heads.look()).toEqual([]);
      expect(await strays()).toHaveLength(1);
    });
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

  test('people on their branches, looking at agents’ work and taking it over as their own', async () => {
    const commit = await p.submitted('t');
    const heads = watchBranches(p.as('coder-1'));
    expect(await heads.look()).toEqual([]);
    p.git('commit', '-q', '--allow-empty', '-m', 'a person’s');
    p.git('branch', 'copy', commit);
    p.git('checkout', '-q', '-b', 'picked', 'HEAD~1');
    p.git('cherry-pick', '--allow-empty', commit);
    p.git('branch', 'ahead', 'integration');
    expect(await heads.look()).toEqual([]);
    p.git('commit', '-q', '--amend', '--allow-empty', '-m', 'amended');
    p.git('rebase', '-q', 'main');
    p.git('checkout', '-q', 'copy');
    p.git('commit', '-q', '--allow-empty', '-m', 'on top of it');
    p.git('push', '-q', '.', 'refs/heads/copy:refs/remotes/origin/copy');
    expect(await heads.look()).toEqual([]);
    await quiet();
  });

  test('a person’s commit that a coder has taken into its own history', async () => {
    await p.claim('t');
    p.git('commit', '-q', '--allow-empty', '-m', 'a person’s');
    agent(p.folder('t'), 'merge', '-q', '--ff-only', 'refs/heads/main');
    await quiet();
  });

  test('what another crew merged, and a person pulled', async () => {
    const tree = p.git('rev-parse', 'main^{tree}');
    const theirs = agent(p.root, 'commit-tree', tree, '-p', 'main', '-m', 'elsewhere');
    await look();
    p.git('update-ref', 'refs/remotes/origin/main', theirs);
    p.git('merge', '-q', '--ff-only', 'refs/remotes/origin/main');
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
