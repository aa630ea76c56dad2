// The whole board file as sections and records, each with its place in the text and its value.
// Promises that the value is exactly what a YAML reader would give for the file, that unchanged records of a previous
// document keep their values by reference, and that a refusal names the line and column in the whole file.
// Must never know what the sections mean: which are split into records is the caller's to say. Values are not to be mutated.
import { parseBlock, parseOrdinaryBlock } from './block.ts';
import { isOrdinary, MAX_LENGTH, type Refusal, refusal, refuseCharacters } from './characters.ts';
import { isMap, own } from './equal.ts';
import { type Layout, laidOut, layoutOf, sameLayout, valueAt, WHOLE } from './layout.ts';
import { quickValue } from './quick.ts';
import { type RawRecord, type RawSection, type RecordSections, type Span, splitSections } from './split.ts';
import { parseStrict } from './strict.ts';
import { Text } from './text.ts';

export type Plain = Readonly<Record<string, unknown>>;

export interface BoardRecord extends Span {
  readonly section: string;
  /** The map key, or the `id` field of a list item. */
  readonly key: string | undefined;
  readonly value: unknown;
}

export interface Section extends Span {
  readonly key: string;
  /** `whole`: one record holding the section's value. */
  readonly kind: 'list' | 'map' | 'whole';
  readonly indent: number;
  readonly layout: Layout;
  /** Made when first asked for; `layout` says the same for less. */
  readonly records: readonly BoardRecord[];
  readonly value: unknown;
}

export interface BoardDocument {
  readonly source: Text;
  /** All of it, as a string. */
  readonly text: string;
  /** In file order; empty for an opaque document. */
  readonly sections: readonly Section[];
  /** The top level is no simple block mapping: the file is one piece. */
  readonly opaque: boolean;
  readonly recordSections: RecordSections;
  readonly value: Plain;
}

/** `text` is made when it is first asked for. */
export function boardDocument(parts: Omit<BoardDocument, 'text'>): BoardDocument {
  return {
    ...parts,
    get text() {
      return parts.source.toString();
    },
  };
}

/** For another document made of them; spreading the document itself would make its `text`. */
export const partsOf = ({ source, sections, opaque, recordSections, value }: BoardDocument) => ({
  source,
  sections,
  opaque,
  recordSections,
  value,
});

export interface ParseOptions {
  readonly recordSections: RecordSections;
  /** An earlier reading of the file, whose unchanged records are reused. */
  readonly previous?: BoardDocument | undefined;
}

export type Parsed = { readonly ok: true; readonly doc: BoardDocument } | Refusal;

/** The board in `text`; loads the `yaml` package only for records the simple reader declines. */
export async function parseDocument(text: string, options: ParseOptions): Promise<Parsed> {
  const draft = draftDocument(text, options);
  if ('ok' in draft) return draft;
  if (draft.sections === undefined) return parseOpaque(text, options);
  for (const { values, index, record } of draft.pending) {
    const read = await parseStrict(text.slice(record.start, record.end));
    if (!read.ok) return { ...read, line: read.line + record.line };
    const value = unwrap(read.value, record.name);
    if (value === undefined) return parseOpaque(text, options);
    values[index] = value;
  }
  return { ok: true, doc: assemble(text, draft.sections, options) };
}

/** As parseDocument without the library: undefined when some record is not simple. */
export function parseDocumentSimple(text: string, options: ParseOptions): Parsed | undefined {
  const draft = draftDocument(text, options);
  if ('ok' in draft) return draft;
  if (draft.sections === undefined || draft.pending.length > 0) return undefined;
  return { ok: true, doc: assemble(text, draft.sections, options) };
}

/** The board as one plain object, keys in the order of the file. */
export function documentValue(doc: BoardDocument): Plain {
  return doc.value;
}

interface DraftSection {
  readonly raw: RawSection;
  /** One per record. */
  readonly values: unknown[];
}

interface Draft {
  readonly sections: readonly DraftSection[] | undefined;
  /** Records the simple reader declined. */
  readonly pending: readonly { readonly values: unknown[]; readonly index: number; readonly record: RawRecord }[];
}

