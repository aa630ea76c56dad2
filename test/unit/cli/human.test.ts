import { beforeEach, expect, test } from 'vitest';
import type { Notice } from '../../../src/protocol/notice.ts';
import { aClaim, agents, aTask, type Project, project } from './fixtures.ts';

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents({ coder: 'live' }),
    tasks: [aClaim('live'), aTask('done', { status: 'MERGED', merge_commit: 'c'.repeat(40) })],
  });
});

const switches = async () => Object.keys((await here.store.read()).board.switches);

test('pause and resume the board', async () => {
  const ran = await here.liza(['pause']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('liza resume') });
  expect(await switches()).toEqual(['PAUSE']);
  expect((await here.liza(['pause'])).stdout).toMatch(/^already done: /);
  expect((await here.liza(['resume', '--decision', 'continue', '--note', 'go on'])).code).toBe(0);
  expect(await switches()).toEqual([]);
  expect((await here.state()).goal.alignment_history).toMatchObject([{ summary: 'continue: go on' }]);
});

test('pause and resume one task', async () => {
  expect((await here.liza(['pause', 'live'])).stdout).toContain('liza resume live');
  expect((await here.task('live')).paused).toBe(true);
  expect(await switches()).toEqual([]);
  await here.liza(['resume', 'live']);
  expect((await here.task('live')).paused).toBeUndefined();
});

test('abort ends the goal and keeps the tasks', async () => {
  expect((await here.liza(['abort', '--reason', 'retired'])).code).toBe(0);
  expect(await switches()).toEqual(['ABORT']);
  expect((await here.state()).goal.status).toBe('ABORTED');
  expect((await here.task('live')).status).toBe('CLAIMED');
});

test('an agent may not pause, note or set', async () => {
  for (const argv of [['pause'], ['note', 'hello'], ['config', 'set', 'lease_duration', '600'], ['abort']]) {
    const ran = await here.liza(argv, { as: 'coder-1' });
    expect(ran.code, argv.join(' ')).toBe(1);
    expect(ran.stderr).toContain('not for coder-1');
  }
});

test('a note whose first word is a task: it is left, and --for is named; other words for --for are, too', async () => {
  const ran = await here.liza(['note', 'live', 'use', 'it']);
  expect(ran.stdout).toMatch(/everyone reads it, with live as its first word; did you mean --for live\?/);
  expect((await here.state()).human_notes).toMatchObject([{ message: 'live use it' }]);
  expect((await here.liza(['note', 'hello', '--to', 'live'])).stderr).toContain('did you mean --for?');
});

test('a note may be words, one text or stdin, for someone or all', async () => {
  await here.liza(['note', 'use', 'the', 'helper', '--for', 'live']);
  await here.liza(['note', '-'], { stdin: 'from a file\n' });
  const listed = 'note-1 for live use the helper\nnote-2 for everyone from a file\n';
  expect((await here.liza(['note', 'list'])).stdout).toBe(listed);
  expect((await here.state()).human_notes).toMatchObject([
    { message: 'use the helper', for: 'live' },
    { message: 'from a file' },
  ]);
});

test('replan hands a task back to the planner', async () => {
  expect((await here.liza(['replan', 'live', '--reason', 'new API'])).code).toBe(0);
  expect(await here.task('live')).toMatchObject({
    status: 'BLOCKED',
    blocked_reason: expect.stringContaining('human override'),
  });
});

test.each<[string, string, unknown]>([
  ['lease_duration', '600', 600],
  ['allow_filters', 'true', true],
  ['post_worktree_cmd', 'npm ci', 'npm ci'],
  ['worktree_files', '[".env"]', ['.env']],
  ['worktree_files', '.env, .npmrc', ['.env', '.npmrc']],
  ['test_patterns', 'sds.c', ['sds.c']],
  ['test_command', 'null', undefined],
  ['test_command', 'true', 'true'],
  ['post_worktree_cmd', '5', '5'],
  ['test_command', '[ -f x ]', '[ -f x ]'],
])('config set %s %s', async (key, value, stored) => {
  expect((await here.liza(['config', 'set', key, value])).code).toBe(0);
  expect((await here.state()).config[key as 'test_command']).toEqual(stored);
});

