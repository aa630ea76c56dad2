// What a person says to the crew (notes, questions, answers, decisions) is found again in words in `show`, `log`, `audit`
// and `report`, with its blanks where the record is shown.

import { expect, test } from 'vitest';
import { addTask } from '../../support/core.mjs';
import { project } from '../../support/project.ts';

const NOTE = 'mind  the   gap';
const ANSWER = 'with a  comma';

async function talkedAbout() {
  const p = project();
  await p.ok(addTask('greet'));
  await p.ok(['note', NOTE, '--for', 'greet']);
  await p.ok(['note', 'done', 'note-1', '--why', 'it was  minded']);
  await p.ok(['ask', 'Which  greeting?', '--task', 'greet', '--assume', 'Hello']);
  await p.ok(['answer', 'q-1', ANSWER]);
  await p.ok(['replan', 'greet', '--reason', 'the wrong  way round']);
  await p.ok(['unblock', 'greet', '--assessment', 'the other  way round']);
  return p;
}

test('show has notes, questions, answers and decisions as they were said', async () => {
  const p = await talkedAbout();
  const { stdout } = await p.ok(['show', 'greet']);
  expect(stdout).toMatch(/^Notes\n {2}note-1 +mind {2}the {3}gap\n +handled by human: it was {2}minded$/m);
  expect(stdout).toMatch(/Q Which {2}greeting\?\n +A with a {2}comma/);
  expect(stdout).toMatch(/unblocked +human +.*assessment: the other {2}way round/s);
  expect((await p.ok(['show', 'greet', '--json'])).json['notes']).toMatchObject([
    { message: NOTE, why: 'it was  minded' },
  ]);
});

test('log and audit say each of them in a line', async () => {
  const p = await talkedAbout();
  const said = [
    'note-1 left for greet: mind the gap',
    'done: note-1: it was minded',
    'question q-1 asked: Which greeting?',
    'q-1 answered: with a comma',
    'task greet handed back to the planner: the wrong way round',
    'task greet unblocked: the other way round',
  ];
  const inOneLine = async (...argv: readonly string[]) => (await p.ok(argv)).stdout.replace(/\s+/g, ' ');
  const log = await inOneLine('log');
  const audit = `${await inOneLine('audit')} ${await inOneLine('audit', 'greet')}`;
  for (const line of said) {
    expect(log).toContain(line);
    expect(audit).toContain(line);
  }
  expect((await p.ok(['log', 'greet'])).stdout).toContain(said[0]);
});

test('report has them with their time and author', async () => {
  const p = await talkedAbout();
  const { stdout } = await p.ok(['report', '--md']);
  expect(stdout).toMatch(/\*\*note\*\* by human: for greet: mind the gap \(handled by human: it was minded\)/);
  expect(stdout).toMatch(/\*\*q-1\*\* \(answered by human.*Which greeting\? → with a comma/);
  expect(stdout).toMatch(/\*\*unblocked\*\* by human: greet: the other way round/);
});

test('the history has words for its events, and names of fields without underscores; JSON has the names', async () => {
  const p = await talkedAbout();
  await p.ok(['claim-task', 'greet', 'coder-1'], { as: 'coder-1' });
  const [, history = ''] = (await p.ok(['show', 'greet'])).stdout.split(/^History/m);
  expect(history).toMatch(/base commit:\s/);
  expect(history).not.toMatch(/[a-z]_[a-z]/);
  expect(JSON.stringify((await p.ok(['show', 'greet', '--json'])).json)).toContain('base_commit');
});
