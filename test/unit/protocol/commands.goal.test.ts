// Goals one after another: a goal ends on its own tasks and over nothing undecided; the next one starts at zero and
// keeps what was carried over.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { goalRecord } from '../../../src/protocol/goal/goal-record.ts';
import { endedOfGoal } from '../../../src/protocol/goal/goal-tasks.ts';
import { discoveryHead } from '../../../src/protocol/messages/discoveries.ts';
import { nextGoal } from '../../../src/protocol/records/new-board.ts';
import type { Discovery } from '../../../src/protocol/state.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  CODER,
  commit,
  definition,
  HUMAN,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  ready,
  toMerged,
  type World,
  world,
} from './world.ts';

const COMPLETE: Command = { name: 'goal complete' };
const found = (description: string, severity: Discovery['severity']): Command => ({
  name: 'discover',
  description,
  severity,
});

/** A goal whose only task is merged. */
function merged(): World {
  const w = ready('a');
  toMerged(w, 'a');
  return w;
}

/** What `liza init` does once a goal is over. */
function begin(w: World, goal: string): void {
  w.pass(60);
  const before = w.board;
  const archived = new Map([...before.archived, ...before.state.tasks.map(({ id, status }) => [id, status] as const)]);
  const state = nextGoal(before.state, { goal, spec_ref: 'specs/vision.md', now: w.now });
  w.board = { ...before, state, archived, earlier: new Set(archived.keys()) };
}

function second(): World {
  const w = merged();
  w.run(PLANNER, COMPLETE);
  begin(w, 'Time out');
  return w;
}

describe('a goal and its tasks', () => {
  it('a task names the goal under which it was made, a replacement too', () => {
    const w = second();
    w.run(PLANNER, addDraft('b'));
    expect(w.task('b').goal).toBe('goal-2');
    w.run(PLANNER, { name: 'finalize', task: 'b', facts: { spec_exists: true } });
    w.run(HUMAN, { name: 'replan', task: 'b' });
    const supersede: Command = {
      name: 'supersede',
      task: 'b',
      root_cause: 'too large',
      replacements: [],
      definitions: [definition('c')],
    };
    w.run(PLANNER, supersede);
    expect(w.task('c').goal).toBe('goal-2');
  });

  it('the merge of an earlier goal does not complete the next one', () => {
    const w = second();
    expect(w.refused(PLANNER, COMPLETE)).toMatchObject({
      ...refusedBy('something-merged'),
      message: expect.stringContaining('no task of goal-2 was ever merged'),
    });
    w.run(PLANNER, addReady('b'));
    w.run(PLANNER, { name: 'abandon', task: 'b', rationale: 'not needed' });
    expect(w.refused(PLANNER, COMPLETE)).toMatchObject(refusedBy('something-merged'));
    w.run(PLANNER, addReady('c'));
    toMerged(w, 'c');
    w.run(PLANNER, COMPLETE);
    expect(w.state.goal.status).toBe('COMPLETED');
  });

  it('a merged task that names another goal does not complete this one', () => {
    const w = merged();
    w.edit((state) => ({ ...state, tasks: state.tasks.map((task) => ({ ...task, goal: 'goal-0' })) }));
    expect(w.refused(PLANNER, COMPLETE)).toMatchObject(refusedBy('something-merged'));
  });

  it('a task of an earlier version, which names no goal, belongs to the goal that the board has', () => {
    const w = merged();
    w.edit((state) => ({ ...state, tasks: state.tasks.map(({ goal: _, ...task }) => task) }));
    w.run(PLANNER, COMPLETE);
  });

  it('a task of this goal that was archived counts, one of an earlier goal does not', () => {
    const w = second();
    w.run(PLANNER, addReady('b'));
    toMerged(w, 'b');
    w.run(HUMAN, { name: 'archive', tasks: ['b'] });
    expect(endedOfGoal(w.board)).toEqual(['MERGED']);
    w.run(PLANNER, COMPLETE);
  });

  it('resumed after an abort, a second goal without tasks is in planning again', () => {
    const w = second();
    w.run(HUMAN, { name: 'abort' });
    w.run(HUMAN, { name: 'resume' });
    expect(w.state.goal.status).toBe('PLANNING');
  });
});

