// How a session ends and what its supervisor does then, row by row of docs/concepts.md. Tiny agents, a clock set by hand.

import { describe, expect, test } from 'vitest';
import { siteOf } from '../../../src/git/directory.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { processesOf } from '../../../src/process/process-table.ts';
import { agentTag } from '../../../src/process/tags.ts';
import type { SupervisorContext } from '../../../src/supervisor/context.ts';
import { renewOwn } from '../../../src/supervisor/heartbeat.ts';
import { claimReview } from '../../../src/tasks/claim-review.ts';
import { hostAt } from '../../host.ts';
import { SHOWN, succeeded } from '../../support/project.ts';
import { open, type Part, r, UNCHANGED } from './harness.ts';

const declare = (code: number, agent = 'coder-1') => r().p.run(agent, { name: 'exit', code });
const declared = (code: number): Part => ({ act: () => declare(code), end: 'exit 0' });
const status = async (task = 't') => (await r().p.task(task)).status;
const agent = async (id = 'coder-1') => (await r().p.state()).agents[id];
const member = (id = 'coder-1') =>
  r()
    .crew.view()
    .members.find((one) => one.agent === id);
const sleeps = (least: number, most: number): boolean =>
  r()
    .clock.sleeping()
    .some((ms) => ms >= least && ms <= most);
const ended = (): number =>
  r()
    .said()
    .filter((text) => text.startsWith('session ended')).length;

/** Waits for the nth session's end; if it is not the last, for the pause after it, which passes. */
async function session(nth: number, pauseMs?: number): Promise<void> {
  await r().until(`session ${nth}`, () => r().started.length === nth);
  await r().until(`the end of session ${nth}`, () => ended() === nth);
  if (pauseMs === undefined) return;
  await r().until(`a pause of ${pauseMs}`, () => r().clock.sleeping().includes(pauseMs));
  expect(r().started).toHaveLength(nth);
  r().clock.advance(pauseMs);
}

const submits: Part = {
  act: async () => {
    succeeded(await r().p.begin('t'));
    succeeded(await r().p.submit('t', r().p.work('t')));
    await declare(42);
  },
  end: 'exit 0',
};

/** It has looked, and waits for the clock: what is advanced now is seen. */
const looksWithin = (most: number): Promise<void> =>
  r().until('a look at the clock', () =>
    r()
      .clock.sleeping()
      .some((ms) => ms <= most),
  );

describe('the way of a task', () => {
  test('claimed, submitted, rejected, resumed in the same session, approved, merged', async () => {
    await open({
      agents: ['coder-1', 'code-reviewer-1'],
      parts: {
        'coder-1': [
          submits,
          {
            act: async () => {
              succeeded(await r().p.begin('t'));
              const fixed = r().p.work('t', { 'src/app.ts': 'export const app = 3;\n' });
              succeeded(await r().p.submit('t', fixed));
              await declare(42);
            },
            end: 'exit 0',
          },
        ],
        'code-reviewer-1': [verdictOf('REJECTED'), verdictOf('APPROVED')],
      },
    });
    for (let n = 0; n < 4; n += 1) {
      await r().until(`session ${n + 1}`, () => r().started.length > n);
      await r().until('its end', () => ended() > n);
      r().clock.advance(2000);
    }
    await r().until('merged', async () => (await status()) === 'MERGED');
    const [first, , again] = r().started;
    expect(r().started.map(({ agent: id }) => id)).toEqual([
      'coder-1',
      'code-reviewer-1',
      'coder-1',
      'code-reviewer-1',
    ]);
    expect(first?.resume).toBeUndefined();
    expect(again?.resume).toBe(first?.sessionId);
    expect(again?.prompt).toContain('PRIOR REJECTION FEEDBACK');
    expect(await r().p.task('t')).toMatchObject({ usage: { sessions: 4 } });
  });
});

/** As the reviewer itself would say it: its supervisor has claimed the review. */
const verdictOf = (given: 'APPROVED' | 'REJECTED'): Part => ({
  act: async () => {
    const reason = given === 'REJECTED' ? REJECTION : SHOWN;
    await r().p.run('code-reviewer-1', {
      name: 'submit-verdict',
      task: 't',
      verdict: given,
      reason,
      facts: UNCHANGED,
    });
  },
  end: 'exit 0',
});

