// From the words of the command line to the text that is printed.

import { parseArgs } from 'node:util';
import { parseLedger } from './parse.mjs';
import { report } from './report.mjs';
import { totals } from './totals.mjs';

export function tally(words, readFile) {
  const { positionals, values } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { only: { type: 'string' } },
  });
  const { only } = values;
  const [file] = positionals;
  if (file === undefined) throw new Error('usage: tally <file> [--only groceries]');
  const entries = parseLedger(readFile(file)).filter(({ category }) => category === (only ?? category));
  return report(totals(entries));
}
