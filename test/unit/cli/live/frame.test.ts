import { describe, expect, it } from 'vitest';
import { eventId, SIGN } from '../../../../src/cli/live/events.ts';
import { frame } from '../../../../src/cli/live/frame.ts';
import { NOTHING_LOADED } from '../../../../src/cli/live/panes.ts';
import { FIRST_SCREEN, type LiveLook, press, type Screen } from '../../../../src/cli/live/screen.ts';
import { columns } from '../../../../src/cli/render/terminal.ts';
import type { State } from '../../../../src/protocol/state.ts';
import type { CrewMember, CrewView } from '../../../../src/supervisor/crew-view.ts';
import { cpuTimer } from '../../../support/cpu-time.ts';
import { EVIL } from '../../boards/full-board.ts';
import { crowd, hostile, lively, NOW, paused, textOf, waiting } from './scenes.ts';

const look = (size: string, unicode = true): LiveLook => {
  const [width = 80, height = 24] = size.split('x').map(Number);
  return { color: true, unicode, width: width - 1, height: height - 1, zone: 0 };
};
const on = (fields: Partial<Screen>): Screen => ({ ...FIRST_SCREEN, ...fields });
const lines = (view: CrewView, screen: Screen, at: LiveLook, log?: readonly string[]): readonly string[] =>
  frame(view, screen, at, {
    loaded: {
      log: { path: '.liza/agent-logs/coder-1.20260131T140211-120Z.log', lines: log ?? [] },
      logs: LOGS,
      diff: { title: 'retry-core', lines: DIFF },
    },
  }).lines.map(textOf);
const page = (...all: Parameters<typeof lines>): string => `${lines(...all).join('\n')}\n`;

const LOGS = Array.from({ length: 40 }, (_, i) => ({
  path: `/p/${i}`,
  agent: `coder-${i % 3}`,
  task: i % 2 === 0 ? 'retry-core' : undefined,
  began: '20260131T140211-120Z',
  bytes: 1000 * i,
}));
const DIFF = ['diff --git a/x b/x', '--- a/x', '+++ b/x', '@@ -1 +1 @@', `-${EVIL}`, `+${'long '.repeat(60)}`, ' same'];
const LOG = Array.from({ length: 60 }, (_, i) => (i % 7 === 0 ? `line ${i} ${EVIL}` : `line ${i}`));
const SIZES = ['80x24', '200x50'];
const SCREENS: Readonly<Record<string, readonly [CrewView, Screen]>> = {
  lively: [lively, on({ chosen: { kind: 'task', id: 'retry-core' } })],
  waiting: [waiting, on({ said: 'Work goes on' })],
  paused: [paused, on({ stops: 1 })],
  hostile: [hostile, on({})],
  'hostile-task': [hostile, on({ pane: { kind: 'task', id: 'evil' } })],
  crowd: [crowd, on({ chosen: { kind: 'task', id: 'task-60' } })],
  task: [waiting, on({ pane: { kind: 'task', id: 'auth-header' } })],
  log: [lively, on({ pane: { kind: 'log', agent: 'coder-1' } })],
  help: [lively, on({ pane: { kind: 'help' } })],
  actions: [waiting, on({ pane: { kind: 'actions', target: { kind: 'task', id: 'auth-header' }, at: 1 } })],
  'board-actions': [lively, on({ pane: { kind: 'actions', at: 0 } })],
  write: [waiting, on({ pane: { kind: 'write', action: 'abandon', target: { kind: 'task', id: 'auth-header' } } })],
  confirm: [
    lively,
    on({ pane: { kind: 'confirm', question: `Sure of ${EVIL}?`, ask: { run: ['abandon', 'x', `--reason=${EVIL}`] } } }),
  ],
  quit: [lively, on({ pane: { kind: 'quit' } })],
  diff: [lively, on({ pane: { kind: 'diff', task: 'retry-core' } })],
  logs: [lively, on({ pane: { kind: 'logs', at: 30 } })],
  alarm: [waiting, on({ pane: { kind: 'alarm', id: waiting.alarms[0]?.key ?? '' } })],
  filter: [
    lively,
    on({ pane: { kind: 'filter' }, filter: 'retry', drafts: { filter: { text: `retry${EVIL.slice(0, 20)}`, at: 2 } } }),
  ],
};
const PAGES = Object.entries(SCREENS).flatMap(([name, [view, screen]]) =>
  SIZES.flatMap((size) => [
    { name: `${name}-${size}`, size, text: page(view, screen, look(size), LOG) },
    { name: `${name}-${size}-ascii`, size, text: page(view, screen, look(size, false), LOG) },
  ]),
);

