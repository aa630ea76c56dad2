// What a rewritten branch of a person's has no more, and the integration branch still has.

import { counted } from '../../text/format.ts';

const MOST = 10;

export function rewrittenLines(commits: readonly string[], say: (these: string) => string): readonly string[] {
  if (commits.length === 0) return [];
  return [
    `${say(counted(commits.length, 'commit'))} that it has no more:`,
    ...commits.slice(0, MOST).map((line) => `  ${line}`),
    ...(commits.length > MOST ? [`  and ${commits.length - MOST} more`] : []),
  ];
}
