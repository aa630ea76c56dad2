// The end of a session's log, read again when the file grew. Bounded: a log can be large, a terminal is not.
// A file that is not there yet has no lines; one that was replaced by a shorter one is read again.

import { realDisk } from '../../ports/disk.ts';

const MOST = 128 * 1024;
const MOST_LINES = 2000;

interface LogTail {
  readonly size: number;
  readonly lines: readonly string[];
}

/** The last lines of the file, or `before` itself when nothing changed. */
export async function readLogTail(path: string, before?: LogTail): Promise<LogTail> {
  const { O_RDONLY, O_NOFOLLOW } = realDisk.constants;
  const file = await realDisk.promises.open(path, O_RDONLY | O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return before ?? { size: 0, lines: [] };
  try {
    const { size } = await file.stat();
    if (size === before?.size) return before;
    const from = Math.max(0, size - MOST);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const all = buffer.toString('utf8', 0, bytesRead).split('\n');
    // The first line of a cut text is incomplete, and after the last line break comes nothing.
    const lines = all.slice(from > 0 ? 1 : 0, all.at(-1) === '' ? -1 : undefined);
    return { size, lines: lines.slice(-MOST_LINES) };
  } finally {
    await file.close();
  }
}

const LOOK = 500;

/**
 * Tells of the log whenever it grew, until stopped. `paths` are asked again each time, because the next session has
 * another file: the first of them that has a line is shown, and where none has, the last one stays.
 */
export function followLog(
  paths: () => readonly string[],
  found: (log: LogTail & { readonly path: string }) => void,
): () => void {
  let last: { readonly path: string; readonly tail: LogTail } | undefined;
  let waiting: NodeJS.Timeout | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    for (const now of paths()) {
      const before = now === last?.path ? last.tail : undefined;
      const tail = await readLogTail(now, before).catch(unreadable);
      if (stopped) return;
      if (tail.lines.length === 0) continue;
      if (tail !== before) {
        last = { path: now, tail };
        found({ ...tail, path: now });
      }
      break;
    }
    waiting = setTimeout(look, LOOK);
  };
  void look();
  return () => {
    stopped = true;
    clearTimeout(waiting);
  };
}

const unreadable = (error: Error): LogTail => ({ size: -1, lines: [error.message] });
