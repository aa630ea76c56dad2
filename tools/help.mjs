// `--help` for programs that explain themselves in the comment at their top: prints it and ends. Call it before anything
// else, with import.meta.filename.

import { readFileSync } from 'node:fs';

export function helpIfAsked(file) {
  if (!process.argv.slice(2).some((word) => word === '--help' || word === '-h')) return;
  const lines = readFileSync(file, 'utf8').split('\n');
  const from = lines.findIndex((line) => line.startsWith('//'));
  const to = lines.findIndex((line, at) => at > from && !line.startsWith('//'));
  console.log(
    lines
      .slice(from, to)
      .map((line) => line.replace(/^\/\/ ?/, ''))
      .join('\n'),
  );
  process.exit(0);
}
