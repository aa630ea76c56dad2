// Carries a changed value back into the board's text. Records that are the same reference are skipped unseen, changed
// ones are edited in place, new ones go to the end of their section, removed ones lose exactly their lines.
// Promises that every byte outside the changed records stays, that the hunks lead from the old text to the new and back,
// and that the new text reads back as the new value, which is checked every time. Must never reformat the file.

import { Bug } from '../../protocol/decision.ts';
import {
  type BoardDocument,
  boardDocument,
  type Parsed,
  type Plain,
  parseDocument,
  parseDocumentSimple,
  partsOf,
  type Section,
} from './document.ts';
import { editBlock, editHunksSimple, inOrder } from './edit.ts';
import { emitEntry, emitItem } from './emit.ts';
import { definedKeys, isMap, own, sameValue } from './equal.ts';
import { applyHunks, diffHunksSimple, type Hunk, replacementsOf } from './hunks.ts';
import { lineNear, spanAt, withValue } from './layout.ts';
import { matchItems } from './match.ts';
import { documentAfter } from './shift.ts';
import type { Span } from './split.ts';

const READ_BACK = 16 * 1024;

export interface Update {
  readonly doc: BoardDocument;
  /** Ascending, over the lines of the old text. */
  readonly edits: readonly Hunk[];
}

/** The document with `newValue` as its value. Build `newValue` with structural sharing: what is `===` is not compared. */
export async function updateDocument(doc: BoardDocument, newValue: Plain): Promise<Update> {
  const plan = planUpdate(doc, newValue);
  const inner: Hunk[] = [];
  for (const change of plan.changes) inner.push(...(hunksOf(change) ?? (await hunksByLibrary(change))));
  const ordered = interleave(inner, plan.hunks);
  const text = applyHunks(doc.text, ordered, (line) => lineNear(doc, line));
  const { recordSections } = doc;
  return { doc: adopt(await parseDocument(text, { recordSections, previous: doc }), newValue), edits: ordered };
}

/** As updateDocument without the library: undefined when a changed record is not simple. */
export function updateDocumentSimple(doc: BoardDocument, newValue: Plain): Update | undefined {
  const plan = planUpdate(doc, newValue);
  const inner: Hunk[] = [];
  for (const change of plan.changes) {
    const hunks = hunksOf(change);
    if (hunks === undefined) return undefined;
    inner.push(...hunks);
  }
  const ordered = interleave(inner, plan.hunks);
  const { recordSections } = doc;
  const near = (line: number) => lineNear(doc, line);
  // Reading all of it back is the surest check, and what a large board cannot afford at every change.
  const replacements = doc.source.length > READ_BACK ? replacementsOf(doc.source, ordered, near) : undefined;
  const quick = replacements && documentAfter(doc, ordered, doc.source.replaced(replacements), newValue);
  if (quick !== undefined) return { doc: quick, edits: ordered };
  const text = applyHunks(doc.text, ordered, near);
  const parsed = parseDocumentSimple(text, { recordSections, previous: doc });
  return parsed && { doc: adopt(parsed, newValue), edits: ordered };
}

