// Which records a change of the state touched, by reference: what is `===` was not touched.

import { RECORD_SECTIONS, type State } from '../protocol/state.ts';
import { type Fields, isFields } from '../protocol/values.ts';

/** `tasks/a`, `config`; a list without ids is named as a whole: `human_notes`. */
export function touchedRecords(before: State, after: State): readonly string[] {
  const names = new Set<string>();
  for (const section of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const was = (before as Fields)[section];
    const is = (after as Fields)[section];
    if (was === is) continue;
    if (!(section in RECORD_SECTIONS)) {
      names.add(section);
      continue;
    }
    const old = new Set(Array.isArray(was) ? was : Object.values((was ?? {}) as Fields));
    const now = Array.isArray(is)
      ? is.map((item) => [idOf(item), item] as const)
      : Object.entries((is ?? {}) as Fields);
    const kept = new Set<unknown>();
    for (const [id, value] of now) {
      kept.add(value);
      if (!old.has(value)) names.add(id === undefined ? section : `${section}/${id}`);
    }
    for (const value of old) {
      if (kept.has(value)) continue;
      const id = idOf(value);
      names.add(id === undefined ? section : `${section}/${id}`);
    }
  }
  return [...names];
}

const idOf = (item: unknown): string | undefined =>
  isFields(item) && typeof item['id'] === 'string' ? item['id'] : undefined;