describe('the last line', () => {
  const foot = (view: CrewView, screen: Screen, size: string): string => lines(view, screen, look(size)).at(-1) ?? '';

  it.each(['80x24', '100x30', '200x50'])('at %s names the arrows, enter and the note', (size) => {
    expect(foot(lively, on({}), size)).toMatch(/arrows choose . enter opens . n note . .*\? help . q leave or stop$/);
  });

  it.each(['60x24', '80x24', '200x50'])('at %s names the answer while a question is open, and only then', (size) => {
    expect(foot(waiting, on({}), size)).toMatch(/^a answer . arrows choose/);
    const { state } = lively.board;
    const tasks = state.tasks.filter(({ status }) => status !== 'BLOCKED');
    const unasked = { ...lively, board: { ...lively.board, state: { ...state, tasks, questions: [] } } };
    expect(foot(unasked, on({}), size)).toMatch(/^arrows choose/);
  });

  it('says on a chosen alarm that enter shows all of it, and on a task that waits how to answer it', () => {
    const chosen = { kind: 'alarm', id: waiting.alarms[0]?.key ?? '' } as const;
    expect(foot(waiting, on({ chosen }), '80x24')).toContain('enter shows all of it');
    expect(foot(waiting, on({ pane: { kind: 'task', id: 'auth-header' } }), '80x24')).toContain('a answer');
  });
});

it('an alarm that is longer than its place says how to read all of it', () => {
  const [first] = waiting.alarms.filter(({ name }) => name !== 'QUESTION');
  const long = {
    ...waiting,
    alarms: [{ ...first, text: `long ${'and longer '.repeat(60)}` } as (typeof waiting.alarms)[0]],
  };
  const page = lines(long, on({}), look('80x24'));
  expect(page.filter((line) => line.endsWith('… arrows, enter: all of it'))).toHaveLength(1);
  const chosen = { kind: 'alarm', id: first?.key ?? '' } as const;
  expect(lines(long, on({ chosen }), look('80x24')).join('\n')).toMatch(/… enter: all of it$/m);
});