/** A piece of text to edit: its lines, and its value before and after as a document of its own. */
interface Change {
  readonly line: number;
  readonly text: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface Plan {
  readonly hunks: Hunk[];
  readonly changes: Change[];
}

function planUpdate(doc: BoardDocument, newValue: Plain): Plan {
  const plan: Plan = { hunks: [], changes: [] };
  if (doc.value === newValue) return plan;
  if (doc.opaque) {
    plan.changes.push({ line: 0, text: doc.text, before: doc.value, after: newValue });
    return plan;
  }
  for (const section of doc.sections) {
    const next = own(newValue, section.key);
    if (next === section.value) continue;
    if (next === undefined) remove(plan, doc, section);
    else if (section.kind === 'list' && Array.isArray(next)) planList(plan, doc, section, next);
    else if (section.kind === 'map' && isMap(next)) planMap(plan, doc, section, next);
    else change(plan, doc, section, { before: { [section.key]: section.value }, after: { [section.key]: next } });
  }
  const added = definedKeys(newValue).filter((key) => !Object.hasOwn(doc.value, key));
  if (added.length > 0) {
    const ins = added.flatMap((key) => emitEntry(key, newValue[key], 0));
    plan.hunks.push({ at: lastLine(doc.text), del: [], ins });
  }
  return plan;
}

function planList(plan: Plan, doc: BoardDocument, section: Section, next: readonly unknown[]): void {
  const { indent } = section;
  const before = section.value as readonly unknown[];
  const match = matchItems(before, next);
  const lastKept = match.findLastIndex((found) => found !== -1);
  let following = 0;
  // Pairs ascend, so what was between two of them is gone.
  const removeUntil = (index: number): void => {
    for (; following < index; following++) remove(plan, doc, spanAt(section, following));
  };
  next.forEach((value, i) => {
    const found = match[i] ?? -1;
    if (found === -1) {
      const at = i > lastKept || following >= before.length ? section.endLine : spanAt(section, following).line;
      plan.hunks.push({ at, del: [], ins: emitItem(value, indent) });
      return;
    }
    removeUntil(found);
    following = found + 1;
    const old = before[found];
    if (old !== value) change(plan, doc, spanAt(section, found), { before: [old], after: [value] });
  });
  removeUntil(before.length);
  if (next.length === 0) markEmpty(plan, doc, section, []);
}

function planMap(plan: Plan, doc: BoardDocument, section: Section, next: Plain): void {
  const names = section.layout.keys.map((key) => key ?? '');
  names.forEach((key, index) => {
    const old = own(section.value as Plain, key);
    const value = own(next, key);
    if (value === undefined) remove(plan, doc, spanAt(section, index));
    else if (old !== value)
      change(plan, doc, spanAt(section, index), { before: { [key]: old }, after: { [key]: value } });
  });
  const keys = definedKeys(next);
  const known = new Set(names);
  const ins = keys.filter((key) => !known.has(key)).flatMap((key) => emitEntry(key, next[key], section.indent));
  if (ins.length > 0) plan.hunks.push({ at: section.endLine, del: [], ins });
  if (keys.length === 0) markEmpty(plan, doc, section, {});
}

/** A section that lost its last record says so: a bare `tasks:` would mean null. */
function markEmpty(plan: Plan, doc: BoardDocument, section: Section, empty: unknown): void {
  const [head = ''] = doc.source.slice(section.start, section.end).split('\n', 1);
  plan.changes.push({
    line: section.line,
    text: head,
    before: { [section.key]: null },
    after: { [section.key]: empty },
  });
}

function change(plan: Plan, doc: BoardDocument, span: Span, { before, after }: Pick<Change, 'before' | 'after'>): void {
  if (sameValue(before, after)) return;
  plan.changes.push({ line: span.line, text: doc.source.slice(span.start, span.end), before, after });
}

function remove(plan: Plan, doc: BoardDocument, span: Span): void {
  const del = doc.source
    .slice(span.start, span.end)
    .split('\n')
    .slice(0, span.endLine - span.line);
  plan.hunks.push({ at: span.line, del, ins: [] });
}

/**
 * At one line: first what is added to the end of the record above it, then records that come or go, then what
 * changes in the record below.
 */
function interleave(inner: readonly Hunk[], outer: readonly Hunk[]): Hunk[] {
  const adds = ({ del }: Hunk): boolean => del.length === 0;
  return inOrder([...inner.filter(adds), ...outer, ...inner.filter((hunk) => !adds(hunk))]);
}

function hunksOf({ line, text, before, after }: Change): Hunk[] | undefined {
  return editHunksSimple(text, before, after)?.map((hunk) => ({ ...hunk, at: hunk.at + line }));
}

async function hunksByLibrary({ line, text, before, after }: Change): Promise<Hunk[]> {
  const edited = await editBlock(text, before, after);
  return diffHunksSimple(text, edited).map((hunk) => ({ ...hunk, at: hunk.at + line }));
}

/** The line before which a new section goes: the empty one after a final newline, or past the end. */
function lastLine(text: string): number {
  let lines = 0;
  for (let nl = text.indexOf('\n'); nl !== -1; nl = text.indexOf('\n', nl + 1)) lines++;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}

/** The document just written, holding the caller's own values so that the next update can skip them by reference. */
function adopt(parsed: Parsed, newValue: Plain): BoardDocument {
  if (!parsed.ok || !sameValue(parsed.doc.value, newValue)) throw new Bug('the updated board reads back differently');
  const sections = parsed.doc.sections.map((section) => withValue(section, own(newValue, section.key)));
  return boardDocument({ ...partsOf(parsed.doc), sections, value: newValue });
}
