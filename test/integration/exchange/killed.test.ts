// A merge that is killed at each of its steps, with its git left to itself: afterwards the same command finishes it, once,
// and the exchange, the branch here and the board agree.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { inFull } from '../../runs.ts';
import { bareRepository } from '../../support/exchange.ts';
import { program } from '../../support/program.ts';
import { approvedTask, type Project, project, snapshotOf } from '../../support/project.ts';
import { INTEGRATION } from '../../support/repository.ts';

const PRELOAD = path.join(import.meta.dirname, 'kill-at-step.cjs');
let p: Project;
let hub: string;
let putBack: () => void;

beforeAll(async () => {
  p = project({
    tasks: (made) => {
      made.git('branch', 'base', 'integration');
      const base = made.head();
      made.commitTo('integration', { 'o.txt': 'o\n' });
      return [approvedTask(made, 't', { 'a.txt': 'a\n' }, base)];
    },
    config: { exchange: 'hub', test_command: 'true', sandbox: 'off' },
  });
  hub = path.join(p.base, 'hub.git');
  fs.renameSync(bareRepository().path, hub);
  p.git('remote', 'add', 'hub', hub);
  p.git('push', '--quiet', 'hub', 'integration');
  await p.config({ tdd: 'off' });
  putBack = snapshotOf(p);
});
beforeEach(() => putBack());

function merge(more: Readonly<Record<string, string>> = {}, preload: readonly string[] = []) {
  const env = { ...p.env, LIZA_AGENT_ID: 'code-reviewer-1', ...more };
  const argv = [...preload, program(), 'wt', 'merge', 't'];
  return spawnSync(process.execPath, argv, { cwd: p.root, env: env as NodeJS.ProcessEnv, encoding: 'utf8' });
}

async function isMergedOnce(): Promise<void> {
  const head = p.head();
  expect(p.gitIn(hub, 'rev-parse', INTEGRATION)).toBe(head);
  const { status, merge_commit, history = [], merging } = await p.task('t');
  expect([status, merge_commit, merging]).toEqual(['MERGED', head, undefined]);
  expect(history.filter(({ event }) => event === 'merged')).toHaveLength(1);
  expect((await p.state()).goal.integration_head).toBe(head);
  expect(p.git('rev-list', '--count', '--merges', 'integration')).toBe('1');
  expect(p.refs('refs/liza/merging')).toEqual({});
}

function steps(): readonly string[] {
  const list = path.join(p.base, 'steps');
  const { status, stderr } = merge({ STEPS: list }, ['--require', PRELOAD]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return fs.readFileSync(list, 'utf8').trim().split('\n');
}

test('nobody kills it: merged once', async () => {
  const found = steps();
  expect(found.filter((step) => step === 'before push')).toHaveLength(2);
  await isMergedOnce();
});

test('killed at each step: the next command finishes it', async () => {
  const found = steps();
  const told: string[] = [];
  for (const [n, step] of found.entries()) {
    // In a short run those around the exchange; each of them differs.
    if (!inFull && !/push|board/.test(step)) continue;
    putBack();
    const killed = merge({ KILL_AT: String(n + 1) }, ['--require', PRELOAD]);
    expect([step, killed.signal]).toEqual([step, 'SIGKILL']);
    const again = merge();
    if (again.status !== 0) told.push(`${n + 1} ${step}: ${again.status} ${again.stderr}`);
    else await isMergedOnce();
  }
  expect(told).toEqual([]);
}, 300_000);
