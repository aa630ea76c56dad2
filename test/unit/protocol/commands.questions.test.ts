// One test per rule about questions: who asks, who answers, and what an answer does to a blocked task.

import { describe, expect, it } from 'vitest';
import type { Command, CommandOf } from '../../../src/protocol/command.ts';
import { invariants, validate } from '../../../src/protocol/invariants.ts';
import { answerKey } from '../../../src/protocol/messages/news.ts';
import {
  blockingQuestions,
  findQuestion,
  openQuestions,
  questionsFor,
  questionsOf,
  tasksBuiltOn,
} from '../../../src/protocol/messages/questions.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import type { Question } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  approve,
  begin,
  block,
  CODER,
  claim,
  claimed,
  claimReview,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  ready,
  SPEC,
  SUPERVISOR,
  supervisorOf,
  toClaimed,
  toMerged,
  toReady,
  toRejected,
  unblock,
  type World,
  world,
} from './world.ts';

const ask = (text: string, more: Partial<CommandOf<'ask'>> = {}): Command => ({
  name: 'ask',
  text,
  assume: 'yes',
  ...more,
});
const answer = (about: string, text: string, more: Partial<CommandOf<'answer'>> = {}): Command => ({
  name: 'answer',
  about,
  text,
  facts: SPEC,
  ...more,
});
const accept = (about?: string): Command => ({
  name: 'answer',
  accept: true,
  ...(about === undefined ? {} : { about }),
  facts: SPEC,
});

const question = (w: World, id: string): Question => {
  const found = findQuestion(w.state, id);
  if (found === undefined) throw new Error(`no question ${id}`);
  return found;
};

/** coder-1 blocked task a with one question, q-1. */
function blocked(...questions: readonly string[]): World {
  const w = claimed();
  const asked = questions.length === 0 ? ['Which account may the tests use?'] : questions;
  w.run(CODER, { name: 'block', task: 'a', reason: 'the API has no sandbox', questions: asked });
  return w;
}

describe('ask', () => {
  it('every role and a person asks, and the work goes on', () => {
    const w = claimed();
    for (const actor of [CODER, PLANNER, REVIEWER, HUMAN]) w.run(actor, ask(`How? ${actor.id ?? 'human'}`));
    expect(w.state.questions).toMatchObject([
      { id: 'q-1', asked_by: 'coder-1', task: 'a', status: 'open', assume: 'yes', goal: 'goal-1' },
      { id: 'q-2', asked_by: 'planner-1', status: 'open' },
      { id: 'q-3', asked_by: 'code-reviewer-1', status: 'open' },
      { id: 'q-4', asked_by: 'human', status: 'open' },
    ]);
    expect(w.state.questions?.[0]?.created).toBe('2026-03-01T09:00:00Z');
    expect(w.task('a').status).toBe('CLAIMED');
    expect(w.agent('coder-1').status).toBe('WORKING');
  });

  it('says the id that it made', () => {
    expect(claimed().run(CODER, ask('How often?')).detail).toBe('question q-1 asked');
  });

  it('a question about neither a task nor a spec is about the goal’s spec', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?'));
    w.run(PLANNER, ask('How long?', { spec_ref: 'specs/retry.md#time' }));
    w.run(PLANNER, ask('How many?', { task: 'a' }));
    expect(w.state.questions?.map(({ spec_ref, task }) => [spec_ref, task])).toEqual([
      ['specs/vision.md', undefined],
      ['specs/retry.md#time', undefined],
      [undefined, 'a'],
    ]);
  });

  it('an agent names what it goes on with; a person need not', () => {
    const w = claimed();
    for (const assume of ['', ' ']) {
      const refusal = w.refused(CODER, ask('How often?', { assume }));
      expect(refusal.guard).toBe<RefusalName>('assumption');
      expect(refusal.hint).toContain('liza block a');
    }
    expect(w.refused(PLANNER, { name: 'ask', text: 'How often?' }).hint).not.toContain('block');
    w.run(HUMAN, { name: 'ask', text: 'How often?' });
    expect(w.state.questions?.[0]?.assume).toBeUndefined();
  });

  it('the question is not empty, and its task is there', () => {
    const w = claimed();
    expect(w.refused(CODER, ask(' ')).guard).toBe<RefusalName>('question');
    expect(w.refused(CODER, ask('How?', { task: 'none' })).guard).toBe<RefusalName>('task-exists');
    expect(w.refused(CODER, ask('How?', { task: '../a' })).guard).toBe<RefusalName>('id-pattern');
    expect(w.refused(CODER, ask('x'.repeat(16_385))).guard).toBe<RefusalName>('text-limit');
  });

  it('the same question of the same asker is one record while it is open', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    expect(w.run(CODER, ask('How often?')).already).toBe(true);
    w.run(PLANNER, ask('How often?'));
    w.run(HUMAN, answer('q-1', 'twice'));
    w.run(CODER, ask('How often?'));
    expect(w.state.questions?.map(({ id, asked_by }) => [id, asked_by])).toEqual([
      ['q-1', 'coder-1'],
      ['q-2', 'planner-1'],
      ['q-3', 'coder-1'],
    ]);
  });

  it('no question takes the id of a task, for answer takes both', () => {
    const w = ready('q-1', 'q-2');
    w.run(PLANNER, ask('How often?'));
    expect(w.state.questions?.[0]?.id).toBe('q-3');
  });
});

