// What `npm test` prints while its steps run: in a log one line every half minute, on a terminal one line that changes.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { progressIn, runningStatus } from '../../../tools/progress.mjs';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function shown(terminal: boolean, play: (status: ReturnType<typeof runningStatus>) => void): string {
  let text = '';
  const out = { isTTY: terminal, columns: 60, write: (part: string) => (text += part) };
  const status = runningStatus(out);
  play(status);
  status.close();
  return text;
}

const TWO_STEPS = (status: ReturnType<typeof runningStatus>): void => {
  status.begin('integration');
  status.begin('races');
  status.far('integration', '12 of 81 files');
  vi.advanceTimersByTime(65_000);
  status.end('races', 'races: ok, 65.0 s');
};

test('a report of progress is told from a line of output', () => {
  expect(progressIn('@progress 3 of 8 rounds')).toBe('3 of 8 rounds');
  expect(progressIn('3 of 8 rounds')).toBeUndefined();
});

test('a log gets a line every half minute that says how far each running step is', () => {
  expect(shown(false, TWO_STEPS).split('\n')).toEqual([
    'integration …',
    'races …',
    '  30 s: integration 12 of 81 files, races',
    '  1 min 0 s: integration 12 of 81 files, races',
    'races: ok, 65.0 s',
    '',
  ]);
});

test('a terminal gets one line, which is replaced and never wider than the screen', () => {
  const drawn = shown(true, (status) => {
    TWO_STEPS(status);
    status.begin('a step with a name that is so long that no screen of sixty columns has room for it');
    vi.advanceTimersByTime(500);
  });
  const lines = drawn.split(/\r\x1b\[K|(?<=\n)/);
  expect(lines).toContain('  1 min 5 s: integration 12 of 81 files, races');
  expect(lines).toContain('races: ok, 65.0 s\n');
  for (const line of lines) expect(line.trimEnd().length).toBeLessThan(60);
});
