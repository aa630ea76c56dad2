// Runs commands of agents outside the sandbox in this process. A client (supervisor/agent-client.ts) connects to a socket
// in a folder that is this user's alone, is told a name, opens the file of that name, and sends its pid, that descriptor
// and what its command reads from stdin. The command itself is read from the process (identity/asker.ts). One that is not
// served hears `no`, and runs by itself: from the request on it waits until it hears so, so that no command runs twice.

import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { askerAt, type Proof } from '../../identity/asker.ts';
import { sha256 } from '../../ports/digest.ts';
import type { Disk } from '../../ports/disk.ts';
import { answerText } from '../../sandbox/answer-text.ts';
import type { StoreContext } from '../../store/transact.ts';
import { SOCKET } from '../../supervisor/agent-client.ts';
import type { CommandServer } from '../../supervisor/context.ts';
import type { Io } from '../io.ts';
import { answered } from '../serve-commands.ts';
import { servedAgent } from './caller.ts';
import { requestOf } from './request.ts';

/** More are closed at once, and run by themselves. */
const MOST = 64;
/** Of one agent. */
const AT_ONCE = 4;
/** For a client to read its answer. */
const READING_MS = 30_000;
/** For commands of a session that is over. */
const SETTLING_MS = 5000;
const NO = 'no\n';

/** `shows`: how its clients begin among the processes. Undefined: there is no room for its folder. */
export function openCommandServer(io: Io, board: StoreContext, shows: readonly string[]): CommandServer | undefined {
  const { clock, disk, random } = board;
  const folder = makeFolder(board, io.self.pid);
  if (folder === undefined) return undefined;
  const running = new Map<string, Set<Promise<void>>>();

  const serve = async (socket: Socket): Promise<void> => {
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const name = random.hex(16);
    const file = join(folder.path, name);
    try {
      disk.writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
      const asked = requestOf(clock, socket, gone.signal);
      socket.write(`${name}\n`);
      const request = await asked;
      if (request === undefined) return;
      socket.end(await answerTo(request, file, gone.signal));
    } finally {
      forget(disk, file);
      if (!gone.signal.aborted) clock.after(READING_MS, () => socket.destroy(), 'background');
      if (!socket.writableEnded) socket.destroy();
    }
  };

  const answerTo = async (
    { stdin, ...said }: Omit<Proof, 'file'> & { readonly stdin: string },
    file: string,
    gone: AbortSignal,
  ): Promise<string> => {
    const asker = askerAt(board, { ...said, file }, shows);
    const served = asker === undefined ? undefined : await servedAgent(io, board, asker, gone);
    if (asker === undefined || served === undefined || gone.aborted) return NO;
    const ofAgent = running.get(served.agent) ?? new Set();
    if (ofAgent.size >= AT_ONCE) return NO;
    running.set(served.agent, ofAgent);
    // Whatever goes wrong in it, the crew lives on.
    const answer = answered({ argv: asker.argv, stdin }, served.io).catch((error: Error) => ({
      code: 1,
      stdout: '',
      stderr: `liza: the command failed: ${error.message}\n  → try again\n`,
    }));
    const finished = answer.then(() => {
      ofAgent.delete(finished);
    });
    ofAgent.add(finished);
    return answerText(await answer, random.hex(8));
  };

  const server = createServer((socket) => {
    socket.on('error', () => {});
    void serve(socket).catch(() => socket.destroy());
  });
  server.maxConnections = MOST;
  // Whoever cannot reach it runs by itself.
  server.on('error', () => {});
  // A socket's path may be no longer than 107 bytes.
  server.listen(`/proc/self/fd/${folder.fd}/${SOCKET}`);
  server.unref();
  return {
    folder: folder.path,
    settled: async (agent) => {
      const over = new AbortController();
      const all = Promise.all(running.get(agent) ?? []).finally(() => over.abort());
      await Promise.race([all, clock.sleep(SETTLING_MS, over.signal)]);
    },
    close: () => {
      server.close();
      disk.closeSync(folder.fd);
      remove(disk, folder.path);
    },
  };
}

/**
 * This user's alone, and not in the project: many a program that copies folders stumbles over a socket. Those of crews of
 * this project that were killed go.
 */
function makeFolder(
  { disk, env, paths, processes }: StoreContext,
  pid: number,
): { readonly path: string; readonly fd: number } | undefined {
  const parent = env['TMPDIR'] || '/tmp';
  const own = `liza-${sha256(paths.root).slice(0, 12)}-`;
  try {
    for (const name of disk.readdirSync(parent))
      if (name.startsWith(own) && !isThere(processes, Number.parseInt(name.slice(own.length), 10)))
        remove(disk, join(parent, name));
    const path = disk.realpathSync(disk.mkdtempSync(join(parent, `${own}${pid}-`)));
    return { path, fd: disk.openSync(path, 'r') };
  } catch {
    return undefined;
  }
}

function isThere(processes: StoreContext['processes'], pid: number): boolean {
  try {
    return processes.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function remove(disk: Disk, folder: string): void {
  try {
    disk.rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another user's, who named it so.
  }
}

function forget(disk: Disk, file: string): void {
  try {
    disk.unlinkSync(file);
  } catch {
    // The folder went first.
  }
}
