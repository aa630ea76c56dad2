// The processes of this machine as they are now: the parent and start time of each, and whether it carries a tag in
// its environment. Linux reads /proc; macOS, which has none, asks ps, which hides the environment of
// Apple's own programs. A pid alone is never an identity: it is given out again.

import { isMark, type Mark, markAt } from './own-rlimit-mark.ts';
import { environmentOf, isLinux, type ProcessHost, pidsOf, ps, statOf } from './proc-files.ts';
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

export interface Sought {
  readonly tag: string;
  readonly mark?: Mark | undefined;
  /** When the first that can carry it began: what is older is not asked for its environment. */
  readonly started?: string | undefined;
}

/** All that have not ended. A process in the middle of exec has no environment for a moment. */
export const processesOf = (host: ProcessHost, { tag, mark, started }: Sought): readonly Running[] =>
  isLinux(host) ? fromProc(host, { tag, mark, started }) : fromPs(ps(host, '-AE', '-ww', '-o', COLUMNS), tag);

/** Undefined: there is no such process. One that ended and was not waited for yet still has its time. */
export const startTime = (host: ProcessHost, pid: number): string | undefined =>
  isLinux(host) ? statOf(host, pid)?.started : ps(host, '-p', String(pid), '-o', 'lstart=').trim() || undefined;

function fromProc(host: ProcessHost, { tag, mark, started: first }: Sought): readonly Running[] {
  return pidsOf(host).flatMap((name) => {
    const pid = Number(name);
    const stat = statOf(host, pid);
    if (stat === undefined || stat.isOver) return [];
    const { parent, group, session, started } = stat;
    // Ticks since the boot: a tag is made for one run, so nobody who was there before its first process has it.
    const isOlder = first !== undefined && Number(started) < Number(first);
    const tagged =
      !isOlder &&
      // The environment last: a process that changes its memory without end makes its readers wait.
      ((mark !== undefined && isMark(markAt(host, pid), mark)) || carries(tagsOf(environmentOf(host, pid)), tag));
    return [{ pid, parent, group, session, started, tagged }];
  });
}

/** What a process carries, the outermost first; Linux alone says it. */
export const tagsAt = (host: ProcessHost, pid: number): readonly (readonly string[])[] =>
  [...tagsOf(environmentOf(host, pid))].map((value) => value.split('/'));

const COLUMNS = 'pid=,ppid=,pgid=,stat=,lstart=,command=';

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
        tagged: carries(rest.split(' ').filter(isTag).map(afterTag), tag),
      },
    ];
  });
}

const isTag = (variable: string): boolean => variable.startsWith(`${TAG}=`);
const afterTag = (variable: string): string => variable.slice(TAG.length + 1);

/** Searched, not taken apart: it may be millions of empty variables. */
function* tagsOf(environment: string): Generator<string> {
  const before = `\0${TAG}=`;
  for (let at = environment.indexOf(before); at !== -1; at = environment.indexOf(before, at + 1)) {
    const from = at + before.length;
    const end = environment.indexOf('\0', from);
    yield environment.slice(from, end === -1 ? undefined : end);
  }
}

function carries(values: Iterable<string>, tag: string): boolean {
  for (const value of values) if (value.split('/').includes(tag)) return true;
  return false;
}
