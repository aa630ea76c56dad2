// One test per rule about goal, sprint, switches, what people override, repeats and the re-check.

import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { BUDGETS_EXAMPLE } from '../../../src/protocol/commands/operator/setting-hint.ts';
import { decide } from '../../../src/protocol/decide.ts';
import { validate } from '../../../src/protocol/invariants.ts';
import { possible } from '../../../src/protocol/next-commands.ts';
import { freshState } from '../../../src/protocol/records/new-board.ts';
import type { RefusalName } from '../../../src/protocol/refusal-names.ts';
import { refusedBy } from '../../refused-by.ts';
import {
  addDraft,
  addReady,
  approve,
  begin,
  block,
  CODER,
  claim,
  claimReview,
  commit,
  definition,
  finalize,
  HUMAN,
  PLANNER,
  REVIEWER,
  SPEC,
  START,
  SUPERVISOR,
  submit,
  toClaimed,
  toMerged,
  unblock,
  type World,
  world,
} from './world.ts';

function mergedTask(): World {
  const w = world();
  w.run(PLANNER, addReady('a'));
  toMerged(w, 'a');
  return w;
}

describe('goal', () => {
  it('init: goal PLANNING, sprint-1 IN_PROGRESS, breaker OK, valid as it stands', () => {
    const state = freshState({ goal: 'g', spec_ref: 'specs/vision.md', now: START });
    expect(validate(state, new Map())).toEqual([]);
    expect([state.goal.status, state.sprint.id, state.sprint.status, state.circuit_breaker.status]).toEqual([
      'PLANNING',
      'sprint-1',
      'IN_PROGRESS',
      'OK',
    ]);
    expect(state.config.integration_branch).toBe('integration');
  });

  it('goal complete: all tasks terminal, at least one MERGED', () => {
    const w = world();
    expect(w.refused(PLANNER, { name: 'goal complete' }).guard).toBe<RefusalName>('something-merged');
    w.run(PLANNER, addReady('a'));
    expect(w.refused(PLANNER, { name: 'goal complete' }).message).toContain('a (UNCLAIMED)');
    toMerged(w, 'a');
    w.run(PLANNER, { name: 'goal complete', summary: 'done' });
    expect(w.state.goal.status).toBe('COMPLETED');
    expect(w.run(PLANNER, { name: 'goal complete' }).already).toBe(true);
  });

  it('an archived MERGED task counts for goal complete', () => {
    const w = mergedTask();
    w.run(HUMAN, { name: 'archive', tasks: ['a'] });
    w.run(HUMAN, { name: 'goal complete' });
  });

  it('a completed goal takes no more tasks', () => {
    const w = mergedTask();
    w.run(PLANNER, { name: 'goal complete' });
    expect(w.refused(PLANNER, addDraft('b'))).toMatchObject(refusedBy('goal-open'));
    expect(w.refused(HUMAN, { name: 'abort' }).guard).toBe<RefusalName>('not-completed');
  });

  it('align appends to goal.alignment_history', () => {
    const w = world();
    expect(w.refused(PLANNER, { name: 'align', summary: '' }).guard).toBe<RefusalName>('summary');
    w.run(PLANNER, { name: 'align', summary: 'on course' });
    expect(w.state.goal.alignment_history).toMatchObject([
      { event: 'alignment', summary: 'on course', by: 'planner-1' },
    ]);
  });
});

