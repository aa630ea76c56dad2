// A merge, or a sync, that is killed at each of its steps, with its git left to itself: afterwards the same command finishes it, once,
// and the exchange, the branch here and the board agree.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, expect, vi } from 'vitest';
import { firstRow, inFull } from '../../runs.ts';
import { bareRepository } from '../../support/exchange.ts';
import { program } from '../../support/program.ts';
import { approvedTask, type Project, project, snapshotOf } from '../../support/project.ts';
import { INTEGRATION } from '../../support/repository.ts';

const PRELOAD = path.join(import.meta.dirname, 'kill-at-step.cjs');
// Each step is two runs of the program.
vi.setConfig({ testTimeout: 600_000 });

let p: Project;
let hub: string;
let putBack: () => void;

beforeAll(async () => {
  p = project({
    tasks: (made) => {
      const base = made.head();
      made.commitTo('integration', { 'o.txt': 'o\n' });
      return [approvedTask(made, 't', { 'a.txt': 'a\n' }, base)];
    },
    config: { exchange: 'hub', test_command: 'true', sandbox: 'off', base_branch: 'main' },
  });
  p.commitTo('main', { 'm.txt': 'm\n' });
  hub = path.join(p.base, 'hub.git');
  fs.renameSync(bareRepository().path, hub);
  p.git('remote', 'add', 'hub', hub);
  p.git('push', '--quiet', 'hub', 'integration');
  await p.config({ tdd: 'off' });
  putBack = snapshotOf(p);
});
beforeEach(() => putBack());

interface Row {
  readonly name: string;
  readonly argv: readonly string[];
  readonly as: Readonly<Record<string, string>>;
  /** What is so afterwards, besides what is so after each. */
  readonly check: (head: string) => Promise<void>;
}

const ROWS: readonly Row[] = [
  {
    name: 'merge',
    argv: ['wt', 'merge', 't'],
    as: { LIZA_AGENT_ID: 'code-reviewer-1' },
    check: async (head) => {
      const { status, merge_commit, history = [], merging } = await p.task('t');
      expect([status, merge_commit, merging]).toEqual(['MERGED', head, undefined]);
      expect(history.filter(({ event }) => event === 'merged')).toHaveLength(1);
    },
  },
  {
    name: 'sync',
    argv: ['sync'],
    as: {},
    check: async (head) => {
      expect(p.git('rev-parse', `${head}^2`)).toBe(p.head('main'));
      expect((await p.state()).goal.moving).toBeUndefined();
    },
  },
];

function run({ argv, as }: Row, more: Readonly<Record<string, string>> = {}, preload: readonly string[] = []) {
  const env = { ...p.env, ...as, ...more };
  const all = [...preload, program(), ...argv];
  return spawnSync(process.execPath, all, { cwd: p.root, env: env as NodeJS.ProcessEnv, encoding: 'utf8' });
}

async function isDoneOnce(row: Row): Promise<void> {
  const head = p.head();
  expect(p.gitIn(hub, 'rev-parse', INTEGRATION)).toBe(head);
  expect((await p.state()).goal.integration_head).toBe(head);
  expect(p.git('rev-list', '--count', '--merges', 'integration')).toBe('1');
  expect(p.refs('refs/liza/merging')).toEqual({});
  await row.check(head);
}

async function steps(row: Row): Promise<readonly string[]> {
  const list = path.join(p.base, 'steps');
  const { status, stderr } = run(row, { STEPS: list }, ['--require', PRELOAD]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  await isDoneOnce(row);
  return fs.readFileSync(list, 'utf8').trim().split('\n');
}

firstRow(
  ROWS,
  ({ name }) => `a ${name} killed at each step: the next command finishes it`,
  async (row) => {
    const found = await steps(row);
    expect(found.filter((step) => step === 'before push')).toHaveLength(2);
    const told: string[] = [];
    for (const [n, step] of found.entries()) {
      // In a short run those around the exchange and the board.
      if (!inFull && !/push|board/.test(step)) continue;
      putBack();
      const killed = run(row, { KILL_AT: String(n + 1) }, ['--require', PRELOAD]);
      expect([step, killed.signal]).toEqual([step, 'SIGKILL']);
      const again = run(row);
      if (again.status !== 0) told.push(`${n + 1} ${step}: ${again.status} ${again.stderr}`);
      else await isDoneOnce(row);
    }
    expect(told).toEqual([]);
  },
);
