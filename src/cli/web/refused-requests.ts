// What the server refused, for whoever wants to know what came to it: .liza/dashboard.log. Bounded in size, and a flood
// is counted instead of written: nobody fills a disk by knocking.

import { join } from 'node:path';
import { appendBounded } from '../../ports/files.ts';
import type { BoardContext } from '../../store/context.ts';
import { safeLine } from '../../text/redact.ts';
import { iso } from '../../text/time.ts';

const MOST_BYTES = 512 * 1024;
const MOST_A_SECOND = 20;

export type TellRefused = (status: number, what: string) => void;

export function refusedRequests({ clock, files, paths }: BoardContext): TellRefused {
  const path = join(paths.liza, 'dashboard.log');
  let second = 0;
  let told = 0;
  let untold = 0;
  const write = (line: string): void => {
    try {
      appendBounded(files, path, Buffer.from(`${iso(clock.now())} ${line}\n`), MOST_BYTES);
    } catch {
      // A full disk must not end the server.
    }
  };
  return (status, what) => {
    const now = Math.floor(clock.monotonic() / 1000);
    if (now !== second) {
      if (untold > 0) write(`${untold} more were refused within a second`);
      [second, told, untold] = [now, 0, 0];
    }
    told += 1;
    if (told > MOST_A_SECOND) untold += 1;
    else write(`${status} ${safeLine(what).slice(0, 300)}`);
  };
}
