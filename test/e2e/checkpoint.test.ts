// A checkpoint while a real `liza run` is at work, by command and by a tripped breaker: agents stop at a safe point,
// the summary says what the journal says, the decision lets the work go on to its end, and nothing is lost.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { instant, iso } from '../../src/text/time.ts';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject, until } from '../support/program.ts';

const RUN = ['run', '--agent', 'rehearsal', '--plain', '--coders', '2'];

const begin = {
  begin: { intent: 'a file', risks: 'none', validation: 'node --test passes', files: ['src/{task}.mjs'] },
};
/** Commits, leaves a file uncommitted, and works on for ever. */
const BUSY = [
  begin,
  { write: 'src/{task}.mjs', text: 'export const a = 1;\n' },
  {
    write: 'test/{task}.test.mjs',
    text: "import assert from 'node:assert';\nimport { a } from '../src/{task}.mjs';\nassert.equal(a, 1);\n",
  },
  { commit: '{task}: made' },
  { write: 'note.txt', text: 'not committed\n' },
];
const DONE = [{ remove: 'note.txt' }, { submit: 'HEAD' }, { exit: 42, reason: 'submitted' }];
const OTHERS = [
  { role: 'code-reviewer', steps: [{ approve: 'good\n1: ran node --test' }, { exit: 0 }] },
  { role: 'planner', when: 'ALL_TERMINAL', steps: [{ liza: ['goal', 'complete'] }, { exit: 0 }] },
  { role: 'planner', when: 'HUMAN_NOTE', steps: [{ liza: ['align', 'the note was read'] }, { exit: 0 }] },
  { role: 'planner', steps: [{ exit: 0 }] },
];

function rehearsed(tasks: readonly string[], scenes: readonly object[]): BuiltProject {
  const made = builtProject();
  const script = made.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes: [...scenes, ...OTHERS] }));
  made.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  made.ok(['config', 'set', 'pause_grace', '1']);
  for (const id of tasks) {
    made.ok([
      ...[
        'add-task',
        '--id',
        id,
        '--desc',
        `make ${id}`,
        '--spec',
        'specs/vision.md',
        '--done',
        `${id} is there and exported`,
      ],
      ...['--scope', 'IN: src/, test/', '--validate', 'node --test', '--ready'],
    ]);
  }
  return made;
}

const inFolder = (p: BuiltProject, task: string, name = 'note.txt'): string => p.file('.worktrees', task, name);
const papers = (p: BuiltProject): readonly string[] =>
  fs.existsSync(p.file('.liza/checkpoints')) ? fs.readdirSync(p.file('.liza/checkpoints')) : [];
const paper = (p: BuiltProject): string => p.read(`.liza/checkpoints/${papers(p)[0]}`);
const working = (p: BuiltProject): readonly string[] =>
  Object.entries(p.board()['agents'] as Record<string, { status: string }>).flatMap(([id, { status }]) =>
    status === 'WORKING' ? [id] : [],
  );

/** What the journal's commands are called in a task's history. */
const EVENTS: Readonly<Record<string, string>> = { 'claim-task': 'claimed', begin: 'pre execution checkpoint' };

