// What a review needs and leaves behind, in prompts: criteria by number, the form of an approval, where to try things,
// the spec's place, what was reported; concerns and flags that reach the planner, blame that reaches the coder.

import { describe, expect, test } from 'vitest';
import type { Command } from '../../../../src/protocol/command.ts';
import { proofOf } from '../../../../src/protocol/review/proof.ts';
import type { Config } from '../../../../src/protocol/state.ts';
import { newConcerns } from '../../../../src/supervisor/prompts/concerns.ts';
import {
  addReady,
  CODER,
  claim,
  claimReview,
  OTHER_CODER,
  PLANNER,
  REVIEWER,
  rejection,
  SUPERVISOR,
  supervisorOf,
  toReady,
  UNCHANGED,
  type World,
  world,
} from '../../protocol/world.ts';
import { toCoder, toPlanner, toReviewer } from './situations.ts';

const TWO = 'All of:\n- calls are retried three times\n- a 401 ends it at once';

function reviewing(done = TWO, config: Partial<Config> = {}): World {
  const w = world(config);
  w.run(PLANNER, addReady('a', { done_when: done }));
  toReady(w, 'a');
  w.pass(60);
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}
const verdict = (word: 'APPROVED' | 'REJECTED', reason: string, facts: object = {}): Command => ({
  name: 'submit-verdict',
  task: 'a',
  verdict: word,
  reason,
  facts: { ...UNCHANGED, ...facts },
});

describe('the reviewer', () => {
  test('reads the criteria by their numbers, and has a line of the form for each', () => {
    const prompt = toReviewer(reviewing(), 'a');
    expect(prompt).toContain(
      'DONE WHEN (criteria by number):\n| All of:\n| 1. calls are retried three times\n| 2. a 401 ends it at once\n',
    );
    expect(prompt).toMatch(
      /APPROVED - --commit [0-9a-f]{40} <<'VERDICT'\n1: test <file> › <name>\n2: test <file> › <name>\nVERDICT\n/,
    );
    expect(prompt).toContain('- [concern] file:line — ');
  });

  test('is told where to try things, and to run them only by liza try; where there is no such folder, the evidence is what there is', () => {
    const told = toReviewer(reviewing(), 'a', { tryout: '/shop/.worktrees/.review-a-2' });
    expect(told).toContain('TRY IT IN: /shop/.worktrees/.review-a-2 (');
    expect(told).toContain('run again in TRY IT IN what you doubt');
    expect(told).toContain('Run code of the commit only by liza try, as in `liza try npm test`');
    expect(told).not.toContain('cp -r');
    expect(toReviewer(reviewing(), 'a')).toContain('there is no folder to run the commit in now, so judge by it');
    expect(toReviewer(reviewing(), 'a')).not.toContain('liza try');
  });

  test('finds the spec at its whole path, and is told that the copy in WORKTREE is older, with the difference, or absent', () => {
    const w = reviewing();
    expect(toReviewer(w, 'a')).toMatch(/^SPEC: \/\S+\/specs\/retry\.md \(read it there/m);
    const diff = { text: '@@ line 1 @@\n+at most twice', added: 1, removed: 0 };
    expect(toReviewer(w, 'a', { specBehind: { diff } })).toMatch(
      /WORKTREE’s copy of SPEC is older; since then \(1 line added, 0 removed\); the new text counts:\n\| @@ line 1 @@\n\| \+at most twice/,
    );
    const both = toReviewer(w, 'a', { spec: { diff }, specBehind: { diff } });
    expect(both.split('+at most twice')).toHaveLength(2);
    expect(both).toContain('WORKTREE’s copy of SPEC is older: do not judge by it.');
    expect(toReviewer(w, 'a', { specBehind: 'absent' })).toContain('WORKTREE has no copy of SPEC');
  });

  test('reads what was reported on the task, and what came after the submission is marked', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b'));
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, {
      name: 'anomaly',
      type: 'assumption_violated',
      task: 'a',
      details: { assumption: 'calls end', reality: 'some hang' },
    });
    toReady(w, 'a');
    w.pass(60);
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    w.run(OTHER_CODER, { name: 'discover', description: 'retry drops the body', severity: 'high', during: 'a' });
    w.run(OTHER_CODER, { name: 'discover', description: 'the docs are old', severity: 'low', during: 'b' });
    w.run(SUPERVISOR, claimReview('a'));
    const prompt = toReviewer(w, 'a');
    expect(prompt).toContain('REPORTED ON THIS TASK');
    expect(prompt).toMatch(
      /\| - anomaly-1 \(assumption_violated\) by coder-1: assumption: calls end; reality: some hang/,
    );
    expect(prompt).toMatch(/\| - disc-1 \(discovery, high\) by coder-2, AFTER THE SUBMISSION: retry drops the body/);
    expect(prompt).not.toContain('the docs are old');
  });

  test('is not told twice what Liza itself noticed: that is in the evidence', () => {
    const w = reviewing();
    w.edit((state) => ({
      ...state,
      anomalies: [{ id: 'anomaly-9', type: 'scope_deviation', task: 'a', reporter: 'liza', details: { files: 'x' } }],
    }));
    expect(toReviewer(w, 'a')).not.toContain('REPORTED ON THIS TASK');
  });
});

