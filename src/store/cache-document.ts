// Reads and writes the whole board's cache. Not in cache.ts, because reading one record needs none of it.

import { type Files, replaceFile } from '../ports/files.ts';
import { type Cached, type CacheIndex, HEADER, MAGIC, type StoredSection } from './cache.ts';
import { recordsOf } from './cache-records.ts';
import { recordsIn } from './cache-reuse.ts';
import { isNormal, markNormal } from './file-values.ts';
import type { BoardDocument, Section } from './yaml/document.ts';
import { sameItems } from './yaml/equal.ts';
import { type Layout, laidOut, lazyLayout, valueAt, WHOLE } from './yaml/layout.ts';
import type { RecordSections } from './yaml/split.ts';

/** A section's bytes in a cache that is in memory, with the layout and values that they encode. */
interface Source {
  readonly stored: StoredSection;
  readonly bytes: Buffer;
  readonly layout: Layout;
  readonly values: readonly unknown[];
}

/** Found by a section's first or last record: a change elsewhere leaves at least one of them the object it was. */
const SOURCES = new WeakMap<object, Source>();

const endsOf = (values: readonly unknown[]): object[] =>
  [values[0], values.at(-1)].filter((value): value is object => typeof value === 'object' && value !== null);

function sourceOf(values: readonly unknown[]): Source | undefined {
  for (const end of endsOf(values)) {
    const source = SOURCES.get(end);
    if (source !== undefined) return source;
  }
  return undefined;
}

/** The document as it was parsed; `text` is state.yaml's, which the caller knows to have the cache's hash. */
export function documentOf(cached: Cached, text: string, recordSections: RecordSections): BoardDocument {
  const value: Record<string, unknown> = {};
  let from = cached.body;
  const sections = cached.index.sections.map((stored): Section => {
    const size = total(stored.bytes);
    const section = sectionOf(stored, cached.bytes.subarray(from, from + size));
    from += size;
    value[stored.key] = section.value;
    return section;
  });
  return { text, sections, opaque: false, recordSections, value };
}

function sectionOf(stored: StoredSection, bytes: Buffer): Section {
  const { key, kind, indent } = stored;
  const [start, end, line, endLine] = stored.span;
  const values = recordsIn(key, {
    bytes: bytes.subarray(bytes.length - stored.bytes[3]),
    lengths: () => part(stored, bytes, 'lengths') as number[],
  });
  const layout =
    kind === 'whole'
      ? WHOLE
      : lazyLayout(
          () => part(stored, bytes, 'keys') as (string | null)[],
          () => part(stored, bytes, 'places') as number[],
        );
  const value =
    kind === 'whole'
      ? values[0]
      : kind === 'list'
        ? values
        : Object.fromEntries(layout.keys.map((name, at) => [name, values[at]]));
  for (const end of endsOf(values)) SOURCES.set(end, { stored, bytes, layout, values });
  if (stored.normal && typeof value === 'object' && value !== null) markNormal(value);
  return laidOut({ start, end, line, endLine, key, kind, indent, layout, value });
}

const PARTS = ['keys', 'lengths', 'places', 'records'] as const;

function part({ bytes: sizes }: StoredSection, bytes: Buffer, name: (typeof PARTS)[number]): unknown {
  const at = PARTS.indexOf(name);
  const from = total(sizes.slice(0, at));
  return JSON.parse(bytes.toString('utf8', from, from + (sizes[at] ?? 0)));
}

const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

/** `settled`: the stat in the key is proof enough, because no write leaves it as it is (ports/files.ts: settle). */
export function writeCache(
  files: Files,
  path: string,
  doc: BoardDocument,
  index: Omit<CacheIndex, 'sections'>,
  settled: boolean,
): void {
  if (doc.opaque) return;
  const written = doc.sections.map(storedOf);
  const head = JSON.stringify({ ...index, sections: written.map(({ stored }) => stored) });
  const header = `${MAGIC} ${settled ? 'C' : 'R'} ${Buffer.byteLength(head)}`.padEnd(HEADER - 1);
  const chunks = [Buffer.from(`${header}\n${head}\n`), ...written.flatMap((section) => section.chunks)];
  replaceFile(files, path, inFewerPieces(chunks), false);
}

/** Each piece costs a system call, and joining large ones costs a copy. */
function inFewerPieces(chunks: readonly Buffer[]): Buffer[] {
  const pieces: Buffer[] = [];
  let small: Buffer[] = [];
  for (const chunk of chunks) {
    if (chunk.length < LARGE) {
      small.push(chunk);
      continue;
    }
    pieces.push(Buffer.concat(small), chunk);
    small = [];
  }
  return [...pieces, Buffer.concat(small)].filter(({ length }) => length > 0);
}

const LARGE = 64 * 1024;

interface Written {
  readonly stored: StoredSection;
  readonly chunks: readonly Buffer[];
}

function storedOf(section: Section): Written {
  const { key, kind, indent, layout, value } = section;
  const span = [section.start, section.end, section.line, section.endLine] as const;
  const values = valuesOf(section);
  const source = sourceOf(values);
  if (source?.stored.key === key && source.layout === layout && sameItems(source.values, values)) {
    return { stored: { ...source.stored, indent, span }, chunks: [source.bytes] };
  }
  const { lengths, chunks } = recordsOf(values, source && writtenIn(source));
  const [keyLine, lengthLine, placeLine] = [kind === 'whole' ? [null] : layout.keys, lengths, layout.places].map(
    (list) => Buffer.from(`${JSON.stringify(list)}\n`),
  ) as [Buffer, Buffer, Buffer];
  const sizes = [
    keyLine.length,
    lengthLine.length,
    placeLine.length,
    total(chunks.map(({ length }) => length)),
  ] as const;
  const stored = { key, kind, indent, span, normal: isNormal(key, value), bytes: sizes };
  return { stored, chunks: [keyLine, lengthLine, placeLine, ...chunks] };
}

function writtenIn({ stored, bytes, values }: Source) {
  const lengths = part(stored, bytes, 'lengths') as number[];
  return { values, lengths, bytes: bytes.subarray(bytes.length - stored.bytes[3]) };
}

function valuesOf({ kind, layout, value }: Section): readonly unknown[] {
  if (kind === 'whole') return [value];
  return Array.isArray(value) ? value : layout.keys.map((key, index) => valueAt(kind, value, key, index));
}
