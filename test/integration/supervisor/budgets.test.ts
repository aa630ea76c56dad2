// Budgets under real supervisors, with the clock in the hand: what starts, what does not, what is ended, what is said.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatProcess, identify, type ProcessIdentity } from '../../../src/process/process-identity.ts';
import { undo } from '../../../src/project/undo.ts';
import { OPERATOR, supervisorOf } from '../../../src/protocol/board.ts';
import type { Command } from '../../../src/protocol/command.ts';
import { decide } from '../../../src/protocol/decide.ts';
import type { AgentEvent } from '../../../src/providers/provider.ts';
import type { Store } from '../../../src/store/store.ts';
import { hostAt } from '../../host.ts';
import { refusedBy } from '../../refused-by.ts';
import { inFull } from '../../runs.ts';
import { type Project, START, succeeded, WORK } from '../../support/project.ts';
import { open, type Part, type RoomOptions, r } from './harness.ts';

const used = (usage: Extract<AgentEvent, { kind: 'usage' }>['usage']): readonly AgentEvent[] => [
  { kind: 'usage', usage },
];
const set = async (key: string, value: unknown): Promise<void> => {
  const { store } = r().p;
  succeeded(
    await store.transact({ actor: OPERATOR, command: 'config set' }, (board, now) =>
      decide(board, { name: 'config set', key, value }, { actor: OPERATOR, now }),
    ),
  );
};
const member = (id = 'coder-1') =>
  r()
    .crew.view()
    .members.find(({ agent }) => agent === id);
const ended = (): number =>
  r()
    .said()
    .filter((text) => text.startsWith('session ended')).length;
const waitsFor = () => r().crew.view().waitsFor ?? '';

/** Changes something each time, and says what it used. */
const works = (usage: Extract<AgentEvent, { kind: 'usage' }>['usage']): Part => ({
  events: used(usage),
  end: 'date +%N > note.txt; exit 0',
});

async function limited(budgets: object, options: RoomOptions): Promise<void> {
  await open({ ...options, config: { budgets, ...options.config } } as RoomOptions);
}

describe('the goal’s budget', () => {
  test('is counted session by session; then nothing starts, and it is said why and what to do; raised, it goes on', async () => {
    await limited({ goal: { usd: 1 } }, { parts: { 'coder-1': [works({ input: 10, output: 5, cost_usd: 0.5 })] } });
    await r().until('two sessions', () => ended() === 2);
    await r().until('idle', () => member()?.state === 'idle');
    expect(r().started).toHaveLength(2);
    expect(member()?.why).toBe('the budget of the goal is used up: $1.00 of $1.00');
    const sentence =
      'the budget of the goal is used up: $1.00 of $1.00, so no session starts: liza config set budgets.goal.usd 2';
    await r().until('it is said', () => waitsFor() === sentence);
    r().clock.advance(3_600_000);
    expect(r().started).toHaveLength(2);
    await set('budgets.goal.usd', 2);
    await r().until('it goes on', () => ended() === 4);
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 4, cost_usd: 2 });
  });

  test('until idle: the run ends with that sentence and exit 1', async () => {
    await limited(
      { goal: { tokens: 15 } },
      { parts: { 'coder-1': [works({ input: 10, output: 5 })] }, crew: { untilIdle: true } },
    );
    // Two looks at the board lie some time apart.
    const over = r().crew.ended;
    const tick = setInterval(() => r().clock.advance(500), 20);
    try {
      const end = await over;
      expect(end).toMatchObject({
        code: 1,
        message: expect.stringMatching(
          /^the budget of the goal is used up: 15 tokens of 15 tokens, so no session starts: liza config set/,
        ),
      });
      // Nobody stopped it.
      expect(r().crew.view().members[0]?.why).toBe(end.message);
    } finally {
      clearInterval(tick);
    }
    expect(r().started).toHaveLength(1);
  });

  test('a planner and a reviewer wait for it as well', async () => {
    await limited({ goal: { sessions: 0 } }, { agents: ['planner-1', 'code-reviewer-1', 'coder-1'], parts: {} });
    await r().until('all idle', () =>
      ['planner-1', 'code-reviewer-1', 'coder-1'].every((id) => member(id)?.why?.startsWith('the budget') === true),
    );
    expect(r().started).toHaveLength(0);
  });
});

