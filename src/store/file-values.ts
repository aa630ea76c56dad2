// Translates between the file's values and the protocol's: null means absent, an empty section is an empty list,
// older field names are read as today's. The way back returns the very object that was read for
// every record that nobody changed, so that its text is left alone.

import { RECORD_SECTIONS, type State } from '../protocol/state.ts';
import { type Fields, isFields } from '../protocol/values.ts';
import { differing } from './changed-records.ts';
import { normaliseRecord } from './record-values.ts';
import type { Plain } from './yaml/document.ts';

export interface Normal {
  readonly state: State;
  /** What to write for a state that came from `state` by structural sharing. */
  toFile(state: State): Plain;
}

const EMPTY: Fields = { config: {}, circuit_breaker: { status: 'OK' } };

export function normalise(file: Plain): Normal {
  const original = new Map<unknown, unknown>();
  /** Sections of which some record is read in other words than it is written in. */
  const reworded = new Set<string>();
  const state: Record<string, unknown> = { ...file };
  for (const [section, kind] of Object.entries(RECORD_SECTIONS)) {
    const before = original.size;
    state[section] = normaliseSection(section, kind, file[section], original);
    if (original.size > before) reworded.add(section);
  }
  for (const [section, empty] of Object.entries(EMPTY)) {
    if (file[section] === null || file[section] === undefined) {
      state[section] = { ...(empty as Fields) };
      original.set(state[section], file[section]);
    }
  }
  return { state: state as unknown as State, toFile: (changed) => toFile(changed as Fields, original, reworded) };
}

/** Sections known to need nothing, because they were looked through before or the cache says so. */
const NORMAL = new WeakSet<object>();

export const markNormal = (section: object): void => void NORMAL.add(section);

/** The values after a change, of which only what differs has to be looked through. */
export function normaliseAfter(file: Plain, before: Plain): Normal {
  for (const [section, value] of Object.entries(file)) {
    const was = before[section];
    if (value === was || !Array.isArray(value) || !Array.isArray(was) || !NORMAL.has(was)) continue;
    const [, fresh] = differing(was, value);
    if (fresh.every((item) => normaliseRecord(section, item) === item)) NORMAL.add(value);
  }
  return normalise(file);
}

export function isNormal(section: string, value: unknown): boolean {
  const kind = (RECORD_SECTIONS as Readonly<Record<string, 'list' | 'map'>>)[section];
  return kind === undefined || normaliseSection(section, kind, value, new Map()) === value;
}

function normaliseSection(section: string, kind: 'list' | 'map', value: unknown, original: Map<unknown, unknown>) {
  if (value === null || value === undefined) {
    const empty = kind === 'list' ? [] : {};
    original.set(empty, value);
    return empty;
  }
  if (typeof value === 'object' && NORMAL.has(value)) return value;
  if (kind === 'list' && Array.isArray(value)) {
    const items = value.map((item) => normaliseItem(section, item, original));
    if (items.every((item, index) => item === value[index])) return known(value);
    original.set(items, value);
    return items;
  }
  if (kind === 'map' && isFields(value)) {
    const entries = Object.entries(value).map(([key, item]) => [key, normaliseItem(section, item, original)] as const);
    if (entries.every(([key, item]) => item === value[key])) return known(value);
    const map = Object.fromEntries(entries);
    original.set(map, value);
    return map;
  }
  return value;
}

function known<T extends object>(section: T): T {
  NORMAL.add(section);
  return section;
}

function normaliseItem(section: string, item: unknown, original: Map<unknown, unknown>): unknown {
  const normal = normaliseRecord(section, item);
  if (normal !== item) original.set(normal, item);
  return normal;
}

function toFile(state: Fields, original: ReadonlyMap<unknown, unknown>, reworded: ReadonlySet<string>): Plain {
  const file: Record<string, unknown> = {};
  for (const [section, value] of Object.entries(state)) {
    if (typeof value === 'object' && value !== null && NORMAL.has(value)) file[section] = value;
    else if (original.has(value)) {
      const was = original.get(value);
      if (was !== undefined) file[section] = was;
    } else if (reworded.has(section)) {
      file[section] = Array.isArray(value)
        ? value.map((item) => original.get(item) ?? item)
        : Object.fromEntries(Object.entries(value as Fields).map(([key, item]) => [key, original.get(item) ?? item]));
    } else file[section] = value;
  }
  return file;
}
