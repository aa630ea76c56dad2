// A small reader of simple block YAML: what Liza writes and what most people write by hand, without the `yaml` package.
// Promises soundness: whenever it accepts, its value equals what `yaml` reads under the 1.2 core schema. It refuses
// (`undefined`) anchors, tags, multi-line plain or quoted text, duplicate keys and all else it is not certain about.
// The tree it returns says which lines and columns each part occupies, so that edits can be spliced by lines.
import { isOrdinary } from './characters.ts';
import { commentAfter, MAX_DEPTH, readInline, readKey, skipSpaces } from './inline.ts';
import type { Scalar } from './scalar.ts';

export type Node = ScalarNode | MapNode | ListNode;

interface Place {
  /** Line and columns of the value; for a block value, of its first key or dash. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

export interface ScalarNode extends Place {
  readonly kind: 'scalar';
  readonly style: 'plain' | 'single' | 'double' | 'literal' | 'folded' | 'empty';
  readonly value: Scalar;
}

export interface MapNode extends Place {
  readonly kind: 'map';
  readonly flow: boolean;
  readonly value: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
}

export interface ListNode extends Place {
  readonly kind: 'list';
  readonly flow: boolean;
  readonly value: readonly unknown[];
  readonly items: readonly Item[];
}

/** A list item: lines [line, end), its dash at column `indent`, its value to be written from column `after` on. */
export interface Item {
  readonly line: number;
  readonly end: number;
  readonly indent: number;
  readonly after: number;
  /** Column of the `#` of a comment on the first line, or -1. */
  readonly comment: number;
  readonly node: Node;
}

/** A mapping entry: as an item, its key at column `indent` and `after` the column behind the colon. */
export interface Entry extends Item {
  readonly key: string;
}

/** The tree of `text`, or undefined when it is not simple. */
export function parseBlock(text: string): Node | undefined {
  return isOrdinary(text) ? parseOrdinaryBlock(text) : undefined;
}

/** As parseBlock, for text already known to hold only ordinary characters. */
export function parseOrdinaryBlock(text: string): Node | undefined {
  const reader: Reader = { lines: text.split('\n'), line: 0, indent: -1, end: 0, comment: -1 };
  try {
    toContent(reader);
    if (reader.indent === -1) return undefined;
    const node = readBlock(reader, reader.indent, 1);
    return reader.indent === -1 ? node : undefined;
  } catch (error) {
    if (error === NOT_SIMPLE) return undefined;
    throw error;
  }
}

interface Reader {
  readonly lines: readonly string[];
  /** The next line with content, and its indentation; -1 at the end. */
  line: number;
  indent: number;
  /** The line after the last content read, and the comment column of the last one-line value or block head. */
  end: number;
  comment: number;
}

// Thrown by the hundred when a file is in another style, hence one object without a stack of its own.
const NOT_SIMPLE = new Error('not simple');

function readBlock(reader: Reader, column: number, depth: number): Node {
  if (depth > MAX_DEPTH) throw NOT_SIMPLE;
  return isDash(lineOf(reader), column) ? readList(reader, column, depth) : readMap(reader, column, depth);
}

function readMap(reader: Reader, column: number, depth: number): MapNode {
  const line = reader.line;
  const value: Record<string, unknown> = {};
  const entries: Entry[] = [];
  do {
    const start = reader.line;
    const key = readKey(lineOf(reader), column);
    if (!key || Object.hasOwn(value, key.name)) throw NOT_SIMPLE;
    const after = key.colon + 1;
    const node = readValue(reader, { parent: column, after, ofKey: true }, depth);
    value[key.name] = node.value;
    entries.push({ key: key.name, line: start, end: reader.end, indent: column, after, comment: reader.comment, node });
  } while (reader.indent === column);
  if (reader.indent > column) throw NOT_SIMPLE;
  return { kind: 'map', flow: false, value, entries, line, from: column, to: column };
}

function readList(reader: Reader, column: number, depth: number): ListNode {
  const line = reader.line;
  const value: unknown[] = [];
  const items: Item[] = [];
  do {
    const start = reader.line;
    const node = readValue(reader, { parent: column, after: column + 1, ofKey: false }, depth);
    value.push(node.value);
    items.push({ line: start, end: reader.end, indent: column, after: column + 1, comment: reader.comment, node });
  } while (reader.indent === column && isDash(lineOf(reader), column));
  if (reader.indent > column) throw NOT_SIMPLE;
  return { kind: 'list', flow: false, value, items, line, from: column, to: column };
}

interface Slot {
  readonly parent: number;
  readonly after: number;
  readonly ofKey: boolean;
}

/** The value behind a colon or dash that belongs to column `parent`; leaves the reader at the next content. */
function readValue(reader: Reader, { parent, after, ofKey }: Slot, depth: number): Node {
  const text = lineOf(reader);
  const from = skipSpaces(text, after);
  const line = reader.line;
  if (from === text.length || text.charCodeAt(from) === HASH) {
    const comment = from === text.length ? -1 : from;
    advance(reader, line + 1);
    const below = reader.indent > parent || (ofKey && reader.indent === parent && isDash(lineOf(reader), parent));
    const node: Node = below
      ? readBlock(reader, reader.indent, depth + 1)
      : { kind: 'scalar', style: 'empty', value: null, line, from: after, to: after };
    reader.comment = comment;
    return node;
  }
  const c = text.charCodeAt(from);
  if (c === PIPE || c === GREATER) return readTextBlock(reader, parent, from);
  if (!ofKey && startsNested(text, from)) {
    const node = readBlock(reader, from, depth + 1);
    reader.comment = -1;
    return node;
  }
  const inline = readInline(text, from, depth + 1);
  const comment = inline && commentAfter(text, inline.to);
  if (inline === undefined || comment === undefined) throw NOT_SIMPLE;
  advance(reader, line + 1);
  // A deeper line would continue the scalar.
  if (reader.indent > parent) throw NOT_SIMPLE;
  reader.comment = comment;
  const { value, style, to } = inline;
  if (Array.isArray(value)) return { kind: 'list', flow: true, value, items: [], line, from, to };
  if (style === 'flow')
    return { kind: 'map', flow: true, value: value as MapNode['value'], entries: [], line, from, to };
  return { kind: 'scalar', style, value: value as Scalar, line, from, to };
}

/** Whether a list item holds a mapping or a list right behind its dash. */
function startsNested(text: string, from: number): boolean {
  if (isDash(text, from)) return true;
  const c = text.charCodeAt(from);
  if (c === OPEN_LIST || c === OPEN_MAP) return false;
  const key = readKey(text, from);
  if (key === undefined) throw NOT_SIMPLE;
  return key !== null;
}

/** A literal `|` or folded `>` block; without indentation indicators, and folded only when no line is indented further. */
function readTextBlock(reader: Reader, parent: number, from: number): ScalarNode {
  const text = lineOf(reader);
  const line = reader.line;
  const folded = text.charCodeAt(from) === GREATER;
  const mark = text.charAt(from + 1);
  const chomp = mark === '-' || mark === '+' ? mark : '';
  const to = from + 1 + chomp.length;
  const comment = commentAfter(text, to);
  if (comment === undefined) throw NOT_SIMPLE;
  const { lines, end, blanks } = takeTextLines(reader, line + 1, parent, folded);
  // Without a final newline the last line of a kept block is a matter of opinion.
  const atEnd = end + blanks >= reader.lines.length;
  if (chomp === '+' && (lines.length === 0 || (atEnd && reader.lines[reader.lines.length - 1] !== '')))
    throw NOT_SIMPLE;
  const kept = chomp === '+' ? (atEnd ? Math.max(0, blanks - 1) : blanks) : 0;
  const body = folded ? fold(lines) : lines.join('\n');
  const value = lines.length === 0 ? '' : chomp === '-' ? body : body + '\n'.repeat(kept + 1);
  advance(reader, end + kept);
  if (reader.indent > parent) throw NOT_SIMPLE;
  reader.comment = comment;
  return { kind: 'scalar', style: folded ? 'folded' : 'literal', value, line, from, to };
}

/** The unindented lines of a text block, the line after its last text, and how many blank lines follow. */
function takeTextLines(reader: Reader, first: number, parent: number, folded: boolean) {
  const lines: string[] = [];
  let margin = -1;
  let end = first;
  let blanks = 0;
  for (let at = first; at < reader.lines.length; at++) {
    const text = reader.lines[at] ?? '';
    const indent = skipSpaces(text, 0);
    const c = text.charCodeAt(indent);
    if (indent === text.length) {
      // Spaces in a blank line may be text, depending on the margin.
      if (margin === -1 ? indent > 0 : indent > margin) throw NOT_SIMPLE;
      blanks++;
      continue;
    }
    if (c === TAB) throw NOT_SIMPLE;
    if (margin === -1 && indent > parent) margin = indent;
    if (margin === -1 || indent < margin) break;
    if (folded && (indent > margin || (lines.length === 0 && blanks > 0))) throw NOT_SIMPLE;
    for (; blanks > 0; blanks--) lines.push('');
    lines.push(text.slice(margin));
    end = at + 1;
  }
  // Blank lines of an empty block are someone else's, but their count decides `|+`; that case is refused above.
  return { lines, end, blanks };
}

function fold(lines: readonly string[]): string {
  let out = '';
  let separator = '';
  for (const line of lines) {
    if (line === '') {
      separator = separator === ' ' ? '\n' : `${separator}\n`;
      continue;
    }
    out += separator + line;
    separator = ' ';
  }
  return out;
}

function advance(reader: Reader, end: number): void {
  reader.end = end;
  reader.line = end;
  toContent(reader);
}

/** Moves to the next line that is neither blank nor a comment. */
function toContent(reader: Reader): void {
  for (; reader.line < reader.lines.length; reader.line++) {
    const text = reader.lines[reader.line] ?? '';
    const indent = skipSpaces(text, 0);
    if (indent === text.length) continue;
    const c = text.charCodeAt(indent);
    if (c === HASH) continue;
    // At column 0 these could be document markers; deeper down nothing simple starts like that either.
    if (c === TAB || text.startsWith('---', indent) || text.startsWith('...', indent)) throw NOT_SIMPLE;
    reader.indent = indent;
    return;
  }
  reader.indent = -1;
}

function isDash(text: string, at: number): boolean {
  return text.charCodeAt(at) === DASH && (at + 1 === text.length || text.charCodeAt(at + 1) === SPACE);
}

function lineOf(reader: Reader): string {
  return reader.lines[reader.line] ?? '';
}

const TAB = 9;
const SPACE = 32;
const HASH = 35;
const DASH = 45;
const GREATER = 62;
const OPEN_LIST = 91;
const OPEN_MAP = 123;
const PIPE = 124;
