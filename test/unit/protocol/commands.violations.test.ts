// What an agent tries under another identity is recorded against it (G01 and G10 of docs/gauntlet.md), and a loop of
// attempts floods nothing.

import { describe, expect, it } from 'vitest';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  approve,
  CODER,
  claimReview,
  HUMAN,
  OTHER_REVIEWER,
  PLANNER,
  ready,
  reserveMerge,
  SUPERVISOR,
  toApproved,
  world,
} from './world.ts';

const START = 1_772_366_400_000;
const attempt = (claimed = 'code-reviewer-1', agent = 'coder-1', command = 'submit-verdict'): Command => ({
  name: 'refused-attempt',
  agent,
  claimed,
  command,
});

function play(commands: readonly { readonly command: Command; readonly after: number }[]) {
  let { board } = world();
  let written = 0;
  for (const { command, after } of commands) {
    const decided = decide(board, command, { actor: SUPERVISOR, now: START + after });
    if (!decided.ok) throw new Error(decided.message);
    if (decided.already !== true) written += 1;
    board = { ...board, state: decided.state };
  }
  return { anomalies: board.state.anomalies, written };
}

describe('refused-attempt', () => {
  it('is recorded against the agent that made it', () => {
    const { anomalies } = play([{ command: attempt(), after: 0 }]);
    expect(anomalies).toMatchObject([
      { type: 'identity_violation', details: { agent: 'coder-1', claimed: 'code-reviewer-1', count: 1 } },
    ]);
  });

  it('counts the same attempt again at most once a minute', () => {
    const loop = Array.from({ length: 600 }, (_, second) => ({ command: attempt(), after: second * 1000 }));
    const { anomalies, written } = play(loop);
    expect(anomalies).toHaveLength(1);
    expect(written).toBe(10);
    expect(anomalies[0]?.details).toMatchObject({ count: 10 });
  });

  it('ever different attempts of one agent end in ten records, and no more writes than one a minute', () => {
    const loop = Array.from({ length: 100 }, (_, n) => ({ command: attempt(`coder-${n + 2}`), after: n * 100 }));
    const { anomalies, written } = play(loop);
    expect(anomalies).toHaveLength(10);
    expect(written).toBe(10);
  });

  it('is not an agent’s or a person’s to write', () => {
    const { board } = world();
    for (const actor of [CODER, HUMAN]) {
      expect(decide(board, attempt(), { actor, now: START })).toMatchObject(refusedBy('role', { ok: false }));
    }
    expect(decide(board, attempt('x', 'boss'), { actor: SUPERVISOR, now: START })).toMatchObject(refusedBy('by-agent'));
    expect(decide(board, attempt('x', 'program'), { actor: SUPERVISOR, now: START }).ok).toBe(true);
  });

  it('cannot be logged by hand', () => {
    const { board } = world();
    const forged: Command = { name: 'anomaly', type: 'identity_violation', details: { agent: 'coder-2' } };
    expect(decide(board, forged, { actor: CODER, now: START })).toMatchObject(refusedBy('type', { ok: false }));
  });
});

describe('branch-moved', () => {
  const moved: Command = { name: 'branch-moved', agent: 'coder-1', branch: 'main', commit: 'a'.repeat(40) };

  it('is told once for where the branch is', () => {
    const { anomalies, written } = play([moved, moved].map((command) => ({ command, after: 0 })));
    expect(written).toBe(1);
    expect(anomalies).toMatchObject([{ type: 'branch_moved', details: { agent: 'coder-1', branch: 'main' } }]);
  });

  it('of one that is gone: once more if it was back since', () => {
    const at = (ms: number) => ({ command: { ...moved, lost: 'deleted', seen: iso(START + ms) } as Command, after: 0 });
    const { anomalies, written } = play([at(-5000), at(-1000), at(5000)]);
    expect(written).toBe(2);
    expect(anomalies[1]?.details).toEqual({
      agent: 'coder-1',
      branch: 'main',
      commit: 'a'.repeat(40),
      lost: 'deleted',
    });
  });

  it('needs an agent and a full commit', () => {
    const { board } = world();
    const asked = { actor: SUPERVISOR, now: START };
    expect(decide(board, { ...moved, agent: 'ada' } as Command, asked)).toMatchObject(refusedBy('by-agent'));
    expect(decide(board, { ...moved, commit: 'abc' } as Command, asked)).toMatchObject(refusedBy('commit'));
  });
});

