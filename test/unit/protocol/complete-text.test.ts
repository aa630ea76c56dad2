// The end of a goal in words: what it took comes before what is next.

import { expect, it } from 'vitest';
import { completeText } from '../../../src/protocol/goal/complete-text.ts';
import type { State } from '../../../src/protocol/state.ts';
import { instant } from '../../../src/text/time.ts';
import { board, task } from '../boards/empty-board.ts';

const usage = { sessions: 4, seconds: 90, input_tokens: 9, output_tokens: 9 };

function complete(spent: object): State {
  const { state } = board();
  const rejected = { time: '2026-01-01T10:05:00Z', event: 'rejected', agent: 'code-reviewer-1' };
  return {
    ...state,
    goal: {
      ...state.goal,
      status: 'COMPLETED',
      created: '2026-01-01T10:00:00Z',
      spent: { ...usage, ...spent },
      alignment_history: [
        { timestamp: '2026-01-01T10:12:05Z', event: 'goal_completed', summary: 'done', by: 'planner-1' },
      ],
    },
    tasks: [
      { ...task('a'), status: 'MERGED', history: [rejected] },
      { ...task('b'), status: 'MERGED' },
      { ...task('c'), status: 'ABANDONED' },
    ],
  } as State;
}

const ran = { from: instant('2026-01-01T10:12:00Z'), to: instant('2026-01-01T10:12:12Z') };
const second = (state: State): string | undefined => completeText(state, undefined, ran).split('\n')[1];

it('tells what was merged, how often work was rejected, what it cost and how long the run took', () => {
  expect(second(complete({ cost_usd: 0.421 }))).toBe('2 tasks merged, 1 rejection, $0.42 for the goal, this run 12s');
  expect(second(complete({ cost_usd: 0, uncounted_sessions: 1 }))).toContain(', cost unknown, ');
  expect(second(complete({ cost_usd: 0.421, unpriced_sessions: 1 }))).toContain(', at least $0.42 for the goal, ');
  expect(second(complete({}))).toContain(', cost unknown, ');
});

it('commits of the person’s own are told with the step, and no outcome that nobody knows yet', () => {
  const base = { branch: 'main', integration: 'integration', lacks: 1, ahead: 2 };
  expect(completeText(complete({}), base)).toContain(
    'merge it into main: liza finish; main also has 1 commit of its own, which it keeps: no liza sync is needed',
  );
  expect(completeText(complete({}), { ...base, lacks: 0 })).toMatch(/merge it into main: liza finish$/);
});

it('where nobody ran just now, the time is that from init on, and says so', () => {
  expect(completeText(complete({ cost_usd: 0.421 }), undefined)).toContain(', $0.42, complete 12m 5s after init\n');
});