describe('the questions of a block', () => {
  it('stay strings in the task and are records beside it', () => {
    const w = blocked('Which account?', 'Whose key?');
    expect(w.task('a').blocked_questions).toEqual(['Which account?', 'Whose key?']);
    expect(w.state.questions).toMatchObject([
      { id: 'q-1', asked_by: 'coder-1', task: 'a', text: 'Which account?', status: 'open' },
      { id: 'q-2', asked_by: 'coder-1', task: 'a', text: 'Whose key?', status: 'open' },
    ]);
  });

  it('the planner’s block of a failed merge has records, too', () => {
    const w = ready('a');
    toMergeFailed(w);
    w.run(PLANNER, block('a'));
    expect(w.state.questions).toMatchObject([{ asked_by: 'planner-1', task: 'a', status: 'open' }]);
  });

  it('the default questions of a block that nobody made have none', () => {
    const w = claimed();
    w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'spin' });
    expect(openQuestions(w.state)).toEqual([]);
    const over = ready('a');
    over.run(HUMAN, { name: 'replan', task: 'a' });
    expect(openQuestions(over.state)).toEqual([]);
  });

  it('a board of an earlier version shows them under the ids that the first touch writes', () => {
    const w = blocked('Which account?');
    w.run(PLANNER, addReady('b'));
    toClaimed(w, 'b', 'coder-2');
    w.run(OTHER_CODER, { ...block('b'), questions: ['Whose key?'] } as Command);
    w.edit(({ questions: _dropped, ...state }) => state);
    const seen = openQuestions(w.state);
    expect(seen.map(({ id, asked_by, task, text }) => [id, asked_by, task, text])).toEqual([
      ['q-1', 'coder-1', 'a', 'Which account?'],
      ['q-2', 'coder-2', 'b', 'Whose key?'],
    ]);
    w.run(PLANNER, ask('How often?'));
    expect(w.state.questions?.slice(0, 2)).toEqual(seen);
    expect(w.state.questions?.[2]).toMatchObject({ id: 'q-3', text: 'How often?' });
    expect(questionsOf(w.state)).toBe(w.state.questions);
  });

  it('a task blocked again with the same question asks it again', () => {
    const w = blocked('Which account?');
    w.run(PLANNER, answer('q-1', 'the test account'));
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, { ...block('a', 'it is locked'), questions: ['Which account?'] } as Command);
    expect(w.state.questions?.map(({ id, status }) => [id, status])).toEqual([
      ['q-1', 'answered'],
      ['q-2', 'open'],
    ]);
  });
});

