// What nearly every verb does: know who is asking, open the blackboard, have one command decided
// in one transaction, and say in one line what changed. Decisions are made in protocol/decide.ts only.

import { identify } from '../identity/identify.ts';
import type { Actor } from '../protocol/board.ts';
import type { Command } from '../protocol/command.ts';
import type { Refusal } from '../protocol/decision.ts';
import type { Committed, Store } from '../store/store.ts';
import type { Io } from './io.ts';
import { plain } from './render/terminal.ts';
import type { Done, Result } from './verb.ts';

export interface Desk {
  readonly actor: Actor;
  readonly store: Store;
  readonly root: string;
  /** Of the caller's environment; no text of an agent may hold one. */
  readonly secrets?: readonly string[];
}

export const refused = <T extends object>(value: T | Refusal): value is Refusal => 'ok' in value && value.ok === false;

export async function openDesk(io: Io): Promise<Desk | Refusal> {
  const root = io.root();
  if (typeof root !== 'string') return root;
  const actor = await identify(io, root);
  if (refused(actor)) return actor;
  const store = await io.openStore();
  if (refused(store)) return store;
  if (actor.id === undefined) return { actor, store, root };
  const { secretsOf } = await import('../text/redact.ts');
  return { actor, store, root, secrets: secretsOf(io.env) };
}

/** What to add once it is done, such as the next command. */
export type Telling = (committed: Committed) => Pick<Done, 'lines' | 'data'>;

export async function decideAt(desk: Desk, command: Command, tell?: Telling): Promise<Result> {
  const { decide } = await import('../protocol/decide.ts');
  const { actor, secrets = [] } = desk;
  const outcome = await desk.store.transact({ actor, command: command.name }, (board, now) =>
    decide(board, command, { actor, now, secrets }),
  );
  return outcome.ok ? committedResult(outcome, tell) : outcome;
}

/** For verbs that need no facts from the disk. */
export async function act(io: Io, command: Command, tell?: Telling): Promise<Result> {
  const desk = await openDesk(io);
  return refused(desk) ? desk : decideAt(desk, command, tell);
}

/** What a committed change is told as; `tell` adds to it. */
export function committedResult(committed: Committed, tell?: Telling): Result {
  const extra = tell?.(committed) ?? {};
  const task = committed.task === undefined ? undefined : committed.state.tasks.find(({ id }) => id === committed.task);
  return {
    ok: true,
    message: committed.already ? `already done: ${committed.detail}` : committed.detail,
    lines: [...(committed.notes ?? []).map(plain), ...(committed.already ? [] : (extra.lines ?? []))],
    data: {
      ...(committed.task === undefined ? {} : { task: committed.task }),
      ...(task === undefined ? {} : { status: task.status }),
      already: committed.already === true,
      seq: committed.seq,
      ...(committed.notes === undefined ? {} : { notes: committed.notes }),
      ...extra.data,
    },
    notices: committed.notices,
  };
}
