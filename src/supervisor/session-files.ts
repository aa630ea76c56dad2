// Files that tell people what an agent was told and what it printed: `.liza/agent-prompts` and
// `.liza/agent-logs`, as many as there is room for. Also the `liza` that agents find on their PATH.

import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTerminal, type State, settings } from '../protocol/state.ts';
import type { Paths } from '../store/paths.ts';
import { filesToDrop, type LogRoom } from '../tasks/rules/log-retention.ts';
import type { Instant } from '../text/time.ts';

const KEPT = 40;
const DEFAULT_MB = 512;

export interface SessionFiles {
  readonly prompt: string;
  readonly log: string;
}

/** Also makes room for them. */
export function sessionFiles(
  paths: Paths,
  agent: string,
  task: string | undefined,
  now: Instant,
  state?: State,
): SessionFiles {
  // To the millisecond: two sessions may begin in one second.
  const time = new Date(now).toISOString().replace(/[:-]/g, '').replace('.', '-');
  const name = [agent, time, task].filter((part) => part !== undefined).join('.');
  const live = state?.tasks.filter(({ status }) => !isTerminal(status)).map(({ id }) => id) ?? [];
  const room = {
    bytes: (state === undefined ? DEFAULT_MB : settings(state).agent_logs_mb) * 1e6,
    each: KEPT,
    liveTasks: new Set(live),
  };
  return {
    prompt: fileFor(paths, 'agent-prompts', `${name}.md`, room),
    log: fileFor(paths, 'agent-logs', `${name}.log`, room),
  };
}

function fileFor(paths: Paths, folder: string, name: string, room: LogRoom): string {
  const parent = join(paths.liza, folder);
  mkdirSync(parent, { recursive: true });
  const there = readdirSync(parent).flatMap((file) => {
    const stat = lstatSync(join(parent, file), { throwIfNoEntry: false });
    return stat?.isFile() === true ? [{ name: file, bytes: stat.size, time: stat.mtimeMs }] : [];
  });
  for (const file of filesToDrop(there, room)) rmSync(join(parent, file), { force: true });
  return join(parent, name);
}

export function writePrompt(file: string, contract: string, prompt: string): void {
  writeFileSync(file, `${contract.trimEnd()}\n\n${prompt.trimEnd()}\n`, { mode: 0o600 });
}

/** Written anew at every start: an upgrade moves the program. */
export function writeBin(paths: Paths, liza: readonly string[]): string {
  const folder = join(paths.liza, 'cache', 'bin');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'liza');
  // Others may start at this very moment.
  const temporary = `${file}.${randomUUID()}`;
  writeFileSync(temporary, `#!/bin/sh\nexec ${liza.map(quoted).join(' ')} "$@"\n`);
  chmodSync(temporary, 0o755);
  renameSync(temporary, file);
  return folder;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;