function draftDocument(text: string, options: ParseOptions): Draft | Refusal {
  // Ordinary text has nothing to refuse but its size.
  const ordinary = isOrdinary(text);
  const refused = ordinary && text.length <= MAX_LENGTH ? undefined : refuseCharacters(text);
  if (refused !== undefined) return refused;
  const reuse = reuser(options.previous);
  const pending: Draft['pending'][number][] = [];
  const sections = splitSections(text, options.recordSections)?.map((raw) => {
    const values: unknown[] = [];
    raw.records.forEach((record, index) => {
      const own = text.slice(record.start, record.end);
      const value = reuse(raw.key, own) ?? unwrap(valueIn(text, record, ordinary), record.name);
      if (value === undefined) pending.push({ values, index, record });
      values.push(value);
    });
    return { raw, values };
  });
  return { sections, pending };
}

function valueIn(text: string, { start, end }: RawRecord, ordinary: boolean): unknown {
  if (!ordinary) return parseBlock(text.slice(start, end))?.value;
  return quickValue(text, start, end) ?? parseOrdinaryBlock(text.slice(start, end))?.value;
}

/** The value inside `[value]` or `{ name: value }`; undefined when the text held anything else. */
function unwrap(value: unknown, name: string | undefined): unknown {
  if (name === undefined) return Array.isArray(value) && value.length === 1 ? value[0] : undefined;
  return isMap(value) && Object.keys(value).length === 1 ? own(value, name) : undefined;
}

/** Looks texts up in an earlier document: first where they should be, then anywhere. */
function reuser(previous: BoardDocument | undefined): (section: string, own: string) => unknown {
  if (previous === undefined) return () => undefined;
  const { text, sections } = previous;
  let index: Map<string, unknown> | undefined;
  let current: Section | undefined;
  let at = 0;
  return (section, own) => {
    if (current?.key !== section) {
      current = sections.find((candidate) => candidate.key === section);
      at = 0;
    }
    const guess = current?.records[at++];
    if (guess !== undefined && text.slice(guess.start, guess.end) === own) return guess.value;
    index ??= new Map(
      sections.flatMap(({ records }) =>
        records.map(({ start, end, value }) => [text.slice(start, end), value] as const),
      ),
    );
    return index.get(own);
  };
}

function assemble(
  text: string,
  drafts: readonly DraftSection[],
  { recordSections, previous }: ParseOptions,
): BoardDocument {
  const value: Record<string, unknown> = {};
  const sections = drafts.map(({ raw, values }): Section => {
    const { key, kind, indent, start, end, line, endLine } = raw;
    const before = previous?.sections.find((candidate) => candidate.key === key && candidate.kind === kind);
    const layout = layoutIn(raw, values);
    const whole = before !== undefined && isSame(before, layout, values) ? before.value : sectionValue(raw, values);
    // The same object says to the cache that nothing in the section has moved.
    const kept = before !== undefined && sameLayout(before.layout, layout) ? before.layout : layout;
    value[key] = whole;
    return laidOut({ start, end, line, endLine, key, kind, indent, layout: kept, value: whole });
  });
  return boardDocument({ source: Text.of(text), sections, opaque: false, recordSections, value });
}

function layoutIn(raw: RawSection, values: readonly unknown[]): Layout {
  if (raw.kind === 'whole') return WHOLE;
  const keys = raw.records.map(({ name }, i) => name ?? idOf(values[i]));
  return layoutOf(raw, raw.records, keys);
}

function idOf(value: unknown): string | null {
  return isMap(value) && typeof value.id === 'string' ? value.id : null;
}

/** Whether the earlier section holds these very values, in this order. */
function isSame({ kind, layout, value }: Section, { keys }: Layout, values: readonly unknown[]): boolean {
  if (kind === 'whole') return values[0] === value;
  return (
    layout.keys.length === keys.length &&
    keys.every((key, i) => key === layout.keys[i] && values[i] === valueAt(kind, value, key, i))
  );
}

function sectionValue(raw: RawSection, values: readonly unknown[]): unknown {
  switch (raw.kind) {
    case 'whole':
      return values[0];
    case 'list':
      return values;
    case 'map':
      return Object.fromEntries(raw.records.map(({ name }, i) => [name, values[i]]));
    default:
      return raw.kind satisfies never;
  }
}

async function parseOpaque(text: string, { recordSections }: ParseOptions): Promise<Parsed> {
  const read = await parseStrict(text);
  if (!read.ok) return read;
  if (!isMap(read.value))
    return refusal(text, 0, 'the top level is not a mapping', 'start with a line such as `version: 1`');
  const source = Text.of(text);
  return { ok: true, doc: boardDocument({ source, sections: [], opaque: true, recordSections, value: read.value }) };
}
