// analyze, checkpoint, resume with a decision, retrospective, metrics, spec-change and anomaly processed as they are typed.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { openSession } from '../../../src/identity/agent-sessions.ts';
import type { Anomaly } from '../../../src/protocol/state.ts';
import { aClaim, agents, aTask, NOW, type Project, project, sessionsAt } from './fixtures.ts';

const retry = (n: number, error_pattern: string): Anomaly => ({
  id: `anomaly-${n}`,
  type: 'retry_loop',
  task: 'live',
  reporter: 'coder-1',
  timestamp: '2026-03-01T11:30:00Z',
  details: { count: 3, error_pattern },
});

let here: Project;
beforeEach(() => {
  here = project({
    agents: agents({ coder: 'live' }),
    tasks: [aClaim('live'), aTask('done', { status: 'MERGED', merge_commit: 'c'.repeat(40) })],
  });
});

const switches = async () => Object.keys((await here.store.read()).board.switches);
const papers = () => readdirSync(here.file('.liza', 'checkpoints'));

test('checkpoint halts, names its summary, and says how to go on', async () => {
  const ran = await here.liza(['checkpoint', '--reason', 'before the release']);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toMatch(
    /CHECKPOINT is on: before the release\n.*Read \.liza\/checkpoints\/.*-sprint-1\.md\n.*liza resume --decision/s,
  );
  expect(await switches()).toEqual(['CHECKPOINT']);
  expect(readFileSync(here.file('.liza', 'checkpoints', papers()[0] ?? ''), 'utf8')).toContain('before the release');
  const again = await here.liza(['checkpoint', '--json']);
  expect(again.json).toMatchObject({ ok: true, already: true });
  expect(papers()).toHaveLength(1);
});

test('resume takes one of four decisions and refuses others, saying which', async () => {
  await here.liza(['checkpoint']);
  const free = await here.liza(['resume', '--decision', 'go on']);
  expect(free.code).toBe(1);
  expect(free.stderr).toContain('continue, adjust-specs, replan, stop');
  const mute = await here.liza(['resume', '--decision', 'replan']);
  expect(mute.stderr).toContain('--note');
  expect(await switches()).toEqual(['CHECKPOINT']);
  expect(
    (await here.liza(['resume', '--decision', 'adjust-specs', '--note', '-'], { stdin: 'three tries\n' })).code,
  ).toBe(0);
  expect(await switches()).toEqual([]);
  const state = await here.state();
  expect(state.human_notes).toMatchObject([{ message: 'Decided at the CHECKPOINT, adjust-specs: three tries' }]);
  expect(state.goal.alignment_history?.at(-1)).toMatchObject({
    event: 'resumed',
    summary: 'adjust-specs: three tries',
  });
});

test('resume --decision stop aborts', async () => {
  await here.liza(['checkpoint']);
  expect((await here.liza(['resume', '--decision', 'stop', '--note', 'wrong goal'])).code).toBe(0);
  expect(await switches()).toEqual(['ABORT']);
  expect((await here.state()).goal.status).toBe('ABORTED');
  expect((await here.liza(['resume'])).code).toBe(0);
  expect((await here.state()).goal.status).toBe('IN_PROGRESS');
});

test('a decision on a board that is not halted is recorded, once', async () => {
  expect((await here.liza(['resume', '--decision', 'replan', '--note', 'smaller'])).stdout).toContain(
    'replan: smaller',
  );
  expect((await here.liza(['resume', '--decision', 'replan', '--note', 'smaller'])).stdout).toMatch(/^already done/);
  expect((await here.state()).human_notes).toHaveLength(1);
});

test('analyze finds nothing and says so', async () => {
  const ran = await here.liza(['analyze']);
  expect(ran).toMatchObject({ code: 0, stdout: 'no systemic pattern found\n' });
  expect(existsSync(here.file('.liza', 'circuit_breaker_report.md'))).toBe(false);
  expect((await here.state()).circuit_breaker).toHaveProperty('last_check');
});

test('analyze trips, --resolve clears, and only then resume goes on', async () => {
  here = project({
    agents: agents({ coder: 'live' }),
    tasks: [aClaim('live')],
    anomalies: [
      retry(1, 'queue lock timeout'),
      retry(2, 'lock timeout in the queue'),
      retry(3, 'queue: lock timed out'),
    ],
  });
  const ran = await here.liza(['analyze', '--json']);
  expect(ran.json).toMatchObject({
    breaker: 'TRIGGERED',
    report: '.liza/circuit_breaker_report.md',
    findings: [{ pattern: 'retry_cluster', flaw: 'ARCHITECTURE_FLAW', tasks: ['live'] }],
  });
  expect(readFileSync(here.file('.liza', 'circuit_breaker_report.md'), 'utf8')).toContain('anomaly-2');
  expect((await here.liza(['resume'])).stderr).toContain('liza analyze --resolve');
  expect((await here.liza(['analyze', '--resolve', ''])).code).toBe(1);
  expect((await here.liza(['analyze', '--resolve', 'one lock per queue'])).stdout).toContain('CHECKPOINT is still on');
  expect((await here.liza(['resume', '--decision', 'continue'])).code).toBe(0);
  expect((await here.liza(['analyze'])).stdout).toBe('no systemic pattern found\n');
});

