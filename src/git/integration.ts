// The integration branch, and the private git directory of a project as its configuration wants it. Only reads.

import type { Host } from '../ports/host.ts';
import type { Board } from '../protocol/board.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { type Settings, settings } from '../protocol/state.ts';
import { bringBack } from '../protocol/work/task-history.ts';
import { idsOf } from './objects.ts';
import {
  type ConfineGit,
  type KeepsApart,
  type OpenOptions,
  openPrivateGitDir,
  type PrivateGitDir,
} from './private-git-dir.ts';
import { isAncestor } from './reach.ts';
import { commitsOf } from './refs.ts';

/** The machine, and the project's root on it: part of every context of a board. */
export interface ProjectHost extends Host {
  readonly paths: { readonly root: string };
  /** What confines git where it reads a folder that an agent writes. */
  readonly sandboxSupport?:
    | {
        readonly confineGit?: ConfineGit;
        readonly keepsApart?: (settings: ApartSettings, pool: Parameters<KeepsApart>[0]) => Promise<boolean>;
        readonly off?: boolean;
      }
    | undefined;
  /** Also where another checkout has the repository's board. */
  readonly anyBoard?: boolean;
}

/** The board, or the state that a transaction left. */
type Known = Pick<Board, 'state'>;

/** `hold`: the descriptor of a lock that every git started here inherits. */
export const openGitDir = (host: ProjectHost, { state }: Known, hold?: number): Promise<PrivateGitDir | Refusal> =>
  openPrivateGitDir(host, host.paths.root, {
    allowFilters: settings(state).allow_filters,
    hold,
    anyBoard: host.anyBoard,
    ...confinementOf(host, settings(state)),
    integration: integrationRef({ state }),
  });

export type ApartSettings = {
  readonly [key in 'sandbox' | 'sandbox_network' | 'sandbox_write']?: Settings[key] | undefined;
};

/** None where a person turned the sandbox off: agents can do there all that Liza can. */
export const confinementOf = (
  { sandboxSupport: support }: Pick<ProjectHost, 'sandboxSupport'>,
  config: ApartSettings,
): Pick<OpenOptions, 'confineGit' | 'keepsApart'> => {
  const { sandbox } = config;
  if (support === undefined || sandbox === 'off' || (support.off === true && sandbox !== 'require')) return {};
  const { confineGit, keepsApart } = support;
  return { confineGit, keepsApart: keepsApart && ((pool) => keepsApart(config, pool)) };
};

/** The branch that merges go to. */
export const integrationRef = ({ state }: Known): string => `refs/heads/${settings(state).integration_branch}`;

/** Where new work starts: where Liza left the integration branch, even if somebody has moved it since. */
export async function integrationHead(gitDir: PrivateGitDir, known: Known): Promise<string | Refusal> {
  const recorded = known.state.goal.integration_head;
  if (recorded !== undefined && headsSeen.get(gitDir.common) === recorded) return recorded;
  const [left, there] = await commitsOf(gitDir, [recorded ?? integrationRef(known), integrationRef(known)]);
  if (left !== undefined && left === recorded) headsSeen.set(gitDir.common, left);
  return left ?? there ?? integrationGone(known);
}

/** By repository, the last head that was found there: a supervisor asks for the same one at every claim. */
const headsSeen = new Map<string, string>();

/**
 * Where hosts exchange their work (exchange/), others move the branch too: one that is behind where the board says has only
 * not followed yet. Commits of others may not be here either.
 */
export async function isOnlyBehind(gitDir: PrivateGitDir, { state }: Known, found: string): Promise<boolean> {
  const { integration_head: left } = state.goal;
  if (left === undefined || (state.config.exchange ?? '') === '') return false;
  const [there] = await idsOf(gitDir, [left], 'commit');
  return there !== left || (found !== left && (await isAncestor(gitDir, found, left)));
}

export function integrationGone({ state }: Known): Refusal {
  const branch = settings(state).integration_branch;
  const recorded = state.goal.integration_head;
  const hint = `${recorded === undefined ? 'make it again' : 'bring it back'}: ${bringBack(branch, recorded)}`;
  return refuse(`the integration branch ${branch} is gone`, hint, 3, 'no-integration');
}
