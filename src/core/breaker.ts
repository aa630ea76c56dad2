// The circuit breaker (SPEC §13): six patterns over the current sprint that no single task can show. Pure: it finds
// and names its evidence; it proposes nothing. What a person has resolved does not count again: the pattern would
// have to come about anew.

import { anomaliesOf, BLOCKS, detail, type Evidence, LIMITS, OBJECTIONS, reports, told } from './evidence.ts';
import { likeness, nameOf, names, SIMILAR, type Wording, wording } from './likeness.ts';
import type { Anomaly, AnomalyType, State, Task } from './state.ts';

export const PATTERNS = {
  retry_cluster: { count: 3, flaw: 'ARCHITECTURE_FLAW', about: 'the same error stops one attempt after the other' },
  debt_accumulation: { count: 3, flaw: 'SCOPE_FLAW', about: 'trade-offs leave debt behind' },
  assumption_cascade: { count: 2, flaw: 'SPEC_FLAW', about: 'the same assumption turns out wrong' },
  workaround_pattern: { count: 2, flaw: 'ARCHITECTURE_FLAW', about: 'the same root cause is worked around' },
  spec_gap_cluster: { count: 2, flaw: 'SPEC_FLAW', about: 'the same spec leaves questions open' },
  external_service_outage: {
    count: 2,
    flaw: 'EXTERNAL_DEPENDENCY',
    about: 'the same outside service stands in the way',
  },
} as const;
export type PatternName = keyof typeof PATTERNS;

/** Where the evidence is written down, from the project's root. */
export const REPORT = '.liza/circuit_breaker_report.md';

export interface Match extends Evidence {
  /** How like the wording that gathered the others, in percent; absent where wording does not matter. */
  readonly likeness?: number;
}

export interface Finding {
  readonly pattern: PatternName;
  readonly flaw: (typeof PATTERNS)[PatternName]['flaw'];
  /** What they have in common: a wording, a spec, a service. */
  readonly matched: string;
  readonly evidence: readonly Match[];
  readonly tasks: readonly string[];
  readonly specs: readonly string[];
}

/** What a trigger on the board says; unknown fields of others stay. */
export interface Trigger {
  readonly time: string;
  readonly by: string;
  readonly findings: readonly Finding[];
}

/** Every pattern that is there now and was not resolved; `archived`: tasks that left the state. */
export function findPatterns(state: State, archived: readonly Task[] = []): readonly Finding[] {
  const tasks = archived.length === 0 ? state.tasks : [...state.tasks, ...archived];
  return (Object.keys(PATTERNS) as PatternName[]).flatMap((pattern) => {
    const settled = resolvedKeys(state, pattern);
    const look: Look = {
      reported: (types, ...keys) =>
        reports(state, tasks, settled, anomaliesOf(state, ...types), (one) => detail(one, ...keys)),
      indebted: () => {
        const owed = anomaliesOf(state, 'trade_off').filter(({ details }) => isDebt(details?.['debt_created']));
        return reports(state, tasks, settled, owed, debtWords);
      },
      told: (reading) => told(state, tasks, settled, reading),
    };
    const largest = FINDERS[pattern](look);
    return largest === undefined || largest.evidence.length < PATTERNS[pattern].count
      ? []
      : [finding(pattern, largest)];
  });
}

interface Cluster {
  readonly matched: string;
  readonly evidence: readonly Match[];
}

/** The evidence that is not resolved yet, by where it comes from. */
interface Look {
  /** Anomalies of these types, by the first of these details that is there. */
  reported(types: readonly AnomalyType[], ...keys: readonly string[]): readonly Evidence[];
  indebted(): readonly Evidence[];
  told(reading: typeof BLOCKS): readonly Evidence[];
}

