// Reads the marks that rlimit-mark.ts sets. Every command reads its own, so this is one small file.

import { type ProcessHost, textOf } from './proc-files.ts';

export interface Mark {
  readonly msgqueue: number;
  readonly sigpending: number;
}

/** Marks begin here, well below what a system gives by itself. */
export const FIRST: Mark = { msgqueue: 400_000, sigpending: 4096 };
export const SPAN: Mark = { msgqueue: 400_000, sigpending: 4096 };

/** Programs of a project begin here. No kernel since 2.4 has used this limit, and systems give it without end. */
export const FIRST_PROGRAM = 2 ** 32;

/** The limits of the process, as the kernel tells them; empty: it is gone, or not ours to read. */
export const limitsAt = (host: ProcessHost, pid: number): string => textOf(host, `/proc/${pid}/limits`);

/** What the process was marked with; undefined: nothing, it is gone, or not ours to read. */
export const markAt = (host: ProcessHost, pid: number): Mark | undefined => markIn(limitsAt(host, pid));

/** Which agent started the process with these limits. */
export function markIn(limits: string): Mark | undefined {
  const mark = { msgqueue: hard(limits, 'Max msgqueue size'), sigpending: hard(limits, 'Max pending signals') };
  return within(mark, 'msgqueue') && within(mark, 'sigpending') ? mark : undefined;
}

export const isMark = (one: Mark | undefined, other: Mark): boolean =>
  one?.msgqueue === other.msgqueue && one.sigpending === other.sigpending;

/** Of which repository the program is that Liza started, itself or above this one; undefined: of none. */
export function programMarkIn(limits: string): number | undefined {
  const mark = hard(limits, 'Max file locks');
  return mark >= FIRST_PROGRAM && mark < 2 * FIRST_PROGRAM ? mark : undefined;
}

const within = (mark: Mark, of: keyof Mark): boolean => mark[of] >= FIRST[of] && mark[of] < FIRST[of] + SPAN[of];

/** `Max msgqueue size         819200               819200               bytes` */
function hard(limits: string, name: string): number {
  const at = limits.indexOf(name);
  const soft = limits.slice(at + name.length, at + 80).trimStart();
  return at === -1 ? Number.NaN : Number.parseInt(soft.slice(soft.indexOf(' ')), 10);
}