describe('planted-in-git', () => {
  const tag: Command = {
    ...{ name: 'planted-in-git', what: 'hides', at: 'refs/tags/integration' },
    ...{ commit: 'a'.repeat(40), hides: 'integration' },
  };
  const own: Command = { name: 'planted-in-git', what: 'own', at: '/p/.git/liza/git/commondir' };

  it('is told once for where it leads', () => {
    const elsewhere = { ...tag, commit: 'b'.repeat(40) };
    const { anomalies, written } = play([tag, tag, elsewhere, own, own].map((command) => ({ command, after: 0 })));
    expect(written).toBe(3);
    expect(anomalies).toMatchObject([
      { type: 'git_planted', details: { at: 'refs/tags/integration', commit: 'a'.repeat(40), hides: 'integration' } },
      { details: { commit: 'b'.repeat(40) } },
      { details: { what: 'own', at: '/p/.git/liza/git/commondir' } },
    ]);
  });

  it('needs a full commit, and no agent records it', () => {
    const { board } = world();
    const short = { ...tag, commit: 'abc' } as Command;
    expect(decide(board, short, { actor: SUPERVISOR, now: START })).toMatchObject(refusedBy('commit'));
    expect(decide(board, tag, { actor: CODER, now: START })).toMatchObject({ ok: false });
  });
});

describe('planted-above', () => {
  const found: Command = {
    name: 'planted-above',
    at: '/p/node_modules',
    changed: '2026-03-01T09:00:00.123Z',
    names: 'a',
  };

  it('is told once for each change of the place, and no agent records it', () => {
    const again = { ...found, changed: '2026-03-01T09:00:00.124Z' };
    const { anomalies, written } = play([found, found, again].map((command) => ({ command, after: 0 })));
    expect(written).toBe(2);
    expect(anomalies).toMatchObject([
      { type: 'planted_above', details: { at: '/p/node_modules', names: 'a' } },
      { details: { changed: '2026-03-01T09:00:00.124Z' } },
    ]);
    expect(decide(world().board, found, { actor: CODER, now: START })).toMatchObject({ ok: false });
  });
});

describe('verdict-unfinished', () => {
  const ids = { agent: 'code-reviewer-1', commit: 'a'.repeat(40) };
  const cut: Command = { name: 'verdict-unfinished', task: 't', ...ids, ended: 'ended by SIGKILL after 3s' };

  it('is told once for each commit, with a full id, and no agent records it', () => {
    const { anomalies, written } = play([cut, cut].map((command) => ({ command, after: 0 })));
    expect(written).toBe(1);
    expect(anomalies).toMatchObject([
      { type: 'verdict_disputed', task: 't', details: { ...ids, ended: 'ended by SIGKILL after 3s' } },
    ]);
    const { board } = world();
    const short = { ...cut, commit: 'abc' } as Command;
    expect(decide(board, short, { actor: SUPERVISOR, now: START })).toMatchObject(refusedBy('commit'));
    expect(decide(board, cut, { actor: CODER, now: START })).toMatchObject({ ok: false });
  });
});

