// Set-up that fails for what tasks are together: the batch is searched as for a red test. Where it fails on the branch,
// too, nothing is known of anybody.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { queueOf } from '../../../src/protocol/queue/order.ts';
import { mergeQueue } from '../../../src/tasks/merge.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { approvedTask, type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

function approved(post_worktree_cmd: string, tests = true): void {
  const script = 'scripts/integration-test.sh';
  p = project({
    files: tests ? { [script]: 'true\n' } : { 'README.md': 'x\n' },
    config: { integration_test_timeout: 60, post_worktree_cmd, ...(tests ? {} : { test_command: 'true' }) },
    tasks: (made) => ['a', 'b', 'c'].map((id) => approvedTask(made, id, { [`${id}.txt`]: `${id}\n` })),
  });
}

const merge = () => mergeQueue(p.as('code-reviewer-1'), new Set());
const statuses = async () => Object.fromEntries((await p.state()).tasks.map(({ id, status }) => [id, status]));
const waits = async () => Object.values(await statuses()).includes('APPROVED');

const TOGETHER = '[ ! -e a.txt ] || [ ! -e b.txt ] || { echo "a and b do not fit"; exit 1; }';

for (const tests of inFull ? [true, false] : [true]) {
  const by = tests ? 'the integration test' : 'test_command';
  test(`the one that does not fit leaves with the log, the others land; judged by ${by}`, async () => {
    approved(TOGETHER, tests);
    for (let times = 0; times < 4 && (await waits()); times++) succeeded(await merge());
    expect(await statuses()).toEqual({ a: 'MERGED', b: 'INTEGRATION_FAILED', c: 'MERGED' });
    const failed = await p.last('b', 'integration_failed');
    expect(failed).toMatchObject({
      reason: expect.stringMatching(
        /^set-up fails for it: .* ended with 1; at [0-9a-f]{12}, where the branch is, it works/,
      ),
      output: expect.stringContaining('a and b do not fit'),
    });
    expect(fs.readFileSync(p.file(String(failed?.['log'])), 'utf8')).toContain('a and b do not fit');
    expect((await p.state()).goal.setup_failures).toBeUndefined();
  });
}

test('set-up that fails on the branch, too, blames nobody: all wait, and a person is told', async () => {
  approved('echo "the registry is down"; exit 1');
  expect(succeeded(await merge()).stopped).toMatchObject(refusedBy('post-worktree-cmd', { code: 3 }));
  expect(await statuses()).toEqual({ a: 'APPROVED', b: 'APPROVED', c: 'APPROVED' });
  const { goal } = await p.state();
  expect(goal.setup_failures).toMatchObject([
    { part: 'merge', output: expect.stringContaining('the registry is down') },
  ]);
  expect(queueOf({ goal }).batch).toBeUndefined();
});

test('set-up of the branch itself that fails now and then is not compared with itself', async () => {
  approved('n=$(cat "$HOME/n" 2>/dev/null | wc -l); echo x >> "$HOME/n"; [ $((n % 2)) = 1 ]');
  for (let times = 0; times < 4 && queueOf(await p.state()).held === undefined; times++) succeeded(await merge());
  expect(await statuses()).toEqual({ a: 'APPROVED', b: 'APPROVED', c: 'APPROVED' });
  const reason = queueOf(await p.state()).held?.reason;
  expect(reason).toMatch(/is red without any of them at .*: set-up fails for it: .*; once more it works;/);
});
