// An edit of state.yaml that no command made, carried into the text: finds the journalled state it
// started from, lets the core merge it per record, and writes the result with the editor's own
// comments and layout wherever a record is the editor's, and with the last good text where it is not.

import type { Board } from '../protocol/board.ts';
import { byKey, type EditMerge, mergeEdit } from '../protocol/edits/adopt.ts';
import type { Authority } from '../protocol/edits/draft.ts';
import { type Fields, isFields, same } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { type Normal, normalise } from './file-values.ts';
import type { Line } from './journal.ts';
import {
  type BoardDocument,
  type BoardRecord,
  type Parsed,
  type Plain,
  parseDocument,
  type Section,
} from './yaml/document.ts';
import { diffHunks, type Hunk, revertHunks } from './yaml/hunks.ts';
import { updateDocument } from './yaml/update.ts';

export interface Absorbed {
  readonly merge: EditMerge;
  /** The merged file. */
  readonly doc: BoardDocument;
  /** From the last journalled text to the merged one. */
  readonly change: readonly Hunk[];
  /** From the last journalled text to what the file said, cut when it is huge. */
  readonly edit: readonly Hunk[];
}

export interface Found {
  /** The last journalled state and its board. */
  readonly head: BoardDocument;
  readonly board: Board;
  /** Recent journal lines, oldest first, the last one being head's. */
  readonly recent: readonly Line[];
  readonly now: Instant;
  readonly specExists: (specRef: string) => boolean;
}

export type Unreadable = Exclude<Parsed, { ok: true }>;

/** What the edit amounts to, without writing it out. */
export async function mergeText(
  found: Found,
  text: string,
  authority: Authority,
  base?: BoardDocument,
): Promise<{ readonly merge: EditMerge; readonly file: BoardDocument } | Unreadable> {
  const parsed = await parseDocument(text, { recordSections: found.head.recordSections, previous: found.head });
  if (!parsed.ok) return parsed;
  const start = base ?? (await nearestBase(found, parsed.doc));
  const { state: theirs } = normalise(parsed.doc.value);
  const merge = mergeEdit({
    base: normalise(start.value).state,
    head: found.board,
    theirs: { ...theirs, ...missing(parsed.doc.value) },
    authority,
    now: found.now,
    specExists: found.specExists,
  });
  return { merge, file: parsed.doc };
}

/** `normal`: of `found.head`, the very one the board was made from: it knows its records by reference. */
export async function absorb(
  found: Found & { readonly normal: Normal },
  text: string,
  authority: Authority,
  base?: BoardDocument,
): Promise<Absorbed | Unreadable> {
  const merged = await mergeText(found, text, authority, base);
  if ('ok' in merged) return merged;
  const { merge, file } = merged;
  const { state } = merge.board;
  const target = state === found.board.state ? found.head.value : found.normal.toFile(state);
  const { recordSections } = found.head;
  const hybrid = await parseDocument(mend(file, found.head, target), { recordSections, previous: file });
  // Pieces that fit badly together (other indentation, say): the last good layout is always right.
  const layout = hybrid.ok ? hybrid.doc : found.head;
  const { doc } = await updateDocument(layout, inOrderOf(target, layout));
  return {
    merge,
    doc,
    change: await diffHunks(found.head.text, doc.text),
    edit: bounded(await diffHunks(found.head.text, text)),
  };
}

/** Sections the file does not have at all: a deletion, which normalising would hide. */
function missing(file: Plain): Fields {
  const absent = ['tasks', 'agents', 'discovered', 'handoff', 'human_notes', 'spec_changes', 'anomalies', 'config'];
  return Object.fromEntries(absent.filter((section) => !(section in file)).map((section) => [section, undefined]));
}

const EDIT_LIMIT = 64 * 1024;

function bounded(hunks: readonly Hunk[]): readonly Hunk[] {
  return JSON.stringify(hunks).length <= EDIT_LIMIT ? hunks : [];
}

