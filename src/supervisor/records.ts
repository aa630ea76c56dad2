// Files that tell people what an agent was told and what it printed: `.liza/agent-prompts` and
// `.liza/agent-logs`, the latest of each agent only. Also the `liza` that agents find on their PATH.

import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Instant } from '../core/time.ts';
import type { Paths } from '../store/paths.ts';

const KEPT = 40;

export interface SessionFiles {
  readonly prompt: string;
  readonly log: string;
}

export function sessionFiles(paths: Paths, agent: string, task: string | undefined, now: Instant): SessionFiles {
  // To the millisecond: two sessions may begin in one second.
  const time = new Date(now).toISOString().replace(/[:-]/g, '').replace('.', '-');
  const name = [agent, time, task].filter((part) => part !== undefined).join('.');
  return {
    prompt: fileFor(paths, 'agent-prompts', agent, `${name}.md`),
    log: fileFor(paths, 'agent-logs', agent, `${name}.log`),
  };
}

function fileFor(paths: Paths, folder: string, agent: string, name: string): string {
  const parent = join(paths.liza, folder);
  mkdirSync(parent, { recursive: true });
  const older = readdirSync(parent)
    .filter((file) => file.startsWith(`${agent}.`))
    .sort();
  for (const file of older.slice(0, Math.max(0, older.length - KEPT + 1))) rmSync(join(parent, file), { force: true });
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
