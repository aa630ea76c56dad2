// The section of the spec that a task was made from: kept when it is finalized, and its changes noticed and told.

import fs from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { changesSince } from '../../../src/store/spec-sections.ts';
import { openWakes } from '../../../src/supervisor/rules/wakes.ts';
import { noticeSpecChange, noticeSpecChanges } from '../../../src/tasks/notice-spec.ts';
import { type Project, project } from '../../support/project.ts';

let p: Project;

const SPEC = '# Auth\n\n## Retry\n\nThree tries.\n\n## Tokens\n\n15 minutes.\n';
const FLAGS = ['--desc', 'Retry', '--done', 'a 503 is retried once', '--scope', 'IN: src/', '--validate', 'test -d .'];
const kept = (): readonly string[] => fs.readdirSync(p.file('.liza', 'specs'));
const edit = (from: string, to: string): void => p.write({ 'specs/auth.md': SPEC.replace(from, to) });
const noticed = async () => noticeSpecChange(p.as('coder-1'), await p.task('retry'));

beforeEach(async () => {
  p = project({ tasks: [] });
  p.write({ 'specs/auth.md': SPEC });
  await p.ok(['add-task', '--id', 'retry', '--spec', 'specs/auth.md#retry', ...FLAGS, '--ready']);
});

test('the text of the section is kept by its hash, once for all tasks of it', async () => {
  await p.ok(['add-task', '--id', 'again', '--spec', 'specs/auth.md#retry', ...FLAGS]);
  await p.ok(['finalize', 'again']);
  const { spec_hash: hash } = await p.task('again');
  expect(hash).toBe((await p.task('retry')).spec_hash);
  const [file] = (await p.state()).goal.specs_seen ?? [];
  expect(kept().toSorted()).toEqual([hash, file?.hash].toSorted());
  expect(fs.readFileSync(p.file('.liza', 'specs', hash ?? ''), 'utf8')).toBe('## Retry\n\nThree tries.');
});

test('a change elsewhere in the file is none; one of the section is told with its difference and recorded once', async () => {
  edit('15 minutes', '20 minutes');
  expect(await noticed()).toBeUndefined();
  edit('Three tries.', 'Five tries.\n\nThen give up.');
  expect(await noticed()).toMatchObject({
    isNew: true,
    diff: { added: 3, removed: 1, text: '@@ line 1 @@\n ## Retry\n \n-Three tries.\n+Five tries.\n+\n+Then give up.' },
  });
  expect((await p.ok(['show', 'retry'])).stdout).toContain('specs/auth.md#retry (changed since the task was created)');
  // The next session is shown it too; it is no news any more.
  expect(await noticed()).not.toHaveProperty('isNew');
  const { spec_changes: changes } = await p.state();
  expect(changes).toMatchObject([{ spec: 'specs/auth.md#retry', change: 'noticed by Liza: 3 lines added, 1 removed' }]);
  expect(await p.last('retry', 'spec_changed')).toMatchObject({ added: 3, removed: 1 });
  edit('', '');
  expect(await noticed()).toBeUndefined();
  expect(await p.task('retry')).not.toHaveProperty('spec_seen');
});

test('a crew is told of each change once', async () => {
  edit('Three', 'Five');
  const look = async () => noticeSpecChanges(p.as('coder-1'), await p.state());
  expect(await look()).toEqual([
    'specs/auth.md has changed: the planner is told',
    expect.stringContaining('specs/auth.md#retry, which retry is based on, has changed'),
  ]);
  expect(await look()).toEqual([]);
});

