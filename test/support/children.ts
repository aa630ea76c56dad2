// Programs that this process started and that live on beside it.

import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'vitest';

/** Our children whose command line is such a one. */
export const childrenWhose = (isOne: (commandLine: string) => boolean): number[] =>
  fs
    .readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .split(' ')
    .filter((pid) => pid !== '' && isOne(commandOf(pid)))
    .map(Number);

function commandOf(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

export async function until(isSo: () => boolean): Promise<void> {
  for (let n = 0; !isSo(); n += 1) {
    if (n === 200) expect.fail('it took too long');
    await wait(25);
  }
}
