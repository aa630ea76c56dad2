// JSON that does not fit a shell word: `-` reads stdin, a name reads a file below cwd. (stdin-text.ts has the texts.)

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { quoted } from '../protocol/ids.ts';
import { isBrokered, refuseFile } from '../sandbox/mailbox-commands.ts';
import type { Io } from './io.ts';

/** JSON from stdin (`-`), from a file, or written out. */
export async function readJson(io: Io, source: string): Promise<{ readonly json: unknown } | Refusal> {
  const text = await readSource(io, source);
  if (typeof text !== 'string') return text;
  try {
    return { json: JSON.parse(text) as unknown };
  } catch (error) {
    const what = source === '-' ? 'stdin' : quoted(source);
    return refuse(`${what} is not JSON: ${(error as Error).message}`, 'check quotes and commas', 1, 'json');
  }
}

async function readSource(io: Io, source: string): Promise<string | Refusal> {
  if (source === '-') return io.readStdin();
  if (/^\s*[{[]/.test(source)) return source;
  const path = source.replace(/^@/, '');
  if (isBrokered(io.env)) return refuseFile(quoted(path));
  try {
    return readFileSync(resolve(io.cwd, path), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return refuse(`there is no file ${quoted(path)}`, 'name a JSON file, or - for stdin', 1, 'json');
  }
}
