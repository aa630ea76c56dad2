// What comes before `liza run` on a board where nothing is planned yet: a run may be refused for the goal's document.

import { realDisk } from '../ports/disk.ts';
import type { Board } from '../protocol/board.ts';
import type { BoardContext } from '../store/context.ts';
import type { Io } from './io.ts';
import { TEMPLATE } from './spec-file.ts';

/** Undefined: a run would start, as far as that document goes. */
export async function unreadyText(io: Io, context: BoardContext, board: Board): Promise<string | undefined> {
  if (board.state.goal.status !== 'PLANNING' || board.state.tasks.length > 0) return undefined;
  const { visionStop } = await import('../preflight/quick-checks.ts');
  const stopped = await visionStop(context, board, realDisk.readFileSync(io.asset(TEMPLATE), 'utf8'));
  return stopped && `${stopped.message}; ${stopped.mend}`;
}
