// agents/<id>.refused: the commands that an agent's session was refused, so that the next session is told what stood in
// the way. Bounded, one line each; kept for people and prompts, never authoritative.

import { join } from 'node:path';
import { appendBounded } from '../ports/files.ts';
import { isFields } from '../protocol/values.ts';
import { gist } from '../text/format.ts';
import type { BoardContext } from './context.ts';

type Place = Pick<BoardContext, 'files' | 'paths'>;

const LIMIT = 64 * 1024;
const TEXT = 500;
const LINE = 200;
/** So many are handed on; the last ones say most. */
const MOST = 5;

const fileOf = ({ paths }: Place, agent: string): string => join(paths.agents, `${agent}.refused`);

export interface Refused {
  /** The id of the session, so that nobody else's count. */
  readonly session: string;
  /** What the next session is told: command, fact and hint. */
  readonly text: string;
  /** What people read: the fact alone. */
  readonly fact: string;
  /** How much the agent had done by then (supervisor/rules/progress.ts): more by its end, and this was not its last word. */
  readonly done: number;
}

export function noteRefused(place: Place, agent: string, { session, text, fact, done }: Refused): void {
  const line = `${JSON.stringify({ session, text: gist(text, TEXT), fact: gist(fact, TEXT), done })}\n`;
  appendBounded(place.files, fileOf(place, agent), Buffer.from(line), LIMIT);
}

/** The last commands that this session was refused, oldest first, the same one once, with how often; before them, how many more there were. */
export function refusedIn(place: Place, agent: string, session: string): readonly string[] {
  const texts = noted(place, agent, session).flatMap(({ text }) =>
    typeof text === 'string' ? [gist(text, TEXT)] : [],
  );
  const times = new Map<string, number>();
  for (const text of texts.toReversed()) times.set(text, (times.get(text) ?? 0) + 1);
  const all = [...times].map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`));
  const more = all.length - MOST;
  const last = all.slice(0, MOST).reverse();
  return more > 0 ? [`(${more} more before these)`, ...last] : last;
}

/** The last thing that this session was refused, in one line for people. */
export function lastRefusal(place: Place, agent: string, session: string): Pick<Refused, 'fact' | 'done'> | undefined {
  const { fact, done } = noted(place, agent, session).at(-1) ?? {};
  return typeof fact === 'string' && typeof done === 'number' ? { fact: gist(fact, LINE), done } : undefined;
}

/** An agent may have written the file: what is no text counts for nothing. */
function noted(place: Place, agent: string, session: string): readonly Readonly<Record<string, unknown>>[] {
  const file = fileOf(place, agent);
  const lines = [`${file}.1`, file].flatMap((one) => place.files.read(one)?.toString('utf8').split('\n') ?? []);
  return lines.flatMap((line) => {
    try {
      const found: unknown = JSON.parse(line);
      return isFields(found) && found['session'] === session ? [found] : [];
    } catch {
      return [];
    }
  });
}
