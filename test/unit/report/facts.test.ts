// What a report says, beyond its wording: archived tasks, wrong clocks, what is unknown, who did what.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { metricsOf, timeInStates } from '../../../src/governance/rules/metrics.ts';
import type { Task } from '../../../src/protocol/state.ts';
import { inOrder, stateIntervals } from '../../../src/protocol/work/task-history.ts';
import { axisOf, levels } from '../../../src/report/axis.ts';
import { reportOf } from '../../../src/report/facts.ts';
import { money, number, short, totalCost, totalTokens } from '../../../src/report/format.ts';
import { markdownReport } from '../../../src/report/markdown.ts';
import { page } from '../../../src/report/page.ts';
import { stateColours } from '../../../src/report/state-styles.ts';
import { instant, iso } from '../../../src/text/time.ts';
import { agent, board, event, goal, HOUR, MINUTE, NOW, task } from '../boards/empty-board.ts';
import { large, lived } from './boards.ts';
import { textOf } from './pages.ts';

const at = (minutes: number) => NOW - minutes * MINUTE;

describe('times in order', () => {
  it('are left alone where they are in order, and never fall where they are not', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1000 }), { maxLength: 40 }), (times) => {
        const ordered = inOrder(times);
        expect(ordered).toHaveLength(times.length);
        ordered.forEach((time, n) => {
          if (n > 0) expect(time).toBeGreaterThanOrEqual(ordered[n - 1] ?? 0);
        });
        const sorted = times.toSorted((a, b) => a - b);
        expect(inOrder(sorted)).toEqual(sorted);
        expect(times.length === 0 || times.includes(ordered[0] ?? -1)).toBe(true);
      }),
    );
  });

  it('one wrong clock does not move the others', () => {
    expect(inOrder([10, 9000, 20, 30])).toEqual([10, 10, 20, 30]);
    expect(inOrder([10, 20, 1, 30])).toEqual([10, 20, 20, 30]);
    expect(inOrder([9000, 10, 20])).toEqual([10, 10, 20]);
  });

  const skewed: Task = task('skewed', {
    status: 'MERGED',
    history: [
      event('created', at(60)),
      event('claimed', at(-5000), 'coder-1'),
      event('submitted', at(40), 'coder-1'),
      event('approved', at(50), 'code-reviewer-1'),
      event('merged', at(30)),
    ],
  });

  it('no state lasts less than nothing or beyond its neighbours', () => {
    const spans = stateIntervals(skewed, NOW);
    expect(spans.map(({ from, to }) => to - from).every((length) => length >= 0)).toBe(true);
    expect(Object.values(timeInStates([skewed], NOW)).reduce((a, b) => a + b, 0)).toBe(30 * 60);
  });

  it('a branch that was rewritten is told, with the command that names the commits', () => {
    const base = { branch: 'main*<b>', integration: 'integration', lacks: 0, ahead: 3 };
    const source = { ...board({ tasks: [skewed] }), archived: [], now: NOW };
    const told = 'was rewritten since Liza built on it: integration keeps 2 commits that it has no more';
    const rewritten = reportOf({ ...source, base: { ...base, rewritten: 2 } });
    expect(textOf(page(rewritten))).toContain(`main*<b> ${told}; liza finish --check shows`);
    expect(markdownReport(rewritten)).toContain(`- Branch: main\\*&lt;b> ${told}; liza finish --check shows`);
    expect(markdownReport(reportOf({ ...source, base }))).not.toContain('Branch:');
  });

  it('the report says that a clock was wrong, and its axis is not stretched', () => {
    const report = reportOf({ ...board({ tasks: [skewed] }), archived: [], now: NOW });
    expect(report.outOfOrder).toBe(2);
    expect(report.to).toBe(NOW);
    expect(textOf(page(report))).toContain('a clock was wrong');
    expect(markdownReport(report)).toContain('2 events had an earlier time');
    expect(page(report)).not.toMatch(/NaN|Infinity|undefined|(?:x|width|height)="-/);
  });

  it('a clock that was set back behind all events', () => {
    const report = reportOf({ ...board({ tasks: [lived(1, 2, at(300))] }), archived: [], now: at(100_000) });
    expect(report.to).toBeGreaterThan(report.from);
    expect(page(report)).not.toMatch(/NaN|Infinity/);
  });
});

it('archived tasks are part of it', () => {
  const { state } = board({ tasks: [task('live')] });
  const report = reportOf({ state, archived: [lived(1, 2, at(300))], now: NOW });
  expect(report.tasks.map(({ id, archived }) => [id, archived])).toEqual([
    ['live', false],
    ['part-1', true],
  ]);
  expect(report.totals).toMatchObject({ tasks_total: 2, tasks_merged: 1, review_verdict_rejections: 1 });
  expect(textOf(page(report))).toContain('1 task archived');
});

it('counts all tasks, not only the sprint’s', () => {
  const { state } = board({ tasks: [lived(1, 1, at(300)), lived(2, 1, at(300))] });
  const sprint = { ...state.sprint, scope: { planned: ['part-1'] } };
  expect(reportOf({ state: { ...state, sprint }, archived: [], now: NOW }).totals).toEqual(metricsOf(state.tasks));
});

