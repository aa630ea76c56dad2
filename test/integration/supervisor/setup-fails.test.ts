// Set-up that fails only when a review or a merge needs a checkout: people are told, and it is tried again as soon as the
// setting is another one.

import { expect, test } from 'vitest';
import { alarms } from '../../../src/alarms/rules/evaluate.ts';
import { inFull } from '../../runs.ts';
import { SHOWN } from '../../support/project.ts';
import { open, r, UNCHANGED } from './harness.ts';

const FAILS = 'echo E404 not in this registry; exit 3';

const failedParts = async () => ((await r().p.state()).goal.setup_failures ?? []).map(({ part }) => part);
async function told(): Promise<readonly string[]> {
  const { board, now } = await r().p.store.read();
  return alarms(board, now, { lastChange: now })
    .filter(({ name }) => name === 'SET-UP FAILED')
    .map(({ text }) => text);
}

test('for a review copy: an alarm with its output, no session, and the review starts when the setting is mended', async () => {
  await open({
    agents: ['code-reviewer-1'],
    furnish: async (p) => {
      await p.submitted('t');
      await p.config({ post_worktree_cmd: FAILS });
    },
  });
  await r().until('the failure is recorded', async () => (await failedParts()).includes('review'));
  expect(await told()).toContainEqual(expect.stringContaining('E404 not in this registry'));
  expect(r().started).toEqual([]);
  await r().p.config({ post_worktree_cmd: 'true' });
  await r().until('the review starts', () => r().started.length === 1);
  expect(await told()).toEqual([]);
}, 60_000);

test.runIf(inFull)(
  'for a merge: an alarm with its output, nothing merged until the setting is mended (in test:all)',
  async () => {
    const approves = {
      act: async () => {
        const verdict = {
          name: 'submit-verdict',
          task: 't',
          verdict: 'APPROVED',
          reason: SHOWN,
          facts: UNCHANGED,
        } as const;
        await r().p.run('code-reviewer-1', verdict);
        await r().p.config({ post_worktree_cmd: FAILS });
      },
      end: 'exit 0',
    };
    await open({
      files: { 'scripts/integration-test.sh': '#!/bin/sh\n' },
      agents: ['code-reviewer-1'],
      parts: { 'code-reviewer-1': [approves] },
      furnish: async (p) => void (await p.submitted('t')),
    });
    await r().until('the failure is recorded', async () => (await failedParts()).includes('merge'));
    expect(await told()).toContainEqual(expect.stringContaining('E404 not in this registry'));
    expect((await r().p.task('t')).status).toBe('APPROVED');
    await r().p.config({ post_worktree_cmd: 'true' });
    await r().until('the merge', async () => (await r().p.task('t')).status === 'MERGED');
    expect(await told()).toEqual([]);
  },
  60_000,
);