test('the day’s: a new day begins at midnight UTC, and work with it', async () => {
  await limited(
    { day: { minutes: 1 } },
    { parts: { 'coder-1': [{ act: async () => void r().clock.advance(90_000), end: 'date +%N > note.txt; exit 0' }] } },
  );
  await r().until('one session', () => ended() === 1);
  await r().until('idle', () => member()?.state === 'idle' && member()?.why !== undefined);
  expect(member()?.why).toMatch(/^the budget of today \(UTC\) is used up: 90 s of 1 min/);
  const midnight = Math.ceil((START + 3_600_000) / 86_400_000) * 86_400_000;
  r().clock.advance(midnight - r().clock.now() - 1000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(r().started).toHaveLength(1);
  r().clock.advance(1000);
  await r().until('the next day', () => r().started.length >= 2);
});

describe('a task’s', () => {
  test('blocks the task in its coder’s place, with what it cost; the coder goes on with another', async () => {
    await limited({ task: { usd: 1 } }, {
      tasks: ['t', 'u'],
      parts: { 'coder-1': [works({ input: 10, output: 5, cost_usd: 1.25 })] },
    } as RoomOptions);
    await r().until('blocked', async () => (await r().p.task('t')).status === 'BLOCKED');
    expect(await r().p.task('t')).toMatchObject({
      blocked_reason: 'budget: $1.25 of $1.00 used',
      worktree: '.worktrees/t',
    });
  });

  test('raised and unblocked, it goes on in its folder: commits and files are where they were, its checkpoint stands', async () => {
    const seen: string[] = [];
    const look = (): void => {
      const folder = `${r().p.root}/.worktrees/t`;
      seen.push(fs.readFileSync(`${folder}/src/app.ts`, 'utf8'), fs.readFileSync(`${folder}/half.txt`, 'utf8'));
    };
    const first: Part = {
      act: async () => {
        succeeded(await r().p.begin('t'));
        r().p.work('t', WORK);
        fs.writeFileSync(`${r().p.root}/.worktrees/t/half.txt`, 'half done');
      },
      events: used({ input: 10, output: 5, cost_usd: 1.25 }),
      end: 'exit 0',
    };
    const second: Part = {
      act: async () => {
        look();
        fs.rmSync(`${r().p.root}/.worktrees/t/half.txt`);
        succeeded(await r().p.submit('t'));
      },
      end: 'exit 0',
    };
    await limited({ task: { usd: 1 } }, { parts: { 'coder-1': [first, second] } });
    await r().until('blocked', async () => (await r().p.task('t')).status === 'BLOCKED');
    await set('budgets.tasks.t.usd', 2);
    succeeded(await r().p.run(undefined, { name: 'unblock', task: 't', facts: { spec_exists: true } }));
    await r().until('submitted', async () => (await r().p.task('t')).status === 'READY_FOR_REVIEW');
    expect(seen).toEqual([WORK['src/app.ts'], 'half done']);
    expect(r().started[1]?.prompt).toContain('checkpoint for this iteration counts');
    expect((await r().p.task('t')).iteration).toBe(1);
  });
});

test.runIf(inFull)(
  'a review that is ended for its task’s budget: the run says so, and raised it goes on (in test:all)',
  async () => {
    const submits: Part = {
      act: async () => {
        succeeded(await r().p.begin('t'));
        r().p.work('t', WORK);
        succeeded(await r().p.submit('t'));
      },
      end: 'exit 0',
    };
    await limited({ task: { usd: 1 } }, {
      agents: ['coder-1', 'code-reviewer-1'],
      parts: { 'coder-1': [submits], 'code-reviewer-1': [{ events: used({ input: 1, output: 1, cost_usd: 1.3 }) }] },
      crew: { untilIdle: true },
    } as RoomOptions);
    const over = r().crew.ended;
    await r().until('it told', () => member('code-reviewer-1')?.session?.cost_usd === 1.3);
    const tick = setInterval(() => r().clock.advance(500), 20);
    try {
      expect(await over).toMatchObject({
        code: 1,
        message:
          'the budget of t is used up: $1.30 of $1.00, so no session starts: liza config set budgets.tasks.t.usd 2',
      });
    } finally {
      clearInterval(tick);
    }
  },
);

test.runIf(inFull)(
  'a failed merge whose fix used up the budget: the run ends with how the task is now (in test:all)',
  async () => {
    await limited({ tasks: { u: { sessions: 1 } } }, {
      tasks: ['t', 'u'],
      agents: ['coder-1', 'code-reviewer-1'],
      parts: { 'coder-1': [{ end: 'date +%N > note.txt; exit 0' }] },
      furnish: async (p: Project) => {
        await p.approved('t', WORK);
        await p.approved('u', { ...WORK, 'src/app.ts': 'export const app = 3;\n' }, 'coder-2');
        p.pass(7200); // by then whoever did so is gone
      },
      crew: { untilIdle: true },
    } as RoomOptions);
    const over = r().crew.ended;
    const tick = setInterval(() => r().clock.advance(500), 20);
    try {
      expect(await over).toMatchObject({
        code: 1,
        message: expect.stringMatching(/^u is BLOCKED: the budget of u is used up: 1 session of 1 session/),
      });
    } finally {
      clearInterval(tick);
    }
  },
);

test.runIf(inFull)(
  'sessions of a task are exact: no review begins while its coder’s last one is just ending (in test:all)',
  async () => {
    let submitted = false;
    const submits: Part = {
      act: async () => {
        succeeded(await r().p.begin('t'));
        r().p.work('t', WORK);
        succeeded(await r().p.submit('t'));
        submitted = true;
      },
      end: 'sleep 1.5; exit 0',
    };
    await limited({ task: { sessions: 1 } }, {
      agents: ['coder-1', 'code-reviewer-1'],
      parts: { 'coder-1': [submits], 'code-reviewer-1': [{}] },
    } as RoomOptions);
    await r().until('submitted', () => submitted);
    await r().until('its end', () => ended() === 1);
    await r().until('it is said', () => waitsFor().startsWith('the budget of t is used up: 1 session of 1 session'));
    expect(r().started).toHaveLength(1);
    expect((await r().p.task('t')).usage?.sessions).toBe(1);
    expect((await r().p.state()).agents['coder-1']).not.toHaveProperty('under_way');
  },
);

describe('a session that goes far beyond', () => {
  test('is ended, its work stays, and what it used is recorded', async () => {
    const part: Part = { events: used({ input: 100, output: 50, cost_usd: 1.3 }) };
    await limited({ goal: { usd: 1 } }, { parts: { 'coder-1': [part] } });
    await r().until('it told', () => member()?.session?.cost_usd === 1.3);
    expect(ended()).toBe(0);
    r().clock.advance(30_000);
    await r().until('its end', () => ended() === 1);
    expect(r().said()).toContainEqual(
      expect.stringContaining('stopped: the budget of the goal is overrun: $1.30 of $1.00'),
    );
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, cost_usd: 1.3 });
    expect((await r().p.task('t')).status).toBe('CLAIMED');
  });

  test('a little beyond it may finish', async () => {
    const part: Part = { events: used({ input: 100, output: 50, cost_usd: 1.1 }) };
    await limited({ goal: { usd: 1 } }, { parts: { 'coder-1': [part] } });
    await r().until('it told', () => member()?.session?.cost_usd === 1.1);
    r().clock.advance(30_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(ended()).toBe(0);
  });
});

