// What one session leaves to the next, of each role: how it ended, what it was refused, its notes, the last verdict.

import { describe, expect, test } from 'vitest';
import type { Command } from '../../../../src/protocol/command.ts';
import {
  addDraft,
  addReady,
  BASE,
  begin,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  PLANNER,
  proved,
  REVIEWER,
  ready,
  reject,
  SHOWN,
  SUPERVISOR,
  submit,
  supervisorOf,
  toMerged,
  toReady,
  UNCHANGED,
  type World,
  world,
} from '../../protocol/world.ts';
import { toCoder, toPlanner, toReviewer } from './situations.ts';

const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };
const REFUSED = ['liza submit-for-review: a is not clean → commit first'];

/** One session of an agent: began now, ended a minute later. */
function session(w: World, agent: string, more: Partial<Extract<Command, { name: 'session-end' }>> = {}): void {
  const { task } = more;
  w.run(supervisorOf(agent), { name: 'session-start', agent, ...(task === undefined ? {} : { task }) });
  const since = new Date(w.now).toISOString().replace('.000', '');
  w.pass(60);
  w.run(supervisorOf(agent), {
    name: 'session-end',
    agent,
    provider: 'p',
    how: 'ended by SIGKILL after 1m',
    used,
    stay: { id: '0123456789ab', since, sandbox: 'off' },
    ...more,
  });
}

const sectionOf = (prompt: string, name: string): string =>
  prompt.split(`=== ${name} ===\n`)[1]?.split('\n\n')[0] ?? '';

describe('the planner after a session that was interrupted', () => {
  function interrupted(more: object = {}): World {
    const w = world();
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1' });
    w.pass(10);
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addDraft('b'));
    const end = { name: 'session-end', agent: 'planner-1', provider: 'p', used } as const;
    w.run(supervisorOf('planner-1'), { ...end, how: 'stopped: the operator stops after 3m', ...more });
    return w;
  }

  test('is told how it ended, what it changed, what it left open and what it was refused', () => {
    const told = sectionOf(
      toPlanner(interrupted({ refused: ['liza finalize: b has no done_when → amend it'] })),
      'LAST SESSION',
    );
    expect(told).toContain('Yours, from 2026-03-01T09:00:00Z to 2026-03-01T09:00:10Z: stopped: the operator stops');
    expect(told).toMatch(/^IT CHANGED: a \(.*\), b \(created\)$/m);
    expect(told).toContain('LEFT OPEN: b still DRAFT; `liza plan done` was not run');
    expect(told).toContain('| - liza finalize: b has no done_when → amend it');
  });

  test('is told of its questions, and of plan done, which belong to no task', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.pass(10);
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1' });
    w.pass(10);
    w.run(PLANNER, { name: 'plan done' });
    w.run(PLANNER, { name: 'ask', text: 'Which languages?', spec_ref: 'specs/ui.md', assume: 'English' });
    const end = { name: 'session-end', agent: 'planner-1', provider: 'p', used } as const;
    w.run(supervisorOf('planner-1'), { ...end, how: 'stopped: the operator stops after 3m' });
    w.run(HUMAN, { name: 'note', message: 'hurry' });
    expect(sectionOf(toPlanner(w), 'LAST SESSION')).toContain('IT CHANGED: q-1 (asked), the plan (done)\n');
  });

  test('is told nothing of one that ended well', () => {
    expect(toPlanner(interrupted({ handled: ['x'] }))).not.toContain('LAST SESSION');
  });

  test('once another planner’s session has ended well, it is behind', () => {
    const w = interrupted();
    w.edit((state) => ({ ...state, agents: { ...state.agents, 'planner-2': { role: 'planner', status: 'IDLE' } } }));
    session(w, 'planner-2', { handled: ['x'] });
    expect(toPlanner(w)).not.toContain('LAST SESSION');
  });

  test('one that never ran does not hide the one before it', () => {
    const w = interrupted();
    session(w, 'planner-1', {
      how: 'not started: PAUSE is on',
      stay: { id: '0', since: '2026-03-01T09:00:00Z', sandbox: 'not-started' },
    });
    expect(sectionOf(toPlanner(w), 'LAST SESSION')).toContain('the operator stops');
  });

  test('it is told which tasks are planned, and that only plan done may be missing', () => {
    const told = toPlanner(interrupted());
    expect(told).toContain('* INITIAL_PLANNING: the plan is begun');
    expect(told).toContain('These tasks are planned already: a. Do not add them again');
  });

  test('the second time without plan done it is told that a person is asked next', () => {
    const w = interrupted({ handled: ['INITIAL_PLANNING:goal-1@sprint-1.1'] });
    expect(toPlanner(w)).toContain('a session before you ended without it: after this one a person is asked');
    expect(toPlanner(interrupted())).not.toContain('a person is asked');
  });
});

