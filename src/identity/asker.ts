// The process that asks a server on this machine to run a command for it. Who it is, what was typed, where, and under which
// environment is read from the process itself: of what it sends nothing tells that. What it sends only binds it to the
// connection: it holds a file open whose name it was told there. Linux alone has what this takes.

import { join } from 'node:path';
import { beginningOf } from '../ports/beginning.ts';
import { type Ancestor, ancestorsFrom } from '../process/ancestors.ts';
import { limitsAt } from '../process/own-rlimit-mark.ts';
import { isLinux, type ProcessHost, statOf } from '../process/proc-files.ts';

export interface Asker {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly ancestors: readonly Ancestor[];
  readonly limits: string;
}

export interface Proof {
  /** Of the process that asks, as it says. */
  readonly pid: number;
  /** Its descriptor of the file. */
  readonly fd: number;
  readonly file: string;
}

/** `shows`: how a client that asks begins among the processes. Undefined: that is not what this process is. */
export function askerAt(host: ProcessHost, proof: Proof, shows: readonly string[]): Asker | undefined {
  if (!isLinux(host)) return undefined;
  try {
    const before = heldBy(host, proof);
    if (before === undefined) return undefined;
    const at = `/proc/${proof.pid}`;
    const words = textsOf(host, join(at, 'cmdline'));
    if (!shows.every((word, n) => words[n] === word)) return undefined;
    const asker: Asker = {
      argv: words.slice(shows.length),
      env: variablesIn(textsOf(host, join(at, 'environ'))),
      cwd: host.disk.readlinkSync(join(at, 'cwd')),
      ancestors: [...ancestorsFrom(host, before.parent)].map(asNow),
      limits: limitsAt(host, proof.pid),
    };
    // Whatever was read is of one process only if the same one still holds the file: the system gives a pid out again.
    const after = heldBy(host, proof);
    return after?.started === before.started && after.parent === before.parent ? asker : undefined;
  } catch {
    return undefined; // it has ended, or is not ours to read
  }
}

/** The process, if it is this user's and holds that very file. */
function heldBy(host: ProcessHost, { pid, fd, file }: Proof) {
  const { disk } = host;
  const stat = statOf(host, pid);
  const isOurs = disk.statSync(`/proc/${pid}`).uid === disk.statSync('/proc/self').uid;
  return stat?.isOver === false && isOurs && disk.readlinkSync(`/proc/${pid}/fd/${fd}`) === file ? stat : undefined;
}

/** Longer ones are for the program itself: a process may say that it was started with gigabytes. */
const MOST = 512 * 1024;

/** Each with a NUL behind it. */
function textsOf({ disk }: ProcessHost, file: string): readonly string[] {
  const text = beginningOf(disk, file, MOST, 'latin1');
  if (text.length === MOST) throw new RangeError(`${file} is longer than what is looked at`);
  return Buffer.from(text, 'latin1').toString('utf8').split('\0').slice(0, -1);
}

/** The first of several by one name, as a program sees them. */
function variablesIn(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.flatMap((text): [string, string][] => {
    const at = text.indexOf('=');
    return at <= 0 ? [] : [[text.slice(0, at), text.slice(at + 1)]];
  });
  return Object.fromEntries(pairs.reverse());
}

/** What it was started with is read while it is there. */
function asNow({ pid, started, tags }: Ancestor): Ancestor {
  const known = tags();
  return { pid, started, tags: () => known };
}