test('a negative number is a value, and what is allowed is said', async () => {
  expect(await here.liza(['config', 'set', 'budgets.day.usd', '-1'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/budgets\.day\.usd must be a number from 0 .*, or null for no limit/),
  });
});

test('config get shows what is in force and what is a default', async () => {
  await here.liza(['config', 'set', 'lease_duration', '600']);
  const all = await here.liza(['config', 'get']);
  expect(all.stdout).toMatch(/^lease_duration: 600$/m);
  expect(all.stdout).toMatch(/^review_lease_duration: 600 {2}\(default\)$/m);
  expect((await here.liza(['config', 'get', 'lease_duration'])).stdout).toBe('600\n');
  expect((await here.liza(['config', 'get', '--json'])).json).toMatchObject({
    ok: true,
    config: { lease_duration: 600, sandbox: 'auto' },
  });
  const wrong = await here.liza(['config', 'get', 'lease_duratoin']);
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean lease_duration?') });
});

test('spec-change lists the live tasks it touches', async () => {
  const ran = await here.liza([
    'spec-change',
    'specs/auth.md#retry',
    'tokens',
    'live',
    'longer',
    '--triggered-by',
    'live',
  ]);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/affects live \(CLAIMED\)/) });
  expect((await here.state()).spec_changes).toMatchObject([{ change: 'tokens live longer', triggered_by: 'live' }]);
});

test('metrics name what planning used, which is on no task and in no total', async () => {
  expect((await here.liza(['metrics'])).stdout).not.toContain('planning');
  const usage = { sessions: 2, seconds: 60, input_tokens: 12_000, output_tokens: 300, cost_usd: 0.25 };
  const state = await here.state();
  const planned = project({ tasks: state.tasks, goal: { ...state.goal, usage } });
  const { stdout } = await planned.liza(['metrics']);
  expect(stdout).toMatch(/^ {2}planning, beside the totals +12,000 tokens in, 300 out, \$0\.25$/m);
});

test('metrics are computed and printed, and only --record writes them', async () => {
  const before = await here.state();
  expect((await here.liza(['metrics'])).stdout).toMatch(/^ {2}tasks_merged +1$/m);
  expect((await here.liza(['metrics', '--json'])).json).toMatchObject({ ok: true, metrics: { tasks_merged: 1 } });
  expect(await here.state()).toBe(before);
  expect((await here.liza(['metrics', '--record'])).stdout).toMatch(/^ {2}tasks_merged +1$/m);
  expect((await here.state()).sprint.metrics).toMatchObject({ tasks_total: 2, tasks_merged: 1 });
  expect((await here.liza(['metrics', '--record', '--json'])).json).toMatchObject({
    ok: true,
    already: true,
    metrics: { tasks_merged: 1 },
  });
});

test('config set providers changes the entries it names, keeps the others and says so', async () => {
  const set = (value: string) => here.liza(['config', 'set', 'providers', value]);
  expect((await set('{"mine":{"command":["mine"]}}')).code).toBe(0);
  const ran = await set('{"yours":{"command":["yours"]}}');
  expect(ran.stdout).toContain('unchanged: mine; to remove one: liza config set providers.mine null');
  expect(Object.keys((await here.state()).config.providers ?? {})).toEqual(['mine', 'yours']);
  expect((await here.liza(['config', 'get', 'providers.yours'])).stdout).toBe('{"command":["yours"]}\n');
  expect((await here.liza(['config', 'set', 'providers.mine', 'null'])).code).toBe(0);
  expect((await set('{"yours":null}')).code).toBe(0);
  expect((await here.state()).config.providers).toBeUndefined();
});