describe('what is undecided', () => {
  it.each(['critical', 'high'] as const)(
    'a %s discovery that is open holds the goal back, naming what decides it',
    (severity) => {
      const w = merged();
      w.run(CODER, found('the client has no timeout', severity));
      for (const reader of [PLANNER, HUMAN]) {
        const refusal = w.refused(reader, COMPLETE);
        expect(refusal).toMatchObject(refusedBy('nothing-undecided'));
        expect(refusal.message).toContain(`disc-1 (${severity}): the client has no timeout`);
        expect(refusal.hint).toContain('liza discovery convert disc-1 <task>');
        expect(refusal.hint).toContain('liza discovery dismiss disc-1 --reason "…"');
        expect(refusal.hint).toContain('liza goal complete --carry-over');
      }
    },
  );

  it('each of several is named', () => {
    const w = merged();
    for (let n = 1; n <= 12; n++) w.run(n > 6 ? OTHER_CODER : CODER, found(`problem ${n}`, 'high'));
    const { message, hint } = w.refused(PLANNER, COMPLETE);
    for (let n = 1; n <= 12; n++) {
      expect(message).toContain(`disc-${n} (high)`);
      expect(hint).toContain(`liza discovery dismiss disc-${n} `);
    }
  });

  it('once it is dismissed the goal completes', () => {
    const w = merged();
    w.run(REVIEWER, found('no timeout', 'high'));
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-1', reason: 'upstream has it' });
    w.run(PLANNER, COMPLETE);
    expect(w.state.goal.status).toBe('COMPLETED');
  });

  it('once it is taken up by a task, and that is merged, the goal completes; no merged one takes it up', () => {
    const w = merged();
    w.run(REVIEWER, found('no timeout', 'high'));
    const convert = { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' } as const;
    expect(w.refused(PLANNER, convert)).toMatchObject(refusedBy('task-exists'));
    w.run(PLANNER, addReady('b'));
    w.run(PLANNER, { ...convert, to_task: 'b' });
    toMerged(w, 'b', commit(0x5000));
    w.run(PLANNER, COMPLETE);
    expect(w.state.goal.status).toBe('COMPLETED');
  });

  it('--carry-over completes the goal and names what it left, and lesser ones hold nothing back', () => {
    const w = merged();
    w.run(CODER, found('a typo', 'low'));
    w.run(PLANNER, COMPLETE);
    expect(w.state.goal.alignment_history?.at(-2)).toMatchObject({
      event: 'carried_over',
      summary: 'left to the next goal: disc-1 (low): a typo',
    });
    const v = merged();
    v.run(CODER, found('no timeout', 'critical'));
    const done = v.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    expect(done.notes).toEqual(['left to the next goal: disc-1 (critical): no timeout']);
    expect(v.state.goal.alignment_history?.map(({ event }) => event)).toEqual(['carried_over', 'goal_completed']);
  });
});

describe('a discovery whose task is abandoned', () => {
  const abandon = (task: string): Command => ({ name: 'abandon', task, rationale: 'no way' });
  const taken = (severity: Discovery['severity'] = 'high'): World => {
    const w = merged();
    w.run(CODER, found('no timeout', severity));
    w.run(PLANNER, addReady('b'));
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'b' });
    return w;
  };

  it('is open again, is said to be, and holds the goal back', () => {
    const w = taken();
    const done = w.run(PLANNER, abandon('b'));
    expect(done.notes).toEqual(['discovery disc-1, which it took up, is open again']);
    expect(w.state.discovered[0]).toMatchObject({ id: 'disc-1', reopened: { task: 'b' } });
    expect(discoveryHead(w.state.discovered[0] as Discovery)).toContain('open again since b was abandoned');
    expect(w.refused(PLANNER, COMPLETE)).toMatchObject(refusedBy('nothing-undecided'));
    const again = w.refused(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'b' });
    expect(again).toMatchObject(refusedBy('task-exists'));
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-1', reason: 'upstream has it' });
    w.run(PLANNER, COMPLETE);
  });

  it('stays taken up while a task that replaced it lives, and is open when the last of them is abandoned', () => {
    const w = taken();
    w.run(HUMAN, { name: 'replan', task: 'b' });
    w.run(PLANNER, {
      name: 'supersede',
      task: 'b',
      root_cause: 'too large',
      replacements: [],
      definitions: [definition('c'), definition('d')],
    });
    w.run(PLANNER, abandon('c'));
    expect(w.state.discovered[0]?.converted_to_task).toBe('b');
    w.run(PLANNER, abandon('d'));
    expect(w.state.discovered[0]).toMatchObject({ reopened: { task: 'd' } });
    expect(w.state.discovered[0]?.converted_to_task).toBeUndefined();
  });
});

