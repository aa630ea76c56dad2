import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyHunks, diffHunks, diffHunksSimple, HunkMismatch, revertHunks } from '../../../../src/store/yaml/hunks.ts';
import { runs } from '../../../runs.ts';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '  '), { maxLength: 12 }).map((lines) => lines.join('\n'));

describe('hunks', () => {
  test('apply and revert', () => {
    const hunks = [
      { at: 1, del: ['b'], ins: ['B', 'BB'] },
      { at: 3, del: [], ins: ['c+'] },
    ];
    expect(applyHunks('a\nb\nc\n', hunks)).toBe('a\nB\nBB\nc\nc+\n');
    expect(revertHunks('a\nB\nBB\nc\nc+\n', hunks)).toBe('a\nb\nc\n');
  });

  test('work at the end of a text without a final newline', () => {
    expect(applyHunks('a\nb', [{ at: 2, del: [], ins: ['c'] }])).toBe('a\nb\nc');
    expect(applyHunks('a\nb', [{ at: 1, del: ['b'], ins: [] }])).toBe('a');
    expect(applyHunks('', [{ at: 0, del: [''], ins: ['a', ''] }])).toBe('a\n');
  });

  test.each([
    ['another line', 'a\nx\nc', [{ at: 1, del: ['b'], ins: [] }], 1],
    ['too short a text', 'a', [{ at: 5, del: [], ins: ['x'] }], 1],
    ['a deletion past the end', 'a', [{ at: 0, del: ['a', 'b'], ins: ['x'] }], 1],
    [
      'hunks out of order',
      'a\nb',
      [
        { at: 1, del: ['b'], ins: [] },
        { at: 0, del: [], ins: [] },
      ],
      0,
    ],
  ])('refuse %s', (_, old, hunks, line) => {
    expect(() => applyHunks(old, hunks)).toThrow(HunkMismatch);
    try {
      applyHunks(old, hunks);
    } catch (error) {
      expect(error).toMatchObject({ line });
    }
  });

  test('differences lead there and back, and stay small', async () => {
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        for (const hunks of [await diffHunks(before, after), diffHunksSimple(before, after)]) {
          expect(applyHunks(before, hunks)).toBe(after);
          expect(revertHunks(after, hunks)).toBe(before);
        }
      }),
      { numRuns: runs(2000) },
    );
    expect(await diffHunks('a\nb\nc\nd\ne', 'a\nB\nc\nD\ne')).toEqual([
      { at: 1, del: ['b'], ins: ['B'] },
      { at: 3, del: ['d'], ins: ['D'] },
    ]);
  });

  test('two unlike texts become one hunk', async () => {
    const lines = (prefix: string) => Array.from({ length: 5000 }, (_, i) => `${prefix}${i}`).join('\n');
    expect(await diffHunks(lines('a'), lines('b'))).toHaveLength(1);
  });

  test('a hunk far down a long text lands on its line', () => {
    const lines = Array.from({ length: 1000 }, (_, i) => `line ${i}`);
    const hunks = [100, 163, 164, 700, 999].map((at) => ({ at, del: [`line ${at}`], ins: [`LINE ${at}`] }));
    const expected = lines.map((line, i) => (hunks.some(({ at }) => at === i) ? line.toUpperCase() : line));
    expect(applyHunks(lines.join('\n'), hunks)).toBe(expected.join('\n'));
    expect(revertHunks(expected.join('\n'), hunks)).toBe(lines.join('\n'));
  });
});
