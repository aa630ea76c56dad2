// Writes the board's cache: whole, or as a delta behind the state it already has.

import { dirname } from 'node:path';
import { type Files, replaceFile } from '../ports/files.ts';
import {
  type Bound,
  type Delta,
  type Found,
  flagOf,
  HEADER,
  LONGEST_DELTA,
  LONGEST_TAIL,
  MAGIC,
  OPEN,
  SEPARATOR,
  total,
} from './cache.ts';
import { deltaOf, keysOf, spanOf, valuesOf } from './cache-delta.ts';
import { isNormal } from './file-values.ts';
import { wholeDocument } from './unread.ts';
import type { BoardDocument, Section } from './yaml/document.ts';

/** `settled`: the stat in the key is proof enough, because no write leaves it as it is (ports/files.ts: settle). */
export function writeCache(
  files: Files,
  path: string,
  doc: BoardDocument,
  bound: Bound,
  settled: boolean,
): Encoded | undefined {
  if (doc.opaque || (NO_JSON.test(doc.text) && !isJson(wholeDocument(doc).value))) return undefined;
  const sections = wholeDocument(doc).sections.map(storedOf);
  const index = JSON.stringify({ ...bound, sections: sections.map(({ stored }) => stored) });
  const header = `${MAGIC} ${flagOf(settled)} ${Buffer.byteLength(index)}`.padEnd(HEADER - 1);
  const lines = [`${header}\n${index}\n`, ...sections.flatMap((section) => section.lines)];
  const bytes = Buffer.from(lines.join(''));
  replaceFile(files, path, bytes, false);
  return { doc, hash: bound.hash, end: bytes.length, tail: 0 };
}

/** JSON has no infinity: such a board is read from its own file each time. */
const NO_JSON = /\.(?:inf|nan)\b/i;

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isJson);
}

function storedOf(section: Section) {
  const { key, kind, indent, layout, value } = section;
  const texts = valuesOf(section).map((one) => JSON.stringify(one ?? null));
  const lines = [
    `${JSON.stringify(keysOf(section))}\n`,
    `${JSON.stringify(texts.map((text) => Buffer.byteLength(text)))}\n`,
    `${JSON.stringify(layout.places)}\n`,
    `${OPEN}${texts.join(SEPARATOR)}\n]\n`,
  ];
  const bytes = lines.map((line) => Buffer.byteLength(line));
  return { stored: { key, kind, indent, span: spanOf(section), normal: isNormal(key, value), bytes }, lines };
}

/** What the cache file has: its size, and the document of that hash. */
export interface Encoded {
  readonly doc: BoardDocument;
  readonly hash: string;
  readonly end: number;
  /** Bytes of all its deltas. */
  readonly tail: number;
}

export function encodedIn({ index, base, body, end }: Found, doc: BoardDocument): Encoded {
  const start = body + total(base.sections.flatMap(({ bytes }) => bytes));
  return { doc, hash: index.hash, end, tail: end - start };
}

/** What changed since `before`, or all of it. */
export function updateCache(
  files: Files,
  path: string,
  before: Encoded | undefined,
  doc: BoardDocument,
  bound: Bound,
  settled: boolean,
): Encoded | undefined {
  const appended = before && appendDelta(files, path, before, doc, bound);
  if (appended !== undefined) return appended;
  files.makeDirectory(dirname(path));
  return writeCache(files, path, doc, bound, settled);
}

/** Appends the change to the file; undefined: it has to be written whole. */
export function appendDelta(
  files: Files,
  path: string,
  encoded: Encoded,
  doc: BoardDocument,
  bound: Bound,
): Encoded | undefined {
  const change = deltaOf(encoded.doc, doc);
  if (change === undefined || !isJson(change)) return undefined;
  const delta: Delta = { ...bound, from: encoded.hash, ...change };
  const line = Buffer.from(`${JSON.stringify(delta)}\n`);
  const tail = encoded.tail + line.length;
  if (line.length > LONGEST_DELTA || tail > LONGEST_TAIL) return undefined;
  const fd = files.open(path, 'a');
  try {
    if (Number(files.fstat(fd).size) !== encoded.end) return undefined;
    files.write(fd, line);
  } finally {
    files.close(fd);
  }
  return { doc, hash: bound.hash, end: encoded.end + line.length, tail };
}
