// A handoff of each role, what Liza adds to it, and what agents are told about the end of their session.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import {
  approve,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  OTHER_CODER,
  OTHER_REVIEWER,
  PLANNER,
  proof,
  REVIEWER,
  ready,
  reject,
  SUPERVISOR,
  submit,
  supervisorOf,
  toReady,
  type World,
} from './world.ts';

const hand = (more: object = {}): Command => ({
  name: 'handoff',
  task: 'a',
  summary: 'half',
  next_action: 'the rest',
  ...more,
});
const plan: Command = { name: 'handoff-plan', summary: 'login is planned', next_action: 'cut billing' };
const used = { seconds: 1, input_tokens: 1, output_tokens: 1 };

function coding(): World {
  const w = ready('a');
  w.run(SUPERVISOR, claim('a'));
  w.run(CODER, begin('a'));
  return w;
}

function reviewing(): World {
  const w = ready('a');
  toReady(w, 'a');
  w.run(SUPERVISOR, claimReview('a'));
  return w;
}

describe('a coder’s handoff', () => {
  it('has commits, files, the last red validation and the measured context, added by Liza', () => {
    const w = coding();
    const red = {
      ...proof(commit(7)),
      disproof: { guard: 'validation', reason: 'npm test is red', hint: 'mend it', output: '1 failed' },
    };
    w.run(CODER, { name: 'record-validation', task: 'a', proof: red } as Command);
    w.run(supervisorOf('coder-1'), { name: 'context-used', agent: 'coder-1', percent: 93 });
    w.run(
      CODER,
      hand({ facts: { commits: ['abc half'], uncommitted: ['src/b.ts'], files: ['src/a.ts', 'src/b.ts'] } }),
    );
    expect(w.state.handoff['a']).toMatchObject({
      commits: ['abc half'],
      uncommitted: ['src/b.ts'],
      files_modified: ['src/a.ts', 'src/b.ts'],
      context_percent: 93,
      last_red: expect.stringContaining('1 failed'),
    });
  });

  it('is refused to another coder', () => {
    expect(coding().refused(OTHER_CODER, hand()).guard).toBe<RefusalName>('holds-task');
  });

  it('keeps the files that it named itself', () => {
    const w = coding();
    w.run(
      CODER,
      hand({ files_modified: ['src/mine.ts'], facts: { commits: [], uncommitted: [], files: ['src/a.ts'] } }),
    );
    expect(w.state.handoff['a']).toMatchObject({ files_modified: ['src/mine.ts'] });
    expect(w.state.handoff['a']).not.toHaveProperty('commits');
  });
});

describe('a reviewer’s handoff', () => {
  it('keeps its findings; the review stays its own, and the flag is cleared when it goes on', () => {
    const w = reviewing();
    w.run(REVIEWER, hand({ findings: ['src/client.ts:3 — no limit'] }));
    expect(w.task('a')).toMatchObject({ handoff_pending: true, reviewing_by: 'code-reviewer-1' });
    expect(w.agent('code-reviewer-1').status).toBe('HANDOFF');
    expect(w.state.handoff['a']).toMatchObject({ agent: 'code-reviewer-1', findings: ['src/client.ts:3 — no limit'] });
    w.run(SUPERVISOR, claimReview('a'));
    expect(w.task('a')).not.toHaveProperty('handoff_pending');
    w.run(REVIEWER, reject('a'));
  });

  it.each(['reject', 'approve'] as const)('%s clears the flag too', (how) => {
    const w = reviewing();
    w.run(REVIEWER, hand());
    w.run(REVIEWER, how === 'reject' ? reject('a') : approve('a'));
    expect(w.task('a')).not.toHaveProperty('handoff_pending');
  });

  it('is refused to one who does not hold the review, and without notes', () => {
    const w = reviewing();
    expect(w.refused(OTHER_REVIEWER, hand()).guard).toBe<RefusalName>('holds-review');
    expect(w.refused(REVIEWER, hand({ summary: ' ' })).guard).toBe<RefusalName>('notes');
    expect(w.refused(CODER, hand()).guard).toBe<RefusalName>('state');
  });
});

