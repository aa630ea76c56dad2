// The records of a section, parsed. A process that reads the board again after somebody changed one task parses that one:
// records before and after it whose bytes are as last time are the same objects. They are never changed in place.

import { OPEN, SEPARATOR } from './cache.ts';

interface Section {
  /** The line of the records. */
  readonly bytes: Buffer;
  /** The records' lengths; parsed only when they are needed. */
  lengths(): readonly number[];
}

/** Each section as this process read it last. */
const LAST = new Map<string, Section & { readonly values: readonly unknown[] }>();

export function recordsIn(name: string, section: Section): readonly unknown[] {
  const last = LAST.get(name);
  const values = last === undefined ? parsed(section.bytes.toString('utf8')) : reused(last, last.values, section);
  // Short ones are parsed as fast as they are compared.
  if (values.length >= WORTH) LAST.set(name, { ...section, values });
  return values;
}

const WORTH = 20;
const parsed = (text: string): unknown[] => JSON.parse(text) as unknown[];

function reused(last: Section, values: readonly unknown[], now: Section): readonly unknown[] {
  const [before, after] = [starts(last.lengths()), starts(now.lengths())];
  const count = after.length - 1;
  const most = Math.min(values.length, count);
  const same = longest(most, (n) => {
    return before[n] === after[n] && last.bytes.subarray(0, before[n]).equals(now.bytes.subarray(0, after[n]));
  });
  const sameAtEnd = longest(most - same, (n) =>
    last.bytes.subarray(before.at(-1 - n)).equals(now.bytes.subarray(after.at(-1 - n))),
  );
  const past = count - sameAtEnd;
  if (same === past && count === values.length) return values;
  // Without the separator behind the last of them.
  const text = now.bytes.toString('utf8', after[same] ?? 0, (after[past] ?? 0) - SEPARATOR.length);
  const fresh = same === past ? [] : parsed(`[${text}]`);
  return [...values.slice(0, same), ...fresh, ...values.slice(values.length - sameAtEnd)];
}

/** Where each record begins, and where one more would. */
function starts(lengths: readonly number[]): readonly number[] {
  const all = [OPEN.length];
  for (const length of lengths) all.push((all.at(-1) ?? 0) + length + SEPARATOR.length);
  return all;
}

/** The largest n up to `most` for which it holds; where it holds for one it holds for all below. */
function longest(most: number, holds: (n: number) => boolean): number {
  let [low, high] = [0, most];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