describe('a question that is open', () => {
  const ask = (text: string, assume?: string): Command =>
    ({ name: 'ask', text, ...(assume === undefined ? {} : { assume }) }) as Command;

  it('holds the goal back, whole, and each reader is told what it can do', () => {
    const w = merged();
    const long = `How often? ${'And why so often? '.repeat(20)}`.trim();
    w.run(CODER, ask(long, 'three times'));
    w.run(PLANNER, ask('Which account?', 'the test account'));
    const person = w.refused(HUMAN, COMPLETE);
    expect(person).toMatchObject(refusedBy('nothing-undecided'));
    expect(person.message).toContain(`q-1, asked by coder-1: ${long}`);
    expect(person.message).toContain('q-2, asked by planner-1: Which account?');
    expect(person.hint).toContain('liza answer q-1 "…" or liza answer q-1 --accept');
    expect(person.hint).toContain('liza answer q-2 "…" or liza answer q-2 --accept');
    const planner = w.refused(PLANNER, COMPLETE);
    expect(planner.hint).toContain('\nliza answer q-1 "…"');
    expect(planner.hint).toContain(
      '\nq-2 must be answered by a person; if it is no longer needed: liza ask --withdraw q-2 --reason "…"\n',
    );
    expect(planner.hint).not.toContain('liza answer q-2');
    expect(planner.hint).toContain('leave all of it to a person and the next goal: liza goal complete --carry-over');
    expect(person.hint).toContain('leave all of it to the next goal: liza goal complete --carry-over');
  });

  it('of another planner it is not this one’s to withdraw', () => {
    const w = merged();
    w.run(PLANNER, ask('Which account?', 'the test account'));
    const { hint } = w.refused({ id: 'planner-2', parts: ['planner'] }, COMPLETE);
    expect(hint).toContain('\nq-1 must be answered by a person\n');
    expect(hint).not.toContain('withdraw');
  });

  it('once it is answered the goal completes', () => {
    const w = merged();
    w.run(CODER, ask('How often?', 'three times'));
    w.run(PLANNER, { name: 'answer', about: 'q-1', text: 'five times', facts: {} } as Command);
    w.run(PLANNER, COMPLETE);
    expect(w.state.goal.status).toBe('COMPLETED');
  });

  it('is carried over by name, and the next goal has it and no other', () => {
    const w = merged();
    w.run(CODER, ask('How often?', 'three times'));
    w.run(CODER, ask('Which port?', '80'));
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: 'five times', facts: {} } as Command);
    const done = w.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    expect(done.notes).toEqual(['left to the next goal: q-2, asked by coder-1: Which port?']);
    expect(goalRecord(w.state, [], w.now).questions).toMatchObject([
      { id: 'q-1', status: 'answered', answer: 'five times', goal: 'goal-1' },
      { id: 'q-2', status: 'open' },
    ]);
    begin(w, 'Time out');
    expect(w.state.questions).toMatchObject([{ id: 'q-2', text: 'Which port?', goal: 'goal-1', status: 'open' }]);
    expect(w.state.questions).toHaveLength(1);
  });
});

