// A commit is found by how it begins, and who typed too little of it is told.

import { expect, test } from 'vitest';
import { accountView, type Merge } from '../../../../src/cli/web/views/account.ts';
import type { Seen } from '../../../../src/cli/web/views/view.ts';
import type { Task } from '../../../../src/protocol/state.ts';

const merge = (id: string, commit: string): Merge => ({
  task: { id, status: 'MERGED', history: [] } as unknown as Task,
  commit: commit.padEnd(40, '0'),
  time: '2026-01-31T14:02:11Z',
});
const merges = [merge('one', 'bc56adf8'), merge('two', 'bc56b111'), merge('beef', 'ffff0000')];
const chain = { entries: 1, problems: [], remarks: [] };
const shown = (typed: string) =>
  accountView({ base: '' } as Seen, merges, chain, typed)
    .parts.map((part) => part.html().markup)
    .join('\n')
    .replace(/<[^>]*>/g, ' ');
const found = (typed: string) => [...shown(typed).matchAll(/checked +for ([a-z]+)/g)].map(([, id]) => id);

test('a commit is found by four digits or more', () => {
  expect([found('bc56a'), found('bc56b1'), found(' FFFF '), found('bc56c')]).toEqual([['one'], ['two'], ['beef'], []]);
  expect(found('beef')).toEqual(['beef']);
});

test('where several begin so, all are shown, and the page says so', () => {
  expect(found('bc56')).toEqual(['one', 'two']);
  expect(shown('bc56')).toContain('2 merges have a commit that begins so');
  for (const typed of ['bc56a', '', 'one']) expect(shown(typed)).not.toContain('begins so');
});

test('who typed too few digits is told how many it takes, and nobody is left with a terminal alone', () => {
  expect(shown('bc5')).toContain('4 of its first digits');
  for (const typed of ['bc5', 'bc57', 'nothing']) expect(shown(typed)).toContain('All merges');
  expect(shown('bc57')).not.toContain('4 of its first digits');
});
