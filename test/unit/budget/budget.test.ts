// Budgets: what is counted, when it stops, and what is said of what nobody knows.

import { describe, expect, test } from 'vitest';
import { alarms } from '../../../src/alarms/rules/evaluate.ts';
import type { Witness } from '../../../src/audit/rules/facts.ts';
import { auditGoal } from '../../../src/audit/rules/goal.ts';
import { usageText } from '../../../src/budget/rules/format.ts';
import { booked, dayOf, spentOnDay, spentOnGoal } from '../../../src/budget/rules/ledger.ts';
import { amountText, overrun, raiseCommand, sharedBudgets, usedUp } from '../../../src/budget/rules/limits.ts';
import { PRICE_LIST } from '../../../src/budget/rules/price-list.ts';
import { costOf, priceOf } from '../../../src/budget/rules/prices.ts';
import { spendingView } from '../../../src/budget/rules/spending-view.ts';
import { spendingFacts } from '../../../src/cli/render/status.ts';
import type { Command, SessionUse } from '../../../src/protocol/command.ts';
import { checkpointEvent, startCommit, taskLease } from '../../../src/protocol/leases.ts';
import { nextGoal } from '../../../src/protocol/records/new-board.ts';
import type { Config } from '../../../src/protocol/state.ts';
import { worktreePlan } from '../../../src/protocol/work/worktree-plan.ts';
import { reportOf } from '../../../src/report/facts.ts';
import { costTold, usedTotal } from '../../../src/report/format.ts';
import { type Looking, nextDuty } from '../../../src/supervisor/rules/next-duty.ts';
import { whyAllRest, whyNothingMoves } from '../../../src/supervisor/rules/why-idle.ts';
import { iso } from '../../../src/text/time.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  definition,
  HUMAN,
  PLANNER,
  ready,
  SUPERVISOR,
  supervisorOf,
  toApproved,
  toClaimed,
  toMerged,
  toReady,
  toRejected,
  unblock,
  type World,
} from '../protocol/world.ts';

const BOUNDS = 'from 0 (nothing starts) to 1000000000000, or null for no limit';
const REHEARSAL = 'rehearsal (scripted numbers)';

const use = (usd: number | undefined, more: Partial<SessionUse> = {}): SessionUse => ({
  seconds: 60,
  input_tokens: 1000,
  output_tokens: 100,
  ...(usd === undefined ? {} : { cost_usd: usd }),
  ...more,
});

function ended(w: World, agent: string, used: SessionUse, task?: string): void {
  const about = task === undefined ? {} : { task };
  w.run(supervisorOf(agent), { name: 'session-end', agent, provider: 'p', how: 'exit 0', used, ...about });
}

function limited(w: World, budgets: NonNullable<Config['budgets']>): void {
  w.run(HUMAN, { name: 'config set', key: 'budgets', value: budgets });
}

const duty = (w: World, agent: string, more: Partial<Looking> = {}) =>
  nextDuty(
    w.board,
    {
      agent,
      role: agent.startsWith('planner') ? 'planner' : agent.startsWith('coder') ? 'coder' : 'code_reviewer',
      postponed: new Set(),
      ...more,
    },
    w.now,
  );

