// The value of a record as Liza writes it, read where it stands in the text: no lines, no tree, several times as fast as
// block.ts. At the first thing that is not in that style (a comment, a blank line, an escape, a flow list, a name in
// quotes) the answer is `undefined`, and block.ts reads the record. Where it does answer, both mean the same.

import { MAX_DEPTH } from './inline.ts';
import { resolvePlain } from './scalar.ts';

/** For ordinary text (characters.ts) alone; the record's lines are [from, to). */
export function quickValue(whole: string, from: number, to: number): unknown {
  if (whole.charCodeAt(to - 1) !== NEWLINE) return undefined;
  text = whole;
  end = to;
  try {
    toLine(from);
    const value = readBlock(indent, 1);
    return indent === -1 ? value : undefined;
  } catch (error) {
    if (error === OTHER_STYLE) return undefined;
    throw error;
  } finally {
    text = '';
  }
}

const OTHER_STYLE = new Error('another style');

let text = '';
let end = 0;
/** Where the line begins, and how far its content is indented; -1: the record is over. */
let line = 0;
let indent = 0;

function toLine(from: number): void {
  line = from;
  if (from >= end) {
    indent = -1;
    return;
  }
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  const c = text.charCodeAt(at);
  if (c === NEWLINE || c === TAB) throw OTHER_STYLE;
  indent = at - from;
}

function readBlock(column: number, depth: number): unknown {
  if (depth > MAX_DEPTH) throw OTHER_STYLE;
  return isDash(line + column) ? readList(column, depth) : readMap(column, line + column, depth);
}

function readMap(column: number, first: number, depth: number): unknown {
  const value: Record<string, unknown> = {};
  for (let from = first; ; from = line + column) {
    const colon = endOfName(from);
    if (text.charCodeAt(colon) !== COLON || colon === from) throw OTHER_STYLE;
    const name = nameOf(text.slice(from, colon));
    if (value[name] !== undefined) throw OTHER_STYLE;
    value[name] = readValue(colon + 1, { column, ofKey: true }, depth);
    if (indent > column) throw OTHER_STYLE;
    if (indent < column) return value;
  }
}

function readList(column: number, depth: number): unknown {
  const value: unknown[] = [];
  do {
    value.push(readValue(line + column + 1, { column, ofKey: false }, depth));
    if (indent > column) throw OTHER_STYLE;
  } while (indent === column && isDash(line + column));
  return value;
}

/** The value behind a colon or a dash; goes on to the line after it. */
function readValue(
  behind: number,
  { column, ofKey }: { readonly column: number; readonly ofKey: boolean },
  depth: number,
): unknown {
  let from = behind;
  while (text.charCodeAt(from) === SPACE) from++;
  const c = text.charCodeAt(from);
  if (c === NEWLINE) {
    toLine(from + 1);
    const isBelow = indent > column || (ofKey && indent === column && isDash(line + column));
    return isBelow ? readBlock(indent, depth + 1) : null;
  }
  if (from === behind) throw OTHER_STYLE;
  if (c === QUOTE) return readQuoted(from);
  if (c === PIPE) return readLiteral(from + 1, column);
  if (c === OPEN_LIST || c === OPEN_MAP) return readEmpty(from, c);
  if (!ofKey) {
    const colon = endOfName(from);
    if (text.charCodeAt(colon) === COLON && isEnd(colon + 1)) return readMap(from - line, from, depth + 1);
  }
  return readPlain(from);
}

function readPlain(from: number): unknown {
  if (!isLetterOrDigit(text.charCodeAt(from))) throw OTHER_STYLE;
  let to = from + 1;
  for (let c = text.charCodeAt(to); c !== NEWLINE; c = text.charCodeAt(++to)) {
    if (c === TAB || (c === COLON && isEnd(to + 1))) throw OTHER_STYLE;
    if (c === HASH && text.charCodeAt(to - 1) === SPACE) throw OTHER_STYLE;
  }
  if (text.charCodeAt(to - 1) === SPACE) throw OTHER_STYLE;
  const value = resolvePlain(text.slice(from, to));
  toLine(to + 1);
  return value;
}

function readQuoted(from: number): string {
  const to = text.indexOf('"', from + 1);
  const value = text.slice(from + 1, to);
  if (text.charCodeAt(to + 1) !== NEWLINE || value.includes('\n') || value.includes('\\')) throw OTHER_STYLE;
  toLine(to + 2);
  return value;
}

function readLiteral(from: number, column: number): string {
  if (text.charCodeAt(from) !== NEWLINE) throw OTHER_STYLE;
  toLine(from + 1);
  const margin = indent;
  if (margin <= column) throw OTHER_STYLE;
  let value = '';
  while (indent >= margin) {
    const next = text.indexOf('\n', line) + 1;
    value += text.slice(line + margin, next);
    toLine(next);
  }
  return value;
}

function readEmpty(from: number, open: number): unknown {
  const isList = open === OPEN_LIST;
  if (text.charCodeAt(from + 1) !== (isList ? CLOSE_LIST : CLOSE_MAP) || text.charCodeAt(from + 2) !== NEWLINE)
    throw OTHER_STYLE;
  toLine(from + 3);
  return isList ? [] : {};
}

function endOfName(from: number): number {
  let at = from;
  for (let c = text.charCodeAt(at); (c >= 97 && c <= 122) || c === UNDERSCORE; ) c = text.charCodeAt(++at);
  return at;
}

/** Names come again and again: one string for all of them. */
const NAMES = new Map<string, string>();

function nameOf(name: string): string {
  const known = NAMES.get(name);
  if (known !== undefined) return known;
  if (name.length > 40 || name.startsWith('_') || typeof resolvePlain(name) !== 'string') throw OTHER_STYLE;
  if (NAMES.size < 1000) NAMES.set(name, name);
  return name;
}

const isDash = (at: number): boolean => text.charCodeAt(at) === DASH && isEnd(at + 1);
const isEnd = (at: number): boolean => text.charCodeAt(at) === SPACE || text.charCodeAt(at) === NEWLINE;
const isLetterOrDigit = (c: number): boolean => (c >= 97 && c <= 122) || (c >= 65 && c <= 90) || (c >= 48 && c <= 57);

const [TAB, NEWLINE, SPACE, QUOTE, HASH, DASH, COLON] = [9, 10, 32, 34, 35, 45, 58] as const;
const [OPEN_LIST, CLOSE_LIST, UNDERSCORE, OPEN_MAP, PIPE, CLOSE_MAP] = [91, 93, 95, 123, 124, 125] as const;
