// Whether a process outside the sandbox is an agent whose command may be run for it: exactly where its own program would
// find that it acts in its session. Everything else is left to that program, which refuses and records it as ever; so
// nobody is let in here who is not let in there, and no person is ever served.

import { readSession } from '../../identity/agent-sessions.ts';
import type { Asker } from '../../identity/asker.ts';
import { identify } from '../../identity/identify.ts';
import type { Environment } from '../../ports/host.ts';
import { markIn } from '../../process/own-rlimit-mark.ts';
import { isRefusal } from '../../protocol/decision.ts';
import { isServedOutside } from '../../sandbox/mailbox-commands.ts';
import type { StoreContext } from '../../store/transact.ts';
import { SERVED } from '../../supervisor/agent-client.ts';
import type { Io } from '../io.ts';
import { isUnicode } from '../is-unicode.ts';
import { findRoot } from '../open-board.ts';
import { type ServedIo, servedIo } from '../serve-commands.ts';

export interface ServedAgent {
  readonly agent: string;
  readonly io: ServedIo;
}

/** Undefined: its own program runs the command. */
export async function servedAgent(
  io: Io,
  board: StoreContext,
  asker: Asker,
  stop: AbortSignal,
): Promise<ServedAgent | undefined> {
  const { argv, env, cwd } = asker;
  // Elsewhere nothing is looked at: a folder that does not answer would hold up the crew.
  const isBelow = `${cwd}/`.startsWith(`${board.paths.root}/`) && board.disk.existsSync(cwd);
  const isHere = isBelow && findRoot(cwd) === board.paths.root;
  if (!isServedOutside(argv) || !isUsual(env, board.env) || !isHere) return undefined;
  const { PERL_BADLANG: _, ...own } = env;
  const caller = {
    env: own,
    cwd,
    unicode: isUnicode(own),
    ancestors: () => asker.ancestors,
    limits: () => asker.limits,
  };
  const mark = markIn(asker.limits);
  const context = mark === undefined ? board : { ...board, mark };
  const served = servedIo(io, context, caller, stop);
  const actor = await identify(served, board.paths.root);
  if (isRefusal(actor) || actor.id === undefined || actor.session === undefined) return undefined;
  // Its credential alone may have come into other hands.
  const its = readSession(board, actor.id)?.process;
  const isOurs = asker.ancestors.some(({ pid, started }) => its?.pid === pid && its.started === started);
  return isOurs ? { agent: actor.id, io: served } : undefined;
}

/** Of the session itself. */
const OF_SESSION: ReadonlySet<string> = new Set([
  ...['LIZA_AGENT_ID', 'LIZA_SESSION', 'LIZA_EPOCH', 'LIZA_BRANCH', 'LIZA_PROGRAM'],
  SERVED,
]);

/** What else says how Liza works must be as it is here. */
const isUsual = (env: Environment, here: Environment): boolean =>
  Object.entries(env).every(
    ([name, value]) => !name.startsWith('LIZA_') || OF_SESSION.has(name) || here[name] === value,
  );