describe('sprint', () => {
  it('COMPLETED when scope is closed and all planned are terminal, in the transaction that ends the last', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b'));
    toMerged(w, 'a');
    w.run(PLANNER, { name: 'plan done' });
    expect(w.state.sprint.status).toBe('IN_PROGRESS');
    w.run(PLANNER, { name: 'abandon', task: 'b', rationale: 'no' });
    expect(w.state.sprint).toMatchObject({ status: 'COMPLETED', timeline: { ended: '2026-03-01T09:00:00Z' } });
  });

  it('closing the plan of a finished sprint completes it at once', () => {
    const w = mergedTask();
    w.run(PLANNER, { name: 'plan done' });
    expect(w.state.sprint.status).toBe('COMPLETED');
  });

  it('plan done needs something planned and says which drafts stay outside', () => {
    const w = world();
    expect(w.refused(PLANNER, { name: 'plan done' }).guard).toBe<RefusalName>('something-planned');
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addDraft('b'));
    expect(w.run(PLANNER, { name: 'plan done' }).notes?.join()).toContain('b');
  });

  it('`sprint start` opens the next with what is unfinished', () => {
    const w = mergedTask();
    expect(w.refused(HUMAN, { name: 'sprint start' }).guard).toBe<RefusalName>('sprint-over');
    w.run(PLANNER, { name: 'plan done' });
    w.run(PLANNER, addReady('late'));
    expect(w.refused(HUMAN, { name: 'sprint start', deadline: '2001-01-01T00:00:00Z' }).guard).toBe<RefusalName>(
      'deadline',
    );
    w.run(HUMAN, { name: 'sprint start', deadline: '2026-04-01T00:00:00Z' });
    expect(w.state.sprint).toMatchObject({ id: 'sprint-2', status: 'IN_PROGRESS', scope: { planned: ['late'] } });
  });

  it('sprint deadline sets, moves and lifts it, in the future, while the sprint is open', () => {
    const w = world();
    expect(w.refused(HUMAN, { name: 'sprint deadline', deadline: '2001-01-01T00:00:00Z' }).guard).toBe<RefusalName>(
      'deadline',
    );
    w.run(HUMAN, { name: 'sprint deadline', deadline: '2026-04-01T00:00:00Z' });
    expect(w.state.sprint.timeline.deadline).toBe('2026-04-01T00:00:00Z');
    expect(w.run(HUMAN, { name: 'sprint deadline', deadline: '2026-04-01T00:00:00Z' }).already).toBe(true);
    w.run(HUMAN, { name: 'sprint deadline' });
    expect(w.state.sprint.timeline).not.toHaveProperty('deadline');
    w.edit((state) => ({ ...state, sprint: { ...state.sprint, status: 'COMPLETED' } }));
    expect(w.refused(HUMAN, { name: 'sprint deadline', deadline: '2026-04-01T00:00:00Z' }).guard).toBe<RefusalName>(
      'sprint-open',
    );
  });

  it('checkpoint halts the sprint, resume reopens it and records the decision', () => {
    const w = world();
    w.run(HUMAN, { name: 'checkpoint', reason: 'deadline' });
    expect(w.state.sprint).toMatchObject({ status: 'CHECKPOINT', timeline: { checkpoint_at: '2026-03-01T09:00:00Z' } });
    expect(w.board.switches).toHaveProperty('CHECKPOINT');
    w.run(HUMAN, { name: 'resume', decision: 'continue', note: 'with two coders' });
    expect(w.state.sprint.status).toBe('IN_PROGRESS');
    expect(w.board.switches).toEqual({});
    expect(w.state.goal.alignment_history?.at(-1)).toMatchObject({
      event: 'resumed',
      summary: 'continue: with two coders',
    });
  });
});

describe('pause, abort, resume', () => {
  it('abort: goal and sprint ABORTED, tasks stay, ABORT on', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    toClaimed(w, 'a');
    const task = w.task('a');
    w.run(HUMAN, { name: 'abort', reason: 'wrong goal' });
    expect([w.state.goal.status, w.state.sprint.status]).toEqual(['ABORTED', 'ABORTED']);
    expect(w.task('a')).toBe(task);
    expect(w.board.switches).toHaveProperty('ABORT');
    expect(w.refused(PLANNER, addReady('b')).message).toContain('ABORT is on');
  });

  it('resume clears all switches and reopens goal and sprint', () => {
    const w = world();
    w.run(HUMAN, { name: 'abort' });
    w.board = { ...w.board, switches: { ...w.board.switches, PAUSE: w.now } };
    w.run(HUMAN, { name: 'resume' });
    expect([w.state.goal.status, w.state.sprint.status]).toEqual(['PLANNING', 'IN_PROGRESS']);
    expect(w.state.sprint.timeline).not.toHaveProperty('ended');
    expect(w.board.switches).toEqual({});
    expect(w.run(HUMAN, { name: 'resume' }).already).toBe(true);
  });

  it('a goal whose work had begun is IN_PROGRESS again', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(HUMAN, { name: 'abort' });
    w.run(HUMAN, { name: 'resume' });
    expect(w.state.goal.status).toBe('IN_PROGRESS');
  });

  it('planning and human commands by a human stay open while paused', () => {
    const w = world();
    w.run(HUMAN, { name: 'pause' });
    expect(w.run(HUMAN, { name: 'pause' }).already).toBe(true);
    w.run(HUMAN, addReady('a'));
    w.run(HUMAN, { name: 'note', message: 'look' });
    w.run(HUMAN, { name: 'replan', task: 'a' });
    w.run(HUMAN, unblock('a'));
  });

  it('pausing an unknown or finished task is refused', () => {
    const w = mergedTask();
    expect(w.refused(HUMAN, { name: 'pause', task: 'gone' }).guard).toBe<RefusalName>('live-task');
    expect(w.refused(HUMAN, { name: 'pause', task: 'a' }).message).toContain('MERGED, which is terminal');
  });
});

