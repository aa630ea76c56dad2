// What earlier rounds and other work said is carried on to who needs it: concerns of every rejection, the plan that the
// work began with, what became of the agent's own discoveries, whether its approved work is merged.

import { describe, expect, test } from 'vitest';
import {
  begin,
  CHECKPOINT,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  PLANNER,
  proved,
  REVIEWER,
  ready,
  rejection,
  SUPERVISOR,
  submit,
  toApproved,
  toMerged,
  UNCHANGED,
  type World,
} from '../../protocol/world.ts';
import { toCoder, toReviewer } from './situations.ts';

/** One round with its own plan, commit and concerns. */
function rejected(w: World, round: number, concerns: string): void {
  const start = round === 1 ? undefined : commit(round - 1);
  w.run(SUPERVISOR, claim('a', 'coder-1', start === undefined ? {} : { start_commit: start }));
  offered(w, round);
  const reason = rejection([BLOCKERS[round] ?? '']).replace('Concerns: 0', concerns);
  w.run(REVIEWER, { name: 'submit-verdict', task: 'a', verdict: 'REJECTED', reason, facts: UNCHANGED });
}

const BLOCKERS = ['', 'src/client.ts:10 — retries forever on a 401', 'test/client.test.ts:5 — no test of the delay'];

function offered(w: World, round: number): void {
  const intent = round === 1 ? 'Retry in the client' : `Tests only, round ${round}`;
  w.run(CODER, begin('a', round === 1 ? undefined : commit(round - 1), { ...CHECKPOINT, intent }));
  w.run(CODER, submit('a', commit(round), { proof: proved(w, 'a', commit(round)) }));
  w.run(SUPERVISOR, claimReview('a'));
}

function thirdRound(): World {
  const w = ready('a');
  rejected(w, 1, 'Concerns: 2\n- src/client.ts:9 — no jitter\n- [concern] README.md:2 — says three');
  rejected(w, 2, 'Concerns: 1\n- src/other.ts:4 — a name');
  w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(2) }));
  return w;
}

describe('the third round', () => {
  test('coder and reviewer read the concerns of the first, a line each; those of the last stand in its text', () => {
    const w = thirdRound();
    const coder = toCoder(w, 'a');
    offered(w, 3);
    for (const told of [coder, toReviewer(w, 'a')]) {
      const [, earlier = ''] = told.split('CONCERNS OF EARLIER ROUNDS');
      expect(earlier).toMatch(
        /^[^\n]*\n\| - round 1: src\/client\.ts:9 — no jitter\n\| - round 1: README\.md:2 — says three\n/,
      );
      expect(told.match(/src\/other\.ts:4 — a name/g)).toHaveLength(1);
    }
  });

  test('a concern that the last verdict calls resolved is told no more', () => {
    const w = ready('a');
    rejected(
      w,
      1,
      'Concerns: 2\n- src/client.ts:9 — the doc comment does not list the option jitter\n- README.md:2 — says three',
    );
    rejected(w, 2, 'Concerns: 0\nPrior Feedback Status:\n- RESOLVED: the doc comment lists jitter');
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(2) }));
    const [, earlier = ''] = toCoder(w, 'a').split('CONCERNS OF EARLIER ROUNDS');
    expect(earlier).toMatch(/^[^\n]*\n\| - round 1: README\.md:2 — says three\n[^|]/);
  });

  test('both read what the work began with, beside the plan of the rework', () => {
    const w = thirdRound();
    const first =
      'FIRST PLAN of this work, and those after it:\n| - intent: Retry in the client\n| - assumes: the client is the only caller\n| - risks: ';
    const second = '| - iteration 2, assumes: ';
    expect(toCoder(w, 'a')).toContain(first);
    offered(w, 3);
    expect(toReviewer(w, 'a')).toContain('| - intent: Tests only, round 3');
    expect(toReviewer(w, 'a')).toContain(first);
    expect(toReviewer(w, 'a')).toContain(second);
    expect(toReviewer(w, 'a')).toContain('| - files: src/client.ts\n');
  });

  test('its coder is not told that every test fails without the change; one that starts fresh is', () => {
    const w = thirdRound();
    expect(toCoder(w, 'a')).toContain('only its test was missing, the test may be green at once');
    expect(toCoder(w, 'a')).not.toContain('Tests first: they fail without the change');
    const fresh = ready('a');
    fresh.run(SUPERVISOR, claim('a'));
    expect(toCoder(fresh, 'a')).toContain('Tests first: they fail without the change');
  });
});