test('a clock that is set while a session runs makes it neither longer nor shorter', async () => {
  const acts = async (): Promise<void> => {
    r().clock.advance(60_000);
    r().clock.setBy(365 * 86_400_000);
  };
  await limited({ goal: { minutes: 5 } }, { parts: { 'coder-1': [{ act: acts, end: 'exit 0' }, {}] } });
  await r().until('its end', () => ended() === 1);
  expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, seconds: 60 });
});

describe('what a session cost', () => {
  test.each([
    ['by its provider’s word', { input: 10, output: 5, cost_usd: 0.25, model: 'gpt-5' }, { cost_usd: 0.25 }],
    [
      'by the price of its model',
      { input: 1_000_000, output: 100_000, cached: 500_000, model: 'gpt-5' },
      { cost_usd: 1.6875 },
    ],
    ['by the project’s own price', { input: 1_000_000, output: 0, model: 'house-model' }, { cost_usd: 3 }],
    ['nobody knows', { input: 1000, output: 10, model: 'mystery' }, { unpriced_sessions: 1 }],
  ])('%s', async (_how, usage, recorded) => {
    await open({
      parts: { 'coder-1': [works(usage), {}] },
      config: { prices: { 'house-model': { input: 3, output: 1 } } },
    } as RoomOptions);
    await r().until('its end', () => ended() === 1);
    const { spent } = (await r().p.state()).goal;
    expect(spent).toMatchObject({ sessions: 1, ...recorded });
    if (!('cost_usd' in recorded)) expect(spent).not.toHaveProperty('cost_usd');
  });

  test('a provider that tells no tokens: the session is counted as not known', async () => {
    await open({ parts: { 'coder-1': [{ end: 'echo 1 > note.txt; exit 0' }, {}] } });
    await r().until('its end', () => ended() === 1);
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, uncounted_sessions: 1 });
  });

  test.each([
    ['one that never tells any: unknown, though nothing was changed', { tellsUse: false } as const, 1],
    ['one that would have told: none', {}, undefined],
  ])('%s', async (_how, provider, unknown) => {
    await open({ parts: { 'coder-1': [{ end: 'exit 0' }, {}] }, provider });
    await r().until('its end', () => ended() === 1);
    expect((await r().p.state()).goal.spent?.sessions).toBe(1);
    expect((await r().p.state()).goal.spent?.uncounted_sessions).toBe(unknown);
  });
});