describe('the human’s hand', () => {
  it('config set validates against the schema', () => {
    const w = world();
    const set = (key: string, value: unknown): Command => ({ name: 'config set', key, value });
    expect(w.refused(HUMAN, set('no_such', 1)).guard).toBe<RefusalName>('key');
    expect(w.refused(HUMAN, set('__proto__', 1)).guard).toBe<RefusalName>('key');
    expect(w.refused(HUMAN, set('lease_duration', 'soon')).message).toContain(
      'lease_duration must be a number of seconds',
    );
    expect(w.refused(HUMAN, set('tdd', 'sometimes')).guard).toBe<RefusalName>('value');
    for (const [key, value] of [
      ['budgets.tasks.__proto__.usd', 8],
      ['providers', JSON.parse('{"__proto__": {"kind": "command", "argv": ["x"]}}')],
      ['prices', JSON.parse('{"a": {"__proto__": 1}}')],
    ] as const)
      expect(w.refused(HUMAN, set(key, value)).message, key).toContain('__proto__');
    for (const place of [
      'cache',
      './cache',
      '../x',
      '/',
      '//',
      '/.',
      '~',
      '~/',
      '~ada/x',
      '/tmp/..',
      '~/../home',
      '/a/./b',
    ])
      expect(w.refused(HUMAN, set('sandbox_write', [place])).message, place).toContain('must be a full path');
    for (const place of ['/opt/sdk', '~/.npmrc', '~/.cache/x y']) w.run(HUMAN, set('sandbox_read', [place]));
    for (const limit of ['max_review_cycles', 'max_coder_iterations', 'reviewers_required']) {
      expect(w.refused(HUMAN, set(limit, 0)).message).toContain('must be ≥ 1');
    }
    for (const branch of ['a b', '-x', 'a..b', 'x.lock', '/x', 'x/', '']) {
      expect(w.refused(HUMAN, set('integration_branch', branch)).message).toContain('must be a branch name');
    }
    w.run(HUMAN, set('integration_branch', 'team/next-1.0'));
    const inUse = { ...set('integration_branch', 'main'), facts: { checked_out: '/home/ada/shop' } } as Command;
    expect(w.refused(HUMAN, inUse)).toMatchObject(
      refusedBy('branch', { message: expect.stringContaining('main is checked out in /home/ada/shop') }),
    );
    const hole = { ...set('sandbox_write', ['/proc']), facts: { hole: '/proc cannot be opened' } } as Command;
    expect(w.refused(HUMAN, hole)).toMatchObject(refusedBy('no-hole'));
    for (const address of [
      'ftp://x',
      'not a url',
      '',
      'none',
      'http://',
      'http:///x',
      'https://x:99999/',
      'example.org',
    ]) {
      const refused = w.refused(HUMAN, set('escalation_webhook', address));
      expect(refused.message).toContain('must be an http or https address');
      expect(refused.hint).toContain('to unset it: liza config set escalation_webhook null');
    }
    w.run(HUMAN, set('escalation_webhook', 'https://hooks.example.org:8443/T0/x?y=1'));
    w.run(HUMAN, set('escalation_webhook', null));
    expect(w.refused(HUMAN, set('providers', 'x')).message).toContain('must be a map');
    for (const [key, value, hint] of [
      ['isolation', 'clon', 'did you mean: liza config set isolation clone'],
      ['sandbox', 'on', 'liza config set sandbox auto|require|off'],
      ['budgets', 20, BUDGETS_EXAMPLE],
      ['budgets.day', 20, BUDGETS_EXAMPLE],
      ['lease_duration', 'long', 'for example: liza config set lease_duration '],
    ] as const)
      expect(w.refused(HUMAN, set(key, value)).hint, key).toContain(hint);
    w.run(HUMAN, set('lease_duration', 120));
    expect(w.run(HUMAN, set('lease_duration', 120)).already).toBe(true);
    w.run(HUMAN, addReady('a'));
    toClaimed(w, 'a');
    expect(w.task('a').lease_expires).toBe('2026-03-01T09:02:00Z');
    w.run(HUMAN, set('lease_duration', null));
    expect(w.state.config).not.toHaveProperty('lease_duration');
  });

  it('spec-change refuses a file that is not there, unless a live task comes from it', () => {
    const w = world();
    w.run(PLANNER, addReady('t'));
    const told = (spec: string) =>
      ({ name: 'spec-change', spec, change: 'gone', facts: { spec_exists: false } }) as const;
    expect(w.refused(HUMAN, told('specs/rerty.md'))).toMatchObject(refusedBy('spec-known'));
    w.run(HUMAN, told('specs/retry.md'));
  });

  it('spec-change logs an edit and lists the live tasks it touches', () => {
    const w = world();
    w.run(PLANNER, addReady('a', { spec_ref: 'specs/retry.md#auth' }));
    w.run(PLANNER, addReady('b', { spec_ref: 'specs/other.md' }));
    const done = w.run(HUMAN, { name: 'spec-change', spec: 'specs/retry.md', change: 'refresh the token' });
    expect(done.notes).toEqual(['affects a (UNCLAIMED)']);
    expect(w.state.spec_changes).toMatchObject([{ spec: 'specs/retry.md', change: 'refresh the token' }]);
  });

  it('terminal tasks beyond archive_after are archived, oldest first, their history with them', () => {
    const w = world({ archive_after: 1 });
    for (const id of ['a', 'b', 'c']) {
      w.run(HUMAN, addReady(id));
      w.run(HUMAN, { name: 'abandon', task: id, rationale: 'no' });
      w.pass(10);
    }
    const done = w.run(HUMAN, { name: 'archive' });
    expect(done.archive?.map((task) => task.id)).toEqual(['a', 'b']);
    expect(done.archive?.[0]?.history?.length).toBeGreaterThan(1);
    expect(w.state.tasks.map((task) => task.id)).toEqual(['c']);
    expect(w.run(HUMAN, { name: 'archive' }).already).toBe(true);
  });

  it('only terminal tasks are archived', () => {
    const w = world();
    w.run(HUMAN, addReady('a'));
    expect(w.refused(HUMAN, { name: 'archive', tasks: ['a'] }).guard).toBe<RefusalName>('terminal');
    expect(w.refused(HUMAN, { name: 'archive', tasks: ['gone'] }).guard).toBe<RefusalName>('terminal');
  });

  it('metrics are counted from tasks and history', () => {
    const w = mergedTask();
    w.run(HUMAN, { name: 'metrics' });
    expect(w.state.sprint.metrics).toMatchObject({ tasks_total: 1, tasks_merged: 1, review_verdict_approvals: 1 });
  });
});