describe('a coder after a session on the same iteration', () => {
  function coding(): World {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a'));
    return w;
  }

  test('is told how it ended and what it was refused; one that resumes remembers that itself', () => {
    const w = coding();
    session(w, 'coder-1', { task: 'a', refused: REFUSED });
    const told = sectionOf(toCoder(w, 'a'), 'LAST SESSION');
    expect(told).toContain('Yours, from 2026-03-01T09:00:00Z to 2026-03-01T09:01:00Z: ended by SIGKILL');
    expect(told).toContain('| - liza submit-for-review: a is not clean → commit first');
    const resumed = sectionOf(toCoder(w, 'a', { resumed: true }), 'LAST SESSION');
    expect(resumed).toContain('ended by SIGKILL');
    expect(resumed).not.toContain('REFUSED');
  });

  test('of the session before only the last one’s refusals are kept', () => {
    const w = coding();
    session(w, 'coder-1', { task: 'a', refused: REFUSED });
    session(w, 'coder-1', { task: 'a' });
    expect(w.task('a').sessions?.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    expect(toCoder(w, 'a')).not.toContain('IT WAS REFUSED');
  });

  test('in the next iteration it is behind', () => {
    const w = coding();
    session(w, 'coder-1', { task: 'a', refused: REFUSED });
    w.run(CODER, submit('a', commit(3)));
    w.pass(60);
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a'));
    w.run(SUPERVISOR, claim('a'));
    expect(toCoder(w, 'a')).not.toContain('LAST SESSION');
  });
});

describe('a coder whose last session was on a task that another one took over', () => {
  test('is told how it ended and who goes on, until it has had a session since', () => {
    const w = ready('a', 'b');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a'));
    session(w, 'coder-1', { task: 'a', how: 'its supervisor has ended' });
    w.pass(100_000);
    w.run(supervisorOf('coder-2'), { name: 'register', agent: 'coder-2', role: 'coder' });
    w.run(SUPERVISOR, { name: 'register', agent: 'coder-1', role: 'coder' });
    w.run(supervisorOf('coder-2'), claim('a', 'coder-2'));
    w.run(SUPERVISOR, claim('b'));
    const told = sectionOf(toCoder(w, 'b'), 'LAST SESSION');
    expect(told).toContain('Yours on a, from 2026-03-01T09:00:00Z');
    expect(told).toContain('coder-2 continues a from your work (now CLAIMED); you need not do anything for it');
    session(w, 'coder-1', { task: 'b', how: 'exit 0' });
    expect(sectionOf(toCoder(w, 'b'), 'LAST SESSION')).not.toContain('continues a ');
  });
});

describe('a reviewer', () => {
  function reviewing(): World {
    const w = ready('a');
    toReady(w, 'a');
    session(w, 'coder-1', { task: 'a' });
    w.run(SUPERVISOR, claimReview('a'));
    return w;
  }

  test('is told of an earlier review session of this submission, not of the coder’s', () => {
    const w = reviewing();
    expect(toReviewer(w, 'a')).not.toContain('LAST SESSION');
    session(w, 'code-reviewer-1', { task: 'a', how: 'silent for too long' });
    expect(sectionOf(toReviewer(w, 'a'), 'LAST SESSION')).toContain('silent for too long');
  });

  test('the code of a process does not read as a word of its agent', () => {
    const w = reviewing();
    session(w, 'code-reviewer-1', { task: 'a', how: 'exit 0 after 4m' });
    expect(sectionOf(toReviewer(w, 'a'), 'LAST SESSION')).toContain(
      ': its process ended with 0, and it had declared no end after 4m',
    );
    session(w, 'code-reviewer-1', { task: 'a', how: 'exit 1, declared 42 "no verdict" after 4m' });
    expect(sectionOf(toReviewer(w, 'a'), 'LAST SESSION')).toContain(
      ': its process ended with 1, declared 42 "no verdict"',
    );
    session(w, 'code-reviewer-1', { task: 'a', how: '"nothing more to do" after 4m' });
    expect(sectionOf(toReviewer(w, 'a'), 'LAST SESSION')).toContain(': "nothing more to do" after 4m');
  });

  test('gets the findings of the reviewer before; the coder does not, and after a verdict they are behind', () => {
    const w = reviewing();
    const notes = { summary: 'half read', next_action: 'read the client', findings: ['src/client.ts:3 — no limit'] };
    w.run(REVIEWER, { name: 'handoff', task: 'a', ...notes });
    const told = sectionOf(toReviewer(w, 'a'), 'HANDOFF');
    expect(told).toContain('FOUND SO FAR (check each):\n| - src/client.ts:3 — no limit');
    w.run(REVIEWER, reject('a'));
    w.run(SUPERVISOR, claim('a'));
    expect(toCoder(w, 'a')).not.toContain('half read');
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(9)));
    w.run(SUPERVISOR, claimReview('a'));
    expect(toReviewer(w, 'a')).not.toContain('half read');
  });
});