describe('the next goal', () => {
  it('starts at zero, and keeps the open discoveries with the goal they come from', () => {
    const w = merged();
    w.run(CODER, found('no timeout', 'high'));
    w.run(CODER, found('a typo', 'low'));
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'known' });
    w.run(CODER, found('old names', 'low'));
    w.run(HUMAN, { name: 'spec-change', spec: 'specs/retry.md', change: 'twice' });
    w.run(CODER, { name: 'anomaly', type: 'spec_ambiguity', details: { what: 'x' } });
    w.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    begin(w, 'Time out');
    expect(w.state).toMatchObject({
      goal: { id: 'goal-2', status: 'PLANNING', alignment_history: [] },
      tasks: [],
      anomalies: [],
      spec_changes: [],
      sprint: { id: 'sprint-2', goal_ref: 'goal-2', scope: { planned: [] } },
      discovered: [
        { id: 'disc-1', carried_from: 'goal-1' },
        { id: 'disc-3', carried_from: 'goal-1' },
      ],
    });
    expect(w.state.discovered).toHaveLength(2);
  });

  it('a discovery that was carried over holds the next goal back, too, and keeps its first goal', () => {
    const w = merged();
    w.run(CODER, found('no timeout', 'high'));
    w.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    begin(w, 'Time out');
    w.run(PLANNER, addReady('b'));
    toMerged(w, 'b');
    expect(w.refused(PLANNER, COMPLETE)).toMatchObject(refusedBy('nothing-undecided'));
    w.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    begin(w, 'Third');
    expect(w.state.discovered).toMatchObject([{ id: 'disc-1', carried_from: 'goal-1' }]);
  });

  it('no id of a question, discovery, anomaly or note is given a second time under a later goal', () => {
    const ask = (text: string): Command => ({ name: 'ask', text, assume: 'yes' });
    const w = merged();
    for (const text of ['first?', 'second?']) {
      w.run(CODER, ask(text));
      w.run(CODER, found(text, 'high'));
      w.run(CODER, { name: 'anomaly', type: 'spec_ambiguity', details: { what: text } });
    }
    w.run(HUMAN, { name: 'note', message: 'go on' });
    w.run(HUMAN, { name: 'answer', about: 'q-2', text: 'no', facts: {} } as Command);
    w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'known' });
    w.run(PLANNER, { ...COMPLETE, carry_over: true } as Command);
    begin(w, 'Time out');
    expect(goalRecord(w.state, [], w.now)).not.toHaveProperty('last_ids');
    // The third goal knows what the first one gave, though the second gave nothing.
    begin(w, 'Third');
    w.run(CODER, ask('third?'));
    w.run(CODER, found('third', 'low'));
    w.run(CODER, { name: 'anomaly', type: 'spec_ambiguity', details: { what: 'third' } });
    w.run(HUMAN, { name: 'note', message: 'go on again' });
    expect(w.state.questions?.map(({ id }) => id)).toEqual(['q-1', 'q-3']);
    expect(w.state.discovered.map(({ id }) => id)).toEqual(['disc-1', 'disc-3']);
    expect(w.state.anomalies.map(({ id }) => id)).toEqual(['anomaly-3']);
    expect(w.state.human_notes.map(({ id }) => id)).toEqual(['note-1', 'note-2']);
    expect(w.refused(CODER, { ...found('fourth', 'low'), id: 'disc-2' } as Command)).toMatchObject(
      refusedBy('discovery'),
    );
  });

  it('a board of an earlier version, which counted nothing, goes on after the ids that it has', () => {
    const w = second();
    w.edit(({ goal: { last_ids: _, ...goal }, ...state }) => ({
      ...state,
      goal,
      questions: [{ id: 'q-4', asked_by: 'coder-1', text: 'old?', assume: 'yes', status: 'open' }],
    }));
    w.run(CODER, { name: 'ask', text: 'new?', assume: 'yes' });
    expect(w.state.questions?.map(({ id }) => id)).toEqual(['q-4', 'q-5']);
  });

  it('what agents used under an earlier goal is not counted again', () => {
    const w = merged();
    const usage = { sessions: 3, seconds: 9, input_tokens: 5, output_tokens: 5 };
    w.edit((state) => ({ ...state, agents: { ...state.agents, 'coder-1': { ...w.agent('coder-1'), usage } } }));
    w.run(PLANNER, COMPLETE);
    expect(goalRecord(w.state, [], w.now).agents['coder-1']).toEqual({ role: 'coder', usage });
    begin(w, 'Time out');
    expect(w.agent('coder-1').usage).toBeUndefined();
  });
});

