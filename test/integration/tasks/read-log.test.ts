// A log that nobody can read in time is no log; one that only clears its line for long is.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realHost } from '../../../src/ports/real-host.ts';
import { readLog } from '../../../src/tasks/read-log.ts';
import { idleRun } from '../../../src/tasks/rules/idle-run.ts';
import { cpuTimer } from '../../support/cpu-time.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const { disk } = realHost(process.env);
const logged = (text: string): string => {
  const file = join(temporaryFolder(), 'log');
  writeFileSync(file, text);
  return readLog(disk, file, 'instead');
};

test('megabytes of carriage returns are a few, and what stands around them is there', () => {
  const read = logged(`begin\n${'\r'.repeat(3_000_000)}\nok 1 - adds\n`);
  expect(read).toContain('begin');
  expect(read).toContain('ok 1 - adds');
  expect(read.length).toBeLessThan(1000);
});

test('a line of a megabyte is not read', () => {
  expect(logged('x'.repeat(1_000_000))).toBe('instead');
});

test('what is read is judged in time', () => {
  const spent = cpuTimer();
  idleRun(logged(`${'\r'.repeat(190)}x`.repeat(15_000)), false);
  expect(spent()).toBeLessThan(3000);
});