describe('what is counted', () => {
  test('a session counts for its task, the goal and the day; a planner’s for the goal and the day', () => {
    const w = ready('a');
    toClaimed(w, 'a');
    ended(w, 'coder-1', use(0.1), 'a');
    ended(w, 'planner-1', use(0.2));
    expect(w.task('a').usage).toMatchObject({ sessions: 1, cost_usd: 0.1 });
    expect(w.state.goal.usage).toMatchObject({ sessions: 1, cost_usd: 0.2 });
    expect(spentOnGoal(w.state)).toMatchObject({ sessions: 2, seconds: 120, input_tokens: 2000, cost_usd: 0.3 });
    expect(spentOnDay(w.state, '2026-03-01')).toMatchObject({ sessions: 2, cost_usd: 0.3 });
  });

  test('archived tasks and agents that are gone still count', () => {
    const w = ready('a');
    toClaimed(w, 'a');
    ended(w, 'coder-1', use(3), 'a');
    w.run(HUMAN, { name: 'release-claim', task: 'a' });
    w.run(HUMAN, { name: 'abandon', task: 'a', rationale: 'not needed' });
    w.run(HUMAN, { name: 'archive', tasks: ['a'] });
    w.edit((state) => ({ ...state, agents: {} }));
    limited(w, { goal: { usd: 3 } });
    expect(w.state.tasks).toEqual([]);
    expect(usedUp(w.board, w.now)).toMatchObject({ scope: 'goal', spent: 3 });
  });

  test('a board from before there were sums begins with those of its tasks', () => {
    const w = ready('a', 'b');
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) => ({
        ...task,
        usage: { sessions: 2, seconds: 5, input_tokens: 1, output_tokens: 1, cost_usd: 1 },
      })),
    }));
    expect(spentOnGoal(w.state)).toMatchObject({ sessions: 4, cost_usd: 2 });
    ended(w, 'planner-1', use(1));
    expect(w.state.goal.spent).toMatchObject({ sessions: 5, cost_usd: 3 });
  });

  test('a new goal starts its own sum, the day goes on', () => {
    const w = ready('a');
    ended(w, 'planner-1', use(4));
    const next = nextGoal(w.state, { goal: 'more', spec_ref: 'specs/vision.md', now: w.now });
    expect(spentOnGoal(next)).toMatchObject({ sessions: 0 });
    expect(spentOnDay(next, dayOf(w.now))).toMatchObject({ cost_usd: 4 });
  });

  test('a session belongs to the day it ended on; the clock may jump either way and nothing is lost or counted twice', () => {
    const w = ready('a');
    w.now = Date.parse('2026-03-01T23:59:59Z');
    ended(w, 'planner-1', use(1));
    w.pass(1);
    expect(spentOnDay(w.state, dayOf(w.now))).toMatchObject({ sessions: 0 });
    ended(w, 'planner-1', use(2));
    // An hour back: the day before is the day again, with all that was spent on it.
    w.pass(-3600);
    expect(spentOnDay(w.state, dayOf(w.now))).toMatchObject({ cost_usd: 1 });
    ended(w, 'planner-1', use(4));
    expect(w.state.goal.days?.map(({ date, cost_usd }) => [date, cost_usd])).toEqual([
      ['2026-03-01', 5],
      ['2026-03-02', 2],
    ]);
    expect(w.state.goal.spent?.cost_usd).toBe(7);
  });

  test('days are kept for two weeks', () => {
    let goal = ready('a').state.goal;
    const { state } = ready('a');
    for (let day = 0; day < 40; day += 1)
      goal = { ...goal, ...booked({ ...state, goal }, use(1), Date.parse('2026-03-01T12:00:00Z') + day * 86_400_000) };
    expect(goal.days).toHaveLength(14);
    expect(goal.days?.at(-1)?.date).toBe('2026-04-09');
    expect(goal.spent?.sessions).toBe(40);
    // A clock that was ahead all the time, and is right again: today counts.
    const today = Date.parse('2026-02-01T12:00:00Z');
    for (const sum of [1, 2]) {
      goal = { ...goal, ...booked({ ...state, goal }, use(1), today) };
      expect(spentOnDay({ ...state, goal }, '2026-02-01')).toMatchObject({ sessions: sum });
    }
    expect(goal.days).toHaveLength(14);
  });
});

