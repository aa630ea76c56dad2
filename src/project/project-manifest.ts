// What Liza puts into a project, one row each. Init makes the rows in this order, deinit takes them away in the reverse
// order, doctor checks them: what a later release puts into a project gets a row here. A kill between two rows leaves
// something that the next init or deinit finishes. What Liza did not make stays and is named. Removing runs no git.
// The integration branch is no row: it holds approved work and stays.

import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, readlinkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { KEPT } from '../git/kept-folder.ts';
import { exclude, isExcluding, unexclude } from '../git/repository.ts';
import { git } from '../git/run.ts';
import { entries, leftoversIn, removeIfEmpty } from '../git/scratch-folders.ts';
import { checkHook, installHook } from '../identity/project-hook.ts';
import { hasHook, isHookLine, removeHook } from '../identity/ref-hook.ts';
import { realDisk } from '../ports/disk.ts';
import type { Files } from '../ports/files.ts';
import type { Host } from '../ports/host.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';
import { type Settings, type State, settings } from '../protocol/state.ts';
import type { BoardContext } from '../store/context.ts';
import { normalise } from '../store/file-values.ts';
import { isMirrorFile } from '../store/git-dir-copy.ts';
import { loadBoard } from '../store/load-board.ts';
import { type Finding, fixed, ok, warning } from './finding.ts';
import { BOARD_FOLDERS } from './kept-boards.ts';

/** Where it is put. */
export interface Site {
  readonly host: Host;
  readonly root: string;
  /** `.liza`; undefined: it is not to go. */
  readonly liza: string | undefined;
  /** The copy of the journal, in the git directory of this checkout. */
  readonly mirror: string | undefined;
  /** The git directory that all checkouts share. */
  readonly common: string;
}

export const siteOf = (context: BoardContext, common: string): Site => ({
  host: context,
  root: context.paths.root,
  liza: context.paths.liza,
  mirror: context.paths.mirror,
  common,
});

/** What making and checking need in addition. */
export interface Making extends Site {
  readonly files: Files;
  /** The integration branch; undefined: there is no board that names one. */
  readonly branch: string | undefined;
}

interface Row {
  /** All checkouts of the repository use it: it stays while another one has a board. */
  readonly shared?: true;
  /** Absent: the commands that need it make it. Returns what a person should know. */
  make?(making: Making): Promise<string | undefined>;
  check?(making: Making, fix: boolean): Promise<readonly Finding[]>;
  /** Whether an earlier deinit was killed before it took this away. */
  isLeft?(site: Site): boolean;
  /** Returns what could not or must not go, one line each. `shared`: another checkout has a board. */
  remove(site: Site, shared: boolean): readonly string[];
}

/** Refs of tasks under way. The other kinds (attempts, review, strays) stay unless they are purged. */
export const WORK_REFS = ['refs/liza/seen', 'refs/liza/merging', 'refs/liza/baseline', 'refs/liza/saved'] as const;

const EXCLUDED: readonly string[] = ['/.liza/', '/.worktrees/'];
const isExcludeLine = (line: string): boolean => EXCLUDED.includes(line) || isHookLine(line);

const excludeLines: Row = {
  shared: true,
  make: async ({ host, common }) => void exclude(host, common, EXCLUDED),
  check: async ({ host, root, common }, fix) => {
    const check = 'exclude';
    if (!host.disk.existsSync(join(root, '.liza'))) return [ok(check, 'liza init keeps .liza out of git')];
    const ignored = await git(host, root, ['check-ignore', '--quiet', '--no-index', '.liza/state.yaml']);
    if (ignored.status === 0) return [ok(check, '.liza is kept out of git')];
    const message = '.liza is not kept out of git: git add -A would pick it up';
    if (!fix) return [warning(check, message, 'liza doctor --fix adds it to .git/info/exclude')];
    exclude(host, common, EXCLUDED);
    return [fixed(check, `${message}; added to .git/info/exclude`)];
  },
  isLeft: ({ host, common }) => isExcluding(host.disk, common, isExcludeLine),
  remove: ({ host, common }) => {
    unexclude(host, common, isExcludeLine);
    return [];
  },
};

/** Goes by one rename, so that half a board is never taken for one. */
const boardFolder: Row = {
  make: async ({ files, liza = '' }) => {
    for (const folder of ['', ...Object.keys(BOARD_FOLDERS)]) files.makeDirectory(join(liza, folder));
    return undefined;
  },
  isLeft: (site) => removedBoards(site).length > 0,
  remove: (site) => {
    if (site.liza !== undefined && existsSync(site.liza))
      renameSync(site.liza, join(site.root, `.liza-removed-${randomBytes(4).toString('hex')}`));
    return removedBoards(site).flatMap((folder) => {
      removeTreeNow(site.host, folder);
      if (!existsSync(folder)) return [];
      return [`${shown(site, folder)}: a process still writes there; run liza deinit again to remove it`];
    });
  },
};

