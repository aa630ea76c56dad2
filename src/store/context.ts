// What everything on one board works with: the machine, and where the board is on it. Built once in cli/process-io.ts and
// extended by what acts on the board (transact.ts), works on tasks (tasks/context.ts) or supervises agents
// (supervisor/context.ts).

import type { Files } from '../ports/files.ts';
import type { Host } from '../ports/host.ts';
import type { LockResult } from '../ports/locks.ts';
import type { Paths } from './paths.ts';
import type { SharedBoard } from './shared-board.ts';

export interface BoardContext extends Host {
  readonly files: Files;
  readonly paths: Paths;
  /** The board is on PostgreSQL; the files here are views of it. The clock is then the server's. */
  readonly shared?: SharedBoard;
  readonly lock: () => Promise<LockResult>;
  /** Whether the file behind a spec_ref is there, inside the project. */
  readonly specExists: (specRef: string) => boolean;
  /** Reading leaves nothing behind, not even a fresher cache. */
  readonly leavesCache?: true;
}