describe('the planner', () => {
  const said = '1: ran npm test\n2: seen it in the browser\n- [concern] src/client.ts:9 — no jitter';

  test('is told of concerns and of criteria that only the reviewer’s word shows, until a session that was shown them ends well', () => {
    const w = reviewing();
    w.run(REVIEWER, verdict('APPROVED', said));
    const prompt = toPlanner(w);
    expect(prompt).toContain('SAID IN APPROVALS');
    expect(prompt).toContain('| - a: src/client.ts:9 — no jitter');
    expect(prompt).toContain('| - a, criterion 2 (a 401 ends it at once): FLAGGED, only seen: it in the browser');
    const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
    const end = { name: 'session-end', agent: 'planner-1', provider: 'p', used } as const;
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1' });
    w.run(supervisorOf('planner-1'), { ...end, how: 'ended by SIGKILL' });
    expect(toPlanner(w)).toContain('no jitter');
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1' });
    w.run(supervisorOf('planner-1'), { ...end, how: 'exit 0', handled: newConcerns(w.state).map(({ key }) => key) });
    expect(toPlanner(w)).not.toContain('SAID IN APPROVALS');
  });

  test('a bare approval that is only told flags every criterion; one that shows all says nothing', () => {
    const told = reviewing(TWO, { approval_evidence: 'told' });
    told.run(REVIEWER, verdict('APPROVED', 'fine'));
    expect(toPlanner(told).match(/NOT SHOWN/g)).toHaveLength(2);
    const shown = reviewing();
    shown.run(REVIEWER, verdict('APPROVED', '1, 2: ran npm test'));
    expect(toPlanner(shown)).not.toContain('SAID IN APPROVALS');
  });
});

test('the planner is told of a command that was red and green at the approved commit: it wrote that command', () => {
  const w = reviewing();
  w.edit((state) => ({
    ...state,
    tasks: state.tasks.map((task) => ({
      ...task,
      history: (task.history ?? []).map((entry) =>
        entry.event === 'submitted'
          ? { ...entry, proof: { ...(proofOf(entry) ?? {}), tests: { flaky: ['node time.mjs'] } } }
          : entry,
      ),
    })),
  }));
  w.run(REVIEWER, verdict('APPROVED', '1, 2: ran npm test'));
  expect(toPlanner(w)).toContain(
    'a: at the approved commit “node time.mjs” was red and green on the same files, a flake of that command. A timing needs repeats and a margin',
  );
});

