// The document after an edit, without reading all of it again: sections that no hunk touched keep
// their values and only move; a touched one is read anew from its own text. Sections are independent
// blocks of lines that begin with a key in column 0, so what one says cannot depend on another.

import { type BoardDocument, type Parsed, type Plain, parseDocumentSimple, type Section } from './document.ts';
import { own, sameValue } from './equal.ts';
import type { Hunk } from './hunks.ts';
import type { Span } from './split.ts';

/** undefined: read the whole file instead. */
export function documentAfter(
  doc: BoardDocument,
  hunks: readonly Hunk[],
  text: string,
  newValue: Plain,
): BoardDocument | undefined {
  const sections: Section[] = [];
  let chars = 0;
  let lines = 0;
  let next = 0;
  for (const [position, section] of doc.sections.entries()) {
    const limit = doc.sections[position + 1]?.line ?? Number.POSITIVE_INFINITY;
    const before = { chars, lines };
    let touched = false;
    for (let hunk = hunks[next]; hunk !== undefined && belongs(hunk, section, limit); hunk = hunks[++next]) {
      if (hunk.at < section.line) return undefined; // above the first key, or between sections
      touched = true;
      chars += size(hunk.ins) - size(hunk.del);
      lines += hunk.ins.length - hunk.del.length;
    }
    if (!touched) {
      sections.push(moved(section, before.chars, before.lines));
      continue;
    }
    const start = section.start + before.chars;
    const read = parseDocumentSimple(text.slice(start, section.end + chars), {
      recordSections: doc.recordSections,
      previous: { ...doc, sections: [section] },
    });
    if (read === undefined || !read.ok) return undefined;
    for (const fresh of sectionsOf(read, newValue) ?? [undefined]) {
      if (fresh === undefined) return undefined;
      sections.push(moved(fresh, start, section.line + before.lines));
    }
  }
  if (next < hunks.length || sections.length !== Object.keys(newValue).length) return undefined;
  return { ...doc, text, sections, value: newValue };
}

const size = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);

/** Appended records go in at the section's end line; a later section's own lines are not ours. */
function belongs(hunk: Hunk, section: Section, limit: number): boolean {
  return hunk.at < limit || (hunk.at === section.endLine && hunk.del.length === 0);
}

/** With the caller's own values in place of equal ones, so that the next update can skip them by reference. */
function sectionsOf(read: Parsed & { ok: true }, newValue: Plain): Section[] | undefined {
  const sections: Section[] = [];
  for (const section of read.doc.sections) {
    const value = own(newValue, section.key);
    if (!sameValue(section.value, value)) return undefined;
    sections.push(withValue(section, value));
  }
  return sections.length === 0 ? undefined : sections;
}

export function withValue(section: Section, value: unknown): Section {
  if (section.value === value) return section;
  const records = section.records.map((record, index) => {
    const given = valueAt(section, value, record.key, index);
    return given === record.value ? record : { ...record, value: given };
  });
  return { ...section, records, value };
}

function valueAt(section: Section, value: unknown, key: string | undefined, index: number): unknown {
  if (section.kind === 'list' && Array.isArray(value)) return value[index];
  if (section.kind === 'map' && key !== undefined) return own(value as Plain, key);
  return value;
}

/** The section elsewhere in the file; its records are only worked out when somebody asks. */
export function moved(section: Section, chars: number, lines: number): Section {
  if (chars === 0 && lines === 0) return section;
  const { key, kind, indent, value } = section;
  const place = shift(section, chars, lines);
  return lazySection({ ...place, key, kind, indent, value }, () =>
    section.records.map((record) => ({ ...record, ...shift(record, chars, lines) })),
  );
}

export function lazySection(rest: Omit<Section, 'records'>, records: () => Section['records']): Section {
  let made: Section['records'] | undefined;
  return Object.defineProperty(rest, 'records', {
    enumerable: true,
    get: () => {
      made ??= records();
      return made;
    },
  }) as Section;
}

const shift = ({ start, end, line, endLine }: Span, chars: number, lines: number): Span => ({
  start: start + chars,
  end: end + chars,
  line: line + lines,
  endLine: endLine + lines,
});
