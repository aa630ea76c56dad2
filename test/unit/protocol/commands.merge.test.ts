// One test per rule about merging: announced before the branch moves, recorded as a fact
// after it, and told apart from what a crash left behind.

import { describe, expect, it } from 'vitest';
import { alarms } from '../../../src/alarms/rules/evaluate.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { mergeEdit } from '../../../src/protocol/edits/merge-hand-edit.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { mergingBy } from '../../../src/protocol/leases.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addReady,
  approve,
  BASE,
  begin,
  CODER,
  claim,
  claimReview,
  commit,
  HUMAN,
  MERGE,
  merged,
  mergeFailed,
  PLANNER,
  REVIEWER,
  ready,
  reserveMerge,
  SPEC,
  SUPERVISOR,
  submit,
  supervisorOf,
  toApproved,
  toMerged,
  toRejected,
  type World,
  world,
} from './world.ts';

const MINE = 'boot/7/100';
const OTHERS = 'boot/8/200';

function approved(): World {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toApproved(w, 'a');
  return w;
}
function merging(process = MINE): World {
  const w = approved();
  w.run(SUPERVISOR, reserveMerge('a', MERGE, BASE, process));
  return w;
}
const release = (process?: string): Command => ({
  name: 'release-merge',
  task: 'a',
  ...(process === undefined ? {} : { process }),
});