test('what a session used is not undone', async () => {
  await open({ parts: { 'coder-1': [works({ input: 10, output: 5, cost_usd: 0.5 }), {}] } });
  await r().until('its end', () => ended() === 1);
  const journal = fs.readFileSync(r().p.file('.liza/journal.jsonl'), 'utf8').trimEnd().split('\n');
  const entries = journal.map((line) => JSON.parse(line) as { seq: number; command: string });
  for (const name of ['session-start', 'session-end']) {
    const seq = entries.find(({ command }) => command === name)?.seq;
    expect(await undo(r().p.context, OPERATOR, seq)).toMatchObject(refusedBy('effect'));
  }
  expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, cost_usd: 0.5 });
});

test('a disk that is full when a session ends: it waits for room, records what was used, and goes on', async () => {
  await open({ parts: { 'coder-1': [works({ input: 10, output: 5, cost_usd: 0.5 }), {}] } });
  const { store } = r().p;
  const { transact } = store;
  let full = true;
  const failing: typeof transact = (asking, decision) =>
    full && asking.command === 'session-end'
      ? Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
      : transact.call(store, asking, decision);
  Object.assign(store, { transact: failing });
  await r().until('it waits', () => member()?.why === 'the disk is full');
  expect(r().said()).toContainEqual(expect.stringContaining('free some space, and it continues by itself'));
  r().clock.advance(6000);
  expect(r().started).toHaveLength(1);
  full = false;
  r().clock.advance(6000);
  await r().until('it goes on', () => {
    r().clock.advance(6000);
    return r().started.length === 2;
  });
  expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1 });
});

