// The summary of a checkpoint and the draft of a retrospective as text, so that a change of wording is seen in review.
// GOLDEN=write writes them anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { checkpointSummary, summaryFile } from '../../../src/governance/rules/checkpoint-summary.ts';
import { decisionsToTake } from '../../../src/governance/rules/open-decisions.ts';
import { retrospectiveDraft } from '../../../src/governance/rules/retrospective-draft.ts';
import { busySprint } from '../boards/busy-sprint.ts';
import { commit, HUMAN, world } from '../protocol/world.ts';

function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, 'golden', name);
  if (process.env.GOLDEN === 'write') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

it('a checkpoint in the middle of a sprint', () => {
  const w = busySprint();
  golden('checkpoint.md', checkpointSummary(w.state, [], w.now));
  expect(summaryFile(w.state)).toBe('2026-03-01T113000Z-sprint-1.md');
});

it('an empty board', () => {
  const w = world();
  w.run(HUMAN, { name: 'checkpoint' });
  golden('checkpoint-empty.md', checkpointSummary(w.state, [], w.now));
});

it('a retrospective from the shipped template', () => {
  const w = busySprint();
  const template = readFileSync(resolve(import.meta.dirname, '../../../templates/retrospective.md'), 'utf8');
  golden('retrospective.md', retrospectiveDraft(template, w.state, [], w.now));
});

it('a template without the known headings gets them at its end', () => {
  const text = retrospectiveDraft('# Ours\n', world().state, [], world().now);
  expect(text.match(/^## .*/gm)).toEqual(['## The numbers', '## What cost most', '## Patterns', '## For the specs']);
});

it('what waits for a person, most urgent first', () => {
  const w = busySprint();
  w.edit((state) => ({
    ...state,
    goal: { ...state.goal, integration_moved: { expected: commit(1), found: commit(2), time: '2026-03-01T11:00:00Z' } },
    circuit_breaker: { status: 'TRIGGERED' },
    sprint: { ...state.sprint, timeline: { ...state.sprint.timeline, deadline: '2026-03-01T11:00:00Z' } },
  }));
  expect(decisionsToTake(w.state, w.now).map((line) => line.split(' ').slice(0, 4).join(' '))).toEqual([
    'search is BLOCKED: no',
    'The circuit breaker is',
    'The integration branch was',
    'The deadline 2026-03-01T11:00:00Z has',
    'Discovery disc-1 is urgent',
    'coder-3 has stopped (login):',
  ]);
});

it('every open discovery is in the summary, whole; those that hold the goal back are to be decided', () => {
  const w = world();
  const long = `a leak ${'x '.repeat(200)}end`;
  w.edit((state) => ({
    ...state,
    discovered: [
      { id: 'disc-1', by: 'coder-1', description: 'a typo', severity: 'low' },
      { id: 'disc-2', by: 'coder-1', description: long, severity: 'high', recommendation: 'close it' },
      { id: 'disc-3', by: 'coder-1', description: 'known', severity: 'high', dismissed_reason: 'known' },
    ],
  }));
  const text = checkpointSummary(w.state, [], w.now);
  expect(text).toContain(`- **disc-2** (high, by coder-1): ${long}; recommends: close it`);
  expect(text).toContain('- **disc-1** (low, by coder-1): a typo');
  expect(text).not.toContain('disc-3');
  expect(decisionsToTake(w.state, w.now)).toEqual([expect.stringMatching(/^Discovery disc-2 is open, high: a leak/)]);
});