describe('answer: who', () => {
  it('the planner answers coders and reviewers', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(REVIEWER, ask('Is that fast enough?'));
    w.run(PLANNER, answer('q-1', 'twice'));
    w.run(PLANNER, answer('q-2', 'it is'));
    expect(w.state.questions).toMatchObject([
      { status: 'answered', answer: 'twice', closed_by: 'planner-1', closed_at: '2026-03-01T09:00:00Z' },
      { status: 'answered', answer: 'it is' },
    ]);
  });

  it('nobody answers their own question, nor does a planner answer another planner or a person', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?'));
    w.run(HUMAN, ask('How long?'));
    const own = w.refused(PLANNER, answer('q-1', 'twice'));
    expect(own).toMatchObject(refusedBy('asked-by-others', { code: 1 }));
    expect(own.message).toContain('you asked it yourself');
    const other = { id: 'planner-2', parts: ['planner'] as const };
    expect(w.refused(other, answer('q-1', 'twice')).message).toContain('planner-1 asked it');
    expect(w.refused(PLANNER, answer('q-2', 'long')).guard).toBe<RefusalName>('asked-by-others');
    expect(w.refused(PLANNER, accept('q-1')).guard).toBe<RefusalName>('asked-by-others');
  });

  it('a planner that answers again is told which others it can answer, and never that there are 0', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(PLANNER, answer('q-1', 'twice'));
    w.run(PLANNER, ask('Which account?'));
    const none = w.refused(PLANNER, answer('q-1', 'thrice')).hint;
    expect(none).toBe('There are no open questions that you could answer: continue with the plan');
    w.run(CODER, ask('How long?'));
    expect(w.refused(PLANNER, answer('q-1', 'thrice')).hint).toBe('Open to you: q-3; what they ask: liza status');
  });

  it('a coder and a reviewer answer nobody', () => {
    const w = claimed();
    w.run(PLANNER, ask('How often?'));
    for (const actor of [CODER, REVIEWER])
      expect(w.refused(actor, answer('q-1', 'twice')).guard).toBe<RefusalName>('role');
  });

  it('a person answers anybody, and may correct what was answered', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(PLANNER, ask('How long?'));
    w.run(PLANNER, answer('q-1', 'twice'));
    w.run(HUMAN, answer('q-1', 'three times'));
    w.run(HUMAN, answer('q-2', 'a minute'));
    expect(w.state.questions?.map(({ answer: said, closed_by }) => [said, closed_by])).toEqual([
      ['three times', 'human'],
      ['a minute', 'human'],
    ]);
    expect(w.refused(PLANNER, answer('q-1', 'twice')).message).toContain('q-1 is answered: three times');
  });

  it('two answers to one question in the same second: the later counts and is told apart, and who gave it reads the former', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(HUMAN, answer('q-1', 'twice'));
    const first = question(w, 'q-1');
    const { notes } = w.run(HUMAN, answer('q-1', 'three times'));
    expect(notes?.[0]).toBe('q-1 was answered before by human: "twice"; your answer applies now');
    const second = question(w, 'q-1');
    expect(second).toMatchObject({ answer: 'three times', status: 'answered' });
    expect(answerKey(second)).not.toBe(answerKey(first));
    expect(w.state.questions).toHaveLength(1);
  });

  it('what is accepted after an answer has that answer no more, and the same answer then counts again', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(HUMAN, answer('q-1', 'twice'));
    w.run(HUMAN, accept('q-1'));
    expect(question(w, 'q-1')).toMatchObject({ status: 'assumed' });
    expect(question(w, 'q-1').answer).toBeUndefined();
    expect(w.run(HUMAN, answer('q-1', 'twice')).already).toBeUndefined();
    expect(question(w, 'q-1')).toMatchObject({ status: 'answered', answer: 'twice' });
  });

  it('the same answer again had taken effect', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(HUMAN, answer('q-1', 'twice'));
    expect(w.run(HUMAN, answer('q-1', 'twice')).already).toBe(true);
  });
});

describe('answer: what', () => {
  it('a question or a task is named that is there, and the answer says something', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    expect(w.refused(HUMAN, answer('q-9', 'twice')).message).toContain('there is no question or task q-9');
    expect(w.refused(HUMAN, answer('q-1', ' ')).guard).toBe<RefusalName>('answer');
    expect(w.refused(HUMAN, answer('../q', 'x')).guard).toBe<RefusalName>('id-pattern');
    expect(w.refused(HUMAN, { name: 'answer', text: 'twice', facts: SPEC }).message).toContain('no question was named');
    w.run(PLANNER, addReady('b'));
    const none = w.refused(HUMAN, answer('b', 'twice'));
    expect(none.message).toContain('b (UNCLAIMED) has no open question');
    expect(none.hint).toContain('liza note');
    expect(w.refused(PLANNER, answer('b', 'twice')).hint).toContain('liza amend b');
  });

  it('by the task all of its open questions are answered', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(CODER, ask('How long?'));
    w.run(HUMAN, answer('a', 'as the spec says'));
    expect(w.state.questions?.map((one) => one.answer)).toEqual(['as the spec says', 'as the spec says']);
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'answered',
      agent: 'human',
      questions: ['q-1', 'q-2'],
      asked: ['How often?', 'How long?'],
      answer: 'as the spec says',
    });
  });

  it('of a BLOCKED task the task’s name answers what it was blocked with, and nothing else', () => {
    const w = claimed();
    w.run(CODER, ask('Is zero in?', { task: 'a', assume: 'no' }));
    w.run(CODER, { ...block('a', 'it is locked'), questions: ['How fast?'] } as Command);
    w.run(HUMAN, answer('a', 'under 1 ms'));
    expect(w.state.questions?.map(({ text, status }) => [text, status])).toEqual([
      ['Is zero in?', 'open'],
      ['How fast?', 'answered'],
    ]);
  });

  it('a corrected criterion takes the place of the one before it', () => {
    const w = world();
    w.run(PLANNER, addDraft('a', { done_when: '- one thing holds' }));
    w.run(HUMAN, ask('What of null?', { task: 'a' }));
    w.run(HUMAN, answer('q-1', 'null is refused with an error', { criterion: true }));
    w.run(HUMAN, answer('q-1', 'null gives an empty list', { criterion: true }));
    expect(w.task('a').done_when).toBe('- one thing holds\n- null gives an empty list');
  });

  it('is a criterion only with --criterion', () => {
    const w = blocked();
    w.run(HUMAN, answer('q-1', 'the test account'));
    expect(w.task('a').done_when).toBe('calls are retried three times');
    const other = blocked();
    other.run(HUMAN, answer('q-1', 'only the test account is used', { criterion: true }));
    expect(other.task('a').done_when).toBe('- calls are retried three times\n- only the test account is used');
    expect(other.task('a').history?.findLast(({ event }) => event === 'answered')).toMatchObject({
      changed: true,
      was: { done_when: 'calls are retried three times' },
    });
  });

  it('a criterion joins a list of criteria as one item more', () => {
    const w = world();
    w.run(PLANNER, addDraft('a', { done_when: '- one thing holds\n- another thing holds\n' }));
    w.run(HUMAN, ask('What else?', { task: 'a' }));
    w.run(HUMAN, answer('q-1', 'a third\nthing holds', { criterion: true }));
    expect(w.task('a').done_when).toBe('- one thing holds\n- another thing holds\n- a third\n  thing holds');
  });

  it('no criterion is added to a task that somebody works on, or to none', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(PLANNER, ask('How long?'));
    expect(w.refused(HUMAN, answer('q-1', 'twice', { criterion: true })).message).toContain('a is CLAIMED');
    expect(w.refused(HUMAN, answer('q-2', 'long', { criterion: true })).guard).toBe<RefusalName>('criterion');
    const long = blocked();
    const text = 'x'.repeat(16_380);
    expect(long.refused(HUMAN, answer('q-1', text, { criterion: true })).guard).toBe<RefusalName>('criterion');
  });
});

