// The whole board out of its cache. Not in cache.ts, because reading one record needs none of it.
// A process that reads the board again after somebody changed one task parses that one: what it knows under a state's
// hash it changes by the deltas since, and all other records are the same objects. They are never changed in place.

import type { Files } from '../ports/files.ts';
import { readIfFile } from './bounded-text.ts';
import {
  type Delta,
  type Found,
  parseCache,
  readIndex,
  type SectionSpan,
  type Splice,
  type StoredSection,
  spliced,
  total,
} from './cache.ts';
import { markNormal } from './file-values.ts';
import { unread } from './unread.ts';
import { type BoardDocument, boardDocument, type Section } from './yaml/document.ts';
import { type Layout, laidOut, lazyLayout, PLACE, WHOLE } from './yaml/layout.ts';
import type { RecordSections } from './yaml/split.ts';
import type { Text } from './yaml/text.ts';

export interface Cached extends Found {
  /** Sections as they are in its base; undefined: this process knows them, or later ones, already, or asked for none. */
  readonly bytes: Buffer | undefined;
}

/** A section, each part parsed when it is first needed. */
interface Parsed {
  readonly stored: Pick<StoredSection, 'key' | 'kind' | 'indent' | 'normal'>;
  readonly layout: Layout;
  readonly values: () => readonly unknown[];
  readonly value: Once<unknown>;
}

/** What this process read last. */
let last: { readonly hash: string; readonly sections: readonly Parsed[] } | undefined;

/** `index`: which state it is, for somebody who has the board. */
export function readCache(files: Files, path: string, wanted: 'all' | 'index' = 'all'): Cached | undefined {
  const index = readIndex((from, length) => files.readRange(path, from, length));
  if (wanted === 'index' || (index !== undefined && isKnown(index))) return index && { ...index, bytes: undefined };
  const bytes = index === undefined ? undefined : readIfFile(files, path);
  const found = bytes && parseCache(bytes);
  return found && { ...found, bytes };
}

const isKnown = ({ base, deltas }: Found): boolean =>
  last !== undefined && [base, ...deltas].some(({ hash }) => hash === last?.hash);

/**
 * The document as it was parsed; `source` is state.yaml's text, which the caller knows to have the cache's hash. `small`: a large
 * section that this process has not parsed yet is left unread.
 */
export function documentOf(
  cached: Cached,
  source: Text,
  recordSections: RecordSections,
  reading: 'all' | 'small' = 'all',
): BoardDocument {
  const { base, deltas, index } = cached;
  const known = last !== undefined && isKnown(cached) ? last : { hash: base.hash, sections: sectionsIn(cached) };
  const since = deltas.slice(deltas.findLastIndex(({ hash }) => hash === known.hash) + 1);
  const parsed = since.reduce(changed, known.sections);
  last = { hash: index.hash, sections: parsed };
  const spans = deltas.at(-1)?.spans ?? base.sections.map(({ span }) => span);
  const value: Record<string, unknown> = {};
  const sections = parsed.map((section, at) => {
    const made = sectionOf(section, spans[at] ?? [0, 0, 0, 0], reading);
    value[made.key] = made.value;
    return made;
  });
  return boardDocument({ source, sections, opaque: false, recordSections, value });
}

function sectionOf(
  { stored, layout, value: read }: Parsed,
  [start, end, line, endLine]: SectionSpan,
  reading: 'all' | 'small',
): Section {
  const { key, kind, indent, normal } = stored;
  const isLeft = reading === 'small' && kind !== 'whole' && normal && !read.isDone() && end - start > LARGE;
  const readNow = () => known(normal, read());
  const value = isLeft ? known(normal, unread(kind, readNow)) : readNow();
  return laidOut({ start, end, line, endLine, key, kind, indent, layout, value });
}

function known(normal: boolean, value: unknown): unknown {
  if (normal && typeof value === 'object' && value !== null) markNormal(value);
  return value;
}

/** So many characters take longer to parse than to find out that nobody needs them. */
const LARGE = 32 * 1024;

function sectionsIn({ base, body, bytes = Buffer.alloc(0) }: Cached): readonly Parsed[] {
  let from = body;
  return base.sections.map((stored) => {
    const own = bytes.subarray(from, from + total(stored.bytes));
    from += own.length;
    const part = (name: (typeof PARTS)[number]) => partOf(stored, own, name);
    return parsedOf(
      stored,
      () => part('keys') as Layout['keys'],
      () => part('places') as number[],
      () => part('records') as unknown[],
    );
  });
}

const PARTS = ['keys', 'lengths', 'places', 'records'] as const;

function partOf({ bytes: sizes }: StoredSection, bytes: Buffer, name: (typeof PARTS)[number]): unknown {
  const at = PARTS.indexOf(name);
  const from = total(sizes.slice(0, at));
  return JSON.parse(bytes.toString('utf8', from, from + (sizes[at] ?? 0)));
}

function parsedOf(
  stored: Parsed['stored'],
  keys: () => Layout['keys'],
  places: () => Layout['places'],
  records: () => readonly unknown[],
): Parsed {
  const { kind } = stored;
  const layout = kind === 'whole' ? WHOLE : lazyLayout(keys, places);
  const values = once(records);
  const value = once(() => {
    if (kind === 'whole') return values()[0];
    return kind === 'list' ? values() : Object.fromEntries(layout.keys.map((name, at) => [name, values()[at]]));
  });
  return { stored, layout, values, value };
}

interface Once<T> {
  (): T;
  isDone(): boolean;
}

function once<T>(make: () => T): Once<T> {
  let made: { readonly value: T } | undefined;
  const get = (): T => {
    made ??= { value: make() };
    return made.value;
  };
  return Object.assign(get, { isDone: () => made !== undefined });
}

/** The sections after a delta. */
function changed(sections: readonly Parsed[], { changes }: Delta): readonly Parsed[] {
  return sections.map((section, at) => {
    const change = changes.find((candidate) => candidate.section === at);
    if (change === undefined) return section;
    const { splices, normal } = change;
    return parsedOf(
      { ...section.stored, normal },
      () => spliced(section.layout.keys, splices, 'keys'),
      () => splices.reduce(movedPlaces, section.layout.places),
      () => spliced(section.values(), splices, 'values'),
    );
  });
}

function movedPlaces(places: readonly number[], { at, removed, places: fresh, moved }: Splice): readonly number[] {
  const [chars, lines] = moved;
  const after = places.slice((at + removed) * PLACE);
  // Start and end are characters, the other two lines.
  if (chars !== 0 || lines !== 0)
    for (let n = 0; n < after.length; n += 1) after[n] = (after[n] ?? 0) + (n % PLACE < 2 ? chars : lines);
  return places.slice(0, at * PLACE).concat(fresh, after);
}
