// Reads the mark of mark.ts. Every command asks for its own, and so it takes one small read.

import { readFileSync } from 'node:fs';

export interface Mark {
  readonly msgqueue: number;
  readonly sigpending: number;
}

/** Marks lie from here on, well below what a system gives by itself. */
export const FIRST: Mark = { msgqueue: 400_000, sigpending: 4096 };
export const SPAN: Mark = { msgqueue: 400_000, sigpending: 4096 };

/** What the process was marked with; undefined: nothing, it is gone, or not ours to read. */
export function markAt(pid: number): Mark | undefined {
  try {
    const limits = readFileSync(`/proc/${pid}/limits`, 'latin1');
    const mark = { msgqueue: hard(limits, 'Max msgqueue size'), sigpending: hard(limits, 'Max pending signals') };
    return within(mark, 'msgqueue') && within(mark, 'sigpending') ? mark : undefined;
  } catch {
    return undefined;
  }
}

export const isMark = (one: Mark | undefined, other: Mark): boolean =>
  one?.msgqueue === other.msgqueue && one.sigpending === other.sigpending;

const within = (mark: Mark, of: keyof Mark): boolean => mark[of] >= FIRST[of] && mark[of] < FIRST[of] + SPAN[of];

/** `Max msgqueue size         819200               819200               bytes` */
function hard(limits: string, name: string): number {
  const at = limits.indexOf(name);
  const [, of] =
    at === -1
      ? []
      : limits
          .slice(at + name.length, at + 80)
          .trimStart()
          .split(/ +/, 2);
  return Number(of ?? Number.NaN);
}
