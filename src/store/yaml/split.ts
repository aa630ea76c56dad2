// Finds the top-level sections of a board and the records inside them by one scan over its lines, parsing nothing.
// Promises that a record's text, read on its own, means what it means in the file: spans hold whole lines, from the
// record's first to its last, and end before the comments and blank lines that follow. Must stay cheap: every read of a
// 6 MB board goes through it. A file whose top level is no simple block mapping is `undefined`: read it whole.
import { readKey, skipSpaces } from './inline.ts';

export type RecordSections = Readonly<Record<string, 'list' | 'map'>>;

export interface Span {
  /** Character offsets, whole lines; `end` is after the newline. */
  readonly start: number;
  readonly end: number;
  /** 0-based lines; `endLine` is exclusive. */
  readonly line: number;
  readonly endLine: number;
}

export interface RawRecord extends Span {
  /** The key it is read under: of a map entry or of a whole section; undefined for a list item. */
  readonly name: string | undefined;
}

export interface RawSection extends Span {
  readonly key: string;
  /** `whole`: one record, because nobody asked for more, or it is empty, in flow style or oddly indented. */
  readonly kind: 'list' | 'map' | 'whole';
  /** Column of its dashes or keys; -1 for a whole one. */
  readonly indent: number;
  readonly records: readonly RawRecord[];
}

export function splitSections(text: string, recordSections: RecordSections): RawSection[] | undefined {
  const sections: RawSection[] = [];
  const keys = new Set<string>();
  let open: OpenSection | undefined;
  let line = 0;
  for (let at = 0, next = 0; at < text.length; at = next, line++) {
    const nl = text.indexOf('\n', at);
    const eol = nl === -1 ? text.length : nl;
    next = nl === -1 ? text.length : nl + 1;
    let i = at;
    while (text.charCodeAt(i) === SPACE) i++;
    // Spaces deeper than the record's margin may be the last line of its text, so such a line is no blank one.
    if (i === eol && (open === undefined || i - at <= marginOf(open))) {
      if (open !== undefined && open.blankEnd === at) {
        open.blankEnd = next;
        open.blankEndLine = line + 1;
      }
      continue;
    }
    const column = i - at;
    const c = text.charCodeAt(i);
    const dash = c === DASH && (i + 1 === eol || text.charCodeAt(i + 1) === SPACE);
    if (column === 0 && !dash) {
      if (c === HASH) continue;
      if (sections.length === 0 && open === undefined && isMarker(text, at, eol)) continue;
      const head = text.slice(at, eol);
      const key = readKey(head, 0);
      if (!key || keys.has(key.name)) return undefined;
      keys.add(key.name);
      if (open !== undefined) sections.push(close(open, text));
      const rest = skipSpaces(head, key.colon + 1);
      const bare = rest === head.length || head.charCodeAt(rest) === HASH;
      const wanted = Object.hasOwn(recordSections, key.name) ? recordSections[key.name] : undefined;
      open = openSection(key.name, (bare && wanted) || 'whole', at, line);
    } else if (open === undefined) {
      if (c === HASH) continue;
      return undefined;
    } else if (open.kind !== 'whole') {
      if (open.indent === -1 && c !== HASH) {
        if ((open.kind === 'list') === dash) open.indent = column;
        else makeWhole(open);
      }
      if (c === HASH && column <= Math.max(0, open.indent)) continue;
      if (open.indent !== -1 && column <= open.indent) {
        if (!startRecord(open, text, { at, eol, line, column, dash })) makeWhole(open);
      }
    }
    open.end = open.blankEnd = next;
    open.endLine = open.blankEndLine = line + 1;
  }
  if (open !== undefined) sections.push(close(open, text));
  return sections;
}

interface OpenSection {
  readonly key: string;
  kind: 'list' | 'map' | 'whole';
  readonly start: number;
  readonly line: number;
  indent: number;
  records: RawRecord[];
  /** The record being read. */
  record: { name: string | undefined; start: number; line: number } | undefined;
  readonly names: Set<string>;
  /** The end of the last content, and of the blank lines right after it. */
  end: number;
  endLine: number;
  blankEnd: number;
  blankEndLine: number;
}

function openSection(key: string, kind: 'list' | 'map' | 'whole', start: number, line: number): OpenSection {
  const ends = { end: start, endLine: line, blankEnd: start, blankEndLine: line };
  return { key, kind, start, line, indent: -1, records: [], record: undefined, names: new Set(), ...ends };
}

interface RecordLine {
  readonly at: number;
  readonly eol: number;
  readonly line: number;
  readonly column: number;
  readonly dash: boolean;
}

/** Begins a record at this line; false when the line is none of the section's. */
function startRecord(open: OpenSection, text: string, { at, eol, line, column, dash }: RecordLine): boolean {
  if (column !== open.indent || dash !== (open.kind === 'list')) return false;
  let name: string | undefined;
  if (open.kind === 'map') {
    name = readKey(text.slice(at, eol), column)?.name;
    // A repeated key makes the section whole, where the strict reader reports it.
    if (name === undefined || open.names.has(name)) return false;
    open.names.add(name);
  }
  closeRecord(open, text);
  open.record = { name, start: at, line };
  return true;
}

function closeRecord(open: OpenSection, text: string): void {
  if (open.record === undefined) return;
  const { name, start, line } = open.record;
  const { end, endLine } = endOf(open, start, text);
  open.records.push({ name, start, end, line, endLine });
  open.record = undefined;
}

function close(open: OpenSection, text: string): RawSection {
  closeRecord(open, text);
  const { key, start, line, records } = open;
  const last = records.at(-1);
  if (open.kind === 'whole' || last === undefined) {
    const { end, endLine } = endOf(open, start, text);
    const whole = { name: key, start, end, line, endLine };
    return { ...whole, key, kind: 'whole', indent: -1, records: [whole] };
  }
  return { key, kind: open.kind, start, line, end: last.end, endLine: last.endLine, indent: open.indent, records };
}

function makeWhole(open: OpenSection): void {
  open.kind = 'whole';
  open.records = [];
  open.record = undefined;
}

/** Blank lines after a `|+` block are part of its text, so they belong to the record that may end in one. */
function endOf(open: OpenSection, start: number, text: string): { end: number; endLine: number } {
  const keeps = open.blankEnd > open.end && KEEP.test(text.slice(start, open.end));
  return keeps ? { end: open.blankEnd, endLine: open.blankEndLine } : open;
}

/** The column up to which spaces are never text: without a record there is no text to continue. */
function marginOf(open: OpenSection): number {
  return open.kind === 'whole' ? 0 : open.indent === -1 ? Number.POSITIVE_INFINITY : open.indent;
}

function isMarker(text: string, at: number, eol: number): boolean {
  return eol - at === 3 && text.startsWith('---', at);
}

const SPACE = 32;
const HASH = 35;
const DASH = 45;
const KEEP = /[ \t][|>](?:[1-9]?\+|\+[1-9])[ \t]*(?:#.*)?$/m;
