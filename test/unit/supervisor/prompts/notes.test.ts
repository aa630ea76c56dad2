// Who is shown which of the human's notes, and when a handoff is behind the work.

import { expect, test } from 'vitest';
import type { Role } from '../../../../src/protocol/state.ts';
import { notesFor } from '../../../../src/supervisor/prompts/sections.ts';
import {
  begin,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  REVIEWER,
  ready,
  reject,
  SUPERVISOR,
  submit,
  type World,
} from '../../protocol/world.ts';
import { contextOf, toCoder, toPlanner } from './situations.ts';

function noted(): World {
  const w = ready('a', 'b');
  const readers = [undefined, 'all', 'a', 'b', 'coder-1', 'coder-2', 'code-reviewer-1', 'planner-1', 'no-such-thing'];
  // By hand, where nobody checks whom they are for.
  w.edit((state) => ({
    ...state,
    human_notes: readers.map((reader) => ({
      timestamp: '2026-03-01T09:00:00Z',
      message: `to ${reader}`,
      ...(reader === undefined ? {} : { for: reader }),
    })),
  }));
  return w;
}

test.each<[Role, string | undefined, readonly string[]]>([
  ['coder', 'a', ['undefined', 'all', 'a', 'coder-1']],
  ['coder', 'b', ['undefined', 'all', 'b', 'coder-1']],
  ['code_reviewer', 'a', ['undefined', 'all', 'a', 'code-reviewer-1']],
  ['planner', undefined, ['undefined', 'all', 'a', 'b', 'planner-1', 'no-such-thing']],
])('a %s on %s reads %j', (role, task, readers) => {
  const w = noted();
  const found = notesFor(contextOf(w, role), task === undefined ? undefined : w.task(task));
  expect(found.map(({ note }) => note.message)).toEqual(readers.map((reader) => `to ${reader}`));
});

test('what the planner has dealt with is still news to the coder; what another agent processed is not', () => {
  const w = ready('a');
  const processed = (by: string) => {
    w.edit((state) => ({
      ...state,
      human_notes: [
        { timestamp: '2026-03-01T09:00:00Z', message: 'x', processed_at: '2026-03-01T09:01:00Z', processed_by: by },
      ],
    }));
    return [notesFor(contextOf(w, 'coder'), w.task('a')).length, notesFor(contextOf(w, 'planner')).length];
  };
  expect(processed('planner-1')).toEqual([1, 0]);
  expect(processed('coder-1')).toEqual([0, 0]);
  expect(processed('init')).toEqual([0, 0]);
});

test('only the latest notes are shown, and the rest is said', () => {
  const w = ready('a');
  for (let n = 1; n <= 14; n++) w.run(HUMAN, { name: 'note', message: `note ${n}` });
  const prompt = toPlanner(w);
  expect(prompt).toContain('(4 older ones: `liza lock read`)');
  expect(prompt).not.toMatch(/^\| note 4$/m);
  expect(prompt).toMatch(/^\| note 5$/m);
});

test('a handoff is shown until its work was submitted', () => {
  const w = ready('a');
  w.run(SUPERVISOR, claim('a'));
  w.run(CODER, begin('a'));
  w.run(CODER, { name: 'handoff', task: 'a', summary: 'half done', next_action: 'the rest' });
  expect(toCoder(w, 'a')).toContain('=== HANDOFF ===');
  w.run(CODER, submit('a', commit(0x77)));
  w.run(SUPERVISOR, claimReview('a'));
  w.run(REVIEWER, reject('a'));
  w.run(SUPERVISOR, claim('a'));
  expect(toCoder(w, 'a')).not.toContain('=== HANDOFF ===');
});

test('many records of one trigger are named, not told', () => {
  const ids = Array.from({ length: 8 }, (_, n) => `task-${n}`);
  const w = ready(...ids);
  for (const id of ids) w.run(HUMAN, { name: 'replan', task: id });
  const prompt = toPlanner(w);
  expect(prompt.match(/^\* BLOCKED: /gm)).toHaveLength(5);
  expect(prompt).toContain('- task-7: read it with `liza show task-7`');
});

test('note done is named only where there is a note that the reader deals with', () => {
  const w = ready('a');
  w.run(SUPERVISOR, claim('a'));
  expect(toPlanner(w)).not.toContain('liza note done');
  expect(toCoder(w, 'a')).not.toContain('liza note done');
  w.run(HUMAN, { name: 'note', message: 'use the helper', for: 'a' });
  expect(toPlanner(w)).toContain('`liza note done note-1 --why');
  expect(toCoder(w, 'a')).toContain('`liza note done note-1 --why');
});
