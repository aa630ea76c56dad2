// From the words of the command line to the text that is printed.

import { parseArgs } from 'node:util';
import { parseLedger } from './parse.mjs';
import { report } from './report.mjs';
import { totals } from './totals.mjs';

export function tally(words, readFile) {
  const { positionals, values } = parseArgs({
    args: words,
    allowPositionals: true,
    options: { month: { type: 'string' }, only: { type: 'string' } },
  });
  const { month = '', only } = values;
  const [file] = positionals;
  if (file === undefined) throw new Error('usage: tally <file> [--month 2026-03] [--only groceries]');
  const entries = parseLedger(readFile(file))
    .filter(({ date }) => date.startsWith(month))
    .filter(({ category }) => category === (only ?? category));
  return report(totals(entries));
}