/** The journalled state that differs least from the file; the newest of equals. */
async function nearestBase(found: Found, file: BoardDocument): Promise<BoardDocument> {
  const texts = recordTexts(file);
  const lost = recordsOf(found.head).filter((record) => !texts.has(textOf(found.head, record)));
  const touched = new Set(found.recent.flatMap(({ entry }) => entry.records));
  if (!lost.some((record) => touched.has(nameOf(record)) || touched.has(record.section))) return found.head;
  let best = { doc: found.head, distance: distance(found.head, file, texts) };
  let current = found.head;
  for (const { entry } of [...found.recent].reverse().slice(0, -1)) {
    const parsed = await parseDocument(revertHunks(current.text, entry.change), {
      recordSections: current.recordSections,
      previous: current,
    });
    if (!parsed.ok) break;
    current = parsed.doc;
    const away = distance(current, file, texts);
    if (away < best.distance) best = { doc: current, distance: away };
    if (away === 0) break;
  }
  return best.doc;
}

/**
 * Lines by which the records differ. Records alone are too coarse: an editor's change of the very record that
 * changed here meanwhile would be as far from the state it started from as from the newest one.
 */
function distance(candidate: BoardDocument, file: BoardDocument, fileTexts: ReadonlySet<string>): number {
  const own = recordTexts(candidate);
  const surplus = new Map<string, number>();
  const count = (doc: BoardDocument, record: BoardRecord, by: 1 | -1): void => {
    for (const line of doc.text.slice(record.start, record.end).split('\n')) {
      const place = `${nameOf(record)}\n${line}`;
      surplus.set(place, (surplus.get(place) ?? 0) + by);
    }
  };
  for (const record of recordsOf(candidate)) if (!fileTexts.has(textOf(candidate, record))) count(candidate, record, 1);
  for (const record of recordsOf(file)) if (!own.has(textOf(file, record))) count(file, record, -1);
  return [...surplus.values()].reduce((sum, lines) => sum + Math.abs(lines), 0);
}

const recordsOf = (doc: BoardDocument): readonly BoardRecord[] => doc.sections.flatMap((section) => recordsIn(section));

function recordsIn(section: Section): readonly BoardRecord[] {
  if (section.kind !== 'whole') return section.records;
  return [{ ...section, section: section.key, key: undefined, value: section.value }];
}

const textOf = (doc: BoardDocument, record: BoardRecord): string =>
  `${record.section}\n${doc.text.slice(record.start, record.end)}`;

const recordTexts = (doc: BoardDocument): Set<string> => new Set(recordsOf(doc).map((record) => textOf(doc, record)));

const nameOf = (record: BoardRecord): string =>
  record.key === undefined ? record.section : `${record.section}/${record.key}`;

/** The file's text with every record that must stay as it was in its last good text. */
function mend(file: BoardDocument, head: BoardDocument, target: Plain): string {
  if (file.sections.length === 0 && !file.opaque && !head.opaque) return head.text;
  const patches: Patch[] = [];
  for (const section of file.sections) {
    const good = head.sections.find((candidate) => candidate.key === section.key);
    if (good === undefined) continue;
    if (section.kind !== 'whole' && good.kind === section.kind && good.indent === section.indent) {
      patchSection(patches, file, section, head, good, target[section.key]);
    } else if (!same(section.value, target[section.key]) && same(good.value, target[section.key])) {
      patches.push({ start: section.start, end: section.end, text: head.text.slice(good.start, good.end) });
    }
  }
  const sections = new Map(head.sections.map((section) => [section.key, section]));
  bringBack(patches, file, file.sections, head, sections, 0, (section) => same(section.value, target[section.key]));
  return applyPatches(file.text, patches);
}

