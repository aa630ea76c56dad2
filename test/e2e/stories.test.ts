// Stories of questions, played by the built program with scripted agents: a planner that answers its coder, and a person
// who never answers anybody.

import fs from 'node:fs';
import { expect, test } from 'vitest';
import { inFull } from '../runs.ts';
import { type BuiltProject, builtProject } from '../support/program.ts';

const ADD = {
  add: {
    id: 'a',
    desc: 'make a',
    spec: 'specs/vision.md',
    done: 'src/a.mjs exports the number',
    scope: 'IN: src/, test/',
    validate: ['node --test'],
  },
};
const BEGIN = {
  begin: {
    intent: 'a number and its test',
    risks: 'none',
    validation: 'node --test: passes',
    files: ['src/a.mjs', 'test/a.test.mjs'],
  },
};
const made = (number: number): readonly object[] => [
  BEGIN,
  { write: 'src/a.mjs', text: `export const a = ${number};\n` },
  {
    write: 'test/a.test.mjs',
    text: `import assert from 'node:assert';\nimport { a } from '../src/a.mjs';\nassert.equal(a, ${number});\n`,
  },
  { commit: 'a: made' },
  { submit: 'HEAD' },
  { exit: 42, reason: 'submitted' },
];
const REVIEWER = {
  role: 'code-reviewer',
  steps: [{ approve: '1: src/a.mjs:1\n1: ran node --test' }, { exit: 0 }],
};
const RUN = ['run', '--agent', 'rehearsal', '--plain', '--coders', '1', '--until-idle'];

function rehearsed(scenes: readonly object[]): BuiltProject {
  const p = builtProject();
  const script = p.file('.liza', 'rehearsal.json');
  fs.writeFileSync(script, JSON.stringify({ scenes: [...scenes, REVIEWER] }));
  p.ok(['config', 'set', 'providers', JSON.stringify({ rehearsal: { script, pace: 0 } })]);
  return p;
}
const goal = (p: BuiltProject): unknown => JSON.parse(p.ok(['status', '--json']).stdout).goal.status;
const events = (p: BuiltProject): readonly unknown[] =>
  ((p.task('a').history ?? []) as readonly Record<string, unknown>[]).map(({ event }) => event);

test('a planner that answers a coder: one command frees the task, the asker goes on, and no person is called', () => {
  const blocks = { block: { reason: 'the vision names no number', questions: ['Which number is a?'] } };
  const p = rehearsed([
    { role: 'coder', when: 'start', steps: [blocks, { exit: 42, reason: 'blocked' }] },
    { role: 'coder', steps: made(7) },
    { role: 'planner', when: 'INITIAL_PLANNING', steps: [ADD, { liza: ['plan', 'done'] }, { exit: 0 }] },
    { role: 'planner', when: 'BLOCKED_TASKS', steps: [{ liza: ['answer', 'a', 'It is 7.'] }, { exit: 0 }] },
    { role: 'planner', when: 'ALL_TERMINAL', steps: [{ liza: ['goal', 'complete'] }, { exit: 0 }] },
  ]);
  const ran = p.liza(RUN);
  expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0);
  expect(events(p)).toEqual(expect.arrayContaining(['blocked', 'unblocked', 'submitted', 'approved', 'merged']));
  expect(p.read('.liza/state.yaml')).toMatch(/status: answered/);
  const prompts = fs.readdirSync(p.file('.liza/agent-prompts')).filter((name) => name.startsWith('coder-1'));
  expect(prompts.map((name) => p.read(`.liza/agent-prompts/${name}`)).join('')).toContain('It is 7.');
  expect(p.git('show', 'integration:src/a.mjs')).toContain('7');
  expect(goal(p)).toBe('COMPLETED');
});

test.runIf(inFull)(
  'a person who never answers: work goes on with the assumption, the run ends by itself and says what waits (in test:all)',
  () => {
    const asks = { liza: ['ask', 'Which number is a?', '--spec', 'specs/vision.md', '--assume', 'it is 5'] };
    const ends = { liza: ['goal', 'complete'], expect: 'refused' };
    const p = rehearsed([
      { role: 'coder', steps: made(5) },
      { role: 'planner', when: 'INITIAL_PLANNING', steps: [asks, ADD, { liza: ['plan', 'done'] }, { exit: 0 }] },
      { role: 'planner', when: 'ALL_TERMINAL', steps: [ends, { exit: 0, reason: 'a question waits for a person' }] },
    ]);
    const ran = p.liza(RUN);
    const said = `${ran.stdout}\n${ran.stderr}`;
    expect(p.task('a').status, said).toBe('MERGED');
    expect(p.git('show', 'integration:src/a.mjs')).toContain('5');
    expect(said).toContain('Which number is a?');
    const status = p.ok(['status']).stdout;
    expect(status).toContain('Which number is a?');
    expect(status).toContain('it is 5');
    expect(goal(p)).toBe('IN_PROGRESS');
    // Nobody was halted, and accepting the assumption ends it in an orderly way.
    expect(fs.existsSync(p.file('.liza/CHECKPOINT'))).toBe(false);
    p.ok(['answer', '--accept']);
    p.ok(['goal', 'complete']);
    expect(goal(p)).toBe('COMPLETED');
  },
);
