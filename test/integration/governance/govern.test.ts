// Checkpoints and the circuit breaker on a real project: the halt, its summary held against the journal, files that
// are touched and removed by hand, the deadline, a summary that a crash kept from being written, the breaker's report.

import fs from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkBreaker, resolveBreaker } from '../../../src/governance/analyze.ts';
import { attendCheckpoint, checkpoint } from '../../../src/governance/checkpoint.ts';
import { govern } from '../../../src/governance/govern.ts';
import { retrospective } from '../../../src/governance/retrospective.ts';
import { transact } from '../../../src/store/transact.ts';
import { refusedBy } from '../../refused-by.ts';
import { type Project, project, succeeded } from '../../support/project.ts';

let p: Project;

const WATCHER = { actor: { parts: ['supervisor' as const] } };
const watch = async (): Promise<readonly string[]> => {
  const done = await govern(p.as(undefined, WATCHER));
  if ('ok' in done) throw new Error(done.message);
  return done;
};
const papers = (): readonly string[] => {
  const folder = p.file('.liza/checkpoints');
  return fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
};
const paper = (name = papers().at(-1) ?? ''): string => fs.readFileSync(p.file('.liza/checkpoints', name), 'utf8');
const switches = async (): Promise<readonly string[]> => Object.keys((await p.store.read()).board.switches);
const sprint = async () => (await p.state()).sprint;

/** Each step at a time of its own. */
async function work(): Promise<void> {
  p.pass(60);
  await p.approved('t', { 'src/t.ts': 'export const t = 1;\n', 'test/t.test.ts': 'test(1);\n' });
  p.pass(60);
  await p.merge('t');
  p.pass(60);
  await p.submitted('u', { 'src/u.ts': 'export const u = 1;\n', 'test/u.test.ts': 'test(1);\n' }, 'coder-2');
  p.pass(60);
  await p.reject('u');
  p.pass(60);
  await p.claim('v', 'coder-3');
  const questions = ['Which account may the tests use?'];
  await p.run('coder-3', { name: 'block', task: 'v', reason: 'no sandbox', questions });
}

/** What the journal's commands are called in a task's history. */
const EVENTS: Readonly<Record<string, string>> = {
  'claim-task': 'claimed',
  begin: 'pre execution checkpoint',
  'submit-for-review': 'submitted',
  'claim-review': 'review claimed',
  merge: 'merged',
  block: 'blocked',
  replan: 'blocked',
};

/** Of the section `### task: STATUS`. */
const linesOf = (summary: string, task: string): readonly string[] =>
  (summary.split(`### ${task}: `)[1]?.split('\n#')[0] ?? '').split('\n').filter((line) => line.startsWith('- '));