describe('a budget that is used up', () => {
  test.each([
    ['tokens', 1100],
    ['usd', 0.1],
    ['minutes', 1],
    ['sessions', 1],
  ] as const)('in %s: of the day, nobody starts anything, and it is said why', (unit, limit) => {
    const w = ready('a', 'b', 'c');
    limited(w, { day: { [unit]: limit } });
    toReady(w, 'a');
    expect(duty(w, 'coder-2').kind).toBe('code');
    ended(w, 'coder-1', use(0.1), 'a');
    expect(duty(w, 'coder-2')).toMatchObject({ kind: 'held', lookAt: Date.parse('2026-03-02T00:00:00Z') });
    expect(duty(w, 'code-reviewer-1').kind).toBe('held');
    expect(duty(w, 'planner-1').kind).toBe('held');
    for (const command of [
      claim('b', 'coder-2'),
      { name: 'reserve-claim', task: 'b', agent: 'coder-2' } as const,
      claimReview('a'),
    ]) {
      expect(w.refused(SUPERVISOR, command)).toMatchObject(
        refusedBy('within-budget', { hint: expect.stringContaining(`liza config set budgets.day.${unit} `) }),
      );
    }
    const why = whyNothingMoves(w.board, w.now);
    expect(why).toMatch(
      /^the budget of today \(UTC\) is used up: .*; the next day begins in 15h, so no session starts: liza config set budgets\.day\./,
    );
    w.now = Date.parse('2026-03-02T00:00:00Z');
    w.edit((state) => ({
      ...state,
      agents: Object.fromEntries(
        Object.entries(state.agents).map(([id, agent]) => [id, { ...agent, lease_expires: '2026-03-02T01:00:00Z' }]),
      ),
    }));
    expect(duty(w, 'coder-2').kind).toBe('code');
  });

  test('what is approved is merged all the same', () => {
    const w = ready('a');
    toApproved(w, 'a');
    limited(w, { goal: { sessions: 0 } });
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'merge' });
    toMerged(w, 'a');
    expect(w.task('a').status).toBe('MERGED');
  });

  test('of a task holds that one alone, for coders and reviewers', () => {
    const w = ready('a', 'b');
    limited(w, { task: { usd: 1 } });
    toReady(w, 'a');
    ended(w, 'coder-1', use(1), 'a');
    expect(w.refused(SUPERVISOR, claimReview('a'))).toMatchObject(refusedBy('within-budget'));
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'nothing' });
    expect(duty(w, 'coder-2')).toMatchObject({ kind: 'code', task: { id: 'b' } });
    w.run(HUMAN, { name: 'abandon', task: 'b', rationale: 'x' });
    expect(whyNothingMoves(w.board, w.now)).toBe(
      'the budget of a is used up: $1.00 of $1.00, so no session starts: liza config set budgets.tasks.a.usd 2',
    );
    w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 2 });
    expect(duty(w, 'code-reviewer-1')).toMatchObject({ kind: 'review', task: { id: 'a' } });
  });

  test('of a coder’s own task blocks it in its place, and is no failure of the coder', () => {
    const w = ready('a');
    limited(w, { task: { minutes: 2 } });
    toClaimed(w, 'a');
    expect(w.refused(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'budget' })).toMatchObject(
      refusedBy('limit-reached'),
    );
    ended(w, 'coder-1', use(1, { seconds: 121 }), 'a');
    expect(duty(w, 'coder-1')).toMatchObject({ kind: 'spent', task: { id: 'a' } });
    w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'budget' });
    expect(w.task('a')).toMatchObject({ status: 'BLOCKED', blocked_reason: 'budget: 2 min of 2 min used' });
    expect(w.task('a').failed_by ?? []).toEqual([]);
  });

  describe('of a task that was blocked for it', () => {
    function blockedByBudget(): World {
      const w = ready('a');
      limited(w, { task: { usd: 1 } });
      toRejected(w, 'a');
      w.run(SUPERVISOR, claim('a', 'coder-1'));
      w.run(CODER, begin('a'));
      ended(w, 'coder-1', use(1.25), 'a');
      w.run(supervisorOf('coder-1'), { name: 'limit', task: 'a', limit: 'budget' });
      return w;
    }
    const raise = 'liza config set budgets.tasks.a.usd 2, then liza unblock a';

    test('the block, the board that stands still and a refused unblock name the commands that let it go on', () => {
      const w = blockedByBudget();
      expect(w.task('a').blocked_questions?.[0]).toBe(`Is it worth more? Then a person runs: ${raise}`);
      expect(whyNothingMoves(w.board, w.now)).toBe(
        `a is BLOCKED: the budget of a is used up: $1.25 of $1.00 — if it is worth more: ${raise}; otherwise liza supersede a`,
      );
      expect(w.refused(HUMAN, unblock('a'))).toMatchObject(
        refusedBy('within-budget', {
          message: expect.stringContaining('the budget of a is used up: $1.25 of $1.00'),
          hint: `Raise it, if it is worth more: ${raise}`,
        }),
      );
      expect(w.refused(PLANNER, unblock('a')).hint).toMatch(
        /^Only a person can raise it\. Leave it BLOCKED, .*liza supersede a/,
      );
      w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 2 });
      expect(whyNothingMoves(w.board, w.now)).toBe('a is BLOCKED, and its budget was raised: liza unblock a');
    });

    test.each(['coder-1', 'coder-2'])(
      'raised, it goes on where it was, with its iteration and checkpoint: %s',
      (who) => {
        const w = blockedByBudget();
        const before = w.task('a');
        w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 2 });
        w.run(HUMAN, unblock('a'));
        expect(w.task('a')).toMatchObject({ status: 'UNCLAIMED', worktree: before.worktree, keep_worktree: true });
        expect(worktreePlan(w.task('a'), who, { takeover: 'continue' })).toBe(who === 'coder-1' ? 'keep' : 'continue');
        w.run(SUPERVISOR, { ...claim('a', who), start_commit: commit(0xdead) } as Command);
        expect(w.task('a')).toMatchObject({ iteration: 2, rejection_reason: before.rejection_reason });
        expect(w.task('a').review_cycles_current).toBe(who === 'coder-1' ? 1 : 0);
        expect(startCommit(w.task('a'))).toBe(startCommit(before));
        expect(checkpointEvent(w.task('a'))).toEqual(checkpointEvent(before));
        expect(alarms(w.board, w.now, { steady: {} } as never).map(({ text }) => text)).not.toContainEqual(
          expect.stringContaining('REASSIGNED'),
        );
        const second = w.tell({ id: who, parts: ['coder'] }, begin('a'));
        expect(second).toMatchObject(who === 'coder-1' ? { already: true } : refusedBy('once'));
      },
    );

    test('judged by a person since, or superseded, it does not', () => {
      const w = blockedByBudget();
      w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 2 });
      w.run(HUMAN, { name: 'replan', task: 'a', reason: 'the wrong way' });
      w.run(HUMAN, unblock('a'));
      expect(w.task('a')).not.toHaveProperty('worktree');
      const other = blockedByBudget();
      other.run(PLANNER, {
        name: 'supersede',
        task: 'a',
        root_cause: 'too large',
        replacements: [],
        definitions: [definition('b')],
      });
      expect(other.task('a')).not.toHaveProperty('worktree');
    });

    test('a second time it is blocked for a reason of its own: its work starts fresh', () => {
      const w = blockedByBudget();
      w.run(HUMAN, { name: 'config set', key: 'budgets.tasks.a.usd', value: 2 });
      w.run(HUMAN, unblock('a'));
      w.run(SUPERVISOR, claim('a', 'coder-1'));
      w.run(CODER, block('a'));
      w.run(HUMAN, unblock('a'));
      expect(w.task('a')).not.toHaveProperty('worktree');
    });
  });

  test('in sessions: those under way count, so that a race starts no more than are allowed', () => {
    const w = ready('a', 'b', 'c');
    limited(w, { goal: { sessions: 2 } });
    w.run(SUPERVISOR, claim('a', 'coder-1'));
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    expect(w.refused(SUPERVISOR, claim('c', 'coder-3'))).toMatchObject(refusedBy('within-budget'));
    // Of those who hold one whoever begins first goes on; nobody waits for a session that has not begun.
    ended(w, 'coder-1', use(1), 'a');
    for (const id of ['coder-1', 'coder-2']) expect(duty(w, id).kind).toBe('code');
    w.run(supervisorOf('coder-1'), { name: 'session-start', agent: 'coder-1', task: 'a' });
    expect(duty(w, 'coder-2').kind).toBe('held');
    expect(w.refused(supervisorOf('coder-2'), { name: 'session-start', agent: 'coder-2', task: 'b' })).toMatchObject(
      refusedBy('within-budget', {
        message: expect.stringContaining('the budget of the goal is used up: 2 sessions of 2 sessions'),
      }),
    );
    expect(whyAllRest(w.board, w.now)).toContain('liza config set budgets.goal.sessions 4');
    ended(w, 'coder-1', use(1), 'a');
    expect(w.state.goal.spent?.sessions).toBe(2);
    expect(w.agent('coder-1')).not.toHaveProperty('under_way');
  });

  describe('in sessions: one that is ending counts until it is recorded, once', () => {
    const start = (w: World, agent: string, task?: string) =>
      w.tell(supervisorOf(agent), { name: 'session-start', agent, ...(task === undefined ? {} : { task }) });

    test('a review does not begin beside the coder’s last session, which has submitted', () => {
      const w = ready('a');
      limited(w, { task: { sessions: 2 } });
      toClaimed(w, 'a');
      start(w, 'coder-1', 'a');
      toReady(w, 'a');
      w.run(HUMAN, { name: 'config set', key: 'budgets.task.sessions', value: 1 });
      expect(w.refused(SUPERVISOR, claimReview('a'))).toMatchObject(refusedBy('within-budget'));
      expect(duty(w, 'code-reviewer-1').kind).toBe('nothing');
      w.run(HUMAN, { name: 'config set', key: 'budgets.task.sessions', value: 2 });
      w.run(SUPERVISOR, claimReview('a'));
      expect(start(w, 'code-reviewer-1', 'a').ok).toBe(true);
      ended(w, 'coder-1', use(1), 'a');
      ended(w, 'code-reviewer-1', use(1), 'a');
      expect(w.task('a').usage?.sessions).toBe(2);
    });

    test('nor another coder’s after a block that was answered at once', () => {
      const w = ready('a');
      limited(w, { task: { sessions: 1 } });
      w.run(SUPERVISOR, claim('a', 'coder-1'));
      start(w, 'coder-1', 'a');
      w.run(CODER, block('a'));
      expect(w.refused(PLANNER, unblock('a'))).toMatchObject(refusedBy('within-budget'));
      w.run(HUMAN, { name: 'config set', key: 'budgets.task.sessions', value: 2 });
      w.run(PLANNER, unblock('a'));
      w.run(HUMAN, { name: 'config set', key: 'budgets.task.sessions', value: 1 });
      expect(w.refused(SUPERVISOR, claim('a', 'coder-2'))).toMatchObject(refusedBy('within-budget'));
    });

    test('a planner’s counts as well', () => {
      const w = ready('a');
      limited(w, { goal: { sessions: 1 } });
      expect(start(w, 'planner-1').ok).toBe(true);
      expect(w.refused(SUPERVISOR, claim('a', 'coder-1'))).toMatchObject(refusedBy('within-budget'));
      expect(duty(w, 'coder-1').kind).toBe('held');
    });

    test('none begins while a switch is on, or the disk is full', () => {
      const w = ready('a');
      w.board = { ...w.board, freeMb: 1 };
      expect(start(w, 'planner-1')).toMatchObject(refusedBy('room-on-disk'));
      w.board = { ...w.board, freeMb: 1e6 };
      w.run(HUMAN, { name: 'pause' });
      expect(start(w, 'planner-1')).toMatchObject(refusedBy('switches'));
    });
  });

  describe('in sessions: one whose supervisor was killed', () => {
    const kill = (w: World): void =>
      w.lease({
        ...{ agent: 'coder-1', task: 'a', epoch: w.task('a').epoch ?? 0, holder: 'dead' },
        ...{ expires: iso(w.now + 60_000), heartbeat: iso(w.now) },
      });
    const left = (w: World): Command => ({
      ...{ name: 'session-end', agent: 'coder-1', provider: 'p', how: 'its supervisor has ended', task: 'a' },
      used: { seconds: 0, input_tokens: 0, output_tokens: 0, untold: true },
      began: w.agent('coder-1').under_way?.since ?? '',
    });
    const ANY = { parts: ['supervisor' as const] };
    function killed(budgets: NonNullable<Config['budgets']>): World {
      const w = ready('a', 'b');
      limited(w, budgets);
      w.run(SUPERVISOR, claim('a', 'coder-1'));
      w.run(supervisorOf('coder-1'), { name: 'session-start', agent: 'coder-1', task: 'a' });
      return w;
    }

    test('counts the same for the guard, the status and the alarm', () => {
      const w = killed({ goal: { sessions: 1 } });
      kill(w);
      const no = w.refused(SUPERVISOR, claim('b', 'coder-2'));
      expect(no.message).toContain('1 session of 1 session');
      expect(spendingView(w.board, w.now)[0]).toMatchObject({ sessions: 1, limits: { sessions: { left: 0 } } });
      expect(alarms(w.board, w.now, { steady: {} } as never).map(({ text }) => text)).toContainEqual(
        expect.stringContaining('the goal — used up: 1 session of 1 session'),
      );
      expect(whyNothingMoves(w.board, w.now)).toBe(
        'the budget of the goal is used up: 1 session of 1 session, so no session starts: liza config set budgets.goal.sessions 2',
      );
    });

    test('is recorded by any supervisor, once, and not while its own may be alive', () => {
      const w = killed({ goal: { sessions: 4 } });
      const command = left(w);
      expect(w.refused(ANY, command)).toMatchObject(refusedBy('left-behind'));
      kill(w);
      w.run(ANY, command);
      expect(w.refused(ANY, command)).toMatchObject(refusedBy('left-behind'));
      expect(w.refused(supervisorOf('coder-1'), command)).toMatchObject(refusedBy('left-behind'));
      // Its claim waits for whoever takes it, who is counted then.
      expect(spendingView(w.board, w.now)[0]).toMatchObject({ sessions: 1, limits: { sessions: { left: 3 } } });
      expect(w.state.goal.spent).toMatchObject({ sessions: 1, uncounted_sessions: 1 });
    });

    test('of a task: its next coder is BLOCKED, and what nobody takes says what raises it', () => {
      const w = killed({ task: { sessions: 2 } });
      kill(w);
      w.run(SUPERVISOR, claim('a', 'coder-2'));
      ended(w, 'coder-2', use(1), 'a');
      expect(duty(w, 'coder-2')).toMatchObject({ kind: 'spent', why: '2 sessions of 2 sessions' });
      expect(w.tell(supervisorOf('coder-2'), { name: 'limit', task: 'a', limit: 'budget' }).ok).toBe(true);
    });

    test('of a task: a coder that came back to it and ended holds it no more', () => {
      const w = killed({ task: { sessions: 1 } });
      kill(w);
      w.run(supervisorOf('coder-1'), { name: 'register', agent: 'coder-1', role: 'coder' });
      const { epoch = 0 } = w.agent('coder-1');
      const record = { agent: 'coder-1', epoch, expires: iso(w.now + 60_000), heartbeat: iso(w.now) };
      w.lease({ ...record, holder: 'alive', remaining: 60_000 });
      expect(taskLease(w.board, w.task('a'), w.now)).toMatchObject({ expired: false });
      w.lease({ ...record, holder: 'dead' });
      expect(taskLease(w.board, w.task('a'), w.now)).toMatchObject({ expired: true, dead: true });
    });

    test('of a task that waits for a verdict, or for its next coder: the text names what raises it', () => {
      const w = killed({ task: { sessions: 1 } });
      const raise =
        /^the budget of a is used up: 1 session of 1 session, .*liza config set budgets\.tasks\.a\.sessions 2$/;
      w.run(HUMAN, { name: 'abandon', task: 'b', rationale: 'not needed' });
      kill(w);
      expect(whyNothingMoves(w.board, w.now)).toMatch(raise);
      const r = ready('a');
      limited(r, { task: { sessions: 1 } });
      toClaimed(r, 'a');
      r.run(supervisorOf('coder-1'), { name: 'session-start', agent: 'coder-1', task: 'a' });
      toReady(r, 'a');
      expect(whyNothingMoves(r.board, r.now)).toMatch(raise);
    });
  });

  test('one that is claimed takes of what is left, and is never told as a session beyond', () => {
    const w = ready('a', 'b', 'c');
    limited(w, { goal: { sessions: 2 } });
    w.run(SUPERVISOR, claim('a', 'coder-1'));
    w.run(SUPERVISOR, claim('b', 'coder-2'));
    ended(w, 'coder-1', use(1), 'a');
    expect(w.refused(SUPERVISOR, claim('c', 'coder-3')).message).toContain('2 sessions of 2 sessions');
    expect(spendingView(w.board, w.now)[0]?.sessions).toBe(2);
  });

  test('raised before anything was blocked for it: unblock says that nothing is needed', () => {
    const w = ready('a');
    toReady(w, 'a');
    expect(w.refused(HUMAN, unblock('a'))).toMatchObject(
      refusedBy('state', { hint: 'Nothing needs to be done: it is not blocked, see liza show a' }),
    );
  });

  test('what others of this process have used so far counts before it is recorded', () => {
    const w = ready('a');
    limited(w, { goal: { usd: 1 } });
    const usage = { sessions: 1, seconds: 1, input_tokens: 5, output_tokens: 5, cost_usd: 1 };
    expect(duty(w, 'coder-1', { running: [{ usage }] }).kind).toBe('held');
    expect(duty(w, 'coder-1', { running: [{ usage: { ...usage, cost_usd: 0.9 } }] }).kind).toBe('code');
  });

  test('ends a running session only when it is far beyond', () => {
    const w = ready('a');
    limited(w, { goal: { usd: 10, sessions: 1 } });
    const running = (usd: number) => [
      { usage: { sessions: 9, seconds: 1, input_tokens: 5, output_tokens: 5, cost_usd: usd } },
    ];
    expect(overrun(w.state, w.now, undefined, running(11.99))).toBeUndefined();
    expect(overrun(w.state, w.now, undefined, running(12))).toMatchObject({ unit: 'usd', percent: 120 });
    limited(w, { goal: { usd: 10 }, end_percent: 100 });
    expect(overrun(w.state, w.now, undefined, running(10))).toBeDefined();
  });

  test('a limit of nothing lets nothing start', () => {
    const w = ready('a');
    limited(w, { day: { usd: 0 } });
    expect(w.refused(SUPERVISOR, claim('a'))).toMatchObject(refusedBy('within-budget'));
  });
});