describe('the record of a goal', () => {
  it('has everything that belonged to it, and of earlier goals nothing', () => {
    const w = second();
    w.run(HUMAN, { name: 'note', message: 'go on' });
    w.run(PLANNER, addReady('b'));
    w.run(PLANNER, { name: 'plan done' });
    w.run(CODER, found('no timeout', 'low'));
    toMerged(w, 'b');
    w.run(HUMAN, { name: 'sprint start' });
    w.run(PLANNER, COMPLETE);
    const a = { id: 'a', status: 'MERGED', priority: 3, created: '2026-03-01T09:00:00Z' } as const;
    const record = goalRecord(w.state, [a], w.now);
    expect(record).toMatchObject({
      id: 'goal-2',
      status: 'COMPLETED',
      description: 'Time out',
      tasks: ['b'],
      metrics: { tasks_total: 1, tasks_merged: 1 },
      sprints: [{ id: 'sprint-2', status: 'COMPLETED', metrics: { tasks_merged: 1 } }, { id: 'sprint-3' }],
      discovered: [{ id: 'disc-1' }],
      human_notes: [{ message: 'go on' }],
    });
    expect(record.sprints).toHaveLength(2);
    expect(record.alignment_history?.map(({ event }) => event)).toEqual([
      'sprint_closed',
      'carried_over',
      'goal_completed',
    ]);
  });
});

describe('goal edit', () => {
  it('changes the words and the document, keeps the former ones, and tells the planner', () => {
    const w = world();
    w.run(HUMAN, {
      name: 'goal edit',
      description: 'Retry reads',
      spec_ref: 'specs/reads.md',
      facts: { spec_exists: true },
    });
    expect(w.state.goal).toMatchObject({ description: 'Retry reads', spec_ref: 'specs/reads.md', status: 'PLANNING' });
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({
      event: 'goal_edited',
      by: 'human',
      summary: expect.stringContaining(
        'it was "Retry all calls"; its document is now specs/reads.md, it was specs/vision.md',
      ),
    });
    expect(w.state.human_notes.at(-1)).toMatchObject({
      for: 'planner',
      message: expect.stringContaining('The goal was edited: it is now "Retry reads"'),
    });
  });

  it('again with the same words it has taken effect already', () => {
    const w = world();
    expect(w.run(HUMAN, { name: 'goal edit', description: 'Retry all calls' }).already).toBe(true);
    expect(w.state.human_notes).toEqual([]);
  });

  it('its own document, named for the first time, is confirmed; then that has taken effect already', () => {
    const w = world();
    const same = { name: 'goal edit', spec_ref: 'specs/vision.md', facts: { spec_exists: true } } as const;
    expect(w.run(HUMAN, same).already).not.toBe(true);
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({
      event: 'goal_edited',
      summary: 'its document is specs/vision.md, as before',
    });
    expect(w.run(HUMAN, same).already).toBe(true);
  });

  it.each([
    ['nothing is given', {}, 'something-changes'],
    ['the words are blank', { description: ' ' }, 'definition'],
    ['the document is not there', { spec_ref: 'specs/none.md', facts: { spec_exists: false } }, 'spec-known'],
    ['nobody looked for the document', { spec_ref: 'specs/none.md' }, 'spec-known'],
  ] as const)('is refused when %s', (_, fields, guard) => {
    expect(world().refused(HUMAN, { name: 'goal edit', ...fields })).toMatchObject(refusedBy(guard));
  });

  it('a completed goal stays as it was, and only a person edits one', () => {
    const w = merged();
    w.run(PLANNER, COMPLETE);
    expect(w.refused(HUMAN, { name: 'goal edit', description: 'other' })).toMatchObject(refusedBy('goal-open'));
    expect(world().refused(PLANNER, { name: 'goal edit', description: 'other' })).toMatchObject(refusedBy('role'));
  });
});

it('discover names the record it made, also when it had made it before', () => {
  const w = world();
  expect(w.run(CODER, found('no timeout', 'high'))).toMatchObject({ made: 'disc-1' });
  expect(w.run(CODER, found('no timeout', 'high'))).toMatchObject({
    already: true,
    made: 'disc-1',
    detail: 'discover had already taken effect: disc-1',
  });
});
