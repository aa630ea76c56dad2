// Where `liza init` may make a board: one to a repository, at its root, and never in what another board makes for its
// tasks. A refusal names the board that is there and what to do; nothing has been made by then.

import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  boardElsewhere,
  broughtIn,
  claimRepository,
  isBroughtIn,
  ownedElsewhere,
  ownerFile,
} from '../git/board-owner.ts';
import type { Repository } from '../git/repository.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { unlocked } from '../store/refusals.ts';
import { shellWord } from '../text/format.ts';

/** Asked before any question is put to a person. */
export function refusePlace({ disk }: BoardContext, cwd: string, { root }: Repository): Refusal | undefined {
  const owner = ownerOfFolders(cwd);
  if (owner !== undefined) return insideFolders(cwd, owner);
  if (root.includes(':')) {
    return refuse(
      `${root} has a colon in it, at which lists of folders are divided: agents would not find liza, nor git its objects`,
      'give the folder another name: mv …; then liza init again',
      1,
      'path',
    );
  }
  const elsewhere = boardElsewhere(disk, root);
  if (elsewhere !== undefined) return ownedElsewhere(root, elsewhere);
  if (isBroughtIn(disk, root)) return broughtIn(root);
  if (realpathSync(cwd) === realpathSync(root) || !hasBoard(root)) return undefined;
  return refuse(
    `${cwd} is a subfolder of ${root}, which has the blackboard of this repository`,
    `work there: cd ${shellWord(root)} && liza status; open its next goal there, too: liza init "<goal>"`,
    1,
    'second-board',
  );
}

/** A person has read it. */
export function acceptForeignBoard({ disk, paths }: BoardContext): Refusal | undefined {
  const { root } = paths;
  if (!isBroughtIn(disk, root))
    return refuse(
      'there is no blackboard here that was made elsewhere',
      'see what is here: liza doctor',
      1,
      'second-board',
    );
  const elsewhere = boardElsewhere(disk, root);
  if (elsewhere !== undefined) return ownedElsewhere(root, elsewhere);
  claimRepository(disk, root);
  return undefined;
}

/** Of two inits at once, in whatever checkouts, the second one waits and finds the first one's board. */
export async function asOwner<T extends object>(
  context: BoardContext,
  common: string,
  work: () => Promise<T | Refusal>,
): Promise<T | Refusal> {
  const { disk, paths } = context;
  mkdirSync(dirname(ownerFile(common)), { recursive: true });
  const lock = await context.locks.acquire(ownerFile(common));
  if (!('release' in lock)) return unlocked(lock);
  try {
    const elsewhere = boardElsewhere(disk, paths.root);
    if (elsewhere !== undefined) return ownedElsewhere(paths.root, elsewhere);
    claimRepository(disk, paths.root);
    return await work();
  } finally {
    lock.release();
  }
}

/** The project in whose `.worktrees` or `.liza` the folder lies. A task's clone there is a repository of its own. */
function ownerOfFolders(cwd: string): string | undefined {
  for (let at = realpathSync(cwd); at !== dirname(at); at = dirname(at)) {
    const parent = dirname(at);
    if ([join(parent, '.worktrees'), join(parent, '.liza')].includes(at) && hasBoard(parent)) return parent;
  }
  return undefined;
}

const insideFolders = (cwd: string, owner: string): Refusal =>
  refuse(
    `${cwd} is inside a folder that the blackboard in ${owner} keeps for its tasks`,
    `work there: cd ${shellWord(owner)} && liza status`,
    1,
    'second-board',
  );

const hasBoard = (root: string): boolean =>
  ['state.yaml', 'journal.jsonl'].some((file) => existsSync(join(root, '.liza', file)));
