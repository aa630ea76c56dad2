// cache/board.ndjson: the parsed board, so that a command need not parse YAML. Derived, bound to
// state.yaml by hash and to the files by stat, never authoritative: when anything disagrees it is
// ignored and written anew. Layout: one line `liza-cache-1 <flag> <index length>`, the index (places of
// the records in state.yaml and in this file), then the records as one JSON array, a record per line,
// so that `liza show` reads one record without parsing the others.

import { type FileStat, type Files, replaceFile } from './files.ts';
import type { BoardDocument, BoardRecord, Section } from './yaml/document.ts';
import type { RecordSections } from './yaml/split.ts';

const MAGIC = 'liza-cache-1';
const HEADER = 32;

/** What must still hold for the cache to be true. */
export interface CacheKey {
  readonly state: StatKey;
  readonly journal: StatKey;
  readonly superseded: StatKey | null;
}
type StatKey = readonly [ino: string, size: string, mtime: string, ctime: string];

export interface CacheIndex {
  readonly key: CacheKey;
  readonly hash: string;
  /** The journal's last entry. */
  readonly seq: number;
  readonly line: string;
  readonly end: number;
  readonly opaque: boolean;
  readonly sections: readonly CachedSection[];
}

interface CachedSection {
  readonly key: string;
  readonly kind: Section['kind'];
  readonly indent: number;
  /** start, end, line, endLine. */
  readonly span: readonly number[];
  readonly keys: readonly (string | null)[];
  /** start, end, line, endLine and bytes in this file, five numbers a record. */
  readonly places: readonly number[];
}

export interface Cached {
  readonly index: CacheIndex;
  readonly bytes: Buffer;
  /** Where the records begin. */
  readonly body: number;
  /** Written in the same clock tick as the state: the stat alone proves nothing yet. */
  readonly racy: boolean;
}

const statKey = (stat: FileStat): StatKey => [
  String(stat.ino),
  String(stat.size),
  String(stat.mtimeNs),
  String(stat.ctimeNs),
];

/** undefined: there is nothing yet that a cache could be bound to. */
export function keyOf(
  files: Files,
  paths: { readonly state: string; readonly journal: string; readonly superseded: string },
): CacheKey | undefined {
  const [state, journal, superseded] = [paths.state, paths.journal, paths.superseded].map((path) => files.stat(path));
  if (state === undefined || journal === undefined) return undefined;
  return {
    state: statKey(state),
    journal: statKey(journal),
    superseded: superseded === undefined ? null : statKey(superseded),
  };
}

/** The index alone, and where the rest is; undefined when there is no usable cache. */
export function readIndex(files: Files, path: string): Omit<Cached, 'bytes'> | undefined {
  try {
    const first = files.readRange(path, 0, 64 * 1024);
    const [magic, flag, length] = first.toString('latin1', 0, HEADER).trim().split(' ');
    if (magic !== MAGIC) return undefined;
    const size = Number(length);
    const index = HEADER + size <= first.length ? first : files.readRange(path, 0, HEADER + size);
    return {
      index: JSON.parse(index.toString('utf8', HEADER, HEADER + size)) as CacheIndex,
      body: HEADER + size + 1,
      racy: flag !== 'C',
    };
  } catch {
    return undefined;
  }
}

export function readCache(files: Files, path: string): Cached | undefined {
  try {
    const bytes = files.read(path);
    if (bytes === undefined) return undefined;
    const [magic, flag, length] = bytes.toString('latin1', 0, HEADER).trim().split(' ');
    if (magic !== MAGIC) return undefined;
    const size = Number(length);
    const index = JSON.parse(bytes.toString('utf8', HEADER, HEADER + size)) as CacheIndex;
    return { index, bytes, body: HEADER + size + 1, racy: flag !== 'C' };
  } catch {
    return undefined;
  }
}

/** A later look has confirmed it by hash: from now on the stat is proof enough. */
export function confirm(files: Files, path: string): void {
  try {
    const fd = files.open(path, 'r+');
    try {
      files.write(fd, Buffer.from(`${MAGIC} C`));
    } finally {
      files.close(fd);
    }
  } catch {
    // Only slower, never wrong.
  }
}

/** True while neither the state, the journal nor the replaced file was touched since. */
export function unchanged(files: Files, key: CacheKey, paths: { state: string; journal: string; superseded: string }) {
  const matches = (path: string, wanted: StatKey | null, ctime: boolean): boolean => {
    const stat = files.stat(path);
    if (stat === undefined || wanted === null) return stat === undefined && wanted === null;
    const found = statKey(stat);
    return found.every((field, index) => field === wanted[index] || (index === 3 && !ctime));
  };
  return (
    matches(paths.state, key.state, true) &&
    matches(paths.journal, key.journal, true) &&
    matches(paths.superseded, key.superseded, false)
  );
}

