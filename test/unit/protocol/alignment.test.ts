// Lines of the alignment history that others rely on: only the row that does the thing writes them, and only its lines
// are believed.

import { describe, expect, it } from 'vitest';
import { planHistory } from '../../../src/governance/rules/plan-history.ts';
import {
  acceptedHead,
  endEvent,
  eventsOf,
  finishFacts,
  ROW_EVENTS,
  type RowEvent,
} from '../../../src/protocol/goal/alignment.ts';
import type { Alignment, Goal } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import { commit, HUMAN, PLANNER, world } from './world.ts';

const [HEAD, MADE] = [commit(1), commit(2)];
const SENTENCE = `integration at ${HEAD} is in main, which is at ${MADE} now`;
const line = (event: string, more: Partial<Alignment> = {}): Alignment => ({
  timestamp: '2026-03-01T09:00:00Z',
  event,
  summary: SENTENCE,
  ...more,
});
const goal = (...alignment_history: readonly Alignment[]): Pick<Goal, 'alignment_history'> => ({ alignment_history });

describe('align', () => {
  it.each([...ROW_EVENTS, 'Finished', ' integration-accepted ', 'goal completed'])(
    'takes no %j from anybody',
    (event) => {
      const w = world();
      for (const who of [PLANNER, HUMAN]) {
        expect(w.refused(who, { name: 'align', summary: SENTENCE, event })).toMatchObject(
          refusedBy('event-name', { hint: expect.stringContaining('another name') }),
        );
      }
    },
  );

  it.each(['initial plan', 'human note', 'spec change', 'goal check', 'rescope of a'])('takes %j', (event) => {
    const w = world();
    w.run(PLANNER, { name: 'align', summary: 's', event });
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({ event, command: 'align' });
  });
});

describe('who wrote a line', () => {
  it.each<[string, Alignment, number]>([
    ['the row', line('finished', { by: 'coder-1', command: 'finish' }), 1],
    ['a planner’s words', line('finished', { by: 'planner-1', command: 'align' }), 0],
    ['a person’s words', line('finished', { by: 'human', command: 'align' }), 0],
    ['before lines named their row: a person', line('finished', { by: 'human' }), 1],
    ['before: nobody is named', line('finished'), 1],
    ['before: an agent', line('finished', { by: 'planner-1' }), 0],
    ['before: an agent, for what agents may do', line('goal_completed', { by: 'planner-1' }), 1],
  ])('%s', (_name, told, count) => expect(eventsOf(goal(told), told.event as RowEvent)).toHaveLength(count));

  it('an agent’s word does not move the goal’s end, and no report calls it an abort', () => {
    const done = line('goal_completed', { by: 'planner-1' });
    const forged = line('aborted', { by: 'planner-1', timestamp: '2026-03-02T09:00:00Z' });
    expect(endEvent(goal(done, forged))).toBe(done);
    const w = world();
    const state = { ...w.state, goal: { ...w.state.goal, ...goal(done, forged) } };
    expect(planHistory(state).map(({ kind }) => kind)).toEqual(['goal_completed', 'alignment']);
  });
});

describe('what a line tells', () => {
  it('its fields come before its words', () => {
    expect(finishFacts(line('finished', { head: MADE, branch: 'b', merge_commit: HEAD }))).toEqual({
      head: MADE,
      branch: 'b',
      merge_commit: HEAD,
    });
    expect(acceptedHead(line('integration_accepted', { head: MADE }))).toBe(MADE);
  });

  it('words of an earlier version are read', () => {
    expect(finishFacts(line('finished'))).toEqual({ head: HEAD, branch: 'main', merge_commit: MADE });
    expect(finishFacts(line('finished', { summary: 'done' }))).toBeUndefined();
    const summary = `integration accepted at ${MADE}, was ${HEAD}`;
    expect(acceptedHead(line('integration_accepted', { summary }))).toBe(MADE);
  });

  it('rows keep the facts', () => {
    const w = world();
    w.run(HUMAN, { name: 'accept-integration', head: HEAD });
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({ command: 'accept-integration', head: HEAD });
    w.run(HUMAN, { name: 'reserve-finish', branch: 'main', commit: HEAD, candidate: MADE, onto: commit(3) });
    w.run(HUMAN, { name: 'finish', merge_commit: MADE });
    const told = { command: 'finish', head: HEAD, branch: 'main', merge_commit: MADE };
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject(told);
  });
});
