// What a program printed, from its log: a plain file of a size that is read at once, and nothing else.

import type { Disk } from '../ports/disk.ts';

const MOST_READ = 4_000_000;

/** `instead`: where there is no such file. */
export function readLog(disk: Disk, path: string, instead: string): string {
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MOST_READ ? disk.readFileSync(path).toString('utf8') : instead;
}
