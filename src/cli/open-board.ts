// Finds the project a command is about, the nearest folder upward whose `.liza` holds a blackboard, and opens its board.
// `~/.liza` (contracts, templates, scripts) has none, so a home folder is never taken for a project. Light: `show` loads it.

import { existsSync, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { broughtIn, isBroughtIn } from '../git/board-owner.ts';
import { gitDirectoryOf } from '../git/directory.ts';
import type { Repository } from '../git/repository.ts';
import { realDisk } from '../ports/disk.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import type { BoardContext } from '../store/context.ts';
import { lostBoard } from '../store/lost-board.ts';
import type { Store } from '../store/store.ts';
import type { Io } from './io.ts';

interface OpenBoard extends BoardContext {
  readonly store: Store;
}

/** For a command that everybody may use: does not look at who asks. */
export function openBoard(io: Io): OpenBoard | Refusal {
  const root = io.root();
  if (typeof root !== 'string') return root;
  const context = io.context(root);
  return { ...context, env: io.env, store: io.openStore(context) };
}

/** Of a board in a database the files here are views: they are brought up to date for whoever reads them. */
export async function openCurrentBoard(io: Io): Promise<OpenBoard | Refusal> {
  const board = openBoard(io);
  if ('ok' in board || board.shared === undefined) return board;
  const { beginOnShared } = await import('../store/postgres/view-keeper.ts');
  const isBack = await beginOnShared(board, board.shared);
  return isBack ? openBoard(io) : board;
}

/** The context of a repository that may have no board yet, or has lost it. */
export const boardAt = (io: Io, { root, gitDirectory }: Repository): BoardContext => ({
  ...io.context(root, gitDirectory),
  env: io.env,
});

/** One of these files marks a project: a blackboard that lost its state.yaml must still be found to be repaired. */
const MARKS = ['state.yaml', 'journal.jsonl', 'state.yaml.lock', 'store'];

export function findRoot(from: string): string | Refusal {
  for (let folder = from; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, '.liza', mark))))
      return refuseLink(folder) ?? (isBroughtIn(realDisk, folder) ? broughtIn(folder) : folder);
    if (hasCopyFor(folder)) return lostBoard(folder);
    if (folder === dirname(folder)) break;
  }
  return refuse(
    `no Liza project here: neither ${from} nor a folder above it has a .liza blackboard`,
    'go to your project folder, or start a goal there: liza init "<goal>"',
    1,
    'no-project',
  );
}

/** A linked worktree and a submodule have their git directory elsewhere. */
function hasCopyFor(folder: string): boolean {
  const directory = gitDirectoryOf(realDisk, folder);
  return directory !== undefined && existsSync(join(directory, 'liza', 'journal.jsonl'));
}

/** A `.liza` that is a link could lead every write out of the project. */
function refuseLink(folder: string): Refusal | undefined {
  const liza = join(folder, '.liza');
  if (!lstatSync(liza).isSymbolicLink()) return undefined;
  return refuse(
    `${liza} is a symbolic link`,
    'Liza keeps its state inside the project: replace the link by the folder itself',
    1,
    'link',
  );
}
