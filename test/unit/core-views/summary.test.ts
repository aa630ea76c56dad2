// The summary of a checkpoint and the draft of a retrospective as text, so that a change of wording is seen in review.
// GOLDEN=write writes them anew.

import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { decisionsToTake } from '../../../src/core/deciding.ts';
import { retrospectiveDraft } from '../../../src/core/retrospective.ts';
import { checkpointSummary, summaryFile } from '../../../src/core/summary.ts';
import {
  addReady,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  reject,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toMerged,
  type World,
  world,
} from '../core/world.ts';

function golden(name: string, text: string): void {
  const file = join(import.meta.dirname, 'golden', name);
  if (process.env.GOLDEN === 'write') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

/** A sprint in which something of everything happened, ten minutes apart. */
function busySprint(): World {
  const w = world({ lease_duration: 36_000, review_lease_duration: 36_000 });
  const step = (act: () => unknown): void => {
    w.pass(600);
    act();
  };
  for (const id of ['login', 'export', 'search', 'later']) w.run(PLANNER, addReady(id, { description: `Build ${id}` }));
  w.run(PLANNER, { name: 'plan done' });
  step(() => toApproved(w, 'login'));
  step(() => toMerged(w, 'login'));
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) =>
      task.id === 'login'
        ? {
            ...task,
            history: task.history?.map((e) => (e.event === 'merged' ? { ...e, drift: 2 } : e)) ?? [],
            usage: { sessions: 2, seconds: 300, input_tokens: 90_000, output_tokens: 4000, cost_usd: 0.41 },
          }
        : task,
    ),
  }));
  step(() => w.run(SUPERVISOR, claim('export', 'coder-2')));
  step(() => w.run(OTHER_CODER, begin('export')));
  step(() => w.run(OTHER_CODER, submit('export', commit(0xe1))));
  step(() => w.run(SUPERVISOR, claimReview('export')));
  step(() => w.run(REVIEWER, reject('export', 'src/export.ts:3 — writes <b>HTML</b> | unescaped')));
  step(() => w.run(HUMAN, { name: 'checkpoint', reason: 'a first look' }));
  step(() => w.run(HUMAN, { name: 'resume', decision: 'continue' }));
  step(() => w.run(SUPERVISOR, claim('search')));
  step(() => w.run(CODER, block('search', 'no index\nin the spec `here`')));
  step(() =>
    w.run(CODER, {
      name: 'anomaly',
      type: 'retry_loop',
      task: 'search',
      details: { count: 3, error_pattern: 'EPIPE' },
    }),
  );
  step(() =>
    w.run(OTHER_CODER, {
      name: 'discover',
      description: 'keys in the log',
      severity: 'critical',
      urgency: 'immediate',
    }),
  );
  w.run(supervisorOf('coder-3'), { name: 'trouble', agent: 'coder-3', kind: 'login', detail: 'not signed in' });
  step(() => w.run(HUMAN, { name: 'spec-change', spec: 'specs/retry.md', change: 'three tries' }));
  step(() => w.run(HUMAN, { name: 'checkpoint', reason: 'the second' }));
  return w;
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
    'The circuit breaker is',
    'The integration branch was',
    'The deadline 2026-03-01T11:00:00Z has',
    'search is BLOCKED: no',
    'Discovery disc-1 is urgent',
    'coder-3 has stopped (login):',
  ]);
});
