// Which texts patterns may be tried on: none that takes the square of megabytes.

import { expect, test } from 'vitest';
import { asCommand } from '../../../src/protocol/facts/command-files.ts';
import { isQuicklyRead } from '../../../src/text/quickly-read.ts';
import { cpuTimer } from '../../support/cpu-time.ts';

const MB = 1_000_000;

test.each([
  ['an empty text', ''],
  ['megabytes of lines as people write them', `${'x'.repeat(60)}\n`.repeat((3 * MB) / 61)],
  ['a long line among others', `a\n${'x'.repeat(10_000)}\nb\n`],
  ['some empty lines', `a\n${'\n'.repeat(1000)}b`],
])('is read: %s', (_, text) => expect(isQuicklyRead(text)).toBe(true));

test.each([
  ['a line of a megabyte', 'x'.repeat(MB)],
  ['many long lines', `${'x'.repeat(5000)}\n`.repeat(200)],
  ['carriage returns', `exit 0\n${'\r'.repeat(3 * MB)}`],
  ['empty lines', `a${'\n'.repeat(MB)}b`],
  ['blanks of any kind', `a${' \t\u00a0\u2003\n'.repeat(MB / 5)}b`],
])('is not read: %s', (_, text) => expect(isQuicklyRead(text)).toBe(false));

test('a script of blanks and carriage returns becomes a command line in time', () => {
  const spent = cpuTimer();
  expect(asCommand(`exit 0\n${'\r'.repeat(MB)}`)).toContain('exit 0');
  expect(asCommand(`exit 0\n${' \t'.repeat(MB)}`)).toContain('exit 0');
  expect(spent()).toBeLessThan(1000);
});
