// The circuit breaker: six patterns over the current sprint that no single task can show (docs/governance.md). Pure: it
// finds patterns and names their evidence; it proposes nothing. Evidence that a person has resolved does not count
// again.

import type { AnomalyType } from '../../protocol/records/anomaly-types.ts';
import type { Anomaly, State, Task } from '../../protocol/state.ts';
import {
  anomaliesOf,
  BLOCKS,
  detail,
  type Evidence,
  LIMITS,
  markOf,
  OBJECTIONS,
  reports,
  SPEC_OBJECTIONS,
  told,
  UNDONE,
} from './breaker-evidence.ts';
import { type Cluster, gather, type Match, similar, unreported } from './clusters.ts';
import { nameOf, names, SIMILAR, similarity, type Wording, wording } from './similarity.ts';

export const PATTERNS = {
  retry_cluster: { count: 3, flaw: 'ARCHITECTURE_FLAW', about: 'the same error stops one attempt after another' },
  debt_accumulation: { count: 3, flaw: 'SCOPE_FLAW', about: 'trade-offs leave debt behind' },
  assumption_cascade: { count: 2, flaw: 'SPEC_FLAW', about: 'the same assumption turns out wrong' },
  workaround_pattern: { count: 2, flaw: 'ARCHITECTURE_FLAW', about: 'the same root cause is worked around' },
  spec_gap_cluster: { count: 2, flaw: 'SPEC_FLAW', about: 'gaps of the same spec stop or undo work' },
  external_service_outage: {
    count: 2,
    flaw: 'EXTERNAL_DEPENDENCY',
    about: 'the same outside service blocks work',
  },
} as const;
export type PatternName = keyof typeof PATTERNS;

/** Where the evidence is written down, from the project's root. */
export const REPORT = '.liza/circuit_breaker_report.md';

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

/** All that is there now and was not resolved, each pattern as often as it is there; `archived`: tasks that left. */
export function findPatterns(state: State, archived: readonly Task[] = []): readonly Finding[] {
  return NAMES.flatMap((pattern) => clustersOf(state, archived, pattern).map((one) => finding(pattern, one)));
}

/** The evidence behind all of them, by its marks: what does not count again once a person has dealt with it. */
export function evidenceKeys(state: State, archived: readonly Task[] = []): Settled {
  const keys = NAMES.map((pattern) => {
    const members = clustersOf(state, archived, pattern).flatMap((one) => one.members);
    return [pattern, [...new Set(members.map(markOf))]] as const;
  });
  return Object.fromEntries(keys.filter(([, some]) => some.length > 0));
}

type Settled = Readonly<Partial<Record<PatternName, readonly string[]>>>;

const NAMES = Object.keys(PATTERNS) as PatternName[];

function clustersOf(state: State, archived: readonly Task[], pattern: PatternName): readonly Cluster[] {
  const tasks = archived.length === 0 ? state.tasks : [...state.tasks, ...archived];
  const sources = { state, tasks, settled: resolvedKeys(state, pattern) };
  const look: Look = {
    reported: (types, ...keys) => reports(sources, anomaliesOf(state, ...types), (one) => detail(one, ...keys)),
    indebted: () => {
      const owed = anomaliesOf(state, 'trade_off').filter(({ details }) => isDebt(details?.['debt_created']));
      return reports(sources, owed, debtText);
    },
    told: (reading) => told(sources, reading),
  };
  const { count } = PATTERNS[pattern];
  return FINDERS[pattern](look, count).filter(({ evidence }) => evidence.length >= count);
}

/** The evidence that is not resolved yet, by where it comes from. */
interface Look {
  /** Anomalies of these types, by the first of these details that is there. */
  reported(types: readonly AnomalyType[], ...keys: readonly string[]): readonly Evidence[];
  indebted(): readonly Evidence[];
  told(reading: typeof BLOCKS): readonly Evidence[];
}