it('the report of a goal that is over does not grow older', () => {
  const done = goal('COMPLETED').goal;
  const alignment_history = [{ timestamp: iso(at(10)), event: 'goal_completed', summary: 'reached' }];
  const { state } = board({ tasks: [lived(1, 1, at(300))], state: { goal: { ...done, alignment_history } } });
  const now = reportOf({ state, archived: [], now: NOW });
  expect(now.to).toBe(at(10));
  expect(reportOf({ state, archived: [], now: NOW + 100 * HOUR })).toEqual({ ...now, made: NOW + 100 * HOUR });
});

it('a board without history says so and draws nothing wrong', () => {
  const report = reportOf({ ...board({ tasks: [task('bare', { status: 'MERGED' })] }), archived: [], now: NOW });
  expect(report.tasks[0]?.intervals).toEqual([]);
  expect(page(report)).toContain('No history');
  expect(page(report)).not.toMatch(/NaN|Infinity|undefined/);
});

it('burn-up counts what is wanted: replaced and given up tasks are not', () => {
  const ended = (id: string, status: 'SUPERSEDED' | 'ABANDONED') =>
    task(id, { status, history: [event('created', at(50)), event(status.toLowerCase(), at(20))] });
  const { state } = board({ tasks: [lived(1, 1, at(300)), ended('old', 'SUPERSEDED'), ended('no', 'ABANDONED')] });
  expect(reportOf({ state, archived: [], now: NOW }).burnUp.at(-1)).toMatchObject({ wanted: 1, merged: 1 });
});

it('the approval rate is that of all verdicts so far', () => {
  const report = reportOf({ ...board({ tasks: [lived(1, 3, at(300))] }), archived: [], now: NOW });
  expect(report.verdicts.map(({ approved, percent }) => [approved, percent])).toEqual([
    [false, 0],
    [false, 0],
    [true, 33],
  ]);
});

it('who did what', () => {
  const usage = { sessions: 7, seconds: 60, input_tokens: 900, output_tokens: 100, cost_usd: 0.5 };
  const agents = {
    'coder-2': agent('coder', { usage, provider: 'claude' }),
    'code-reviewer-1': agent('code_reviewer'),
  };
  const report = reportOf({ ...board({ tasks: [lived(1, 2, at(300))], agents }), archived: [], now: NOW });
  expect(report.workers.map(({ id, role }) => [id, role])).toEqual([
    ['coder-2', 'coder'],
    ['code-reviewer-1', 'code reviewer'],
    ['planner-1', 'no longer registered'],
  ]);
  expect(report.workers[0]).toMatchObject({ claimed: 1, submitted: 2, provider: 'claude', use: { usage } });
  expect(report.workers[1]).toMatchObject({ reviewed: 1, approved: 1, rejected: 1, merged: 1 });
});

it('what is unknown is said to be unknown, and never 0', () => {
  const known = { sessions: 1, seconds: 5, input_tokens: 10_000, output_tokens: 500, cost_usd: 0.25 };
  const silent = { sessions: 2, seconds: 5, input_tokens: 0, output_tokens: 0 };
  const worked = (id: string, usage?: Task['usage']) =>
    task(id, {
      status: 'CLAIMED',
      history: [event('claimed', at(9), 'coder-1')],
      ...(usage === undefined ? {} : { usage }),
    });
  const of = (tasks: readonly Task[]) => reportOf({ ...board({ tasks }), archived: [], now: NOW });
  const mixed = of([worked('told', known), worked('silent', silent), worked('nothing'), task('waiting')]);
  expect(mixed.use).toMatchObject({ tokens: 10_500, cost: 0.25, tokensUnknown: 2, costUnknown: 2 });
  expect([totalTokens(mixed), totalCost(mixed)]).toEqual(['≥ 10.5 k', '≥ $0.25']);
  expect(markdownReport(mixed)).toContain('| silent | 2 | unknown | unknown | unknown |');
  expect(markdownReport(mixed)).not.toContain('| waiting | 0');
  const none = of([worked('silent', silent)]);
  expect([totalTokens(none), totalCost(none)]).toEqual(['unknown', 'unknown']);
  expect(totalTokens(of([worked('told', known)]))).toBe('10.5 k');
});

it('the course has what joined late, was redefined and was given up', () => {
  const tasks = [
    task('late', { description: 'One more', history: [event('created', at(10), 'human')] }),
    task('changed', {
      history: [
        event('created', at(90)),
        event('amended', at(85), 'planner-1', { changed: true, fields: ['scope'] }),
        event('finalized', at(80)),
        event('amended', at(40), 'planner-1', { changed: true, fields: ['done_when', 'scope'] }),
        event('amended', at(39), 'planner-1', { changed: false, fields: ['priority'] }),
      ],
    }),
    task('dropped', {
      status: 'ABANDONED',
      history: [event('created', at(90)), event('abandoned', at(5), 'human', { rationale: 'too dear' })],
    }),
  ];
  const { state } = board({ tasks });
  const sprint = { ...state.sprint, scope: { planned: [], closed_at: iso(at(60)) } };
  const spec_changes = [{ timestamp: iso(at(20)), spec: 'specs/a.md', change: 'three tries' }];
  const { planChanges } = reportOf({ state: { ...state, sprint, spec_changes }, archived: [], now: NOW });
  expect(planChanges.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    'task redefined: changed: done when, scope',
    'spec changed: specs/a.md: three tries',
    'scope extended: late joined after the plan was closed: One more',
    'given up: dropped: too dear',
  ]);
});