describe('answer: the last open question of a BLOCKED task', () => {
  it('unblocks it in the same transaction: folder kept, reserved for its asker', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(CODER, block('a'));
    const done = w.run(PLANNER, answer('q-1', 'the test account'));
    expect(done.detail).toBe('q-1 answered; a unblocked, reserved for coder-1');
    expect(w.task('a')).toMatchObject({
      status: 'UNCLAIMED',
      keep_worktree: true,
      worktree: '.worktrees/a',
      reserved_for: 'coder-1',
    });
    expect(w.task('a').blocked_questions).toBeUndefined();
    expect(
      w
        .task('a')
        .history?.slice(-2)
        .map(({ event }) => event),
    ).toEqual(['answered', 'unblocked']);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('reservation');
    w.run(SUPERVISOR, claim('a', 'coder-1'));
  });

  it('a reservation for an asker that is long at other work ends after lease_duration, and others may take the task', () => {
    const w = claimed();
    w.run(CODER, begin('a'));
    w.run(CODER, block('a'));
    w.run(PLANNER, answer('q-1', 'the test account'));
    const alive = (): void =>
      w.edit(
        (state) =>
          ({
            ...state,
            agents: {
              ...state.agents,
              'coder-1': { ...state.agents['coder-1'], lease_expires: '2099-01-01T00:00:00Z' },
            },
          }) as typeof state,
      );
    alive();
    w.pass(299);
    expect(w.refused(SUPERVISOR, claim('a', 'coder-2')).guard).toBe<RefusalName>('reservation');
    w.pass(1);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(w.task('a').reserved_for).toBeUndefined();
  });

  it('not before the last one is answered', () => {
    const w = blocked('Which account?', 'Whose key?');
    w.run(HUMAN, answer('q-2', 'mine'));
    expect(w.task('a').status).toBe('BLOCKED');
    expect(blockingQuestions(w.state, w.task('a')).map(({ id }) => id)).toEqual(['q-1']);
    w.run(HUMAN, answer('q-1', 'the test account'));
    expect(w.task('a').status).toBe('UNCLAIMED');
  });

  it('a question that only goes on with an assumption holds nothing', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(CODER, block('a'));
    w.run(HUMAN, answer('q-1', 'twice'));
    expect(w.task('a').status).toBe('BLOCKED');
    w.run(HUMAN, answer('q-2', 'the test account'));
    expect(w.task('a').status).toBe('UNCLAIMED');
  });

  it('is not reserved for a coder that is excluded, nor kept where no folder is', () => {
    const w = blocked();
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map(({ worktree: _gone, ...task }) => ({ ...task, excluded_coders: ['coder-1'] })),
    }));
    w.run(HUMAN, answer('q-1', 'the test account'));
    expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED' });
    expect(w.task('a').reserved_for).toBeUndefined();
    expect(w.task('a').keep_worktree).toBeUndefined();
  });

  it('a task that a limit blocked is answered by its id, and the next coder reads it', () => {
    const w = claimed();
    w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'spin' });
    w.run(HUMAN, answer('a', 'start the server first'));
    expect(w.task('a').status).toBe('UNCLAIMED');
    expect(questionsFor(w.state, w.task('a'))).toMatchObject([
      { asked_by: 'liza', status: 'answered', answer: 'start the server first' },
    ]);
    expect(questionsFor(w.state, w.task('a'))[0]?.text).toContain('what should its coder know?');
  });

  it('after two failures a planner’s answer must change the definition; a person’s counts as change', () => {
    const w = twiceFailed();
    const refusal = w.refused(PLANNER, answer('q-2', 'the test account'));
    expect(refusal).toMatchObject(refusedBy('unblocks'));
    expect(refusal.message).toContain('nothing in it has changed');
    const planned = twiceFailed();
    planned.run(PLANNER, answer('q-2', 'calls use the test account', { criterion: true }));
    expect(planned.task('a')).toMatchObject({ status: 'UNCLAIMED', failures_current: [] });
    w.run(HUMAN, answer('q-2', 'the test account'));
    expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED', failures_current: [], failed_by: ['coder-1', 'coder-2'] });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'unblocked', changed: false, answered_by_person: true });
    w.run(SUPERVISOR, claim('a', 'coder-2'));
  });

  it('after a review deadlock a person’s answer is the assessment; a planner gives its own', () => {
    const w = deadlocked();
    expect(w.refused(PLANNER, answer('a', 'the reviewer is right')).message).toContain('no assessment was given');
    w.run(HUMAN, answer('a', 'the reviewer is right'));
    expect(w.task('a').status).toBe('UNCLAIMED');
    expect(w.state.anomalies.at(-1)).toMatchObject({
      type: 'review_deadlock',
      details: { assessment: 'the reviewer is right' },
    });
  });

  it.each([HUMAN, PLANNER])(
    'logs no deadlock where there was none, and leaves what was reported on the task open',
    (who) => {
      const w = claimed();
      const details = { what: 'a list', why: 'it is short', debt_created: 'slow when long' };
      w.run(CODER, { name: 'anomaly', type: 'trade_off', task: 'a', details });
      w.run(CODER, { name: 'anomaly', type: 'spec_ambiguity', task: 'a', details: { what: 'whom?' } });
      w.run(CODER, block('a'));
      w.run(who, answer('q-1', 'everybody'));
      expect(w.task('a').status).toBe('UNCLAIMED');
      expect(w.state.anomalies.map(({ type, processed_at: at }) => [type, at])).toEqual([
        ['trade_off', undefined],
        ['spec_ambiguity', undefined],
      ]);
    },
  );

  it('settles the anomaly that tells of the block', () => {
    const w = twiceFailed();
    w.run(HUMAN, answer('q-2', 'the test account'));
    expect(w.state.anomalies).toMatchObject([{ type: 'hypothesis_exhaustion', processed_by: 'human' }]);
  });

  it('is refused whole while another guard of unblock refuses', () => {
    const w = ready('base', 'a');
    w.run(PLANNER, { name: 'amend', task: 'a', changes: { depends_on: [] }, facts: SPEC });
    toClaimed(w, 'a');
    w.run(CODER, block('a'));
    const refusal = w.refused(HUMAN, { ...answer('q-1', 'x'), facts: { spec_exists: false } } as Command);
    expect(refusal).toMatchObject(refusedBy('spec-exists', { needs: 'facts' }));
    expect(openQuestions(w.state)).toHaveLength(1);
  });
});

