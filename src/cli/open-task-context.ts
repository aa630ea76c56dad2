// What a verb that works on git hands down to its workflow.

import type { Attempt } from '../git/attempts.ts';
import { siteOf } from '../git/directory.ts';
import { programEnvironment } from '../process/tags.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import type { TaskContext } from '../tasks/context.ts';
import type { Io } from './io.ts';
import { openProject } from './open-project.ts';
import { plain } from './render/terminal.ts';

export async function openTaskContext(io: Io): Promise<TaskContext | Refusal> {
  const context = await openProject(io);
  if (isRefusal(context)) return context;
  return {
    ...context,
    env: programEnvironment(io.env, siteOf(context.paths.root)),
    ...(io.confines === true
      ? { sandboxSupport: (await import('../sandbox/mode.ts')).sandboxSupportOf(io.host, io.self.argv) }
      : {}),
    say: (line) => io.stderr(`${plain(line)}\n`),
    stop: () => io.interrupted,
  };
}

/** Where discarded work is, for people. */
export function keptLines(attempt: Attempt | undefined): readonly string[] {
  if (attempt === undefined) return [];
  const { ref, commits, uncommitted, task } = attempt;
  return [
    `its work is kept as ${ref} (${commits} commit(s), ${uncommitted} uncommitted file(s)): liza attempts ${task}`,
  ];
}
