// A person's notes: their ids, whom they are for, and that only `note done` deals with one.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { isOver, namedNotes, notesAtEnd, notesOfNextGoal, openNotes } from '../../../src/protocol/messages/notes.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { plannerWakes } from '../../../src/supervisor/rules/wakes.ts';
import { CODER, claim, HUMAN, OTHER_CODER, PLANNER, REVIEWER, ready, SUPERVISOR, supervisorOf } from './world.ts';

const leave = (message: string, reader?: string): Command => ({
  name: 'note',
  message,
  ...(reader === undefined ? {} : { for: reader }),
});
const done = (...notes: readonly string[]): Command => ({ name: 'note done', notes, why: 'it is a criterion now' });
const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
const over = (handled: readonly string[]): Command => ({
  name: 'session-end',
  agent: 'planner-1',
  provider: 'p',
  how: 'exit 0',
  used,
  handled,
});

describe('the id of a note', () => {
  it('is printed by the command that makes it, with whom it is for', () => {
    const w = ready('a');
    expect(w.run(HUMAN, leave('x')).detail).toBe('note-1 left for everyone');
    expect(w.run(HUMAN, leave('y', 'planner')).detail).toBe('note-2 left for planner');
    expect(w.run(HUMAN, leave('x'))).toMatchObject({ already: true, detail: expect.stringContaining('note-1') });
    expect(w.state.human_notes.map(({ id }) => id)).toEqual(['note-1', 'note-2']);
  });

  it('is no other one because a note with an id stands above it', () => {
    const w = ready('a');
    const old = { timestamp: '2026-03-01T09:00:00Z', message: 'old' };
    w.edit((state) => ({
      ...state,
      human_notes: [{ ...old, id: 'note-3' }, old, { ...old, id: 'note-2' }, old],
    }));
    expect(namedNotes(w.state).map(({ id }) => id)).toEqual(['note-3', 'note-1', 'note-2', 'note-4']);
  });

  it('is its place where an earlier version, or a hand, left none', () => {
    const w = ready('a');
    const old = { timestamp: '2026-03-01T09:00:00Z', message: 'old' };
    w.edit((state) => ({ ...state, human_notes: [old, { ...old, message: 'older' }] }));
    expect(w.run(HUMAN, leave('new')).detail).toBe('note-3 left for everyone');
    w.run(PLANNER, done('note-2'));
    expect(w.state.human_notes.map(({ processed_by }) => processed_by)).toEqual([undefined, 'planner-1', undefined]);
  });
});

describe('a note is for', () => {
  const readers = {
    planner: { agent: 'planner-1', role: 'planner' },
    'coder-1': { agent: 'coder-1', role: 'coder', task: 'a' },
    'coder-2': { agent: 'coder-2', role: 'coder', task: 'b' },
    reviewer: { agent: 'code-reviewer-1', role: 'code_reviewer', task: 'a' },
  } as const;
  it.each([
    [undefined, ['planner', 'coder-1', 'coder-2', 'reviewer']],
    ['all', ['planner', 'coder-1', 'coder-2', 'reviewer']],
    ['planner', ['planner']],
    ['coder', ['coder-1', 'coder-2']],
    ['code-reviewer', ['reviewer']],
    ['code_reviewer', ['reviewer']],
    ['code_reviewer-1', ['reviewer']],
    ['coder-2', ['coder-2']],
    ['a', ['planner', 'coder-1', 'reviewer']],
  ])('%s: read by %j', (reader, names) => {
    const w = ready('a', 'b');
    w.run(HUMAN, leave('x', reader));
    const found = Object.entries(readers).filter(([, one]) => openNotes(w.state, one).length > 0);
    expect(found.map(([name]) => name)).toEqual(names);
    const wakes = plannerWakes(w.board, w.now).some(({ trigger }) => trigger === 'HUMAN_NOTE');
    expect(wakes).toBe(names.includes('planner'));
  });

  it('a task that was replaced: read and dealt with by who works on what replaced it', () => {
    const w = ready('a', 'b');
    w.run(HUMAN, leave('before', 'a'));
    w.run(HUMAN, { name: 'replan', task: 'a' });
    w.run(PLANNER, { name: 'supersede', task: 'a', replacements: ['b'], definitions: [], root_cause: 'cut wrongly' });
    const { notes } = w.run(HUMAN, leave('after', 'a'));
    expect(notes).toContain('a was replaced: who works on b reads it, and the planner');
    const told = openNotes(w.state, readers['coder-2']).map(({ note }) => note.message);
    expect(told).toEqual(['before', 'after']);
    expect(openNotes(w.state, { ...readers['coder-2'], task: 'c' })).toEqual([]);
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    w.run(OTHER_CODER, done('note-2'));
  });

  it('a task that has ended: the person is told that only the planner reads it', () => {
    const w = ready('a', 'b');
    w.run(PLANNER, { name: 'abandon', task: 'a', rationale: 'nobody needs it' });
    expect(w.run(HUMAN, leave('x', 'a')).notes).toContain('a is ABANDONED: of the agents only the planner reads it');
    expect(w.run(HUMAN, leave('x', 'b')).notes?.join()).not.toContain('planner reads');
  });

  it('the planner alone, when it is what a person decided at a checkpoint', () => {
    const w = ready('a');
    w.run(HUMAN, { name: 'checkpoint' });
    w.run(HUMAN, { name: 'resume', decision: 'replan', note: 'smaller tasks' });
    expect(w.state.human_notes).toMatchObject([{ id: 'note-1', for: 'planner' }]);
  });
});

