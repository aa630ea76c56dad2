// Evidence that belongs together, by wording or by a rule of the caller: the largest group first, then the largest of
// what is left, until none is large enough. So whoever looks sees all there is at once, and nothing is named twice.

import type { Evidence } from './evidence.ts';
import { likeness, SIMILAR, wording } from './likeness.ts';

export interface Match extends Evidence {
  /** How like the wording that gathered the others, in percent; absent where wording does not matter. */
  readonly likeness?: number;
}

export interface Cluster {
  readonly matched: string;
  /** What counts. */
  readonly evidence: readonly Match[];
  /** All that belongs to it: also what does not count, because its task does already. */
  readonly members: readonly Evidence[];
}

/** `around`: what a centre gathers of those that are still free, itself included. */
export function gather(
  centres: readonly Evidence[],
  count: number,
  around: (centre: Evidence, free: ReadonlySet<Evidence>) => Cluster,
): readonly Cluster[] {
  const free = new Set(centres);
  const found: Cluster[] = [];
  for (;;) {
    let best: { readonly centre: Evidence; readonly cluster: Cluster } | undefined;
    for (const centre of free) {
      const cluster = around(centre, free);
      if (best === undefined || cluster.evidence.length > best.cluster.evidence.length) best = { centre, cluster };
    }
    if (best === undefined || best.cluster.evidence.length < count) return found;
    found.push(best.cluster);
    free.delete(best.centre);
    for (const one of best.cluster.members) free.delete(one);
  }
}

/** By wording. Of history a task counts once, and not where it has reported the same. */
export function similar(
  anomalies: readonly Evidence[],
  history: readonly Evidence[],
  count: number,
): readonly Cluster[] {
  const all = [...anomalies, ...history].map((one) => ({ one, about: wording(one.said) }));
  const near = new Map(
    all.map(({ one: centre, about }) => [
      centre,
      all.flatMap(({ one, about: other }): readonly Near[] => {
        const alike = one === centre ? 1 : likeness(about, other);
        return alike >= SIMILAR ? [{ one, match: { ...one, likeness: Math.round(alike * 100) } }] : [];
      }),
    ]),
  );
  const reports = new Set(anomalies);
  return gather([...near.keys()], count, (centre, free) => {
    const around = (near.get(centre) ?? []).filter(({ one }) => free.has(one));
    const same = around.filter(({ one }) => reports.has(one)).map(({ match }) => match);
    const heard = around.filter(({ one }) => !reports.has(one)).map(({ match }) => match);
    return {
      matched: centre.said,
      evidence: [...same, ...unreported(same, heard)],
      members: around.map(({ one }) => one),
    };
  });
}

interface Near {
  readonly one: Evidence;
  readonly match: Match;
}

/** History counts a task once, and not where the task is there already. */
export function unreported(reports: readonly Evidence[], history: readonly Match[]): readonly Match[] {
  const seen = new Set(reports.map(({ task }) => task));
  return history.filter(({ task }) => {
    const fresh = !seen.has(task);
    seen.add(task);
    return fresh;
  });
}
