// For an agent whose command was refused: whether its role may run that command at all. What is wrong with the arguments
// would only teach it to try again; what it can do instead helps. Never says more than the table.

import { humanOnly } from '../identity/identify.ts';
import { roleOfId } from '../protocol/board.ts';
import { isRefusal, type Refusal } from '../protocol/decision.ts';
import { rowsOfVerb } from '../protocol/next-commands.ts';
import { TABLE } from '../protocol/table.ts';
import type { Io } from './io.ts';
import { openProject } from './open-project.ts';
import type { LoadedVerb } from './verb.ts';

/** The commands that begin with this word, and the one that it is the longer form of (`discovery`: `discover`), as far as the agent's role may run them. */
export function familyOf(word: string, agent: string, names: readonly string[]): readonly string[] {
  const role = roleOfId(agent);
  if (role === undefined || !names.some((name) => name.startsWith(`${word} `))) return [];
  const near = names.filter(
    (name) => name.startsWith(`${word} `) || (word.startsWith(name) && name.length >= SHORTEST),
  );
  return near.filter((name) => {
    const rows = rowsOfVerb(name).map((row) => TABLE[row]);
    return rows.length === 0 || rows.some(({ who }) => who.includes(role));
  });
}

const SHORTEST = 4;

/** Undefined: it may, or no rule says who may. `words`: what was typed behind the verb. */
export async function refusedToRole(verb: LoadedVerb, words: readonly string[], io: Io): Promise<Refusal | undefined> {
  if (verb.operatorOnly) return humanOnly(io, verb.name);
  const rows = rowsOfVerb(verb.name);
  const context = rows.length === 0 ? undefined : await openProject(io);
  if (context === undefined || isRefusal(context)) return undefined;
  const { refusedByRole } = await import('../protocol/decide.ts');
  const { findTask } = await import('../protocol/find.ts');
  const { board } = await context.store.read();
  const first = verb.positionals[0]?.kind === 'task' ? words.find((word) => !word.startsWith('-')) : undefined;
  const named = findTask(board.state, first ?? '')?.id;
  const refusals = rows.map((name) =>
    refusedByRole(board, named === undefined ? { name } : { name, task: named }, context.actor),
  );
  return refusals.includes(undefined) ? undefined : refusals[0];
}
