// One command, decided and committed in one transaction.

import type { Actor, Board } from '../protocol/board.ts';
import type { Command } from '../protocol/command.ts';
import { decide } from '../protocol/decide.ts';
import { secretsOf } from '../text/redact.ts';
import type { BoardContext } from './context.ts';
import type { Outcome, Snapshot, Store } from './store.ts';

/** A board that is open. */
export interface StoreContext extends BoardContext {
  readonly store: Store;
}

/** An open board, and who acts on it. */
export interface CommandContext extends StoreContext {
  readonly actor: Actor;
}

type Acting = Pick<CommandContext, 'actor' | 'store' | 'env'>;

export function transact({ actor, store, env }: Acting, command: Command): Promise<Outcome> {
  const secrets = secretsOf(env);
  return store.transact({ actor, command: command.name }, (board, now) =>
    decide(board, command, { actor, now, secrets }),
  );
}

export type Seen = Pick<Snapshot, 'board' | 'now'>;

/** Decides on the board as it is now, or as it was just read, and writes nothing. */
export async function foresee(
  { actor, store, env }: Acting,
  command: Command,
  seen?: Seen,
): Promise<ReturnType<typeof decide>> {
  const { board, now } = seen ?? (await store.read());
  return decide(board, command, { actor, now, secrets: secretsOf(env) });
}

/** The board, or the state that a transaction left. */
export type Known = Pick<Board, 'state'>;
