// Runs a program of the project's or an agent's making: an integration test, post_worktree_cmd, a
// validation. It may hang, flood, fork and daemonise; however it ends, its whole tree ends with it, its
// output is kept within bounds, and it never sees a credential, a terminal or our stdin.
// Takes an argument array, never a shell line of its own making; a bad ending is a value, not an exception.

import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { secretsOf } from '../text/redact.ts';
import { type Limits, overrun } from './limits.ts';
import { type Output, type OutputRequest, openOutput, type Printed } from './output.ts';
import { openPipe, type Pipe } from './pipe.ts';
import { startTime } from './process-table.ts';
import { type Startable, type Started, signalOf, start } from './start.ts';
import { send, type Tree, treeOf } from './tree.ts';

export interface Program extends Startable, OutputRequest {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Of its whole tree. */
  readonly limits?: Limits | undefined;
}

export type How =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly how: 'timed-out' }
  | { readonly how: 'over-limit'; readonly why: string }
  /** By the caller's AbortSignal. */
  | { readonly how: 'stopped' }
  | { readonly how: 'not-started'; readonly reason: string };

export type Ended = How &
  Printed & {
    readonly durationMs: number;
    /** Processes it left behind that could not be ended; 0 unless another user's or out of reach. */
    readonly survivors: number;
    /** It did not see all that the user sees; said by who confined it. */
    readonly confined?: true;
  };

const GRACE_MS = 2000;
const POLL_MS = 50;
/** For a helper that passes on the last lines, such as `exec > >(tee log)`, when its shell is gone. */
const LINGER_MS = 500;
/** For a process in the kernel's hands that even SIGKILL has to wait for. */
const REAP_MS = 5000;
/** For a pipe held open by somebody out of reach. */
const DRAIN_MS = 1000;
const LONGEST_TIMER = 2 ** 31 - 1;

export async function runProgram(program: Program): Promise<Ended> {
  const begun = performance.now();
  const ended = (how: How, printed: Printed = SILENT, survivors = 0): Ended => ({
    ...how,
    ...printed,
    survivors,
    durationMs: Math.round(performance.now() - begun),
  });
  if (program.signal?.aborted) return ended({ how: 'stopped' });
  const begin = prepared(program);
  if ('how' in begin) return ended(begin);
  const { output, pipe } = begin;
  try {
    const tag = randomBytes(16).toString('hex');
    const child = await start(program, tag, pipe);
    if ('reason' in child) return ended({ how: 'not-started', ...child }, output.close());
    const { how, survivors, mistake } = await follow(child, tag, program, pipe, output);
    const printed = output.close();
    if (mistake.aborted) throw mistake.reason;
    return ended(how, printed, survivors);
  } finally {
    pipe.close();
  }
}

const SILENT: Printed = { tail: '', outputBytes: 0 };

function prepared(program: Program): { readonly output: Output; readonly pipe: Pipe } | How {
  let pipe: Pipe | undefined;
  try {
    pipe = openPipe(program.env);
    return { pipe, output: openOutput({ secrets: secretsOf(program.env), ...program }) };
  } catch (error) {
    pipe?.closeWriteEnd();
    pipe?.close();
    return { how: 'not-started', reason: `its output cannot be kept: ${(error as Error).message}` };
  }
}

async function follow(child: Started, tag: string, program: Program, pipe: Pipe, output: Output) {
  const exited = exitOf(child, program.wrapped);
  // Read before the first turn of the event loop, in which a child that has ended would give its pid away.
  const tree = treeOf({ pid: child.pid, started: startTime(child.pid), tag, wrapped: program.wrapped });
  // Whoever watches the lines may throw: that must not leave the program running.
  const mistake = new AbortController();
  const drained = pipe.read(output.write).catch((error: unknown) => mistake.abort(error));
  const over = new AbortController();
  const passed: Promise<How>[] =
    program.limits === undefined
      ? []
      : [overrun(child.pid, program.limits, over.signal).then((why) => ({ how: 'over-limit', why }))];
  const how = await first([exited, ...passed], program.timeoutMs, [mistake.signal, program.signal]);
  over.abort();
  if (how.how === 'timed-out' || how.how === 'stopped') await askToEnd(child, tree, program.wrapped === true);
  // Who takes too much is given no time to take more.
  else if (how.how !== 'over-limit') await within(LINGER_MS, drained);
  const survivors = await tree.end();
  await within(REAP_MS, exited);
  child.unref();
  await within(DRAIN_MS, drained);
  return { how, survivors, mistake: mistake.signal };
}

const exitOf = (child: ChildProcess, wrapped?: boolean): Promise<How> =>
  new Promise((done) => {
    child.once('exit', (code, sent) => {
      const signal = signalOf(code, sent, wrapped);
      done(signal === null ? { how: 'exited', code: code ?? 0 } : { how: 'signalled', signal });
    });
  });

/** The first reason wins: what a program exits with after it was told to end says nothing. */
function first(
  endings: readonly Promise<How>[],
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<How> {
  return new Promise((done) => {
    const given = signals.filter((signal) => signal !== undefined);
    const settle = (how: How): void => {
      clearTimeout(timer);
      for (const signal of given) signal.removeEventListener('abort', stop);
      done(how);
    };
    const stop = (): void => settle({ how: 'stopped' });
    const timer = setTimeout(() => settle({ how: 'timed-out' }), Math.min(timeoutMs, LONGEST_TIMER));
    for (const signal of given) signal.addEventListener('abort', stop);
    if (given.some(({ aborted }) => aborted)) stop();
    for (const ending of endings) void ending.then(settle);
  });
}

/** SIGTERM to its group, and a moment to tidy up. */
async function askToEnd(child: Started, tree: Tree, wrapped: boolean): Promise<void> {
  // Children of those that now end lose their parent: they are remembered first.
  tree.look();
  if (wrapped) tree.ask();
  // Not waited for yet, so its pid is nobody else's.
  else if (child.exitCode === null && child.signalCode === null) send(-child.pid, 'SIGTERM');
  const until = performance.now() + GRACE_MS;
  while (performance.now() < until && tree.look().some(({ group }) => group === child.pid)) await wait(POLL_MS);
}

/** A timer that is still running keeps nobody from leaving. */
const within = (ms: number, promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise, wait(ms, undefined, { ref: false })]);

/** Seconds since it was started: how long something takes, whatever the time of day does. */
export function stopwatch(): () => number {
  const begun = performance.now();
  return () => (performance.now() - begun) / 1000;
}
