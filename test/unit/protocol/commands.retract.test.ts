// A coder takes its submission back: before the verdict the work is its own again, after it the word is on record.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { newsSince, toldWith } from '../../../src/protocol/messages/news.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { lastReviewRetracted } from '../../../src/protocol/review/retracted.ts';
import { retractedFields } from '../../../src/supervisor/prompts/task-fields.ts';
import {
  addReady,
  approve,
  begin,
  CODER,
  claim,
  claimReview,
  commit,
  OTHER_CODER,
  OTHER_REVIEWER,
  PLANNER,
  REVIEWER,
  reject,
  SUPERVISOR,
  submit,
  toClaimed,
  toMerged,
  world,
} from './world.ts';

const retract = (reason = 'the test never waits for the call'): Command => ({ name: 'retract', task: 'a', reason });

function submitted(n = 1) {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toClaimed(w, 'a');
  w.run(CODER, begin('a'));
  w.run(CODER, submit('a', commit(n)));
  return w;
}

function underReview() {
  const w = submitted();
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}

describe('before the verdict', () => {
  it('the task is its coder’s again: CLAIMED with a new lease, same folder, iteration and checkpoint', () => {
    const w = submitted();
    const before = w.task('a');
    w.pass(60);
    const { notes = [] } = w.run(CODER, retract());
    expect(w.task('a')).toMatchObject({
      status: 'CLAIMED',
      assigned_to: 'coder-1',
      worktree: before.worktree,
      iteration: before.iteration,
      epoch: before.epoch,
      lease_expires: '2026-03-01T09:06:00Z',
    });
    expect(w.task('a').review_commit).toBeUndefined();
    expect(w.board.state.agents['coder-1']).toMatchObject({ status: 'WORKING', current_task: 'a' });
    expect(notes.join()).toContain('It is yours again');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'retracted', commit: commit(1) });
    w.run(CODER, submit('a', commit(2)));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  });

  it('an approval of it counts no more, also where the same commit comes again', () => {
    const w = submitted();
    w.edit((state) => ({ ...state, config: { ...state.config, reviewers_required: 2 } }));
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approve('a'));
    w.run(CODER, retract());
    w.run(CODER, { ...submit('a', commit(1)), unchanged: 'it waits after all: the call is in its set-up' } as Command);
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    w.run(OTHER_REVIEWER, approve('a'));
    expect(w.task('a').status).toBe('READY_FOR_REVIEW');
  });

  it('is no failed attempt', () => {
    const w = submitted();
    w.run(CODER, retract());
    const { failed_by, failures_current, review_cycles_current, iteration } = w.task('a');
    expect([failed_by ?? [], failures_current ?? [], review_cycles_current ?? 0, iteration]).toEqual([[], [], 0, 1]);
  });

  it('a reviewer that has it is freed and told why; its verdict is refused with how to stop', () => {
    const w = underReview();
    const reader = { agent: 'code-reviewer-1', role: 'code_reviewer', task: 'a' } as const;
    const told = toldWith(w.board.state, reader);
    w.run(CODER, retract());
    expect(w.task('a').reviewing_by).toBeUndefined();
    expect(w.task('a').review_lease_expires).toBeUndefined();
    expect(w.board.state.agents['code-reviewer-1']).toMatchObject({ status: 'IDLE' });
    expect(newsSince(w.board.state, reader, told)).toMatchObject([
      { kind: 'retracted', task: 'a', by: 'coder-1', text: 'the test never waits for the call' },
    ]);
    expect(newsSince(w.board.state, reader, toldWith(w.board.state, reader))).toEqual([]);
    const refused = w.refused(REVIEWER, approve('a'));
    expect(refused.guard).toBe<RefusalName>('state');
    expect(refused.hint).toMatch(/withdrew the submission \(“[^”]*never waits[^”]*”\): no verdict.*liza exit 42/);
  });

  it('of one under review the coder’s next session goes on, with the reason as its handoff', () => {
    const w = underReview();
    const session: Actor = { ...CODER, epoch: w.board.state.agents['coder-1']?.epoch ?? 0 };
    const { notes = [] } = w.run(session, retract());
    expect(notes.join()).toContain('your next session continues');
    expect(w.task('a')).toMatchObject({ status: 'CLAIMED', handoff_pending: true });
    expect(w.board.state.agents['coder-1']?.status).toBe('HANDOFF');
    expect(w.board.state.handoff['a']).toMatchObject({
      agent: 'coder-1',
      summary: expect.stringContaining('never waits'),
    });
    w.run(SUPERVISOR, claim('a'));
    expect(w.task('a')).toMatchObject({ status: 'CLAIMED', assigned_to: 'coder-1', iteration: 1 });
    w.run(CODER, submit('a', commit(2)));
  });

  it('of one under review the old sessions of coder and reviewer are told one thing, whichever command they try', () => {
    const w = underReview();
    const old: Actor = { ...CODER, epoch: (w.task('a').epoch ?? 0) - 1 };
    const reviewer: Actor = { ...REVIEWER, epoch: w.task('a').epoch ?? 0 };
    w.run({ ...old, epoch: w.board.state.agents['coder-1']?.epoch ?? 0 }, retract());
    const handoff = { name: 'handoff', task: 'a', summary: 's', next_action: 'n' } as const;
    const toCoder = [retract('once more'), submit('a', commit(2)), begin('a'), handoff].map(
      (command) => w.refused(old, command).hint,
    );
    const epoch = w.board.state.agents['coder-1']?.epoch ?? 0;
    const done = w.refused({ ...CODER, epoch }, { name: 'exit', code: 42, reason: 'submitted' });
    expect(done.message).toContain('the submission of a was retracted');
    toCoder.push(done.hint);
    expect(new Set(toCoder)).toEqual(new Set([expect.stringMatching(/your next session continues.*liza exit 42/)]));
    const toReviewer = () => [approve('a'), handoff].map((command) => w.refused(reviewer, command).hint);
    expect(new Set(toReviewer())).toEqual(new Set([expect.stringMatching(/withdrew the submission.*liza exit 42/)]));
    const before = toReviewer();
    w.run(SUPERVISOR, claim('a'));
    expect(toReviewer()).toEqual(before);
    // The session that goes on with it is told to go on.
    expect(w.refused(CODER, retract('once more')).hint).toContain('It is yours: fix it');
    const said = (): string => w.refused(reviewer, approve('a')).message;
    expect(said()).toContain('the submission of a was retracted');
    // Also when it is submitted anew, and another one reviews it.
    w.run(CODER, submit('a', commit(2)));
    expect(toReviewer()).toEqual(before);
    expect(said()).toContain('the submission of a was retracted');
    expect(lastReviewRetracted(w.board.state, 'code-reviewer-1')?.message).toBe('the submission of a was retracted');
    w.run(SUPERVISOR, claimReview('a'));
    expect(lastReviewRetracted(w.board.state, 'code-reviewer-1')).toBeUndefined();
  });

  it('a session that lost its task by another claim cannot', () => {
    const w = submitted();
    expect(w.refused({ ...CODER, epoch: 99 }, retract()).guard).toBe<RefusalName>('epoch');
  });

  it('only who submitted it, and only with a reason', () => {
    const w = submitted();
    expect(w.refused(OTHER_CODER, retract()).guard).toBe<RefusalName>('own-submission');
    for (const reason of ['  ', 'x', 'wrong', '. . . .', 'bad bad bad']) {
      const refusal = w.refused(CODER, retract(reason));
      expect(refusal.guard).toBe<RefusalName>('reason');
      expect(refusal.hint).toContain('in a sentence of 3 words or more');
    }
    expect(w.refused(REVIEWER, retract()).guard).toBe<RefusalName>('role');
  });

  it('of one that is not submitted its coder is told the next step: begin first, then submit', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    const early = w.refused(CODER, retract());
    expect(early.hint).toContain('liza begin a');
    expect(early.hint).not.toContain('submit-for-review');
    w.run(CODER, begin('a'));
    expect(w.refused(CODER, retract()).hint).toContain('It is yours: fix it, commit, then liza submit-for-review a');
    expect(w.refused(OTHER_CODER, retract()).hint).not.toContain('It is yours');
  });

  it('three times in one iteration and no fourth', () => {
    const w = submitted();
    for (const n of [1, 2, 3]) {
      w.run(CODER, retract(`wrong for the ${n}. time`));
      w.run(CODER, submit('a', commit(n + 1)));
    }
    const refused = w.refused(CODER, retract('and once more'));
    expect(refused.guard).toBe<RefusalName>('retractions-left');
    expect(refused.hint).toContain('liza exit 42');
    const again = w.refused(CODER, submit('a', commit(9))).hint;
    expect(again).toContain('leave it to the reviewer. Stop now: liza exit 42');
    expect(again).not.toContain('liza retract');
  });

  it('before that, a second submission is told how the first is taken back', () => {
    const hint = submitted().refused(CODER, submit('a', commit(2))).hint;
    expect(hint).toContain('liza retract a --reason');
    expect(hint).not.toContain('claim-review');
  });

  it('what its reviewer had handed over is kept with it, for the coder and the next reviewer', () => {
    const w = underReview();
    const findings = ['src/client.ts:3 — null crashes it'];
    w.run(REVIEWER, { name: 'handoff', task: 'a', summary: 'half read', next_action: 'the rest', findings });
    w.run(CODER, retract());
    expect(w.task('a').history?.findLast(({ event }) => event === 'retracted')).toMatchObject({
      findings: ['half read', 'src/client.ts:3 — null crashes it'],
    });
  });

  it('what was retracted is not submitted again without a word; the reviewer reads why it is right after all', () => {
    const w = submitted();
    w.run(CODER, retract());
    for (const again of [submit('a', commit(1)), submit('a', commit(2), { same_as_retracted: commit(1) })]) {
      const refusal = w.refused(CODER, again);
      expect(refusal.guard).toBe<RefusalName>('not-retracted-before');
      expect(refusal.message).toContain('the test never waits for the call');
      expect(refusal.hint).toContain('liza submit-for-review a HEAD --unchanged "…"');
      expect(w.refused(CODER, { ...again, unchanged: ' ' } as Command).guard).toBe('not-retracted-before');
    }
    w.run(CODER, { ...submit('a', commit(1)), unchanged: 'it does wait, in the helper' } as Command);
    expect(retractedFields(w.task('a')).join('\n')).toMatch(
      /SUBMITTED AGAIN UNCHANGED.*\n.*it does wait, in the helper/,
    );
  });

  it('other files need no word', () => {
    const w = submitted();
    w.run(CODER, retract());
    w.run(CODER, { ...submit('a', commit(2)), unchanged: 'not that' } as Command);
    expect(w.task('a').history?.at(-1)).not.toHaveProperty('unchanged');
  });

  it('said twice it is done once', () => {
    const w = submitted();
    w.run(CODER, retract());
    expect(w.run(CODER, retract()).already).toBe(true);
  });
});

