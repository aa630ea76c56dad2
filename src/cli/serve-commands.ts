// Commands of confined agents, run in the supervisor's process: it has the board in memory, so nothing is loaded again and
// no program is started. Who asks is told by the same rules as ever, from the environment of the session whose mailbox the
// request came through and the processes above, which are the supervisor's (identity/gather.ts). Nothing that such a
// command does may end this process, wait for its terminal or change its folder.

import { ancestorsFrom } from '../process/ancestors.ts';
import type { Answer, ServeCommand } from '../sandbox/mailbox-broker.ts';
import { isServed } from '../sandbox/mailbox-commands.ts';
import type { StoreContext } from '../store/transact.ts';
import type { Io } from './io.ts';
import { findRoot } from './open-board.ts';
import { run } from './run.ts';

const LONGEST_ANSWER = 16 * 1024 * 1024;

export const serveCommands =
  (io: Io, board: StoreContext): ServeCommand =>
  (request, env, stop) => {
    if (!isServed(request.argv)) return undefined;
    const own = servedIo(io, board, env, stop);
    return answered(request.argv, { ...own, readStdin: async () => request.stdin ?? '' });
  };

async function answered(argv: readonly string[], io: Omit<Io, 'stdout' | 'stderr'>): Promise<Answer> {
  const said = { stdout: '', stderr: '' };
  const hear = (name: keyof typeof said) => (text: string) => {
    if (said[name].length + text.length <= LONGEST_ANSWER) said[name] += text;
  };
  const code = await run(argv, { ...io, stdout: hear('stdout'), stderr: hear('stderr') });
  return { code, ...said };
}

type ServedIo = Omit<Io, 'stdout' | 'stderr' | 'readStdin'>;

/** Field by field: whatever is looked at in the process's own Io may take its terminal, or its signals. */
function servedIo(io: Io, board: StoreContext, env: Io['env'], stop: AbortSignal): ServedIo {
  const { root } = board.paths;
  const host = { ...io.host, env };
  return {
    host,
    cwd: root,
    env,
    root: () => findRoot(root),
    context: () => ({ ...board, env }),
    openStore: () => board.store,
    ancestors: () => ancestorsFrom(host, io.self.pid),
    mark: io.mark,
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
    unicode: io.unicode,
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
