// Reads the mark that rlimit-mark.ts sets. Every command reads its own, so this is one small file.

import { type ProcessHost, textOf } from './proc-files.ts';

export interface Mark {
  readonly msgqueue: number;
  readonly sigpending: number;
}

/** Marks begin here, well below what a system gives by itself. */
export const FIRST: Mark = { msgqueue: 400_000, sigpending: 4096 };
export const SPAN: Mark = { msgqueue: 400_000, sigpending: 4096 };

/** What the process was marked with; undefined: nothing, it is gone, or not ours to read. */
export function markAt(host: ProcessHost, pid: number): Mark | undefined {
  const limits = textOf(host, `/proc/${pid}/limits`);
  const mark = { msgqueue: hard(limits, 'Max msgqueue size'), sigpending: hard(limits, 'Max pending signals') };
  return within(mark, 'msgqueue') && within(mark, 'sigpending') ? mark : undefined;
}

export const isMark = (one: Mark | undefined, other: Mark): boolean =>
  one?.msgqueue === other.msgqueue && one.sigpending === other.sigpending;

const within = (mark: Mark, of: keyof Mark): boolean => mark[of] >= FIRST[of] && mark[of] < FIRST[of] + SPAN[of];

/** `Max msgqueue size         819200               819200               bytes` */
function hard(limits: string, name: string): number {
  const at = limits.indexOf(name);
  const soft = limits.slice(at + name.length, at + 80).trimStart();
  return at === -1 ? Number.NaN : Number.parseInt(soft.slice(soft.indexOf(' ')), 10);
}
