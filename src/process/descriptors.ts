// What processes have open, as /proc tells it. A process may have half a million descriptors, and there may be hundreds of
// such: of each only some are looked at, and of all together no more than a look may cost.

import type { Host } from '../ports/host.ts';

/** Far more than browsers, databases and build tools have. */
const MOST_OF_ONE = 4096;
/** About as many as take half a second. */
const MOST_OF_ALL = 150_000;

/** One for each look at the machine. */
export interface Look {
  left: number;
  /** Something was not looked at: whatever was not found may be there. */
  cutOff: boolean;
}

export const newLook = (): Look => ({ left: MOST_OF_ALL, cutOff: false });

/** What the process has open; undefined: another user's, or one that hides; of one that has ended nothing. */
export function openOf(disk: Host['disk'], pid: number | string, look: Look): readonly string[] | undefined {
  const folder = `/proc/${pid}/fd`;
  try {
    const names = disk.someNames(folder, Math.min(MOST_OF_ONE, look.left) + 1);
    if (names.length > Math.min(MOST_OF_ONE, look.left)) look.cutOff = true;
    look.left = Math.max(0, look.left - names.length);
    return names.flatMap((fd) => linkAt(disk, `${folder}/${fd}`) ?? []);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? undefined : [];
  }
}

function linkAt(disk: Host['disk'], path: string): string | undefined {
  try {
    return disk.readlinkSync(path);
  } catch {
    return undefined; // closed meanwhile
  }
}