const FINDERS: Readonly<Record<PatternName, (look: Look) => Cluster | undefined>> = {
  // History: what reviewers object to in one task after another, and what agents were stuck on at a limit.
  retry_cluster: (look) =>
    largestOf(look.reported(['retry_loop'], 'error_pattern'), [...look.told(OBJECTIONS), ...look.told(LIMITS)]),
  // History knows no trade-offs.
  debt_accumulation: (look) => ({ matched: 'trade-offs that leave debt', evidence: look.indebted() }),
  // History: assumptions that were too many to begin with are not yet wrong, so none counts.
  assumption_cascade: (look) => largestOf(look.reported(['assumption_violated'], 'assumption'), []),
  workaround_pattern: (look) => largestOf(look.reported(['workaround'], 'root_cause', 'cause', 'why', 'what'), []),
  // History: coders that stopped over similar questions about the same spec.
  spec_gap_cluster: (look) => {
    const gaps = look.reported(['spec_gap', 'spec_ambiguity'], 'question', 'gap', 'what');
    const asked = look.told(BLOCKS);
    const specs = new Set([...gaps, ...asked].flatMap(({ spec }) => spec ?? []));
    return most(
      [...specs].map((spec) => {
        const mine = gaps.filter((one) => one.spec === spec);
        const others = asked.filter((one) => one.spec === spec);
        const similar = largestOf(mine, others)?.evidence ?? [];
        const alike = similar.filter((one) => !mine.some(({ key }) => key === one.key));
        return { matched: spec, evidence: [...mine, ...alike] };
      }),
    );
  },
  // History: coders that stopped and named a service which somebody else reported.
  external_service_outage: (look) => {
    const outages = look.reported(['external_blocker'], 'blocker_service');
    if (outages.length === 0) return undefined;
    const stopped = look.told(BLOCKS).map((one) => ({ one, about: wording(one.said) }));
    const named = outages.map((one) => ({ one, name: nameOf(one.said) }));
    return most(
      named.map(({ one, name }) => {
        const same = named.filter((other) => isSameName(name, other.name)).map((other) => other.one);
        const heard = stopped.filter(({ about }) => names(name, about)).map((other) => other.one);
        return { matched: one.said, evidence: [...same, ...unreported(same, heard)] };
      }),
    );
  },
};

const isSameName = (a: Wording, b: Wording): boolean => names(a, b) || names(b, a) || likeness(a, b) >= SIMILAR;

/** The wording that gathers most others around it. */
function largestOf(anomalies: readonly Evidence[], history: readonly Evidence[]): Cluster | undefined {
  const known = new Map([...anomalies, ...history].map((one) => [one, wording(one.said)] as const));
  return most(
    [...known].map(([centre, about]) => {
      const like = (all: readonly Evidence[]): readonly Match[] =>
        all.flatMap((one) => {
          const other = known.get(one);
          const near = one === centre ? 1 : other === undefined ? 0 : likeness(about, other);
          return near >= SIMILAR ? [{ ...one, likeness: Math.round(near * 100) }] : [];
        });
      const same = like(anomalies);
      return { matched: centre.said, evidence: [...same, ...unreported(same, like(history))] };
    }),
  );
}

/** History counts a task once, and not where the task is there already. */
function unreported(reports: readonly Evidence[], history: readonly Match[]): readonly Match[] {
  const seen = new Set(reports.map(({ task }) => task));
  return history.filter(({ task }) => {
    const fresh = !seen.has(task);
    seen.add(task);
    return fresh;
  });
}

const most = (clusters: readonly Cluster[]): Cluster | undefined =>
  clusters.reduce<Cluster | undefined>(
    (best, one) => (best === undefined || one.evidence.length > best.evidence.length ? one : best),
    undefined,
  );

/** `debt_created: false` or `none` says that there is none. */
const isDebt = (value: unknown): boolean =>
  typeof value === 'string'
    ? !/^\s*(?:|no|none|nothing|false|n\/a|-|0)\s*\.?\s*$/i.test(value)
    : value !== undefined && value !== null && value !== false && value !== 0;

const debtWords = (one: Anomaly): string => {
  const debt = one.details?.['debt_created'];
  return typeof debt === 'string' && !/^(?:yes|true)$/i.test(debt.trim()) ? debt : detail(one, 'what', 'why');
};

function finding(pattern: PatternName, { matched, evidence }: Cluster): Finding {
  const distinct = (values: readonly (string | undefined)[]) => [...new Set(values.flatMap((value) => value ?? []))];
  return {
    pattern,
    flaw: PATTERNS[pattern].flaw,
    matched,
    evidence,
    tasks: distinct(evidence.map(({ task }) => task)),
    specs: distinct(evidence.map(({ spec }) => spec)),
  };
}

/** Evidence of a pattern that a person has dealt with. */
function resolvedKeys(state: State, pattern: PatternName): ReadonlySet<string> {
  const resolved = (state.circuit_breaker.history ?? []).map(triggerOf).flatMap((trigger) => trigger?.findings ?? []);
  return new Set(
    resolved.filter((one) => one.pattern === pattern).flatMap((one) => one.evidence.map(({ key }) => key)),
  );
}

/** A trigger as this program wrote it; what others wrote there is left alone. */
export function triggerOf(value: unknown): Trigger | undefined {
  const trigger = value as Partial<Trigger> | null | undefined;
  const sound =
    typeof trigger === 'object' &&
    trigger !== null &&
    Array.isArray(trigger.findings) &&
    trigger.findings.every((one) => typeof one?.pattern === 'string' && Array.isArray(one.evidence));
  return sound ? (trigger as Trigger) : undefined;
}

/** `retry_cluster (ARCHITECTURE_FLAW): 3 × "ECONNREFUSED"`. */
export const findingLine = ({ pattern, flaw, matched, evidence }: Finding): string =>
  `${pattern} (${flaw}): ${evidence.length} × ${matched}`;
