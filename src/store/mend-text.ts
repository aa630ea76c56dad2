// The text of an edited state.yaml with every record that must stay as it was in its last good text: the editor's
// comments and layout survive everywhere else.

import { byKey } from '../protocol/edits/merge-hand-edit.ts';
import { isFields, same } from '../protocol/values.ts';
import type { BoardDocument, BoardRecord, Plain, Section } from './yaml/document.ts';

interface Patch {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Mending {
  readonly file: BoardDocument;
  /** The last good text. */
  readonly head: BoardDocument;
  readonly patches: Patch[];
}

interface Span {
  readonly start: number;
  readonly end: number;
}

export function mend(file: BoardDocument, head: BoardDocument, target: Plain): string {
  if (file.sections.length === 0 && !file.opaque && !head.opaque) return head.text;
  const mending: Mending = { file, head, patches: [] };
  for (const section of file.sections) {
    const good = head.sections.find((candidate) => candidate.key === section.key);
    if (good === undefined) continue;
    if (section.kind !== 'whole' && good.kind === section.kind && good.indent === section.indent) {
      patchSection(mending, section, good, target[section.key]);
    } else if (!same(section.value, target[section.key]) && same(good.value, target[section.key])) {
      mending.patches.push({ start: section.start, end: section.end, text: head.text.slice(good.start, good.end) });
    }
  }
  bringBack(mending, {
    there: file.sections,
    good: new Map(head.sections.map((section) => [section.key, section])),
    from: 0,
    wanted: (section) => same(section.value, target[section.key]),
  });
  return applyPatches(file.text, mending.patches);
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

function patchSection(mending: Mending, section: Section, good: Section, target: unknown): void {
  const { head, patches } = mending;
  const wanted = keyed(target);
  const last = new Map(keyedRecords(good));
  const there = keyedRecords(section);
  for (const [key, record] of there) {
    if (same(record.value, wanted.get(key))) continue;
    const { start, end } = record;
    const before = last.get(key);
    if (!wanted.has(key)) patches.push({ start, end, text: '' });
    else if (before !== undefined && same(before.value, wanted.get(key))) {
      patches.push({ start, end, text: head.text.slice(before.start, before.end) });
    }
  }
  bringBack(mending, {
    there: there.map(([key, { start, end }]) => ({ key, start, end })),
    good: new Map([...last].map(([key, record]) => [key, { ...record, key }])),
    from: head.text.indexOf('\n', good.start) + 1,
    wanted: ({ key, value }) => same(value, wanted.get(key)),
  });
}

interface Pieces<T extends Span> {
  /** What the file has, in its order. */
  readonly there: readonly (Span & { readonly key: string })[];
  /** What the last good text has, in its order. */
  readonly good: ReadonlyMap<string, T>;
  /** Where the first of them may begin in the last good text. */
  readonly from: number;
  readonly wanted: (piece: T) => boolean;
}

/** What was deleted comes back where it stood, behind the piece it followed, with the comments above it. */
function bringBack<T extends Span>(mending: Mending, { there, good, from, wanted }: Pieces<T>): void {
  const { file, patches } = mending;
  const ends = new Map(there.map(({ key, end }) => [key, end]));
  const back = new Map<number, string>();
  let at = there[0]?.start ?? file.text.length;
  let above = from;
  for (const [key, piece] of good) {
    const end = ends.get(key);
    if (end !== undefined) at = end;
    else if (wanted(piece)) back.set(at, (back.get(at) ?? '') + withComments(mending, above, piece));
    above = piece.end;
  }
  for (const [start, text] of back) {
    const open = start > 0 && file.text[start - 1] !== '\n' ? '\n' : '';
    patches.push({ start, end: start, text: open + text });
  }
}

/** Comments that are still in the file stay where they are. */
function withComments({ file, head }: Mending, from: number, piece: Span): string {
  const above = head.text.slice(from, piece.start);
  const kept = above.split('\n').some((line) => line.trim() !== '' && file.text.includes(line));
  const text = (kept ? '' : above) + head.text.slice(piece.start, piece.end);
  return text.endsWith('\n') ? text : `${text}\n`;
}

function keyed(value: unknown): Map<string, unknown> {
  if (Array.isArray(value)) return byKey(value);
  return new Map(isFields(value) ? Object.entries(value) : []);
}

export function keyedRecords(section: Section): [string, BoardRecord][] {
  if (section.kind === 'map') return section.records.map((record) => [record.key ?? '', record]);
  const keys = [...byKey(section.records.map((record) => record.value)).keys()];
  return section.records.map((record, index) => [keys[index] ?? '', record]);
}