test('the first round has no plan before its own, and no concerns', () => {
  const w = ready('a');
  w.run(SUPERVISOR, claim('a'));
  offered(w, 1);
  expect(toReviewer(w, 'a')).not.toContain('FIRST PLAN');
  expect(toReviewer(w, 'a')).not.toContain('EARLIER ROUNDS');
});

test('a fresh start has nothing of the former work, and no plan of it', () => {
  const w = ready('a');
  rejected(w, 1, 'Concerns: 0');
  w.pass(301);
  w.run(SUPERVISOR, claim('a', 'coder-2', { former: 'refs/liza/attempts/a/1' }));
  expect(toCoder(w, 'a', {}, 'coder-2')).toContain('FRESH START');
  expect(toCoder(w, 'a', {}, 'coder-2')).not.toContain('FIRST PLAN');
  expect(toCoder(w, 'a', {}, 'coder-2')).toContain('Tests first: they fail without the change');
});

const LATER = '2099-01-01T00:00:00Z';

describe('what a coder found', () => {
  const discover = { name: 'discover', severity: 'medium', during: 'a' } as const;

  function found(): World {
    const w = ready('a', 'b', 'fix-log');
    toMergedWith(w);
    w.pass(60);
    return w;
  }
  function toMergedWith(w: World): void {
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, { ...discover, description: 'the log is never rotated, see `fix-log`' });
    w.run(CODER, { ...discover, description: 'the client has no timeout' });
    w.run(CODER, { ...discover, description: 'nobody decided on this' });
    toMerged(w, 'a');
  }

  test('what became of it is in its next prompt, once', () => {
    const w = found();
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'fix-log' });
    w.run(HUMAN, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'the proxy has one' });
    w.run(SUPERVISOR, claim('b'));
    const told = toCoder(w, 'b');
    const [, became = ''] = told.split('WHAT BECAME OF YOUR DISCOVERIES:\n');
    expect(became).toMatch(/^\| - disc-1, taken up by fix-log \(the log is never rotated, see `fix-log`\)\n/);
    expect(became).toContain('| - disc-2, dismissed: the proxy has one (the client has no timeout)\n');
    expect(told).not.toContain('disc-3');
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) =>
        task.id === 'b'
          ? {
              ...task,
              sessions: [
                {
                  id: '0123456789ab',
                  agent: 'coder-1',
                  since: LATER,
                  ended: LATER,
                  provider: 'p',
                  sandbox: 'off' as const,
                },
              ],
            }
          : task,
      ),
    }));
    expect(toCoder(w, 'b')).not.toContain('WHAT BECAME');
  });

  test('it is not told as found by others; where the task takes it up, it is told as its own', () => {
    const w = found();
    w.run(SUPERVISOR, claim('fix-log'));
    expect(toCoder(w, 'fix-log')).not.toContain('FOUND BY');
    expect(toCoder(w, 'fix-log', {}, 'coder-2')).toContain('FOUND BY OTHERS, NAMING THIS TASK');
    w.run(PLANNER, { name: 'discovery convert', discovery: 'disc-1', to_task: 'fix-log' });
    expect(toCoder(w, 'fix-log')).toContain('FOUND BY YOU, AND THIS TASK TAKES IT UP:\n| - disc-1');
    expect(toCoder(w, 'fix-log')).not.toContain('FOUND BY OTHERS');
  });
});

test('the last verdict says whether the approved work is merged', () => {
  const w = ready('a', 'b');
  toApproved(w, 'a');
  w.run(SUPERVISOR, claim('b'));
  expect(toCoder(w, 'b')).toMatch(/a was APPROVED by code-reviewer-1 at \w+, and is not merged yet\./);
  const other = ready('a', 'b');
  toMerged(other, 'a');
  other.run(SUPERVISOR, claim('b'));
  expect(toCoder(other, 'b')).toMatch(/a was APPROVED by code-reviewer-1 at \w+, and is merged\./);
});
