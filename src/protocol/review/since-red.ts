// What the record says of red runs before a green one, in words for whoever judges the green one.

import { counted } from '../../text/format.ts';
import { commandsRun } from '../facts/command-files.ts';
import type { PathList } from '../facts/diff-facts.ts';
import { onlyReads } from '../facts/test-commands.ts';
import { commandsWithin } from '../shell/nested-commands.ts';
import { isFields } from '../values.ts';

/** Red submissions at other commits of the same iteration, and the difference to the nearest of them. */
export interface SinceRed {
  readonly red: number;
  /** Which they were, in order, the last few. */
  readonly at?: readonly RedAt[];
  readonly commit?: string;
  /** Added and removed; blank lines and spaces do not count. */
  readonly lines?: number;
  readonly files?: PathList;
}

/** A commit that was run so often, each time red. */
export interface RedAt {
  readonly commit: string;
  readonly times: number;
  /** What was red. */
  readonly command?: string;
}

const isRedAt = (one: unknown): one is RedAt =>
  isFields(one) && typeof one['commit'] === 'string' && typeof one['times'] === 'number';

/** As an event of the record has it, which people may edit. */
export function sinceRedOf(entry: Readonly<Record<string, unknown>> | undefined): SinceRed | undefined {
  const found = entry?.['since_red'];
  if (!isFields(found) || typeof found['red'] !== 'number') return undefined;
  const { red, at, commit, lines, files } = found;
  const paths = isFields(files) && Array.isArray(files['paths']) ? files['paths'].map(String) : [];
  const more = isFields(files) && typeof files['more'] === 'number' ? { more: files['more'] } : {};
  return {
    red,
    ...(Array.isArray(at) ? { at: at.filter(isRedAt) } : {}),
    ...(typeof commit === 'string' && typeof lines === 'number' ? { commit, lines, files: { paths, ...more } } : {}),
  };
}

/** Fewer changed lines than that may well have mended nothing. */
const LITTLE = 10;

export const isLittle = ({ lines }: SinceRed): boolean => lines !== undefined && lines <= LITTLE;

/** The nearest one was run more than once, and red each time: chance did not make it green. */
export const isSteady = ({ commit, at = [] }: SinceRed): boolean =>
  at.some((one) => one.commit === commit && one.times > 1);

/** What was red only reads texts: the same files always come out the same. */
export const onlyReadTexts = ({ at = [] }: SinceRed): boolean =>
  at.length > 0 && at.every(({ command }) => command !== undefined && !command.endsWith('…') && readsTexts(command));

const readsTexts = (command: string): boolean =>
  commandsRun(commandsWithin(command), {}).every((run) => run.program === 'exit' || onlyReads(run));

/** `red at 47ffaa0fcb0f (both times; by npm test), then green; …`: with the runs of the very commit that were red. */
export function sinceRedText(since: SinceRed, same: number): string {
  const { commit, lines, files } = since;
  const runs = runsText(since, same);
  if (commit === undefined || lines === undefined) return runs;
  const more = files?.more === undefined ? '' : ` and ${files.more} more`;
  const by =
    lines === 0
      ? 'no line'
      : `${counted(lines, 'line')} (blanks not counted), in ${(files?.paths ?? []).join(', ')}${more}`;
  return `${runs}; the nearest red commit, ${commit.slice(0, 12)}, differs by ${by}`;
}

function runsText({ red, at = [] }: SinceRed, same: number): string {
  const times = red + same;
  if (at.length === 0) return times > 5 ? `red ${times} times, then green` : `${'red, '.repeat(times)}green`;
  // Once is enough where it was the same each time.
  const [common] =
    at.length > 1 && new Set(at.map(({ command }) => command)).size === 1 ? at.map((one) => one.command) : [];
  const earlier = red - at.reduce((all, one) => all + one.times, 0);
  const told = [
    ...(earlier > 0 ? [`others before (${counted(earlier, 'time')})`] : []),
    ...at.map((one) => redAt(common === undefined ? one : { commit: one.commit, times: one.times })),
    ...(same > 0 ? [`this very commit (${counted(same, 'time')})`] : []),
  ];
  return `red at ${told.join(', at ')}${common === undefined ? '' : `, by ${common}`}, then green`;
}

const often = (times: number): string => (times === 1 ? 'once' : times === 2 ? 'both times' : `each of ${times} times`);

function redAt({ commit, times, command }: RedAt): string {
  const how = [...(times > 1 ? [often(times)] : []), ...(command === undefined ? [] : [`by ${command}`])];
  return `${commit.slice(0, 12)}${how.length === 0 ? '' : ` (${how.join('; ')})`}`;
}