describe('a checkpoint', () => {
  test('halts, and its summary says what the journal says', async () => {
    p = project({ tasks: ['t', 'u', 'v', 'idle'] });
    await work();
    p.pass(60);
    const halted = succeeded(await checkpoint(p.as(), 'before the release'));
    expect(await switches()).toEqual(['CHECKPOINT']);
    expect(await sprint()).toMatchObject({ status: 'CHECKPOINT' });
    expect(halted.file).toBe(`.liza/checkpoints/${papers()[0]}`);
    const summary = paper();
    let compared = 0;
    for await (const { time, actor, command, task } of p.store.journal()) {
      const event = EVENTS[command];
      if (task === undefined || event === undefined) continue;
      expect(linesOf(summary, task).join('\n'), `${command} ${task}`).toContain(`- ${time} ${event} by ${actor}`);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(8);
    const history = (await p.task('u')).history ?? [];
    expect(linesOf(summary, 'u')).toHaveLength(history.length);
    expect(summary).toContain('Halted: 2026-03-01T09:06:00Z, before the release');
    expect(summary).toContain('| tasks_merged | 1 |');
    expect(summary).toContain('| tasks_blocked | 1 |');
    expect(summary).toContain('- Approval rate: 50 % of 2 verdicts');
    expect(summary).toContain('  - Which account may the tests use?');
    expect(summary).toContain('v is BLOCKED: no sandbox.');
  });

  test('the next one covers what came since; agents’ work stays as it was', async () => {
    p = project({ tasks: ['t', 'u', 'v'] });
    await work();
    p.pass(60);
    succeeded(await checkpoint(p.as()));
    const before = p.git('-C', p.folder('u'), 'status', '--porcelain', '--branch');
    await p.run(undefined, { name: 'resume', decision: 'continue' });
    expect(p.git('-C', p.folder('u'), 'status', '--porcelain', '--branch')).toBe(before);
    p.pass(60);
    await p.claim('u', 'coder-2');
    p.pass(60);
    succeeded(await checkpoint(p.as(), 'again'));
    expect(papers()).toHaveLength(2);
    expect(linesOf(paper(), 'u')).toEqual([expect.stringMatching(/claimed by coder-2/)]);
    expect(linesOf(paper(), 't')).toEqual([]);
    expect(paper()).toContain('- Covers: since 2026-03-01T09:06:00Z');
  });

  test('repeated, it says so and writes nothing', async () => {
    p = project();
    succeeded(await checkpoint(p.as()));
    const text = paper();
    p.pass(60);
    expect(succeeded(await checkpoint(p.as())).committed.already).toBe(true);
    expect(papers()).toHaveLength(1);
    expect(paper()).toBe(text);
  });

  test('a touched CHECKPOINT is one, and a removed one is over', async () => {
    p = project();
    fs.writeFileSync(p.file('.liza/CHECKPOINT'), '');
    expect(await watch()).toEqual([
      expect.stringMatching(/^CHECKPOINT is on: its file was created; \.liza\/checkpoints\//),
    ]);
    expect(await sprint()).toMatchObject({ status: 'CHECKPOINT' });
    expect(await watch()).toEqual([]);
    fs.rmSync(p.file('.liza/CHECKPOINT'));
    expect(await watch()).toEqual(['CHECKPOINT has ended: its file was removed']);
    expect(await sprint()).toMatchObject({ status: 'IN_PROGRESS' });
    expect((await p.state()).goal.alignment_history?.at(-1)).toMatchObject({
      event: 'resumed',
      summary: 'CHECKPOINT was removed by hand, without a recorded decision',
    });
    expect(await watch()).toEqual([]);
  });

  test('what was seen in the middle of a resume or a checkpoint is not acted upon', async () => {
    p = project();
    succeeded(await checkpoint(p.as()));
    const halted = await p.store.read();
    await p.run(undefined, { name: 'resume', decision: 'continue' });
    const gone = await p.store.read();
    // The state is committed before the file goes, and before it comes.
    const resuming = { ...gone, board: { ...gone.board, switches: halted.board.switches } };
    expect(await attendCheckpoint(p.as(undefined, WATCHER), resuming)).toBeUndefined();
    expect([await switches(), (await sprint()).status]).toEqual([[], 'IN_PROGRESS']);
    p.pass(60);
    succeeded(await checkpoint(p.as()));
    const again = await p.store.read();
    const halting = { ...again, board: { ...again.board, switches: {} } };
    expect(await attendCheckpoint(p.as(undefined, WATCHER), halting)).toBeUndefined();
    expect([await switches(), (await sprint()).status]).toEqual([['CHECKPOINT'], 'CHECKPOINT']);
  });

  test('a summary that was never written is written by whoever looks next', async () => {
    p = project();
    succeeded(await transact(p.as(), { name: 'checkpoint', reason: 'killed right after' }));
    expect(papers()).toEqual([]);
    expect(await watch()).toEqual([expect.stringMatching(/^summary written: /)]);
    expect(paper()).toContain('killed right after');
    expect(await attendCheckpoint(p.as(undefined, WATCHER))).toBeUndefined();
  });

  test('a deadline halts exactly when it passes, and once', async () => {
    p = project();
    const deadline = '2026-03-01T10:00:00Z';
    await p.run(undefined, { name: 'sprint deadline', deadline });
    expect((await sprint()).timeline.deadline).toBe(deadline);
    p.pass(3599);
    expect(await watch()).toEqual([]);
    p.pass(1);
    expect(await watch()).toEqual([expect.stringContaining(`the deadline ${deadline} has passed`)]);
    expect(paper()).toContain(`The deadline ${deadline} has passed. Continue, reduce the scope, or stop?`);
    await p.run(undefined, { name: 'resume', decision: 'continue', note: 'two more days' });
    p.pass(3600);
    expect(await watch()).toEqual([]);
    await p.run(undefined, { name: 'sprint deadline', deadline: '2026-03-01T12:00:00Z' });
    p.pass(3600);
    expect(await watch()).toEqual([expect.stringContaining('the deadline 2026-03-01T12:00:00Z has passed')]);
  });
});

describe('the circuit breaker', () => {
  const retry = (agent: string, task: string, error_pattern: string) =>
    p.run(agent, { name: 'anomaly', type: 'retry_loop', task, details: { count: 4, error_pattern } });

  test('trips at the third similar anomaly, with report and summary; resolved, the work goes on', async () => {
    p = project({ tasks: ['t', 'u', 'v'] });
    await retry('coder-1', 't', 'connect ECONNREFUSED 127.0.0.1:5432');
    await retry('coder-2', 'u', 'ECONNREFUSED on connect');
    expect(await watch()).toEqual([]);
    await retry('coder-3', 'v', 'connect: econnrefused (port 5433)');
    expect(await watch()).toEqual([
      'circuit breaker TRIGGERED: retry_cluster',
      expect.stringMatching(/^summary written: /),
    ]);
    expect(await switches()).toEqual(['CHECKPOINT']);
    const report = fs.readFileSync(p.file('.liza/circuit_breaker_report.md'), 'utf8');
    for (const named of ['anomaly-1', 'anomaly-2', 'anomaly-3', 'ECONNREFUSED', '- t:', '- v:', 'specs/vision.md']) {
      expect(report).toContain(named);
    }
    expect(paper()).toContain('The circuit breaker is TRIGGERED: retry_cluster');
    expect(await watch()).toEqual([]);
    const early = await transact(p.as(), { name: 'resume', decision: 'continue' });
    expect(early).toMatchObject(refusedBy('breaker-resolved', { ok: false }));
    succeeded(await resolveBreaker(p.as(), 'a database per worker'));
    expect(fs.readFileSync(p.file('.liza/circuit_breaker_report.md'), 'utf8')).toContain('a database per worker');
    await p.run(undefined, { name: 'resume', decision: 'continue' });
    expect(await switches()).toEqual([]);
    expect(await watch()).toEqual([]);
    await p.claim('t');
  });

  test('a lost report is written again; nothing is written while there is nothing to say', async () => {
    p = project({ tasks: ['t'] });
    const entries = async () => (await p.store.read()).seq;
    const before = await entries();
    expect(await checkBreaker(p.as(undefined, WATCHER))).toBeUndefined();
    expect(await entries()).toBe(before);
    for (const n of [1, 2, 3]) await retry(`coder-${n}`, 't', 'the queue lock is held');
    await watch();
    fs.rmSync(p.file('.liza/circuit_breaker_report.md'));
    await watch();
    expect(fs.existsSync(p.file('.liza/circuit_breaker_report.md'))).toBe(true);
  });
});

describe('a retrospective', () => {
  test('drafts the data part once, keeps what people write, and takes what they learned', async () => {
    p = project({ tasks: ['t', 'u', 'v'] });
    await work();
    const template = '# Retrospective: <sprint>\n\n## The numbers\n\nPlanned, merged.\n\n## Mine\n\nas I like it\n';
    const made = succeeded(await retrospective(p.as(), template));
    expect(made).toMatchObject({ drafted: true });
    const path = p.file(made.file);
    const text = fs.readFileSync(path, 'utf8');
    expect(text).toContain('# Retrospective: sprint-1');
    expect(text).toContain('| tasks_merged | 1 |');
    expect(text).toContain('## Mine\n\nas I like it');
    expect(text).toMatch(/\| u \| REJECTED \| 1 \| 1 \|/);
    fs.writeFileSync(path, `${text}my own words\n`);
    p.pass(60);
    const learned = succeeded(await retrospective(p.as(), template, 'cut by file'));
    expect(learned).toMatchObject({ drafted: false, file: made.file });
    expect(fs.readFileSync(path, 'utf8')).toMatch(
      /my own words\n\n## What we learned \(2026-03-01T09:06:00Z\)\n\ncut by file\n$/,
    );
    expect((await sprint()).retrospective).toEqual({ file: made.file, learned: ['cut by file'] });
    succeeded(await retrospective(p.as(), template, 'cut by file'));
    expect(fs.readFileSync(path, 'utf8').match(/cut by file/g)).toHaveLength(1);
  });
});
