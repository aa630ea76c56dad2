// Records as every store can keep them. PostgreSQL refuses half of a surrogate pair, which a cut in the middle of an emoji
// leaves, and NUL: a record that has one in whatever text would never get there.

import { isFields } from '../protocol/values.ts';
import { differing } from './changed-records.ts';

const UNKEPT = /[\0\p{Surrogate}]/gu;

/** U+FFFD stands for each. The very same object where there is none; what `before` has too is not looked at. */
export const keepable = <T>(value: T, before?: unknown): T => kept(value, before) as T;

function kept(value: unknown, before: unknown): unknown {
  if (value === before) return value;
  if (typeof value === 'string') return value.replace(UNKEPT, '\ufffd');
  if (Array.isArray(value)) {
    const [was, is] = Array.isArray(before) ? differing(before, value) : [[], value];
    const known = new Set(was);
    const isKept = is.every((item, at) => known.has(item) || kept(item, was[at]) === item);
    return isKept ? value : value.map((item) => kept(item, undefined));
  }
  if (!isFields(value)) return value;
  const was = isFields(before) ? before : {};
  const fields = Object.entries(value).map(([key, item]) => [keepable(key), kept(item, was[key])] as const);
  return fields.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(fields);
}
