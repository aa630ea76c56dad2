// The command lines that a page in docs/ prints in its shell blocks, and the script that docs/rehearsal.md prints.

import fs from 'node:fs';
import path from 'node:path';
import { PACKAGE } from '../../support/build.ts';

export interface Block {
  readonly heading: string;
  /** Counted from 0 below its heading. */
  readonly nth: number;
  /** The number of its first line in the page. */
  readonly at: number;
  /** As printed, with the comment behind it. */
  readonly lines: readonly string[];
}

const textOf = (page: string): string => fs.readFileSync(path.join(PACKAGE, 'docs', `${page}.md`), 'utf8');

export function blocksOf(page: string): readonly Block[] {
  const found: Block[] = [];
  let heading = '';
  let open: { at: number; lines: string[] } | undefined;
  for (const [index, line] of textOf(page).split('\n').entries()) {
    if (open === undefined && line.startsWith('#')) heading = line.replace(/^#+ /, '');
    if (open === undefined && line === '```sh') open = { at: index + 2, lines: [] };
    else if (open !== undefined && line === '```') {
      found.push({ heading, nth: found.filter((block) => block.heading === heading).length, ...open });
      open = undefined;
    } else if (open !== undefined && line !== '') open.lines.push(line);
  }
  return found;
}

export function rehearsalScript(): string {
  const [, script] = /^```json\n([\s\S]*?)^```$/m.exec(textOf('rehearsal')) ?? [];
  if (script === undefined) throw new Error('docs/rehearsal.md prints no script');
  return script;
}

/** Whole commands within the text and the tables of a page: nothing left out (…), no placeholder but `<task>`. */
export function inlineCommands(page: string): readonly string[] {
  const text = textOf(page).replace(/^```[\s\S]*?^```$/gm, '');
  const found = [...text.matchAll(/`(liza [^`\n]+)`/g)].map(([, line = '']) => line.replaceAll('<task>', 'greet'));
  return [...new Set(found)].filter((line) => !/[…<>]/.test(line));
}
