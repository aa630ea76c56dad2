// One real pipe for stdout and stderr together. Node's own are a socket each: their order is lost, and
// a script that says `echo … > /dev/stderr` fails on a socket (ENXIO). The fifo's name is gone before
// the program starts, and the program's end of it blocks, as programs expect.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Environment, Host } from '../ports/host.ts';
import { shortageIn } from '../text/shortage.ts';

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
export function openPipe(host: Host, env: Environment): Pipe {
  const { disk, processes } = host;
  const folder = disk.mkdtempSync(join(env['TMPDIR'] || '/tmp', 'liza-'));
  try {
    const name = join(folder, 'output');
    const made = processes.spawnSync('mkfifo', ['-m', '600', name], { env: { PATH: env['PATH'] }, encoding: 'utf8' });
    const said = made.error?.message ?? made.stderr ?? '';
    if (made.status !== 0) throw new Error(shortageIn(said)?.join(': ') ?? `mkfifo: ${said.trim()}`);
    // Opening either end waits for the other one, unless the reader says it will not.
    const { O_NONBLOCK, O_RDONLY, O_WRONLY } = disk.constants;
    const readEnd = disk.openPipeSync(name, O_RDONLY | O_NONBLOCK);
    return pipe(host, readEnd, disk.openPipeSync(name, O_WRONLY));
  } finally {
    disk.rmSync(folder, { recursive: true, force: true });
  }
}

function pipe({ clock, disk }: Host, readEnd: number, writeEnd: number): Pipe {
  let open = true;
  return {
    writeEnd,
    closeWriteEnd: () => disk.closeSync(writeEnd),
    // Node waits for a descriptor only by taking it over, and then a worker thread (as in our tests) closes
    // its number once more when it ends, whatever has that number by then. So this one is read now and then.
    async read(onData) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      for (let idle = 0; open; ) {
        const got = readNow(disk, readEnd, buffer);
        if (got === 0) return;
        if (got !== undefined) onData(buffer.subarray(0, got));
        idle = got === undefined ? idle + 1 : 0;
        await (idle < PATIENCE ? clock.nextTurn() : clock.sleep(Math.min(idle - PATIENCE + 1, LONGEST_PAUSE_MS)));
      }
    },
    close: () => {
      if (open) disk.closeSync(readEnd);
      open = false;
    },
  };
}

/** How much there was; 0 at the end, undefined when there is nothing yet. */
function readNow(disk: Disk, fd: number, buffer: Buffer): number | undefined {
  try {
    return disk.readSync(fd, buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
    throw error;
  }
}
