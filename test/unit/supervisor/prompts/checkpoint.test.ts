// A coder is told whether a checkpoint counts, and if an earlier one does not, why; and it is shown `begin` first only
// where a checkpoint is still to be recorded.

import { describe, expect, it, test } from 'vitest';
import {
  addReady,
  BASE,
  begin,
  block,
  CHECKPOINT,
  CODER,
  claim,
  claimed,
  claimReview,
  commit,
  HUMAN,
  PLANNER,
  proved,
  SPEC,
  SUPERVISOR,
  submit,
  toRejected,
  type World,
  world,
} from '../../protocol/world.ts';
import { toCoder, toReviewer } from './situations.ts';

function begun(): World {
  const w = world();
  w.run(PLANNER, addReady('a'));
  w.run(SUPERVISOR, claim('a'));
  w.run(CODER, begin('a'));
  return w;
}

const HANDOFF = { name: 'handoff', task: 'a', summary: 'half', next_action: 'the rest' } as const;
const commands = (told: string): readonly string[] => {
  const lines = told.split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('COMMANDS')) + 1);
};
const earlier = (told: string): string => /^EARLIER PLAN.*$/m.exec(told)?.[0] ?? '';

describe('COMMANDS', () => {
  it('leads with begin while no checkpoint is recorded', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(SUPERVISOR, claim('a'));
    expect(commands(toCoder(w, 'a'))[0]).toMatch(/^liza begin a --intent/);
  });

  it('leads with submit after a handoff that continues the iteration, and names no second checkpoint', () => {
    const w = begun();
    w.run(CODER, HANDOFF);
    w.run(SUPERVISOR, claim('a'));
    const told = toCoder(w, 'a');
    expect(told).toContain('Your checkpoint for this iteration counts (no second `begin`)');
    expect(commands(told).filter((line) => line.startsWith('liza begin a --intent'))).toEqual([]);
    expect(told).toContain('liza begin a --also');
  });

  it('leads with submit after a takeover that continues the iteration', () => {
    const w = begun();
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    const told = toCoder(w, 'a', {}, 'coder-2');
    expect(told).toContain('The checkpoint of coder-1 for this iteration counts');
    expect(commands(told).filter((line) => line.startsWith('liza begin a --intent'))).toEqual([]);
  });

  it('has begin where an answer came after the checkpoint, which may be recorded again then', () => {
    const w = begun();
    w.run(CODER, { name: 'ask', text: 'which status?', task: 'a', assume: '503' });
    w.pass(1);
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: '502 and 503', facts: SPEC });
    const told = toCoder(w, 'a');
    expect(told).toContain('THE PLAN IS OLDER than the answer to q-1');
    expect(commands(told)[0]).toMatch(/^liza begin a --intent/);
  });

  it.each([
    ['accepted', { accept: true as const }],
    ['answered in its words', { text: 'HTTP status 503.' }],
  ])('has none where what was assumed is %s: the plan stands', (_, how) => {
    const w = begun();
    w.run(CODER, { name: 'ask', text: 'which status?', task: 'a', assume: 'http status 503' });
    w.pass(1);
    w.run(HUMAN, { name: 'answer', about: 'q-1', facts: SPEC, ...how });
    const told = toCoder(w, 'a');
    expect(told).not.toContain('THE PLAN IS OLDER');
    expect(commands(told).filter((line) => line.startsWith('liza begin a --intent'))).toEqual([]);
  });

  it('has begin again where the answer that it was recorded for is corrected, even back to what was assumed', () => {
    const w = begun();
    w.run(CODER, { name: 'ask', text: 'which status?', task: 'a', assume: '503' });
    w.pass(1);
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: '502', facts: SPEC });
    w.run(CODER, begin('a', undefined, { ...CHECKPOINT, intent: 'only 502' }));
    expect(toCoder(w, 'a')).not.toContain('THE PLAN IS OLDER');
    w.pass(1);
    w.run(HUMAN, { name: 'answer', about: 'q-1', text: '503', facts: SPEC });
    expect(toCoder(w, 'a')).toContain('THE PLAN IS OLDER than the answer to q-1');
  });
});

describe('an earlier checkpoint that counts no more', () => {
  it('after a rejection: each iteration has its own; a resumed session is told too', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toRejected(w, 'a');
    w.run(SUPERVISOR, claim('a'));
    for (const resumed of [false, true])
      expect(earlier(toCoder(w, 'a', resumed ? { resumed } : {}))).toMatch(/yours from .* was rejected/);
  });

  it('after a redefinition: the task was redefined since', () => {
    const w = begun();
    w.run(CODER, block('a'));
    const changes = { done_when: 'every 503 is retried three times at most' };
    w.run(PLANNER, { name: 'unblock', task: 'a', changes, facts: SPEC });
    w.run(SUPERVISOR, claim('a'));
    expect(earlier(toCoder(w, 'a'))).toContain('the task was redefined since');
  });

  it('after a fresh start: the work starts fresh', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toRejected(w, 'a');
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2', { former: 'refs/liza/attempts/a/1' }));
    expect(earlier(toCoder(w, 'a', {}, 'coder-2'))).toMatch(/coder-1’s from .* the work starts fresh/);
  });
});

test('a rejected commit that is not in the history of the folder, or of the one in review, is told as that', () => {
  const w = claimed();
  toRejected(w, 'a');
  w.run(SUPERVISOR, claim('a'));
  const without = w.task('a').review_commit ?? commit(1);
  expect(toCoder(w, 'a', { begun: BASE })).not.toContain('LACKS');
  expect(toCoder(w, 'a', { begun: BASE, without })).toContain(
    `WORKTREE LACKS THE REJECTED COMMIT ${without}: this iteration began at ${BASE}.`,
  );
  w.run(CODER, begin('a'));
  w.run(CODER, submit('a', commit(0x5000), { proof: proved(w, 'a', commit(0x5000)) }));
  w.run(SUPERVISOR, claimReview('a'));
  expect(toReviewer(w, 'a')).not.toContain('is not in its history');
  expect(toReviewer(w, 'a', { without })).toMatch(
    /since the rejection: .* \(the rejected commit is not in its history\)\. Only/,
  );
});
