// Single records and lists straight from the cache file, reading no more of it than they need.

import { type Found, OPEN, type ReadRange, SEPARATOR, spliced, total } from './cache.ts';

/** One record by its key (null: the only one), reading only its section's keys and lengths; undefined: not there. */
export function readRecord(readRange: ReadRange, found: Found, section: string, key: string | null): unknown {
  const place = placeOf(found, section);
  if (place === undefined) return undefined;
  const { from, stored } = place;
  for (const { keys, values, gone } of place.splices.toReversed()) {
    const at = keys.indexOf(key);
    if (at !== -1) return values[at];
    if (gone?.includes(key)) return undefined;
  }
  const [keys, lengths, places] = stored.bytes;
  const head = readRange(from, keys + lengths);
  const at = parseKeys(head, keys).indexOf(key);
  if (at === -1) return undefined;
  const sizes = JSON.parse(head.toString('utf8', keys)) as number[];
  const before = sizes.slice(0, at).reduce((sum, size) => sum + size + SEPARATOR.length, OPEN.length);
  return JSON.parse(readRange(from + keys + lengths + places + before, sizes[at] ?? 0).toString('utf8'));
}

/** All records of a list; none where there is no such section. undefined: it is no list. */
export function readList(readRange: ReadRange, found: Found, section: string): readonly unknown[] | undefined {
  const place = placeOf(found, section);
  if (place === undefined) return [];
  const { kind, bytes } = place.stored;
  const [keys, lengths, places, records] = bytes;
  const base: unknown[] = JSON.parse(readRange(place.from + keys + lengths + places, records).toString('utf8'));
  const values = spliced(base, place.splices, 'values');
  // `discovered: []`, as every new board has it, and a list in another style are one record: the list itself.
  const list = kind === 'whole' ? (values[0] ?? []) : values;
  return kind !== 'map' && Array.isArray(list) ? list : undefined;
}

/** The keys of a section's records, in the order of the file; none where there is no such section. */
export function readKeys(readRange: ReadRange, found: Found, section: string): readonly (string | null)[] {
  const place = placeOf(found, section);
  if (place === undefined) return [];
  const [keys] = place.stored.bytes;
  return spliced(parseKeys(readRange(place.from, keys), keys), place.splices, 'keys');
}

const parseKeys = (head: Buffer, length: number): (string | null)[] => JSON.parse(head.toString('utf8', 0, length));

function placeOf({ base, body, deltas }: Found, section: string) {
  let from = body;
  for (const [position, stored] of base.sections.entries()) {
    if (stored.key === section) {
      const changes = deltas.flatMap((delta) => delta.changes.filter((change) => change.section === position));
      return { from, stored, splices: changes.flatMap(({ splices }) => splices) };
    }
    from += total(stored.bytes);
  }
  return undefined;
}
