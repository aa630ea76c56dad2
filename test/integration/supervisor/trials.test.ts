// Trials under a real crew: they run beside the agents, wake the planner where a command cannot be run, hold that task
// back until it has looked, reach a running coder as news, and end with the crew.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { trialOf } from '../../../src/protocol/review/trial.ts';
import { open, r } from './harness.ts';

const promptOf = (nth: number): string => JSON.stringify(r().started[nth] ?? {}).replaceAll('\\n', '\n');
const trial = async (id = 't') => trialOf(await r().p.task(id));
const recorded = (id = 't') => r().until(`a trial of ${id}`, async () => (await trial(id)) !== undefined);
test('a task is tried while its coder works, and the coder hears of it with its next prompt', async () => {
  await open({
    agents: ['coder-1'],
    tasks: [{ id: 't', validation: ['test -d src'] }],
    parts: { 'coder-1': [{ end: 'exit 42' }, {}] },
  });
  await recorded();
  expect((await trial())?.runs).toMatchObject([{ is: 'green' }]);
  await r().until('its rest', () => r().crew.view().members[0]?.state === 'backing-off');
  r().clock.advance(10_000);
  await r().until('a second session', () => r().started.length > 1);
  expect(promptOf(1)).toContain('VALIDATION ON THE BASE, before your change');
});

test('a task waits for its dependencies, while others are tried', async () => {
  await open({
    agents: ['code-reviewer-1'],
    tasks: [
      { id: 'first', status: 'UNCLAIMED' },
      { id: 't', depends_on: ['first'], validation: ['false'] },
      { id: 'u', validation: ['true'] },
    ],
  });
  await recorded('first');
  await recorded('u');
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await trial('t')).toBeUndefined();
});

test('a command that cannot be run wakes the planner, and people are told', async () => {
  await open({
    agents: ['planner-1'],
    tasks: [],
    furnish: async (p) => {
      const words = ['--desc', 'Retry', '--done', 'a 503 is retried once', '--scope', 'IN: src/, test/'];
      const spec = ['--spec', 'specs/vision.md', '--validate', 'pytset -q', '--ready'];
      await p.ok(['add-task', '--id', 't', ...words, ...spec]);
      await p.ok(['plan', 'done']);
    },
  });
  await r().until('the planner', () => r().started.length === 1);
  expect(promptOf(0)).toContain('WAKE TRIGGER: VALIDATION_CANNOT_RUN (t)');
  expect(promptOf(0)).toContain('pytset');
  const said = 'its validation cannot be run on the base: pytset -q ended with 127';
  await r().until('the line', () => r().said().includes(said));
});

test('a stop ends a trial that runs, and nothing of it stays', async () => {
  await open({
    agents: ['code-reviewer-1'],
    tasks: [{ id: 't', validation: ['echo ran > ../../../runs; sleep 60'] }],
  });
  const { p } = r();
  await r().until('the trial', () => fs.existsSync(path.join(p.base, 'runs')));
  const since = performance.now();
  await r().close();
  expect(performance.now() - since).toBeLessThan(8000);
  expect(trialOf(await p.task('t'))).toBeUndefined();
  const left = fs.existsSync(p.file('.worktrees')) ? fs.readdirSync(p.file('.worktrees')) : [];
  expect(left).toEqual([]);
});

test('a command that cannot be run reaches the planner although a coder has the task already', async () => {
  await open({
    agents: ['planner-1', 'coder-1'],
    tasks: [],
    furnish: async (p) => {
      const words = ['--desc', 'Retry', '--done', 'a 503 is retried once', '--scope', 'IN: src/, test/'];
      const late = 'until test -e ../../../claimed; do sleep 0.1; done; pytset -q';
      await p.ok(['add-task', '--id', 't', ...words, '--spec', 'specs/vision.md', '--validate', late, '--ready']);
      await p.ok(['plan', 'done']);
    },
  });
  const { p } = r();
  await r().until('the claim', async () => (await p.task('t')).status === 'CLAIMED');
  fs.writeFileSync(path.join(p.base, 'claimed'), '');
  await r().until('the planner', () => r().started.some(({ role }) => role === 'planner'));
  const prompt = JSON.stringify(r().started.find(({ role }) => role === 'planner')).replaceAll('\\n', '\n');
  expect(prompt).toContain('WAKE TRIGGER: VALIDATION_CANNOT_RUN (t)');
  expect(prompt).toContain('coder-1 works on it');
  expect((await p.task('t')).assigned_to).toBe('coder-1');
});
