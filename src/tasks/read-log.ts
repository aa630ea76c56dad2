// What a program printed, from its log: a plain file of a size that is read at once, in lines that patterns read at once,
// and nothing else.

import type { Disk } from '../ports/disk.ts';
import { isQuicklyRead } from '../text/quickly-read.ts';

const MOST_READ = 4_000_000;

/** `instead`: where there is no such file. */
export function readLog(disk: Disk, path: string, instead: string): string {
  const stat = disk.lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true || stat.size > MOST_READ) return instead;
  const text = disk
    .readFileSync(path)
    .toString('utf8')
    .replace(MANY_BLANKS, (blanks) => blanks.slice(0, MOST_BLANKS));
  return isQuicklyRead(text) ? text : instead;
}

/** A bar of progress that clears its line for minutes. */
const MOST_BLANKS = 200;
const MANY_BLANKS = /\s{200,}/g;
