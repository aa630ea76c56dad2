// An edit of state.yaml that no command made: finds the journalled state it started from, lets the protocol merge it
// per record, and writes the result with the editor's own comments and layout wherever a record is the editor's, and
// with the last good text where it is not (mend-text.ts).

import type { Board } from '../protocol/board.ts';
import type { Authority } from '../protocol/edits/draft.ts';
import { byKey, type EditMerge, mergeEdit } from '../protocol/edits/merge-hand-edit.ts';
import type { Fields } from '../protocol/values.ts';
import type { Instant } from '../text/time.ts';
import { type Normal, normalise } from './file-values.ts';
import type { Line } from './journal.ts';
import { keyedRecords, mend } from './mend-text.ts';
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

/** Merges the edit without making the merged file. */
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

/** Merges the edit and makes the merged file. `normal`: the one the board was made from: it knows records by reference. */
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
 * was changed here in the meantime would be as far from the state it started from as from the newest one.
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
