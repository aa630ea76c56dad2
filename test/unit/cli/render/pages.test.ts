import { describe, expect, it } from 'vitest';
import { renderStatus } from '../../../../src/cli/render/status.ts';
import { renderTask, type TaskExtras } from '../../../../src/cli/render/task.ts';
import { columns, type Look } from '../../../../src/cli/render/terminal.ts';
import { settings, type Task } from '../../../../src/protocol/state.ts';
import { taskView } from '../../../../src/report/status-view.ts';
import { agent, ago, board, COMMIT, event, MINUTE, NOW, task } from '../../boards/empty-board.ts';
import { scene, seen, stuck, told } from '../../boards/full-board.ts';

const look = (width: number, fields: Partial<Look> = {}): Look => ({ color: false, unicode: true, width, ...fields });
const extras = (of: Task): TaskExtras => ({
  now: NOW,
  view: taskView(scene, of, settings(scene.state), NOW),
  handoff: { agent: 'coder-1', timestamp: ago(30 * MINUTE), summary: 'core done', next_action: 'await the delay' },
  notes: [{ timestamp: ago(10 * MINUTE), message: 'Look at src/utils/retry.ts first', for: 'retry-core' }],
});

const pages: readonly [string, string, number][] = [
  ...[80, 120].flatMap((width): [string, string, number][] => [
    [`status-${width}`, renderStatus(seen(scene), look(width)), width],
    [`status-${width}-ascii`, renderStatus(seen(scene), look(width, { unicode: false })), width],
    [`task-${width}`, renderTask(told, extras(told), look(width)), width],
    [`task-${width}-ascii`, renderTask(told, extras(told), look(width, { unicode: false })), width],
  ]),
  ['status-40', renderStatus(seen(scene), look(40)), 40],
  ['stuck-80', renderStatus(seen(stuck), look(80)), 80],
];

