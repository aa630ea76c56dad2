// The processes of this machine as they are now: who started whom, since when, and who carries a tag in
// its environment. Linux reads /proc; macOS, which has none, asks ps, which hides the environment of
// Apple's own programs. A pid alone is never an identity: it is given out again.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { isMark, type Mark, markAt } from './own-mark.ts';
import { TAG } from './tags.ts';

export interface Running {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** 0 where the system does not say. */
  readonly session: number;
  /** Together with the pid it names one process of this boot. */
  readonly started: string;
  /** By its environment, or by a mark that outlives that. */
  readonly tagged: boolean;
}

export { TAG };

/** All that have not ended. A process in the middle of exec has no environment for a moment. */
export const processes = (tag: string, mark?: Mark): readonly Running[] =>
  process.platform === 'linux' ? fromProc(tag, mark) : fromPs(listing('-AE'), tag);

/** Undefined: there is no such process. One that ended and was not waited for yet still has its time. */
export function startTime(pid: number): string | undefined {
  if (process.platform === 'linux') return stat(pid)?.started;
  return listing('-p', String(pid), '-o', 'lstart=').trim() || undefined;
}

function fromProc(tag: string, mark?: Mark): readonly Running[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const seen = stat(Number(name));
      if (seen === undefined || seen.over) return [];
      const tagged = carries(environ(seen.pid), tag) || (mark !== undefined && isMark(markAt(seen.pid), mark));
      return [{ ...seen, tagged }];
    });
}

function stat(pid: number) {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command's name may hold spaces and brackets; fields are counted after its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, group, session] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started: fields[19] ?? '',
    over: 'ZX'.includes(state),
  };
}

const environ = (pid: number): readonly string[] => (read(`/proc/${pid}/environ`) ?? '').split('\0');

/** Unreadable: gone, or not ours. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

/** Lines of `ps -o pid=,ppid=,pgid=,stat=,lstart=,command=`, the environment behind the command. */
export function fromPs(listed: string, tag: string): readonly Running[] {
  return listed.split('\n').flatMap((line) => {
    const match = /^ *(\d+) +(\d+) +(\d+) +(\S+) +(\S+ +\S+ +\S+ +[\d:]+ +\d{4})(.*)$/.exec(line);
    if (match === null) return [];
    const [, pid, parent, group, state = '', started = '', rest = ''] = match;
    if (state.startsWith('Z')) return [];
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        session: 0,
        started,
        tagged: carries(rest.split(' '), tag),
      },
    ];
  });
}

const carries = (variables: readonly string[], tag: string): boolean =>
  variables.some(
    (text) =>
      text.startsWith(`${TAG}=`) &&
      text
        .slice(TAG.length + 1)
        .split('/')
        .includes(tag),
  );

const COLUMNS = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=,command='];

function listing(...options: readonly string[]): string {
  const args = options.includes('-o') ? options : [...options, '-ww', ...COLUMNS];
  const asked = {
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
  } as const;
  return spawnSync('ps', args, asked).stdout ?? '';
}
