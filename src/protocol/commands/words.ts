// Words that the rows of several parts share. Apart from them: who needs a word loads no rows.

import { gist, listed } from '../../text/format.ts';
import type { CommandName } from '../command.ts';
import type { Situation } from '../command-row.ts';

export const STOP = 'Stop now: liza exit 42 --reason "lease lost"';

/** For an agent that asks for a task it does not hold: it may have mistaken the id of its own. */
export function ownOrStop({ state, actor, task }: Pick<Situation<CommandName>, 'state' | 'actor' | 'task'>): string {
  const own = state.agents[actor.id ?? '']?.current_task;
  return own === undefined || own === task.id ? STOP : `Your task is ${own}: liza show ${own}`;
}

export const firstLine = (text: string, limit = 120): string => gist(text.split('\n', 1)[0] ?? '', limit);

export const list = (items: readonly string[]): string => listed(items, 10);
