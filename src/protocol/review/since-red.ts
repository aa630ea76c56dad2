// What the record says of red runs before a green one, in words for whoever judges the green one.

import { counted } from '../../text/format.ts';
import type { PathList } from '../facts/diff-facts.ts';
import { isFields } from '../values.ts';

/** Red submissions at other commits of the same iteration, and the difference to the nearest of them. */
export interface SinceRed {
  readonly red: number;
  readonly commit?: string;
  /** Added and removed; blank lines and spaces do not count. */
  readonly lines?: number;
  readonly files?: PathList;
}

/** As an event of the record has it, which people may edit. */
export function sinceRedOf(entry: Readonly<Record<string, unknown>> | undefined): SinceRed | undefined {
  const found = entry?.['since_red'];
  if (!isFields(found) || typeof found['red'] !== 'number') return undefined;
  const { red, commit, lines, files } = found;
  const paths = isFields(files) && Array.isArray(files['paths']) ? files['paths'].map(String) : [];
  const more = isFields(files) && typeof files['more'] === 'number' ? { more: files['more'] } : {};
  return {
    red,
    ...(typeof commit === 'string' && typeof lines === 'number' ? { commit, lines, files: { paths, ...more } } : {}),
  };
}

/** Fewer changed lines than that may well have mended nothing. */
const LITTLE = 10;

export const isLittle = ({ lines }: SinceRed): boolean => lines !== undefined && lines <= LITTLE;

/** `red, red, green; …`: with the runs of the very commit that were red. */
export function sinceRedText({ red, commit, lines, files }: SinceRed, same: number): string {
  const times = red + same;
  const runs = times > 5 ? `red ${times} times, then green` : `${'red, '.repeat(times)}green`;
  if (commit === undefined || lines === undefined) return runs;
  const more = files?.more === undefined ? '' : ` and ${files.more} more`;
  const by = lines === 0 ? 'no line' : `${counted(lines, 'line')}, in ${(files?.paths ?? []).join(', ')}${more}`;
  return `${runs}; the nearest red commit, ${commit.slice(0, 12)}, differs by ${by}`;
}
