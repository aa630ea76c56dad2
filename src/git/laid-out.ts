// The tracked files of a checkout in which programs of the project run, as they were when Liza laid them out. A process
// outside may exchange one, and put it back when the tests are over: then its content is right again, and its inode or a
// time is not. So each look is at the stamps of all files, and only where one moved at contents.

import type { Stats } from 'node:fs';
import { dirname } from 'node:path';
import { readPlainFile } from '../process/plain-file.ts';
import { MOST_KEPT_BYTES } from './blank-index.ts';
import { type IndexEntry, pathOf, readIndex } from './index-file.ts';
import { isUntouched } from './pool/record.ts';
import { idBytes, type PrivateGitDir } from './private-git-dir.ts';
import { must } from './run.ts';
import { splitNul } from './tree-changes.ts';

interface Known {
  readonly path: string;
  /** As git wrote it, until somebody looked. */
  readonly entry?: IndexEntry;
  stat?: Stats | undefined;
}

export interface Moved {
  readonly path: string;
  /** Not its rights alone, or its place. */
  readonly written: boolean;
  /** It may have been renamed: its folder was, or something was made or removed there. */
  readonly placed: boolean;
}

export class LaidOut {
  readonly gitDir: PrivateGitDir;
  readonly folder: string;
  #tree = '';
  #index: Buffer = Buffer.alloc(0);
  #files: readonly Known[] = [];
  #folders = new Map<string, Stats | undefined>();
  /** Liza's own, or brought by a person: their content is not the tree's. */
  readonly #own = new Set<string>();
  /** Exchanged while no program of the project was to run there, or during one: nothing that ran is believed. */
  readonly exchanged = new Set<string>();

  constructor(gitDir: PrivateGitDir, folder: string, own: readonly string[]) {
    this.gitDir = gitDir;
    this.folder = folder;
    for (const path of own) this.#own.add(path);
  }

  get tree(): string {
    return this.#tree;
  }

  /** Liza laid out this tree there just now, with this index. */
  async note(tree: string, index: string): Promise<void> {
    const { disk } = this.gitDir.host;
    this.#tree = tree;
    this.#index = readPlainFile(disk, index, MOST_KEPT_BYTES) ?? Buffer.alloc(0);
    const known = readIndex(this.#index, idBytes(this.gitDir))?.entries.filter(({ mode }) => mode !== SUBMODULE);
    this.#files = known?.map((entry) => ({ path: pathOf(entry), entry })) ?? (await this.#listed(tree));
    this.#folders = new Map();
    for (const { path } of this.#files)
      for (let up = dirname(path); !this.#folders.has(up); up = dirname(up)) this.#folders.set(up, this.#stat(up));
  }

  async #listed(tree: string): Promise<readonly Known[]> {
    const asked = this.gitDir.objects(['ls-tree', '-r', '-z', '--full-tree', '--name-only', tree]);
    return splitNul(await must(asked, 'list a tree')).map((path) => ({ path }));
  }

  /** Liza itself wrote this one. */
  wrote(path: string): void {
    this.#own.add(path);
    for (const file of this.#files) if (file.path === path) file.stat = this.#stat(path);
  }

  isOwn(path: string): boolean {
    return this.#own.has(path);
  }

  /** Files that somebody wrote, exchanged or gave other rights since the last look. */
  async moved(): Promise<readonly Moved[]> {
    const found: Moved[] = [];
    const were = new Map(this.#folders);
    for (const folder of were.keys()) this.#folders.set(folder, this.#stat(folder));
    const isMade = (folder: string): boolean => were.get(folder)?.mtimeMs !== this.#folders.get(folder)?.mtimeMs;
    // A rename is seen in the folder above, too: there is none of Liza's for the whole checkout.
    const back = [...were].flatMap(([folder, was]) =>
      isPutBack(was, this.#folders.get(folder)) && folder !== '.' && isMade(dirname(folder)) ? [`${folder}/`] : [],
    );
    for (const [at, file] of this.#files.entries()) {
      if (at % AT_ONCE === AT_ONCE - 1) await this.gitDir.host.clock.nextTurn();
      const now = this.#stat(file.path);
      const { path, entry, stat } = file;
      const isKnown =
        stat === undefined && entry !== undefined
          ? now !== undefined && isUntouched(this.#index, entry, now)
          : isSame(stat, now) && stat?.ctimeMs === now?.ctimeMs;
      const isBack = back.some((folder) => path.startsWith(folder));
      if (!isKnown || isBack)
        found.push({ path, written: !isSame(stat, now), placed: isBack || isMade(dirname(path)) });
      file.stat = now;
    }
    return found;
  }

  #stat(path: string): Stats | undefined {
    try {
      return this.gitDir.host.disk.lstatSync(`${this.folder}/${path}`, { throwIfNoEntry: false });
    } catch {
      return undefined; // something else is in the place of a folder
    }
  }
}

const SUBMODULE = 0o160000;
/** Of which others wait for. */
const AT_ONCE = 2000;

/** But for what other rights change, or a rename. */
const isSame = (was: Stats | undefined, now: Stats | undefined): boolean =>
  was === undefined || now === undefined
    ? was === now
    : was.ino === now.ino && was.size === now.size && was.mtimeMs === now.mtimeMs && was.mode === now.mode;

/** A folder that was renamed, or given other rights, has a newer ctime, but not for what was made or removed in it. */
const isPutBack = (was: Stats | undefined, now: Stats | undefined): boolean =>
  was !== undefined &&
  now !== undefined &&
  (was.ino !== now.ino || (was.ctimeMs !== now.ctimeMs && now.ctimeMs - now.mtimeMs > 1));

const known = new Map<string, LaidOut>();

/** Until `forget`. */
export function watchLaidOut(gitDir: PrivateGitDir, folder: string, own: readonly string[] = []): LaidOut {
  const laid = new LaidOut(gitDir, folder, own);
  known.set(folder, laid);
  return laid;
}

export const laidOutIn = (folder: string): LaidOut | undefined => known.get(folder);
export const forgetLaidOut = (folder: string): void => void known.delete(folder);