describe('what a session used whose supervisor was killed', () => {
  const left = (root: string): string => `${root}/.liza/cache/use/coder-1.json`;
  const says = async (store: Store, command: Command): Promise<void> => {
    const actor = supervisorOf('coder-1');
    succeeded(
      await store.transact({ actor, command: command.name }, (board, now) => decide(board, command, { actor, now })),
    );
  };
  const begins = (store: Store): Promise<void> => says(store, { name: 'session-start', agent: 'coder-1', task: 't' });
  /** Opens a room in which somebody left that. */
  const leftBehind = (text: string): Promise<void> =>
    open({
      parts: { 'coder-1': [{}] },
      furnish: async ({ root, store }) => {
        await begins(store);
        fs.mkdirSync(`${root}/.liza/cache/use`, { recursive: true });
        fs.writeFileSync(left(root), text);
      },
    });

  test('is noted while it runs, and gone once it is recorded', async () => {
    const part: Part = { events: used({ input: 100, output: 50, cost_usd: 0.7 }) };
    await open({ parts: { 'coder-1': [part] } });
    await r().until('it told', () => member()?.session?.cost_usd === 0.7);
    r().clock.advance(61_000);
    const file = left(r().p.root);
    await r().until('it is noted', () => fs.readFileSync(file, 'utf8').includes('0.7'));
    r().crew.stop();
    await r().crew.ended;
    expect(fs.existsSync(file)).toBe(false);
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, cost_usd: 0.7 });
  });

  test('of one that tells no tokens is unknown, not nothing', async () => {
    await open({ parts: { 'coder-1': [{}] } });
    const file = left(r().p.root);
    await r().until('it is noted', () => fs.existsSync(file));
    const noted = fs.readFileSync(file, 'utf8');
    r().crew.stop();
    await r().crew.ended;
    await leftBehind(noted);
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, uncounted_sessions: 1 });
  });

  test('is recorded by the next one', async () => {
    await leftBehind(
      JSON.stringify({
        provider: 'fake',
        task: 't',
        used: { seconds: 90, input_tokens: 10, output_tokens: 5, cost_usd: 0.7 },
      }),
    );
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1, seconds: 90, cost_usd: 0.7 });
    expect((await r().p.task('t')).usage).toMatchObject({ sessions: 1, cost_usd: 0.7 });
  });

  test('of one that left nothing but that it began, counts as one that is unknown', async () => {
    await open({
      parts: { 'coder-1': [{}] },
      furnish: ({ store }) => begins(store),
    });
    expect((await r().p.task('t')).usage).toMatchObject({ sessions: 1, uncounted_sessions: 1 });
    await r().until('it goes on', () => r().started.length === 1);
  });

  test('is recorded once: a note that outlived its record is forgotten', async () => {
    const used = { seconds: 90, input_tokens: 10, output_tokens: 5 };
    await open({
      parts: { 'coder-1': [{}] },
      furnish: async ({ root, store }) => {
        await begins(store);
        await says(store, { name: 'session-end', agent: 'coder-1', task: 't', provider: 'fake', how: 'exit 0', used });
        fs.mkdirSync(`${root}/.liza/cache/use`, { recursive: true });
        fs.writeFileSync(left(root), JSON.stringify({ provider: 'fake', task: 't', used }));
      },
    });
    expect((await r().p.state()).goal.spent).toMatchObject({ sessions: 1 });
  });

  test('is recorded by a supervisor of another id, once its own is gone, be it while that one looks', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    await once(child, 'spawn');
    const named = formatProcess(identify(hostAt(), child.pid ?? 0) as ProcessIdentity);
    await limited({ goal: { sessions: 1 } }, {
      agents: ['coder-2'],
      parts: { 'coder-2': [{}] },
      furnish: async ({ store }) => {
        await says(store, { name: 'register', agent: 'coder-1', role: 'coder', process: named });
        await begins(store);
      },
    } as RoomOptions);
    await r().until('it waits', () => member('coder-2')?.why?.startsWith('the budget of the goal') === true);
    expect((await r().p.state()).goal.spent).toBeUndefined();
    child.stdin.end();
    await once(child, 'exit');
    await r().until('recorded', async () => {
      r().clock.advance(60_000);
      return (await r().p.state()).goal.spent !== undefined;
    });
    expect(await r().p.state()).toMatchObject({ goal: { spent: { sessions: 1, uncounted_sessions: 1 } } });
    expect((await r().p.state()).agents['coder-1']).not.toHaveProperty('under_way');
    await set('budgets.goal.sessions', 2);
    await r().until('it goes on', () => r().started.length === 1);
  });

  test.each(['', '{', '[]', '{"used":{"seconds":-1,"cost_usd":"much","input_tokens":1e99}}'])(
    '%s records no amount',
    async (text) => {
      await leftBehind(text);
      expect((await r().p.state()).goal.spent?.cost_usd).toBeUndefined();
      await r().until('it goes on', () => r().started.length === 1);
    },
  );
});

test('a disk without room: nothing starts until there is some', async () => {
  await open({ parts: { 'coder-1': [{}] }, config: { min_free_mb: 1_000_000_000 } } as RoomOptions);
  await r().until('idle', () => member()?.why?.startsWith('the disk has') === true);
  expect(r().started).toHaveLength(0);
  await set('min_free_mb', 1);
  await r().until('a session', () => r().started.length === 1);
});

test('what is told to an agent, kept of it and shown holds no secret', async () => {
  const key = `sk-ant-api03-${'Ab3_x-9Z'.repeat(11)}`;
  await open({
    parts: {
      'coder-1': [
        {
          act: async () => {
            await r().p.run('coder-1', {
              name: 'block',
              task: 't',
              reason: `cannot log in with ${key}`,
              questions: [`Is ${key} right?`],
            });
          },
          events: [{ kind: 'activity', text: `Bash: curl -H "x-api-key: ${key}"` }],
          end: `echo 'plain ${key}'; exit 0`,
        },
      ],
    },
  });
  await r().until('blocked', async () => (await r().p.task('t')).status === 'BLOCKED');
  await r().until('its end', () => ended() === 1);
  const { root } = r().p;
  const all = fs
    .readdirSync(`${root}/.liza`, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => [entry.name, fs.readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8')] as const);
  expect(all.filter(([, text]) => text.includes('Ab3_x-9Z')).map(([name]) => name)).toEqual([]);
  expect(JSON.stringify([r().crew.view().events, r().crew.view().members])).not.toContain('Ab3_x-9Z');
  expect((await r().p.task('t')).blocked_reason).toBe('cannot log in with [redacted]');
  expect(all.find(([name]) => name.endsWith('.log'))?.[1]).toContain('plain [redacted]');
});