const REJECTION = `Blockers: 1
- [blocker] src/app.ts:1 — it is still two
  Why it matters: three is asked for
  Suggestion: make it three
Concerns: 0
Overall: not yet.`;

describe('exits', () => {
  test.each<[string, Part]>([
    ['declared 42 without any change', declared(42)],
    ['an undeclared 0 without any change', { end: 'exit 0' }],
    ['declared 0 while it holds the task', declared(0)],
    ['saying something without doing it', { events: [{ kind: 'activity', text: 'I  think hard' }], end: 'exit 0' }],
  ])('%s is a spin; three in a row block the task', async (_name, part) => {
    await open({ parts: { 'coder-1': [part] } });
    await session(1, 2000);
    await session(2, 2000);
    await session(3);
    await r().until('blocked', async () => (await status()) === 'BLOCKED');
    const { blocked_reason: reason } = await r().p.task('t');
    expect(reason).toContain('spin');
    // Whoever reads it need not look for the log.
    if (part.events !== undefined) expect(reason).toContain('Its last output:\nI think hard');
    expect(member()?.state).toBe('idle');
  });

  test.each(['worktree', 'clone'] as const)(
    'a blocked task names what lies unsubmitted in its folder (%s)',
    async (isolation) => {
      const commits = `git -c user.name=a -c user.email=a@b.invalid commit -q --allow-empty -m half; echo 1 > note.txt; exit 0`;
      await open({
        parts: { 'coder-1': [{ end: commits }, { end: 'exit 0' }] },
        config: { isolation },
      });
      await session(2, 2000);
      await session(3, 2000);
      await session(4);
      await r().until('blocked', async () => (await status()) === 'BLOCKED');
      const { blocked_reason: reason } = await r().p.task('t');
      expect(reason).toMatch(
        /; 1 commit \(up to [0-9a-f]{12}\) and 1 changed file in \.worktrees\/t were not submitted$/,
      );
      expect(r().said().join()).toMatch(/3 sessions in a row changed nothing.*were not submitted/);
    },
  );

  test('what it changed in its folder is progress, also without a word on the board', async () => {
    const parts = [1, 2, 3, 4].map((n) => ({ end: `echo ${n} > note.txt; exit 0` }));
    await open({ parts: { 'coder-1': parts } });
    await r().until('four sessions', () => r().started.length >= 4);
    expect(await status()).toBe('CLAIMED');
  });

  test('a crash: five seconds, ten, then the supervisor stops with an alarm', async () => {
    await open({ parts: { 'coder-1': [{ end: 'exit 3' }] }, crew: { watcher: true } });
    await session(1, 5000);
    await session(2, 10_000);
    await session(3);
    await r().until('stopped', () => member()?.state === 'stopped');
    expect(await agent()).toMatchObject({ trouble: { kind: 'crash-loop' } });
    await r().until('the alarm', () =>
      r()
        .said()
        .some((text) => text.includes('CRASH LOOP: coder-1')),
    );
  });

  test('killed from outside: a crash, and started again', async () => {
    await open({ parts: { 'coder-1': [{ end: 'kill -9 $$' }, {}] } });
    await session(1, 5000);
    await r().until('again', () => r().started.length === 2);
  });

  test('out of quota: it waits for the stated reset, which status shows, and tries again', async () => {
    const until = Date.parse('2026-03-01T12:00:00Z');
    const quota = { kind: 'failure', failure: 'quota', text: 'limit reached', until } as const;
    await open({ parts: { 'coder-1': [{ events: [quota], end: 'exit 1' }, {}] } });
    await r().until('waiting', () => member()?.state === 'backing-off');
    expect(await agent()).toMatchObject({ trouble: { kind: 'quota', until: '2026-03-01T12:00:00Z' } });
    r().clock.advance(until - r().clock.now() - 1000);
    expect(r().started).toHaveLength(1);
    r().clock.advance(1000);
    await r().until('again', () => r().started.length === 2);
    await r().until('no trouble', async () => (await agent())?.trouble === undefined);
  });

  test('a CLI that waits for its provider by itself is ended after three minutes, and we wait', async () => {
    const until = Date.parse('2026-03-01T13:00:00Z');
    const quota = { kind: 'failure', failure: 'quota', text: 'limit reached', until } as const;
    await open({
      parts: { 'coder-1': [{ events: [quota, { kind: 'activity', text: 'waits' }] }, {}] },
      config: { poll_interval: 1000, lease_duration: 9000 },
    });
    await r().until('heard', () => member()?.activity === 'waits');
    for (const ms of [60_000, 60_000, 60_000]) {
      await r().until('a look at the clock', () => sleeps(0, 60_000));
      r().clock.advance(ms);
    }
    await r().until('waiting', () => member()?.state === 'backing-off');
    expect(member()).toMatchObject({ why: 'limit reached', until });
    expect(await status()).toBe('CLAIMED');
  });

  test('login needed: one sentence, and it stops', async () => {
    const login = { kind: 'failure', failure: 'login', text: 'run /login first' } as const;
    await open({ parts: { 'coder-1': [{ events: [login], end: 'exit 1' }] } });
    await r().until('stopped', () => member()?.state === 'stopped');
    expect(member()?.why).toBe('run /login first');
    expect(r().started).toHaveLength(1);
  });

  test('a program that is not there: it stops', async () => {
    const launch = () => ({ argv: ['/no/such/agent'] as const });
    await open({ provider: { launch } });
    await r().until('stopped', () => member()?.state === 'stopped');
    expect(member()?.why).toContain('/no/such/agent or its interpreter was not found');
  });

  test('a clock that is set far forward, or a machine that slept, is no silence', async () => {
    await open({
      parts: { 'coder-1': [{}] },
      config: { progress_timeout: 100, poll_interval: 20, lease_duration: 9000 },
    });
    await r().until('working', () => member()?.state === 'working');
    for (let n = 0; n < 2; n += 1) {
      await looksWithin(20_000);
      r().clock.setBy(3_600_000);
      r().clock.advance(20_000);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([ended(), r().started.length]).toEqual([0, 1]);
  });

  test('silence: ended, restarted once, then blocked', async () => {
    await open({
      parts: { 'coder-1': [{}] },
      config: { progress_timeout: 100, poll_interval: 20, lease_duration: 9000 },
    });
    for (let nth = 1; nth <= 2; nth += 1) {
      await r().until(`session ${nth}`, () => r().started.length === nth && member()?.state === 'working');
      await looksWithin(20_000);
      r().clock.advance(100_000);
      await r().until('its end', () => ended() === nth);
      if (nth === 2) break;
      await r().until('a pause', () => r().clock.sleeping().includes(2000));
      r().clock.advance(2000);
    }
    await r().until('blocked', async () => (await status()) === 'BLOCKED');
    expect(await r().p.task('t')).toMatchObject({ blocked_reason: expect.stringContaining('silence') });
  });
});

describe('leases', () => {
  test('are renewed while the agent works and while it waits', async () => {
    await open({ parts: { 'coder-1': [{}] } });
    await r().until('working', () => member()?.state === 'working');
    for (let minute = 0; minute < 12; minute += 1) {
      await looksWithin(60_000);
      r().clock.advance(60_000);
      const { now } = r().clock;
      await r().until('the heartbeat', async () => {
        const lease = (await r().p.store.read()).board.leases.get('coder-1');
        return lease !== undefined && Date.parse(lease.heartbeat) >= now() - 1000;
      });
    }
    expect(await status()).toBe('CLAIMED');
    expect(r().started).toHaveLength(1);
  });

  test('are renewed also between two sessions: while it waits for its provider, it keeps its task', async () => {
    const until = Date.parse('2026-03-01T12:00:00Z');
    const quota = { kind: 'failure', failure: 'quota', text: 'limit reached', until } as const;
    await open({
      agents: ['coder-1', 'coder-2'],
      parts: { 'coder-1': [{ events: [quota], end: 'exit 1' }, {}], 'coder-2': [{}] },
    });
    await r().until('waiting', () => member()?.state === 'backing-off');
    for (let minute = 0; minute < 8; minute += 1) {
      await r().until('a heartbeat to come', () => sleeps(0, 60_000));
      r().clock.advance(60_000);
      const { now } = r().clock;
      await r().until('the heartbeat', async () => {
        const lease = (await r().p.store.read()).board.leases.get('coder-1');
        return lease?.task === 't' && Date.parse(lease.heartbeat) >= now() - 1000;
      });
    }
    expect(await r().p.task('t')).toMatchObject({ status: 'CLAIMED', assigned_to: 'coder-1' });
    expect(r().started).toHaveLength(1);
  });

  test('taken away: the session is ended, and what it still tries is refused', async () => {
    await open({ parts: { 'coder-1': [{}, {}] } });
    await r().until('working', () => member()?.state === 'working');
    await r().p.run(undefined, { name: 'release-claim', task: 't', reason: 'wrong agent' });
    await r().until('the end', () =>
      r()
        .said()
        .some((text) => text.includes('its lease was lost')),
    );
    await r().until('claimed again', () => r().started.length === 2);
  });
});

describe('handoff', () => {
  const full = { kind: 'context', percent: 93 } as const;

  test('at 90 % the agent’s own commands tell it; it hands off, and the next session has the notes', async () => {
    const heard: string[] = [];
    await open({
      parts: {
        'coder-1': [
          {
            events: [full],
            end: 'while [ ! -e ../handed ]; do sleep 0.02; done; rm ../handed; exit 0',
          },
          {},
        ],
      },
    });
    await r().until('told', async () => (await agent())?.context_percent === 93);
    const told = succeeded(await r().p.begin('t'));
    heard.push(...(told.notes ?? []));
    expect(heard.join()).toContain('93 % of your context is used');
    await r().p.run('coder-1', { name: 'handoff', task: 't', summary: 'half way', next_action: 'the other half' });
    await declare(42);
    const { writeFileSync } = await import('node:fs');
    writeFileSync(r().p.file('.worktrees/handed'), '');
    await session(1, 2000);
    await r().until('the next', () => r().started.length === 2);
    expect(r().started[1]?.prompt).toContain('half way');
    expect(r().started[1]?.prompt).toContain('=== HANDOFF ===');
    expect(await r().p.task('t')).not.toHaveProperty('handoff_pending');
  });

  test('again and again without any work in between is a spin', async () => {
    const part: Part = {
      act: async () => {
        await r().p.run('coder-1', { name: 'handoff', task: 't', summary: 'so far', next_action: 'go on' });
        await declare(42);
      },
      end: 'exit 0',
    };
    await open({ parts: { 'coder-1': [part] } });
    await session(1, 2000);
    await session(2, 2000);
    await session(3);
    await r().until('blocked', async () => (await status()) === 'BLOCKED');
  });

  test('one that retracted what was under review keeps its lease to end in order, and is said to have retracted', async () => {
    await open({ parts: { 'coder-1': [{}, {}] }, config: { pause_grace: 1, poll_interval: 1000 } });
    await r().until('working', () => r().started.length === 1);
    const { p } = r();
    const { epoch = 0 } = await p.task('t');
    succeeded(await p.begin('t'));
    succeeded(await p.submit('t', p.work('t')));
    succeeded(await claimReview(p.as('code-reviewer-1'), 't', 'code-reviewer-1'));
    await p.run('coder-1', { name: 'retract', task: 't', reason: 'the test passes on the base, too' });
    const context = { ...p.context, store: p.store, pid: process.pid } as unknown as SupervisorContext;
    expect(await renewOwn(context, 'coder-1', await p.state(), { task: 't', epoch })).toBe('renewed');
    // Its own look at the clock may come before it knows of the retraction.
    await r().until('its end', () => {
      if (sleeps(0, 1000)) r().clock.advance(1000);
      return ended() === 1;
    });
    expect(r().said().join('\n')).toContain('session ended: ended: it retracted its submission');
  });

  test('one that handed off and stays is ended after a while, and the next one goes on', async () => {
    await open({ parts: { 'coder-1': [{}, {}] }, config: { pause_grace: 1, poll_interval: 1000 } });
    await r().until('working', () => r().started.length === 1);
    await r().p.run('coder-1', { name: 'handoff', task: 't', summary: 'half way', next_action: 'the other half' });
    await r().until('patience', () => sleeps(0, 1000));
    r().clock.advance(1000);
    await r().until('the next', () => r().started.length === 2);
    expect(r().started[1]?.prompt).toContain('half way');
  });

  test('one that does not hear is ended after a while and told to hand off when it resumes', async () => {
    await open({ parts: { 'coder-1': [{ events: [full] }, {}] }, config: { pause_grace: 100, poll_interval: 1000 } });
    await r().until('told', async () => (await agent())?.context_percent === 93);
    for (const ms of [60_000, 40_000]) {
      await r().until('a look at the clock', () =>
        r()
          .clock.sleeping()
          .some((left) => left <= ms),
      );
      expect(r().started).toHaveLength(1);
      r().clock.advance(ms);
    }
    await r().until('the next', () => r().started.length === 2);
    expect(r().started[1]?.resume).toBe(r().started[0]?.sessionId);
    expect(r().started[1]?.prompt).toMatch(/liza handoff t/);
  });
});

test('a task that is superseded under its coder: the session ends, its work is kept, its folder goes', async () => {
  await open({
    tasks: ['t', 'u'],
    parts: { 'coder-1': [{ end: 'echo half > half.txt; while :; do sleep 0.05; done' }, {}] },
    config: { pause_grace: 1, poll_interval: 1000 },
  });
  const { existsSync } = await import('node:fs');
  await r().until('working', () => existsSync(r().p.folder('t', 'half.txt')));
  await r().p.run(
    undefined,
    { name: 'replan', task: 't', reason: 'another way' },
    { name: 'abandon', task: 't', rationale: 'not wanted' },
  );
  await r().until('patience', () => sleeps(0, 1000));
  r().clock.advance(1000);
  await r().until('put away', () =>
    r()
      .said()
      .some((text) => text.includes('its folder is removed')),
  );
  expect(existsSync(r().p.folder('t'))).toBe(false);
  expect(Object.keys(r().p.refs('refs/liza/attempts/t'))).toHaveLength(1);
});

test('an agent’s git that has lost its folder’s own does not find the project’s', async () => {
  await open({
    parts: {
      'coder-1': [{ end: 'rm -rf .git; git add -A; git commit -q -m x; git status > ../said 2>&1; exit 0' }, {}],
    },
  });
  const before = r().p.git('log', '--format=%H', '--all');
  await session(1, 2000);
  await r().until('the next session', () => r().started.length === 2);
  const { readFileSync } = await import('node:fs');
  expect(readFileSync(r().p.file('.worktrees/said'), 'utf8')).toContain('not a git repository');
  expect(r().p.git('log', '--format=%H', '--all')).toBe(before);
  expect(r().p.gitIn(r().p.folder('t'), 'branch', '--show-current')).toBe('task/t');
});

test('an accident in one supervisor ends them all in order, and is told', async () => {
  await open({ tasks: ['t', 'u'], agents: ['coder-1', 'coder-2'], parts: { 'coder-1': [{}], 'coder-2': [{}] } });
  await r().until('both work', () => member()?.state === 'working' && member('coder-2')?.state === 'working');
  Object.assign(r().p.store, { read: () => Promise.reject(new Error('the disk is gone')) });
  r().clock.advance(60_000);
  await expect(r().crew.ended).rejects.toThrow('the disk is gone');
  for (const id of ['coder-1', 'coder-2']) {
    const left = processesOf(hostAt(), { tag: agentTag(siteOf(realDisk, r().p.root), id) }).filter(
      ({ tagged }) => tagged,
    );
    expect(left).toEqual([]);
  }
});

describe('a planner’s wake', () => {
  const wake = async (end: string): Promise<void> => {
    const parts = { 'planner-1': [{ end }, { act: () => declare(0, 'planner-1'), end: 'exit 0' }] };
    await open({ tasks: [], agents: ['planner-1'], parts });
    await r().p.run(undefined, { name: 'note', message: 'plan on' });
  };

  test('of a session that failed is not used up', async () => {
    await wake('exit 1');
    await session(1, 5000);
    await session(2);
    await r().until('handled', async () => (await agent('planner-1'))?.handled !== undefined);
    expect(r().started[1]?.prompt).toContain('HUMAN_NOTE');
    expect(member('planner-1')?.state).toBe('idle');
  });

  test('of one that did nothing and said nothing neither', async () => {
    await wake('exit 0');
    await session(1, 2000);
    await session(2);
  });
});