describe('reserve-merge', () => {
  it('says who merges what onto what, since when, in which process; the story of the task does not change', () => {
    const w = approved();
    const before = w.task('a').history;
    w.run(SUPERVISOR, reserveMerge('a', MERGE, BASE, MINE));
    const merging = { by: 'supervisor', candidate: MERGE, onto: BASE, since: iso(w.now), process: MINE };
    expect(w.task('a')).toMatchObject({ status: 'APPROVED', merging });
    expect(w.task('a').history).toBe(before);
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('any supervisor merges, and a person', () => {
    for (const who of [supervisorOf('code-reviewer-1'), supervisorOf('coder-1'), HUMAN])
      approved().run(who, reserveMerge('a'));
  });

  it('no merge starts while a kill switch is on or the task is paused', () => {
    const w = approved();
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    for (const actor of [SUPERVISOR, HUMAN])
      expect(w.refused(actor, reserveMerge('a')).guard).toBe<RefusalName>('switches');
    w.board = { ...w.board, switches: {} };
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(w.refused(SUPERVISOR, reserveMerge('a')).message).toContain('a is paused');
  });

  it('candidate and onto are full commit ids', () => {
    const w = approved();
    for (const [candidate, onto] of [
      ['abc1234', BASE],
      [MERGE, 'HEAD'],
      ['--all', BASE],
    ] as const) {
      expect(w.refused(SUPERVISOR, reserveMerge('a', candidate, onto)).guard).toBe<RefusalName>('commits');
    }
  });

  it('waits while the integration branch moved outside Liza', () => {
    const w = approved();
    w.edit((state) => ({
      ...state,
      goal: { ...state.goal, integration_moved: { expected: BASE, found: commit(66), time: iso(w.now) } },
    }));
    const refusal = w.refused(SUPERVISOR, reserveMerge('a'));
    expect(refusal.guard).toBe<RefusalName>('integration-accepted');
    expect(refusal.message).toContain(
      `the integration branch moved outside Liza: it is at ${commit(66)}, Liza left it at ${BASE}`,
    );
    expect(refusal.hint).toBe(
      `Look at it (git log --left-right ${BASE}...${commit(66)}), then: liza doctor --accept-integration`,
    );
  });

  it('onto is where Liza left the integration branch', () => {
    const w = approved();
    w.edit((state) => ({ ...state, goal: { ...state.goal, integration_head: commit(50) } }));
    expect(w.refused(SUPERVISOR, reserveMerge('a', MERGE, BASE))).toMatchObject(
      refusedBy('integration-known', { hint: 'Run it again' }),
    );
    w.run(SUPERVISOR, reserveMerge('a', MERGE, commit(50)));
  });

  it('nobody else is merging it; the same process may announce another candidate', () => {
    const w = merging();
    const refusal = w.refused(HUMAN, reserveMerge('a', commit(2), BASE, OTHERS));
    expect(refusal.guard).toBe<RefusalName>('not-being-merged');
    expect(refusal.message).toContain('supervisor is merging it right now');
    expect(w.refused(HUMAN, reserveMerge('a', commit(2))).guard).toBe<RefusalName>('not-being-merged');
    w.run(SUPERVISOR, reserveMerge('a', commit(3), BASE, MINE));
    expect(w.task('a').merging?.candidate).toBe(commit(3));
  });

  it('a merge whose process is gone counts for nothing', () => {
    const w = merging();
    expect(mergingBy(w.board, w.task('a'))).toBe('supervisor');
    w.ends(MINE);
    expect(mergingBy(w.board, w.task('a'))).toBeUndefined();
    w.run(HUMAN, reserveMerge('a', commit(2), BASE, OTHERS));
    expect(w.task('a').merging).toMatchObject({ by: 'human', process: OTHERS });
  });
});

it('what to type next is one `wt merge`, and none while paused', () => {
  const w = approved();
  const hint = () => w.refused(SUPERVISOR, { name: 'limit', task: 'a', limit: 'spin' }).hint;
  expect(hint()).toBe('Next: liza wt merge a');
  w.board = { ...w.board, switches: { PAUSE: w.now } };
  expect(hint()).toBe('Next, by a person: liza replan a');
});

describe('merge', () => {
  it('APPROVED → MERGED: merge_commit, worktree removed, approved_by kept, the intent gone', () => {
    const w = merging();
    w.run(SUPERVISOR, { ...merged('a'), onto: BASE, drift: 3 } as Command);
    expect(w.task('a')).toMatchObject({ status: 'MERGED', approved_by: 'code-reviewer-1', merge_commit: MERGE });
    for (const field of ['worktree', 'merging']) expect(w.task('a')).not.toHaveProperty(field);
  });

  it('the event names base, author, approver, merger, iterations and drift', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toRejected(w, 'a');
    toApproved(w, 'a');
    w.run(HUMAN, reserveMerge('a'));
    w.run(SUPERVISOR, { ...merged('a'), drift: 2 } as Command);
    expect(w.task('a').history?.at(-1)).toMatchObject({
      event: 'merged',
      agent: 'supervisor',
      merge_commit: MERGE,
      onto: BASE,
      commit: w.task('a').review_commit,
      by: 'human',
      author: 'coder-1',
      approved_by: 'code-reviewer-1',
      iterations: 2,
      drift: 2,
    });
  });

  it('goal.integration_head follows, whatever it was before', () => {
    const w = merging();
    w.edit((state) => ({ ...state, goal: { ...state.goal, integration_head: commit(9) } }));
    w.run(SUPERVISOR, merged('a'));
    expect(w.state.goal.integration_head).toBe(MERGE);
  });

  it('only what was announced can be recorded, and only as a full commit id', () => {
    const w = approved();
    expect(w.refused(SUPERVISOR, merged('a', 'abc1234')).guard).toBe<RefusalName>('merge-commit');
    const refusal = w.refused(SUPERVISOR, merged('a'));
    expect(refusal.guard).toBe<RefusalName>('announced');
    expect(refusal.message).toContain(`no merge of it at ${MERGE} was announced`);
    expect(refusal.hint).toContain('liza wt merge a');
    w.run(SUPERVISOR, reserveMerge('a'));
    expect(w.refused(SUPERVISOR, merged('a', commit(1))).guard).toBe<RefusalName>('announced');
    expect(w.refused(SUPERVISOR, { ...merged('a'), onto: commit(1) } as Command).guard).toBe<RefusalName>('announced');
  });

  it('is a fact: recorded while paused, and by any supervisor that finds it', () => {
    const w = merging();
    w.board = { ...w.board, switches: { PAUSE: w.now, ABORT: w.now } };
    w.run(supervisorOf('coder-3'), merged('a'));
    expect(w.task('a').status).toBe('MERGED');
  });

  it('a task branch that moved since is an anomaly, not a dead end', () => {
    const w = merging();
    const { review_commit } = w.task('a');
    const reality = `task/a is at ${commit(77)}, ${review_commit} was merged`;
    const decided = w.run(SUPERVISOR, { ...merged('a'), head_moved: commit(77) } as Command);
    expect(decided.notes).toEqual([reality]);
    expect(w.state.anomalies).toMatchObject([
      {
        id: 'anomaly-1',
        type: 'branch_moved',
        task: 'a',
        reporter: 'liza',
        details: { agent: 'coder-1', branch: 'task/a', commit: commit(77), merged: review_commit },
      },
    ]);
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('repeating a merge that took effect succeeds and says so; another commit does not', () => {
    const w = approved();
    toMerged(w, 'a');
    expect(w.run(SUPERVISOR, merged('a')).already).toBe(true);
    expect(w.refused(SUPERVISOR, merged('a', commit(1))).message).toContain('a is MERGED, which is final');
    expect(
      w.refused(PLANNER, { name: 'amend', task: 'a', changes: { priority: 1 }, facts: SPEC }).guard,
    ).toBe<RefusalName>('state');
  });
});

describe('merge-failed', () => {
  it('APPROVED → INTEGRATION_FAILED keeps the worktree, names reason, paths, the other side and the log', () => {
    const w = merging();
    expect(w.refused(SUPERVISOR, { ...mergeFailed('a'), reason: '' } as Command).guard).toBe<RefusalName>('reason');
    const found = { paths: ['src/a.ts'], with: ['b', 'c'], log: '1 failed' };
    w.run(SUPERVISOR, { ...mergeFailed('a'), ...found } as Command);
    expect(w.task('a')).toMatchObject({ status: 'INTEGRATION_FAILED', worktree: '.worktrees/a' });
    expect(w.task('a')).not.toHaveProperty('merging');
    expect(w.task('a').history?.at(-1)).toMatchObject({ event: 'integration_failed', ...found });
  });

  it('the other side is named by task ids', () => {
    const refusal = approved().refused(SUPERVISOR, { ...mergeFailed('a'), with: ['../x'] } as Command);
    expect(refusal).toMatchObject(refusedBy('id-pattern'));
  });

  it('the failure of a merge that was under way is recorded while paused; a new one does not start', () => {
    const paused = (w: World): World => {
      w.board = { ...w.board, switches: { CHECKPOINT: w.now } };
      return w;
    };
    const refusal = paused(approved()).refused(SUPERVISOR, mergeFailed('a'));
    expect(refusal.guard).toBe<RefusalName>('not-halted');
    expect(refusal.message).toContain('CHECKPOINT is on since');
    paused(merging()).run(SUPERVISOR, mergeFailed('a'));
    const w = approved();
    w.run(HUMAN, { name: 'pause', task: 'a' });
    expect(w.refused(SUPERVISOR, mergeFailed('a')).message).toContain('a is paused');
  });

  it('the planner may block INTEGRATION_FAILED, and only that', () => {
    const w = approved();
    const block: Command = { name: 'block', task: 'a', reason: 'two designs collide', questions: ['which one?'] };
    expect(w.refused(PLANNER, block).message).toContain('block by the planner needs INTEGRATION_FAILED');
    w.run(SUPERVISOR, mergeFailed('a'));
    w.run(PLANNER, block);
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED' });
    expect(w.task('a').failed_by).toBeUndefined();
  });
});

describe('release-merge', () => {
  it('takes the announcement back once its process is gone, or for that process itself', () => {
    const w = merging();
    for (const command of [release(), release(OTHERS)]) {
      const refusal = w.refused(HUMAN, command);
      expect(refusal.guard).toBe<RefusalName>('nobody-merges');
      expect(refusal.message).toContain('supervisor is merging it right now');
    }
    const before = w.board;
    w.run(SUPERVISOR, release(MINE));
    expect(w.task('a')).not.toHaveProperty('merging');
    expect(w.run(SUPERVISOR, release()).already).toBe(true);
    w.board = before;
    w.ends(MINE);
    w.run(HUMAN, release());
    expect(w.task('a')).toMatchObject({ status: 'APPROVED' });
  });

  it('one that names no process may be taken back by anyone who may merge', () => {
    for (const command of [release(), release(MINE)]) {
      const w = approved();
      w.run(SUPERVISOR, reserveMerge('a'));
      w.run(HUMAN, command);
      expect(w.task('a')).not.toHaveProperty('merging');
    }
  });
});

describe('while a merge is announced the task stays where it is', () => {
  it('replan is refused, even when the process died: the branch may have moved', () => {
    const w = merging();
    for (const _ of ['alive', 'gone']) {
      const refusal = w.refused(HUMAN, { name: 'replan', task: 'a' });
      expect(refusal).toMatchObject(
        refusedBy('no-merge-under-way', { hint: 'Wait for it; if its process died: liza doctor --fix' }),
      );
      expect(refusal.message).toContain(`a merge of it has been under way since ${iso(w.now)}`);
      w.ends(MINE);
    }
    w.run(SUPERVISOR, release());
    w.run(HUMAN, { name: 'replan', task: 'a' });
  });

  it('so is an edit by hand to BLOCKED, and one that forges the intent or the integration head', () => {
    const w = merging();
    const edited = (task: object, goal: object = {}) =>
      mergeEdit({
        base: w.state,
        head: w.board,
        theirs: {
          ...w.state,
          goal: { ...w.state.goal, ...goal },
          tasks: w.state.tasks.map((one) => ({ ...one, ...task })),
        },
        authority: { kind: 'person' },
        now: w.now,
        specExists: () => true,
      });
    const blocked = edited({ status: 'BLOCKED', blocked_reason: 'stop' });
    expect(blocked.board.state.tasks).toEqual(w.state.tasks);
    expect(blocked.aside).toMatchObject([{ record: 'tasks/a', kind: 'illegal' }]);
    expect(blocked.aside[0]?.reason).toContain('a merge of it has been under way');
    expect(edited({ merging: null }).adopted).toEqual([]);
    for (const field of ['integration_head', 'integration_moved']) {
      const forged = edited({}, { [field]: commit(1) });
      expect(forged.board.state.goal).toEqual(w.state.goal);
      expect(forged.aside).toMatchObject([{ record: 'goal', kind: 'illegal' }]);
    }
  });
});

describe('hold-merge', () => {
  const hold = (reason: string): Command => ({ name: 'hold-merge', task: 'a', reason });

  it('says why an approved commit waits, once per reason, until a merge starts', () => {
    const w = approved();
    w.run(SUPERVISOR, hold('the checkout in /p is dirty'));
    expect(w.task('a')).toMatchObject({ status: 'APPROVED', merge_held: { reason: 'the checkout in /p is dirty' } });
    expect(w.run(HUMAN, hold('the checkout in /p is dirty')).already).toBe(true);
    w.run(SUPERVISOR, reserveMerge('a'));
    expect(w.task('a')).not.toHaveProperty('merge_held');
    expect(w.refused(SUPERVISOR, hold(' ')).guard).toBe<RefusalName>('reason');
  });

  it('is an alarm and a reason why nothing moves', () => {
    const w = approved();
    w.run(SUPERVISOR, hold('the checkout in /p is dirty'));
    const raised = alarms(w.board, w.now, { lastChange: w.now }).map(({ text }) => text);
    expect(raised.join('\n')).toContain('MERGE HELD: a — the checkout in /p is dirty');
  });
});

describe('merges that fail again and again', () => {
  /** One round: fixed, approved again, and not merged again. */
  const failAgain = (w: World, n: number): void => {
    w.run(SUPERVISOR, claim('a', 'coder-1', { start_commit: commit(100 + n) }));
    w.run(CODER, begin('a', commit(100 + n)));
    w.run(CODER, submit('a', commit(200 + n)));
    w.run(SUPERVISOR, claimReview('a'));
    w.run(REVIEWER, approve('a'));
    w.run(SUPERVISOR, { ...mergeFailed('a'), reason: `red ${n}` } as Command);
  };

  it('the max_review_cycles-th in a row blocks the task', () => {
    const w = ready('a');
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    for (let n = 2; n < 5; n += 1) {
      failAgain(w, n);
      expect(w.task('a').status).toBe('INTEGRATION_FAILED');
    }
    failAgain(w, 5);
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: '5 integration attempts without a merge: red 5',
      failed_by: ['coder-1'],
    });
    expect(w.task('a')).not.toHaveProperty('approvals');
  });

  it('one in the last iteration too', () => {
    const w = ready('a');
    w.edit((state) => ({ ...state, config: { ...state.config, max_coder_iterations: 1 } }));
    toApproved(w, 'a');
    w.run(SUPERVISOR, mergeFailed('a'));
    expect(w.task('a')).toMatchObject({
      status: 'BLOCKED',
      blocked_reason: expect.stringContaining('Max iterations (1)'),
    });
  });
});