test('the coder is told which blockers name files that its change did not touch', () => {
  const w = reviewing();
  const reason = rejection(['docs/old.md:1 — stale']);
  const outside = { outside_diff: ['docs/old.md'], outside_concerns: ['odd name.md'] };
  const { detail, notes } = w.run(REVIEWER, verdict('REJECTED', reason, outside));
  expect(`${detail} ${notes?.join()}`).toContain('flagged: the change does not touch docs/old.md');
  expect(notes?.join()).toContain('flagged: the change does not touch "odd name.md", which concerns name');
  w.run(SUPERVISOR, claim('a'));
  expect(toCoder(w, 'a')).toContain('Recorded by Liza: that change did not touch docs/old.md, which blockers name.');
  expect(toCoder(w, 'a')).toContain('that change did not touch "odd name.md", which concerns name.');
});

test('a rejection that blocks the task is flagged just so, to the reviewer and to the planner', () => {
  const w = reviewing(TWO, { max_review_cycles: 1 });
  const reason = rejection(['docs/old.md:1 — stale']);
  const { notes } = w.run(REVIEWER, verdict('REJECTED', reason, { outside_diff: ['docs/old.md'] }));
  expect(notes?.join()).toContain('flagged: the change does not touch docs/old.md');
  expect(w.task('a').status).toBe('BLOCKED');
  expect(toPlanner(w)).toContain('that change did not touch docs/old.md, which blockers name. (the last rejection)');
});

test('a concern of an approval about a file that the change does not touch is marked wherever it is told', () => {
  const w = reviewing('- calls are retried three times');
  const said =
    '1: seen I ran it: it retried three times\n- [concern] src/far.ts:3 — slow\n- [concern] src/client.ts:4 — no jitter';
  w.run(REVIEWER, verdict('APPROVED', said, { outside_concerns: ['src/far.ts'] }));
  expect(toPlanner(w)).toContain('src/far.ts:3 — slow (the change does not touch this file)');
  expect(toPlanner(w)).not.toContain('no jitter (');
});

describe('concerns of approvals', () => {
  test('reach coder and reviewer of a task that builds on the work, and of one that they name; no other', () => {
    const w = reviewing('- calls are retried three times');
    for (const [id, more] of [
      ['after', { depends_on: ['a'] }],
      ['named', {}],
      ['other', {}],
    ] as const)
      w.run(PLANNER, addReady(id, more));
    const said = [
      '1: seen I ran it: it retried three times',
      '- [concern] src/client.ts:3 — the task named divides by it: it must not be 0',
      '- [concern] src/client.ts:4 — no jitter',
      '- [concern] the history has a file that was changed and changed back',
    ];
    const { notes } = w.run(REVIEWER, verdict('APPROVED', said.join('\n')));
    expect(notes).toContain('flagged: criterion 1: FLAGGED, only seen: I ran it: it retried three times');
    const concernsIn = (prompt: string): string => prompt.split('CONCERNS OF EARLIER REVIEWS')[1] ?? '';
    const read = (id: string): string => concernsIn(toCoder(w, id, {}, 'coder-2'));
    expect(read('after')).toContain('| - a: src/client.ts:4 — no jitter\n');
    // How its commits came about is over with their merge.
    expect(read('after')).not.toContain('changed back');
    expect(read('named')).toContain('the task named divides by it');
    expect(read('named')).not.toContain('no jitter');
    expect(read('other')).toBe('');
    // Its own coder has read them with the verdict.
    expect(toCoder(w, 'after').match(/no jitter/g)).toHaveLength(1);
  });
});

test('the form of an approval offers the diff for what stays as it is, and not for what a program does', () => {
  const told = toReviewer(
    reviewing('- no file outside src/ is changed\n- `parse()` of the other modules is unchanged and returns 1'),
    'a',
  );
  expect(told).toContain('\n1: diff <paths>\n2: test <file> › <name>\n');
});

test('the reviewer is told of a criterion that only judges', () => {
  const told = toReviewer(reviewing('- a 401 ends it at once\n- the design is consistent across all pages'), 'a');
  expect(told).toContain('| criterion 2: (no command: it judges, and names nothing to observe;');
  expect(toReviewer(reviewing(), 'a')).not.toContain('it judges');
});