describe('after the verdict', () => {
  it.each([
    ['APPROVED', () => approve('a')],
    ['REJECTED', () => reject('a')],
  ])('%s stands, and what the coder says is an anomaly', (status, verdict) => {
    const w = underReview();
    w.run(REVIEWER, verdict());
    w.run(CODER, retract());
    expect(w.task('a').status).toBe(status);
    expect(w.board.state.anomalies.at(-1)).toMatchObject({
      type: 'retracted',
      task: 'a',
      reporter: 'coder-1',
      details: { reason: 'the test never waits for the call', commit: commit(1), status },
    });
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'retracted', reviewer: 'code-reviewer-1' });
    expect(w.board.state.discovered).toHaveLength(status === 'REJECTED' ? 0 : 1);
  });

  it('a merged task stays merged', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toMerged(w, 'a');
    w.run(CODER, retract());
    expect(w.task('a').status).toBe('MERGED');
    expect(w.board.state.anomalies.at(-1)).toMatchObject({ type: 'retracted', details: { status: 'MERGED' } });
    expect(w.board.state.discovered).toMatchObject([
      { id: 'disc-1', by: 'coder-1', during: 'a', severity: 'high', urgency: 'immediate' },
    ]);
    expect(w.refused(PLANNER, { name: 'goal complete', summary: 'done' }).message).toContain('disc-1');
  });
});

it.each(['it is wrong', 'This was a mistake.', 'the submission does not work'])(
  'a reason that says only that it is wrong is none: %s',
  (reason) => expect(submitted().refused(CODER, retract(reason))).toMatchObject({ guard: 'reason' }),
);

it('after the last one that is allowed, submit advises no other', () => {
  const w = submitted();
  const tests = { mode: 'evidence', on_base: 'green', base_tests: 'green' } as const;
  const again = (n: number) => {
    const given = submit('a', commit(n)) as Extract<Command, { name: 'submit-for-review' }>;
    const proof = { ...given.facts.proof, tests } as typeof given.facts.proof;
    return w.run(CODER, submit('a', commit(n), { proof } as object)).notes?.join(' ');
  };
  for (const n of [2, 3]) {
    w.run(CODER, retract(`the test of round ${n} never waits`));
    expect(again(n)).toContain('liza retract a');
  }
  w.run(CODER, retract());
  expect(again(4)).not.toContain('liza retract');
});