/** At one place what is inserted comes first, in the order it was asked for. */
function applyPatches(text: string, patches: readonly Patch[]): string {
  const ordered = patches.toSorted(
    (a, b) => a.start - b.start || (a.end - a.start > 0 ? 1 : 0) - (b.end - b.start > 0 ? 1 : 0),
  );
  let at = 0;
  let result = '';
  for (const patch of ordered) {
    result += text.slice(at, patch.start) + patch.text;
    at = patch.end;
  }
  return result + text.slice(at);
}

interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function patchSection(
  patches: Patch[],
  file: BoardDocument,
  section: Section,
  head: BoardDocument,
  good: Section,
  target: unknown,
): void {
  const wanted = keyed(target);
  const last = new Map(keyedRecords(good));
  const there = keyedRecords(section);
  for (const [key, record] of there) {
    if (same(record.value, wanted.get(key))) continue;
    const { start, end } = record;
    const stands = last.get(key);
    if (!wanted.has(key)) patches.push({ start, end, text: '' });
    else if (stands !== undefined && same(stands.value, wanted.get(key))) {
      patches.push({ start, end, text: head.text.slice(stands.start, stands.end) });
    }
  }
  const places = there.map(([key, { start, end }]) => ({ key, start, end }));
  const below = head.text.indexOf('\n', good.start) + 1;
  const stood = new Map([...last].map(([key, record]) => [key, { ...record, key }]));
  bringBack(patches, file, places, head, stood, below, ({ key, value }) => same(value, wanted.get(key)));
}

/** What was deleted comes back where it stood, behind the piece it followed, with the comments above it. */
function bringBack<T extends { readonly start: number; readonly end: number }>(
  patches: Patch[],
  file: BoardDocument,
  there: readonly { readonly key: string; readonly start: number; readonly end: number }[],
  head: BoardDocument,
  good: ReadonlyMap<string, T>,
  from: number,
  wanted: (piece: T) => boolean,
): void {
  const ends = new Map(there.map(({ key, end }) => [key, end]));
  const back = new Map<number, string>();
  let at = there[0]?.start ?? file.text.length;
  let above = from;
  for (const [key, piece] of good) {
    const end = ends.get(key);
    if (end !== undefined) at = end;
    else if (wanted(piece)) back.set(at, (back.get(at) ?? '') + withComments(head, above, piece, file));
    above = piece.end;
  }
  for (const [start, text] of back) {
    const open = start > 0 && file.text[start - 1] !== '\n' ? '\n' : '';
    patches.push({ start, end: start, text: open + text });
  }
}

/** Comments that are still in the file stay where they are. */
function withComments(head: BoardDocument, from: number, piece: { start: number; end: number }, file: BoardDocument) {
  const above = head.text.slice(from, piece.start);
  const kept = above.split('\n').some((line) => line.trim() !== '' && file.text.includes(line));
  return ensureNewline((kept ? '' : above) + head.text.slice(piece.start, piece.end));
}

const ensureNewline = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

function keyed(value: unknown): Map<string, unknown> {
  if (Array.isArray(value)) return byKey(value);
  return new Map(isFields(value) ? Object.entries(value) : []);
}

function keyedRecords(section: Section): [string, BoardRecord][] {
  if (section.kind === 'map') return section.records.map((record) => [record.key ?? '', record]);
  const keys = [...byKey(section.records.map((record) => record.value)).keys()];
  return section.records.map((record, index) => [keys[index] ?? '', record]);
}

/** List items in the order the text has them, so that none is rewritten only to change places. */
function inOrderOf(target: Plain, doc: BoardDocument): Plain {
  const ordered: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(target)) {
    const section = doc.sections.find((candidate) => candidate.key === key);
    if (!Array.isArray(value) || section?.kind !== 'list') {
      ordered[key] = value;
      continue;
    }
    const place = new Map(keyedRecords(section).map(([name], index) => [name, index]));
    const items = [...byKey(value)];
    items.sort(([a], [b]) => (place.get(a) ?? place.size) - (place.get(b) ?? place.size));
    ordered[key] = items.map(([, item]) => item);
  }
  return ordered;
}
