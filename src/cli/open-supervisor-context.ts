// From what was typed and what is installed to a crew at work: shared by `run`, `agent` and `demo`.

import { existsSync, readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { ROLES, type Role } from '../protocol/state.ts';
import { sandboxSupportOf } from '../sandbox/mode.ts';
import { makeChangeSignal } from '../supervisor/change-signal.ts';
import type { SupervisorContext } from '../supervisor/context.ts';
import { contractFor, contractPaths } from '../supervisor/prompts/contract.ts';
import { writeBin } from '../supervisor/session-files.ts';
import type { Io } from './io.ts';
import type { Desk } from './open-project.ts';

export function openSupervisorContext(
  io: Io,
  { store, root }: Pick<Desk, 'store' | 'root'>,
): Omit<SupervisorContext, 'tell'> {
  const context = io.context(root);
  const clock = { now: () => io.now(), sleep: io.sleep, steady: () => uptime() * 1000 };
  const guide = join(root, 'REPOSITORY.md');
  return {
    env: io.env,
    store,
    context,
    clock,
    changeSignal: makeChangeSignal(clock),
    pid: io.self.pid,
    isRoot: io.self.isRoot,
    places: {
      project: root,
      blackboard: context.paths.state,
      specs: join(root, 'specs'),
      scripts: io.asset('scripts'),
      ...(existsSync(guide) ? { repositoryGuide: guide } : {}),
    },
    bin: writeBin(context.paths, io.self.argv),
    ...(io.confines === true ? { sandboxSupport: sandboxSupportOf(io.env, io.self.argv) } : {}),
    contract: contractsOf(io),
  };
}

/** Read once, before anything starts. */
function contractsOf(io: Io): (role: Role) => string {
  const page = (path: string): string => readFileSync(io.asset(path), 'utf8');
  const known = new Map(
    ROLES.map((role) => {
      const paths = contractPaths(role);
      return [role, contractFor(role, { core: page(paths.core), mode: page(paths.mode), role: page(paths.role) })];
    }),
  );
  return (role) => known.get(role) ?? '';
}
