// Lines in info/exclude: added once, taken out again, and the rest of the file stays as it was, byte for byte.

import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { exclude, isExcluding, unexclude } from '../../../src/git/repository.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let common: string;
let file: string;
beforeEach(() => {
  common = temporaryFolder();
  file = join(common, 'info', 'exclude');
});

const OURS = ['/.liza/', '/höhle/hook'];
const isOurs = (line: string): boolean => OURS.map((one) => Buffer.from(one).toString('latin1')).includes(line);

test.each([
  ['text in no encoding', Buffer.from('# mine\n\xff\xfe\n*.log\n', 'latin1')],
  ['text without a newline at its end', Buffer.from('*.log')],
  ['an empty file', Buffer.from('')],
])('%s stays as it was', (_what, text) => {
  mkdirSync(join(common, 'info'));
  writeFileSync(file, text);
  chmodSync(file, 0o600);
  exclude(hostAt(), common, OURS);
  const once = readFileSync(file);
  expect(once.subarray(0, text.length)).toEqual(text);
  expect(once.toString().endsWith('/.liza/\n/höhle/hook\n')).toBe(true);
  exclude(hostAt(), common, OURS);
  expect(readFileSync(file)).toEqual(once);
  unexclude(hostAt(), common, isOurs);
  expect(readFileSync(file).toString('latin1').trimEnd()).toBe(text.toString('latin1').trimEnd());
  expect(isExcluding(hostAt().disk, common, isOurs)).toBe(false);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(common, 'info'))).toEqual(['exclude']);
});

test('a link stays a link, and a repository without the file gets one', () => {
  exclude(hostAt(), common, OURS);
  expect(readFileSync(file, 'utf8')).toBe('/.liza/\n/höhle/hook\n');
  rmSync(file);
  writeFileSync(join(common, 'elsewhere'), '*.log\n');
  symlinkSync('../elsewhere', file);
  exclude(hostAt(), common, OURS);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(common, 'elsewhere'), 'utf8')).toContain('/.liza/\n');
  unexclude(hostAt(), common, isOurs);
  expect(readFileSync(join(common, 'elsewhere'), 'utf8')).toBe('*.log\n');
});

test('what a killed writer left goes, what a living one writes stays', () => {
  mkdirSync(join(common, 'info'));
  for (const pid of [process.pid, 2 ** 30]) writeFileSync(`${file}.liza-${pid}`, 'half');
  exclude(hostAt(), common, OURS);
  expect(readdirSync(join(common, 'info'))).toEqual(['exclude']);
  writeFileSync(`${file}.liza-${process.ppid}`, 'half');
  unexclude(hostAt(), common, isOurs);
  expect(readdirSync(join(common, 'info')).sort()).toEqual(['exclude', `exclude.liza-${process.ppid}`]);
});