describe('note done', () => {
  it('says by whom and why, and is the only thing that deals with a note', () => {
    const w = ready('a');
    w.run(HUMAN, leave('x', 'planner'));
    w.run(supervisorOf('planner-1'), over(['HUMAN_NOTE:note-1@2026-03-01T09:00:00Z']));
    expect(w.state.human_notes[0]).not.toHaveProperty('processed_at');
    w.run(PLANNER, done('note-1'));
    expect(w.state.human_notes[0]).toMatchObject({ processed_by: 'planner-1', why: 'it is a criterion now' });
    expect(w.run(PLANNER, done('note-1')).already).toBe(true);
  });

  it('by the planner ends a note to everyone for the planner alone, and says so; by a person for all', () => {
    const w = ready('a');
    w.run(HUMAN, leave('no new files'));
    const coder = { agent: 'coder-1', role: 'coder', task: 'a' } as const;
    const planner = { agent: 'planner-1', role: 'planner' } as const;
    expect(w.run(PLANNER, done('note-1')).notes?.join()).toContain('until a person runs: liza note done note-1');
    expect([openNotes(w.state, coder).length, openNotes(w.state, planner).length]).toEqual([1, 0]);
    expect(w.run(PLANNER, done('note-1')).already).toBe(true);
    expect(notesAtEnd(w.state).ended.map(({ id }) => id)).toEqual(['note-1']);
    expect(notesAtEnd(w.state).carried).toEqual([]);
    expect(notesOfNextGoal(w.state, w.now).map(isOver)).toEqual([true]);
    expect(w.refused(HUMAN, done('note-9')).hint).toContain('note-1');
    expect(w.run(HUMAN, { name: 'note done', notes: ['note-1'] }).already).not.toBe(true);
    expect(w.state.human_notes[0]).toMatchObject({ processed_by: 'human', why: 'it is a criterion now' });
    expect(openNotes(w.state, coder)).toEqual([]);
    expect(notesAtEnd(w.state).carried).toEqual([]);
    expect(w.run(HUMAN, { name: 'note done', notes: ['note-1'] }).already).toBe(true);
  });

  it('by the planner of a note to a task stays on record as the goal ends', () => {
    const w = ready('a');
    w.run(HUMAN, leave('louder', 'a'));
    w.run(PLANNER, done('note-1'));
    expect(notesAtEnd(w.state)).toEqual({ ended: [], carried: [] });
  });

  it('by the planner ends a note to the planner for good', () => {
    const w = ready('a');
    w.run(HUMAN, leave('plan smaller', 'planner'));
    expect(w.run(PLANNER, done('note-1')).notes ?? []).toEqual([]);
    expect(w.run(HUMAN, { name: 'note done', notes: ['note-1'] }).already).toBe(true);
    expect(notesAtEnd(w.state).carried).toEqual([]);
  });

  it('refuses a note that is not there, naming those that are open', () => {
    const w = ready('a');
    w.run(HUMAN, leave('x'));
    expect(w.refused(HUMAN, done('note-7'))).toMatchObject({ guard: 'notes', hint: 'These are open: note-1' });
    expect(w.refused(HUMAN, done()).guard).toBe<RefusalName>('notes');
  });

  it('a coder says it of notes to itself and its task, not of those that others read too', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    for (const reader of [undefined, 'coder', 'a', 'coder-1']) w.run(HUMAN, leave(`to ${reader}`, reader));
    expect(w.refused(CODER, done('note-1')).guard).toBe<RefusalName>('addressee');
    expect(w.refused(CODER, done('note-2')).guard).toBe<RefusalName>('addressee');
    expect(w.refused(OTHER_CODER, done('note-4')).guard).toBe<RefusalName>('addressee');
    expect(w.refused(REVIEWER, done('note-3')).guard).toBe<RefusalName>('addressee');
    w.run(CODER, done('note-3', 'note-4'));
    w.run(PLANNER, done('note-1', 'note-2'));
  });
});

it('a note that is shown and not dealt with stays in prompts and wakes only once, however much follows', () => {
  const w = ready('a');
  w.run(PLANNER, { name: 'plan done' });
  w.run(HUMAN, leave('x', 'planner'));
  const keys = () => plannerWakes(w.board, w.now).map(({ key }) => key);
  const [key = ''] = keys();
  const plan = supervisorOf('planner-1');
  w.run(plan, over([key]));
  for (let n = 0; n < 250; n += 1) w.run(plan, over([`BLOCKED_TASKS:a@${n}`]));
  expect(keys()).toEqual([key]);
  const { handled = [] } = w.agent('planner-1');
  expect(handled).toContain(key);
  expect(handled).toHaveLength(201);
  expect(openNotes(w.state, { agent: 'planner-1', role: 'planner' })).toHaveLength(1);
});