/** The journal's copy goes first: without it nobody offers to bring the board back. */
const gitFolders: Row = {
  isLeft: (site) => ownGitFolders(site).some((folder) => existsSync(folder) && !hasOnlyKept(site, folder)),
  remove: (site, shared) =>
    ownGitFolders(site).flatMap((folder) => {
      if (!isFolder(folder)) return [];
      // `journal.jsonl` sorts first.
      for (const name of entries(site.host.disk, folder).toSorted())
        if (folder === site.mirror && isMirrorFile(name)) rmSync(join(folder, name), { force: true });
      if (shared) return [];
      for (const { path } of leftoversIn(site.host.disk, folder)) removeTreeNow(site.host, path);
      for (const name of ['git', 'indexes', 'nowhere', 'owner', 'planted', 'pool'])
        removeTreeNow(site.host, join(folder, name));
      // What deinit keeps stays.
      return removeEmpty(site, folder, [KEPT]);
    }),
};

const taskFolders: Row = {
  remove: (site) => {
    // Git takes it for "no worktrees" either way, and removes it itself with the last one.
    removeEmpty(site, join(site.common, 'worktrees'));
    return removeEmpty(site, join(site.root, '.worktrees'));
  },
};

const hook: Row = {
  shared: true,
  make: async ({ host, root, branch }) => (branch === undefined ? undefined : installHook(host, root, branch)),
  check: async ({ host, root, branch }, fix) =>
    branch === undefined ? [] : [await checkHook(host, root, branch, fix)],
  isLeft: ({ host, common }) => hasHook(host.disk, common),
  remove: ({ host, common }) => removeHook(host.disk, common),
};

const ROWS: readonly Row[] = [excludeLines, boardFolder, gitFolders, taskFolders, hook];

/** Safe to repeat. Returns what a person should know, one line each. */
export async function makeProject(making: Making): Promise<readonly string[]> {
  const told: string[] = [];
  for (const { make } of ROWS) {
    const line = await make?.(making);
    if (line !== undefined) told.push(line);
  }
  return told;
}

export async function checkProject(making: Making, fix: boolean): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { check } of ROWS) findings.push(...((await check?.(making, fix)) ?? []));
  return findings;
}

/** Whether an earlier deinit was killed after the board was gone. */
export const hasRemains = (site: Site): boolean => ROWS.some(({ isLeft }) => isLeft?.(site) === true);

/** Returns what was left, one line each. `shared`: another checkout of the repository has a board of its own. */
export const removeRemains = (site: Site, shared: boolean): readonly string[] =>
  ROWS.toReversed().flatMap((row) => (shared && row.shared ? [] : row.remove(site, shared)));

/** What the board is set to; undefined: there is no board, or it cannot be read. */
export async function settingsOf(context: BoardContext): Promise<Settings | undefined> {
  const state = await stateOf(context);
  return state && settings(state);
}

/** As the files have it, whatever the cache says; undefined: the same. */
export async function stateOf(context: BoardContext): Promise<State | undefined> {
  const loaded = await loadBoard(context, 'ignore').catch(() => undefined);
  return loaded === undefined || 'ok' in loaded || 'none' in loaded ? undefined : normalise(loaded.doc.value).state;
}

/** Boards of other checkouts of this repository: they share refs, exclude lines and Liza's own git directory. */
export function otherBoards({ host, common, mirror }: Site): readonly string[] {
  const links = entries(host.disk, join(common, 'worktrees')).map((name) => join(common, 'worktrees', name));
  const own = mirror === undefined ? undefined : real(mirror);
  return [common, ...links].filter((directory) => {
    const copy = join(directory, 'liza');
    return existsSync(join(copy, 'journal.jsonl')) && real(copy) !== own;
  });
}

/** The shipped JSON Schema, by which editors complete and check state.yaml. Only they miss it when it is not there. */
export function readSchema(file: string): string | undefined {
  try {
    return realDisk.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** A `.liza` that is a link could lead every write out of the project. */
export function refuseLink(liza: string): Refusal | undefined {
  if (lstatSync(liza, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  return refuse(
    `.liza is a symbolic link to ${readlinkSync(liza)}`,
    'Liza keeps its state inside the project: remove the link',
    1,
    'link',
  );
}

const removedBoards = ({ host, root }: Site): readonly string[] =>
  entries(host.disk, root)
    .filter((name) => /^\.liza-removed-[0-9a-f]{8}$/.test(name))
    .map((name) => join(root, name))
    .filter(isFolder);

const ownGitFolders = ({ mirror, common }: Site): readonly string[] => [
  ...new Set([...(mirror === undefined ? [] : [mirror]), join(common, 'liza')]),
];

/** An earlier deinit left no more in it. */
const hasOnlyKept = (site: Site, folder: string): boolean => {
  const [only, ...more] = entries(site.host.disk, folder);
  return only === KEPT && more.length === 0;
};

/** Returns what is in the folder's way. */
const removeEmpty = (site: Site, folder: string, kept: readonly string[] = []): readonly string[] =>
  !isFolder(folder) || removeIfEmpty(site.host.disk, folder)
    ? []
    : entries(site.host.disk, folder)
        .filter((name) => !kept.includes(name))
        .map((name) => `${shown(site, join(folder, name))}: it is not Liza's, or it cannot be removed`);

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
const shown = ({ root }: Site, path: string): string => relative(root, path);
const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
