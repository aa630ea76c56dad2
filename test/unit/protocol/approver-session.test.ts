// What was approved in a session lands when that session is over, whoever merges.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { queueView } from '../../../src/protocol/queue/tell.ts';
import { approverInSession, unsettled } from '../../../src/protocol/review/approver-session.ts';
import { settings } from '../../../src/protocol/state.ts';
import { isMoving, survey } from '../../../src/supervisor/rules/idle-survey.ts';
import { nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  approve,
  BASE,
  claimReview,
  commit,
  HUMAN,
  MERGE,
  REVIEWER,
  ready,
  reserveMerge,
  SUPERVISOR,
  supervisorOf,
  toReady,
  type World,
  world,
} from './world.ts';

const FIRST = 'code-reviewer-1';
const SECOND = 'code-reviewer-2';
const reviewer = (id: string) => ({ ...REVIEWER, id });

const begins = (w: World, agent: string, task: string): void => {
  w.run(supervisorOf(agent), { name: 'session-start', agent, task });
};
const ends = (w: World, agent: string, task: string): void => {
  const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
  w.run(supervisorOf(agent), { name: 'session-end', agent, task, provider: 'p', how: 'exit 0', used });
};
/** A session of its own reviews it, and goes on. */
function approves(w: World, agent: string, task: string): void {
  w.run(SUPERVISOR, claimReview(task, agent));
  begins(w, agent, task);
  w.pass(1);
  w.run(reviewer(agent), approve(task));
  w.pass(1);
}
/** a: its approver's session is over; b: the other one's goes on. */
function both(): World {
  const w = ready('a', 'b');
  for (const id of ['a', 'b']) toReady(w, id, id === 'a' ? 'coder-1' : 'coder-2');
  approves(w, SECOND, 'b');
  approves(w, FIRST, 'a');
  ends(w, FIRST, 'a');
  return w;
}
const owed = (w: World, agent: string, role: 'code_reviewer' | 'coder' = 'code_reviewer'): readonly string[] => {
  const duty = nextDuty(w.board, { agent, role, postponed: new Set<string>() }, w.now);
  return duty.kind === 'merge' ? duty.tasks.map(({ id }) => id) : [];
};
const batch: Command = {
  ...(reserveMerge('b', MERGE, commit(0x1a)) as Command & { name: 'reserve-merge' }),
  before: [{ task: 'a', candidate: commit(0x1a), onto: BASE }],
};

describe('while a session in which it was approved still runs', () => {
  it('nobody merges it: neither its approver’s supervisor, nor another’s batch, nor a person', () => {
    const w = both();
    expect([...unsettled(w.board, w.now)]).toEqual([['b', SECOND]]);
    const fact = `${SECOND} approved b in a session that still runs, and may take that back there`;
    for (const actor of [SUPERVISOR, supervisorOf(FIRST), supervisorOf(SECOND), HUMAN])
      for (const command of [reserveMerge('b'), batch])
        expect(w.refused(actor, command)).toMatchObject({
          ...refusedBy('session-over'),
          message: `wt merge b refused: ${fact}`,
        });
    expect(w.refused(HUMAN, reserveMerge('b')).hint).toBe('Wait for its end, or end it: liza stop');
    w.run(supervisorOf(FIRST), reserveMerge('a'));
  });

  it('it is not tested ahead either', () => {
    const w = both();
    w.edit((state) => ({ ...state, config: { ...state.config, merge_lanes: 2 } }));
    w.run(supervisorOf(FIRST), reserveMerge('a', commit(0x1a), BASE, 'boot/7/100'));
    const ahead: Command = { name: 'merge-ahead', task: 'b', candidate: MERGE, onto: commit(0x1a) } as Command;
    expect(w.refused(supervisorOf(SECOND), ahead)).toMatchObject(refusedBy('session-over'));
    ends(w, SECOND, 'b');
    w.run(supervisorOf(SECOND), ahead);
  });

  it('it is nobody’s duty; the queue says why it waits', () => {
    const w = both();
    expect([owed(w, FIRST), owed(w, SECOND)]).toEqual([['a'], ['a']]);
    expect(queueView(w.board, settings(w.state), w.now).waiting).toMatchObject([
      { task: 'b', why: `${SECOND} approved b in a session that still runs, and may take that back there` },
      { task: 'a' },
    ]);
  });

  it('its end makes it anybody’s to merge', () => {
    const w = both();
    ends(w, SECOND, 'b');
    expect(owed(w, FIRST)).toEqual(['a', 'b']);
    w.run(supervisorOf(FIRST), batch);
  });

  it('a rejection there counts', () => {
    const w = both();
    w.run(reviewer(SECOND), { name: 'second-verdict', task: 'b', verdict: 'REJECTED', reason: 'a backdoor' });
    expect(w.task('b').status).toBe('BLOCKED');
  });

  it('with several approvals it waits for every one of them, and the next review for the session before', () => {
    for (const open of [FIRST, SECOND]) {
      const w = ready('a');
      w.edit((state) => ({ ...state, config: { ...state.config, reviewers_required: 2 } }));
      toReady(w, 'a');
      approves(w, FIRST, 'a');
      expect(w.refused(SUPERVISOR, claimReview('a', SECOND))).toMatchObject(refusedBy('session-over'));
      expect(isMoving(survey(w.board, w.now))).toBe(true);
      const { under_way } = w.agent(FIRST);
      ends(w, FIRST, 'a');
      approves(w, SECOND, 'a');
      if (open === FIRST) {
        // As on a board of an earlier version, which let the second begin.
        ends(w, SECOND, 'a');
        w.edit((state) => ({ ...state, agents: { ...state.agents, [FIRST]: { ...w.agent(FIRST), under_way } } }));
      }
      expect(approverInSession(w.board, w.task('a'), w.now)).toBe(open);
      expect(owed(w, SECOND)).toEqual([]);
      expect(w.refused(supervisorOf(SECOND), reserveMerge('a'))).toMatchObject(refusedBy('session-over'));
      ends(w, open, 'a');
      expect(owed(w, SECOND)).toEqual(['a']);
      w.run(supervisorOf(SECOND), reserveMerge('a'));
    }
  });

  it('with several approvals wanted, a rejection after the first one counts', () => {
    const w = ready('a');
    w.edit((state) => ({ ...state, config: { ...state.config, reviewers_required: 2 } }));
    toReady(w, 'a');
    approves(w, FIRST, 'a');
    w.run(reviewer(FIRST), { name: 'second-verdict', task: 'a', verdict: 'REJECTED', reason: 'a backdoor' });
    expect(w.task('a').status).toBe('BLOCKED');
  });
});

