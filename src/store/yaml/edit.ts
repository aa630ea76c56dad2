// Changes the text of one record so that exactly the differing fields change: comments, order, quotes and unknown
// fields survive. Simple text is spliced by lines; other text goes through a `yaml` Document of this block alone.
// Promises that the result reads back as the new value, and throws Bug otherwise: nothing unchecked is ever returned.

import { Bug } from '../../protocol/decision.ts';
import { type Entry, type Item, type ListNode, type MapNode, type Node, parseBlock } from './block.ts';
import { emitEntry, emitFlow, emitItem, emitValue, isScalar } from './emit.ts';
import { definedKeys, isMap, own, sameValue } from './equal.ts';
import { applyHunks, type Hunk, trimHunk } from './hunks.ts';
import { editWithLibrary } from './library-edit.ts';
import type { Quote } from './scalar.ts';

/**
 * `text` changed to mean `newValue`. Both values are those of the text read as a document of its own: `[item]` for a
 * list item, `{ key: body }` for a mapping entry. Parts of the two that are the same reference are not compared.
 */
export async function editBlock(text: string, oldValue: unknown, newValue: unknown): Promise<string> {
  return editBlockSimple(text, oldValue, newValue) ?? editWithLibrary(text, oldValue, newValue);
}

/** As editBlock, without the library; undefined when the text is not simple, or its comments are in the way. */
export function editBlockSimple(text: string, oldValue: unknown, newValue: unknown): string | undefined {
  const hunks = editHunksSimple(text, oldValue, newValue);
  return hunks && applyHunks(text, hunks);
}

