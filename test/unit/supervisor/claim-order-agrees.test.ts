// What work.ts promises, the table must grant: a supervisor that is told "claimable" and then refused
// would try the same claim for ever.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Board } from '../../../src/protocol/board.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { AGENT_STATUSES, TASK_STATUSES, type Task } from '../../../src/protocol/state.ts';
import { whyNotClaimable, whyNotReviewable } from '../../../src/supervisor/rules/claim-order.ts';
import { agent, ago, board, COMMIT, event, MINUTE, NOW, task } from '../boards/empty-board.ts';

const someone = fc.constantFrom('coder-1', 'coder-2', 'code-reviewer-1');
const moment = fc.constantFrom(ago(MINUTE), ago(0), ago(-MINUTE));
const sometimes = <T>(arbitrary: fc.Arbitrary<T>, absent = 3) =>
  fc.oneof({ weight: absent, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const FIELDS = fc.record({
  status: fc.oneof(
    fc.constantFrom(...TASK_STATUSES),
    fc.constantFrom('UNCLAIMED' as const, 'CLAIMED' as const, 'REJECTED' as const, 'INTEGRATION_FAILED' as const),
  ),
  assigned_to: sometimes(fc.constantFrom('coder-1', 'coder-2')),
  lease_expires: sometimes(moment),
  epoch: sometimes(fc.constant(1)),
  paused: sometimes(fc.constant(true), 12),
  depends_on: sometimes(fc.constantFrom(['merged'], ['other'], ['archived'])),
  excluded_coders: sometimes(fc.constantFrom(['coder-1'], ['coder-2'])),
  reserved_for: sometimes(fc.constantFrom('coder-1', 'coder-2')),
  failures_current: sometimes(fc.constantFrom(['coder-2'], ['coder-2', 'coder-3'])),
  claiming: sometimes(fc.record({ by: fc.constantFrom('coder-1', 'coder-2'), epoch: fc.constant(2), expires: moment })),
  reviewing_by: sometimes(fc.constantFrom('code-reviewer-1', 'code-reviewer-2')),
  review_lease_expires: sometimes(moment),
  approvals: sometimes(fc.constant([{ by: 'code-reviewer-1', commit: COMMIT, time: ago(0) }])),
});

const AGENT = fc.record({
  status: fc.constantFrom(...AGENT_STATUSES),
  current_task: sometimes(fc.constantFrom('t', 'other', 'unknown')),
  lease_expires: sometimes(moment),
  epoch: sometimes(fc.constant(1)),
});

const RECORD = fc.record({
  task: sometimes(fc.constantFrom('t', 'other')),
  epoch: fc.constantFrom(1, 2),
  expires: moment,
  holder: fc.constantFrom('alive', 'dead', 'unknown'),
});

const BOARD = fc
  .record({
    fields: FIELDS,
    one: AGENT,
    two: AGENT,
    reviewer: AGENT,
    record: sometimes(RECORD),
    owner: someone,
    pause: sometimes(fc.constant(NOW), 12),
  })
  .map((parts): Board => {
    const present = <T extends object>(value: T) =>
      Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined));
    const record = parts.record && [
      { agent: parts.owner, heartbeat: ago(0), ...parts.record, ...present(parts.record) },
    ];
    return board({
      tasks: [
        task('t', {
          spec_ref: 'specs/a.md',
          done_when: 'it is done',
          scope: 'IN: src',
          review_commit: COMMIT,
          history: [event('created', NOW)],
          ...(present(parts.fields) as Partial<Task>),
        }),
        task('other', { status: 'READY_FOR_REVIEW', review_commit: COMMIT }),
        task('merged', { status: 'MERGED', merge_commit: COMMIT }),
      ],
      agents: {
        'coder-1': agent('coder', present(parts.one)),
        'coder-2': agent('coder', present(parts.two)),
        'code-reviewer-1': agent('code_reviewer', present(parts.reviewer)),
      },
      archived: new Map([['archived', 'MERGED']]),
      ...(record === undefined ? {} : { leases: record as never }),
      ...(parts.pause === undefined ? {} : { switches: { PAUSE: parts.pause } }),
    });
  });

const first = (on: Board): Task => on.state.tasks[0] as Task;

it('claimable means that the table grants the reservation', () => {
  const tally = { granted: 0, refused: 0 };
  fc.assert(
    fc.property(BOARD, someone, (on, coder) => {
      const asking = { actor: { id: coder, parts: ['supervisor' as const] }, now: NOW };
      const granted = decide(on, { name: 'reserve-claim', task: 't', agent: coder }, asking);
      const why = whyNotClaimable(on, first(on), coder, NOW);
      expect(why === undefined, `${why} / ${granted.ok ? 'granted' : granted.message}`).toBe(granted.ok);
      tally[granted.ok ? 'granted' : 'refused'] += 1;
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(tally.granted, tally.refused)).toBeGreaterThan(100);
});

it('reviewable means that the table grants the review', () => {
  const tally = { granted: 0, refused: 0 };
  const submitted = BOARD.map((on): Board => {
    const [head, ...rest] = on.state.tasks;
    return { ...on, state: { ...on.state, tasks: [{ ...(head as Task), status: 'READY_FOR_REVIEW' }, ...rest] } };
  });
  fc.assert(
    fc.property(fc.oneof(submitted, BOARD), someone, (on, reviewer) => {
      const asking = { actor: { id: reviewer, parts: ['supervisor' as const] }, now: NOW };
      const granted = decide(on, { name: 'claim-review', task: 't', agent: reviewer }, asking);
      const why = whyNotReviewable(on, first(on), reviewer, NOW);
      // A repeated claim succeeds while a switch is on, because it starts nothing.
      if (granted.ok && granted.already && why !== undefined) return;
      expect(why === undefined, `${why} / ${granted.ok ? 'granted' : granted.message}`).toBe(granted.ok);
      tally[granted.ok ? 'granted' : 'refused'] += 1;
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(tally.granted, tally.refused)).toBeGreaterThan(100);
});
