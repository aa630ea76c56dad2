// A goal that agents end over tasks they gave up says so; a goal whose agents worked in a sandbox keeps it.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import { settings } from '../../../src/protocol/state.ts';
import { doneText, statusView } from '../../../src/report/status-view.ts';
import { HUMAN, PLANNER, ready, SUPERVISOR, toMerged, type World } from './world.ts';

const abandon = (task: string) => ({ name: 'abandon', task, rationale: 'not needed' }) as const;

function over(by: Actor): World {
  const w = ready('a', 'b', 'c');
  toMerged(w, 'a');
  w.run(by, abandon('b'));
  w.run(by, abandon('c'));
  w.run(PLANNER, { name: 'goal complete' });
  return w;
}

describe('a planner abandons two of three tasks and completes the goal', () => {
  it('they are not done, and the goal’s history names them with their reason', () => {
    const { board, now } = over(PLANNER);
    expect(doneText(statusView(board, now, []).sprint)).toBe('1/3 tasks done, 2 abandoned');
    expect(board.state.goal.alignment_history).toContainEqual(
      expect.objectContaining({
        event: 'ended_early',
        summary: 'abandoned, not done: b (planner-1: not needed); c (planner-1: not needed)',
      }),
    );
  });

  it('what a person gave up is a person’s decision', () => {
    const { board } = over(HUMAN);
    const told = board.state.goal.alignment_history?.map(({ event }) => event);
    expect(told).not.toContain('ended_early');
  });
});

describe('a session that ran in a sandbox', () => {
  const ended = (sandbox: 'bubblewrap' | 'off'): World => {
    const w = ready('a');
    const stay = { id: 's', since: '2026-03-01T09:00:00Z', sandbox };
    const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
    w.run(SUPERVISOR, { name: 'session-end', agent: 'planner-1', provider: 'p', how: 'exit 0', used, stay });
    return w;
  };

  it('lets no later one run without; a person turns that off', () => {
    const w = ended('bubblewrap');
    expect(settings(w.board.state).sandbox).toBe('kept');
    w.run(HUMAN, { name: 'config set', key: 'sandbox', value: 'off' });
    expect(settings(w.board.state).sandbox).toBe('off');
    w.run(HUMAN, { name: 'config set', key: 'sandbox', value: 'auto' });
    expect(settings(w.board.state).sandbox).toBe('kept');
  });

  it('without one nothing is kept', () => {
    expect(settings(ended('off').board.state).sandbox).toBe('auto');
  });
});