describe('repeating a command that already took effect (same actor, same fields) succeeds and says so', () => {
  const none = () => {};
  const drafted = (w: World) => void w.run(PLANNER, addDraft('a'));
  const ready = (w: World) => void w.run(PLANNER, addReady('a'));
  const claimed = (w: World) => {
    ready(w);
    toClaimed(w, 'a');
  };
  const begun = (w: World) => {
    claimed(w);
    w.run(CODER, begin('a'));
  };
  const blocked = (w: World) => {
    claimed(w);
    w.run(CODER, block('a'));
  };
  const stories: readonly (readonly [string, (w: World) => void, Actor, Command])[] = [
    ['add-task', none, PLANNER, addReady('a')],
    ['finalize', drafted, PLANNER, finalize('a')],
    ['amend', drafted, PLANNER, { name: 'amend', task: 'a', changes: { priority: 1 }, facts: SPEC }],
    ['claim-task', ready, SUPERVISOR, claim('a')],
    ['begin', claimed, CODER, begin('a')],
    ['submit-for-review', begun, CODER, submit('a', commit(1))],
    ['block', claimed, CODER, block('a')],
    ['handoff', claimed, CODER, { name: 'handoff', task: 'a', summary: 's', next_action: 'n' }],
    ['unblock', blocked, PLANNER, unblock('a')],
    [
      'supersede',
      blocked,
      PLANNER,
      { name: 'supersede', task: 'a', root_cause: 'r', replacements: [], definitions: [definition('b')] },
    ],
    ['release-claim', claimed, HUMAN, { name: 'release-claim', task: 'a' }],
    ['abandon', ready, PLANNER, { name: 'abandon', task: 'a', rationale: 'no' }],
    ['replan', ready, HUMAN, { name: 'replan', task: 'a' }],
    ['note', none, HUMAN, { name: 'note', message: 'hi' }],
    ['anomaly', none, PLANNER, { name: 'anomaly', type: 'spec_gap', details: {} }],
    ['discover', none, CODER, { name: 'discover', description: 'x', severity: 'low' }],
    ['plan done', ready, PLANNER, { name: 'plan done' }],
    ['abort', none, HUMAN, { name: 'abort' }],
    ['checkpoint', none, HUMAN, { name: 'checkpoint' }],
  ];
  it.each(stories)('%s', (_name, prepare, actor, command) => {
    const w = world();
    prepare(w);
    expect(w.run(actor, command).already).toBeUndefined();
    const before = w.state;
    w.pass(5);
    const again = w.run(actor, command);
    expect(again.already).toBe(true);
    expect(again.detail).toContain('already');
    expect(w.state).toBe(before);
  });

  it('another actor’s or another content is no repeat', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    expect(w.refused(HUMAN, addReady('a')).guard).toBe<RefusalName>('id-free');
    toClaimed(w, 'a');
    w.run(CODER, begin('a'));
    w.run(CODER, submit('a', commit(1)));
    expect(w.refused(CODER, submit('a', commit(2))).guard).toBe<RefusalName>('state');
    w.run(SUPERVISOR, claimReview('a'));
    expect(w.run(SUPERVISOR, claimReview('a')).already).toBe(true);
    w.run(REVIEWER, approve('a'));
  });
});

