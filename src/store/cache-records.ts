// The records of a section as bytes of the cache. The bytes of a record that is the same object as last time are copied,
// without making text or garbage: a board has thousands of records, and a command changes one.
// Promises the same bytes as if every record were written again, because records are never changed in place.

import { OPEN, SEPARATOR } from './cache.ts';
import { matchItems } from './yaml/match.ts';

/** Records that were written before. */
export interface WrittenRecords {
  readonly values: readonly unknown[];
  readonly lengths: readonly number[];
  /** From the line of the records on. */
  readonly bytes: Buffer;
}

export interface Records {
  readonly lengths: readonly number[];
  readonly chunks: readonly Buffer[];
}

const CLOSE = '\n]\n';

export function recordsOf(values: readonly unknown[], known: WrittenRecords | undefined): Records {
  if (known === undefined) {
    const { lengths, bytes } = fresh(values);
    return { lengths, chunks: [Buffer.from(OPEN), bytes, Buffer.from(CLOSE)] };
  }
  const lengths: number[] = [];
  const chunks: Buffer[] = [Buffer.from(OPEN)];
  const match = matchItems(known.values, values);
  const isKnown = (at: number): boolean => match[at] !== -1 && known.values[match[at] ?? -1] === values[at];
  let offset = OPEN.length;
  let passed = 0;
  const pass = (until: number): number => {
    for (; passed < until; passed++) offset += (known.lengths[passed] ?? 0) + SEPARATOR.length;
    return offset;
  };
  for (let at = 0, next = 0; at < values.length; at = next) {
    const copied = isKnown(at);
    // A run: all to be written, or all next to each other in what is known.
    for (next = at + 1; next < values.length && isKnown(next) === copied; next++) {
      if (copied && match[next] !== (match[next - 1] ?? 0) + 1) break;
    }
    if (at > 0) chunks.push(Buffer.from(SEPARATOR));
    if (copied) {
      const first = match[at] ?? 0;
      const past = first + next - at;
      for (let record = first; record < past; record++) lengths.push(known.lengths[record] ?? 0);
      chunks.push(known.bytes.subarray(pass(first), pass(past) - SEPARATOR.length));
    } else {
      const written = fresh(values.slice(at, next));
      for (const length of written.lengths) lengths.push(length);
      chunks.push(written.bytes);
    }
  }
  chunks.push(Buffer.from(CLOSE));
  return { lengths, chunks };
}

function fresh(values: readonly unknown[]): { lengths: number[]; bytes: Buffer } {
  const texts = values.map((value) => JSON.stringify(value ?? null));
  return { lengths: texts.map((text) => Buffer.byteLength(text)), bytes: Buffer.from(texts.join(SEPARATOR)) };
}
