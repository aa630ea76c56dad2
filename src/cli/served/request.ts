// What a client sends over its socket: `<pid> <descriptor> <bytes>` on one line, and so many bytes that its command reads
// from stdin. Whoever sends anything else, too much or too slowly is not answered.

import type { Socket } from 'node:net';
import type { Clock } from '../../ports/host.ts';
import { LONGEST_STDIN } from '../../supervisor/agent-client.ts';

export interface Request {
  readonly pid: number;
  readonly fd: number;
  readonly stdin: string;
}

const WITHIN_MS = 5000;
const HEAD = /^([1-9]\d{0,9}) (\d{1,6}) (\d{1,7})\n/;
const LONGEST_HEAD = 30;

/** Undefined: there is none, and nobody waits for an answer. */
export function requestOf(clock: Clock, socket: Socket, gone: AbortSignal): Promise<Request | undefined> {
  return new Promise((done) => {
    const parts: Buffer[] = [];
    let length = 0;
    const settle = (request: Request | undefined): void => {
      cancel();
      socket.off('data', take);
      gone.removeEventListener('abort', leave);
      done(request);
    };
    const leave = (): void => settle(undefined);
    const cancel = clock.after(WITHIN_MS, leave, 'background');
    const take = (part: Buffer): void => {
      parts.push(part);
      length += part.length;
      const first = headOf(parts);
      if (first === 'none') return leave();
      if (first === 'begun' || length < first.size) return;
      if (length > first.size) return leave();
      const all = Buffer.concat(parts);
      settle({ pid: first.pid, fd: first.fd, stdin: all.toString('utf8', first.from) });
    };
    gone.addEventListener('abort', leave);
    socket.on('data', take);
  });
}

interface Head {
  readonly pid: number;
  readonly fd: number;
  readonly from: number;
  /** Of all that belongs to it. */
  readonly size: number;
}

function headOf(parts: readonly Buffer[]): Head | 'begun' | 'none' {
  // Almost always all of it came at once.
  const text = (parts[0] !== undefined && parts[0].length >= LONGEST_HEAD ? parts[0] : Buffer.concat(parts)).toString(
    'latin1',
    0,
    LONGEST_HEAD,
  );
  const [head, pid, fd, bytes] = HEAD.exec(text) ?? [];
  if (head === undefined) return text.length >= LONGEST_HEAD || text.includes('\n') ? 'none' : 'begun';
  if (Number(bytes) > LONGEST_STDIN) return 'none';
  return { pid: Number(pid), fd: Number(fd), from: head.length, size: head.length + Number(bytes) };
}
