// Findings as lines for people: a mark, what was looked at, what is so, and below it what to do.

import { plain } from './terminal.ts';

export interface ShownFinding {
  /** `ok`, `WARN`, `STOP`: told by a word, never by colour alone. */
  readonly mark: string;
  readonly check: string;
  readonly message: string;
  readonly remedy?: string | undefined;
  /** The end of what a program printed. */
  readonly output?: readonly string[] | undefined;
}

const INDENT = ' '.repeat(16);

export const findingLines = ({ mark, check, message, remedy, output = [] }: ShownFinding): readonly string[] => [
  `${mark.padEnd(4)} ${check.padEnd(10)} ${plain(message)}`,
  ...output.map((line) => `${INDENT}  | ${plain(line)}`),
  ...(remedy === undefined ? [] : [`${INDENT}→ ${plain(remedy)}`]),
];
