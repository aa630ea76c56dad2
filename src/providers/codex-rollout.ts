// What Codex writes down of a thread while it works, in its own folder: tokens after every request, and how
// full the context is, neither of which its stream tells. Only ever read, and only the file's end.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { amount, context, object, record } from './json-lines.ts';
import type { AgentEvent, Counting } from './provider.ts';
import { since, usage } from './token-counts.ts';

const TAIL_BYTES = 256 * 1024;
/** A thread keeps the file of the day it began on; one that is further behind than so many folders is not looked for. */
const MOST_FOLDERS = 100;

/** The newest figures, or none. Never throws: they are a help, not a need. */
export async function rolloutFigures(
  { disk, env }: Pick<Host, 'disk' | 'env'>,
  thread: string,
  counting: Counting = {},
): Promise<readonly AgentEvent[]> {
  const home = env['CODEX_HOME'] ?? (env['HOME'] === undefined ? undefined : join(env['HOME'], '.codex'));
  if (home === undefined || !/^[\w-]{1,100}$/.test(thread)) return [];
  try {
    const file = rolloutOf(disk, join(home, 'sessions'), thread);
    return file === undefined ? [] : figuresIn(await tailOf(disk, file), counting);
  } catch {
    return [];
  }
}

/** sessions/2026/11/15/rollout-…-<thread>.jsonl, newest day first. */
function rolloutOf(disk: Disk, sessions: string, thread: string): string | undefined {
  let left = MOST_FOLDERS;
  const newestFirst = (folder: string): readonly string[] =>
    namesIn(folder)
      .filter((name) => /^\d+$/.test(name))
      .sort()
      .reverse()
      .map((name) => join(folder, name));
  /** The folder is the agent's to fill: links lead nowhere, and of one with as many names nothing is looked for. */
  const namesIn = (folder: string): readonly string[] => {
    left -= 1;
    if (left < 0 || disk.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const names = disk.someNames(folder, MOST_NAMES);
    return names.length < MOST_NAMES ? names : [];
  };
  for (const year of newestFirst(sessions))
    for (const month of newestFirst(year))
      for (const day of newestFirst(month)) {
        if (left <= 0) return undefined;
        const found = namesIn(day).find((name) => name.endsWith(`-${thread}.jsonl`));
        if (found !== undefined) return join(day, found);
      }
  return undefined;
}

const MOST_NAMES = 2000;

async function tailOf(disk: Disk, path: string): Promise<string> {
  // The folder may be an agent's own: a pipe that it left there must not hold us up, nor a link lead us away.
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = disk.constants;
  const file = await disk.promises.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
  try {
    const stat = await file.stat();
    const size = stat.isFile() ? stat.size : 0;
    const start = Math.max(0, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, TAIL_BYTES)),
      position: start,
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

function figuresIn(tail: string, { before, model }: Counting): readonly AgentEvent[] {
  for (const line of tail.split('\n').reverse()) {
    if (!line.includes('"token_count"')) continue;
    const info = object(object(record(line)?.['payload'])?.['info']);
    const total = object(info?.['total_token_usage']);
    const input = amount(total?.['input_tokens']);
    if (input === undefined) continue;
    const used = amount(object(info?.['last_token_usage'])?.['total_tokens']);
    return [
      usage({
        input: since(input, before?.input),
        output: since(amount(total?.['output_tokens']) ?? 0, before?.output),
        cached: since(amount(total?.['cached_input_tokens']) ?? 0, before?.cached),
        model,
      }),
      ...context(used, amount(info?.['model_context_window'])),
    ];
  }
  return [];
}