describe('a planner’s handoff', () => {
  const end = (handled?: readonly string[]): Command => ({
    name: 'session-end',
    agent: 'planner-1',
    provider: 'p',
    how: 'exit 0',
    used,
    ...(handled === undefined ? {} : { handled }),
  });

  it('is about the plan, and is behind it once a later session of a planner has ended well', () => {
    const w = ready('a');
    const loop = supervisorOf('planner-1');
    w.run(loop, { name: 'session-start', agent: 'planner-1' });
    w.pass(60);
    w.run(PLANNER, plan);
    expect(w.state.goal.handoff).toMatchObject({ agent: 'planner-1', next_action: 'cut billing' });
    w.run(loop, end(['ALL_TERMINAL:goal-1@1']));
    expect(w.state.goal.handoff).toBeDefined();
    w.pass(60);
    w.run(loop, { name: 'session-start', agent: 'planner-1' });
    w.run(loop, end());
    expect(w.state.goal.handoff).toBeDefined();
    w.run(loop, { name: 'session-start', agent: 'planner-1' });
    w.run(loop, end(['ALL_TERMINAL:goal-1@1']));
    expect(w.state.goal.handoff).toBeUndefined();
  });

  it('needs a summary and the next action, and is open while paused', () => {
    const w = ready('a');
    expect(w.refused(PLANNER, { ...plan, next_action: '' } as Command).guard).toBe<RefusalName>('notes');
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    w.run(PLANNER, plan);
    expect(w.run(PLANNER, plan).already).toBe(true);
  });
});

describe('at 90 % of its context', () => {
  const full = (w: World, agent: string): void => {
    w.run(supervisorOf(agent), { name: 'context-used', agent, percent: 91 });
  };
  it('a reviewer and a planner are told to hand off, each with its own command', () => {
    const w = reviewing();
    full(w, 'code-reviewer-1');
    full(w, 'planner-1');
    const discover: Command = { name: 'discover', description: 'x', severity: 'low' };
    expect(w.run(REVIEWER, discover).notes?.join()).toContain('91 % of your context is used: liza handoff a');
    const align: Command = { name: 'align', summary: 'on course' };
    expect(w.run(PLANNER, align).notes?.join()).toContain('91 % of your context is used: liza handoff --summary');
    expect(w.run(PLANNER, plan).notes).toEqual(['Stop now: liza exit 42 --reason handoff']);
  });

  it('a fresh session has all its context; a resumed one goes on with what it had', () => {
    const w = ready('a');
    full(w, 'planner-1');
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1', resumes: true });
    expect(w.agent('planner-1').context_percent).toBe(91);
    w.run(supervisorOf('planner-1'), { name: 'session-start', agent: 'planner-1' });
    expect(w.agent('planner-1')).not.toHaveProperty('context_percent');
  });
});

describe('a command that finishes its agent’s part', () => {
  const session = '0123456789ab';
  const ends =
    /this session ends: liza exit 42 --reason "(?:submitted|blocked|verdict given)", then stop\. At 2026-03-01T09:02:00Z \(in 2m\) it is ended/;

  it.each([
    ['submit-for-review', coding, CODER, submit('a', commit(3))],
    ['block', coding, CODER, block('a')],
    ['submit-verdict', reviewing, REVIEWER, reject('a')],
  ] as const)('%s: it is told that the session ends, and by when', (_name, make, actor, command) => {
    expect(
      make()
        .run({ ...actor, session }, command)
        .notes?.join(),
    ).toMatch(ends);
    // A person who tries it in a shell has no session.
    expect(make().run(actor, command).notes?.join() ?? '').not.toMatch(/session ends/);
  });

  it('any other command says nothing of it', () => {
    const w = ready('a');
    w.run(SUPERVISOR, claim('a'));
    expect(w.run({ ...CODER, session }, begin('a')).notes).toBeUndefined();
  });
});
