// The state's text as rows: the head of each section and each of its records, with whatever stands below it. Joined in
// their order they are the text. An entry changes the rows that its lines touch, found by line numbers, so that a change
// costs what it changes; only where records moved is a section written again. Pure.

import { keepable } from '../keepable.ts';
import type { BoardDocument, Section } from '../yaml/document.ts';
import { sameItems } from '../yaml/equal.ts';
import type { Hunk } from '../yaml/hunks.ts';
import { recordAt, spanAt, valueAt } from '../yaml/layout.ts';

export interface Piece {
  readonly section: string;
  /** '' is the head of the section, or all of a section without records. */
  readonly key: string;
  readonly text: string;
  readonly value: unknown;
}

export interface PieceChange {
  /** Where sections came or went: all of them, in order. */
  readonly sections?: readonly string[];
  /** Without a key: all of the section. */
  readonly drop?: readonly { readonly section: string; readonly key?: string }[];
  /** Those that are new go to the end of their section. */
  readonly put?: readonly Piece[];
}

/** A text that is one piece has this section alone. */
const ALL = '';

export function piecesOf(doc: BoardDocument): readonly Piece[] {
  if (doc.sections.length === 0) return [{ section: ALL, key: '', text: doc.text, value: keepable(doc.value) }];
  return doc.sections.flatMap((_, at) => piecesIn(doc, at));
}

export const sectionsOf = (doc: BoardDocument): readonly string[] =>
  doc.sections.length === 0 ? [ALL] : doc.sections.map(({ key }) => key);

function piecesIn(doc: BoardDocument, at: number): readonly Piece[] {
  const section = doc.sections[at];
  if (section === undefined) return [];
  return [-1, ...keysOf(section).keys()].map((index) => pieceAt(doc, at, index));
}

/** -1: the head. */
function pieceAt(doc: BoardDocument, at: number, index: number): Piece {
  const section = doc.sections[at] as Section;
  const keys = keysOf(section);
  const start = index === -1 ? (at === 0 ? 0 : section.start) : spanAt(section, index).start;
  const next = doc.sections[at + 1]?.start ?? doc.source.length;
  const end = index + 1 < keys.length ? spanAt(section, index + 1).start : next;
  const key = index === -1 ? '' : (keys[index] ?? '');
  const name = section.layout.keys[index] ?? null;
  const isWhole = section.kind === 'whole';
  const value = index === -1 ? (isWhole ? section.value : null) : valueAt(section.kind, section.value, name, index);
  // By hand, anything can be written as an escape: the text has it, the value could not be kept.
  return { section: section.key, key, text: doc.source.slice(start, end), value: keepable(value) };
}

/** A record without a key of its own is named by its place; no key that Liza gives begins with `#`. */
function keysOf({ kind, layout: { keys } }: Section): readonly string[] {
  if (kind === 'whole') return [];
  const known = NAMED.get(keys);
  if (known !== undefined) return known;
  const seen = new Set<string>();
  const named = keys.map((key, index) => {
    const name = key === null || key === '' || seen.has(key) ? `#${index}` : key;
    seen.add(name);
    return name;
  });
  NAMED.set(keys, named);
  return named;
}

/** Those of thousands of records are worked out once. */
function shareNames({ layout: was }: Section, { layout: is }: Section): void {
  const names = NAMED.get(was.keys);
  if (names !== undefined && was.keys !== is.keys && sameItems(was.keys, is.keys)) NAMED.set(is.keys, names);
}

const NAMED = new WeakMap<readonly (string | null)[], readonly string[]>();

/**
 * What an entry's lines do to the rows. `typed`: by hand, where a changed line can give the lines below it another meaning,
 * so that whole sections are written again.
 */
export function changedPieces(
  before: BoardDocument,
  after: BoardDocument,
  hunks: readonly Hunk[],
  typed = false,
): PieceChange {
  if (hunks.length === 0) return {};
  const sections = sectionsOf(after);
  if (!sameItems(sectionsOf(before), sections) || before.sections.length === 0)
    return { sections, drop: sectionsOf(before).map((section) => ({ section })), put: piecesOf(after) };
  const drop: { section: string; key?: string }[] = [];
  const put: Piece[] = [];
  for (const [at, section] of after.sections.entries()) shareNames(before.sections[at] as Section, section);
  const [old, fresh] = touched(before, after, hunks);
  for (const [at, section] of after.sections.entries()) {
    const [was, is] = [old.get(at), fresh.get(at)];
    if (was === undefined && is === undefined) continue;
    const change = typed
      ? 'all'
      : changedSection(before.sections[at] as Section, section, was ?? new Set(), is ?? new Set());
    if (change === 'all') {
      drop.push({ section: section.key });
      put.push(...piecesIn(after, at));
      continue;
    }
    drop.push(...change.gone.map((key) => ({ section: section.key, key })));
    put.push(...change.put.map((index) => pieceAt(after, at, index)));
  }
  return { ...(drop.length === 0 ? {} : { drop }), ...(put.length === 0 ? {} : { put }) };
}

/** By section, the records whose rows may have changed. */
type Touched = Map<number, Set<number>>;

function touched(before: BoardDocument, after: BoardDocument, hunks: readonly Hunk[]): readonly [Touched, Touched] {
  const [old, fresh]: [Touched, Touched] = [new Map(), new Map()];
  let shift = 0;
  for (const { at, del, ins } of hunks) {
    // A row begins with its record, so the one above may gain or lose lines at its end.
    mark(before, old, at - 1, at + del.length);
    mark(after, fresh, at + shift - 1, at + shift + ins.length);
    shift += ins.length - del.length;
  }
  return [old, fresh];
}

function mark(doc: BoardDocument, found: Touched, from: number, to: number): void {
  const [first, last] = [placeOf(doc, Math.max(from, 0)), placeOf(doc, to)];
  for (let at = first.section; at <= last.section; at++) {
    const records = found.get(at) ?? new Set<number>();
    const end = at === last.section ? last.index : keysOf(doc.sections[at] as Section).length - 1;
    for (let index = at === first.section ? first.index : -1; index <= end; index++) records.add(index);
    found.set(at, records);
  }
}

function placeOf({ sections }: BoardDocument, line: number): { readonly section: number; readonly index: number } {
  const found = Math.max(
    sections.findLastIndex((section) => section.line <= line),
    0,
  );
  const section = sections[found] as Section;
  return { section: found, index: section.kind === 'whole' ? -1 : recordAt(section.layout, line - section.line) };
}

interface SectionChange {
  readonly gone: readonly string[];
  /** Places in the new section, ascending. */
  readonly put: readonly number[];
}

function changedSection(was: Section, is: Section, old: Set<number>, fresh: Set<number>): SectionChange | 'all' {
  if (was.kind !== is.kind || was.indent !== is.indent) return 'all';
  const [before, after] = [keysOf(was), keysOf(is)];
  const left = new Set([...old].flatMap((index) => before[index] ?? []));
  const there = new Set([...fresh].flatMap((index) => after[index] ?? []));
  const gone = [...left].filter((key) => !there.has(key));
  const isGone = new Set(gone);
  const kept = gone.length === 0 ? before : before.filter((key) => !isGone.has(key));
  // Rows that stay must stay in their order, and new ones come last; places as names would shift.
  const isInOrder = kept === after || kept.every((key, index) => key === after[index]);
  const shifts = gone.length > 0 && before.some((key) => key.startsWith('#'));
  const isComplete = after.slice(kept.length).every((key) => there.has(key));
  if (!isInOrder || !isComplete || shifts) return 'all';
  return { gone, put: [...fresh].sort((a, b) => a - b) };
}