describe('an approval whose session was cut off', () => {
  const cutOff = (w: ReturnType<typeof ready>): Command => {
    const { review_commit: commit = '' } = w.task('a');
    return { name: 'verdict-unfinished', task: 'a', agent: 'code-reviewer-1', commit, ended: 'ended by SIGKILL' };
  };

  /** One of two. */
  const approvedOnce = () => {
    const w = ready('a');
    w.edit((state) => ({ ...state, config: { ...state.config, reviewers_required: 2 } }));
    toApproved(w, 'a');
    return w;
  };

  it('is held until a person resumes it', () => {
    const w = ready('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, cutOff(w));
    expect(w.task('a')).toMatchObject({ status: 'APPROVED', paused: true });
    expect(w.state.anomalies.at(-1)?.details).toMatchObject({ held: true });
    expect(w.refused(SUPERVISOR, reserveMerge('a')).message).toContain('a is paused');
    w.run(HUMAN, { name: 'resume', task: 'a' });
    w.run(SUPERVISOR, reserveMerge('a'));
  });

  it('of several approvals each is held, also the first, and the task waits for a person after each', () => {
    const w = approvedOnce();
    w.run(SUPERVISOR, cutOff(w));
    expect(w.task('a')).toMatchObject({ status: 'READY_FOR_REVIEW', paused: true });
    w.run(HUMAN, { name: 'resume', task: 'a' });
    w.run(SUPERVISOR, claimReview('a', 'code-reviewer-2'));
    w.run(OTHER_REVIEWER, approve('a'));
    const second = { ...cutOff(w), agent: 'code-reviewer-2' } as Command;
    expect(w.run(SUPERVISOR, second).already).toBeUndefined();
    expect(w.task('a')).toMatchObject({ status: 'APPROVED', paused: true });
    expect(w.refused(SUPERVISOR, reserveMerge('a')).message).toContain('a is paused');
    expect(w.run(SUPERVISOR, second).already).toBe(true);
    const told = w.state.anomalies.map(({ details }) => [details?.['agent'], details?.['held']]);
    expect(told).toEqual([
      ['code-reviewer-1', true],
      ['code-reviewer-2', true],
    ]);
  });

  it('is held again when the same commit is approved once more after a failed merge', () => {
    const w = ready('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, cutOff(w));
    w.run(HUMAN, { name: 'resume', task: 'a' });
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        approvals: (task.approvals ?? []).map((one) => ({ ...one, time: iso(START + 3_600_000) })),
      })),
    }));
    expect(w.run(SUPERVISOR, cutOff(w)).already).toBeUndefined();
    expect(w.task('a').paused).toBe(true);
  });

  it('of a submission that was taken back meanwhile it does not count when the same commit comes again', () => {
    const w = approvedOnce();
    const cut = cutOff(w);
    w.run(CODER, { name: 'retract', task: 'a', reason: 'found that accents are lost in the greeting' });
    w.run(SUPERVISOR, cut);
    expect(w.task('a').approvals).toBeUndefined();
    expect(w.task('a').paused).toBeUndefined();
  });

  it('is told alone where another verdict counts by now', () => {
    const w = ready('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, { ...cutOff(w), commit: 'f'.repeat(40) } as Command);
    expect(w.task('a').paused).toBeUndefined();
  });
});

describe('what Liza holds against an agent', () => {
  const offence = () => {
    const { board } = world();
    const decided = decide(board, attempt('code-reviewer-1', 'planner-1'), { actor: SUPERVISOR, now: START });
    if (!decided.ok) throw new Error(decided.message);
    return { ...board, state: decided.state };
  };
  const closing: Command = { name: 'anomaly processed', anomalies: ['anomaly-1'], why: 'checked, nothing' };

  it('is not the planner’s to close: its alarm would go with it', () => {
    expect(decide(offence(), closing, { actor: PLANNER, now: START })).toMatchObject(refusedBy('not-about-agents'));
  });

  it('is a person’s to close', () => {
    const closed = decide(offence(), closing, { actor: HUMAN, now: START });
    expect(closed).toMatchObject({ ok: true, state: { anomalies: [{ processed_by: 'human' }] } });
  });
});
