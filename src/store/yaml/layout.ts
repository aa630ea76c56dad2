// Where the records of a section are, as plain numbers counted from the section's own start: a section that moves takes
// them along for nothing. An object for each record is only made when somebody asks, because a board has thousands of
// them and a command changes one. Must never hold values: those are the section's, found here by key or position.
import type { BoardDocument, BoardRecord, Plain, Section } from './document.ts';
import { own, sameItems } from './equal.ts';
import type { LineStart } from './hunks.ts';
import type { RawRecord, Span } from './split.ts';

export interface Layout {
  /** For each record its key in a map, or the `id` of a list item; null when it has none. */
  readonly keys: readonly (string | null)[];
  /** For each record four numbers: start, end, line and endLine. */
  readonly places: readonly number[];
}

/** How many numbers of `places` belong to a record, and which is which. */
export const PLACE = 4;
export const [START, END, LINE, END_LINE] = [0, 1, 2, 3] as const;

/** A whole section is its own only record. */
export const WHOLE: Layout = { keys: [], places: [] };

export function layoutOf(section: Span, records: readonly RawRecord[], keys: Layout['keys']): Layout {
  const places: number[] = [];
  for (const { start, end, line, endLine } of records) {
    places.push(start - section.start, end - section.start, line - section.line, endLine - section.line);
  }
  return { keys, places };
}

/** A layout whose parts are worked out when they are first needed. */
export function lazyLayout(keys: () => Layout['keys'], places: () => Layout['places']): Layout {
  let madeKeys: Layout['keys'] | undefined;
  let madePlaces: Layout['places'] | undefined;
  return {
    get keys() {
      madeKeys ??= keys();
      return madeKeys;
    },
    get places() {
      madePlaces ??= places();
      return madePlaces;
    },
  };
}

export function sameLayout(a: Layout, b: Layout): boolean {
  return sameItems(a.keys, b.keys) && sameItems(a.places, b.places);
}

/** The section with its records to be had. */
export function laidOut(rest: Omit<Section, 'records'>): Section {
  let made: readonly BoardRecord[] | undefined;
  const records = (): readonly BoardRecord[] => {
    const { kind, key, value, layout } = rest;
    if (kind === 'whole') return [{ ...spanOf(rest), section: key, key, value }];
    return layout.keys.map((name, index) => ({
      ...spanAt(rest, index),
      section: key,
      key: name ?? undefined,
      value: valueAt(kind, value, name, index),
    }));
  };
  return Object.defineProperty({ ...rest }, 'records', {
    enumerable: true,
    get: () => {
      made ??= records();
      return made;
    },
  }) as Section;
}

/** The section elsewhere in the file. */
export function moved(section: Section, chars: number, lines: number): Section {
  if (chars === 0 && lines === 0) return section;
  const { key, kind, indent, layout, value, start, end, line, endLine } = section;
  const place = { start: start + chars, end: end + chars, line: line + lines, endLine: endLine + lines };
  return laidOut({ ...place, key, kind, indent, layout, value });
}

/** The section with the caller's own values in place of equal ones, so that the next update can skip them by reference. */
export function withValue(section: Section, value: unknown): Section {
  if (section.value === value) return section;
  const { key, kind, indent, layout } = section;
  return laidOut({ ...spanOf(section), key, kind, indent, layout, value });
}

/** Where the record is in the file. */
export function spanAt({ start, line, layout }: Omit<Section, 'records'>, index: number): Span {
  const [from = 0, to = 0, first = 0, last = 0] = layout.places.slice(index * PLACE, (index + 1) * PLACE);
  return { start: start + from, end: start + to, line: line + first, endLine: line + last };
}

/** The last record that begins at or above `line`, which is counted from the section's own; -1 when there is none. */
export function recordAt({ places }: Layout, line: number): number {
  let low = -1;
  let high = places.length / PLACE;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((places[middle * PLACE + LINE] ?? 0) <= line) low = middle;
    else high = middle;
  }
  return low;
}

/** The beginning or end of a section or record, next at or above the line. */
export function lineNear({ sections, source }: BoardDocument, line: number): LineStart | undefined {
  const section = sections.findLast((candidate) => candidate.line <= line);
  if (section === undefined) return undefined;
  const index = line < section.endLine ? recordAt(section.layout, line - section.line) : -1;
  const span = index === -1 ? section : spanAt(section, index);
  // Without a final newline the last line has no end to go on from.
  return line >= span.endLine && source.slice(span.end - 1, span.end) === '\n'
    ? { line: span.endLine, at: span.end }
    : { line: span.line, at: span.start };
}

/** The record's part of a section's value. */
export function valueAt(kind: Section['kind'], value: unknown, key: string | null, index: number): unknown {
  if (kind === 'list' && Array.isArray(value)) return value[index];
  if (kind === 'map' && key !== null) return own(value as Plain, key);
  return value;
}

function spanOf({ start, end, line, endLine }: Span): Span {
  return { start, end, line, endLine };
}
