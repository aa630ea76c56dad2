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

/** Records of a layout, from one place to another, which have moved by so much. */
interface Part extends Layout {
  readonly from: number;
  readonly past: number;
  readonly chars: number;
  readonly lines: number;
}

/** The layout being put together, each record checked against the value it is to have. */
class Splice {
  readonly #section: Section;
  readonly #value: unknown;
  readonly #parts: Part[] = [];
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
    const { layout, value, kind } = this.#section;
    const [old, fresh, ahead] = [value, this.#value, this.#count - this.#done];
    if (kind === 'list' && Array.isArray(old) && Array.isArray(fresh)) {
      // A board has thousands of tasks, and a command changes one.
      for (let at = this.#done; at < past; at++) if (old[at] !== fresh[at + ahead]) return false;
    } else {
      for (let at = this.#done; at < past; at++) {
        const key = layout.keys[at] ?? null;
        if (this.#valueOf(old, key, at) !== this.#valueOf(fresh, key, at + ahead)) return false;
      }
    }
    this.#add({ ...partOf(layout, this.#done, past), chars: this.#chars, lines: this.#lines });
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
    this.#add({ ...partOf(only.layout, 0, keys.length), chars: from - HEADING.length, lines: line - 1 });
    this.#done = past;
    this.#chars += chars;
    this.#lines += lines;
    return true;
  }

  /** All of it; undefined when the value has something besides, or the text has a key twice. */
  whole(): Layout | undefined {
    const size = Array.isArray(this.#value) ? this.#value.length : definedKeys(this.#value as Plain).length;
    if (size !== this.#count) return undefined;
    const keys = this.#keys();
    if (this.#section.kind === 'map' && new Set(keys).size !== size) return undefined;
    return { keys, places: this.#places() };
  }

  /** The very list that was there, where the records have the names they had. */
  #keys(): Layout['keys'] {
    const { keys: old } = this.#section.layout;
    let at = 0;
    let isSame = this.#count === old.length;
    for (const { keys, from, past } of this.#parts) {
      if (keys !== old || from !== at)
        for (let index = from; isSame && index < past; index++) isSame = keys[index] === old[at + index - from];
      at += past - from;
    }
    return isSame ? old : this.#parts.flatMap(({ keys, from, past }) => keys.slice(from, past));
  }

  #places(): Layout['places'] {
    // A copy of the old ones is made at once, and most of them stay.
    const made = this.#section.layout.places.slice(0, this.#count * PLACE);
    let to = 0;
    for (const { places, from, past, chars, lines } of this.#parts) {
      const stays = places === this.#section.layout.places && from * PLACE === to && chars === 0 && lines === 0;
      if (!stays) {
        for (let at = from * PLACE, end = past * PLACE; at < end; at += PLACE, to += PLACE) {
          made[to + START] = (places[at + START] ?? 0) + chars;
          made[to + END] = (places[at + END] ?? 0) + chars;
          made[to + LINE] = (places[at + LINE] ?? 0) + lines;
          made[to + END_LINE] = (places[at + END_LINE] ?? 0) + lines;
        }
      } else to = past * PLACE;
    }
    return made;
  }

  #valueOf(value: unknown, key: string | null, index: number): unknown {
    return valueAt(this.#section.kind, value, key, index);
  }

  #add(part: Part): void {
    this.#parts.push(part);
    this.#count += part.past - part.from;
  }
}

const partOf = ({ keys, places }: Layout, from: number, past: number) => ({ keys, places, from, past });

/** So many that reading the whole section is no worse. */
const MANY = 1000;

const HEADING_KEY = 'r';
const HEADING = `${HEADING_KEY}:\n`;
