// The document after an edit, without reading all of it again: sections that no hunk touched keep
// their values and only move; of a touched one the touched records are read again, or else all of its
// text. Sections are independent blocks of lines that begin with a key in column 0, so what one says
// cannot depend on another.

import {
  type BoardDocument,
  boardDocument,
  type Parsed,
  type Plain,
  parseDocumentSimple,
  partsOf,
  type Section,
} from './document.ts';
import { own, sameValue } from './equal.ts';
import { type Hunk, sizeOf } from './hunks.ts';
import { moved, withValue } from './layout.ts';
import { type Edited, sectionAfter } from './splice.ts';
import type { Text } from './text.ts';

/** undefined: read the whole file instead. */
export function documentAfter(
  doc: BoardDocument,
  hunks: readonly Hunk[],
  source: Text,
  newValue: Plain,
): BoardDocument | undefined {
  const sections: Section[] = [];
  let chars = 0;
  let lines = 0;
  let next = 0;
  for (const [position, section] of doc.sections.entries()) {
    const following = doc.sections[position + 1];
    const touching: Hunk[] = [];
    for (let hunk = hunks[next]; hunk !== undefined && belongs(hunk, section, following); hunk = hunks[++next]) {
      // Above the first key, or in two sections at once.
      if (hunk.at < section.line || hunk.at + hunk.del.length > lineOf(following)) return undefined;
      touching.push(hunk);
    }
    const value = own(newValue, section.key);
    if (touching.length === 0) {
      if (!sameValue(section.value, value)) return undefined;
      sections.push(withValue(moved(section, chars, lines), value));
      continue;
    }
    const [start, line] = [section.start + chars, section.line + lines];
    const grown = touching.reduce((sum, { del, ins }) => sum + sizeOf(ins) - sizeOf(del), 0);
    chars += grown;
    lines += touching.reduce((sum, { del, ins }) => sum + ins.length - del.length, 0);
    // Up to the next section: blank lines below may turn out to belong to a changed text block.
    const end = following === undefined ? source.length : following.start + chars;
    const slice = (from: number, to: number): string => source.slice(start + from, start + to);
    const after = { length: end - start, slice, start, line, chars: grown };
    const spliced = sectionAfter(section, touching, after, value);
    const fresh = spliced === undefined ? sectionsIn(after, doc, section, newValue) : [spliced];
    if (fresh === undefined) return undefined;
    sections.push(...fresh);
  }
  if (next < hunks.length || sections.length !== Object.keys(newValue).length) return undefined;
  if (new Set(sections.map(({ key }) => key)).size !== sections.length) return undefined;
  return boardDocument({ ...partsOf(doc), source, sections, value: newValue });
}

/** Appended records go in at the section's end line; a later section's own lines are not ours. */
export function belongs(hunk: Hunk, section: Section, following: Section | undefined): boolean {
  return hunk.at < lineOf(following) || (hunk.at === section.endLine && hunk.del.length === 0);
}

const lineOf = (section: Section | undefined): number => section?.line ?? Number.POSITIVE_INFINITY;

/** What the section's text says now, read from its first line to its last. */
function sectionsIn(after: Edited, doc: BoardDocument, section: Section, newValue: Plain): Section[] | undefined {
  const { recordSections } = doc;
  const read = parseDocumentSimple(after.slice(0, after.length), {
    recordSections,
    previous: boardDocument({ ...partsOf(doc), sections: [section] }),
  });
  const sections = read?.ok === true ? sectionsOf(read, newValue) : undefined;
  // Lines above its key could belong to the section before.
  if (sections?.[0]?.start !== 0) return undefined;
  return sections.map((fresh) => moved(fresh, after.start, after.line));
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