test('a file of specs that changes wakes the planner once, with each section and the tasks on it, merged ones too', async () => {
  const look = async () => noticeSpecChanges(p.as('coder-1'), await p.state());
  p.write({ 'specs/auth.md': `${SPEC.replace('15', '20')}\n## Logout\n\nAt once.\n` });
  await look();
  await look();
  const state = await p.state();
  const { board, now } = await p.as('coder-1').store.read();
  const wakes = openWakes(board, now);
  expect(wakes.filter(({ trigger }) => trigger === 'SPEC_CHANGED')).toHaveLength(1);
  const [change] = state.spec_changes;
  const merged = state.tasks.map((task) => ({ ...task, spec_ref: 'specs/auth.md#auth', status: 'MERGED' as const }));
  const sections = await changesSince(
    p.context,
    { tasks: merged },
    { spec: 'specs/auth.md', before: change?.before ?? '' },
  );
  expect(sections).toEqual([
    {
      spec: 'specs/auth.md#tokens',
      kind: 'changed',
      text: '@@ line 1 @@\n ## Tokens\n \n-15 minutes.\n+20 minutes.',
      tasks: ['retry (MERGED)'],
    },
    { spec: 'specs/auth.md#logout', kind: 'new', text: '## Logout\n\nAt once.', tasks: ['retry (MERGED)'] },
  ]);
});

test('the goal’s own document is watched from the first look, and a board without the record is silent', async () => {
  const look = async () => noticeSpecChanges(p.as('coder-1'), await p.state());
  expect(await look()).toEqual([]);
  p.write({ 'specs/vision.md': '# Vision\n\nMore.\n' });
  expect(await look()).toEqual(['specs/vision.md has changed: the planner is told']);
  p = project({ tasks: ['t'] });
  p.write({ 'specs/vision.md': '# Vision\n\nMore.\n' });
  expect(await look()).toEqual([]);
});

test('a heading that was renamed is told as gone, with the text that is kept of it', async () => {
  edit('## Retry', '## Trying again');
  expect(await noticed()).toEqual({ headingGone: true, isNew: true, was: expect.stringContaining('Three') });
  expect(await p.last('retry', 'spec_changed')).toMatchObject({ heading_gone: true });
});

test('an anchor that never had a heading is not told as gone', async () => {
  // Of what is no Markdown no anchor is judged when the task is finalized.
  p.write({ 'specs/auth.txt': SPEC });
  await p.ok(['add-task', '--id', 'odd', '--spec', 'specs/auth.txt#nowhere', ...FLAGS, '--ready']);
  p.write({ 'specs/auth.txt': SPEC.replace('Three', 'Five') });
  const change = await noticeSpecChange(p.as('coder-1'), await p.task('odd'));
  expect(change).toMatchObject({ diff: { added: 1, removed: 1 } });
  expect(change).not.toHaveProperty('headingGone');
});

test('a kept text that somebody changed does not count: that it changed is told, not how', async () => {
  const [name = ''] = kept();
  fs.writeFileSync(p.file('.liza', 'specs', name), 'Ten tries.');
  edit('Three', 'Five');
  expect(await noticed()).toEqual({ isNew: true });
});

test('a task from before, of which nothing is known, goes on', async () => {
  const { spec_hash: _hash, ...task } = await p.task('retry');
  expect(await noticeSpecChange(p.as('coder-1'), task)).toBeUndefined();
});

test('a spec that is gone is no change of its text', async () => {
  fs.rmSync(p.file('specs', 'auth.md'));
  expect(await noticed()).toBeUndefined();
});

test.each(['.liza/journal.jsonl', '.worktrees/a/notes.md', '.git/config', 'specs/link.md', 'specs/link-to-a-link.md'])(
  'what Liza, git or an agent writes is nobody’s spec: %s',
  async (spec) => {
    p.write({ '.worktrees/a/notes.md': SPEC });
    fs.symlinkSync('../.liza/state.yaml', p.file('specs/link.md'));
    fs.symlinkSync('../.worktrees/a/also.md', p.file('specs/link-to-a-link.md'));
    fs.symlinkSync('../../.liza/log.yaml', p.file('.worktrees/a/also.md'));
    expect(await p.liza(['add-task', '--id', 'again', '--spec', spec, ...FLAGS])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`the spec "${spec}" is no document of the project`),
    });
  },
);