describe('--accept', () => {
  it('turns open questions with an assumption into assumed, and leaves the others', () => {
    const w = blocked();
    w.run(PLANNER, ask('How often?'));
    w.run(REVIEWER, ask('How long?'));
    w.run(HUMAN, accept());
    expect(w.state.questions?.map(({ status }) => status)).toEqual(['open', 'assumed', 'assumed']);
    expect(w.state.questions?.[1]).toMatchObject({ closed_by: 'human' });
    expect(w.refused(HUMAN, accept()).message).toContain('no open question has an assumption');
    expect(w.refused(HUMAN, accept('q-1')).guard).toBe<RefusalName>('answer');
  });

  it('by the planner accepts those of coders and reviewers only', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(PLANNER, ask('How long?'));
    w.run(PLANNER, accept());
    expect(w.state.questions?.map(({ status }) => status)).toEqual(['assumed', 'open']);
  });

  it('a person may still answer otherwise', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(PLANNER, accept('q-1'));
    w.run(HUMAN, answer('q-1', 'never'));
    expect(question(w, 'q-1')).toMatchObject({ status: 'answered', answer: 'never' });
  });
});

describe('no answer frees a code task from its test', () => {
  const QUESTION = 'The driver needs the device. May I submit without a test?';
  const stuck = (asked = QUESTION, type: 'code' | 'docs' = 'code'): World => {
    const w = claimed();
    if (type !== 'code') w.edit((state) => ({ ...state, tasks: state.tasks.map((one) => ({ ...one, type })) }));
    w.run(CODER, { ...block('a'), reason: 'no test is possible', questions: [asked] } as Command);
    return w;
  };

  it.each([
    'Yes, without a test',
    'yes',
    'OK, go ahead',
    'This task needs no test.',
    'No test is needed here',
    'You do not need to write a test for the driver',
    'skip the test',
  ])('%s: the refusal names the step that leads on', (text) => {
    const refusal = stuck().refused(PLANNER, answer('q-1', text));
    expect(refusal.message).toContain('nobody’s word frees a code task from its test');
    expect(refusal.hint).toMatch(
      /Say which test is enough.*a file that runs what changed.*leave it BLOCKED for a person/,
    );
    expect(stuck().refused(HUMAN, answer('q-1', text)).hint).toContain('liza config set test_patterns');
  });

  it('nor does a withdrawn question, or a criterion that is added', () => {
    const withdraw = stuck().refused(PLANNER, unblock('a', { withdraw: 'submit it without tests' }));
    expect(withdraw).toMatchObject(refusedBy('tests-with-code'));
    const changes = { add_done: ['the driver is merged without a test'] };
    expect(stuck().refused(PLANNER, unblock('a', { withdraw: undefined, changes }))).toMatchObject(
      refusedBy('tests-with-code'),
    );
  });

  it.each([
    'No: test/driver.sh runs `make driver`, that is enough',
    'Not without a test: start the program in it',
    'Do it without touching the existing tests, in a new file',
    'No test may be removed; add one that loads the module',
    'Write the test with a fake device',
  ])('an answer that leads on is taken: %s', (text) => {
    stuck().run(PLANNER, answer('q-1', text));
  });

  it('a question about something else may be answered with yes', () => {
    stuck('May the tests use account 7?').run(PLANNER, answer('q-1', 'yes'));
  });

  it('a task whose type asks for no test is freed', () => {
    stuck(QUESTION, 'docs').run(PLANNER, answer('q-1', 'yes'));
    stuck().run(PLANNER, answer('q-1', 'yes', { unblock: { changes: { type: 'docs', scope: 'IN: docs/' } } }));
  });
});

