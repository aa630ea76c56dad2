// Writing below a person's home folder: always whole files, never through a link that leads out of it.
// A link that stays inside (dotfiles kept elsewhere) is followed to the file it names, and stays a link.

import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { removeIfEmpty } from '../git/scratch-folders.ts';
import { realDisk } from '../ports/disk.ts';
import { realFiles, writeTemporary } from '../ports/files.ts';
import { type Refusal, refuse } from '../protocol/decision.ts';

/** The real path of HOME. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string | Refusal {
  const home = env.HOME;
  if (home === undefined || !isAbsolute(home)) {
    return refuse('HOME does not name a folder', 'set it to your home folder: export HOME=/home/you', 1, 'home');
  }
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() !== true) {
    return refuse(`the home folder ${home} is not there`, 'set HOME to a folder that exists', 1, 'home');
  }
  return realpathSync(home);
}

/** The real path of a file below home; it need not exist yet. */
export function placeBelow(home: string, path: string): string | Refusal {
  let at = home;
  const parts = path.split('/');
  for (const [nth, part] of parts.entries()) {
    const next = join(at, part);
    const found = lstatSync(next, { throwIfNoEntry: false });
    if (found === undefined) return join(at, ...parts.slice(nth));
    const real = found.isSymbolicLink() ? followed(home, next) : next;
    if (typeof real !== 'string') return real;
    const folder = statSync(real).isDirectory();
    if (folder === (nth === parts.length - 1)) {
      return refuse(`${next} is ${folder ? 'a folder' : 'not a folder'}`, 'move it away and run it again', 1, 'place');
    }
    at = real;
  }
  return at;
}

function followed(home: string, link: string): string | Refusal {
  const hint = 'remove the link, or point it to a folder inside your home folder';
  try {
    const real = realpathSync(link);
    const inside = relative(home, real);
    if (inside !== '' && !inside.startsWith('..') && !isAbsolute(inside)) return real;
    return refuse(`${link} is a link that points outside ${home}`, hint, 1, 'link');
  } catch {
    return refuse(`${link} is a link that points nowhere`, hint, 1, 'link');
  }
}

export function readText(path: string): string | undefined {
  return realFiles.read(path)?.toString('utf8');
}

/** Whole or not at all; an existing file keeps its mode. */
export function putText(path: string, text: string, mode?: number): void {
  mkdirSync(dirname(path), { recursive: true });
  const kept = mode ?? statSync(path, { throwIfNoEntry: false })?.mode;
  const temporary = realFiles.temporaryFor(path);
  writeTemporary(realFiles, temporary, Buffer.from(text), true);
  if (kept !== undefined) chmodSync(temporary, kept & 0o777);
  renameSync(temporary, path);
}

/** Files below a folder of the package, by their path in it. None where there is no such folder. */
export function filesBelow(folder: string, below: string): readonly { readonly path: string; readonly text: string }[] {
  const at = join(folder, below);
  const names = existsSync(at) ? readdirSync(at, { recursive: true, encoding: 'utf8' }).sort() : [];
  return names
    .filter((name) => lstatSync(join(at, name)).isFile())
    .map((name) => ({ path: `${below}/${name}`, text: realDisk.readFileSync(join(at, name), 'utf8') }));
}

/** Takes folders away that are empty, from the innermost outwards. */
export function dropEmpty(folders: readonly string[]): void {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) removeIfEmpty(realDisk, folder);
}
