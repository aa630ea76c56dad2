// The cache of a small board is opened once, whatever is asked of it; of a large one no more is read than is needed.

import { expect, test } from 'vitest';
import type { Files } from '../../../src/ports/files.ts';
import { rangesOf } from '../../../src/store/cache.ts';

function fileOf(bytes: Buffer) {
  const reads: (readonly [number, number])[] = [];
  const readRange: Files['readRange'] = (_, from, length) => {
    reads.push([from, length]);
    return bytes.subarray(from, from + length);
  };
  return { reads, range: rangesOf({ readRange } as Files, 'cache') };
}

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, n) => n % 251));

test('a small file is read once, also behind its end', () => {
  const small = bytes(5000);
  const { reads, range } = fileOf(small);
  expect(range(10, 20)).toEqual(small.subarray(10, 30));
  expect(range(4990, 100)).toEqual(small.subarray(4990));
  expect(range(9000, 100)).toHaveLength(0);
  expect(reads).toHaveLength(1);
});

test('of a large one its beginning, and each range beyond it', () => {
  const large = bytes(600_000);
  const { reads, range } = fileOf(large);
  expect(range(1000, 20)).toEqual(large.subarray(1000, 1020));
  expect(range(262_100, 100)).toEqual(large.subarray(262_100, 262_200));
  expect(range(500_000, 7)).toEqual(large.subarray(500_000, 500_007));
  expect(reads).toEqual([
    [0, 262_144],
    [262_100, 100],
    [500_000, 7],
  ]);
});