describe('unblock, supersede and abandon close the questions of a task', () => {
  it('unblock withdraws what held it, and leaves what goes on with an assumption', () => {
    const w = claimed();
    w.run(CODER, ask('How often?'));
    w.run(CODER, block('a'));
    w.run(PLANNER, unblock('a', { withdraw: 'section 3 says it now' }));
    expect(w.state.questions?.map(({ status }) => status)).toEqual(['open', 'withdrawn']);
    expect(question(w, 'q-2').why).toBe('section 3 says it now');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'unblocked', withdraw: 'section 3 says it now' });
  });

  it.each([PLANNER, HUMAN])('nobody unblocks it without a word on what was asked: $parts', (who) => {
    for (const more of [{}, { keep_worktree: true }, { changes: { priority: 1 } }, { withdraw: ' ' }]) {
      const refusal = blocked().refused(who, unblock('a', { withdraw: undefined, ...more }));
      expect(refusal).toMatchObject(refusedBy('answer'));
      expect(refusal.message).toContain('q-1 “Which account may the tests use?”');
      expect(refusal.hint).toMatch(/liza answer q-1 "…"|liza unblock a "…" with the options that you gave/);
      expect(refusal.hint).toContain('liza unblock a --withdraw "…"');
    }
  });

  it('a definition that says something else is an answer, given with the unblock or before it', () => {
    const w = blocked();
    const made = w.run(
      PLANNER,
      unblock('a', { withdraw: undefined, changes: { add_done: ['the tests use account 7'] } }),
    );
    expect(question(w, 'q-1')).toMatchObject({ status: 'withdrawn', why: 'a was redefined instead (done_when)' });
    expect(made.notes).toContain('q-1 of coder-1 is withdrawn unanswered: Which account may the tests use?');
    const before = blocked();
    before.run(PLANNER, { name: 'amend', task: 'a', changes: { add_done: ['the tests use account 7'] }, facts: SPEC });
    before.run(PLANNER, unblock('a', { withdraw: undefined }));
    expect(question(before, 'q-1').why).toBe('a was redefined instead (its definition)');
  });

  it('a planner is not told to answer what it asked itself', () => {
    const w = ready('a');
    toMergeFailed(w);
    w.run(PLANNER, { name: 'block', task: 'a', reason: 'two tasks contradict', questions: ['Which side is right?'] });
    const { hint } = w.refused(PLANNER, unblock('a', { withdraw: undefined }));
    expect(hint).toMatch(/^if no answer is needed, say why: liza unblock a --withdraw "…"/);
    w.run(PLANNER, unblock('a', { withdraw: 'b was abandoned' }));
  });

  it.each<[string, Command]>([
    ['abandon', { name: 'abandon', task: 'a', rationale: 'no way' }],
    ['supersede', { name: 'supersede', task: 'a', root_cause: 'wrong', replacements: ['b'], definitions: [] }],
  ])('%s withdraws all of them', (_name, command) => {
    const w = claimed();
    w.run(PLANNER, addDraft('b'));
    w.run(CODER, ask('How often?'));
    w.run(CODER, block('a'));
    w.run(PLANNER, command);
    expect(w.state.questions).toMatchObject([
      { status: 'withdrawn', closed_by: 'planner-1', why: expect.stringMatching(/^a was .*(?:no way|wrong)$/) },
      { status: 'withdrawn', closed_by: 'planner-1', why: expect.stringMatching(/^a was .*(?:no way|wrong)$/) },
    ]);
  });

  it('on a board of an earlier version their record says so', () => {
    const w = blocked();
    w.edit(({ questions: _dropped, ...state }) => state);
    w.run(PLANNER, unblock('a'));
    expect(w.state.questions).toMatchObject([{ id: 'q-1', status: 'withdrawn' }]);
  });
});

