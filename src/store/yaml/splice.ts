// A section after an edit of some of its records, reading only these again. Lines are told apart by the section's kind
// and indent alone, so a stretch of text that begins with a record and ends where another one (or the next section)
// begins means on its own what it means in the file; the records outside keep their values and only move.
// Promises what reading the whole section would give. Whatever is not certain is left to the caller: undefined.

import { type Plain, parseDocumentSimple, type Section } from './document.ts';
import { definedKeys, isMap, sameValue } from './equal.ts';
import { type Hunk, sizeOf } from './hunks.ts';
import { END, END_LINE, type Layout, LINE, laidOut, PLACE, recordAt, START, valueAt } from './layout.ts';

/** Records that an edit touched: indexes, `past` exclusive, and by how much their text grew. */
interface Stretch {
  readonly first: number;
  readonly past: number;
  readonly chars: number;
  readonly lines: number;
}

/** A section's text after the edit, up to the next section; `line` is where it begins in the file. */
export interface Edited {
  readonly length: number;
  /** A part of it: the whole is not put together for a change of a few lines. */
  slice(from: number, to: number): string;
  readonly start: number;
  readonly line: number;
  /** By how much the text grew. */
  readonly chars: number;
}

/** The section with `value`, which holds the very same objects for records that no hunk touched. */
export function sectionAfter(
  section: Section,
  hunks: readonly Hunk[],
  after: Edited,
  value: unknown,
): Section | undefined {
  if (section.kind === 'list' ? !Array.isArray(value) : section.kind === 'whole' || !isMap(value)) return undefined;
  const stretches = stretchesOf(section, hunks);
  if (stretches === undefined || stretches.length > MANY) return undefined;
  const made = new Splice(section, value);
  for (const stretch of stretches) {
    if (!made.keep(stretch.first) || !made.read(stretch, after)) return undefined;
  }
  const layout = made.keep(section.layout.keys.length) ? made.whole() : undefined;
  if (layout === undefined) return undefined;
  const { key, kind, indent } = section;
  const { start, line } = after;
  const end = start + (layout.places.at(END - PLACE) ?? 0);
  const endLine = line + (layout.places.at(END_LINE - PLACE) ?? 0);
  return laidOut({ start, end, line, endLine, key, kind, indent, layout, value });
}

/** Which records the hunks touch; undefined when one is elsewhere: in the heading, or in a comment between records. */
function stretchesOf({ layout, line }: Section, hunks: readonly Hunk[]): Stretch[] | undefined {
  const endOf = (record: number): number => layout.places[record * PLACE + END_LINE] ?? -1;
  const stretches: Stretch[] = [];
  for (const { at, del, ins } of hunks) {
    const from = at - line;
    const to = from + del.length;
    const found = recordAt(layout, from);
    const past = recordAt(layout, to) + 1;
    if (endOf(found) < from || endOf(past - 1) < to) return undefined;
    // A line between two records may go to either, so both are read.
    const first = endOf(found - 1) === from ? found - 1 : found;
    const chars = sizeOf(ins) - sizeOf(del);
    const lines = ins.length - del.length;
    const last = stretches.at(-1);
    if (last === undefined || first >= last.past) stretches.push({ first, past, chars, lines });
    else {
      const grown = { chars: last.chars + chars, lines: last.lines + lines };
      stretches[stretches.length - 1] = { first: last.first, past: Math.max(past, last.past), ...grown };
    }
  }
  return stretches;
}

/** The layout being put together, each record checked against the value it is to have. */
class Splice {
  readonly #section: Section;
  readonly #value: unknown;
  readonly #keys: Layout['keys'][] = [];
  readonly #places: Layout['places'][] = [];
  /** How many of the old records are dealt with, how many there are by now, and by how much what follows has moved. */
  #done = 0;
  #count = 0;
  #chars = 0;
  #lines = 0;

  constructor(section: Section, value: unknown) {
    this.#section = section;
    this.#value = value;
  }

  /** Takes the old records up to `past` over as they are. */
  keep(past: number): boolean {
    const { layout, value } = this.#section;
    const keys = layout.keys.slice(this.#done, past);
    const isSame = (key: string | null, index: number): boolean =>
      this.#valueOf(value, key, this.#done + index) === this.#valueOf(this.#value, key, this.#count + index);
    if (!keys.every(isSame)) return false;
    this.#add(keys, layout.places.slice(this.#done * PLACE, past * PLACE), this.#chars, this.#lines);
    this.#done = past;
    return true;
  }

  /** Reads the text that now stands where the old records of the stretch were. */
  read({ past, chars, lines }: Stretch, after: Edited): boolean {
    const { kind, indent, layout } = this.#section;
    const startOf = (record: number): number => layout.places[record * PLACE + START] ?? after.length - after.chars;
    const from = startOf(this.#done) + this.#chars;
    const own = after.slice(from, startOf(past) + this.#chars + chars);
    const parsed = parseDocumentSimple(HEADING + own, { recordSections: { [HEADING_KEY]: kind as 'list' | 'map' } });
    const [only, second] = parsed?.ok === true ? parsed.doc.sections : [];
    if (only === undefined || second !== undefined || only.kind !== kind || only.indent !== indent) return false;
    const { keys, places } = only.layout;
    // Lines before its first record could belong to the one above.
    if (places[START] !== HEADING.length) return false;
    const isRead = (key: string | null, index: number): boolean =>
      sameValue(this.#valueOf(only.value, key, index), this.#valueOf(this.#value, key, this.#count + index));
    if (!keys.every(isRead)) return false;
    const line = (layout.places[this.#done * PLACE + LINE] ?? 0) + this.#lines;
    this.#add(keys, [...places], from - HEADING.length, line - 1);
    this.#done = past;
    this.#chars += chars;
    this.#lines += lines;
    return true;
  }

  /** All of it; undefined when the value has something besides, or the text has a key twice. */
  whole(): Layout | undefined {
    const keys = joined(this.#keys);
    const size = Array.isArray(this.#value) ? this.#value.length : definedKeys(this.#value as Plain).length;
    if (size !== keys.length || (this.#section.kind === 'map' && new Set(keys).size !== size)) return undefined;
    return { keys, places: joined(this.#places) };
  }

  #valueOf(value: unknown, key: string | null, index: number): unknown {
    return valueAt(this.#section.kind, value, key, index);
  }

  #add(keys: Layout['keys'], places: number[], chars: number, lines: number): void {
    if (chars !== 0 || lines !== 0) {
      for (let at = 0; at < places.length; at += PLACE) {
        places[at + START] = (places[at + START] ?? 0) + chars;
        places[at + END] = (places[at + END] ?? 0) + chars;
        places[at + LINE] = (places[at + LINE] ?? 0) + lines;
        places[at + END_LINE] = (places[at + END_LINE] ?? 0) + lines;
      }
    }
    this.#keys.push(keys);
    this.#places.push(places);
    this.#count += keys.length;
  }
}

/** As flat(), which looks at every item and takes many times longer. */
const joined = <T>(parts: readonly (readonly T[])[]): T[] => ([] as T[]).concat(...parts);

/** So many that reading the whole section is no worse. */
const MANY = 1000;

const HEADING_KEY = 'r';
const HEADING = `${HEADING_KEY}:\n`;
