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
    const [left, come] = Array.isArray(was) && Array.isArray(is) ? differing(was, is) : [was, is];
    const old = new Set(Array.isArray(left) ? left : Object.values((left ?? {}) as Fields));
    const now = Array.isArray(come)
      ? come.map((item) => [idOf(item), item] as const)
      : Object.entries((come ?? {}) as Fields);
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

/** Without the very items that both begin and end with: a board has thousands, and a command changes one. */
export function differing(
  before: readonly unknown[],
  after: readonly unknown[],
): readonly [readonly unknown[], readonly unknown[]] {
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shared - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
}

const idOf = (item: unknown): string | undefined =>
  isFields(item) && typeof item['id'] === 'string' ? item['id'] : undefined;
