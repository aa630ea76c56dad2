// One record at a time: which records of a state are new or changed, and what its schema says of each.
// Schema validation is slow, so it is only ever asked about records that changed, or on import.

import * as v from 'valibot';
import { ConfigSchema } from '../config.ts';
import { QuestionSchema } from '../messages/question.ts';
import {
  AgentSchema,
  AnomalySchema,
  BreakerSchema,
  GoalSchema,
  NoteSchema,
  RECORD_SECTIONS,
  SpecChangeSchema,
  SprintSchema,
  type State,
  TaskSchema,
} from '../state.ts';
import { type Fields, isFields } from '../values.ts';
import { DiscoverySchema } from './discovery.ts';
import { ID_PATTERN } from './fields.ts';
import { isQuicklyValid } from './quickly-valid.ts';
import { HandoffSchema } from './session-records.ts';

export interface Violation {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

export const SCHEMAS = {
  goal: GoalSchema,
  tasks: TaskSchema,
  agents: AgentSchema,
  discovered: DiscoverySchema,
  handoff: HandoffSchema,
  human_notes: NoteSchema,
  spec_changes: SpecChangeSchema,
  anomalies: AnomalySchema,
  questions: QuestionSchema,
  sprint: SprintSchema,
  circuit_breaker: BreakerSchema,
  config: ConfigSchema,
} as const;
export type Section = keyof typeof SCHEMAS;

/** A section that came later: a board may be without it. */
export const isOptional = (section: string): boolean => section === 'questions';

/** One record against its schema; for a map's record, its key too. Fields that `old` has as they are go unread. */
export function checkRecord(
  section: Section,
  value: unknown,
  path: readonly (string | number)[] = [section],
  old?: unknown,
): readonly Violation[] {
  const key = path[1];
  const found: Violation[] = [];
  if (typeof key === 'string' && !ID_PATTERN.test(key)) {
    found.push({ path, message: `${section} ${JSON.stringify(key.slice(0, 80))}: must match ${ID_PATTERN.source}` });
  }
  const issues = issuesOf(SCHEMAS[section], value, old);
  if (issues.length === 0) return found;
  const name = typeof key === 'string' ? key : isFields(value) && 'id' in value ? String(value['id']) : (path[1] ?? '');
  const label = `${LABELS[section] ?? section}${name === '' ? '' : ` ${String(name).slice(0, 80)}`}`;
  for (const { keys, message } of issues) {
    found.push({ path: [...path, ...keys], message: `${label}: ${keys.join('.') || 'it'} ${message}` });
  }
  return found;
}

interface Issue {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

/** Field by field over the fields that are there: a task has a dozen of the forty-odd it may have. */
function issuesOf(schema: (typeof SCHEMAS)[Section], value: unknown, old: unknown): readonly Issue[] {
  if (!isFields(value)) return readIssues(schema, value, []);
  const former = isFields(old) ? old : {};
  const entries: Readonly<Record<string, v.GenericSchema>> = schema.entries;
  const found: Issue[] = [];
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined || field === former[key]) continue;
    const known = Object.hasOwn(entries, key) ? entries[key] : undefined;
    if (known !== undefined) found.push(...readIssues(known, field, [key]));
  }
  for (const key of requiredOf(schema)) {
    if (value[key] === undefined) found.push({ keys: [key], message: 'is missing' });
  }
  return found;
}

function readIssues(schema: v.GenericSchema, value: unknown, at: readonly string[]): readonly Issue[] {
  if (isQuicklyValid(schema, value)) return [];
  const parsed = v.safeParse(schema, value);
  if (parsed.success) return [];
  return parsed.issues.map((issue) => ({
    keys: [...at, ...(issue.path ?? []).map((item) => item.key as string | number)],
    message: issue.message,
  }));
}

const REQUIRED = new Map<object, readonly string[]>();

function requiredOf(schema: (typeof SCHEMAS)[Section]): readonly string[] {
  let keys = REQUIRED.get(schema);
  if (keys === undefined) {
    const entries: Readonly<Record<string, v.GenericSchema>> = schema.entries;
    keys = Object.keys(entries).filter((key) => !v.safeParse(entries[key] ?? v.unknown(), undefined).success);
    REQUIRED.set(schema, keys);
  }
  return keys;
}

const LABELS: Readonly<Partial<Record<Section, string>>> = {
  tasks: 'task',
  agents: 'agent',
  anomalies: 'anomaly',
  discovered: 'discovery',
  questions: 'question',
};

interface Recorded {
  readonly section: Section;
  readonly value: unknown;
  readonly old: unknown;
  readonly path: readonly (string | number)[];
}

/** Every record that is not the very same object in `before`. */
export function recordsOf(after: State, before: State | undefined): readonly Recorded[] {
  const records: Recorded[] = [];
  for (const section of Object.keys(SCHEMAS) as Section[]) {
    const value = after[section];
    const old = before?.[section];
    if (value === old) continue;
    const kind = (RECORD_SECTIONS as Readonly<Record<string, 'list' | 'map' | undefined>>)[section];
    if (kind === undefined) records.push({ section, value, old, path: [section] });
    else if (Array.isArray(value)) {
      const former: readonly unknown[] = Array.isArray(old) ? old : [];
      let known: ReadonlyMap<string | number, unknown> | undefined;
      for (let at = 0; at < value.length; at++) {
        const one: unknown = value[at];
        if (one === former[at]) continue;
        const key = keyOf(one, at);
        // Records seldom move; only then is the whole list searched.
        if (key !== keyOf(former[at], at)) known ??= new Map(former.map((other, n) => [keyOf(other, n), other]));
        const was = key === keyOf(former[at], at) ? former[at] : known?.get(key);
        if (was !== one) records.push({ section, value: one, old: was, path: [section, at] });
      }
    } else if (isFields(value)) {
      for (const [key, one] of Object.entries(value)) {
        const former = isFields(old) ? (old as Fields)[key] : undefined;
        if (former !== one) records.push({ section, value: one, old: former, path: [section, key] });
      }
    }
  }
  return records;
}

const keyOf = (record: unknown, at: number): string | number =>
  isFields(record) && typeof record['id'] === 'string' ? record['id'] : at;
