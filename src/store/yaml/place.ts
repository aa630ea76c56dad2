// Where in the file a path of the value stands, for messages: the line of the record, or of the field
// in it when it is written on a line of its own.

import type { BoardDocument } from './document.ts';

/** 0-based line; undefined when the document has no such part. */
export function lineOf(doc: BoardDocument, path: readonly (string | number)[]): number | undefined {
  const section = doc.sections.find((candidate) => candidate.key === path[0]);
  if (section === undefined) return undefined;
  if (section.kind === 'whole') return fieldLine(doc.text, section, path.slice(1));
  const key = path[1];
  const record =
    typeof key === 'number' ? section.records[key] : section.records.find((candidate) => candidate.key === key);
  return record === undefined ? section.line : fieldLine(doc.text, record, path.slice(2));
}

function fieldLine(
  text: string,
  span: { readonly start: number; readonly end: number; readonly line: number },
  path: readonly (string | number)[],
): number {
  const field = path[0];
  if (typeof field !== 'string') return span.line;
  const lines = text.slice(span.start, span.end).split('\n');
  const at = lines.findIndex((line) => line.replace(/^[\s-]+/, '').startsWith(`${field}:`));
  return span.line + Math.max(at, 0);
}