describe('setting it', () => {
  test('one at a time; null takes it away again, and all of it with the last', () => {
    const w = ready('a');
    const set = (key: string, value: unknown) => w.run(HUMAN, { name: 'config set', key, value });
    set('budgets.day.usd', 20);
    set('budgets.day.tokens', 5_000_000);
    set('budgets.warn_percent', 50);
    expect(w.state.config.budgets).toEqual({ day: { usd: 20, tokens: 5_000_000 }, warn_percent: 50 });
    expect(set('budgets.day.usd', 20).already).toBe(true);
    set('budgets.day', null);
    set('budgets.warn_percent', null);
    expect(w.state.config).not.toHaveProperty('budgets');
  });

  test.each([
    ['budgets.dya.usd', 5, 'budgets.dya must be a map of task, goal, day, tasks, warn_percent, end_percent'],
    ['budgets.day.dollars', 5, 'budgets.day.dollars must be a map of tokens, usd, minutes, sessions'],
    ['budgets.day.usd', 'much', 'budgets.day.usd must be a number'],
    ['budgets.day.usd', -1, `budgets.day.usd must be a number ${BOUNDS}`],
    ['budgets.day.usd', Number.POSITIVE_INFINITY, 'budgets.day.usd must be a number'],
    ['budgets.goal.minutes', Number.NaN, 'budgets.goal.minutes must be a number'],
    ['budgets.task.tokens', 1e308, `budgets.task.tokens must be a whole number ${BOUNDS}`],
    ['budgets', [], 'budgets must be a map, and this is a list'],
    ['budgets', { day: [] }, 'budgets.day must be a map, and this is a list'],
    ['budgets.tasks', { a: [] }, 'budgets.tasks.a must be a map, and this is a list'],
    ['prices', [], 'prices must be a map, and this is a list'],
    ['budgets.day.tokens', 1.5, 'budgets.day.tokens must be a whole number'],
    ['budgets.end_percent', 90, 'budgets.end_percent must be ≥ 100'],
    [
      'prices',
      { 'my-model': { input: 1 } },
      'prices.my-model.output must be a map of input, cached, written, written_1h, output',
    ],
  ])('%s %j is refused', (key, value, message) => {
    const w = ready('a');
    expect(w.refused(HUMAN, { name: 'config set', key, value }).message).toContain(message);
  });

  test('an agent cannot', () => {
    expect(ready('a').refused(PLANNER, { name: 'config set', key: 'budgets.day.usd', value: 1e9 })).toMatchObject(
      refusedBy('role'),
    );
  });

  test.each([
    [{ limit: 5, spent: 5.02, unit: 'usd', scope: 'day' }, 'budgets.day.usd 10'],
    [{ limit: 5, spent: 40, unit: 'usd', scope: 'goal' }, 'budgets.goal.usd 60'],
    [{ limit: 0.5, spent: 0.51, unit: 'usd', scope: 'goal' }, 'budgets.goal.usd 1'],
    [{ limit: 0, spent: 0, unit: 'sessions', scope: 'goal' }, 'budgets.goal.sessions 1'],
    [{ limit: 123_456, spent: 130_000, unit: 'tokens', scope: 'task', task: 'a' }, 'budgets.tasks.a.tokens 250000'],
  ] as const)('%j is raised by a command that raises it', (budget, command) => {
    expect(raiseCommand({ ...budget, percent: 100, level: 'hard', unknown: 0 })).toBe(`liza config set ${command}`);
  });
});