test('archive moves a finished task out and show still finds it', async () => {
  expect((await here.liza(['archive', 'done'])).code).toBe(0);
  expect((await here.state()).tasks.map(({ id }) => id)).toEqual(['live']);
  expect((await here.liza(['show', 'done'])).stdout).toContain('archived');
  expect((await here.liza(['archive', 'live'])).code).toBe(1);
});

test('goal complete waits for the last task', async () => {
  expect((await here.liza(['goal', 'complete'])).stderr).toContain('live');
  await here.liza(['replan', 'live']);
  await here.liza(['abandon', 'live', '--reason', 'done elsewhere']);
  const ran = await here.liza(['goal', 'complete', '--summary', 'all retry']);
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('branch integration') });
  expect((await here.state()).goal.status).toBe('COMPLETED');
});

test.each([
  ['8h', '2026-03-01T20:00:00Z'],
  ['+3d', '2026-03-04T12:00:00Z'],
  ['2026-04-01', '2026-04-01T00:00:00Z'],
  ['2026-04-01T18:00:00+02:00', '2026-04-01T16:00:00Z'],
])('sprint start --deadline %s', async (typed, deadline) => {
  const { sprint } = await here.state();
  const ended = { ...sprint.timeline, ended: '2026-03-01T11:00:00Z' };
  const next = project({ sprint: { ...sprint, status: 'COMPLETED', timeline: ended } });
  const ran = await next.liza(['sprint', 'start', '--deadline', typed]);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect((await next.state()).sprint).toMatchObject({ status: 'IN_PROGRESS', timeline: { deadline } });
});

test('status shows the board; --json gives the same as data', async () => {
  const ran = await here.liza(['status', '--all']);
  expect(ran.stdout).toMatch(/Retry all API calls[\s\S]*CLAIMED[\s\S]*live/);
  expect((await here.liza(['status', '--json'])).json).toMatchObject({
    ok: true,
    goal: { id: 'goal-1' },
    agents: expect.any(Array),
  });
  expect((await here.liza(['status'], { io: { unicode: false } })).stdout).toMatch(/^[\x20-\x7e\n]+$/);
});

test('show tells a dependency’s state and a live lease', async () => {
  const { store, liza } = here;
  await store.transact({ actor: { parts: ['human'] }, command: 'test' }, ({ state }) => ({
    ok: true,
    detail: 'x',
    state: { ...state, tasks: [...state.tasks, aTask('next', { depends_on: ['live', 'done', 'ghost'] })] },
  }));
  expect((await liza(['show', 'next'])).stdout).toContain('live (CLAIMED), done (MERGED), ghost (MISSING)');
  expect((await liza(['show', 'live'])).stdout).toMatch(/coder-1, .*\b4m\b/);
});

test('what the store noticed goes to stderr and into --json', async () => {
  const notices: Notice[] = [{ kind: 'set-aside', level: 'alarm', message: 'a forged record was set aside' }];
  const io = {
    openStore: () => ({
      ...here.store,
      transact: async (...asked: Parameters<typeof here.store.transact>) => {
        const outcome = await here.store.transact(...asked);
        return outcome.ok ? { ...outcome, notices } : outcome;
      },
    }),
  };
  const ran = await here.liza(['note', 'hello'], { io });
  expect(ran.stderr).toBe('liza: ALARM: a forged record was set aside\n');
  expect((await here.liza(['note', 'again', '--json'], { io })).json).toMatchObject({ ok: true, notices });
});

test.each([
  ['dead', 'its supervisor has ended'],
  ['lease', 'it lost its lease'],
  ['handoff', 'it handed off'],
])('show tells a takeover (%s) in the words of the prompts', async (why, words) => {
  const history = [{ time: '2026-03-01T11:30:00Z', event: 'reassigned', agent: 'coder-2', from: 'coder-1', why }];
  const { liza } = project({ tasks: [{ ...aClaim('live'), history }], agents: agents({ coder: 'live' }) });
  expect((await liza(['show', 'live'])).stdout.replace(/\s+/g, ' ')).toContain(`why: ${words}`);
});
