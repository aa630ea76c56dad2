// From what was typed and what is installed to a crew at work: shared by `run`, `agent` and `demo`.

import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { realDisk } from '../ports/disk.ts';
import { ROLES, type Role } from '../protocol/state.ts';
import { defined } from '../protocol/values.ts';
import { sandboxSupportOf } from '../sandbox/mode.ts';
import type { BoardContext } from '../store/context.ts';
import type { Store } from '../store/store.ts';
import { writeAgentClient } from '../supervisor/agent-client.ts';
import { makeChangeSignal } from '../supervisor/change-signal.ts';
import type { SupervisorContext } from '../supervisor/context.ts';
import { newMergeTurn } from '../supervisor/merge-turn.ts';
import { contractFor, contractPaths } from '../supervisor/prompts/contract.ts';
import { makeStartGate } from '../supervisor/start-gate.ts';
import type { Io } from './io.ts';
import { serveCommands } from './serve-commands.ts';
import { openCommandServer } from './served/server.ts';

export function openSupervisorContext(
  io: Io,
  context: BoardContext & { readonly store: Store },
): Omit<SupervisorContext, 'emit'> {
  const { root } = context.paths;
  const guide = join(root, 'REPOSITORY.md');
  const mergeTurn = newMergeTurn();
  const { folder: bin, shows } = writeAgentClient(context, io.self.argv);
  return {
    ...context,
    changeSignal: makeChangeSignal(context.clock),
    mergeTurn,
    startGate: makeStartGate({
      clock: context.clock,
      processors: availableParallelism(),
      isMerging: () => mergeTurn.taken,
    }),
    pid: io.self.pid,
    isRoot: io.self.isRoot,
    terminal: io.self.terminal(),
    places: {
      project: root,
      blackboard: context.paths.state,
      specs: join(root, 'specs'),
      scripts: io.asset('scripts'),
      ...(existsSync(guide) ? { repositoryGuide: guide } : {}),
    },
    bin,
    ...(io.confines === true ? { sandboxSupport: sandboxSupportOf(context, io.self.argv) } : {}),
    serve: serveCommands(io, context),
    ...defined({ served: shows && openCommandServer(io, context, shows) }),
    contract: contractsOf(io),
  };
}

/** Read once, before anything starts. */
function contractsOf(io: Io): (role: Role) => string {
  const page = (path: string): string => realDisk.readFileSync(io.asset(path), 'utf8');
  const known = new Map(
    ROLES.map((role) => {
      const paths = contractPaths(role);
      return [role, contractFor(role, { core: page(paths.core), mode: page(paths.mode), role: page(paths.role) })];
    }),
  );
  return (role) => known.get(role) ?? '';
}
