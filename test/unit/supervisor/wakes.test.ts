import { describe, expect, it } from 'vitest';
import type { Board } from '../../../src/protocol/board.ts';
import { answerKey, specChangeKey } from '../../../src/protocol/messages/news.ts';
import { discoveryKey, questionKey } from '../../../src/protocol/messages/planner-news.ts';
import type { Discovery, Note, Question } from '../../../src/protocol/state.ts';
import { plannerWakes, toldWakes } from '../../../src/supervisor/rules/wakes.ts';
import { agent, ago, board, event, goal, NOW, type Parts, task } from '../boards/empty-board.ts';

const wakes = (parts: Parts): readonly string[] =>
  plannerWakes(board(parts), NOW).map(({ trigger, record }) => `${trigger} ${record}`);
const keys = (on: Board): readonly string[] => plannerWakes(on, NOW).map(({ key }) => key);
const busy = task('busy', { status: 'CLAIMED' });
const QUESTION: Question = {
  id: 'q-1',
  asked_by: 'coder-1',
  task: 'busy',
  text: 'How often?',
  assume: 'twice',
  status: 'open',
  created: ago(0),
};

describe('the planner wakes on', () => {
  it('INITIAL_PLANNING while the goal has no plan', () => {
    expect(wakes({ state: goal('PLANNING') })).toEqual(['INITIAL_PLANNING goal-1']);
    expect(wakes({ tasks: [busy] })).toEqual([]);
  });

  it('INITIAL_PLANNING again when a planner left drafts behind, not for a draft of the human', () => {
    const draft = (by?: string) => task('d', { status: 'DRAFT', history: [event('created', NOW, by)] });
    expect(wakes({ tasks: [busy, draft('planner-1')] })).toEqual(['INITIAL_PLANNING goal-1']);
    expect(wakes({ tasks: [busy, draft()] })).toEqual([]);
  });

  it('BLOCKED_TASKS, one for each', () => {
    const tasks = [task('a', { status: 'BLOCKED' }), busy, task('b', { status: 'BLOCKED' })];
    expect(wakes({ tasks })).toEqual(['BLOCKED_TASKS a', 'BLOCKED_TASKS b']);
  });

  it('INTEGRATION_FAILED', () => {
    expect(wakes({ tasks: [task('a', { status: 'INTEGRATION_FAILED' })] })).toEqual(['INTEGRATION_FAILED a']);
  });

  it('HYPOTHESIS_EXHAUSTED at the second failure of the task as it is now', () => {
    const failed = (...coders: string[]) => task('a', { failures_current: coders, failed_by: ['coder-1', 'coder-2'] });
    expect(wakes({ tasks: [failed('coder-1', 'coder-2')] })).toEqual(['HYPOTHESIS_EXHAUSTED a']);
    expect(wakes({ tasks: [failed('coder-1')] })).toEqual([]);
    const over = task('a', { status: 'SUPERSEDED', failures_current: ['coder-1', 'coder-2'] });
    expect(wakes({ tasks: [over, busy] })).toEqual([]);
  });

  it('IMMEDIATE_DISCOVERY until converted or dismissed', () => {
    const found: Discovery = { id: 'disc-1', by: 'coder-1', description: 'x', severity: 'high', urgency: 'immediate' };
    const of = (discovery: Discovery) => wakes({ tasks: [busy], state: { discovered: [discovery] } });
    expect(of(found)).toEqual(['IMMEDIATE_DISCOVERY disc-1']);
    expect(of({ ...found, urgency: 'deferred' })).toEqual([]);
    expect(of({ ...found, converted_to_task: 'busy' })).toEqual([]);
    expect(of({ ...found, dismissed_reason: 'known' })).toEqual([]);
  });

  it('IMMEDIATE_DISCOVERY anew when the task that took it up was abandoned', () => {
    const found = { id: 'disc-1', by: 'coder-1', description: 'x', severity: 'high', urgency: 'immediate' } as const;
    const of = (discovery: Discovery) => keys(board({ tasks: [busy], state: { discovered: [discovery] } }));
    const [before, after] = [found, { ...found, reopened: { task: 'busy', time: ago(0) } }].map(of);
    expect(before).toHaveLength(1);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });

  it('QUESTION_ASKED by a coder or reviewer whose work goes on; a person answers the others', () => {
    const of = (asked: Partial<Question>) =>
      wakes({ tasks: [busy], state: { questions: [{ ...QUESTION, ...asked }] } });
    expect(of({})).toEqual(['QUESTION_ASKED q-1']);
    expect(of({ asked_by: 'code-reviewer-1' })).toEqual(['QUESTION_ASKED q-1']);
    expect(of({ asked_by: 'planner-1' })).toEqual([]);
    expect(of({ asked_by: 'human' })).toEqual([]);
    expect(of({ status: 'assumed' })).toEqual([]);
    expect(of({ status: 'withdrawn' })).toEqual([]);
  });

  it('QUESTION_ANSWERED when a person answered what somebody went on with an assumption about', () => {
    const closed = { ...QUESTION, status: 'answered', answer: 'no', closed_by: 'human', closed_at: ago(0) } as const;
    const of = (asked: Partial<Question>) => wakes({ tasks: [busy], state: { questions: [{ ...closed, ...asked }] } });
    expect(of({})).toEqual(['QUESTION_ANSWERED q-1']);
    expect(of({ asked_by: 'planner-1' })).toEqual(['QUESTION_ANSWERED q-1']);
    expect(of({ closed_by: 'planner-1' })).toEqual([]);
    const { assume: _none, ...blocking } = closed;
    expect(wakes({ tasks: [busy], state: { questions: [blocking] } })).toEqual([]);
  });

  it('ASSUMPTION_ACCEPTED by a person, also in the same words, starts no session', () => {
    const closed = { ...QUESTION, status: 'assumed', closed_by: 'human', closed_at: ago(0) } as const;
    const of = (asked: Partial<Question>) =>
      plannerWakes(board({ tasks: [busy], state: { questions: [{ ...closed, ...asked }] } }), NOW);
    const quiet = { trigger: 'ASSUMPTION_ACCEPTED', record: 'q-1', quiet: true };
    expect(of({})).toMatchObject([quiet]);
    expect(of({ status: 'answered', answer: ' Twice.' })).toMatchObject([quiet]);
    expect(of({ status: 'answered', answer: 'thrice' })[0]?.quiet).toBeUndefined();
    expect(of({ closed_by: 'planner-1' })).toEqual([]);
  });

  it('what a running session was told by news is its own: answers and notes, not what came after', () => {
    const answered = { ...QUESTION, status: 'answered', answer: 'no', closed_by: 'human', closed_at: ago(0) } as const;
    const on = board({
      tasks: [busy],
      state: {
        questions: [answered, { ...answered, id: 'q-2' }],
        human_notes: [
          { timestamp: ago(0), message: 'look' },
          { timestamp: ago(0), message: 'later' },
        ],
      },
    });
    const told = { answers: [answerKey(answered)], notes: ['note-1'], specs: [] };
    expect(toldWakes(on, told, NOW).map(({ record }) => record)).toEqual(['q-1', 'note-1']);
  });

  it('a question or discovery that a running session was told is its own; a high one left undecided wakes once more', () => {
    const found = (id: string, severity: Discovery['severity']): Discovery => ({
      ...{ id, severity, by: 'coder-1', description: 'x', urgency: 'immediate', created: ago(0) },
    });
    const discovered = [found('disc-1', 'medium'), found('disc-2', 'high'), found('disc-3', 'medium')];
    const on = board({ tasks: [busy], state: { questions: [QUESTION, { ...QUESTION, id: 'q-2' }], discovered } });
    const heard = { questions: [questionKey(QUESTION)], discoveries: discovered.slice(0, 2).map(discoveryKey) };
    const told = { answers: [], notes: [], specs: [], ...heard };
    expect(toldWakes(on, told, NOW).map(({ record }) => record)).toEqual(['disc-1', 'q-1']);
    expect(toldWakes(on, { answers: [], notes: [], specs: [] }, NOW)).toEqual([]);
  });

  it('SPEC_CHANGED once for each text of a file, and not when the running session was told', () => {
    const entry = { timestamp: ago(0), spec: 'specs/a.md', change: 'noticed', hash: 'b'.repeat(64) };
    const whole = { ...entry, before: 'a'.repeat(64) };
    const spec_changes = [entry, { ...entry, spec: 'specs/a.md#retry' }, whole];
    const on = board({ tasks: [busy], state: { spec_changes } });
    expect(plannerWakes(on, NOW).map(({ trigger, record }) => `${trigger} ${record}`)).toEqual([
      'SPEC_CHANGED specs/a.md',
    ]);
    const told = { answers: [], notes: [], specs: [specChangeKey(whole)] };
    expect(toldWakes(on, told, NOW)).toHaveLength(1);
    expect(toldWakes(on, { ...told, specs: [] }, NOW)).toEqual([]);
  });

  it('HUMAN_NOTE until processed, unless it is for a coder or reviewer', () => {
    const of = (note: Partial<Note>) =>
      wakes({ tasks: [busy], state: { human_notes: [{ timestamp: ago(0), message: 'look', ...note }] } });
    expect(of({})).toEqual(['HUMAN_NOTE note-1']);
    expect(of({ for: 'busy' })).toEqual(['HUMAN_NOTE note-1']);
    expect(of({ for: 'planner-1' })).toEqual(['HUMAN_NOTE note-1']);
    expect(of({ for: 'coder-1' })).toEqual([]);
    expect(of({ for: 'coder' })).toEqual([]);
    expect(of({ processed_at: ago(0) })).toEqual([]);
  });

  it('ALL_TERMINAL, archived tasks among them', () => {
    const merged = task('a', { status: 'MERGED' });
    expect(wakes({ tasks: [merged, task('b', { status: 'ABANDONED' })] })).toEqual(['ALL_TERMINAL goal-1']);
    expect(wakes({ archived: new Map([['a', 'MERGED']]) })).toEqual(['ALL_TERMINAL goal-1']);
    expect(wakes({ tasks: [merged, busy] })).toEqual([]);
    expect(wakes({})).toEqual([]);
  });

  it.each(['COMPLETED', 'ABORTED'] as const)('nothing once the goal is %s', (status) => {
    expect(wakes({ tasks: [task('a', { status: 'BLOCKED' })], state: goal(status) })).toEqual([]);
  });
});