describe('golden pages', () => {
  it.each(PAGES)('$name', async ({ name, text }) => {
    await expect(text).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  it.each(PAGES)('$name fits its terminal and holds nothing that one would obey', ({ size, text }) => {
    const [width = 0, height = 0] = size.split('x').map(Number);
    const rows = text.slice(0, -1).split('\n');
    expect(rows).toHaveLength(height - 1);
    for (const row of rows) expect(columns(row), row).toBeLessThan(width);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  it.each(PAGES.filter(({ name }) => name.endsWith('ascii')))('$name is ASCII', ({ text }) => {
    expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  });
});

describe('any size', () => {
  it('fits, and always ends in the keys', () => {
    for (const [view, screen] of Object.values(SCREENS)) {
      for (let width = 20; width < 220; width += 29) {
        for (const height of [3, 4, 8, 13, 18, 24, 40, 59]) {
          const at: LiveLook = { color: false, unicode: true, width, height, zone: 0 };
          const rows = lines(view, screen, at, LOG);
          expect(rows).toHaveLength(height);
          expect(rows.filter((row) => columns(row) > width)).toEqual([]);
          expect(rows.at(-1)).toMatch(
            /^(Work goes on|a answer|arrows choose|r resume|esc back|enter sends|y yes|s stop|\/ )/,
          );
        }
      }
    }
  });
});

describe('what is cut', () => {
  it('is counted, and the most urgent stays', () => {
    const rows = lines(crowd, on({}), look('80x24'));
    expect(rows.some((row) => /^ {2}BLOCKED +task-0 /.test(row))).toBe(true);
    expect(rows.join('\n')).toMatch(/… \d+ more tasks/);
    expect(rows.join('\n')).toMatch(/… \d+ more agents/);
    expect(rows.join('\n')).toMatch(/ALARM +number 8\n.*… 8 more alarms/);
    const counted = Number(/… (\d+) more tasks/.exec(rows.join('\n'))?.[1]);
    expect(counted + rows.filter((row) => / task-\d+ .*Number/.test(row)).length).toBe(300);
  });

  it('comes into view when it is chosen', () => {
    for (const { kind, id } of frame(crowd, on({}), look('80x24')).ground.choices) {
      const rows = lines(crowd, on({ chosen: { kind, id } }), look('80x24'));
      expect(rows.filter((row) => row.startsWith('› '))).toHaveLength(1);
      const named =
        kind === 'alarm'
          ? crowd.alarms.find(({ key }) => key === id)?.text.replace(SIGN, '')
          : kind === 'event'
            ? crowd.events.find((event) => eventId(event) === id)?.text.replace(SIGN, '')
            : ` ${id} `;
      expect(rows.find((row) => row.startsWith('› '))).toContain(named);
    }
  });
});

describe('on 80 columns in ASCII', () => {
  const narrow = look('80x24', false);

  it.each([
    ['a message', { said: 'The note is on the board' }],
    ['a long message', { said: 'word '.repeat(30) }],
    ['a filter', { filter: 'retry' }],
  ])('help and the way out stay beside %s', (_what, fields) => {
    expect(lines(lively, on(fields), narrow).at(-1)).toMatch(/\? help \| q leave or stop$/);
  });

  it('a page that goes on says so, and nothing of it is skipped', () => {
    const shown = (scroll: number) => lines(lively, on({ pane: { kind: 'help' }, scroll }), narrow).slice(0, -1);
    const { most } = frame(lively, on({ pane: { kind: 'help' } }), narrow).ground;
    expect(shown(0).at(-1)).toMatch(/^ {2}\.\.\. \d+ more lines: arrow down$/);
    expect(shown(most).at(-1)).not.toContain('more lines');
    const all = Array.from({ length: most + 1 }, (_, scroll) => shown(scroll)[0]);
    expect([...all, ...shown(most).slice(1)].join('\n')).toContain('rej 1/5');
  });

  const told = `it failed: ${'very '.repeat(30)}long`;
  const event = { time: NOW, level: 'warning', agent: 'coder-1', text: told } as const;

  it('a long warning is shown whole where rows are left', () => {
    const quiet = { ...lively, members: lively.members.slice(0, 1), events: [event] };
    const text = page(quiet, on({}), look('80x50', false)).replace(/\s+/g, ' ');
    expect(text).toContain(told);
  });

  it('enter opens what happened, whole', () => {
    const chosen = { kind: 'event', id: eventId(event) } as const;
    const view = { ...lively, events: [...lively.events, event] };
    const { ground } = frame(view, on({ chosen }), narrow);
    expect(ground.choices).toContainEqual(chosen);
    const { screen } = press(on({ chosen }), 'open', ground);
    expect(page(view, screen, narrow).replace(/\s+/g, ' ')).toContain(told);
  });

  it('the history of a task is shown whole', () => {
    const state = {
      ...waiting.board.state,
      tasks: waiting.board.state.tasks.map((task) => ({
        ...task,
        history: [{ time: '2026-01-31T14:00:00Z', event: 'rejected', agent: 'code-reviewer-1', reason: told }],
      })),
    };
    const view = { ...waiting, board: { ...waiting.board, state } };
    const text = page(view, on({ pane: { kind: 'task', id: 'auth-header' } }), look('80x50', false));
    expect(text.replace(/\s+/g, ' ')).toContain(told);
  });

  it('an agent of which nothing is known yet says what its state means', () => {
    const member = { agent: 'coder-9', role: 'coder', provider: 'rehearsal', state: 'claiming', since: NOW } as const;
    expect(page({ ...lively, members: [member] }, on({}), narrow)).toMatch(
      /coder-9 +claiming +starts work \| rehearsal/,
    );
  });

  it('a pause is told once, with the key that ends it', () => {
    const view = { ...paused, waitsFor: 'PAUSE is on since 2026-01-31T14:00:00Z (3s): liza resume' };
    const text = page(view, on({}), narrow);
    expect(text).toContain('r resumes');
    expect(text).not.toContain('liza resume');
  });
});

describe('the board', () => {
  it('says whom it waits for, and nothing of it while something moves', () => {
    expect(page(waiting, on({}), look('80x24'))).toContain('\nNothing moves: all other tasks wait for auth-header');
    expect(page(lively, on({}), look('80x24'))).not.toContain('Nothing moves');
  });

  it('says that the run goes on by itself once that is done, unless the goal or the run is over', () => {
    const then = 'then the run goes on by itself';
    const text = (view: CrewView): string => page(view, on({}), look('200x50'));
    expect(text(waiting)).toContain(`liza unblock auth-header; ${then}`);
    const { state } = waiting.board;
    const complete = { ...state, goal: { ...state.goal, status: 'COMPLETED' } } as State;
    expect(text({ ...waiting, board: { ...waiting.board, state: complete } })).not.toContain(then);
    const members = waiting.members.map((one) => ({ ...one, state: 'stopped' as const }));
    expect(text({ ...waiting, members })).not.toContain(then);
  });

  it.each(['40x10', '80x24'])('says at %s that the base has moved on, and how it is brought in', (size) => {
    const lag = 'main has 2 commits that integration lacks: liza sync';
    const text = page({ ...lively, lag }, on({}), look(size)).replace(/\s+/g, ' ');
    expect(text).toContain(lag);
  });

  it('tells of the pause, and of the stop that was asked for', () => {
    expect(page(paused, on({}), look('80x24'))).toContain('PAUSE is on since 14:00: r resumes');
    for (const size of ['40x10', '80x24', '200x50'] as const)
      expect(lines(paused, on({}), look(size)).at(-1)).toMatch(/^r resume/);
    expect(page(lively, on({ stops: 1 }), look('80x24'))).toContain('q again: at once');
    expect(page(lively, on({ stops: 2 }), look('80x24'))).toContain('Ending at once');
  });

  it('tells how far a stop is, also one that another terminal asked for, and what becomes of a demo', () => {
    const [first, ...others] = lively.members.map((member) => ({ ...member, state: 'stopping' }) as const);
    const members = [...others, { ...(first ?? others[0]), state: 'stopped' } as CrewView['members'][number]];
    const ending = { ...lively, members };
    const so = `1 of ${members.length} have ended`;
    expect(page(ending, on({}), look('200x50'))).toContain(`Stopping: agents save their work; ${so}. q again: at once`);
    expect(page(ending, on({ stops: 2 }), look('200x50'))).toContain(`Ending at once: ${so}`);
    const demo = frame(ending, on({ stops: 1 }), look('200x50'), { onQuit: 'stop' });
    expect(demo.lines.map(textOf).join('\n')).toContain(
      `agents are ended (${so}), then the demo’s repository is removed`,
    );
  });

  it('counts a session until the board has recorded it, and never twice: the sum does not fall', () => {
    const { agents, ...state } = lively.board.state;
    const sums = (recorded: number, spent: number, member: object): string | undefined => {
      const own = {
        ...agents['coder-1'],
        usage: { sessions: recorded, seconds: 1, input_tokens: 0, output_tokens: 0 },
      };
      const goal = {
        ...state.goal,
        spent: { sessions: recorded, seconds: 1, input_tokens: spent, output_tokens: 0 },
      };
      const board = { ...lively.board, state: { ...state, goal, agents: { ...agents, 'coder-1': own } } as State };
      const coder = lively.members.find(({ agent }) => agent === 'coder-1') as CrewMember;
      const { session: _, recent: __, ...bare } = coder;
      const view = { ...lively, board, members: [{ ...bare, ...member } as CrewMember] };
      return /(\S+) tokens/.exec(page(view, on({}), look('200x50')))?.[1];
    };
    const one = { nth: 1, input: 5000, output: 0 };
    const two = { nth: 2, input: 1000, output: 0 };
    // It runs; it has ended and is not recorded; it is recorded, and still known; the next one runs.
    expect(sums(0, 0, { recent: [one] })).toBe('5.0k');
    expect(sums(0, 0, { state: 'claiming', recent: [one] })).toBe('5.0k');
    expect(sums(1, 5000, { recent: [one] })).toBe('5.0k');
    expect(sums(1, 5000, { recent: [one, two] })).toBe('6.0k');
    expect(sums(0, 0, { recent: [one, two] })).toBe('6.0k');
  });

  it.each([
    [{ cost_usd: 0, uncounted_sessions: 1 }, '5 tokens · cost unknown'],
    [{ cost_usd: 0.5, unpriced_sessions: 1 }, '5 tokens · at least $0.50'],
    [{ cost_usd: 0.5 }, '5 tokens · $0.50'],
    [{ cost_usd: 0 }, '5 tokens'],
  ])('says plainly what of the cost is not known: %o', (known, told) => {
    const spent = { sessions: 2, seconds: 1, input_tokens: 5, output_tokens: 0, ...known };
    const { state } = lively.board;
    const board = { ...lively.board, state: { ...state, goal: { ...state.goal, spent } } as State };
    const [, second = ''] = lines({ ...lively, board, members: [] }, on({}), look('200x50'));
    expect(second.trimEnd().endsWith(` · ${told}`), second).toBe(true);
  });

  it('says in a line of its own what Liza merges, and of the agent that it waits', () => {
    const { session: _, activity: __, ...bare } = lively.members[0] as CrewMember;
    const why = 'Liza tests and merges metrics';
    const member: CrewMember = { ...bare, state: 'merging', since: NOW - 12_000, task: 'metrics', why };
    const shown = page({ ...lively, members: [member] }, on({}), look('80x24'));
    expect(shown).toMatch(/^Liza tests and merges metrics, for 10s$/m);
    expect(shown.match(/^.*planner-1 .*$/m)?.[0]).toMatch(/^ *planner-1 +waiting +until Liza has merged/);
  });

  it('shows agents that other processes run', () => {
    const members = lively.members.slice(1);
    expect(page({ ...lively, members }, on({}), look('200x50'))).toMatch(/planner-1 .*runs elsewhere/);
  });

  it('keeps the form of its agents when lines come above them', () => {
    const agents = (view: CrewView, screen: Screen): string[] =>
      lines(view, screen, look('80x24')).filter((row) => /^ {2}\S*(planner|coder|reviewer)-\d/.test(row));
    expect(agents(paused, on({ stops: 1, said: 'x' }))).toEqual(agents(lively, on({})));
  });
});

it('draws each pane within moments when a task has megabytes of text', () => {
  const huge = `${'e\u0301\u0302'.repeat(300_000)}${'時'.repeat(300_000)}`;
  const tasks = hostile.board.state.tasks.map((task) => ({ ...task, description: huge, blocked_questions: [huge] }));
  const view = { ...hostile, board: { ...hostile.board, state: { ...hostile.board.state, tasks } } };
  const spent = cpuTimer();
  for (const pane of [{ kind: 'board' }, { kind: 'task', id: 'evil' }, { kind: 'log', agent: 'coder-1' }] as const) {
    expect(lines(view, on({ pane }), look('80x24'), [huge, huge])).toHaveLength(23);
  }
  expect(spent()).toBeLessThan(2000);
});

describe('open discoveries', () => {
  const found = (id: string, more: object) => ({
    id,
    by: 'coder-1',
    description: `about ${id}`,
    severity: 'high',
    ...more,
  });
  const discovered = [
    found('disc-1', { severity: 'low' }),
    found('disc-2', {}),
    found('disc-3', { urgency: 'immediate' }),
    found('disc-4', { dismissed_reason: 'known' }),
    ...Array.from({ length: 5 }, (_, n) => found(`more-${n}`, { severity: 'low' })),
  ] as never;
  const view: CrewView = { ...lively, board: { ...lively.board, state: { ...lively.board.state, discovered } } };

  it.each(SIZES)('are on the board at %s, the severe ones first, those that are alarms or decided left out', (size) => {
    const rows = lines(view, FIRST_SCREEN, look(size)).filter((row) => row.startsWith('found '));
    expect(rows[0]).toBe('found    disc-2, high, by coder-1: about disc-2');
    expect(rows.join()).not.toMatch(/disc-3|disc-4/);
    const all = lines(view, FIRST_SCREEN, look(size)).join('\n');
    expect(all).toMatch(/\d more discoveries: liza discovery list/);
  });
});

describe('while the circuit breaker is on', () => {
  const tripped: CrewView = {
    ...lively,
    board: {
      ...lively.board,
      switches: { CHECKPOINT: NOW - 95_000 },
      state: { ...lively.board.state, circuit_breaker: { status: 'TRIGGERED' } },
    },
  };
  const words = (rows: readonly string[]): string => rows.join(' ').replace(/\s+/g, ' ');

  it('the board says what has to be done before r resumes', () => {
    const told = words(lines(tripped, on({}), look('80x24')));
    expect(told).toContain(
      'Read .liza/circuit_breaker_report.md, then in another terminal: liza analyze --resolve "…"; then r resumes',
    );
    expect(told).not.toMatch(/CHECKPOINT is on since \S+: r resumes/);
  });

  it.each(['80x24', '40x10'])('the answer to r is shown whole at %s, above the keys', (size) => {
    const said =
      'resume refused: the circuit breaker is TRIGGERED, and what it found is not resolved → Read .liza/circuit_breaker_report.md, then: liza analyze --resolve "…"';
    const rows = lines(tripped, on({ said }), look(size));
    expect(words(rows)).toContain(said);
    expect(rows.at(-1)).toMatch(/^a answer/);
  });
});

it('says on every page of a run without a sandbox that it is off, and never else', () => {
  const top = (view: CrewView, screen: Screen, size: string) => lines(view, screen, look(size))[0];
  for (const size of SIZES) {
    expect(top({ ...lively, unconfined: true }, on({}), size)).toMatch(/ sandbox off {2}IN_PROGRESS {2}\d\d:\d\d$/);
    expect(top(lively, on({}), size)).not.toContain('sandbox');
  }
});

it('shows a diff with its blanks and columns as they are, also where a line is cut', () => {
  const code = ['     if (x)   {   // one', '+\tkey:      value', `-${' '.repeat(70)}${'y'.repeat(20)}`];
  const shown = frame(lively, on({ pane: { kind: 'diff', task: 'retry-core' } }), look('80x24'), {
    loaded: { ...NOTHING_LOADED, diff: { title: 'retry-core', lines: code } },
  }).lines.map((line) => line.map(({ text }) => text).join(''));
  expect(shown.slice(1, 5)).toEqual([
    '     if (x)   {   // one',
    '+       key:      value',
    `-${' '.repeat(70)}${'y'.repeat(8)}`,
    'y'.repeat(12),
  ]);
});
