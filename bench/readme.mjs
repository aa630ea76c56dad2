// Puts measured numbers into README.md, between `<!-- name -->` and `<!-- /name -->`.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export function intoReadme(name, lines) {
  const readme = join(import.meta.dirname, '..', 'README.md');
  const marked = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*(?=<!-- /${name} -->)`);
  const text = readFileSync(readme, 'utf8');
  if (!marked.test(text)) throw new Error(`README.md has no <!-- ${name} --> … <!-- /${name} -->`);
  // Placeholders such as <task> would be taken for HTML in a table.
  const shown = [...lines, ''].map((line) => line.replaceAll('<task>', '\\<task>')).join('\n');
  writeFileSync(
    readme,
    text.replace(marked, () => shown),
  );
}
