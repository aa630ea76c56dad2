// What changed in a board's sections since the cache last had them, as splices of records (cache.ts: Delta).
// Records that are the same objects at their old places, or all moved by as much, are not told again.

import type { Delta, SectionChange, Splice } from './cache.ts';
import { isNormal } from './file-values.ts';
import { normaliseRecord } from './record-values.ts';
import { readIn } from './unread.ts';
import type { BoardDocument, Section } from './yaml/document.ts';
import { LINE, PLACE, START, valueAt } from './yaml/layout.ts';

export const spanOf = ({ start, end, line, endLine }: Section) => [start, end, line, endLine] as const;

export const keysOf = ({ kind, layout }: Section): readonly (string | null)[] =>
  kind === 'whole' ? [null] : layout.keys;

/** One side may be unread still, where the other was read meanwhile. */
export function valuesOf({ kind, layout, value: kept }: Section): readonly unknown[] {
  const value = readIn(kept);
  if (kind === 'whole') return [value];
  return Array.isArray(value) ? value : layout.keys.map((key, index) => valueAt(kind, value, key, index));
}

/** undefined: there are other sections, or one is laid out in another way. */
export function deltaOf(before: BoardDocument, after: BoardDocument): Pick<Delta, 'spans' | 'changes'> | undefined {
  if (after.opaque || before.sections.length !== after.sections.length) return undefined;
  const changes: SectionChange[] = [];
  for (const [section, now] of after.sections.entries()) {
    const was = before.sections[section];
    if (was?.key !== now.key || was.kind !== now.kind || was.indent !== now.indent) return undefined;
    if (was.layout === now.layout && was.value === now.value) continue;
    const splices = splicesOf(new Lists(was, now));
    if (splices.length > 0) changes.push({ section, normal: isStillNormal(was, now, splices), splices });
  }
  return { spans: after.sections.map(spanOf), changes };
}

function isStillNormal(was: Section, now: Section, splices: readonly Splice[]): boolean {
  if (now.kind === 'whole') return isNormal(now.key, now.value);
  const fresh = splices.flatMap(({ values }) => values);
  return isNormal(was.key, readIn(was.value)) && fresh.every((one) => normaliseRecord(now.key, one) === one);
}

type Moved = readonly [chars: number, lines: number];
const NOWHERE: Moved = [0, 0];

/** The records of a section before and after; `at` is a position before, `to` one after. */
class Lists {
  readonly before: number;
  readonly after: number;
  readonly #keys: readonly [Splice['keys'], Splice['keys']];
  readonly #values: readonly [Splice['values'], Splice['values']];
  readonly #places: readonly [Splice['places'], Splice['places']];

  constructor(was: Section, now: Section) {
    this.#keys = [keysOf(was), keysOf(now)];
    this.#values = [valuesOf(was), valuesOf(now)];
    this.#places = [was.layout.places, now.layout.places];
    this.before = this.#keys[0].length;
    this.after = this.#keys[1].length;
  }

  /** By how much the record has moved. */
  moved(at: number, to: number): Moved {
    const [was, now] = this.#places;
    const by = (number: number): number => (now[to * PLACE + number] ?? 0) - (was[at * PLACE + number] ?? 0);
    return [by(START), by(LINE)];
  }

  /** The very same record, moved by so much. */
  isSame(at: number, to: number, [chars, lines]: Moved): boolean {
    if (this.#values[0][at] !== this.#values[1][to] || this.#keys[0][at] !== this.#keys[1][to]) return false;
    const [was, now] = this.#places;
    for (let n = 0; n < PLACE; n += 1) {
      // Start and end are characters, the other two lines.
      if ((now[to * PLACE + n] ?? 0) - (was[at * PLACE + n] ?? 0) !== (n < LINE ? chars : lines)) return false;
    }
    return true;
  }

  /** Instead of the records from `at` to `past` those up to `end`. */
  splice(at: number, past: number, end: number, moved: Moved): Splice {
    const keys = this.#keys[1].slice(at, end);
    const gone = this.#keys[0].slice(at, past).filter((key) => !keys.includes(key));
    return {
      at,
      removed: past - at,
      keys,
      values: this.#values[1].slice(at, end),
      places: this.#places[1].slice(at * PLACE, end * PLACE),
      moved,
      ...(gone.length === 0 ? {} : { gone }),
    };
  }
}

function splicesOf(lists: Lists): readonly Splice[] {
  const { before, after } = lists;
  if (before === after) return replacedRuns(lists);
  let head = 0;
  while (head < Math.min(before, after) && lists.isSame(head, head, NOWHERE)) head += 1;
  const moved = lists.moved(before - 1, after - 1);
  let [past, end] = [before, after];
  for (; past > head && end > head && lists.isSame(past - 1, end - 1, moved); past -= 1) end -= 1;
  return [lists.splice(head, past, end, past < before ? moved : NOWHERE)];
}

/** As many records as before: each run of changed ones. */
function replacedRuns(lists: Lists): readonly Splice[] {
  const splices: Splice[] = [];
  let moved = NOWHERE;
  for (let at = 0; at < lists.before; at += 1) {
    if (lists.isSame(at, at, moved)) continue;
    const first = at;
    do at += 1;
    while (at < lists.before && !lists.isSame(at, at, lists.moved(at, at)));
    const now = at < lists.before ? lists.moved(at, at) : moved;
    splices.push(lists.splice(first, at, at, [now[0] - moved[0], now[1] - moved[1]]));
    moved = now;
  }
  return splices;
}