test.runIf(inFull)(
  'by command: agents end, the summary says what the journal says, and the work goes on to its end (in test:all)',
  async () => {
    const p = rehearsed(
      ['a', 'b'],
      [
        { role: 'coder', when: 'interrupted', steps: DONE },
        { role: 'coder', steps: [...BUSY, { hang: true }] },
      ],
    );
    const running = p.start(RUN);
    await until(() => ['a', 'b'].every((task) => fs.existsSync(inFolder(p, task))));
    const made = ['a', 'b'].map((task) => p.gitIn(p.folder(task), 'rev-parse', 'HEAD'));

    const halted = p.ok(['checkpoint', '--reason', 'before the release']);
    expect(halted.stdout).toContain(`Read .liza/checkpoints/${papers(p)[0]}`);
    // Without a terminal it ends when a person is needed, and says for what.
    const first = await running.ended;
    expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('CHECKPOINT is on') });
    expect(p.journal().filter(({ command }) => command === 'session-end')).toHaveLength(2);
    expect(['a', 'b'].map((task) => p.task(task).status)).toEqual(['CLAIMED', 'CLAIMED']);
    for (const task of ['a', 'b']) expect(fs.readFileSync(inFolder(p, task), 'utf8')).toBe('not committed\n');

    const summary = paper(p);
    const deeds = p
      .journal()
      .filter(({ command, task }) => task !== undefined && EVENTS[String(command)] !== undefined);
    expect(deeds).toHaveLength(4);
    for (const { time, actor, command, task } of deeds) {
      const section = summary.split(`### ${task}: CLAIMED`)[1]?.split('\n#')[0];
      // Decided, and a moment later written: a second may end in between.
      const told = [0, 1].map(
        (ago) => `- ${iso(instant(String(time)) - ago * 1000)} ${EVENTS[String(command)]} by ${actor}`,
      );
      expect(
        told.some((line) => section?.includes(line)),
        `${command} ${task}: ${told.join(' or ')} in ${section}`,
      ).toBe(true);
    }
    const metrics = JSON.parse(p.ok(['metrics', '--json']).stdout) as { metrics: Record<string, number> };
    for (const name of ['tasks_total', 'tasks_in_progress', 'tasks_merged', 'iterations_total']) {
      expect(summary).toContain(`| ${name} | ${metrics.metrics[name]} |`);
    }
    expect(metrics.metrics).toMatchObject({ tasks_total: 2, tasks_in_progress: 2, tasks_merged: 0 });

    // Nothing starts while it is on.
    const claim = p.liza(['claim-task', 'a', 'coder-1'], { as: 'coder-1' });
    expect(claim.stderr).toContain('CHECKPOINT is on');
    expect(p.ok(['resume', '--decision', 'continue', '--note', 'the scope stays']).stdout).toContain('the scope stays');
    const { code, stdout, stderr } = await p.start(RUN).ended;
    expect(code, stdout + stderr).toBe(0);
    expect(['a', 'b'].map((task) => p.task(task).status)).toEqual(['MERGED', 'MERGED']);
    const merged = p.git('rev-list', 'integration').split('\n');
    expect(made.every((commit) => merged.includes(commit))).toBe(true);
    expect(papers(p)).toHaveLength(1);
    expect(p.ok(['validate']).stdout).toContain('VALID');
  },
);

test('by the breaker: agents’ own reports halt the run, which says so; resolved, it goes on', async () => {
  const report = (error: string) => ({
    liza: ['anomaly', '--type', 'retry_loop', '--task', '{task}', '--detail', 'count=3', '--detail', error],
  });
  const said = ['queue lock timeout', 'lock timeout in the queue', 'the queue lock timed out'];
  const p = rehearsed(
    ['a'],
    [
      { role: 'coder', when: 'interrupted', steps: DONE },
      { role: 'coder', steps: [...BUSY, ...said.map((text) => report(`error_pattern=${text}`)), { hang: true }] },
    ],
  );
  const running = p.start(RUN);
  const first = await running.ended;
  expect(first).toMatchObject({ code: 1, stderr: expect.stringContaining('the circuit breaker tripped') });
  expect(first.stdout).toContain('CIRCUIT BREAKER: retry_cluster');
  expect(p.read('.liza/alerts.log')).toContain('🚨 CIRCUIT BREAKER: retry_cluster');
  expect(papers(p)).toHaveLength(1);
  expect(p.read('.liza/circuit_breaker_report.md')).toContain('lock timeout in the queue');
  expect(paper(p)).toContain('The circuit breaker is TRIGGERED: retry_cluster');
  expect(fs.readFileSync(inFolder(p, 'a'), 'utf8')).toBe('not committed\n');
  expect(p.liza(['resume', '--decision', 'continue'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('liza analyze --resolve'),
  });
  p.ok(['analyze', '--resolve', 'one lock per queue']);
  p.ok(['resume', '--decision', 'replan', '--note', 'one lock per queue']);
  const { code, stdout, stderr } = await p.start(RUN).ended;
  expect(code, stdout + stderr).toBe(0);
  expect(p.read('.liza/alerts.log')).toContain('cleared: 🚨 CIRCUIT BREAKER: retry_cluster');
  expect(p.task('a').status).toBe('MERGED');
  // The decision reached the planner, and its note is marked as read.
  expect(p.read('.liza/state.yaml')).toContain('the note was read');
  expect(p.board().human_notes).toMatchObject([
    { id: 'note-1', message: 'Decided at the CHECKPOINT, replan: one lock per queue' },
  ]);
  expect(working(p)).toEqual([]);
  // Each agent says in which terminal its supervisor is.
  const terminals = Object.values(p.board().agents as Record<string, { terminal?: string }>).map((one) => one.terminal);
  expect(new Set(terminals)).toEqual(new Set(['unknown']));
});
