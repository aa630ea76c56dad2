// Two hosts with clones, locks and folders of their own and one board between them: what one submits the other reviews
// and merges, and both may merge at once.

import { spawn } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import type { Host } from '../../../src/ports/host.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { catchUp } from '../../../src/tasks/exchange/shared-branch.ts';
import { mergeTask } from '../../../src/tasks/merge.ts';
import { runs } from '../../runs.ts';
import { type Bare, bareRepository } from '../../support/exchange.ts';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';
import { INTEGRATION } from '../../support/repository.ts';

interface Hosts {
  readonly bare: Bare;
  readonly one: Project;
  readonly other: Project;
  /** On the second host, with the board of the first. */
  there(id?: string): TaskContext;
}

function hosts(tasks: readonly string[]): Hosts {
  const bare = bareRepository();
  const one = project({
    tasks: (made) => [...tasks.map((id) => approvedTask(made, id, { [`${id}.txt`]: `${id}\n` })), 'u'],
    config: { exchange: bare.path },
  });
  if (tasks.length > 0) one.git('push', '--quiet', bare.path, 'refs/liza/*:refs/liza/*');
  const other = project({ tasks: [] });
  // Another process, as the board names who merges.
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const processes = { ...other.context.processes, pid: child.pid ?? 0 } satisfies Host['processes'];
  return { bare, one, other, there: (id) => other.as(id, { store: one.store, processes }) };
}

test('what one host submits, the other reviews and merges, and the first one follows', async () => {
  const { bare, one, other, there } = hosts([]);
  const commit = await one.submitted('u');
  const claimed = succeeded(await claimReview(there('code-reviewer-1'), 'u', 'code-reviewer-1'));
  expect([claimed.commit, other.git('cat-file', '-t', commit)]).toEqual([commit, 'commit']);
  await one.approve('u');
  const merged = succeeded(await mergeTask(there('code-reviewer-1'), 'u', { testFrom: 'base' }));
  expect([other.head(), bare.refs()[INTEGRATION]]).toEqual([merged.commit, merged.commit]);
  expect(one.head()).not.toBe(merged.commit);
  expect(await catchUp(one.as('planner-1'))).toBeUndefined();
  expect(one.head()).toBe(merged.commit);
});

test('both merge at once: each task lands once, and the branch is the recorded merges', async () => {
  const names = Array.from({ length: runs(60) }, (_, n) => `t${n}`);
  const { bare, one, there } = hosts(names);
  const refused = new Map<string, number>();

  async function mergeAll(context: TaskContext, from: number): Promise<void> {
    for (let n = from; ; n += 1) {
      const { tasks } = await one.state();
      const open = tasks.filter(({ status }) => status === 'APPROVED');
      const next = open[n % Math.min(4, Math.max(1, open.length))];
      if (next === undefined) return;
      const ended = await mergeTask(context, next.id, { testFrom: 'base' });
      if ('ok' in ended) refused.set(ended.guard ?? '', (refused.get(ended.guard ?? '') ?? 0) + 1);
    }
  }

  await Promise.all([mergeAll(one.as('code-reviewer-1'), 0), mergeAll(there('code-reviewer-1'), 1)]);
  const { tasks: live, goal } = await one.state();
  const tasks = [...live, ...(await one.store.archivedTasks())];
  const merges = tasks.flatMap(({ id, merge_commit: at }) => (at === undefined ? [] : [`${at} ${id}`]));
  expect(merges).toHaveLength(names.length);
  const line = bare.git('rev-list', '--first-parent', '--reverse', INTEGRATION).split('\n');
  const landed = line.slice(line.indexOf(one.head('main')) + 1);
  expect(new Set(merges.map((one) => one.split(' ')[0]))).toEqual(new Set(landed));
  expect(landed).toHaveLength(names.length);
  expect(goal.integration_head).toBe(landed.at(-1));
  for (const { history = [] } of tasks)
    expect(history.filter(({ event }) => event === 'merged').length).toBeLessThanOrEqual(1);
  const files = bare.git('ls-tree', '--name-only', INTEGRATION).split('\n');
  expect(files).toEqual(expect.arrayContaining(names.map((name) => `${name}.txt`)));
  expect([...refused.keys()].filter((guard) => /^(exchange-(refused|moved)|integration-moved)$/.test(guard))).toEqual(
    [],
  );
}, 240_000);
