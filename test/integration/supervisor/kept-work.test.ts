// Work that was kept through a block or a replacement, in real folders: the next session is told what is there, by names
// that resolve in its own folder.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { takePath } from '../../../src/protocol/work/kept-work.ts';
import { inFull } from '../../runs.ts';
import { succeeded } from '../../support/project.ts';
import { repository } from '../../support/repository.ts';
import { open, type Part, r } from './harness.ts';

/** Begins, commits, leaves a file and blocks. */
const blocks: Part = {
  act: async () => {
    succeeded(await r().p.begin('t'));
    r().p.work('t');
    fs.writeFileSync(`${r().p.root}/.worktrees/t/src/half.ts`, 'half done');
    const block = { name: 'block', task: 't', reason: 'no rounding is said', questions: ['Up?'] } as const;
    succeeded(await r().p.run('coder-1', block));
  },
  end: 'exit 0',
};

const blocked = () => r().until('blocked', async () => (await r().p.task('t')).status === 'BLOCKED');

test('after an answer the prompt of the coder that blocked names its commit and its uncommitted file, and its plan stands', async () => {
  await open({ parts: { 'coder-1': [blocks, { end: 'exit 0' }] } });
  await blocked();
  await r().p.ok(['answer', 'q-1', 'up']);
  r().clock.advance(5000);
  await r().until('the second session', () => r().started.length === 2);
  const prompt = r().started[1]?.prompt ?? '';
  expect(prompt).toContain('WORKTREE has 1 commit of yours and these uncommitted files: src/half.ts.');
  expect(prompt).toContain('| - because: no rounding is said');
  expect(prompt).toContain('|   A up');
  expect(prompt).toContain('Your checkpoint for this iteration counts');
}, 40_000);

test.runIf(inFull)(
  'the coder of a replacement can look at the kept work of the replaced task in its own clone (in test:all)',
  async () => {
    await open({ config: { isolation: 'clone' }, parts: { 'coder-1': [blocks, { end: 'exit 0' }] } });
    await blocked();
    const made = ['--done', 'every sum is rounded up', '--scope', 'IN: src, test. OUT: secret/'];
    await r().p.ok(['add-task', '--id', 'u', '--desc', 'round up', '--spec', SPEC, ...made, '--validate', 'test -d .']);
    await r().p.ok(['finalize', 'u']);
    await r().p.ok(['supersede', 't', '--root-cause', 'no rounding was said', '--replacement', 'u']);
    r().clock.advance(5000);
    await r().until('the second session', () => r().started.length === 2);
    const prompt = r().started[1]?.prompt ?? '';
    expect(prompt).toContain('THIS TASK REPLACES t');
    expect(prompt).toContain('| no rounding was said');
    const [, kept = ''] =
      /git diff --binary [0-9a-f]{12}\.\.\.([0-9a-f]{40}) -- <path> \| git apply -3/.exec(prompt) ?? [];
    expect(r().p.gitIn(r().p.folder('u'), 'show', `${kept}:src/half.ts`)).toBe('half done');
  },
  40_000,
);

test('what a coder takes of former work keeps what others did to the same file since', () => {
  const p = repository();
  p.commit({ 'src/list.ts': lines('one', 'two', 'three', 'four', 'five', 'six', 'seven') });
  const former = p.commit({
    'src/list.ts': lines('ONE', 'two', 'three', 'four', 'five', 'six', 'seven'),
    'src/new.ts': 'x\n',
  });
  p.git('reset', '-q', '--hard', 'HEAD~1');
  p.commit({ 'src/list.ts': lines('one', 'two', 'three', 'four', 'five', 'six', 'SEVEN') });
  for (const path of ['src/list.ts', 'src/new.ts']) {
    const line = takePath(p.head('HEAD'), former).replace('<path>', path);
    execFileSync('sh', ['-c', line], { cwd: p.root, stdio: 'pipe' });
  }
  const read = (path: string): string => fs.readFileSync(`${p.root}/${path}`, 'utf8');
  expect(read('src/list.ts')).toBe(lines('ONE', 'two', 'three', 'four', 'five', 'six', 'SEVEN'));
  expect(read('src/new.ts')).toBe('x\n');
});

const lines = (...words: readonly string[]): string => words.map((word) => `${word}\n`).join('');

const SPEC = 'specs/vision.md';
