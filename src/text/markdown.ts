// Text of people and agents inside Markdown that Liza writes: one line, no markup of its own, nothing that a
// terminal or a viewer would obey.

import { gist } from './format.ts';

export const inlineText = (text: string, limit?: number): string =>
  gist(text.replace(/[\p{Cc}\p{Cf}]+/gu, ' '), limit)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/[`*[\]|]/g, '\\$&');

/** The same, however long it is. */
export const wholeText = (text: string): string => inlineText(text, Number.POSITIVE_INFINITY);

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Sections with a heading each; an empty one says so, for a missing one would leave a doubt. */
export function document(
  title: string,
  intro: readonly string[],
  sections: readonly (readonly [heading: string, lines: readonly string[]])[],
): string {
  const bodies = sections.flatMap(([heading, lines]) => [
    '',
    `## ${heading}`,
    '',
    ...(lines.length === 0 ? ['None.'] : lines),
  ]);
  return [`# ${title}`, '', ...intro, ...bodies, ''].join('\n');
}
