// The audit of a goal in lines: what the total says can be found in them.

import { expect, test } from 'vitest';
import type { Fact } from '../../../../src/audit/rules/facts.ts';
import { renderAudit } from '../../../../src/cli/render/audit.ts';
import { task } from '../../boards/empty-board.ts';

const look = { color: false, unicode: true, width: 100 };
const ok: Fact = { mark: 'verified', what: 'claimed', why: 'journal entry 3' };
const open: Fact = { mark: 'verified', what: 'session s1 of coder-1', why: 'journal entry 4', unconfined: true };

test('a task says on its own line how many sessions ran without a sandbox', () => {
  const tasks = [
    { task: { ...task('greet'), status: 'MERGED' as const }, facts: [ok, open, open] },
    { task: { ...task('bow'), status: 'MERGED' as const }, facts: [ok] },
  ];
  const page = renderAudit({ goal: [], tasks }, true, look);
  expect(page).toMatch(/^ {2}MERGED.*3 of 3 facts verified.*NOT CONFINED: 2 sessions$/m);
  expect(page).toMatch(/^ {2}MERGED.*1 of 1 facts verified$/m);
  // Of one task each is a line of its own.
  expect(renderAudit({ goal: [], tasks: tasks.slice(0, 1) }, false, look).match(/NOT CONFINED/g)).toHaveLength(2);
});

test('who merged is told as blame tells it', () => {
  const merged: Fact = { mark: 'verified', what: 'merged, by planner-1, as abc', why: 'journal entry 9' };
  const page = renderAudit({ goal: [merged], tasks: [] }, true, { ...look, width: 120 });
  expect(page).toContain('merged, by Liza (the supervisor of planner-1, not the agent), as abc: journal entry 9');
});
