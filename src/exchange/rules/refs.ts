// What Liza's refs are called at the exchange. They keep their own names there; where the server accepts nothing below
// refs/liza, they are branches below a prefix that a person has set for all hosts: two hosts that named the fence of one
// merge differently would both land it. Pure.

/** A part of a name that git takes, and that is nothing but a name. */
const PART = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,80}$/;
const OWN = 'refs/liza/';

/** How the exchange names them. */
export interface Naming {
  /** Absent: as here. */
  readonly prefix?: string | undefined;
}

/** Of a ref below refs/liza, or of a branch. */
export const nameThere = (ref: string, { prefix }: Naming): string =>
  prefix === undefined || !ref.startsWith(OWN) ? ref : `refs/heads/${prefix}/${ref.slice(OWN.length)}`;

/** Back again; undefined: it is none of Liza's. */
export function nameHere(ref: string, { prefix }: Naming): string | undefined {
  const below = prefix === undefined ? OWN : `refs/heads/${prefix}/`;
  return ref.startsWith(below) ? `${OWN}${ref.slice(below.length)}` : undefined;
}

/**
 * A register for each task and epoch that only one merge can set: whoever may land the task has seen what it holds, and
 * lands only if it still holds that. To take a merge away from a host that is gone is to write something else into it.
 */
export const fenceOf = (task: string, epoch: number): string => `${OWN}fence/${task}/${epoch}`;
/** The last tip of a task's branch that its holder at that epoch saw: what another host continues. */
export const tipOf = (task: string, epoch: number): string => `${OWN}tips/${task}/${epoch}`;
export const ANCHOR = `${OWN}anchor`;

export type Kind = 'review' | 'attempts' | 'merging' | 'tips' | 'fence';
const KINDS: readonly string[] = ['review', 'attempts', 'merging', 'tips', 'fence'] satisfies readonly Kind[];

export interface Parsed {
  readonly kind: Kind;
  readonly task: string;
  /** Of a pin or an attempt; the epoch of a tip or a fence. Absent: a candidate. */
  readonly n?: number;
}

/** undefined: somebody else's, which is left alone. */
export function parseRef(ref: string): Parsed | undefined {
  if (!ref.startsWith(OWN)) return undefined;
  const [kind = '', task = '', n, ...rest] = ref.slice(OWN.length).split('/');
  if (!KINDS.includes(kind) || !PART.test(task) || rest.length > 0) return undefined;
  if (n === undefined) return kind === 'merging' ? { kind, task } : undefined;
  return kind !== 'merging' && /^\d{1,9}$/.test(n) ? { kind: kind as Kind, task, n: Number(n) } : undefined;
}
