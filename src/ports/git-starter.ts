// Starts git for a large process. The system copies the page tables of whoever starts a program, and the event loop waits
// until the program runs: with 170 MB that takes 5 ms of processor time, and on a busy machine 20 ms of everybody's. So
// a crew that has grown has a small process start its git, and only sends it the command line and reads the answer. It
// ends with this process, and after a moment without work. Whatever needs a descriptor of ours is started from here.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Environment } from './host.ts';
import { closeInherited } from './inherited.ts';

export interface Order {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly input: string;
  /** Bytes that it may print. */
  readonly most: number;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  /** It printed more than it may, and was ended. */
  readonly isCut: boolean;
}

export interface Told {
  ended(how: Ended): void;
  /** It did not start, or nobody knows what became of it. */
  failed(cause: { readonly code?: string | undefined; readonly message: string }): void;
}

/** What a watch over it needs. */
export interface Ordered {
  /** Known of one that takes longer. */
  readonly pid?: number | undefined;
  kill(signal: 'SIGKILL'): unknown;
}

/** Whole, so that it loads nothing else: what it costs is its size. */
const PROGRAM = `const { spawn } = require('node:child_process');
const running = new Map();
process.on('disconnect', () => process.exit());
process.on('message', ({ id, argv, env, input, most, kill }) => {
  if (kill) return void running.get(id)?.kill('SIGKILL');
  const tell = (what) => process.connected && process.send({ id, ...what });
  let child;
  try {
    child = spawn(argv[0], argv.slice(1), { env, stdio: 'pipe' });
  } catch ({ code, message }) {
    return void tell({ failed: { code, message } });
  }
  running.set(id, child);
  let left = most;
  const parts = [[], []];
  [child.stdout, child.stderr].forEach((stream, at) => stream?.on('data', (part) => {
    left -= part.length;
    if (left >= 0) return void parts[at].push(part);
    stream.destroy();
    child.kill('SIGKILL');
  }));
  const slow = setTimeout(() => tell({ pid: child.pid }), 500);
  const over = (what) => { clearTimeout(slow); running.delete(id); tell(what); };
  child.on('error', ({ code, message }) => over({ failed: { code, message } }));
  child.on('close', (code, signal) => running.has(id) && over({ ended: {
    code, signal, isCut: left < 0, stdout: Buffer.concat(parts[0]).toString(), stderr: Buffer.concat(parts[1]).toString() } }));
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
});`;

/** Bytes of memory from which on a small process is worth its own. */
const LARGE = 80 * 2 ** 20;
/** Looked at every so many calls. */
const LOOK_EVERY = 8;
const IDLE_MS = 20_000;

interface Pending extends Told {
  pid: number | undefined;
}

interface Starter {
  put(order: Order, told: Told): Ordered;
  close(): void;
}

let users = 0;
let large = LARGE;
let calls = 0;
let starter: Starter | undefined;

/** From now on, once this process is large. Returns how to end that. */
export function startAside(from = LARGE): () => void {
  users += 1;
  large = from;
  return () => {
    users -= 1;
    if (users === 0) starter?.close();
  };
}

/** undefined: it has to be started from here. */
export function order(what: Order, told: Told): Ordered | undefined {
  if (users === 0) return undefined;
  calls += 1;
  if (starter === undefined && calls % LOOK_EVERY === 1 && process.memoryUsage.rss() >= large) starter = open();
  return starter?.put(what, told);
}

function open(): Starter | undefined {
  closeInherited();
  const stdio = ['ignore', 'ignore', 'ignore', 'ipc'] as const;
  const helper = spawn(process.execPath, ['-e', PROGRAM], { stdio: [...stdio], detached: true });
  const pending = new Map<number, Pending>();
  let idle: NodeJS.Timeout | undefined;
  let count = 0;
  const own: Starter = {
    put: (what, told) => {
      clearTimeout(idle);
      count += 1;
      const id = count;
      const one: Pending = { ...told, pid: undefined };
      pending.set(id, one);
      helper.channel?.ref();
      helper.send({ id, ...what }, (error) => error && over());
      return {
        get pid() {
          return one.pid;
        },
        kill: () => helper.connected && helper.send({ id, kill: true }, () => {}),
      };
    },
    close: () => {
      forget();
      if (pending.size === 0 && helper.connected) helper.disconnect();
    },
  };
  const forget = (): void => {
    clearTimeout(idle);
    if (starter === own) starter = undefined;
  };
  const rest = (): void => {
    helper.channel?.unref();
    if (starter !== own) return own.close();
    idle = setTimeout(own.close, IDLE_MS).unref();
  };
  const over = (): void => {
    forget();
    const message = 'the process that starts git ended';
    for (const one of [...pending.values()]) one.failed({ message });
    pending.clear();
  };
  helper.on('message', (said) => {
    const { id, pid, ended, failed } = said as Said;
    const one = pending.get(id);
    if (one === undefined) return;
    if (pid !== undefined) one.pid = pid;
    if (ended === undefined && failed === undefined) return;
    pending.delete(id);
    if (ended !== undefined) one.ended(ended);
    if (failed !== undefined) one.failed(failed);
    if (pending.size === 0) rest();
  });
  helper.on('error', over).on('exit', over);
  endSlowOnes(helper, pending);
  helper.unref();
  return own;
}

interface Said extends Partial<Pick<Ordered, 'pid'>> {
  readonly id: number;
  readonly ended?: Ended;
  readonly failed?: Parameters<Told['failed']>[0];
}

/** One that waits at a pipe would be left behind for ever; the others end by themselves. */
function endSlowOnes(helper: ChildProcess, pending: ReadonlyMap<number, Pending>): void {
  const end = (): void => {
    for (const { pid } of pending.values()) {
      try {
        if (pid !== undefined) process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
    // It would end by itself, a moment after us: who looks then would still find it.
    helper.kill('SIGKILL');
  };
  process.once('exit', end);
  helper.once('exit', () => process.off('exit', end));
}
