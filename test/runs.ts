import { tmpdir } from 'node:os';
import { beforeEach, test } from 'vitest';
import { keepsTimes } from '../src/git/pool/record.ts';
import { realDisk } from '../src/ports/disk.ts';

/** How many random cases: a sixth in `npm run check` and `npm test`, all in `npm run test:all`. */
export const runs = (all: number): number => Math.ceil(all * Number(process.env['LIZA_RUNS'] ?? 1 / 6));

/** `npm run test:all`: what takes long runs whole. */
export const inFull = process.env['LIZA_FULL'] === '1';

type Isolation = 'worktree' | 'clone';

/** Both in `npm run test:all`. `npm test` takes one of them in each file, so that a file costs half. */
export const isolations = (one: Isolation): readonly Isolation[] => (inFull ? ['worktree', 'clone'] : [one]);

/** All in `npm run test:all`. `npm test` takes the last of several ways to the same: the command, not the file. */
export const ways = <Row>(rows: readonly Row[]): readonly Row[] => (inFull ? rows : rows.slice(-1));

/** The first row in `npm test`, every row in `npm run test:all`: for rows that go one way. What is left out is listed. */
export function firstRow<Row>(
  rows: readonly Row[],
  name: (row: Row) => string,
  body: (row: Row) => Promise<void>,
): void {
  for (const [n, row] of rows.entries())
    test.runIf(n === 0 || inFull)(`${name(row)}${n === 0 ? '' : ' (in test:all)'}`, () => body(row));
}

const DISK = process.env['TESTS_ON_DISK'] ?? tmpdir();

/** For folders that are used again: only where each write leaves a time. TMPDIR on a disk of Linux runs them. */
export const testOnDisk = test.runIf(keepsTimes(realDisk, DISK));
export const longTestOnDisk = test.runIf(inFull && keepsTimes(realDisk, DISK));

/** The folders of this file's tests are on the disk. */
export function onDisk(): void {
  beforeEach(() => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = DISK;
    return () => {
      process.env['TMPDIR'] = before;
    };
  });
}
