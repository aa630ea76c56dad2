// What is reported on a task while it is under review reaches its reviewer with the next command, once.

import { expect, test } from 'vitest';
import { newsSince, toldWith } from '../../../src/protocol/messages/news.ts';
import { namedIn, reportedOn } from '../../../src/protocol/review/reported.ts';
import {
  addReady,
  CODER,
  claimReview,
  PLANNER,
  REVIEWER,
  SUPERVISOR,
  toClaimed,
  toReady,
  type World,
  world,
} from './world.ts';

const READER = { agent: 'code-reviewer-1', role: 'code_reviewer', task: 'a' } as const;

function reviewing(): World {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toReady(w, 'a');
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}
const found = { name: 'discover', severity: 'high', during: 'a' } as const;

test('a discovery of the coder after the submission is news to the reviewer, once, and to nobody else', () => {
  const w = reviewing();
  const told = toldWith(w.state, READER);
  w.run(CODER, { ...found, description: 'the commit drops the body' });
  expect(newsSince(w.state, READER, told)).toMatchObject([
    { kind: 'report', by: 'coder-1', about: 'discovery, high', text: 'the commit drops the body' },
  ]);
  expect(newsSince(w.state, READER, toldWith(w.state, READER))).toEqual([]);
  const coder = { agent: 'coder-2', role: 'coder' } as const;
  expect(newsSince(w.state, coder, told).filter(({ kind }) => kind === 'report')).toEqual([]);
});

test('what the reviewer itself reports is no news to it', () => {
  const w = reviewing();
  const told = toldWith(w.state, READER);
  w.run(REVIEWER, { ...found, description: 'the docs are old' });
  expect(newsSince(w.state, READER, told)).toEqual([]);
});

test('a discovery that names another task reaches the coder and the reviewer of that one', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  w.run(PLANNER, addReady('repeat-pad'));
  toClaimed(w, 'repeat-pad', 'coder-2');
  const reader = { agent: 'coder-2', role: 'coder', task: 'repeat-pad' } as const;
  const told = toldWith(w.state, reader);
  const wraps = { ...found, description: 'the sum wraps; repeat-pad must check its own product' };
  w.run(CODER, wraps);
  w.run(CODER, { ...found, description: 'I can repeat it, and pad it' });
  expect(newsSince(w.state, reader, told)).toMatchObject([{ kind: 'report', text: wraps.description }]);
  expect(reportedOn(w.state, w.task('repeat-pad')).map(({ text }) => text)).toEqual([wraps.description]);
});

test('a discovery that was converted to an existing task reaches the coder and the reviewer of that one', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  w.run(PLANNER, addReady('add'));
  w.run(CODER, { ...found, during: undefined, description: 'the sum wraps' });
  expect(namedIn(w.state, w.task('add'))).toEqual([]);
  w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'add' });
  const told = [{ id: 'disc-1', kind: expect.stringContaining('which this task takes up'), text: 'the sum wraps' }];
  expect(namedIn(w.state, w.task('add'))).toMatchObject(told);
  expect(reportedOn(w.state, w.task('add'))).toMatchObject(told);
  expect(namedIn(w.state, w.task('a'))).toEqual([]);
});

test('an id that could be any word counts only as a quotation; a dismissed discovery names nothing', () => {
  const w = world();
  w.run(PLANNER, addReady('find'));
  w.run(CODER, { ...found, during: undefined, description: 'I find it odd' });
  expect(namedIn(w.state, w.task('find'))).toEqual([]);
  w.run(CODER, { ...found, during: undefined, description: 'so `find` runs into it' });
  expect(namedIn(w.state, w.task('find')).map(({ id }) => id)).toEqual(['disc-2']);
  w.run(PLANNER, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'it does not' });
  expect(namedIn(w.state, w.task('find'))).toEqual([]);
});

test('what the planner asks about a task is news to the coder at work on it, with what is assumed, once', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toClaimed(w, 'a');
  const coder = { agent: 'coder-1', role: 'coder', task: 'a' } as const;
  const told = toldWith(w.state, coder);
  w.run(PLANNER, { name: 'ask', task: 'a', text: 'Which header?', assume: 'X-Auth' });
  w.run(CODER, { name: 'ask', task: 'a', text: 'How often?', assume: 'once' });
  expect(newsSince(w.state, coder, told)).toMatchObject([
    { kind: 'report', id: 'q-1', about: 'question', text: 'Which header?\nplanner-1 continues with: X-Auth' },
  ]);
  expect(newsSince(w.state, coder, toldWith(w.state, coder))).toEqual([]);
});

test('what names a task is told with what was decided about it', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  w.run(PLANNER, addReady('repeat-pad'));
  w.run(CODER, { ...found, description: 'the sum wraps; repeat-pad must check its own product' });
  w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'a' });
  expect(namedIn(w.state, w.task('repeat-pad')).map(({ kind }) => kind)).toEqual(['discovery, high; taken up by a']);
  expect(reportedOn(w.state, w.task('repeat-pad')).map(({ kind }) => kind)).toEqual(['discovery, high; taken up by a']);
});

test('an attempt to act as somebody else is a sentence, with its end, and no field that reads otherwise', () => {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toClaimed(w, 'a');
  const tried = {
    name: 'refused-attempt',
    agent: 'coder-1',
    claimed: 'code-reviewer-1',
    command: 'submit-verdict',
  } as const;
  w.run(SUPERVISOR, tried);
  expect(reportedOn(w.state, w.task('a')).map(({ text }) => text)).toEqual([
    'coder-1 ran `liza submit-verdict` as code-reviewer-1; it was refused, and says nothing of the change',
  ]);
});
