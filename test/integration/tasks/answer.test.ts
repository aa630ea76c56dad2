// A question on a real board and in a real folder: asked, answered, and found again by the coder, the file and git.

import { expect, test } from 'vitest';
import { checkpointEvent } from '../../../src/protocol/leases.ts';
import { project } from '../../support/project.ts';

test('one answer gives a blocked task back to its coder, with the work that was in its folder', async () => {
  const p = project();
  await p.begun('t');
  const commit = p.work('t');
  p.write({ '.worktrees/t/half.txt': 'half done\n' });
  await p.run('coder-1', { name: 'block', task: 't', reason: 'which limit?', questions: ['How many?', 'Of what?'] });
  const file = p.read('.liza/state.yaml');
  expect(file).toMatch(/^questions:\n {2}- id: q-1\n/m);
  await p.ok(['answer', 'q-1', 'three']);
  expect(await p.task('t')).toMatchObject({ status: 'BLOCKED' });
  await p.ok(['answer', 'q-2', 'apples']);
  expect(await p.task('t')).toMatchObject({ status: 'UNCLAIMED', reserved_for: 'coder-1' });
  await expect(p.claim('t', 'coder-2')).rejects.toThrow();
  expect((await p.ok(['show', 't'])).stdout).toMatch(/reserved for +coder-1 until 2026-03-01T09:05:00Z/);
  await p.claim('t', 'coder-1');
  expect(p.gitIn(p.folder('t'), 'rev-parse', 'HEAD')).toBe(commit);
  expect(p.read('.worktrees/t/half.txt')).toBe('half done\n');
  const shown = (await p.ok(['show', 't'])).stdout;
  expect(shown).toContain('A three');
  expect(shown).toContain('A apples');
  expect((await p.ok(['log', 'verify'])).code).toBe(0);
});

test('after an answer the coder that blocked goes on with its checkpoint and its uncommitted work, without begin', async () => {
  const p = project();
  await p.begun('t');
  p.work('t');
  p.write({ '.worktrees/t/src/half.txt': 'half done\n' });
  await p.run('coder-1', { name: 'block', task: 't', reason: 'which limit?', questions: ['How many?'] });
  await p.ok(['answer', 'q-1', 'three']);
  await p.claim('t', 'coder-1');
  const task = await p.task('t');
  expect(task.iteration).toBe(1);
  expect(checkpointEvent(task)).toBeDefined();
  await p.begin('t');
  p.gitIn(p.folder('t'), 'add', '-A');
  p.gitIn(p.folder('t'), 'commit', '-qm', 'the rest');
  expect(await p.submit('t')).toMatchObject({ ok: true });
  expect(await p.task('t')).toMatchObject({ status: 'READY_FOR_REVIEW' });
});

test('after an unblock that redefines the task its coder begins again upon the files that lie in its kept folder', async () => {
  const p = project();
  await p.begun('t');
  p.work('t');
  p.write({ '.worktrees/t/src/half.txt': 'half done\n' });
  await p.run('coder-1', { name: 'block', task: 't', reason: 'which limit?', questions: ['How many?'] });
  await p.ok([
    'unblock',
    't',
    '--keep-worktree',
    '--reserve',
    'coder-1',
    '--add-done',
    'the limit of four prints three',
  ]);
  await p.claim('t', 'coder-1');
  expect(checkpointEvent(await p.task('t'))).toBeUndefined();
  await p.begin('t');
  expect(checkpointEvent(await p.task('t'))).toBeDefined();
  expect(p.read('.worktrees/t/src/half.txt')).toBe('half done\n');
});

test('a board without questions is left as it is until somebody asks, and undo takes the question back', async () => {
  const p = project();
  await p.ok(['note', 'hello']);
  expect(p.read('.liza/state.yaml')).not.toMatch(/^questions:/m);
  await p.ok(['ask', 'How many?', '--assume', 'three']);
  expect(p.read('.liza/state.yaml')).toMatch(/^questions:\n {2}- id: q-1\n/m);
  expect((await p.ok(['validate'])).stdout).toContain('VALID');
  await p.ok(['undo']);
  expect((await p.state()).questions ?? []).toEqual([]);
});

test('an agent asks under its own name and is not taken for another', async () => {
  const p = project();
  await p.claim('t');
  await p.ok(['ask', 'How many?', '--assume', 'three'], { as: 'coder-1' });
  expect((await p.state()).questions).toMatchObject([{ id: 'q-1', asked_by: 'coder-1', task: 't' }]);
  const own = await p.liza(['answer', 'q-1', 'three'], { as: 'coder-1' });
  expect(own.code).toBe(1);
  expect(own.stderr).toContain('it is for the planner or a person');
  await p.ok(['answer', 'q-1', 'three'], { as: 'planner-1' });
  expect((await p.state()).questions).toMatchObject([{ status: 'answered', closed_by: 'planner-1' }]);
});
