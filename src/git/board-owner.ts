// One repository has one blackboard: all its checkouts share refs, hook, exclude lines and the folders of tasks. The file
// `liza/owner` in the common git directory names the checkout whose board it is, relative to that directory, so that it
// holds when the project is moved. Only files are read: every command asks.

import { dirname, join, relative, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { shellWord } from '../text/format.ts';
import { commonDirectoryOf, gitDirectoryOf } from './directory.ts';
import { entries } from './scratch-folders.ts';

/** Locked by `init`, so that of two at once in two checkouts only one makes a board. */
export const ownerFile = (common: string): string => join(common, 'liza', 'owner');

interface BoardPlace {
  readonly gitDirectory: string;
  readonly root: string;
}

/** The root of another checkout of this repository that has its board; undefined: the board may be, or is, here. */
export function boardElsewhere(disk: Disk, root: string): string | undefined {
  const own = gitDirectoryOf(disk, root);
  if (own === undefined) return undefined;
  const common = commonDirectoryOf(disk, own);
  const named = ownerOf(disk, common);
  if (named !== undefined && isSame(disk, named, own) && hasBoard(disk, { gitDirectory: own, root })) return undefined;
  const others = boardsIn(disk, common).filter(({ gitDirectory }) => !isSame(disk, gitDirectory, own));
  const owner = others.find(({ gitDirectory }) => named !== undefined && isSame(disk, gitDirectory, named));
  return (owner ?? others[0])?.root;
}

/** Whether the file names another checkout that has a board. Boards of earlier versions have no such file. */
export function isSecondBoard(disk: Disk, root: string): boolean {
  const own = gitDirectoryOf(disk, root);
  const common = own === undefined ? undefined : commonDirectoryOf(disk, own);
  const named = common === undefined ? undefined : ownerOf(disk, common);
  return (
    named !== undefined && own !== undefined && !isSame(disk, named, own) && boardElsewhere(disk, root) !== undefined
  );
}

/**
 * A board that came with the repository, as files in git or as a submodule, would start programs of somebody else's
 * choice. What a clone cannot bring is in the git directory: `init` leaves its mark there, each change a copy. Without
 * that mark it is a stranger's if git tracks it; a file that nobody committed was put here by the user, and is adopted.
 */
export function isBroughtIn(disk: Disk, root: string): boolean {
  const own = gitDirectoryOf(disk, root);
  if (own !== undefined && hasMark(disk, own)) return false;
  const board = (name: string): string => join(root, '.liza', name);
  if (!['state.yaml', 'journal.jsonl', 'store'].some((name) => disk.existsSync(board(name)))) return false;
  if (disk.existsSync(board('.git'))) return true;
  for (let at = root; ; at = dirname(at)) {
    const directory = gitDirectoryOf(disk, at);
    if (directory !== undefined) return isTracked(disk, directory, relative(at, join(root, '.liza')));
    if (at === dirname(at)) return false;
  }
}

const hasMark = (disk: Disk, own: string): boolean =>
  disk.existsSync(join(own, 'liza', 'journal.jsonl')) || ownerOf(disk, commonDirectoryOf(disk, own)) !== undefined;

/**
 * Whether git's index names something in a folder. Looks for the bytes of the path, whatever the case of its letters: a
 * clone on a disk that ignores case has it under any. Where an index shortens paths or is split in two, it says yes.
 */
function isTracked(disk: Disk, gitDirectory: string, folder: string): boolean {
  const index = join(gitDirectory, 'index');
  if (!disk.existsSync(index)) return false;
  const bytes = disk.readFileSync(index);
  const isPlain = bytes.length >= 8 && bytes.readUInt32BE(4) <= 3;
  if (!isPlain || entries(disk, gitDirectory).some((name) => name.startsWith('sharedindex.'))) return true;
  const path = Buffer.from(`${folder.replaceAll('\\', '/')}/`).toString('latin1');
  return bytes.toString('latin1').toLowerCase().includes(path.toLowerCase());
}

export const broughtIn = (root: string): Refusal =>
  refuse(
    `the blackboard in ${join(root, '.liza')} was not made here: it came with the repository, and its settings would run programs of somebody else's choice as you`,
    'without it: mv .liza ../foreign-liza, then liza init "<goal>"; if it is yours, as from a backup, read the settings in .liza/state.yaml first, then: liza doctor --accept-board',
    1,
    'second-board',
  );

/** Only where no other checkout has the board. */
export function claimRepository(disk: Disk, root: string): void {
  const own = gitDirectoryOf(disk, root);
  if (own === undefined) return;
  const common = commonDirectoryOf(disk, own);
  const named = ownerOf(disk, common);
  if (named !== undefined && isSame(disk, named, own)) return;
  disk.mkdirSync(dirname(ownerFile(common)), { recursive: true });
  disk.writeFileSync(ownerFile(common), `${relative(real(disk, common), real(disk, own)) || '.'}\n`);
}

/** What is told where a second board was about to be made, or to be worked with. */
export const ownedElsewhere = (here: string, there: string): Refusal =>
  refuse(
    `this repository has its blackboard in ${there}, and ${here} is another checkout of it`,
    `work there: cd ${shellWord(there)} && liza status; for a board here instead, remove that one first, there: liza deinit`,
    1,
    'second-board',
  );

/** `owner` may be cut off, or name a worktree that was removed: then it names nobody. */
function ownerOf(disk: Disk, common: string): string | undefined {
  try {
    const named = disk.readFileSync(ownerFile(common), 'utf8').trim();
    return /^(\.|worktrees\/[^/]+)$/.test(named) ? join(common, named) : undefined;
  } catch {
    return undefined;
  }
}

/** Checkouts with a board. A worktree whose folder is gone has none any more, whatever its git directory keeps. */
function boardsIn(disk: Disk, common: string): readonly BoardPlace[] {
  const links = join(common, 'worktrees');
  const linked = entries(disk, links)
    .filter((name) => !name.startsWith('liza-'))
    .flatMap((name): BoardPlace[] => {
      const gitDirectory = join(links, name);
      const back = textOf(disk, join(gitDirectory, 'gitdir'));
      return back === undefined ? [] : [{ gitDirectory, root: dirname(resolve(gitDirectory, back)) }];
    });
  return [{ gitDirectory: common, root: mainRoot(disk, common) }, ...linked].filter((place) => hasBoard(disk, place));
}

/** A board whose `.liza` was deleted is still there: its copy brings it back. */
const hasBoard = (disk: Disk, { gitDirectory, root }: BoardPlace): boolean =>
  disk.existsSync(root) &&
  [
    join(root, '.liza', 'state.yaml'),
    join(root, '.liza', 'journal.jsonl'),
    join(gitDirectory, 'liza', 'journal.jsonl'),
  ].some((file) => disk.existsSync(file));

/** Of a submodule the files are where core.worktree says. */
function mainRoot(disk: Disk, common: string): string {
  const configured = /^\s*worktree\s*=\s*(.+?)\s*$/m.exec(textOf(disk, join(common, 'config')) ?? '')?.[1];
  return configured === undefined ? dirname(common) : resolve(common, configured);
}

function textOf(disk: Disk, file: string): string | undefined {
  try {
    return disk.readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

const isSame = (disk: Disk, one: string, other: string): boolean => real(disk, one) === real(disk, other);

function real(disk: Disk, path: string): string {
  try {
    return disk.realpathSync(path);
  } catch {
    return path;
  }
}
