// Commands of agents, run in the supervisor's process: it has the board in memory, so nothing is loaded again and no program
// is started. Who asks is told by the same rules as ever (identity/gather.ts): in a sandbox from the environment of the
// session whose mailbox the request came through and the processes above, which are the supervisor's; outside from the
// process that asks and those above it (served/). Nothing that such a command does may end this process, wait for its
// terminal or change its folder.

import type { Environment } from '../ports/host.ts';
import { type Ancestor, ancestorsFrom } from '../process/ancestors.ts';
import type { Answer } from '../sandbox/answer-text.ts';
import type { ServeCommand } from '../sandbox/mailbox-broker.ts';
import { isServed } from '../sandbox/mailbox-commands.ts';
import type { StoreContext } from '../store/transact.ts';
import type { Io } from './io.ts';
import { findRoot } from './open-board.ts';
import { run } from './run.ts';

const LONGEST_ANSWER = 16 * 1024 * 1024;

/** Whose command it is. */
export interface ServedCaller {
  readonly env: Environment;
  readonly cwd: string;
  readonly unicode: boolean;
  ancestors(): Iterable<Ancestor>;
  limits(): string;
}

export const serveCommands =
  (io: Io, board: StoreContext): ServeCommand =>
  (request, env, stop) => {
    if (!isServed(request.argv)) return undefined;
    const caller: ServedCaller = {
      env,
      cwd: board.paths.root,
      unicode: io.unicode,
      ancestors: () => ancestorsFrom(io.host, io.self.pid),
      limits: io.limits,
    };
    return answered(request, servedIo(io, board, caller, stop));
  };

export async function answered(
  { argv, stdin }: { readonly argv: readonly string[]; readonly stdin?: string },
  io: ServedIo,
): Promise<Answer> {
  const said = { stdout: '', stderr: '' };
  const hear = (name: keyof typeof said) => (text: string) => {
    if (said[name].length + text.length <= LONGEST_ANSWER) said[name] += text;
  };
  const own = { ...io, readStdin: async () => stdin ?? '' };
  const code = await run(argv, { ...own, stdout: hear('stdout'), stderr: hear('stderr') });
  return { code, ...said };
}

export type ServedIo = Omit<Io, 'stdout' | 'stderr' | 'readStdin'>;

/** Field by field: whatever is looked at in the process's own Io may take its terminal, or its signals. */
export function servedIo(io: Io, board: StoreContext, caller: ServedCaller, stop: AbortSignal): ServedIo {
  const { env, cwd } = caller;
  const host = { ...io.host, env };
  return {
    host,
    cwd,
    env,
    root: () => findRoot(cwd),
    context: () => ({ ...board, env }),
    openStore: () => board.store,
    ancestors: caller.ancestors,
    limits: caller.limits,
    stop,
    interrupted: stop,
    onInterrupt: () => {},
    ending: () => {},
    live: async () => 'ended',
    holdOptimiser: () => {},
    asset: io.asset,
    ...(io.confines === true ? { confines: true } : {}),
    readLine: async () => '',
    openDialogue: undefined,
    stdoutIsTty: false,
    stderrIsTty: false,
    columns: 80,
    unicode: caller.unicode,
    color: false,
    self: {
      ...io.self,
      terminal: () => 'unknown',
      exit: (status) => {
        throw new Error(`a served command asked to end the process with ${status}`);
      },
      exitWithin: () => {},
      onExit: () => {},
    },
  };
}