describe('the re-check', () => {
  it('a violation already there never blocks the command that repairs it', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b'));
    w.edit((state) => ({
      ...state,
      tasks: state.tasks.map((task) =>
        task.id === 'a' ? { ...task, status: 'BLOCKED' as const, blocked_reason: 'odd' } : task,
      ),
    }));
    expect(validate(w.state, new Map())).toHaveLength(1);
    toClaimed(w, 'b');
    w.run(PLANNER, unblock('a'));
    expect(validate(w.state, new Map())).toEqual([]);
  });

  it('a transaction may not introduce a violation: exit 4, naming it', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.edit((state) => ({
      ...state,
      agents: { ...state.agents, 'coder-2': { role: 'coder', status: 'WORKING', current_task: 'ghost' } },
    }));
    // A command whose result would be inconsistent for a reason no guard knows: a worktree path that is no text.
    const decision = decide(w.board, { ...claim('a'), worktree: 7 as unknown as string } as Command, {
      actor: SUPERVISOR,
      now: w.now,
    });
    expect(decision).toMatchObject(refusedBy('invariants', { ok: false, code: 4 }));
    if (!decision.ok) expect(decision.message).toContain('task a: worktree must be text');
  });

  it('records a command does not concern stay the very same objects', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    w.run(PLANNER, addReady('b'));
    const before = w.state;
    toClaimed(w, 'a');
    expect(w.task('b')).toBe(before.tasks[1]);
    expect(w.state.goal).toBe(before.goal);
    expect(w.state.config).toBe(before.config);
    expect(w.agent('coder-2')).toBe(before.agents['coder-2']);
  });
});

describe('what is possible next', () => {
  it('follows part, state and switches', () => {
    const w = world();
    w.run(PLANNER, addReady('a'));
    expect(possible(w.board, ['supervisor'], w.task('a'))).toEqual([
      'reserve-claim',
      'claim-task',
      'release-reservation',
      'drop-worktree',
      'record-trial',
      'spec-changed',
    ]);
    expect(possible(w.board, ['planner'], w.task('a'))).toEqual(['amend', 'abandon', 'drop-worktree']);
    expect(possible(w.board, ['coder'], w.task('a'))).toEqual([]);
    toClaimed(w, 'a');
    expect(possible(w.board, ['coder'], w.task('a'))).toEqual([
      'begin',
      'declare',
      'submit-for-review',
      'record-validation',
      'block',
      'handoff',
    ]);
    w.board = { ...w.board, switches: { CHECKPOINT: w.now } };
    expect(possible(w.board, ['coder'], w.task('a'))).toEqual(['record-validation', 'block', 'handoff']);
    w.board = { ...w.board, switches: { PAUSE: w.now } };
    expect(possible(w.board, ['coder'], w.task('a'))).toEqual([
      'begin',
      'declare',
      'submit-for-review',
      'record-validation',
      'block',
      'handoff',
    ]);
  });
});