const FINDERS: Readonly<Record<PatternName, (look: Look, count: number) => readonly Cluster[]>> = {
  // History: what reviewers object to in one task after another, and what agents were stuck on at a limit.
  retry_cluster: (look, count) =>
    similar(look.reported(['retry_loop'], 'error_pattern'), [...look.told(OBJECTIONS), ...look.told(LIMITS)], count),
  // History knows no trade-offs.
  debt_accumulation: (look) => {
    const evidence = look.indebted();
    return [{ matched: 'trade-offs that leave debt', evidence, members: evidence }];
  },
  // History: assumptions that were too many to begin with are not yet wrong, so none counts.
  assumption_cascade: (look, count) =>
    similar(
      look.reported(['assumption_violated'], 'assumption').filter(({ said }) => said !== OWN_ASSUMPTION),
      [],
      count,
    ),
  workaround_pattern: (look, count) =>
    similar(look.reported(['workaround'], 'root_cause', 'cause', 'why', 'what'), [], count),
  // A gap that was only reported, or assumed over, has cost nothing: what counts is work that it stopped or undid.
  spec_gap_cluster: (look, count) => {
    const gaps = look.reported(['spec_gap', 'spec_ambiguity'], 'question', 'gap', 'what');
    const undone = [...look.told(SPEC_OBJECTIONS), ...look.told(UNDONE)];
    const stopped = look.told(BLOCKS);
    const specs = new Set([...undone, ...stopped].flatMap(({ spec }) => spec ?? []));
    return [...specs].flatMap((spec) => {
      const about = ({ spec: one }: Evidence): boolean => one === spec;
      const known = gaps.filter(about);
      const isGap = (one: Evidence): boolean => known.some((gap) => isSameGap(gap, one));
      const blocks = stopped.filter(about);
      const cost = [...undone.filter(about), ...blocks.filter(isGap)];
      return aboutSpec(
        spec,
        cost,
        blocks.filter((one) => !isGap(one)),
        count,
      );
    });
  },
  // History: coders that stopped and named a service which somebody else reported.
  external_service_outage: (look, count) => {
    const outages = look.reported(['external_blocker'], 'blocker_service');
    if (outages.length === 0) return [];
    const stopped = look.told(BLOCKS).map((one) => ({ one, about: wording(one.said) }));
    const called = new Map(outages.map((one) => [one, nameOf(one.said)] as const));
    // A coder that names two services has met two outages, so its words stay free for the next cluster.
    return gather(outages, count, (centre, free) => {
      const name = called.get(centre) ?? nameOf(centre.said);
      const same = [...called].filter(([one, other]) => free.has(one) && isSameName(name, other)).map(([one]) => one);
      const heard = stopped.filter(({ about }) => names(name, about)).map(({ one }) => one);
      return { matched: centre.said, evidence: [...same, ...unreported(same, heard)], members: [...same, ...heard] };
    });
  },
};

/** What earlier versions logged when a branch had moved after the submit: their own bookkeeping. */
const OWN_ASSUMPTION = 'the task branch stays at the submitted commit';

/** The task that reported the gap stopped, or another one did in similar words. */
const isSameGap = (gap: Evidence, stopped: Evidence): boolean =>
  (gap.task !== undefined && gap.task === stopped.task) ||
  similarity(wording(gap.said), wording(stopped.said)) >= SIMILAR;

/** All gaps of one spec that cost work are one pattern, whatever they ask; other blocks count by their questions. */
function aboutSpec(
  spec: string,
  gaps: readonly Evidence[],
  asked: readonly Evidence[],
  count: number,
): readonly Cluster[] {
  const nearest = similar(gaps, asked, 1)[0];
  const costly = unreported([], gaps);
  const alike = unreported(
    costly,
    (nearest?.evidence ?? []).filter((one) => asked.some(({ key }) => key === one.key)),
  );
  const members = [...new Set([...gaps, ...(nearest?.members ?? [])])];
  const others = similar(
    [],
    asked.filter((one) => !members.includes(one)),
    count,
  );
  return [
    { matched: spec, evidence: [...costly, ...alike], members },
    ...others.map((one) => ({ ...one, matched: spec })),
  ];
}

const isSameName = (a: Wording, b: Wording): boolean => names(a, b) || names(b, a) || similarity(a, b) >= SIMILAR;

/**
 * `debt_created: false`, `none at all`, `no new debt` say that there is none. `no tests yet` is debt: words of denial
 * count only where nothing but debt is denied.
 */
const NO_DEBT =
  /^(?:|false|0|[-\u2013\u2014]+|n\/?a|nil|null|(?:not?|none|nothing|without|zero)(?: (?:at|all|so|far|yet|new|any|real|extra|further|additional|technical|tech|debts?|created|left|incurred|added|known|that|i|we|know|of|here|for|now|applicable|was|is|has|been|really|whatsoever|significant|one))*)$/;
const isDebt = (value: unknown): boolean =>
  typeof value === 'string'
    ? !NO_DEBT.test(
        value
          .toLowerCase()
          .replace(/[\s.,;:!()"'`]+/g, ' ')
          .trim(),
      )
    : value !== undefined && value !== null && value !== false && value !== 0;

const debtText = (one: Anomaly): string => {
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

/** Evidence of a pattern that a person has dealt with. Earlier sprints had evidence of their own, under the same keys. */
function resolvedKeys({ circuit_breaker: { history = [] }, sprint }: State, pattern: PatternName): ReadonlySet<string> {
  const { started } = sprint.timeline;
  return new Set(
    history.flatMap((entry) => {
      const { resolved_at: at, settled } = (entry ?? {}) as {
        readonly resolved_at?: unknown;
        readonly settled?: Settled;
      };
      if (typeof at === 'string' && at < started) return [];
      const named = (triggerOf(entry)?.findings ?? []).filter((one) => one.pattern === pattern);
      const also = settled?.[pattern];
      return [...named.flatMap((one) => one.evidence.map(markOf)), ...(Array.isArray(also) ? also : [])];
    }),
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

/** The names of what was found, each once. */
export const patternNames = (findings: readonly Finding[]): readonly PatternName[] => [
  ...new Set(findings.map(({ pattern }) => pattern)),
];

/** `retry_cluster (ARCHITECTURE_FLAW): 3 × "ECONNREFUSED"`. */
export const findingLine = ({ pattern, flaw, matched, evidence }: Finding): string =>
  `${pattern} (${flaw}): ${evidence.length} × ${matched}`;
