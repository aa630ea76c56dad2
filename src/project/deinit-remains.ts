// What is left of Liza in a project's folder and git directory once nobody works there, taken away so that
// a kill at any point leaves something the next deinit finishes: first the copy in the git directory,
// then `.liza`, by one rename, so that half a board is never taken for one, and last the lines that
// kept it out of git. What Liza did not make is left and named. Runs no git.

import { randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { leftAside, removeTree } from '../git/scratch-folders.ts';
import { hasHook, isHookLine, removeHook } from '../identity/ref-hook.ts';

export interface Site {
  readonly root: string;
  /** `.liza`; undefined: it is not to go. */
  readonly liza: string | undefined;
  /** The copy of the journal, in the git directory of this checkout. */
  readonly mirror: string | undefined;
  /** The git directory that all checkouts share. */
  readonly common: string;
}

/** Boards of other checkouts of this repository: they share refs, exclude lines and Liza's own git directory. */
export function otherBoards({ common, mirror }: Site): readonly string[] {
  const links = entries(join(common, 'worktrees')).map((name) => join(common, 'worktrees', name));
  const own = mirror === undefined ? undefined : real(mirror);
  return [common, ...links].filter((directory) => {
    const copy = join(directory, 'liza');
    return existsSync(join(copy, 'journal.jsonl')) && real(copy) !== own;
  });
}

/** Whether an earlier deinit was killed after the board was gone. */
export function hasRemains(site: Site): boolean {
  const copies = [site.mirror, join(site.common, 'liza')].filter(
    (folder) => folder !== undefined && existsSync(folder),
  );
  return removedBoards(site).length > 0 || copies.length > 0 || excludedIn(site) !== undefined || hasHook(site.common);
}

/** What was left, one line each. `shared`: another checkout of the repository has a board of its own. */
export function removeRemains(site: Site, shared: boolean): readonly string[] {
  const hook = shared ? [] : removeHook(site.common);
  const left = [...hook, ...removeEmpty(site, join(site.root, '.worktrees')), ...removeCopy(site, shared)];
  // Git takes it for "no worktrees" either way, and removes it itself with the last one.
  removeEmpty(site, join(site.common, 'worktrees'));
  if (site.liza !== undefined && existsSync(site.liza))
    renameSync(site.liza, join(site.root, `.liza-removed-${randomBytes(4).toString('hex')}`));
  for (const folder of removedBoards(site)) {
    removeTree(folder);
    if (existsSync(folder))
      left.push(`${shown(site, folder)}: somebody still writes there; liza deinit again removes it`);
  }
  if (!shared) unexclude(site);
  return left;
}

const removedBoards = ({ root }: Site): readonly string[] =>
  entries(root)
    .filter((name) => /^\.liza-removed-[0-9a-f]{8}$/.test(name))
    .map((name) => join(root, name))
    .filter((path) => lstatSync(path).isDirectory());

/** The journal's copy first: without it nobody offers to bring the board back. */
function removeCopy(site: Site, shared: boolean): readonly string[] {
  const copies = [...new Set([...(site.mirror === undefined ? [] : [site.mirror]), join(site.common, 'liza')])];
  return copies.flatMap((folder) => {
    if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
    const isMirror = folder === site.mirror;
    const own = entries(folder).filter((name) => isMirror && MIRRORED.test(name));
    for (const name of own.sort()) rmSync(join(folder, name), { force: true });
    if (shared) return [];
    for (const { path } of leftAside(folder)) removeTree(path);
    for (const name of ['git', 'nowhere']) removeTree(join(folder, name));
    return removeEmpty(site, folder);
  });
}

/** `journal.jsonl` sorts first. See store/mirror.ts; `.new` are files that were being written. */
const MIRRORED = /^(journal\.jsonl|snapshot-\d+\.yaml)(\.\d+\.new)?$/;

/** Goes when it is empty. */
function removeEmpty(site: Site, folder: string): readonly string[] {
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  try {
    rmdirSync(folder);
    return [];
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return entries(folder).map((name) => `${shown(site, join(folder, name))}: it is not Liza's, or would not go`);
  }
}

const EXCLUDED: readonly string[] = ['/.liza/', '/.worktrees/'];

/** The file's text without Liza's lines; undefined: there are none. */
function excludedIn({ common }: Site): { readonly file: string; readonly text: string } | undefined {
  const file = join(common, 'info', 'exclude');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'latin1').split('\n');
  const others = lines.filter((line) => !EXCLUDED.includes(line) && !isHookLine(line));
  // A link stays one: what it leads to is changed.
  return others.length === lines.length ? undefined : { file: realpathSync(file), text: others.join('\n') };
}

function unexclude(site: Site): void {
  const found = excludedIn(site);
  if (found === undefined) return;
  // A name of its own, and the same each time: one that a kill left is overwritten.
  const temporary = `${found.file}.liza-deinit`;
  writeFileSync(temporary, found.text, { encoding: 'latin1', mode: statSync(found.file).mode });
  renameSync(temporary, found.file);
}

const shown = ({ root }: Site, path: string): string => relative(root, path);

const real = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
