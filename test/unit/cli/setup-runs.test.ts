// While a set-up runs, every screen says what is tried, for how long, and why once more.

import { beforeEach, expect, test } from 'vitest';
import { frame } from '../../../src/cli/live/frame.ts';
import { FIRST_SCREEN } from '../../../src/cli/live/screen.ts';
import { formatProcess, identify, type ProcessIdentity } from '../../../src/process/process-identity.ts';
import { type SetupRun, setupRunText } from '../../../src/protocol/work/setup-runs.ts';
import { keepTryingSetup, type SetupTrials } from '../../../src/supervisor/setup-loop.ts';
import { announceRuns, setupRunsNow } from '../../../src/tasks/setup-runs.ts';
import { hostAt } from '../../host.ts';
import { boardContext } from '../../support/board-context.ts';
import { COMMIT } from '../boards/empty-board.ts';
import { aState, aTask, NOW, type Project, project } from './fixtures.ts';
import { lively, textOf } from './live/scenes.ts';

const FIRST: SetupRun = { command: 'npm ci', part: 'trial', task: '_preflight', since: NOW - 72_000, attempt: 1 };
const AGAIN: SetupRun = { ...FIRST, attempt: 2, why: 'a setting changed' };
const own = formatProcess(identify(hostAt(), process.pid) as ProcessIdentity);

let here: Project;
const announce = (run: object, by = own): void =>
  here.write({ '.liza/cache/setup-runs/1.json': JSON.stringify({ process: by, ...run }) });

beforeEach(() => {
  here = project({ tasks: [aTask('a', { status: 'UNCLAIMED' }), aTask('b', { status: 'DRAFT' })] });
});

test('status tells it with its time', async () => {
  announce(FIRST);
  const { stdout } = await here.liza(['status']);
  expect(stdout).toContain('\nSet-up runs for the integration branch, for 1m 12s: npm ci\n');
});

test('why it is tried again, in status, show and --json', async () => {
  announce(AGAIN);
  const told = 'for 1m 12s: npm ci (attempt 2: a setting changed)';
  expect((await here.liza(['status'])).stdout).toContain(told);
  expect((await here.liza(['show', 'a'])).stdout.replace(/\s+/g, ' ')).toContain(told);
  expect(JSON.parse((await here.liza(['show', 'a', '--json'])).stdout)).toMatchObject({ setup_runs: [AGAIN] });
  expect(JSON.parse((await here.liza(['status', '--json'])).stdout)).toMatchObject({ setUp: [AGAIN] });
  expect((await here.liza(['show', 'b'])).stdout).not.toContain('npm ci');
});

test('a run of a task is shown with that task alone', async () => {
  announce({ ...FIRST, part: 'review', task: 'b' });
  expect((await here.liza(['show', 'b'])).stdout).toContain('set-up runs for the review of b');
  expect((await here.liza(['show', 'a'])).stdout).not.toContain('set-up runs');
});

test.each([
  ['a process that is gone', { ...FIRST }, 'boot/1/1'],
  ['another version', { ...FIRST, part: 'elsewhere' }, own],
  ['nobody', {}, own],
])('what %s left says nothing', async (_who, run, by) => {
  announce(run, by);
  expect((await here.liza(['status'])).stdout).not.toContain('Set-up');
});

test('it is announced while it runs, counted, and gone afterwards', () => {
  const context = boardContext(here.root, { host: hostAt(() => NOW) });
  const runs = announceRuns(context, { part: 'check', failed: 1, why: 'the integration branch moved' });
  const first = runs.begin('npm ci');
  expect(first.text).toBe(' (attempt 2: the integration branch moved)');
  expect(setupRunsNow(context)).toEqual([
    { command: 'npm ci', part: 'check', since: NOW, attempt: 2, why: 'the integration branch moved' },
  ]);
  first.end();
  expect(setupRunsNow(context)).toEqual([]);
  runs.because('all files are there now');
  const second = runs.begin('npm ci');
  expect(second.text).toBe(' (attempt 3: all files are there now)');
  second.end();
  expect(runs.count()).toBe(3);
});

const page = (view: Partial<typeof lively>): string => {
  const at = { color: false, unicode: true, width: 79, height: 23, zone: 0 };
  return frame({ ...lively, ...view }, FIRST_SCREEN, at)
    .lines.map(textOf)
    .join('\n');
};

test('the live board tells it above its agents, in steps of five seconds', () => {
  const now = { setUp: [{ ...AGAIN, since: lively.now - 14_000 }] };
  expect(page(now)).toContain('Set-up runs for the integration branch, for 10s: npm ci (attempt 2: a setting');
});

test('while it is tried again, the failure is told by its alarm alone', () => {
  const waitsFor = 'set-up fails for the integration branch (1a2b): npm ci ended with 1';
  expect(page({ waitsFor })).toContain('Nothing moves: set-up fails');
  expect(page({ waitsFor, setUp: [FIRST] })).not.toContain('Nothing moves');
  expect(page({ waitsFor: 'PAUSED by you', setUp: [FIRST] })).toContain('Nothing moves');
});

test('each time is told in its own words', () =>
  expect(setupRunText(AGAIN, NOW, (ms) => `${ms} ms`)).toBe(
    'set-up runs for the integration branch, for 72000 ms: npm ci (attempt 2: a setting changed)',
  ));

test('what pre-flight tries is not tried beside it', async () => {
  const over = new AbortController();
  const failure = { time: '2026-03-01T11:00:00Z', part: 'check', commit: COMMIT, tree: COMMIT, on_base: true };
  const told = { rules: '', reason: 'npm ci ended with 1', remedy: 'mend it' };
  const { goal } = aState();
  const state = aState({
    goal: { ...goal, setup_failures: [{ ...failure, ...told, part: 'check' }] },
    config: { post_worktree_cmd: 'npm ci' },
  });
  const store = { read: async () => ({ board: { state } }) };
  const trials = {
    // It has no git: a trial would fail.
    context: { clock: { now: () => NOW }, store },
    changeSignal: { count: () => 0, wait: async () => over.abort() },
    isTried: () => true,
  } as unknown as SetupTrials;
  await expect(keepTryingSetup(trials, over.signal)).resolves.toBeUndefined();
});
