// One real pipe for stdout and stderr together. Node's own are a socket each: their order is lost, and
// a script that says `echo … > /dev/stderr` fails on a socket (ENXIO). The fifo's name is gone before
// the program starts, and the program's end of it blocks, as programs expect.

import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait, setImmediate as yieldTurn } from 'node:timers/promises';
import type { Environment } from '../ports/host.ts';

export interface Pipe {
  /** For the program's stdout and stderr. */
  readonly writeEnd: number;
  /** Once the program has it (or never will): without this, the end of the output would never come. */
  closeWriteEnd(): void;
  /** Resolves when the last writer is gone, or after `close`. A chunk is only lent. */
  read(onData: (chunk: Buffer) => void): Promise<void>;
  close(): void;
}

const CHUNK = 64 * 1024;
const LONGEST_PAUSE_MS = 25;
/** Looking again at once keeps up with a flood: the writer needs some microseconds to fill the pipe. */
const PATIENCE = 20;

/** Throws when the system will not have it. */
export function openPipe(env: Environment): Pipe {
  const folder = mkdtempSync(join(env['TMPDIR'] || '/tmp', 'liza-'));
  try {
    const name = join(folder, 'output');
    const made = spawnSync('mkfifo', ['-m', '600', name], { env: { PATH: env['PATH'] }, encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`mkfifo: ${made.error?.message ?? made.stderr.trim()}`);
    // Opening either end waits for the other one, unless the reader says it will not.
    const readEnd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
    return pipe(readEnd, openSync(name, constants.O_WRONLY));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function pipe(readEnd: number, writeEnd: number): Pipe {
  let open = true;
  return {
    writeEnd,
    closeWriteEnd: () => closeSync(writeEnd),
    // Node waits for a descriptor only by taking it over, and then a worker thread (as in our tests) closes
    // its number once more when it ends, whosever it is by then. So this one is looked at now and then.
    async read(onData) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (let idle = 0; open; ) {
        const got = readNow(readEnd, buffer);
        if (got === 0) return;
        if (got !== undefined) onData(buffer.subarray(0, got));
        idle = got === undefined ? idle + 1 : 0;
        await (idle < PATIENCE ? yieldTurn() : wait(Math.min(idle - PATIENCE + 1, LONGEST_PAUSE_MS)));
      }
    },
    close: () => {
      if (open) closeSync(readEnd);
      open = false;
    },
  };
}

/** How much there was; 0 at the end, undefined when there is nothing yet. */
function readNow(fd: number, buffer: Buffer): number | undefined {
  try {
    return readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