test('a planner’s handoff is in the next planner’s prompt', () => {
  const w = ready('a');
  w.run(PLANNER, { name: 'handoff-plan', summary: 'login is planned', next_action: 'cut billing' });
  expect(sectionOf(toPlanner(w), 'HANDOFF')).toContain('| cut billing');
});

describe('the last verdict opens the coder’s prompt', () => {
  const approved = (reason: string): Command => ({
    name: 'submit-verdict',
    task: 'a',
    verdict: 'APPROVED',
    reason: `${SHOWN}\n${reason}`,
    facts: UNCHANGED,
  });
  function judged(reason: string): World {
    const w = ready('a', 'b');
    toReady(w, 'a');
    session(w, 'coder-1', { task: 'a' });
    w.pass(60);
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approved(reason));
    return w;
  }

  test('a rejection comes before the task', () => {
    const w = ready('a');
    toReady(w, 'a');
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a'));
    w.run(SUPERVISOR, claim('a'));
    const prompt = toCoder(w, 'a');
    expect(prompt.indexOf('=== PRIOR REJECTION FEEDBACK ===')).toBeGreaterThan(0);
    expect(prompt.indexOf('=== PRIOR REJECTION FEEDBACK ===')).toBeLessThan(prompt.indexOf('=== ASSIGNED TASK ==='));
  });

  test('an approval with its concerns, also of the task before, once', () => {
    const w = judged('good\n- [concern] src/client.ts:9 — no jitter');
    w.run(SUPERVISOR, claim('b'));
    const told = sectionOf(toCoder(w, 'b'), 'LAST VERDICT');
    expect(told).toContain('a was APPROVED by code-reviewer-1');
    expect(told).toContain('| - [concern] src/client.ts:9 — no jitter');
    w.pass(60);
    session(w, 'coder-1', { task: 'b' });
    expect(toCoder(w, 'b')).not.toContain('LAST VERDICT');
  });

  test('an approval without a word is told in a line; one of another coder’s work is not', () => {
    const silent = judged(' ');
    silent.run(SUPERVISOR, claim('b'));
    expect(sectionOf(toCoder(silent, 'b'), 'LAST VERDICT')).toMatch(/a was APPROVED by .* It had nothing to add\./);
    const w = judged('good');
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    expect(toCoder(w, 'b', {}, 'coder-2')).not.toContain('LAST VERDICT');
  });

  test('the answer to a question about other work is in the asker’s next prompt, once', () => {
    const w = ready('a', 'b');
    w.run(SUPERVISOR, claim('a'));
    session(w, 'coder-1', { task: 'a' });
    w.run(CODER, { name: 'ask', text: 'Is a point of its own due?', task: 'a', assume: 'no' });
    w.pass(60);
    w.run(PLANNER, { name: 'answer', about: 'q-1', text: 'Yes, one of its own', facts: {} });
    toMerged(w, 'a');
    w.run(SUPERVISOR, claim('b'));
    const prompt = toCoder(w, 'b');
    expect(prompt).toContain('YOUR QUESTION q-1 on a IS ANSWERED:');
    expect(prompt).toContain('| A Yes, one of its own');
    w.pass(60);
    session(w, 'coder-1', { task: 'b' });
    expect(toCoder(w, 'b')).not.toContain('YOUR QUESTION');
  });
});

