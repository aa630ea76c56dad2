// Starts one program: in a session of its own, with /dev/null to read from, one pipe to print to, and a
// scrubbed environment that carries the run's tag. Says in plain words why a program did not start.

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Disk } from '../ports/disk.ts';
import type { Environment, Processes } from '../ports/host.ts';
import { SHORTAGES } from '../text/shortage.ts';
import { scrubbed } from './environment.ts';
import type { Pipe } from './pipe.ts';
import type { ProcessHost } from './proc-files.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { programMark, underMark } from './rlimit-mark.ts';
import { nestedTag, programsRepository, TAG } from './tags.ts';

export interface Startable {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The caller's own; the program gets what `scrubbed` leaves of it. */
  readonly env: Environment;
  /** Variables that it gets though they look like credentials: a file that the user shows it asks for them. */
  readonly keeps?: readonly string[] | undefined;
  /** Its first process only passes on: asked to end, it would take the others with it at once. */
  readonly wrapped?: boolean | undefined;
  /** What it reads from there, once, when it starts. */
  readonly descriptor3?: Uint8Array | undefined;
  /** It is bubblewrap, and waits until its first process inside is noted (first-inside.ts). */
  readonly held?: boolean | undefined;
  /** Notes that process where the next one finds it, should this one be killed. */
  readonly onInside?: ((inside: ProcessIdentity) => void) | undefined;
}

/** Those behind the usual three, as `spawn` takes them. */
export const furtherDescriptors = ({
  descriptor3,
  held,
}: Pick<Startable, 'descriptor3' | 'held'>): readonly ('pipe' | 'ignore')[] => {
  const first = descriptor3 === undefined ? 'ignore' : 'pipe';
  if (held === true) return [first, 'pipe', 'pipe'];
  return descriptor3 === undefined ? [] : [first];
};

/** To a program that was started with a pipe there. One that did not start, or did not read it, says so by its end. */
export function giveDescriptor3(child: ChildProcess, text: Uint8Array | undefined): void {
  // One that did not start may have none at all.
  const stdio = child.stdio as readonly unknown[] | undefined;
  const pipe = text === undefined ? undefined : (stdio?.[3] as Writable | null | undefined);
  pipe?.on('error', () => {});
  pipe?.end(text);
}

export type Started = ChildProcess & { readonly pid: number };

/** Answers why not, where it cannot be started. */
export async function start(
  host: ProcessHost,
  program: Startable,
  tag: string,
  pipe: Pipe,
): Promise<Started | { readonly reason: string }> {
  const { cwd, env, keeps = [], descriptor3 } = program;
  const argv = marked(host, program);
  const kept = Object.fromEntries(keeps.map((name) => [name, env[name]]));
  try {
    const child = host.processes.spawn(argv[0], argv.slice(1), {
      cwd,
      env: { ...scrubbed(env), ...kept, [TAG]: nestedTag(env, tag) },
      stdio: ['ignore', pipe.writeEnd, pipe.writeEnd, ...furtherDescriptors(program)],
      // A session of its own: no terminal to ask questions on, and Ctrl-C is ours to pass on.
      detached: true,
    });
    giveDescriptor3(child, descriptor3);
    if (isStarted(child)) return child;
    const [error] = (await once(child, 'error')) as [NodeJS.ErrnoException];
    return { reason: reasonOf(host.disk, error, program) };
  } catch (error) {
    return { reason: reasonOf(host.disk, error as Error, program) };
  } finally {
    pipe.closeWriteEnd();
  }
}

/** As whoever asked for it would have started it, and as a program of the project. A sandbox shows no board to act on. */
function marked(host: ProcessHost, { argv, cwd, env, wrapped }: Startable): Startable['argv'] {
  const repository = wrapped === true ? undefined : programsRepository(env);
  const program = repository === undefined ? undefined : programMark(repository);
  return underMark(host, argv, { agent: host.mark, program }, { cwd, path: env['PATH'] }) ?? argv;
}

const isStarted = (child: ChildProcess): child is Started => child.pid !== undefined;

/** A program that passes on an end by a signal can only do so as a shell does: by 128 and its number. */
export function signalOf({ signals }: Processes, { code, signal, wrapped }: Exit): NodeJS.Signals | null {
  if (signal !== null || code === null || wrapped !== true || code <= 128) return signal;
  const named = Object.entries(signals).find(([, number]) => number === code - 128);
  return named === undefined ? null : (named[0] as NodeJS.Signals);
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly wrapped?: boolean | undefined;
}

export function reasonOf(
  disk: Disk,
  error: NodeJS.ErrnoException,
  { argv, cwd }: Pick<Startable, 'argv' | 'cwd'>,
): string {
  if (disk.statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) return `the folder ${cwd} is not there`;
  if (error.code === 'ENOENT') return `${argv[0]} or its interpreter was not found`;
  if (error.code === 'EACCES') return `${argv[0]} may not be executed`;
  return SHORTAGES[error.code ?? '']?.join(': ') ?? error.message;
}
