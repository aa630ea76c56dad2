// Tries the set-up of the integration branch by itself, before or without any task: new work starts from there. How it
// came out is recorded as after every set-up (set-up.ts).

import { join } from 'node:path';
import { writeClone } from '../git/clone.ts';
import { integrationHead, openGitDir } from '../git/integration.ts';
import { setupPath } from '../git/scratch-folders.ts';
import { removeTree } from '../process/remove-tree.ts';
import { isRefusal } from '../protocol/decision.ts';
import { settings } from '../protocol/state.ts';
import { hasSetup } from '../protocol/work/setup-failures.ts';
import { type TaskContext, withSetupCheck } from './context.ts';
import type { Unprepared } from './prepare-checkout.ts';
import { setUp } from './set-up.ts';

/** `none`: nothing is to be prepared. */
export interface SetupChecked {
  readonly setup: 'none' | 'works';
  /** Where the integration branch is. */
  readonly commit: string;
}

/** A refusal: it fails, with the end of its output in `lines`; or (guard `folder-lock`) another process tries it just now. */
export async function checkSetup(context: TaskContext, patience = 0): Promise<SetupChecked | Unprepared> {
  const { board } = await context.store.read();
  const config = settings(board.state);
  const gitDir = await openGitDir(context, board);
  if (isRefusal(gitDir)) return gitDir;
  const commit = await integrationHead(gitDir, board);
  if (typeof commit !== 'string') return commit;
  if (!hasSetup(config)) return { setup: 'none', commit };
  return withSetupCheck<SetupChecked>(context, patience, async () => {
    const folder = setupPath(gitDir);
    const logFile = join(context.paths.liza, 'agent-logs', 'prepare-check.log');
    try {
      await writeClone(gitDir, folder, { start: commit });
      const failed = await setUp(context, gitDir, { part: 'check', commit, folder, settings: config, logFile });
      return failed ?? { setup: 'works', commit };
    } finally {
      await removeTree(context, folder);
    }
  });
}
