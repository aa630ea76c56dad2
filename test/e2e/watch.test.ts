// `liza watch --once` as cron and CI call it, and `liza status` as a person does: both know of a tripped breaker, a
// deadline, a touched CHECKPOINT, edits by hand and records that were set aside.

import fs from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, until } from '../support/program.ts';

interface Found {
  readonly alarms: readonly { readonly key: string; readonly text: string; readonly new: boolean }[];
  readonly governed: readonly string[];
}

let p: BuiltProject;
beforeEach(() => {
  p = builtProject();
});

const once = (): Found & { readonly code: number | null } => {
  const { code, stdout } = p.liza(['watch', '--once', '--json']);
  return { ...(JSON.parse(stdout) as Found), code };
};
const alarms = ({ alarms: found }: Found): readonly string[] => found.map(({ text }) => text);
const papers = (): readonly string[] =>
  fs.existsSync(p.file('.liza/checkpoints')) ? fs.readdirSync(p.file('.liza/checkpoints')) : [];
const told = (): readonly string[] =>
  p
    .read('.liza/alerts.log')
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(line.indexOf(' ') + 1));

describe('watch --once does what the watcher does', () => {
  test('a pattern trips the breaker, halts, reports, and is an alarm until it is resolved', () => {
    expect(once()).toMatchObject({ code: 0, alarms: [], governed: [] });
    for (const error of ['queue lock timeout', 'lock timeout in the queue', 'the queue lock timed out']) {
      const told = ['anomaly', '--type', 'retry_loop', '--detail', 'count=3', '--detail', `error_pattern=${error}`];
      p.ok(told, { as: 'coder-1' });
    }
    const found = once();
    expect(found.code).toBe(1);
    expect(found.governed[0]).toBe('circuit breaker TRIGGERED: retry_cluster');
    expect(found.governed[1]).toMatch(/^summary written: \.liza\/checkpoints\//);
    const text = alarms(found)[0] ?? '';
    expect(text).toMatch(
      /^🚨 CIRCUIT BREAKER: retry_cluster \(ARCHITECTURE_FLAW\) — 3 × .*lock.*; read \.liza\/circuit_breaker_report\.md$/u,
    );
    expect(p.read('.liza/circuit_breaker_report.md')).toContain('lock timeout in the queue');
    expect([fs.existsSync(p.file('.liza/CHECKPOINT')), papers().length]).toEqual([true, 1]);
    const status = p.ok(['status']).stdout.replace(/\s+/g, ' ');
    expect(status).toContain('CIRCUIT BREAKER: retry_cluster');
    expect(status).toContain('anomaly-2 retry_loop, coder-1: count: 3; error_pattern: lock timeout in the queue');
    expect(status).toContain('Nothing moves: CHECKPOINT is on');
    expect(once()).toMatchObject({ code: 1, governed: [], alarms: [{ text, new: false }] });
    p.ok(['analyze', '--resolve', 'one lock per queue']);
    p.ok(['resume', '--decision', 'continue']);
    expect(once()).toMatchObject({ code: 0, alarms: [], governed: [] });
    expect(told()).toEqual([text, `cleared: ${text}`]);
  });

  test('a touched CHECKPOINT is summed up, and a removed one is over', () => {
    fs.writeFileSync(p.file('.liza/CHECKPOINT'), '');
    expect(once()).toMatchObject({
      code: 0,
      governed: [expect.stringMatching(/^CHECKPOINT is on: its file was created; \.liza\/checkpoints\//)],
    });
    expect(papers()).toHaveLength(1);
    fs.rmSync(p.file('.liza/CHECKPOINT'));
    expect(once()).toMatchObject({ governed: ['CHECKPOINT has ended: its file was removed'] });
    expect(once()).toMatchObject({ governed: [] });
  });

  test.runIf(inFull)(
    'a deadline halts when it passes and is told at once; the decision clears it (in test:all)',
    async () => {
      const at = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000);
      p.ok(['sprint', 'deadline', at.toISOString().replace('.000', '')]);
      expect(once()).toMatchObject({ code: 0, governed: [] });
      await until(() => Date.now() >= at.getTime());
      const found = once();
      expect(found.governed[0]).toMatch(/^CHECKPOINT is on: the deadline \S+ has passed; \.liza\/checkpoints\//);
      expect(alarms(found)[0]).toMatch(/^🚨 DEADLINE PASSED: sprint-1 — /u);
      p.ok(['resume', '--decision', 'continue', '--note', 'two more days']);
      expect(once()).toMatchObject({ code: 0, alarms: [], governed: [] });
      expect(told()).toHaveLength(2);
    },
  );

  test('a board that cannot be read is an alarm, and nothing is governed', () => {
    p.write({ '.liza/state.yaml': 'tasks: [\n' });
    const found = once();
    expect(found.code).toBe(1);
    expect(alarms(found)[0]).toMatch(/^🚨 INVALID STATE: line 2, column 1: /u);
    expect(p.read('.liza/state.yaml')).toBe('tasks: [\n');
  });
});

describe('status shows the alarms of the watcher', () => {
  const status = (): string => p.ok(['status']).stdout.replace(/\s+/g, ' ');
  beforeEach(() => {
    p.ok([
      ...[
        'add-task',
        '--id',
        'a',
        '--desc',
        'make a',
        '--spec',
        'specs/vision.md',
        '--done',
        'a is there and exported',
      ],
      ...['--scope', 'IN: src/', '--validate', 'test -d .', '--ready'],
    ]);
  });
  const edit = (from: string, to: string): void => {
    const text = p.read('.liza/state.yaml');
    expect(text).toContain(from);
    p.write({ '.liza/state.yaml': text.replace(from, to) });
  };

  test('an edit by hand, once it is taken in', () => {
    edit('description: make a', 'description: make all of a');
    p.ok(['note', 'hello']);
    expect(status()).toMatch(/EXTERNAL EDIT: entry \d+ — .*tasks\/a/);
  });

  test('a record that was set aside, until its file is gone', () => {
    edit('status: UNCLAIMED', 'status: MERGED');
    p.ok(['note', 'hello']);
    expect(status()).toMatch(/EXTERNAL EDIT: tasks\/a was set aside: .* kept in \.liza\/rejected\/\S+-tasks-a\.yaml/);
    const seen = JSON.parse(p.ok(['status', '--json']).stdout) as { alarms: { key: string }[] };
    expect(seen.alarms.map(({ key }) => key)).toEqual(once().alarms.map(({ key }) => key));
    for (const name of fs.readdirSync(p.file('.liza/rejected'))) fs.rmSync(p.file(`.liza/rejected/${name}`));
    expect(status()).not.toContain('was set aside');
  });

  test('an edit that liza validate refuses, at every look until it is mended', () => {
    const good = p.read('.liza/state.yaml');
    edit('status: UNCLAIMED', 'status: FOO');
    expect(p.liza(['validate']).code).toBe(1);
    const found = once();
    expect(found.code).toBe(1);
    expect(alarms(found)).toEqual([expect.stringMatching(/^🚨 INVALID STATE: tasks\.0\.status \(line \d+\): /u)]);
    expect(status()).toContain('INVALID STATE: tasks.0.status');
    p.write({ '.liza/state.yaml': good });
    expect(p.liza(['validate']).code).toBe(0);
    expect(alarms(once())).toEqual([]);
  });
});
