// The whole board to and from its cache. Apart from cache.ts, because reading one record needs none of it.

import { type Cached, type CacheIndex, HEADER, MAGIC, OPEN, SEPARATOR, type StoredSection } from './cache.ts';
import { type Files, replaceFile } from './files.ts';
import { isNormal, markNormal } from './normal.ts';
import type { BoardDocument, BoardRecord, Section } from './yaml/document.ts';
import { lazySection } from './yaml/shift.ts';
import type { RecordSections } from './yaml/split.ts';

/** Where a section's bytes lie in a cache that is in memory; valid while the section's text is the same. */
interface Source {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly bytes: Buffer;
  readonly stored: StoredSection;
}
const SOURCES = new WeakMap<object, Source>();

/** The document as it was parsed; `text` is state.yaml's, which the caller knows to have the cache's hash. */
export function documentOf(cached: Cached, text: string, recordSections: RecordSections): BoardDocument {
  const value: Record<string, unknown> = {};
  let from = cached.body;
  const sections = cached.index.sections.map((stored): Section => {
    const size = stored.bytes.reduce((sum, part) => sum + part, 0);
    const bytes = cached.bytes.subarray(from, from + size);
    from += size;
    const section = sectionOf(stored, bytes, text);
    value[stored.key] = section.value;
    return section;
  });
  return { text, sections, opaque: false, recordSections, value };
}

function sectionOf(stored: StoredSection, bytes: Buffer, text: string): Section {
  const { key, kind, indent, span } = stored;
  const [keyBytes, lengthBytes, placeBytes] = stored.bytes;
  const [start, end, line, endLine] = span;
  const part = (from: number, to?: number): unknown => JSON.parse(bytes.toString('utf8', from, to));
  const values = part(keyBytes + lengthBytes + placeBytes) as unknown[];
  const keys = () => part(0, keyBytes) as (string | null)[];
  const value =
    kind === 'whole'
      ? values[0]
      : kind === 'list'
        ? values
        : Object.fromEntries(keys().map((name, at) => [name, values[at]]));
  if (typeof value === 'object' && value !== null) {
    SOURCES.set(value, { text, start, end, bytes, stored });
    if (stored.normal) markNormal(value);
  }
  return lazySection({ start, end, line, endLine, key, kind, indent, value }, () => {
    if (kind === 'whole') return [];
    const places = part(keyBytes + lengthBytes, keyBytes + lengthBytes + placeBytes) as number[];
    return keys().map((name, at): BoardRecord => {
      const [from = 0, to = 0, first = 0, last = 0] = places.slice(at * 4, at * 4 + 4);
      const place = { start: start + from, end: start + to, line: line + first, endLine: line + last };
      return { ...place, section: key, key: name ?? undefined, value: values[at] };
    });
  });
}

export function writeCache(files: Files, path: string, doc: BoardDocument, index: Omit<CacheIndex, 'sections'>): void {
  if (doc.opaque) return;
  const written = doc.sections.map((section) => copyOf(doc, section) ?? storedOf(section));
  const head = JSON.stringify({ ...index, sections: written.map(({ stored }) => stored) });
  const header = `${MAGIC} R ${Buffer.byteLength(head)}`.padEnd(HEADER - 1);
  replaceFile(files, path, [Buffer.from(`${header}\n${head}\n`), ...written.map(({ bytes }) => bytes)], false);
}

interface Written {
  readonly stored: StoredSection;
  readonly bytes: Buffer;
}

const spanOf = ({ start, end, line, endLine }: Section) => [start, end, line, endLine] as const;

function copyOf(doc: BoardDocument, section: Section): Written | undefined {
  const source = typeof section.value === 'object' && section.value !== null ? SOURCES.get(section.value) : undefined;
  if (source === undefined) return undefined;
  // The values may be the same while somebody changed a comment between them.
  const same = doc.text.slice(section.start, section.end) === source.text.slice(source.start, source.end);
  return same ? { stored: { ...source.stored, span: spanOf(section) }, bytes: source.bytes } : undefined;
}

function storedOf(section: Section): Written {
  const { key, kind, indent } = section;
  const records = kind === 'whole' ? [{ key: undefined, value: section.value, place: [] }] : placesIn(section);
  const values = records.map(({ value }) => JSON.stringify(value ?? null));
  const lines = [
    `${JSON.stringify(records.map((record) => record.key ?? null))}\n`,
    `${JSON.stringify(values.map((value) => Buffer.byteLength(value)))}\n`,
    `${JSON.stringify(records.flatMap(({ place }) => place))}\n`,
    `${OPEN}${values.join(SEPARATOR)}\n]\n`,
  ].map((line) => Buffer.from(line));
  const [keys = 0, lengths = 0, places = 0, body = 0] = lines.map((line) => line.length);
  const bytes = [keys, lengths, places, body] as const;
  const stored = { key, kind, indent, span: spanOf(section), normal: isNormal(key, section.value), bytes };
  return { stored, bytes: Buffer.concat(lines) };
}

function placesIn({ records, start, line }: Section) {
  return records.map((record) => ({
    key: record.key,
    value: record.value,
    place: [record.start - start, record.end - start, record.line - line, record.endLine - line],
  }));
}
