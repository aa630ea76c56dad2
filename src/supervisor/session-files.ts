// Files that show people each session's prompt and output: `.liza/agent-prompts` and `.liza/agent-logs`, as many as there
// is room for. Also the `liza` that agents find on their PATH.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { isTerminal, type State, settings } from '../protocol/state.ts';
import type { SessionRequest } from '../providers/provider.ts';
import type { BoardContext } from '../store/context.ts';
import { filesToDrop, type LogQuota } from '../tasks/rules/log-retention.ts';
import type { Instant } from '../text/time.ts';

const KEPT = 40;

export interface SessionFiles {
  readonly prompt: string;
  readonly log: string;
}

/** Names the files of a new session, and removes old ones to make room. */
export function sessionFiles(
  context: BoardContext,
  { agent, task }: { readonly agent: string; readonly task?: string },
  now: Instant,
  state: State,
): SessionFiles {
  // To the millisecond: two sessions may begin in one second.
  const time = new Date(now).toISOString().replace(/[:-]/g, '').replace('.', '-');
  const name = [agent, time, task].filter((part) => part !== undefined).join('.');
  const live = state.tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id);
  const room = {
    bytes: settings(state).agent_logs_mb * 1e6,
    each: KEPT,
    liveTasks: new Set(live),
  };
  return {
    prompt: fileFor(context, 'agent-prompts', `${name}.md`, room),
    log: fileFor(context, 'agent-logs', `${name}.log`, room),
  };
}

function fileFor({ disk, paths }: BoardContext, folder: string, name: string, room: LogQuota): string {
  const parent = join(paths.liza, folder);
  disk.mkdirSync(parent, { recursive: true });
  const there = disk.readdirSync(parent).flatMap((file) => {
    const stat = disk.lstatSync(join(parent, file), { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ name: file, bytes: stat.size, time: stat.mtimeMs }] : [];
  });
  for (const file of filesToDrop(there, room)) disk.rmSync(join(parent, file), { force: true });
  return join(parent, name);
}

export function writePrompt(disk: Disk, file: string, { contract, prompt }: SessionRequest): void {
  disk.writeFileSync(file, `${contract.trimEnd()}\n\n${prompt.trimEnd()}\n`, { mode: 0o600 });
}
