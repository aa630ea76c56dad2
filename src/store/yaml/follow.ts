// The document after lines of it changed, where nobody says what the change means: another process made it. Only the records
// around the changed lines are read again, so that following a large board costs what was changed. Whatever is not plain
// (a section that came or went, lines above the first key) is left to reading all of it.

import { type BoardDocument, type Plain, parseDocumentSimple, type Section } from './document.ts';
import { isMap, sameValue } from './equal.ts';
import { type Hunk, replacementsOf, sizeOf } from './hunks.ts';
import { lineNear, recordAt, spanAt } from './layout.ts';
import { belongs, documentAfter } from './shift.ts';

/** undefined: read the whole text instead. */
export function documentFollowing(doc: BoardDocument, hunks: readonly Hunk[]): BoardDocument | undefined {
  if (doc.opaque || hunks.some(hasLongLines)) return undefined;
  const replacements = replacementsOf(doc.source, hunks, (line) => lineNear(doc, line));
  if (replacements === undefined) return undefined;
  const source = doc.source.replaced(replacements);
  const value: Record<string, unknown> = { ...doc.value };
  let shift = 0;
  let left = hunks;
  for (const [at, section] of doc.sections.entries()) {
    const own = firstOf(left, (hunk) => belongs(hunk, section, doc.sections[at + 1]));
    left = left.slice(own.length);
    const grown = own.reduce((sum, { del, ins }) => sum + sizeOf(ins) - sizeOf(del), 0);
    if (own.length > 0) {
      const region = regionOf(doc, at, own);
      const text = source.slice(region.start + shift, region.end + shift + grown);
      const read = valueIn(doc, section, region, text);
      if (read === undefined) return undefined;
      value[section.key] = read.value;
    }
    shift += grown;
  }
  if (hunks.some(({ at }) => at < (doc.sections[0]?.line ?? 0))) return undefined;
  return documentAfter(doc, hunks, source, value);
}

/** Those before the first that is not. */
function firstOf(hunks: readonly Hunk[], isOne: (hunk: Hunk) => boolean): readonly Hunk[] {
  const end = hunks.findIndex((hunk) => !isOne(hunk));
  return end === -1 ? hunks : hunks.slice(0, end);
}

/** A line that holds several: an older entry, or an edit by hand. */
const hasLongLines = ({ ins }: Hunk): boolean => ins.some((line) => line.includes('\n'));

interface Region {
  readonly start: number;
  readonly end: number;
  /** The records in it; from -1: the head of the section too. */
  readonly from: number;
  readonly to: number;
}

/** The records that the hunks may touch, with one to either side, whose own lines may begin or end at the change. */
function regionOf(doc: BoardDocument, at: number, hunks: readonly Hunk[]): Region {
  const section = doc.sections[at] as Section;
  const next = doc.sections[at + 1]?.start ?? doc.source.length;
  const count = section.layout.keys.length;
  const whole = { start: section.start, end: next, from: -1, to: count - 1 };
  if (section.kind === 'whole' || count < SMALL) return whole;
  const first = Math.min(...hunks.map((hunk) => hunk.at)) - section.line;
  const last = Math.max(...hunks.map((hunk) => hunk.at + hunk.del.length)) - section.line;
  const from = recordAt(section.layout, first) - 1;
  const to = Math.min(recordAt(section.layout, last) + 1, count - 1);
  if (from < 0) return whole;
  const end = to === count - 1 ? next : spanAt(section, to + 1).start;
  return { start: spanAt(section, from).start, end, from, to };
}

/** Reading all of so few costs nothing. */
const SMALL = 8;

function valueIn(
  doc: BoardDocument,
  section: Section,
  { from, to }: Region,
  text: string,
): { value: unknown } | undefined {
  const isWhole = from < 0;
  const { recordSections } = doc;
  const read = parseDocumentSimple(isWhole ? text : `${section.key}:\n${text}`, { recordSections });
  if (read?.ok !== true || read.doc.opaque || read.doc.sections.length !== 1) return undefined;
  const [only] = read.doc.sections;
  if (only === undefined || only.key !== section.key || only.kind !== section.kind) return undefined;
  if (isWhole) return { value: only.value };
  if (Array.isArray(section.value) && Array.isArray(only.value)) {
    const { value: old } = section;
    return { value: old.toSpliced(from, to + 1 - from, ...withKept(old.slice(from, to + 1), only.value)) };
  }
  if (!isMap(section.value) || !isMap(only.value)) return undefined;
  return { value: mapWith(section, { from, to }, only.value) };
}

/** The neighbours of a change are read with it, and are the very objects that they were: nothing is checked again for them. */
function withKept(old: readonly unknown[], fresh: readonly unknown[]): readonly unknown[] {
  const [first, last] = [fresh.findIndex((one, at) => !sameValue(one, old[at])), old.length - fresh.length];
  const past = fresh.findLastIndex((one, at) => !sameValue(one, old[at + last])) + 1;
  return fresh.map((one, at) => (first === -1 || at < first ? old[at] : at >= past ? old[at + last] : one));
}

function mapWith({ layout, value }: Section, { from, to }: Pick<Region, 'from' | 'to'>, fresh: Plain): Plain {
  const old = value as Plain;
  const names = layout.keys.map((key) => key ?? '');
  const kept = (some: readonly string[]) => some.map((name) => [name, old[name]] as const);
  const read = Object.entries(fresh).map(([name, one]) => [name, sameValue(one, old[name]) ? old[name] : one] as const);
  return Object.fromEntries([...kept(names.slice(0, from)), ...read, ...kept(names.slice(to + 1))]);
}
