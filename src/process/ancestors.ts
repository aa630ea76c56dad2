// The processes above one: pid, start time, and the tags each was started with. Linux reads /proc, a few files; macOS,
// which has none, asks ps once for all. What a process was started with it cannot take back for those below it.

import { textOf } from './proc-files.ts';
import { TAG } from './tags.ts';

export interface Ancestor {
  readonly pid: number;
  /** Together with the pid it names one process of this boot. */
  readonly started: string;
  /** The value of LIZA_PROGRAM; empty: none, or not ours to read. Looked up when asked for: it is the dearer half. */
  tags(): string;
}

/** Nobody is that deep; a circle would be a lie. */
const DEEPEST = 256;

/** `parent` and those above it; the nearest first. Each is looked at when it is asked for. */
export function* ancestorsFrom(parent: number): Generator<Ancestor> {
  const look = process.platform === 'linux' ? fromProc : fromListing(listed());
  let at = parent;
  for (let depth = 0; at > 1 && depth < DEEPEST; depth += 1) {
    const one = look(at);
    if (one === undefined) return;
    yield { pid: at, started: one.started, tags: one.tags };
    at = one.parent;
  }
}

interface Looked {
  readonly parent: number;
  readonly started: string;
  tags(): string;
}

type Look = (pid: number) => Looked | undefined;

function fromProc(pid: number): Looked | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === '') return undefined;
  // The command's name may hold spaces and brackets; fields are counted after its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  return {
    parent: Number(fields[1]),
    started: fields[19] ?? '',
    tags: () => valueIn(textOf(`/proc/${pid}/environ`), '\0'),
  };
}

/** Of the first: a program that sets it again comes after it. */
function valueIn(environment: string, between: string): string {
  const start = environment.startsWith(`${TAG}=`) ? 0 : environment.indexOf(`${between}${TAG}=`) + 1;
  if (start === 0 && !environment.startsWith(`${TAG}=`)) return '';
  const from = start + TAG.length + 1;
  const end = environment.indexOf(between, from);
  return environment.slice(from, end === -1 ? undefined : end);
}

/** Lines of `ps -o pid=,ppid=,lstart=,command=` with the environment behind the command. */
export function fromListing(listing: string): Look {
  const all = new Map(
    listing.split('\n').flatMap((line): [number, Looked][] => {
      const match = /^ *(\d+) +(\d+) +(\S+ +\S+ +\S+ +[\d:]+ +\d{4})(.*)$/.exec(line);
      if (match === null) return [];
      const [, pid, parent, started = '', rest = ''] = match;
      return [[Number(pid), { parent: Number(parent), started, tags: () => valueIn(rest, ' ') }]];
    }),
  );
  return (pid) => all.get(pid);
}

function listed(): string {
  const asked = {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
  } as const;
  // Loaded only where it is needed: node:child_process costs 3 ms.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  return spawnSync('ps', ['-AEww', '-o', 'pid=,ppid=,lstart=,command='], asked).stdout ?? '';
}
