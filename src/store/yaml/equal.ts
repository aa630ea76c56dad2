// Deep equality of plain values as YAML sees them: key order does not matter, a key holding undefined is absent.
// Shared references are equal without a look inside, which is what makes structural sharing cheap.

import { isFields as isMap } from '../../protocol/values.ts';

export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a === 'number' && typeof b === 'number') return Number.isNaN(a) && Number.isNaN(b);
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  }
  if (!isMap(a) || !isMap(b)) return false;
  const keys = definedKeys(a);
  return (
    keys.length === definedKeys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameValue(a[key], b[key]))
  );
}

/** The very same items, in the same order. */
export function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => item === b[index]));
}

export { isMap };

/** The value of a key of its own: `toString` is a field only when someone wrote it. */
export function own(map: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

export function definedKeys(map: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(map).filter((key) => map[key] !== undefined);
}
