// Rows on a terminal that is nothing but a grid: it knows the few sequences that are written, and wraps nowhere.

import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { changes, openRows } from '../../../../src/cli/live/draw-rows.ts';

function obey(grid: string[], written: string): string[] {
  const rows = [...grid];
  let row = 0;
  let column = 0;
  const cut = (at: number): string => (rows[at] ?? '').slice(0, at === row ? column : undefined);
  for (const [, at, erase, text] of written.matchAll(/\x1b\[(\d+)H|\x1b\[([JK])|([^\x1b]+)/g)) {
    if (at !== undefined) [row, column] = [Number(at) - 1, 0];
    else if (erase === 'K') rows[row] = cut(row);
    else if (erase === 'J') rows.splice(row, rows.length, ...(column > 0 ? [cut(row)] : []));
    else if (text !== undefined) {
      rows[row] =
        (rows[row] ?? '').slice(0, column).padEnd(column) + text + (rows[row] ?? '').slice(column + text.length);
      column += text.length;
    }
  }
  return rows;
}

it('shows the next frame whatever was shown before', () => {
  const frame = fc.array(fc.stringMatching(/^[a-c]{0,4}$/), { maxLength: 5 });
  fc.assert(
    fc.property(frame, frame, (before, after) => {
      expect(obey(before, changes(before, after))).toEqual(after);
    }),
  );
});

it('writes nothing for a row that stays', () => {
  expect(changes(['one', 'two'], ['one', 'two'])).toBe('');
  expect(changes(['one', 'two', 'three'], ['one', '2', 'three'])).toBe('\x1b[2H2\x1b[K');
});

it('draws once for many changes, in one marked piece, and nothing after it was stopped', () => {
  vi.useFakeTimers();
  try {
    const written: string[] = [];
    let text = 'one';
    const rows = openRows(
      (piece) => void written.push(piece),
      () => [[{ text, tone: 'bad' }]],
      true,
    );
    rows.changed();
    text = 'two';
    rows.changed();
    vi.advanceTimersByTime(1000);
    rows.changed();
    vi.advanceTimersByTime(1000);
    expect(written).toEqual(['\x1b[?2026h\x1b[1H\x1b[31mtwo\x1b[0m\x1b[K\x1b[?2026l']);
    rows.resized();
    rows.changed();
    rows.stop();
    vi.advanceTimersByTime(1000);
    expect(written).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});
