// When two programs that are measured in pairs can be told apart, and when not.

import { expect, test } from 'vitest';
import { judged, measured, rangeOf } from '../../../bench/paired.mjs';

test('the range leaves out what a fair coin leaves out in one of forty cases', () => {
  const upTo = (n: number) => rangeOf(Array.from({ length: n }, (_, at) => at + 1));
  expect(upTo(5)).toEqual({ share: 3, from: -Infinity, to: Infinity });
  expect(upTo(6)).toEqual({ share: 4, from: 1, to: 6 });
  expect(upTo(9)).toEqual({ share: 5, from: 2, to: 8 });
  expect(upTo(20)).toEqual({ share: 11, from: 6, to: 15 });
});

test.each([
  [{ from: 0.4, to: 1.9 }, 'kept'],
  [{ from: 2.1, to: 9 }, 'missed'],
  [{ from: 1.9, to: 2.1 }, 'open'],
] as const)('%o against a limit of 2', (range, verdict) => {
  expect(judged(range, 2)).toBe(verdict);
});

test('as many pairs as were said before, also where fewer would please', async () => {
  let runs = 0;
  const late = (pair: number) => {
    runs += 1;
    return { on: pair <= 8 ? 101 : 109, off: 100 };
  };
  const found = await measured(late, 21);
  expect([runs, found.pairs, judged(found, 2)]).toEqual([21, 21, 'open']);
});

test('noise on both sides of the limit judges nothing', async () => {
  const wild = (pair: number) => ({ on: pair % 2 === 0 ? 150 : 50, off: 100 });
  expect(judged(await measured(wild, 21), 2)).toBe('open');
});

test('one wild pair moves neither the median nor the verdict', async () => {
  const once = (pair: number) => ({ on: pair === 3 ? 900 : 101, off: 100 });
  const found = await measured(once, 9);
  expect(found).toMatchObject({ pairs: 9, share: 1 });
  expect(judged(found, 2)).toBe('kept');
});