describe('golden pages', () => {
  it.each(pages)('%s', async (name, page) => {
    await expect(page).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  it.each(pages)('%s keeps within its width and prints nothing a terminal would obey', (_name, page, width) => {
    for (const line of page.split('\n')) expect(columns(line), line).toBeLessThanOrEqual(width);
    expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each(pages.filter(([name]) => name.endsWith('ascii')))('%s is ASCII', (_name, page) => {
    expect(page).toMatch(/^[\n\x20-\x7e]*$/);
  });
});

it('colour adds nothing but colour', () => {
  for (const width of [40, 80, 120]) {
    const painted = renderStatus(seen(scene), look(width, { color: true }));
    expect(painted).toContain('\x1b[31m');
    expect(painted.replace(/\x1b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(renderStatus(seen(scene), look(width)));
    const task = renderTask(told, extras(told), look(width, { color: true }));
    expect(task.replace(/\x1b\[\d+m/g, '').replace(/ +$/gm, '')).toBe(renderTask(told, extras(told), look(width)));
  }
});

describe('what was spent', () => {
  const usage = {
    ...{ sessions: 412, seconds: 999_999, input_tokens: 123_456_789, output_tokens: 9_876_543, cost_usd: 1234.5 },
    ...{ uncounted_sessions: 31, unpriced_sessions: 17 },
  };
  const limits = { tokens: 150_000_000, usd: 1300, minutes: 20_000, sessions: 500 };
  const long = 'a-task-whose-id-is-nearly-as-long-as-an-id-may-be-and-then-some';
  const spent = seen(
    board({
      state: {
        config: { budgets: { goal: limits, day: limits, tasks: { [long]: limits } } },
        goal: {
          ...scene.state.goal,
          spent: usage,
          days: [{ date: new Date(NOW).toISOString().slice(0, 10), ...usage }],
        },
      },
      tasks: [task(long, { usage })],
    }),
  );

  it.each([40, 80, 120])('is all there at %d columns', (width) => {
    const page = renderStatus(spent, look(width)).split('\n');
    const from = page.indexOf('Spent');
    const lines = page.slice(from + 1, page.indexOf('', from));
    const text = lines.join(' ').replace(/\s+/g, ' ');
    expect(text.replace(/a-task-\S*…/, '')).not.toContain('…');
    for (const fact of [
      '133.3M tokens of 150M tokens, 16.7M tokens left (tokens of 31 sessions unknown)',
      '$1234.50 of $1300.00, $65.50 left (cost of 48 sessions unknown)',
      '16666.7 min of 20000 min, 3333.4 min left',
      '412 sessions of 500 sessions, 88 sessions left',
    ])
      expect(text.replaceAll(' · ', ' ').split(fact)).toHaveLength(4);
  });
});

describe('a board of 10,000 tasks', () => {
  const STATES = ['BLOCKED', 'CLAIMED', 'UNCLAIMED', 'MERGED'] as const;
  const crowd = seen(
    board({
      tasks: Array.from({ length: 10_000 }, (_, i) =>
        task(`task-${i}`, { status: STATES[i % 4] ?? 'MERGED', blocked_questions: ['Why?', 'How?', 'When?'] }),
      ),
      agents: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`coder-${i + 1}`, agent('coder')])),
    }),
  );

  it('stays a page', () => {
    const page = renderStatus(crowd, look(100));
    expect(page.split('\n').length).toBeLessThan(150);
    expect(page).toContain('2,500 BLOCKED · 2,500 CLAIMED · 2,500 UNCLAIMED · 2,500 MERGED');
    expect(page.match(/… 2,488 more: liza status --all/g)).toHaveLength(3);
    expect(page).toContain('… 18 more: liza status --all');
    expect(page).not.toContain('task-3 ');
  });

  it('shows everything on demand', () => {
    const page = renderStatus(crowd, { ...look(100), all: true });
    expect(page).toContain('task-9998');
    expect(page).toContain('task-9999');
    expect(page).not.toContain('more: liza status --all');
  });
});

describe('status', () => {
  it('names the task even where the columns are narrower than its id', () => {
    const id = 'a-very-long-task-id-that-goes-on-and-on';
    const page = renderStatus(seen(board({ tasks: [task(id)] })), look(60));
    expect(page).toContain(`  ${id}  P3`);
  });

  it('counts ended tasks without naming them once there are more than three', () => {
    const ended = (count: number) =>
      renderStatus(
        seen(board({ tasks: Array.from({ length: count }, (_, i) => task(`m${i}`, { status: 'MERGED' })) })),
        look(80),
      );
    expect(ended(3)).toContain('m2');
    expect(ended(4)).not.toContain('m2');
    expect(ended(4)).toContain('4 MERGED');
  });

  it('says nothing of a stall while something moves', () => {
    expect(renderStatus(seen(scene), look(80))).not.toContain('Nothing moves');
    expect(renderStatus(seen(stuck), look(500)).trimEnd().split('\n').at(-1)).toMatch(
      /^Nothing moves: 1 other task waits for/,
    );
  });

  it('tells of switches and a missed deadline', () => {
    const late = board({
      switches: { PAUSE: NOW - 25 * MINUTE },
      state: { sprint: { ...scene.state.sprint, timeline: { started: ago(MINUTE), deadline: ago(5 * MINUTE) } } },
    });
    const page = renderStatus(seen(late), look(80));
    expect(page).toContain('PAUSE is on for 25m');
    expect(page).toContain('deadline 5m ago');
  });

  it('tells a person, and no agent, of the crew that runs here', () => {
    const view = { ...seen(scene), crew: { pid: 4711, age: 25 * MINUTE } };
    const told =
      'A crew runs here (process 4711, for 25m), also without a terminal. See it: liza attach; stop it: liza stop';
    expect(renderStatus(view, look(500))).toContain(told);
    expect(renderStatus(view, { ...look(500), reader: 'coder-1' })).not.toContain('4711');
    expect(renderStatus(seen(scene), look(500))).not.toContain('A crew runs here');
  });
});

describe('task', () => {
  it('shows every field of the schema and those nobody knows', () => {
    const full: Task & { extra: string } = {
      id: 'all-fields',
      description: 'v-description',
      type: 'docs',
      status: 'BLOCKED',
      priority: 4,
      spec_ref: 'v-spec',
      done_when: 'v-done',
      scope: 'v-scope',
      depends_on: ['v-dep'],
      validation: ['v-validation'],
      created: '2026-01-01T00:00:00Z',
      assigned_to: 'v-coder',
      worktree: 'v-worktree',
      base_commit: 'aaaaaaaa',
      iteration: 6,
      epoch: 77,
      lease_expires: '2026-01-02T00:00:00Z',
      claiming: { by: 'v-claimer', epoch: 78, expires: '2026-01-03T00:00:00Z' },
      reserved_for: 'v-reserved',
      excluded_coders: ['v-excluded'],
      keep_worktree: true,
      review_commit: 'bbbbbbbb',
      rejection_reason: 'v-rejection',
      reviewing_by: 'v-reviewer',
      review_lease_expires: '2026-01-04T00:00:00Z',
      approvals: [{ by: 'v-approver', commit: 'cccccccc', time: '2026-01-05T00:00:00Z', provider: 'v-cli' }],
      approved_by: 'v-approved',
      merge_commit: 'dddddddd',
      review_cycles_current: 12,
      review_cycles_total: 13,
      max_iterations: 14,
      max_review_cycles: 15,
      blocked_reason: 'v-reason',
      blocked_questions: ['v-question'],
      attempted: ['v-attempt'],
      failed_by: ['v-failed'],
      failures_current: ['v-failure'],
      integration_fix: true,
      handoff_pending: true,
      supersedes: ['v-old'],
      superseded_by: ['v-new'],
      rescope_reason: 'v-rescope',
      paused: true,
      budget: { tokens: 4242 },
      history: [event('created', NOW, 'v-author', { detail: 'v-detail' })],
      extra: 'v-extra',
    };
    const page = renderTask(full, { now: NOW, view: taskView(scene, full, settings(scene.state), NOW) }, look(120));
    for (const shown of [
      'all-fields',
      'v-description',
      'docs',
      'BLOCKED',
      'P4',
      'v-spec',
      'v-done',
      'v-scope',
      'v-dep (MISSING)',
      'v-validation',
      '2026-01-01',
      'v-coder',
      'v-worktree (kept)',
      'aaaaaaaa',
      '6/14',
      '77',
      '2026-01-02',
      'v-claimer until 2026-01-03T00:00:00Z (epoch 78)',
      'v-reserved',
      'v-excluded',
      'bbbbbbbb',
      'v-rejection',
      'v-reviewer',
      '2026-01-04',
      'v-approver (v-cli) on cccccccc at 2026-01-05',
      'v-approved',
      'dddddddd',
      '12/15 now, 13 in all',
      'v-reason',
      '1. v-question',
      '- v-attempt',
      'v-failed',
      'v-failure',
      'integration fix',
      'handoff pending',
      'v-old',
      'v-new',
      'v-rescope',
      'paused',
      '4242',
      'v-author',
      'detail: v-detail',
      'v-extra',
    ]) {
      expect(page).toContain(shown);
    }
  });

  it('tells the lease of who has it, and nothing where it is not known', () => {
    const shown = (fields: Partial<Task>, left: number | undefined): string => {
      const one = task('t', fields);
      const { leaseLeft: _, ...view } = taskView(scene, one, settings(scene.state), NOW);
      return renderTask(one, { now: NOW, view: left === undefined ? view : { ...view, leaseLeft: left } }, look(80));
    };
    const claimed = { status: 'CLAIMED', assigned_to: 'coder-1' } as const;
    expect(shown(claimed, MINUTE)).toMatch(/coder +coder-1, lease 1m\n/);
    expect(shown(claimed, -MINUTE)).toMatch(/coder +coder-1, lease ended 1m ago\n/);
    expect(shown(claimed, undefined)).toMatch(/coder +coder-1\n/);
    const reviewed = { status: 'READY_FOR_REVIEW', assigned_to: 'coder-1', reviewing_by: 'code-reviewer-1' } as const;
    expect(shown(reviewed, MINUTE)).toMatch(/coder +coder-1\n[\s\S]*reviewer +code-reviewer-1, lease 1m\n/);
  });

  it('leaves out what an event does not carry', () => {
    const one = task('t', {
      history: [event('claimed', NOW, 'coder-1', { note: '', from: undefined, epoch: 0, why: null })],
    });
    const page = renderTask(one, { now: NOW, view: taskView(scene, one, settings(scene.state), NOW) }, look(80));
    expect(page).toMatch(/claimed {2}coder-1 {2}epoch: 0\n/);
  });

  it('shows the last 15 events and where the others are', () => {
    const history = Array.from({ length: 20 }, (_, i) =>
      event(`e${i}`, NOW - (20 - i) * MINUTE, 'coder-1', { commit: COMMIT }),
    );
    const long = task('t', { history });
    const page = renderTask(long, { now: NOW, view: taskView(scene, long, settings(scene.state), NOW) }, look(80));
    expect(page).toContain('… 5 earlier: liza show t --json');
    expect(page).not.toContain('e4 ');
    expect(page).toContain('e5 ');
    expect(page).toContain('last change 1m ago');
  });
});

it('a submitted task shows what Liza ran, and what became of existing tests', () => {
  const proof = {
    commit: COMMIT,
    commands: ['npm test'],
    runs: [{ command: 'npm test', ok: true, how: 'ended with 0', seconds: 1.5, log: '.liza/evidence/t/1-1.log' }],
    seconds: 3,
    tests: {
      mode: 'evidence',
      base: COMMIT,
      base_alone: 'green',
      on_base: 'green',
      base_tests: 'red',
      why: 'it broke',
    },
    file: '.liza/evidence/t/1.json',
  };
  const diff = {
    files: 2,
    lines: { added: 7, removed: 3 },
    test_edits: { lines: ['test/a.test.ts:4 - expect(a)'], more: 2 },
  };
  const told = event('submitted', NOW, 'coder-1', { commit: COMMIT, diff, proof });
  const shown = task('t', { history: [told] });
  const text = renderTask(shown, extras(shown), look(120));
  for (const part of [
    'run by Liza',
    'green, 1.5 s: npm test',
    'new tests without the change: pass, so they show nothing; tests from before: fail (it broke)',
    '.liza/evidence/t/1.json',
    '2 files, 7 lines added, 3 removed',
    'test/a.test.ts:4 - expect(a)',
    'and 2 more',
  ])
    expect(text).toContain(part);
  // Said once, above; the timeline does not repeat it as JSON.
  expect(text).not.toContain('"runs"');
  const tests = { ...proof.tests, on_base: 'unknown', base_tests: 'same', why: 'x', because: { on_base: 'x' } };
  const later = task('t', {
    history: [event('submitted', NOW, 'coder-1', { commit: COMMIT, diff, proof: { ...proof, tests } })],
  });
  expect(renderTask(later, extras(later), look(120))).toContain(
    'new tests without the change: not known (x); tests from before: unchanged\n',
  );
});

it('an agent merges nothing: its supervisor does, and the history says so', () => {
  const merged = task('t', {
    history: [event('merged', NOW, 'code-reviewer-1', { commit: COMMIT, by: 'code-reviewer-1' })],
  });
  const text = renderTask(merged, extras(merged), look(240));
  expect(text).toMatch(/merged +Liza .*by: the supervisor of code-reviewer-1/);
  const own = task('t', { history: [event('merged', NOW, 'human', { commit: COMMIT, by: 'human' })] });
  expect(renderTask(own, extras(own), look(240))).toMatch(/merged +human .*by: human/);
});

describe('said whole', () => {
  const url = `https://example.org/${'a'.repeat(90)}`;
  const question = `Which of these holds for the retry of a call that failed with a 503 while the pool was being drained: ${url}, or what specs/retry.md said before?`;
  const command = `node --test test/${'deep/'.repeat(20)}client.test.mjs`;
  const words = (page: string): string => page.replace(/\s+/g, ' ');

  it.each([40, 80])('a question is all there at %d columns, no word of it broken', (width) => {
    const asking = task('ask', { status: 'BLOCKED', blocked_reason: 'open', blocked_questions: [question] });
    const page = renderStatus(seen(board({ tasks: [asking] })), look(width));
    expect(words(page)).toContain(question);
    const shown = renderTask(
      asking,
      { now: NOW, view: taskView(scene, asking, settings(scene.state), NOW) },
      look(width),
    );
    expect(words(shown)).toContain(question);
  });

  it.each([40, 80])('criteria and commands are, in show, at %d columns', (width) => {
    const told = task('do', { done_when: `${command} passes`, validation: [command] });
    const page = renderTask(told, { now: NOW, view: taskView(scene, told, settings(scene.state), NOW) }, look(width));
    expect(words(page).split(command)).toHaveLength(3);
  });

  it.each([40, 80, 120])('a row of the history is not cut at %d columns', (width) => {
    const reason = 'the validation printed a line that nobody had expected '.repeat(6).trim();
    const told = task('do', { history: [event('blocked', NOW - 5 * MINUTE, 'coder-1', { reason })] });
    const page = renderTask(told, { now: NOW, view: taskView(scene, told, settings(scene.state), NOW) }, look(width));
    expect(words(page)).toContain(reason);
    expect(page).not.toContain('…');
  });

  it('one lease is shown: beside the task, not beside its agent again', () => {
    const held = task('do', { status: 'CLAIMED', assigned_to: 'coder-1', lease_expires: ago(-4 * MINUTE), epoch: 1 });
    const page = renderStatus(
      seen(
        board({
          tasks: [held],
          agents: {
            'coder-1': agent('coder', { status: 'WORKING', current_task: 'do', lease_expires: ago(-2 * MINUTE) }),
          },
        }),
      ),
      look(100),
    );
    expect(page.match(/lease \d/g)).toEqual(['lease 4']);
    const shown = renderTask(
      held,
      { now: NOW, view: taskView(board({ tasks: [held] }), held, settings(scene.state), NOW) },
      look(100),
    );
    expect(shown).toContain('coder-1, lease 4m');
    expect(shown).not.toContain('lease expires');
  });
});

it('a rejection stands on the page once, whole', () => {
  const reason = 'Blockers: 1\n- [blocker] src/a.ts:14 — it never retries\nOverall: no';
  const rejected = { time: '2026-01-31T11:57:00Z', event: 'rejected', agent: 'code-reviewer-1', reason };
  const one: Task = { ...told, rejection_reason: reason, history: [...(told.history ?? []), rejected] };
  const page = renderTask(one, extras(one), look(120));
  expect(page.split('it never retries')).toHaveLength(2);
  expect(page).toMatch(/rejection\s+by code-reviewer-1 at 2026-01-31T11:57:00Z: whole under Reviews/);
});