describe('a submission that its coder retracted', () => {
  const retract = { name: 'retract', task: 'a', reason: 'the test never waits for the call' } as const;
  const told =
    'RETRACTED by its coder in this iteration, and why:\n| - 000000000000: the test never waits for the call';

  function submitted(): World {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(1)));
    return w;
  }

  test.each(['before any review', 'under review'])(
    '%s: the coder’s next prompt and the next reviewer’s say why',
    (when) => {
      const w = submitted();
      if (when === 'under review') w.run(SUPERVISOR, claimReview('a'));
      w.run(CODER, retract);
      if (when === 'under review') w.run(SUPERVISOR, claim('a'));
      expect(toCoder(w, 'a')).toContain(told);
      w.run(CODER, submit('a', commit(2)));
      w.run(SUPERVISOR, claimReview('a'));
      expect(toReviewer(w, 'a')).toContain(told);
    },
  );

  test('was accepted: no earlier refusal is called the last submit, and what Liza had told of it is carried on', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a'));
    const disproof = { guard: 'validation', reason: 'it was red', hint: 'mend it' } as const;
    w.run(CODER, { name: 'record-validation', task: 'a', proof: { ...proved(w, 'a', commit(1)), disproof } });
    expect(toCoder(w, 'a')).toContain(`LAST SUBMIT, of ${commit(1).slice(0, 12)}, was refused`);
    const proof = {
      ...proved(w, 'a', commit(2)),
      tests: { mode: 'evidence', base: BASE, base_alone: 'green', on_base: 'green', base_tests: 'same' } as const,
    };
    const marks = { lines: ['src/a.ts:3 // TODO later'] };
    const test_edits = { lines: ['test/a.test.ts:5 - assert(a)', 'test/a.test.ts:6 + it.skip(b)'] };
    const { notes = [] } = w.run(CODER, submit('a', commit(2), { proof, marks, test_edits }));
    expect(notes.join('\n')).toContain(
      'switch a test off: src/a.ts:3 // TODO later; test/a.test.ts:6 + it.skip(b); the reviewer is told.',
    );
    expect(notes.join('\n')).toContain(
      'If the task changes nothing that a program does, leave them so; otherwise mend',
    );
    w.run(CODER, { ...retract, reason: 'the tests are too thin' });
    const told = toCoder(w, 'a');
    expect(told).not.toContain('was refused');
    expect(told).toContain(`SUBMITTED AND RETRACTED in this iteration: ${commit(2).slice(0, 12)} (the same files`);
    expect(told).toContain('| - Your new tests pass on the base too, so they prove nothing about the change\n');
    expect(told).toContain('| - Your commit adds lines that put work off');
    expect(told).toContain('| - Your commit takes or changes lines of existing tests: test/a.test.ts:5 - assert(a)');
  });

  test('is not told of the next iteration', () => {
    const w = submitted();
    w.run(CODER, retract);
    w.run(CODER, submit('a', commit(2)));
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, reject('a'));
    w.run(SUPERVISOR, claim('a'));
    expect(toCoder(w, 'a')).not.toContain('RETRACTED');
  });
});

describe('a task that another coder takes over', () => {
  const lost = (why: 'handoff' | 'lease' | 'dead'): World => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    w.run(CODER, begin('a'));
    if (why === 'handoff') w.run(CODER, { name: 'handoff', task: 'a', summary: 'half', next_action: 'the rest' });
    if (why === 'dead')
      w.lease({
        agent: 'coder-1',
        task: 'a',
        epoch: 1,
        expires: '2026-03-01T09:05:00Z',
        heartbeat: '2026-03-01T09:00:00Z',
        holder: 'dead',
      });
    return w;
  };

  test.each([
    ['handoff', 'it handed off'],
    ['lease', 'it lost its lease'],
    ['dead', 'its supervisor has ended'],
  ] as const)('after %s: prompt and log say the same words, and where its own assumptions go', (why, words) => {
    const w = lost(why);
    if (why !== 'dead') w.pass(301);
    const { detail } = w.run(SUPERVISOR, claim('a', 'coder-2'));
    expect(detail).toContain(`from coder-1: ${words}`);
    const prompt = toCoder(w, 'a', {}, 'coder-2');
    expect(prompt).toContain(`CONTINUED: you take over the work of coder-1: ${words}.`);
    expect(prompt).toContain('What else you assume: `ask … --assume`; one more file: `begin --also`.');
  });

  test('what was reported and asked during it is in the next prompt, with what became of it', () => {
    const w = lost('handoff');
    const during = { name: 'discover', severity: 'medium', during: 'a' } as const;
    w.run(CODER, { ...during, description: 'the client has no timeout', recommendation: 'add one' });
    w.run(CODER, { ...during, description: 'the log is never rotated' });
    w.run(CODER, {
      name: 'anomaly',
      type: 'trade_off',
      task: 'a',
      details: { what: 'no cache', why: 'time', debt_created: true },
    });
    w.run(CODER, { name: 'ask', text: 'Are names trimmed?', task: 'a', assume: 'no' });
    w.run(HUMAN, { name: 'discovery dismiss', discovery: 'disc-2', reason: 'logrotate does it' });
    w.pass(301);
    w.run(SUPERVISOR, claim('a', 'coder-2'));
    const prompt = toCoder(w, 'a', {}, 'coder-2');
    const [, reported = ''] = prompt.split('REPORTED DURING THIS TASK');
    expect(reported).toMatch(/^\| - anomaly-1 \(trade_off; open\) by coder-1: what: no cache/m);
    expect(reported).toMatch(/^\| - disc-1 \(discovery, medium; open\) by coder-1: the client has no timeout/m);
    expect(reported).toMatch(/^\| - disc-2 \(discovery, medium; dismissed: logrotate does it\) by coder-1:/m);
    expect(prompt).toContain('Q Are names trimmed?\n|   not answered yet; coder-1 continues with: no');
    expect(toCoder(w, 'a', { resumed: true }, 'coder-2')).not.toContain('REPORTED DURING');
  });
});
