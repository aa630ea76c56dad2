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
/** So many are handed on; the last ones say most. */
const MOST = 5;

const fileOf = ({ paths }: Place, agent: string): string => join(paths.agents, `${agent}.refused`);

/** `session`: the id of the session, so that nobody else's count. */
export function noteRefused(place: Place, agent: string, session: string, text: string): void {
  const line = `${JSON.stringify({ session, text: gist(text, TEXT) })}\n`;
  appendBounded(place.files, fileOf(place, agent), Buffer.from(line), LIMIT);
}

/** The last commands that this session was refused, oldest first, the same one once; before them, how many more there were. */
export function refusedIn(place: Place, agent: string, session: string): readonly string[] {
  const file = fileOf(place, agent);
  const lines = [`${file}.1`, file].flatMap((one) => place.files.read(one)?.toString('utf8').split('\n') ?? []);
  const texts = lines.flatMap((line) => textOf(line, session) ?? []);
  const all = [...new Set(texts.reverse())];
  const more = all.length - MOST;
  const last = all.slice(0, MOST).reverse();
  return more > 0 ? [`(${more} more before these)`, ...last] : last;
}

/** An agent may have written the file: what is no text counts for nothing. */
function textOf(line: string, session: string): string | undefined {
  try {
    const found: unknown = JSON.parse(line);
    if (!isFields(found) || found['session'] !== session || typeof found['text'] !== 'string') return undefined;
    return gist(found['text'], TEXT);
  } catch {
    return undefined;
  }
}
