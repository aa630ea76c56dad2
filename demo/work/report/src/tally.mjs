// From the words of the command line to the text that is printed.

import { parseArgs } from 'node:util';
import { parseLedger } from './parse.mjs';
import { report } from './report.mjs';
import { totals } from './totals.mjs';

export function tally(words, readFile) {
  const { positionals } = parseArgs({ args: words, allowPositionals: true, options: {} });
  const [file] = positionals;
  if (file === undefined) throw new Error('usage: tally <file>');
  const entries = parseLedger(readFile(file));
  return report(totals(entries));
}
