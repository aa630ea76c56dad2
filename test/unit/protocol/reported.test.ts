// What is reported on a task while it is under review reaches its reviewer with the next command, once.

import { expect, test } from 'vitest';
import { newsSince, toldWith } from '../../../src/protocol/news.ts';
import { addReady, CODER, claimReview, PLANNER, REVIEWER, SUPERVISOR, toReady, type World, world } from './world.ts';

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