describe('nothing waits for ever', () => {
  it('an approver whose supervisor is gone holds nothing: anybody merges', () => {
    for (const gone of ['lease', 'process', 'registration'] as const) {
      const w = both();
      ends(w, FIRST, 'a');
      if (gone === 'lease') w.pass(601);
      if (gone === 'process') {
        w.edit((state) => {
          const agent = {
            ...state.agents[SECOND],
            role: 'code_reviewer',
            status: 'IDLE',
            process: 'boot/9/1',
          } as const;
          return { ...state, agents: { ...state.agents, [SECOND]: agent } };
        });
        w.ends('boot/9/1');
      }
      if (gone === 'registration') w.edit(({ agents: { [SECOND]: _, ...agents }, ...state }) => ({ ...state, agents }));
      expect(owed(w, 'coder-1', 'coder')).toContain('b');
      w.run(SUPERVISOR, reserveMerge('b'));
    }
  });

  it('anybody merges it when that session is over, and goes on with what it began', () => {
    const w = both();
    ends(w, SECOND, 'b');
    begins(w, SECOND, 'other');
    expect([owed(w, FIRST), owed(w, 'coder-1', 'coder')]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    w.run(supervisorOf('coder-1'), reserveMerge('b', MERGE, BASE, 'boot/7/100'));
    ends(w, SECOND, 'other');
    const again = reserveMerge('b', MERGE, BASE, 'boot/7/100') as Command & { name: 'reserve-merge' };
    w.run(supervisorOf('coder-1'), { ...again, judged: {} });
  });

  it('the next session of the same agent holds nothing that was approved before it, not even in the same second', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a', FIRST));
    begins(w, FIRST, 'a');
    w.run(reviewer(FIRST), approve('a'));
    expect(approverInSession(w.board, w.task('a'), w.now)).toBe(FIRST);
    ends(w, FIRST, 'a');
    begins(w, FIRST, 'other');
    expect(approverInSession(w.board, w.task('a'), w.now)).toBeUndefined();
    w.run(HUMAN, reserveMerge('a'));
  });
});

it('the journal names who approved each task of a batch', () => {
  const w = both();
  ends(w, SECOND, 'b');
  w.run(SUPERVISOR, batch);
  const { detail } = w.run(SUPERVISOR, { name: 'merge', task: 'b', merge_commit: MERGE, before: [{ task: 'a' }] });
  expect(detail).toBe(`a, b merged as ${MERGE.slice(0, 12)}, approved by ${FIRST} (a), ${SECOND} (b)`);
});

describe('a supervisor that comes back when another process runs its agent', () => {
  const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
  const taken = (): World => {
    const w = world();
    w.pass(8 * 3600);
    w.run(supervisorOf(FIRST), { name: 'register', agent: FIRST, role: 'code_reviewer', process: 'before' });
    w.pass(8 * 3600);
    w.run(supervisorOf(FIRST), { name: 'register', agent: FIRST, role: 'code_reviewer', process: 'now' });
    return w;
  };
  const start = { name: 'session-start', agent: FIRST } as const;

  it('begins no session, which the other one does', () => {
    const w = taken();
    const refusal = w.refused(supervisorOf(FIRST), { ...start, process: 'before' });
    expect(refusal).toMatchObject({
      guard: 'own-process',
      message: expect.stringContaining(`another process runs ${FIRST} now`),
    });
    w.run(supervisorOf(FIRST), { ...start, process: 'now' });
  });

  it('books what its own used, and the session of the other one goes on', () => {
    const w = taken();
    w.run(supervisorOf(FIRST), { ...start, process: 'now' });
    const end = { name: 'session-end', agent: FIRST, provider: 'p', how: 'exit 1', used } as const;
    w.run(supervisorOf(FIRST), { ...end, process: 'before' });
    expect(w.state.agents[FIRST]).toMatchObject({ under_way: {}, usage: { seconds: 1 } });
    w.run(supervisorOf(FIRST), { ...end, process: 'now' });
    expect(w.state.agents[FIRST]).not.toHaveProperty('under_way');
  });
});
