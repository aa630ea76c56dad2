// The processes above one: pid, start time, and the tags each was started with. Linux reads /proc, a few files; macOS,
// which has none, asks ps once for all. What a process was started with it cannot take back for those below it.

import { environmentOf, isLinux, type ProcessHost, ps, statOf } from './proc-files.ts';
import { TAG } from './tags.ts';

export interface Ancestor {
  readonly pid: number;
  /** Together with the pid it names one process of this boot. */
  readonly started: string;
  /** The value of LIZA_PROGRAM; empty: none, or not ours to read. Read when asked for: it is the dearer half. */
  tags(): string;
}

/** No real chain is that deep: a longer one is a circle. */
const DEEPEST = 256;

/** `parent` and those above it; the nearest first. Each is looked up when it is asked for. */
export function* ancestorsFrom(host: ProcessHost, parent: number): Generator<Ancestor> {
  const lookUp = isLinux(host) ? (pid: number) => fromProc(host, pid) : fromListing(ps(host, '-AEww', '-o', COLUMNS));
  let at = parent;
  for (let depth = 0; at > 1 && depth < DEEPEST; depth += 1) {
    const found = lookUp(at);
    if (found === undefined) return;
    yield { pid: at, started: found.started, tags: found.tags };
    at = found.parent;
  }
}

interface Found {
  readonly parent: number;
  readonly started: string;
  tags(): string;
}

function fromProc(host: ProcessHost, pid: number): Found | undefined {
  const stat = statOf(host, pid);
  if (stat === undefined) return undefined;
  const { parent, started } = stat;
  return { parent, started, tags: () => tagsIn(environmentOf(host, pid), '\0') };
}

/** The value of the first LIZA_PROGRAM: a program that sets it again comes after it. */
function tagsIn(environment: string, between: string): string {
  const start = environment.startsWith(`${TAG}=`) ? 0 : environment.indexOf(`${between}${TAG}=`) + 1;
  if (start === 0 && !environment.startsWith(`${TAG}=`)) return '';
  const from = start + TAG.length + 1;
  const end = environment.indexOf(between, from);
  return environment.slice(from, end === -1 ? undefined : end);
}

const COLUMNS = 'pid=,ppid=,lstart=,command=';

/** Reads lines of `ps -o pid=,ppid=,lstart=,command=` with the environment behind the command. */
export function fromListing(listing: string): (pid: number) => Found | undefined {
  const all = new Map(
    listing.split('\n').flatMap((line): [number, Found][] => {
      const match = /^ *(\d+) +(\d+) +(\S+ +\S+ +\S+ +[\d:]+ +\d{4})(.*)$/.exec(line);
      if (match === null) return [];
      const [, pid, parent, started = '', rest = ''] = match;
      return [[Number(pid), { parent: Number(parent), started, tags: () => tagsIn(rest, ' ') }]];
    }),
  );
  return (pid) => all.get(pid);
}
