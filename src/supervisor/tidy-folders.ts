// Folders of tasks that were abandoned or superseded, by whoever and from wherever: their work is kept as an
// attempt, then they go. A merged task's folder goes with its merge; one that is still at work in is left alone.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Board } from '../protocol/board.ts';
import { isRefusal } from '../protocol/decision.ts';
import { isTerminal } from '../protocol/state.ts';
import { tidy } from '../tasks/release.ts';
import { type SupervisorContext, taskContextOf } from './context.ts';

export interface Tidier {
  /** `busy`: an agent of ours still works in that task's folder. */
  look(board: Board, busy: (task: string) => boolean): Promise<void>;
}

export function tidier(context: SupervisorContext, agent: string): Tidier {
  /** Told once: whoever has it checked out may keep it. */
  const resisted = new Set<string>();
  return {
    look: async ({ state }, busy) => {
      const { root } = context.paths;
      for (const { id, status } of state.tasks) {
        if (!isTerminal(status) || resisted.has(id) || busy(id)) continue;
        if (!existsSync(join(root, '.worktrees', id))) continue;
        const done = await tidy(taskContextOf(context, agent), id, `its task is ${status}`);
        if (isRefusal(done)) {
          resisted.add(id);
          context.tell({ level: 'warning', task: id, text: `its folder stays: ${done.message} → ${done.hint}` });
        } else {
          const kept = done.attempt === undefined ? '' : `; its work is kept: liza attempts ${id}`;
          context.tell({ level: 'info', task: id, text: `${status}: its folder is put away${kept}` });
        }
      }
    },
  };
}
