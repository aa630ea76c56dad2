import { expect, it } from 'vitest';
import { linesByCommit, ranges } from '../../../src/audit/blame-file.ts';

const [A, B] = ['a'.repeat(40), 'b'.repeat(40)];

it('lines are gathered by commit, and text that looks like a header is text', () => {
  const text = [
    `${A} 1 1 2`,
    'author Ann',
    'summary first',
    'filename x',
    `\t${B} 1 9`,
    `${A} 2 2`,
    '\tauthor Eve',
    `${B} 1 3 1`,
    'author Bob',
    'summary second',
    '\tz',
    `${A} 4 4`,
    '\tw',
    '',
  ].join('\n');
  expect([...linesByCommit(text)]).toEqual([
    [A, { numbers: [1, 2, 4], author: 'Ann', subject: 'first' }],
    [B, { numbers: [3], author: 'Bob', subject: 'second' }],
  ]);
});

it('numbers that follow one another are a range', () => {
  expect(ranges([1, 2, 4, 7, 8, 9])).toBe('1-2, 4, 7-9');
  expect(ranges([])).toBe('');
});
