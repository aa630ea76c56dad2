// Puts generated lines into a page, between `<!-- name -->` and `<!-- /name -->`. The rest of the page is written by hand.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** `page` is relative to the repository, for example docs/cost.md. */
export function fillMarkers(page, name, lines) {
  const file = join(import.meta.dirname, '..', page);
  const marked = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=<!-- /${name} -->)`);
  const text = readFileSync(file, 'utf8');
  if (!marked.test(text)) throw new Error(`${page} has no <!-- ${name} --> … <!-- /${name} -->`);
  // Placeholders such as <task> would be taken for HTML in a table.
  const shown = [...lines, ''].map((line) => line.replaceAll('<task>', '\\<task>')).join('\n');
  writeFileSync(
    file,
    text.replace(marked, () => shown),
  );
}
