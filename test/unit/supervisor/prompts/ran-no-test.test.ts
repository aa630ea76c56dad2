// A validation whose filter selects nothing is green: that it ran no test is told to planner, coder and reviewer.

import { expect, test } from 'vitest';
import { newConcerns } from '../../../../src/supervisor/prompts/concerns.ts';
import {
  addReady,
  BASE,
  begin,
  CODER,
  claim,
  claimReview,
  commit,
  PLANNER,
  proved,
  REVIEWER,
  SUPERVISOR,
  submit,
  UNCHANGED,
  type World,
  world,
} from '../../protocol/world.ts';
import { toCoder, toPlanner, toReviewer } from './situations.ts';

const LINE = 'go test -run XXX ./...';
const AT = commit(0x2000);

function tried(tests?: number): World {
  const w = world();
  w.run(PLANNER, addReady('a', { validation: [LINE] }));
  const run = {
    command: LINE,
    is: 'green',
    how: 'ended with 0',
    seconds: 1,
    ...(tests === undefined ? {} : { tests }),
  };
  w.run(SUPERVISOR, {
    name: 'record-trial',
    task: 'a',
    commit: BASE,
    commands: [LINE],
    under: 'u',
    runs: [{ ...run, is: 'green' }],
  });
  return w;
}

test('on the base the planner and the coder are told', () => {
  const w = tried(0);
  expect(toPlanner(w)).toContain(`validation green on the base (there \`${LINE}\` ran NO TEST)`);
  expect(toPlanner(tried(3))).not.toContain('NO TEST');
  w.run(SUPERVISOR, claim('a'));
  expect(toCoder(w, 'a')).toContain(`GREEN, IT RAN NO TEST: ${LINE}`);
});

test('at the commit its coder and the reviewer are told, and the planner of what was approved', () => {
  const w = tried(0);
  w.run(SUPERVISOR, claim('a'));
  w.run(CODER, begin('a', BASE));
  const proof = proved(w, 'a', AT);
  const runs = proof.runs.map((run) => (run.command === LINE ? { ...run, tests: 0 } : run));
  const { notes } = w.run(CODER, submit('a', AT, { proof: { ...proof, runs } }));
  expect(notes?.join('\n')).toContain(`\`${LINE}\` is green, and it ran no test; the reviewer is told.`);
  w.pass(60);
  w.run(SUPERVISOR, claimReview('a'));
  const prompt = toReviewer(w, 'a');
  expect(prompt).toMatch(/green, [\d.]+ s, IT RAN NO TEST/);
  expect(prompt).toContain('A GREEN COMMAND RAN NO TEST: its green shows nothing.');
  w.run(REVIEWER, {
    name: 'submit-verdict',
    task: 'a',
    verdict: 'APPROVED',
    reason: '1: seen it does what it says',
    facts: UNCHANGED,
  });
  expect(newConcerns(w.state).flatMap(({ lines }) => lines)).toContain(
    `a: \`${LINE}\` was green at the approved commit, and it ran no test`,
  );
});
