// Runs a program that the project or an agent wrote: an integration test, post_worktree_cmd, a validation. It may hang,
// flood, fork and daemonise; however it ends, its whole tree ends with it, its output is kept within bounds, and it
// never sees a credential, a terminal or our stdin. Takes an argument array, never a shell line; a bad ending is a
// value, not an exception.

import type { Clock, Host } from '../ports/host.ts';
import { secretsOf } from '../text/redact.ts';
import { send, type Tree, treeOf } from './end-process-tree.ts';
import { type Held, holdUntilNoted, livesOn, UNKNOWN } from './first-inside.ts';
import { type Limits, passedLimit } from './limits.ts';
import { type Output, type OutputRequest, openOutput, type Printed } from './output.ts';
import { openPipe, type Pipe } from './pipe.ts';
import { startTime } from './process-table.ts';
import { type Startable, type Started, signalOf, start } from './start.ts';

export interface Program extends Startable, OutputRequest {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** What its whole tree may use. */
  readonly limits?: Limits | undefined;
}

export type How =
  | { readonly how: 'exited'; readonly code: number }
  | { readonly how: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly how: 'timed-out' }
  | { readonly how: 'over-limit'; readonly why: string }
  /** In a sandbox: it said that it had ended, and went on. */
  | { readonly how: 'lived-on' }
  /** By the caller's AbortSignal. */
  | { readonly how: 'stopped' }
  | { readonly how: 'not-started'; readonly reason: string };

/** Of a `lived-on`. */
export const LIVED_ON = 'it made the sandbox report an end, and went on';

export type Ended = How &
  Printed & {
    readonly durationMs: number;
    /** Processes it left behind that could not be ended; 0 unless another user's or out of reach. */
    readonly survivors: number;
    /** It ran in a sandbox (sandbox/mode.ts). */
    readonly confined?: true;
  };

const GRACE_MS = 2000;
const POLL_MS = 50;
/** For a helper that passes on the last lines, such as `exec > >(tee log)`, when its shell is gone. */
const LINGER_MS = 500;
/** For a process inside a system call, which even SIGKILL has to wait for. */
const REAP_MS = 5000;
/** For a pipe that a process out of reach holds open. */
const DRAIN_MS = 1000;

export async function runProgram(host: Host, program: Program): Promise<Ended> {
  const seconds = stopwatch(host.clock);
  const ended = (how: How, printed: Printed = SILENT, survivors = 0): Ended => ({
    ...how,
    ...printed,
    survivors,
    durationMs: Math.round(seconds() * 1000),
  });
  if (program.signal?.aborted) return ended({ how: 'stopped' });
  const prepared = prepare(host, program);
  if ('how' in prepared) return ended(prepared);
  const { output, pipe } = prepared;
  try {
    const tag = host.random.hex(16);
    const child = await start(host, program, tag, pipe);
    if ('reason' in child) return ended({ how: 'not-started', ...child }, await output.close());
    const { how, survivors, mistake } = await follow(host, program, { child, tag, pipe, output });
    const printed = await output.close();
    if (mistake.aborted) throw mistake.reason;
    return ended(how, printed, survivors);
  } finally {
    pipe.close();
  }
}

const SILENT: Printed = { tail: '', outputBytes: 0 };

function prepare(host: Host, program: Program): { readonly output: Output; readonly pipe: Pipe } | How {
  let pipe: Pipe | undefined;
  try {
    pipe = openPipe(host, program.env);
    return { pipe, output: openOutput(host, { secrets: secretsOf(program.env), ...program }) };
  } catch (error) {
    pipe?.closeWriteEnd();
    pipe?.close();
    return { how: 'not-started', reason: `its output cannot be kept: ${(error as Error).message}` };
  }
}

interface Begun {
  readonly child: Started;
  readonly tag: string;
  readonly pipe: Pipe;
  readonly output: Output;
}