describe('whom an answer concerns', () => {
  it('a question about a task concerns it and what replaces it', () => {
    const w = claimed();
    w.run(PLANNER, addDraft('b'));
    w.run(CODER, ask('How often?'));
    w.run(CODER, block('a'));
    w.run(PLANNER, { name: 'supersede', task: 'a', root_cause: 'wrong', replacements: ['b'], definitions: [] });
    expect(tasksBuiltOn(w.state, question(w, 'q-1')).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('a question about a spec concerns all that comes from it, section by section', () => {
    const w = world();
    for (const [id, spec_ref] of [
      ['a', 'specs/x.md#one'],
      ['b', 'specs/x.md#two'],
      ['c', 'specs/x.md'],
      ['d', 'specs/y.md#one'],
    ] as const)
      w.run(PLANNER, addDraft(id, { spec_ref }));
    w.run(PLANNER, ask('How often?', { spec_ref: './specs/x.md#one' }));
    w.run(PLANNER, ask('How long?', { spec_ref: 'specs/x.md' }));
    expect(tasksBuiltOn(w.state, question(w, 'q-1')).map(({ id }) => id)).toEqual(['a', 'c']);
    expect(tasksBuiltOn(w.state, question(w, 'q-2')).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
    w.run(HUMAN, answer('q-1', 'twice'));
    expect(questionsFor(w.state, w.task('a')).map(({ id }) => id)).toEqual(['q-1', 'q-2']);
    expect(questionsFor(w.state, w.task('d'))).toEqual([]);
  });

  it('a task reads the questions that it cites, those of its section whatever task they are about, and no others', () => {
    const w = world();
    const told = (id: string) => questionsFor(w.state, w.task(id)).map((one) => one.id);
    w.run(PLANNER, addDraft('a', { spec_ref: 'specs/x.md#one', done_when: 'the limit is that of q-1, not q-11' }));
    w.run(PLANNER, addDraft('b', { spec_ref: 'specs/x.md#two', description: 'As (q-2) says' }));
    w.run(PLANNER, addDraft('c', { spec_ref: 'specs/x.md#two' }));
    w.run(PLANNER, ask('How many?', { spec_ref: 'specs/other.md#limits' }));
    w.run(PLANNER, ask('Which colour?', { spec_ref: 'specs/x.md' }));
    w.run(PLANNER, ask('How long?', { spec_ref: 'specs/x.md' }));
    w.run(PLANNER, ask('Which name?', { task: 'b', spec_ref: 'specs/x.md#two' }));
    w.run(PLANNER, ask('Which file?', { task: 'b' }));
    expect(told('a')).toEqual(['q-1', 'q-3']);
    expect(told('b')).toEqual(['q-2', 'q-3', 'q-4', 'q-5']);
    expect(told('c')).toEqual(['q-3', 'q-4']);
    w.edit((state) => ({ ...state, tasks: state.tasks.map((t) => (t.id === 'c' ? { ...t, because: 'q-5' } : t)) }));
    expect(told('c')).toEqual(['q-3', 'q-4', 'q-5']);
  });

  it('a person’s answer to an assumption names what was built on it', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?', { spec_ref: 'specs/retry.md' }));
    expect(w.run(HUMAN, answer('q-1', 'never')).notes).toEqual([
      'built on the assumption "yes": a (UNCLAIMED); the planner is woken',
    ]);
  });

  it('one that says what was assumed undoes nothing, and names nothing', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?', { spec_ref: 'specs/retry.md' }));
    expect(w.run(HUMAN, answer('q-1', 'Yes.')).notes).toEqual([]);
  });
});

describe('add-task --because', () => {
  it('names a question that is there, and the merged work that its answer undoes', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?', { spec_ref: 'specs/retry.md' }));
    toMerged(w, 'a');
    const because = { ...addDraft('b'), because: 'q-1' } as Command;
    expect(w.refused(PLANNER, { ...because, because: 'q-7' } as Command).guard).toBe<RefusalName>('because');
    w.run(PLANNER, because);
    expect(w.task('b')).toMatchObject({ because: 'q-1' });
    expect(w.task('b').history?.[0]).toMatchObject({ event: 'created', question: 'How often?', undoes: ['a'] });
  });

  it('undoes nothing while nothing is merged', () => {
    const w = ready('a');
    w.run(PLANNER, ask('How often?', { spec_ref: 'specs/retry.md' }));
    w.run(PLANNER, { ...addDraft('b'), because: 'q-1' } as Command);
    expect(w.task('b').history?.[0]).not.toHaveProperty('undoes');
  });
});

describe('a board with questions is judged', () => {
  it('ids are used once; an answered question has an answer, an assumed one an assumption', () => {
    const w = ready('a');
    const broken = (...questions: readonly Partial<Question>[]) =>
      invariants(
        {
          ...w.state,
          questions: questions.map((one) => ({ id: 'q-1', asked_by: 'coder-1', text: 'x', status: 'open', ...one })),
        },
        new Map(),
      ).map(({ message }) => message);
    expect(broken({})).toEqual([]);
    expect(broken({}, {})).toEqual(['question q-1: the id is used twice']);
    expect(broken({ status: 'answered' })).toEqual(['question q-1: answered without an answer']);
    expect(broken({ status: 'assumed' })).toEqual(['question q-1: assumed without an assumption']);
  });

  it('a board without the section is valid, and a broken record is named', () => {
    const { questions: _none, ...state } = ready('a').state;
    expect(validate(state, new Map())).toEqual([]);
    const bad = { ...state, questions: [{ id: 'q-1', asked_by: 'coder-1', text: 'x', status: 'lost' }] };
    expect(validate(bad, new Map()).map(({ message }) => message)).toEqual([
      'question q-1: status is "lost", must be one of open, answered, assumed, withdrawn',
    ]);
    expect(validate({ ...state, questions: {} }, new Map())[0]?.message).toContain('section questions');
  });
});

/** coder-1 and coder-2 both failed task a; the open question is q-2. */
function twiceFailed(): World {
  const w = blocked();
  w.run(PLANNER, unblock('a'));
  toClaimed(w, 'a', 'coder-2');
  w.run(OTHER_CODER, block('a', 'still no sandbox'));
  return w;
}

function deadlocked(): World {
  const w = world({ max_review_cycles: 1 });
  w.run(PLANNER, addReady('a'));
  toRejected(w, 'a');
  expect(w.task('a').blocked_reason).toBe('review_deadlock');
  return w;
}

function toMergeFailed(w: World): void {
  toReady(w, 'a');
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, approve('a'));
  w.run(SUPERVISOR, { name: 'merge-failed', task: 'a', reason: 'conflict in src/client.ts' });
}

