// Two hosts with clones, locks and folders of their own and one board between them: what one submits the other reviews
// and merges, and both may merge at once.

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Host } from '../../../src/ports/host.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import type { TaskContext } from '../../../src/tasks/context.ts';
import { catchUp } from '../../../src/tasks/exchange/shared-branch.ts';
import { mergeTask } from '../../../src/tasks/merge.ts';
import { reconcile } from '../../../src/tasks/reconcile.ts';
import { inFull, runs } from '../../runs.ts';
import { type Bare, bareRepository, numbers } from '../../support/exchange.ts';
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

test('a host that never had a task gets its folder from the exchange when it starts', async () => {
  const { one, other, there } = hosts([]);
  const commit = await one.submitted('u');
  const mended = succeeded(await reconcile(there('planner-1')));
  expect(mended.filter(({ resists }) => resists !== undefined)).toEqual([]);
  expect(other.git('cat-file', '-t', commit)).toBe('commit');
});

test('it starts, too, where the commit is neither here nor at the exchange, and says so', async () => {
  const { bare, one, there } = hosts([]);
  await one.submitted('u');
  for (const ref of Object.keys(bare.refs('refs/liza'))) bare.git('update-ref', '-d', ref);
  const mended = succeeded(await reconcile(there('planner-1')));
  expect(mended).toContainEqual(
    expect.objectContaining({ subject: 'u', resists: expect.objectContaining({ guard: 'commit' }) }),
  );
});

async function mergeAll(one: Project, context: TaskContext, from: number): Promise<ReadonlyMap<string, number>> {
  const refused = new Map<string, number>();
  for (let n = from; ; n += 1) {
    const { tasks } = await one.state();
    const open = tasks.filter(({ status }) => status === 'APPROVED');
    const next = open[n % Math.min(4, Math.max(1, open.length))];
    if (next === undefined) return refused;
    const ended = await mergeTask(context, next.id, { testFrom: 'base' });
    if ('ok' in ended) refused.set(ended.guard ?? '', (refused.get(ended.guard ?? '') ?? 0) + 1);
  }
}

/** Each task landed once; the branch at the exchange is the recorded merges, and nothing else. */
async function isMergedOnce({ bare, one }: Hosts, names: readonly string[]): Promise<void> {
  const { tasks: live, goal } = await one.state();
  const tasks = [...live, ...(await one.store.archivedTasks())];
  const merges = tasks.flatMap(({ merge_commit: at }) => (at === undefined ? [] : [at]));
  const line = bare.git('rev-list', '--first-parent', '--reverse', INTEGRATION).split('\n');
  const landed = line.slice(line.indexOf(one.head('main')) + 1);
  expect(landed).toHaveLength(names.length);
  expect(merges.toSorted()).toEqual(landed.toSorted());
  expect(goal.integration_head).toBe(landed.at(-1));
  for (const { history = [] } of tasks)
    expect(history.filter(({ event }) => event === 'merged').length).toBeLessThanOrEqual(1);
  const files = bare.git('ls-tree', '--name-only', INTEGRATION).split('\n');
  expect(files).toEqual(expect.arrayContaining(names.map((name) => `${name}.txt`)));
}

const named = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `t${n}`);
/** A person would have to look; nobody did anything wrong here. */
const FALSE_ALARMS = /^(exchange-(refused|moved)|integration-moved)$/;

test.runIf(inFull)(
  'both merge at once: each task lands once, and the branch is the recorded merges (in test:all)',
  async () => {
    const names = named(runs(60));
    const made = hosts(names);
    const { one, there } = made;
    const refused = await Promise.all([
      mergeAll(one, one.as('code-reviewer-1'), 0),
      mergeAll(one, there('code-reviewer-1'), 1),
    ]);
    await isMergedOnce(made, names);
    expect(refused.flatMap((one) => [...one.keys()]).filter((guard) => FALSE_ALARMS.test(guard))).toEqual([]);
  },
  240_000,
);

test.runIf(inFull)(
  'the same with connections that break, lose answers, wait and send twice (in test:all)',
  async () => {
    const names = named(runs(60));
    const made = hosts(names);
    const { bare, one, other, there } = made;
    await one.config({ exchange: `near:${bare.path}` });
    const over = new AbortController();
    const random = numbers(11);
    const ssh = `${process.execPath} ${path.join(import.meta.dirname, 'flaky-ssh.cjs')}`;
    const lines = [one, other].map(({ base, env }) => {
      const file = path.join(base, 'how');
      fs.writeFileSync(file, 'well');
      return { file, env: { ...env, GIT_SSH_COMMAND: ssh, GIT_SSH_VARIANT: 'ssh', FLAKY_SSH: file } };
    });
    const weather = lines.map(async ({ file }) => {
      while (!over.signal.aborted) {
        const how = ['down', 'lost', 'cut-up 300', 'cut-up 900', 'delay 100', 'twice'];
        const isWell = random() < 0.7;
        // Never half of a word.
        fs.writeFileSync(`${file}.new`, isWell ? 'well' : (how[Math.floor(random() * how.length)] ?? 'well'));
        fs.renameSync(`${file}.new`, file);
        await one.context.clock.sleep(100 + random() * 300);
      }
    });
    const refused = await Promise.all([
      mergeAll(one, one.as('code-reviewer-1', { env: lines[0]?.env ?? {} }), 0),
      mergeAll(one, { ...there('code-reviewer-1'), env: lines[1]?.env ?? {} }, 1),
    ]);
    over.abort();
    await Promise.all(weather);
    await isMergedOnce(made, names);
    const guards = refused.flatMap((one) => [...one.keys()]);
    expect(guards).toContain('exchange-unreachable');
    expect(guards.filter((guard) => FALSE_ALARMS.test(guard))).toEqual([]);
  },
  600_000,
);