async function follow(host: Host, program: Program, { child, tag, pipe, output }: Begun) {
  const { clock } = host;
  const { limits, wrapped } = program;
  // Read before the first turn of the event loop, in which a child that has ended would give its pid away.
  const tree = treeOf(host, { pid: child.pid, started: startTime(host, child.pid), tag, wrapped });
  const held = program.held
    ? holdUntilNoted(host, child, (inside) => {
        tree.add(inside);
        program.onInside?.(inside);
      })
    : undefined;
  const exited = exitOf(host, child, program, held);
  // `onLine` may throw: that must not leave the program running.
  const mistake = new AbortController();
  const drained = pipe.read(output.write).catch((error: unknown) => mistake.abort(error));
  const over = new AbortController();
  const passed: Promise<How>[] =
    limits === undefined
      ? []
      : [passedLimit(host, child.pid, limits, over.signal).then((why) => ({ how: 'over-limit', why }))];
  const failed = held?.failed.then((reason): How => ({ how: 'not-started', reason }));
  const endings = [exited, ...passed, ...(failed === undefined ? [] : [failed])];
  const how = await first(clock, endings, program.timeoutMs, [mistake.signal, program.signal]);
  over.abort();
  if (how.how === 'timed-out' || how.how === 'stopped') await askToEnd(host, child, tree, wrapped === true);
  // A tree that uses too much is given no time to use more, and one that deceives none to go on.
  else if (how.how === 'exited' || how.how === 'signalled') await within(clock, LINGER_MS, drained);
  const survivors = await tree.end();
  held?.close();
  await within(clock, REAP_MS, exited);
  child.unref();
  await within(clock, DRAIN_MS, drained);
  return { how, survivors, mistake: mistake.signal };
}

const exitOf = (host: Host, child: Started, { wrapped }: Program, held: Held | undefined): Promise<How> =>
  new Promise((done) => {
    child.once('exit', async (code, sent) => {
      const signal = signalOf(host.processes, { code, signal: sent, wrapped });
      // It was not let run, and nothing but the program ends so.
      if (held !== undefined && held.inside() === undefined && code === 0) {
        done({ how: 'not-started', reason: UNKNOWN });
      } else if (await livesOn(host, held?.inside())) done({ how: 'lived-on' });
      else done(signal === null ? { how: 'exited', code: code ?? 0 } : { how: 'signalled', signal });
    });
  });

/** The first reason wins: what a program exits with after it was told to end says nothing. */
function first(
  clock: Clock,
  endings: readonly Promise<How>[],
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<How> {
  return new Promise((done) => {
    const given = signals.filter((signal) => signal !== undefined);
    const settle = (how: How): void => {
      cancel();
      for (const signal of given) signal.removeEventListener('abort', stop);
      done(how);
    };
    const stop = (): void => settle({ how: 'stopped' });
    const cancel = clock.after(timeoutMs, () => settle({ how: 'timed-out' }));
    for (const signal of given) signal.addEventListener('abort', stop);
    if (given.some(({ aborted }) => aborted)) stop();
    for (const ending of endings) void ending.then(settle);
  });
}

/** SIGTERM to its group, and a moment to tidy up. */
async function askToEnd(host: Host, child: Started, tree: Tree, wrapped: boolean): Promise<void> {
  const { clock } = host;
  // Children of those that now end lose their parent: they are remembered first.
  tree.look();
  if (wrapped) tree.ask();
  // Not waited for yet, so its pid is nobody else's.
  else if (child.exitCode === null && child.signalCode === null) send(host, -child.pid, 'SIGTERM');
  const until = clock.monotonic() + GRACE_MS;
  while (clock.monotonic() < until && tree.look().some(({ group }) => group === child.pid)) await clock.sleep(POLL_MS);
}

/** Waits for the promise, but no longer than that. Its timer does not keep this process alive. */
export const within = (clock: Clock, ms: number, promise: Promise<unknown>): Promise<unknown> =>
  Promise.race([promise, new Promise<void>((done) => clock.after(ms, done, 'background'))]);

/** Seconds since it was started: how long something takes, even if the time of day is set meanwhile. */
export function stopwatch(clock: Clock): () => number {
  const begun = clock.monotonic();
  return () => (clock.monotonic() - begun) / 1000;
}