/** As editBlockSimple, but the change itself: hunks over the lines of `text`. */
export function editHunksSimple(text: string, oldValue: unknown, newValue: unknown): Hunk[] | undefined {
  const root = parseBlock(text);
  if (root === undefined || root.kind === 'scalar') return undefined;
  // A record that becomes something else altogether no longer stands in a block of its own.
  if (isEmpty(newValue) || (root.kind === 'list' ? !Array.isArray(newValue) : !isMap(newValue))) return undefined;
  const edits = inOrder(editRoot(text.split('\n'), root, oldValue, newValue));
  const again = parseBlock(applyHunks(text, edits));
  if (again !== undefined && sameValue(again.value, newValue)) return edits;
  // A comment or blanks below, indented like a new text block, became part of it: the library puts them elsewhere.
  if (/^ +(?:#|$)/m.test(text)) return undefined;
  throw new Bug('an edited record reads back differently');
}

interface Draft {
  readonly lines: readonly string[];
  readonly edits: Hunk[];
}

function editRoot(lines: readonly string[], root: MapNode | ListNode, oldValue: unknown, newValue: unknown): Hunk[] {
  const draft: Draft = { lines, edits: [] };
  if (!editCollection(draft, root, oldValue, newValue)) {
    replace(draft, root.line, endOf(root), emitValue(newValue, root.from - 2).lines);
  }
  return draft.edits;
}

/** Edits inside a block collection; false when the whole collection has to be written again. */
function editCollection(draft: Draft, node: Node, oldValue: unknown, newValue: unknown): boolean {
  if (node.kind === 'map' && !node.flow && isMap(newValue)) {
    return editMap(draft, node, isMap(oldValue) ? oldValue : node.value, newValue);
  }
  if (node.kind === 'list' && !node.flow && Array.isArray(newValue)) {
    return editList(draft, node, Array.isArray(oldValue) ? oldValue : node.value, newValue);
  }
  return false;
}

function editMap(draft: Draft, node: MapNode, oldValue: Plain, newValue: Plain): boolean {
  if (!node.entries.some((entry) => own(newValue, entry.key) !== undefined)) return false;
  for (const entry of node.entries) {
    const value = own(newValue, entry.key);
    if (value === undefined) removeEntry(draft, entry);
    else editSlot(draft, entry, own(oldValue, entry.key), value);
  }
  const added = definedKeys(newValue).filter((key) => !Object.hasOwn(node.value, key));
  const ins = added.flatMap((key) => emitEntry(key, newValue[key], node.from));
  replace(draft, endOf(node), endOf(node), ins);
  return true;
}

/** Removes the entry's lines; where they began behind a dash, the dash stays alone on its line. */
function removeEntry(draft: Draft, entry: Entry): void {
  const head = (draft.lines[entry.line] ?? '').slice(0, entry.indent).trimEnd();
  replace(draft, entry.line, entry.end, head === '' ? [] : [head]);
}

function editList(draft: Draft, node: ListNode, oldValue: readonly unknown[], newValue: readonly unknown[]): boolean {
  if (newValue.length === 0) return false;
  if (newValue.length < node.items.length) return shrinkList(draft, node, newValue);
  node.items.forEach((item, i) => {
    editSlot(draft, item, oldValue[i], newValue[i]);
  });
  const ins = newValue.slice(node.items.length).flatMap((value) => emitItem(value, node.from));
  replace(draft, endOf(node), endOf(node), ins);
  return true;
}

/** Takes out single items when the rest stays in order and untouched; false when that is not what happened. */
function shrinkList(draft: Draft, node: ListNode, newValue: readonly unknown[]): boolean {
  const dropped: Item[] = [];
  let kept = 0;
  for (const item of node.items) {
    if (kept < newValue.length && sameValue(item.node.value, newValue[kept])) kept++;
    else dropped.push(item);
  }
  if (kept < newValue.length) return false;
  if (dropped.some((item) => (draft.lines[item.line] ?? '').slice(0, item.indent).trim() !== '')) return false;
  for (const item of dropped) replace(draft, item.line, item.end, []);
  return true;
}

function editSlot(draft: Draft, slot: Item, oldValue: unknown, newValue: unknown): void {
  if (oldValue === newValue || sameValue(slot.node.value, newValue)) return;
  if (editCollection(draft, slot.node, oldValue, newValue)) return;
  replace(draft, slot.line, slot.end, rewriteSlot(draft.lines[slot.line] ?? '', slot, newValue));
}

/** The lines of a key or dash with a new value, keeping spacing, quotes, flow style and the comment of its first line. */
function rewriteSlot(line: string, slot: Item, value: unknown): string[] {
  const { node, indent, after } = slot;
  const onLine = node.line === slot.line && node.kind !== 'scalar' ? node.flow : isOnLine(slot);
  const head = line.slice(0, after);
  const gap = onLine ? line.slice(after, node.from) : ' ';
  const tail = slot.comment === -1 ? '' : line.slice(spacesBefore(line, slot.comment));
  if (node.kind !== 'scalar' && node.flow && !isEmpty(node.value) && !isScalar(value)) {
    return [head + gap + emitFlow(value) + tail];
  }
  const emitted = emitValue(value, indent, quoteOf(node));
  if (emitted.inline !== '') return [head + gap + emitted.inline + tail, ...emitted.lines];
  if (!('key' in slot) && tail === '')
    return emitItem(value, indent).with(0, head + (emitItem(value, indent)[0] ?? '').slice(indent + 1));
  return [head + tail, ...emitted.lines];
}

function isOnLine({ node, line }: Item): boolean {
  return node.line === line && node.kind === 'scalar' && node.style !== 'empty';
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : isMap(value) && Object.keys(value).length === 0;
}

function quoteOf(node: Node): Quote {
  return node.kind === 'scalar' && (node.style === 'single' || node.style === 'double') ? node.style : 'plain';
}

function spacesBefore(line: string, column: number): number {
  let at = column;
  while (line.charAt(at - 1) === ' ') at--;
  return at;
}

function endOf(node: MapNode | ListNode): number {
  const last = node.kind === 'map' ? node.entries.at(-1) : node.items.at(-1);
  return last?.end ?? node.line + 1;
}

type Plain = Readonly<Record<string, unknown>>;

function replace({ lines, edits }: Draft, from: number, to: number, ins: readonly string[]): void {
  const hunk = trimHunk({ at: from, del: lines.slice(from, to), ins });
  if (hunk) edits.push(hunk);
}

/** By line; edits at one line keep the order they were made in, inner before outer. Neighbours become one. */
export function inOrder(edits: readonly Hunk[]): Hunk[] {
  const out: Hunk[] = [];
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    const last = out.at(-1);
    if (last !== undefined && last.at + last.del.length === edit.at) {
      out[out.length - 1] = { at: last.at, del: [...last.del, ...edit.del], ins: [...last.ins, ...edit.ins] };
    } else out.push(edit);
  }
  return out;
}
