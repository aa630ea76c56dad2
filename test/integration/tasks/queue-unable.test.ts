// What keeps a test from being run or believed: it is the doing of one task, which leaves, or of nobody in the queue.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import type { Contents } from '../../support/core.mjs';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

const SCRIPT = 'scripts/integration-test.sh';
let p: Project;

function approved(
  files: Contents,
  tasks: Readonly<Record<string, Contents>>,
  executable: Readonly<Record<string, string>> = {},
): void {
  p = project({
    files,
    config: { integration_test_timeout: 60, sandbox: 'off' },
    tasks: (made) => {
      const folder = path.join(made.base, 'made');
      made.git('worktree', 'add', '-q', folder, 'integration');
      for (const [name, text] of Object.entries(executable)) {
        fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
        fs.writeFileSync(path.join(folder, name), text, { mode: 0o755 });
      }
      made.gitIn(folder, 'add', '-A');
      made.gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'programs');
      made.git('worktree', 'remove', '--force', folder);
      return Object.entries(tasks).map(([id, changed]) => approvedTask(made, id, changed));
    },
  });
}

async function mergeAll(): Promise<Readonly<Record<string, string>>> {
  const tasks = async () => (await p.state()).tasks;
  for (let n = 0; n < 4 && (await tasks()).some(({ status }) => status === 'APPROVED'); n++)
    succeeded(await mergeQueue(p.as('code-reviewer-1'), new Set()));
  return Object.fromEntries((await tasks()).map(({ id, status }) => [id, status]));
}

test('a task that takes away what the test is started with leaves, and the others land', async () => {
  const executable = { [SCRIPT]: '#!./tools/run\nexit 0\n', 'tools/run': '#!/bin/sh\nexec sh "$@"\n' };
  approved({}, { a: { 'a.txt': 'a\n' }, b: { 'tools/run': null, 'b.txt': 'b\n' }, c: { 'c.txt': 'c\n' } }, executable);
  expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
  const { reason } = (await p.last('b', 'integration_failed')) ?? {};
  expect(reason).toMatch(/could not be started: .*where the branch is, it can/);
});

test('a task whose test writes beside its checkout leaves; what it wrote is kept', async () => {
  approved(
    { [SCRIPT]: '[ ! -e hook.sh ] || sh hook.sh\n' },
    { a: { 'a.txt': 'a\n' }, b: { 'hook.sh': 'echo x > ../out.log\n' }, c: { 'c.txt': 'c\n' } },
  );
  expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
  const { reason } = (await p.last('b', 'integration_failed')) ?? {};
  expect(reason).toMatch(/not believed: it left .worktrees\/out.log beside its checkout/);
  const kept = fs.readdirSync(p.file('.worktrees')).filter((name) => name.startsWith('.kept-beside-'));
  expect(fs.readdirSync(p.file('.worktrees', kept[0] ?? ''))).toEqual(['out.log']);
});

test('what a person left beside the checkouts holds the queue with its path, and names no task', async () => {
  approved({ [SCRIPT]: 'exit 0\n' }, { a: { 'a.txt': 'a\n' }, b: { 'b.txt': 'b\n' } });
  fs.mkdirSync(p.file('.worktrees'), { recursive: true });
  fs.writeFileSync(p.file('.worktrees', 'mine.log'), 'x');
  const { stopped } = succeeded(await mergeQueue(p.as('code-reviewer-1'), new Set()));
  expect(stopped?.message).toMatch(/mine\.log.*nobody is blamed/);
  expect(queueOf(await p.state()).held).toMatchObject({ by: 'liza', reason: expect.stringContaining('mine.log') });
  fs.rmSync(p.file('.worktrees', 'mine.log'));
  await p.ok(['queue', 'release']);
  expect(await mergeAll()).toEqual({ a: 'MERGED', b: 'MERGED' });
});