describe('the key of a wake', () => {
  const blocked = (...events: ReturnType<typeof event>[]): Board =>
    board({ tasks: [task('a', { status: 'BLOCKED', history: events })] });
  const first = [
    event('created', NOW, 'planner-1'),
    event('claimed', NOW, 'coder-1'),
    event('blocked', NOW, 'coder-1'),
  ];

  it('names trigger, record and revision, and stays while the record does', () => {
    expect(keys(blocked(...first))).toEqual(['BLOCKED_TASKS:a@3']);
    expect(plannerWakes(blocked(...first), NOW + 86_400_000)).toEqual(plannerWakes(blocked(...first), NOW));
  });

  it('changes when the task was freed and blocked again, even by the planner itself', () => {
    const again = [...first, event('unblocked', NOW, 'planner-1'), event('blocked', NOW, 'planner-1')];
    expect(keys(blocked(...again))).toEqual(['BLOCKED_TASKS:a@5']);
  });

  it('changes when a person amends the task, not when the planner does', () => {
    expect(keys(blocked(...first, event('amended', NOW, 'human')))).toEqual(['BLOCKED_TASKS:a@4']);
    expect(keys(blocked(...first, event('amended', NOW, 'planner-1')))).toEqual(['BLOCKED_TASKS:a@3']);
  });

  describe('of INITIAL_PLANNING', () => {
    const own = task('a', { status: 'UNCLAIMED', history: [event('created', NOW, 'planner-1')] });
    const handled = (...more: readonly string[]) => ({
      'planner-1': agent('planner', { handled: more.map((n) => `INITIAL_PLANNING:goal-1@sprint-1.${n}`) }),
    });
    const scope = (more: object = {}) => ({
      sprint: { ...board().state.sprint, id: 'sprint-1', scope: { planned: ['a'], ...more } },
    });

    it('counts the sessions that ended well without plan done, and stays at the second', () => {
      for (const state of [goal('PLANNING'), scope()]) {
        const of = (...n: readonly string[]) =>
          keys(board({ tasks: [own], agents: handled(...n), state: { ...scope(), ...state } }));
        expect(of()).toEqual(['INITIAL_PLANNING:goal-1@sprint-1.1']);
        expect(of('1')).toEqual(['INITIAL_PLANNING:goal-1@sprint-1.2']);
        expect(of('1', '2')).toEqual(['INITIAL_PLANNING:goal-1@sprint-1.2']);
      }
    });

    it('is gone with plan done, but for drafts that a planner leaves outside', () => {
      const closed = scope({ closed_at: ago(0) });
      expect(keys(board({ tasks: [own], state: closed }))).toEqual([]);
      const draft = task('d', { status: 'DRAFT', history: [event('created', NOW, 'planner-1')] });
      expect(keys(board({ tasks: [own, draft], state: closed }))).toEqual(['INITIAL_PLANNING:goal-1@2.1.1']);
      // One that waits for an answer calls nobody before it has that.
      const asked: Question = { ...QUESTION, asked_by: 'planner-1', task: 'd' };
      const on = (question: Question) =>
        keys(board({ tasks: [own, draft], state: { ...closed, questions: [question] } }));
      expect(on(asked)).toEqual([]);
      expect(on({ ...asked, status: 'assumed' })).toContain('INITIAL_PLANNING:goal-1@2.1.1');
    });

    it('is not there for a plan that a person makes', () => {
      const theirs = task('a', { status: 'UNCLAIMED', history: [event('created', NOW)] });
      expect(keys(board({ tasks: [theirs], state: scope() }))).toEqual([]);
    });
  });

  it('of ALL_TERMINAL is another one once the last answer is there that only a person could give', () => {
    const asked = { ...QUESTION, asked_by: 'planner-1' };
    const of = (question: Question) =>
      keys(board({ tasks: [task('a', { status: 'MERGED' })], state: { questions: [question] } })).filter((key) =>
        key.startsWith('ALL_TERMINAL'),
      );
    const settled: Question = { ...asked, status: 'assumed', closed_by: 'human', closed_at: ago(0) };
    expect(of(asked)).toEqual(['ALL_TERMINAL:goal-1@1?']);
    expect(of(settled)).toEqual(['ALL_TERMINAL:goal-1@1']);
  });

  it('of ALL_TERMINAL stays when tasks are archived', () => {
    const kept = board({ tasks: [task('a', { status: 'MERGED' }), task('b', { status: 'MERGED' })] });
    const moved = board({ tasks: [task('b', { status: 'MERGED' })], archived: new Map([['a', 'MERGED']]) });
    expect(keys(moved)).toEqual(keys(kept));
  });
});