test('an agent may not resolve a breaker, hold a retrospective, resume, or mark anomalies as processed', async () => {
  for (const argv of [
    ['analyze', '--resolve', 'fine'],
    ['retrospective'],
    ['resume'],
    ['anomaly', 'processed', 'a-1'],
  ]) {
    const opening = { agent: 'coder-1', role: 'coder' as const, pid: process.pid };
    const { credential } = openSession(sessionsAt(here.root), opening, NOW);
    const ran = await here.liza(argv, { as: 'coder-1', env: { LIZA_SESSION: credential } });
    expect(ran.code, argv.join(' ')).toBe(1);
    expect(ran.stderr).toContain('not for coder-1');
  }
});

test('retrospective drafts from the shipped template and keeps what was learned', async () => {
  const ran = await here.liza(['retrospective']);
  expect(ran.stdout).toMatch(/Drafted \.liza\/checkpoints\/.*-sprint-1-retrospective\.md/);
  const learned = await here.liza(['retrospective', '--learned', '-'], { stdin: 'cut by file\n' });
  expect(learned.stdout).toContain('recorded');
  const text = readFileSync(here.file('.liza', 'checkpoints', papers()[0] ?? ''), 'utf8');
  expect(text).toContain('# Retrospective: sprint-1');
  expect(text).toMatch(/## What we learned .*\n\ncut by file\n$/);
  expect((await here.state()).sprint.retrospective).toMatchObject({ learned: ['cut by file'] });
  expect((await here.liza(['retrospective', '--learned', ' '])).code).toBe(1);
});

test('metrics has every documented name, and each task', async () => {
  const { json } = await here.liza(['metrics', '--json']);
  expect(Object.keys(json.metrics as object)).toEqual([
    'tasks_total',
    'tasks_done',
    'tasks_merged',
    'tasks_in_progress',
    'tasks_blocked',
    'tasks_abandoned',
    'iterations_total',
    'review_cycles_total',
    'review_verdict_approvals',
    'review_verdict_rejections',
    'review_verdict_approval_rate_percent',
    'task_submitted_for_review_count',
    'task_outcome_approval_rate_percent',
    'first_pass_rate_percent',
    'drift_commits_total',
    'tokens_total',
    'cost_usd_total',
  ]);
  expect(json.metrics).toMatchObject({ first_pass_rate_percent: null });
  expect((await here.liza(['metrics', '--record'])).stdout).toMatch(/first_pass_rate_percent +none yet/);
  expect((await here.state()).sprint.metrics).toMatchObject({ first_pass_rate_percent: null });
  expect(json).toHaveProperty('time_in_state_seconds');
  expect(json.tasks).toMatchObject({ live: { status: 'CLAIMED', input_tokens: 0 }, done: { status: 'MERGED' } });
});

test('spec-change lists the live tasks it touches', async () => {
  const ran = await here.liza(['spec-change', 'specs/auth.md', 'tokens', 'live', 'longer', '--json']);
  expect(ran.json).toMatchObject({ touched: [{ id: 'live', status: 'CLAIMED' }] });
});

test('spec-change keeps a spec as tasks name it', async () => {
  await here.liza(['spec-change', './specs/auth.md#retry', 'five tries']);
  expect((await here.state()).spec_changes).toMatchObject([{ spec: 'specs/auth.md#retry' }]);
  expect((await here.liza(['spec-change', 'specs/../../x.md', 'five tries'])).stderr).toContain(
    'no document of the project',
  );
});

test('spec-change refuses a spec that nobody knows, and takes one that was removed', async () => {
  const typo = await here.liza(['spec-change', 'specs/auht.md', 'tokens live longer']);
  expect(typo.stderr).toContain('there is no file specs/auht.md');
  expect(typo.stderr).toContain('Live tasks come from specs/auth.md');
  expect((await here.state()).spec_changes).toEqual([]);
  rmSync(here.file('specs', 'auth.md'));
  expect((await here.liza(['spec-change', 'specs/auth.md', 'gone'])).code).toBe(0);
});

test('anomaly processed marks what was dealt with, and keeps it', async () => {
  await here.liza(['anomaly', '--type', 'spec_gap', '--detail', 'question=how often?']);
  expect((await here.liza(['anomaly', 'processed', 'anomaly-1'])).code).toBe(0);
  expect((await here.state()).anomalies).toMatchObject([{ type: 'spec_gap', processed_by: 'human' }]);
  expect((await here.liza(['anomaly', 'processed', 'anomaly-1'])).stdout).toMatch(/^already done/);
  expect((await here.liza(['anomaly', 'processed', 'anomaly-7'])).stderr).toContain('there is no anomaly anomaly-7');
});

test.each(['2027-02-30', '2027-02-29T12:00:00Z', '2027-04-31T12:00:00+02:00', '2027-03-01T24:00:00Z'])(
  'a deadline that no calendar has is refused: %s',
  async (when) => {
    const ran = await here.liza(['sprint', 'deadline', when]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('is not a real date');
    expect((await here.state()).sprint.timeline).not.toHaveProperty('deadline');
  },
);

test('the 29th of February is a day in a leap year', async () => {
  expect((await here.liza(['sprint', 'deadline', '2028-02-29'])).code).toBe(0);
  expect((await here.state()).sprint.timeline.deadline).toBe('2028-02-29T00:00:00Z');
});

test('a decision where nothing was halted says so', async () => {
  expect((await here.liza(['resume', '--decision', 'continue'])).stdout).toContain('nothing was halted');
});