describe('prices', () => {
  test('cached input is cheaper; what a model’s name carries besides does not matter', () => {
    expect(
      costOf({ input: 1_000_000, output: 100_000, cached: 900_000 }, 'claude-sonnet-4-5-20250929', undefined),
    ).toBeCloseTo(0.3 + 0.27 + 1.5);
    for (const name of [
      'anthropic/claude-sonnet-4-5',
      'claude-sonnet-4-5[1m]',
      'claude-sonnet-4-5@20250929',
      'gemini-2.5-pro-preview',
      'gpt-5-2025-08-07',
    ]) {
      expect(priceOf(name, undefined), name).toBeDefined();
    }
  });
  test('what is put into the cache is dearer, for an hour more so; parts are never more than the whole', () => {
    const all = { input: 1_000_000, output: 0, cached: 200_000, written: 500_000, written_1h: 100_000 };
    expect(costOf(all, 'claude-sonnet-4-5', undefined)).toBeCloseTo(0.3 * 3 + 0.2 * 0.3 + 0.4 * 3.75 + 0.1 * 6);
    expect(costOf(all, 'gpt-5', undefined)).toBeCloseTo(0.8 * 1.25 + 0.2 * 0.125);
    const own = { mine: { input: 1, cached: 0.1, written: 2, output: 5 } };
    expect(costOf(all, 'mine', own)).toBeCloseTo(0.3 + 0.02 + 0.5 * 2);
    const lies = { input: 10, output: 0, cached: 1e9, written: 1e9, written_1h: 1e9 };
    expect(costOf(lies, 'claude-sonnet-4-5', undefined)).toBeCloseTo(3e-6);
  });
  test.each([
    ['us.anthropic.claude-opus-4-5-20251101-v1:0', 'claude-opus-4-5'],
    ['anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-haiku-4-5'],
    ['openrouter/anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
    ['anthropic/claude-opus-5-5[1m]', 'claude-opus-5-5'],
    ['Claude-Opus-5', 'claude-opus-5'],
    ['claude-3-5-haiku-20241022', 'claude-3-5-haiku'],
    ['gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro'],
    ['models/gemini-3-pro-preview-11-2025', 'gemini-3-pro'],
    ['openai/gpt-5.1-codex', 'gpt-5.1-codex'],
  ])('%s is %s', (name, model) => {
    expect(priceOf(name, undefined)).toBe(PRICE_LIST[model]);
  });
  test('the project’s own price of a model counts for all its names, before any of the list', () => {
    const own = { 'Claude-Opus-5': { input: 1, output: 2 }, 'x/gpt-5': { input: 3, output: 4 } };
    for (const name of ['claude-opus-5', 'anthropic/claude-opus-5-20260724[1m]'])
      expect(priceOf(name, own), name).toEqual({ input: 1, output: 2 });
    expect(priceOf('x/gpt-5', own)).toEqual({ input: 3, output: 4 });
    expect(priceOf('y/gpt-5', own)).toBe(PRICE_LIST['gpt-5']);
  });
  test('the project’s own go first', () => {
    expect(costOf({ input: 1_000_000, output: 0 }, 'gpt-5', { 'gpt-5': { input: 7, output: 1 } })).toBe(7);
    expect(costOf({ input: 1_000_000, output: 0 }, 'x/mine', { 'x/mine': { input: 2, output: 1 } })).toBe(2);
  });
  test.each([undefined, 'some-model', 'claude', 'constructor', '__proto__', 'gpt-5-turbo-ultra'])(
    '%s has none, and none is made up',
    (name) => {
      expect(costOf({ input: 10, output: 10 }, name, {})).toBeUndefined();
    },
  );
  test('of the built-in list are numbers above nothing, output the dearest', () => {
    const { [REHEARSAL]: free, ...models } = PRICE_LIST;
    expect(free).toEqual({ input: 0, cached: 0, output: 0 });
    for (const [name, { input, cached, output }] of Object.entries(models)) {
      expect(input > 0 && output > input && (cached ?? 0) < input, name).toBe(true);
    }
  });
});

describe('what is not known', () => {
  test('status, show, report and audit tell the same sums, and each that they are not all', () => {
    const w = ready('a');
    toClaimed(w, 'a');
    ended(w, 'coder-1', use(0.5), 'a');
    ended(w, 'coder-1', use(undefined), 'a');
    ended(w, 'coder-1', use(undefined, { input_tokens: 0, output_tokens: 0, untold: true }), 'a');
    ended(w, 'planner-1', use(0.25));
    const [goal] = spendingView(w.board, w.now);
    expect(goal).toMatchObject({
      tokens: 3300,
      usd: 0.75,
      sessions: 4,
      unknown_cost_sessions: 2,
      unknown_token_sessions: 1,
    });
    if (goal === undefined) throw new Error('nothing was spent');
    expect(spendingFacts(goal).slice(0, 2)).toEqual([
      '3300 tokens (tokens of 1 session unknown)',
      '$0.75 (cost of 2 sessions unknown)',
    ]);
    const nothing = { ...goal, tokens: 0, usd: undefined };
    expect(spendingFacts(nothing as never).slice(0, 2)).toEqual([
      'tokens of 1 session unknown',
      'cost of 2 sessions unknown',
    ]);
    const { usage } = w.task('a');
    if (usage === undefined) throw new Error('no usage');
    const words = '2,000 tokens in, 200 out, tokens of 1 session unknown, $0.50, cost of 2 sessions unknown';
    expect(usageText(usage)).toBe(words);
    const report = reportOf({ state: w.state, archived: [], now: w.now });
    expect(report.use).toMatchObject({ tokens: 3300, cost: 0.75, tokensUnknown: 1, costUnknown: 1 });
    expect(usedTotal(report)).toBe('≥ 3,300 tokens, cost ≥ $0.75');
    expect(report.tasks.map(({ use }) => costTold(use))).toEqual(['≥ $0.50']);
    const witness = { state: w.state, tasks: w.state.tasks, entries: [], broken: [], line: [], differing: new Map() };
    const told = auditGoal(witness as unknown as Witness).map(({ what, mark }) => `${mark}: ${what}`);
    expect(told).toContain(
      'unverifiable: 4 sessions in all, 3,000 tokens in, 300 out, tokens of 1 session unknown, $0.75, cost of 2 sessions unknown',
    );
  });

  test('is counted as such, and said with the budget it concerns', () => {
    const w = ready('a');
    limited(w, { day: { usd: 5, minutes: 60 } });
    ended(w, 'planner-1', use(undefined));
    ended(w, 'planner-1', use(undefined, { input_tokens: 0, output_tokens: 0, untold: true }));
    ended(w, 'planner-1', use(undefined, { input_tokens: 0, output_tokens: 0 }));
    ended(w, 'planner-1', use(1));
    expect(w.state.goal.spent).toMatchObject({ sessions: 4, cost_usd: 1, unpriced_sessions: 1, uncounted_sessions: 1 });
    expect(sharedBudgets(w.state, w.now).map(({ unit, unknown }) => [unit, unknown])).toEqual([
      ['usd', 2],
      ['minutes', 0],
    ]);
    expect(spendingView(w.board, w.now)).toMatchObject([
      { scope: 'goal', usd: 1, sessions: 4, unknown_cost_sessions: 2 },
      { scope: 'day', limits: { usd: { limit: 5, left: 4, percent: 20, level: 'fine' } } },
    ]);
  });
  test('nothing known is no zero', () => {
    const w = ready('a');
    ended(w, 'planner-1', use(undefined));
    expect(w.state.goal.spent).not.toHaveProperty('cost_usd');
    expect(spendingView(w.board, w.now)[0]).not.toHaveProperty('usd');
  });
});

test('a full disk holds everything that would start', () => {
  const w = ready('a');
  w.board = { ...w.board, freeMb: 120 };
  expect(duty(w, 'coder-1')).toMatchObject({
    kind: 'held',
    why: 'the disk has 120 MB left, and a session needs 500 (min_free_mb)',
  });
  expect(w.refused(SUPERVISOR, claim('a'))).toMatchObject(
    refusedBy('room-on-disk', { hint: expect.stringContaining('min_free_mb 60') }),
  );
  expect(whyNothingMoves(w.board, w.now)).toContain('so no session starts');
  w.run(HUMAN, { name: 'config set', key: 'min_free_mb', value: 100 });
  expect(duty(w, 'coder-1').kind).toBe('code');
});

test.each([
  [0, '0 s'],
  [0.1, '6 s'],
  [1, '1 min'],
  [1.5, '90 s'],
  [2, '2 min'],
  [2.26, '2.3 min'],
])('%s minutes are told as %s', (amount, told) => expect(amountText(amount, 'minutes')).toBe(told));