describe('a question that was overtaken', () => {
  const withdraw = (id: string, reason = 'the spec says it now'): Command => ({
    name: 'withdraw',
    question: id,
    reason,
  });

  it('is withdrawn by its asker or by a person, with the reason, and no task reads it any more', () => {
    for (const who of [CODER, HUMAN]) {
      const w = claimed();
      w.run(CODER, ask('How often?', { task: 'a' }));
      expect(questionsFor(w.state, w.task('a'))).toHaveLength(1);
      w.run(who, withdraw('q-1'));
      expect(question(w, 'q-1')).toMatchObject({ status: 'withdrawn', why: 'the spec says it now' });
      expect(questionsFor(w.state, w.task('a'))).toEqual([]);
      expect(openQuestions(w.state)).toEqual([]);
      expect(w.run(who, withdraw('q-1')).already).toBe(true);
      w.run(PLANNER, ask('Another?'));
      expect(w.run(HUMAN, accept()).detail).toBe('accepted as assumed: q-2');
    }
  });

  it('is not withdrawn by others: the planner answers, the rest leave it', () => {
    const w = claimed();
    w.run(CODER, ask('How often?', { task: 'a' }));
    w.run(PLANNER, ask('Which colour?'));
    const planner = w.refused(PLANNER, withdraw('q-1'));
    expect(planner.guard).toBe('own-question');
    expect(planner.hint).toBe('Answer it: liza answer q-1 "…"');
    expect(w.refused(CODER, withdraw('q-2')).guard).toBe('own-question');
  });

  it('is there, open, holds no task, and the reason says something', () => {
    const w = blocked();
    expect(w.refused(CODER, withdraw('q-9')).guard).toBe('question');
    const holding = w.refused(HUMAN, withdraw('q-1'));
    expect(holding.guard).toBe('question');
    expect(holding.hint).toContain('liza unblock a');
    w.run(PLANNER, ask('Which colour?'));
    expect(w.refused(PLANNER, withdraw('q-2', ' ')).guard).toBe('reason');
    w.run(HUMAN, answer('q-2', 'red'));
    expect(w.refused(PLANNER, withdraw('q-2')).message).toContain('q-2 is answered already');
  });

  it('is named to who tries to answer their own', () => {
    const w = world();
    w.run(PLANNER, ask('Which colour?'));
    expect(w.refused(PLANNER, answer('q-1', 'red')).hint).toContain('liza ask --withdraw q-1 --reason "…"');
  });
});