it('an axis has a few round ticks within its ends, whatever it spans', () => {
  for (const length of [0, 1, 999, 20_000, 3 * MINUTE, 5 * HOUR, 40 * HOUR, 2000 * HOUR, 200_000 * HOUR]) {
    const { ticks } = axisOf(NOW + 12_345, NOW + 12_345 + length);
    expect(ticks.length).toBeLessThanOrEqual(6);
    for (const { at: place } of ticks) expect(place >= 0 && place <= 100).toBe(true);
  }
  expect(
    axisOf(instant('2026-01-01T09:10:00Z'), instant('2026-01-01T10:10:00Z')).ticks.map(({ label }) => label),
  ).toEqual(['09:20', '09:40', '10:00']);
  expect([0, 1, 4, 7, 300].map((most) => levels(most).join(' '))).toEqual([
    '0 1',
    '0 1',
    '0 1 2 3 4',
    '0 2 4 6 8',
    '0 100 200 300',
  ]);
});

it('numbers for people', () => {
  expect([0, 999, 1234567].map(number)).toEqual(['0', '999', '1,234,567']);
  expect([9999, 12_345, 999_499, 999_500, 1.5e9].map(short)).toEqual(['9,999', '12.3 k', '999 k', '1 M', '1.5 G']);
  expect([0, 0.004, 1.5].map(money)).toEqual(['$0.00', '$0.0040', '$1.50']);
});

it('300 tasks as Markdown', () => {
  expect(markdownReport(reportOf({ state: large(300), archived: [], now: NOW })).length).toBeLessThan(1_000_000);
});

it('letters on the colour of every state can be read, in light and dark', () => {
  const luminance = (colour: string): number =>
    [1, 3, 5]
      .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, at) => sum + part * ([0.2126, 0.7152, 0.0722][at] ?? 0), 0);
  const contrast = (a: string, b: string): number => {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  for (const [shade, letters, card] of [
    ['light', '#ffffff', '#ffffff'],
    ['dark', '#0d1117', '#161b22'],
  ] as const) {
    const colours = [...stateColours(shade).matchAll(/--(\w+):(#[0-9a-f]{6})/g)];
    expect(colours).toHaveLength(11);
    for (const [, status, colour = ''] of colours) {
      expect(contrast(colour, letters), `${status} ${shade}`).toBeGreaterThan(4.5);
      expect(contrast(colour, card), `${status} ${shade}`).toBeGreaterThan(3);
    }
    expect(new Set(colours.map(([, , colour]) => colour)).size).toBe(11);
  }
});

describe('the report of a goal', () => {
  const discovered = [
    { id: 'disc-1', by: 'coder-1', description: 'a typo', severity: 'low', carried_from: 'goal-1' },
    {
      id: 'disc-2',
      by: 'coder-1',
      description: 'a leak',
      severity: 'high',
      recommendation: 'close it',
      during: 'parse',
    },
    { id: 'disc-3', by: 'coder-1', description: 'known', severity: 'high', dismissed_reason: 'known' },
  ] as never;
  const of = (status: 'IN_PROGRESS' | 'COMPLETED') =>
    reportOf({
      state: board({
        state: {
          discovered,
          agents: { 'coder-1': agent('coder') },
          goal: { ...goal(status).goal, id: 'goal-2', created: iso(at(60)) },
          human_notes: [
            { timestamp: iso(at(90)), message: 'earlier' },
            { timestamp: iso(at(30)), message: 'now' },
          ],
        },
      }).state,
      archived: [],
      now: NOW,
    });

  it('lists what is open, most severe first, and says of a goal that is over that it went to the next', () => {
    const under = of('IN_PROGRESS');
    expect(under.discoveries.map(({ id }) => id)).toEqual(['disc-2', 'disc-1']);
    for (const text of [markdownReport(under), textOf(page(under))]) {
      expect(text).toContain('Open discoveries');
      expect(text).toContain('a leak');
      expect(text).toMatch(/recommends: close it/i);
      expect(text).not.toContain('disc-3');
    }
    expect(markdownReport(under)).toContain('- **disc-1** (low, by coder-1, from goal-1): a typo');
    for (const text of [markdownReport(of('COMPLETED')), textOf(page(of('COMPLETED')))])
      expect(text).toContain('Discoveries left to the next goal');
  });

  it('counts neither a note nor a discovery of an earlier goal', () => {
    expect(of('IN_PROGRESS').workers).toMatchObject([
      { id: 'coder-1', reported: 2 },
      { id: 'human', reported: 1 },
    ]);
  });
});
