// Tasks that left for the archive, from the journal: what is cut out of the text is what reading the whole state gives.

import { expect, test } from 'vitest';
import type { Entry } from '../../../src/store/journal.ts';
import { JournalledArchive } from '../../../src/store/journalled-archive.ts';
import { ReplayText } from '../../../src/store/replay-text.ts';
import { diffHunksSimple } from '../../../src/store/yaml/hunks.ts';

const task = (id: string, more = ''): string => `  - id: ${id}
    description: |
      - id: not-a-task

      two lines
    status: MERGED
${more}    history:
      - time: "2026-01-01T00:00:00Z"
        event: created
`;
const board = (...tasks: readonly string[]): string => `version: 1
goal:
  id: goal-3
  description: a goal
tasks:
${tasks.join('')}agents: {}
`;

async function leaving(before: string, after: string, archived: readonly string[]) {
  const text = new ReplayText();
  text.apply(diffHunksSimple('', before));
  const archive = new JournalledArchive();
  const entry = {
    seq: 2,
    time: '2026-01-02T00:00:00Z',
    command: 'merge',
    change: diffHunksSimple(before, after),
    archived,
  };
  archive.before(entry as unknown as Entry, text);
  return archive.read();
}

test.each([
  ['plain', task('a'), task('b')],
  ['with a comment at the margin', task('a', '# mine\n'), task('b')],
  ['with a comment behind it', task('a'), `# about b\n${task('b')}`],
  ['under quotes', task('"a"'), task('b')],
  ['with an older field name', task('a', '    rejection_feedback: no\n'), task('b')],
])('a task %s is found whole', async (_name, a, b) => {
  const found = await leaving(board(a, b, task('c')), board(task('c')), ['a', 'b']);
  expect(found.tasks.map(({ id }) => id)).toEqual(['a', 'b']);
  expect(found.goalOf('a')).toBe('goal-3');
  const [first] = found.tasks;
  expect(first).toMatchObject({ description: '- id: not-a-task\n\ntwo lines\n', status: 'MERGED' });
  expect(first?.history).toHaveLength(1);
  expect(first?.rejection_reason).toBe(a.includes('rejection_feedback') ? 'no' : undefined);
});

test('of two tasks that are alike, the one that left is found', async () => {
  const found = await leaving(board(task('a'), task('b'), task('c')), board(task('a'), task('c')), ['b']);
  expect(found.tasks.map(({ id }) => id)).toEqual(['b']);
});
