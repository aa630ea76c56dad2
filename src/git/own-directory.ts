// Liza's own git directory as files. Git believes what it finds there: another directory named in `commondir`,
// attributes, hooks, borrowed objects, refs. So before each use it is compared with what Liza wrote, at the cost of a few
// stats, and made again where it differs. What was planted is noted down for the one who raises alarms
// (identity/planted-refs.ts): the call that finds it may be anybody's.

import { join } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import type { Host } from '../ports/host.ts';
import { plainText } from '../process/plain-file.ts';
import { removeTreeNow } from '../process/remove-tree.ts';
import { EnvironmentError } from '../protocol/decision.ts';
import { faultIn } from './run.ts';
import { entries } from './scratch-folders.ts';

export interface OwnDirectory {
  readonly path: string;
  /** Makes it as Liza wrote it. */
  ensure(): void;
}

export interface OwnFiles {
  /** Texts by name, from the directory; undefined: no such file. */
  readonly texts: Readonly<Record<string, string | undefined>>;
  /** Whether a former Liza, or another one at work, may have written that; then it is no news. */
  isOurs(name: string, text: string): boolean;
}

const FOLDERS = ['refs', 'objects', 'info'];
/** Of a file that is read whole. */
const MOST_BYTES = 16 * 1024 * 1024;

export function ownDirectory(host: Host, common: string, files: OwnFiles): OwnDirectory {
  const path = join(common, 'liza', 'git');
  let stamp = '';
  return {
    path,
    ensure: () => {
      const now = stampOf(host.disk, path, files);
      if (now === stamp) return;
      try {
        const planted = restore(host, path, files);
        if (planted.length > 0) note(host.disk, common, planted);
      } catch (cause) {
        throw new EnvironmentError(
          `${path} could not be written: ${(cause as Error).message}`,
          'free some space, or correct its permissions',
          1,
          { cause, fault: faultIn((cause as Error).message) },
        );
      }
      stamp = stampOf(host.disk, path, files);
    },
  };
}

/**
 * Changes with every file that is added, removed, replaced or written; times of change cannot be set back. A file that is
 * not to be there changes its folder when it comes.
 */
function stampOf(disk: Disk, path: string, { texts }: OwnFiles): string {
  const there = Object.keys(texts).filter((name) => texts[name] !== undefined);
  return [path, ...[...FOLDERS, ...there].map((name) => `${path}/${name}`)]
    .map((one) => {
      const stat = disk.lstatSync(one, { throwIfNoEntry: false });
      return stat === undefined ? '' : `${stat.ino}.${stat.mode}.${stat.size}.${stat.mtimeMs}.${stat.ctimeMs}`;
    })
    .join();
}

/** Returns what was not Liza's, by name. */
function restore(host: Host, path: string, files: OwnFiles): readonly string[] {
  const { disk } = host;
  const planted = [
    ...(isFolderOrNothing(disk, path) ? [] : removed(host, path, [''])),
    ...removed(
      host,
      path,
      entries(disk, path).filter((name) => !isOwn(files, name)),
    ),
  ];
  for (const folder of FOLDERS) {
    const at = join(path, folder);
    if (!isFolderOrNothing(disk, at)) planted.push(...removed(host, path, [folder]));
    const inside = entries(disk, at).map((name) => `${folder}/${name}`);
    planted.push(
      ...removed(
        host,
        path,
        inside.filter((name) => !isOwn(files, name)),
      ),
    );
    disk.mkdirSync(at, { recursive: true });
  }
  for (const [name, text] of Object.entries(files.texts)) {
    const there = plainText(disk, join(path, name), MOST_BYTES);
    if (there === text && (text !== undefined || !isThere(disk, join(path, name)))) continue;
    if (isThere(disk, join(path, name)) && (there === undefined || !files.isOurs(name, there))) planted.push(name);
    write(host, join(path, name), text);
  }
  return planted;
}

/** Also the temporary name of a file that another process writes just now. */
const isOwn = ({ texts }: OwnFiles, name: string): boolean =>
  FOLDERS.includes(name) || Object.keys(texts).includes(name.replace(/\.\d+$/, ''));

const isThere = (disk: Disk, path: string): boolean => disk.lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isFolderOrNothing = (disk: Disk, path: string): boolean =>
  disk.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;

function removed(host: Host, path: string, names: readonly string[]): readonly string[] {
  for (const name of names) removeTreeNow(host, join(path, name));
  return names;
}

function write(host: Host, file: string, text: string | undefined): void {
  const { disk, processes } = host;
  if (text === undefined || disk.lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) removeTreeNow(host, file);
  if (text === undefined) return;
  const temporary = `${file}.${processes.pid}`;
  disk.rmSync(temporary, { recursive: true, force: true });
  disk.writeFileSync(temporary, text, { flag: 'wx' });
  disk.renameSync(temporary, file);
}

const noteFile = (common: string): string => join(common, 'liza', 'planted');
const MOST_NOTED = 64 * 1024;

function note(disk: Disk, common: string, names: readonly string[]): void {
  const before = plainText(disk, noteFile(common), MOST_NOTED) ?? '';
  if (before.length > MOST_NOTED / 2) return;
  const text = names.map((name) => `${JSON.stringify(`liza/git/${name}`)}\n`).join('');
  disk.rmSync(noteFile(common), { recursive: true, force: true });
  disk.writeFileSync(noteFile(common), before + text, { flag: 'wx' });
}

/** What was found there since the last call that `forgetPlanted` followed, by names from the git directory. */
export function readPlanted(disk: Disk, common: string): readonly string[] {
  const lines = (plainText(disk, noteFile(common), MOST_NOTED) ?? '').split('\n').filter((line) => line !== '');
  return [...new Set(lines.flatMap((line) => asText(line) ?? []))];
}

export const forgetPlanted = (disk: Disk, common: string): void =>
  disk.rmSync(noteFile(common), { recursive: true, force: true });

function asText(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
