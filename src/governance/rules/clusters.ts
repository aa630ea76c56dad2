// Evidence that belongs together, by wording or by a rule of the caller: the largest group first, then the largest of
// what is left, until none is large enough. A reader sees all clusters at once, and nothing is named twice.

import type { Evidence } from './breaker-evidence.ts';
import { SIMILAR, similarity, wording } from './similarity.ts';

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
  all: readonly Evidence[],
  count: number,
  around: (centre: Evidence, free: ReadonlySet<Evidence>) => Cluster,
  centres: readonly Evidence[] = all,
): readonly Cluster[] {
  const free = new Set(all);
  const found: Cluster[] = [];
  for (;;) {
    let best: { readonly centre: Evidence; readonly cluster: Cluster } | undefined;
    for (const centre of centres) {
      if (!free.has(centre)) continue;
      const cluster = around(centre, free);
      if (best === undefined || cluster.evidence.length > best.cluster.evidence.length) best = { centre, cluster };
    }
    if (best === undefined || best.cluster.evidence.length < count) return found;
    found.push(best.cluster);
    free.delete(best.centre);
    for (const one of best.cluster.members) free.delete(one);
  }
}

/** Clusters by wording. In history a task counts once, and not where it has reported the same itself. */
export function similar(
  anomalies: readonly Evidence[],
  history: readonly Evidence[],
  count: number,
): readonly Cluster[] {
  const all = [...anomalies, ...history];
  const reports = new Set(anomalies);
  const near = neighbours(all);
  return gather(
    all,
    count,
    (centre, free) => {
      const around = (near.get(centre) ?? []).filter(({ one }) => free.has(one));
      const matches = (wanted: boolean): readonly Match[] =>
        around
          .filter(({ one }) => reports.has(one) === wanted)
          .map(({ one, alike }) => ({ ...one, likeness: Math.round(alike * 100) }));
      const same = matches(true);
      return {
        matched: centre.said,
        evidence: [...same, ...unreported(same, matches(false))],
        members: around.map(({ one }) => one),
      };
    },
    [...near.keys()],
  );
}

interface Near {
  readonly one: Evidence;
  /** 0 … 1. */
  readonly alike: number;
}

/** Which evidence is similar to which, in its order. Equal wordings have equal neighbours: one stands for all of them. */
function neighbours(all: readonly Evidence[]): ReadonlyMap<Evidence, readonly Near[]> {
  const firsts = [...new Map(all.toReversed().map((one) => [one.said, one])).values()].toReversed();
  const words = firsts.map(({ said }) => wording(said));
  const scores = new Map(firsts.map(({ said }) => [said, new Map<string, number>()]));
  words.forEach((about, at) => {
    for (let to = at; to < words.length; to++) {
      const [a, b] = [firsts[at]?.said ?? '', firsts[to]?.said ?? ''];
      const alike = similarity(about, words[to] ?? about);
      if (alike < SIMILAR) continue;
      scores.get(a)?.set(b, alike);
      scores.get(b)?.set(a, alike);
    }
  });
  return new Map(
    firsts.map((centre) => {
      const mine = scores.get(centre.said);
      // Words that say nothing are like none, but there all the same.
      const alike = (one: Evidence): number => (one === centre ? 1 : (mine?.get(one.said) ?? 0));
      return [centre, all.map((one) => ({ one, alike: alike(one) })).filter((one) => one.alike > 0)];
    }),
  );
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