/** The document as it was parsed; `text` is state.yaml's, which the caller knows to have the cache's hash. */
export function documentOf(cached: Cached, text: string, recordSections: RecordSections): BoardDocument {
  const values = JSON.parse(cached.bytes.toString('utf8', cached.body)) as unknown[];
  let at = 0;
  const value: Record<string, unknown> = {};
  const sections = cached.index.sections.map((stored): Section => {
    const span = spanOf(stored.span, 0);
    if (stored.kind === 'whole') {
      value[stored.key] = values[at++];
      return { ...span, key: stored.key, kind: 'whole', indent: stored.indent, records: [], value: value[stored.key] };
    }
    const records = stored.keys.map((key, index): BoardRecord => {
      return { ...spanOf(stored.places, index * 5), section: stored.key, key: key ?? undefined, value: values[at++] };
    });
    const own =
      stored.kind === 'list'
        ? records.map((record) => record.value)
        : Object.fromEntries(records.map((record) => [record.key, record.value]));
    value[stored.key] = own;
    return { ...span, key: stored.key, kind: stored.kind, indent: stored.indent, records, value: own };
  });
  return { text, sections, opaque: false, recordSections, value };
}

const spanOf = (numbers: readonly number[], at: number) => ({
  start: numbers[at] ?? 0,
  end: numbers[at + 1] ?? 0,
  line: numbers[at + 2] ?? 0,
  endLine: numbers[at + 3] ?? 0,
});

/** Records that are the same reference as in `previous` are copied as bytes, not written out again. */
export function writeCache(
  files: Files,
  path: string,
  doc: BoardDocument,
  index: Omit<CacheIndex, 'sections' | 'opaque'>,
  previous?: { readonly cached: Cached; readonly doc: BoardDocument },
): void {
  if (doc.opaque) return;
  const known = previous === undefined ? new Map<unknown, Buffer>() : linesOf(previous.cached, previous.doc);
  const body: Buffer[] = [];
  const lengthOf = (value: unknown): number => {
    const line = known.get(value) ?? Buffer.from(JSON.stringify(value ?? null));
    body.push(body.length === 0 ? OPEN : SEPARATOR, line);
    return line.length;
  };
  const sections = doc.sections.map((section): CachedSection => {
    const { key, kind, indent } = section;
    const span = [section.start, section.end, section.line, section.endLine];
    if (kind === 'whole') return { key, kind, indent, span, keys: [], places: [0, 0, 0, 0, lengthOf(section.value)] };
    const places: number[] = [];
    for (const record of section.records) {
      places.push(record.start, record.end, record.line, record.endLine, lengthOf(record.value));
    }
    return { key, kind, indent, span, keys: section.records.map((record) => record.key ?? null), places };
  });
  const head = Buffer.from(`${JSON.stringify({ ...index, opaque: doc.opaque, sections })}\n`);
  const header = Buffer.from(`${MAGIC} R ${head.length - 1}`.padEnd(HEADER - 1).concat('\n'));
  replaceFile(files, path, Buffer.concat([header, head, ...body, CLOSE]), false);
}

const OPEN = Buffer.from('[\n');
const SEPARATOR = Buffer.from(',\n');
const CLOSE = Buffer.from('\n]\n');

/** The bytes of one record by its place in the list of all records. */
export function recordAt(
  index: CacheIndex,
  section: string,
  key: string,
): { from: number; length: number } | undefined {
  let from = OPEN.length;
  for (const stored of index.sections) {
    const wanted = stored.key === section ? stored.keys.indexOf(key) : -1;
    const count = stored.places.length / 5;
    for (let record = 0; record < count; record += 1) {
      const length = stored.places[record * 5 + 4] ?? 0;
      if (record === wanted) return { from, length };
      from += length + SEPARATOR.length;
    }
  }
  return undefined;
}

function linesOf(cached: Cached, doc: BoardDocument): Map<unknown, Buffer> {
  const lines = new Map<unknown, Buffer>();
  let at = cached.body + OPEN.length;
  cached.index.sections.forEach((stored, position) => {
    const section = doc.sections[position];
    const values = stored.kind === 'whole' ? [section?.value] : (section?.records ?? []).map((record) => record.value);
    values.forEach((value, record) => {
      const length = stored.places[record * 5 + 4] ?? 0;
      // Equal scalars share a line; only objects have an identity to go by.
      if (typeof value === 'object' && value !== null) lines.set(value, cached.bytes.subarray(at, at + length));
      at += length + SEPARATOR.length;
    });
  });
  return lines;
}
