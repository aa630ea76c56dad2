// A script's changes to files, confined to the working folder: no path and no link leads out of it, and git's
// own files are not a script's to write. Copies come from beside the script and are never filled in.

import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Disk } from '../ports/disk.ts';
import { textOf } from './commands.ts';
import type { Step } from './script.ts';

export const FILE_STEPS = ['write', 'copy', 'append', 'replace', 'remove'] as const;

export type FileStep = (typeof FILE_STEPS)[number];

export interface Folders {
  /** Where the session works. */
  readonly cwd: string;
  /** Where its script is. */
  readonly beside: string;
}

/** Makes the change and describes it in a phrase; throws an Error that names the fact otherwise. */
export function changeFiles(disk: Disk, step: Step, verb: FileStep, { cwd, beside }: Folders): string {
  const name = textOf(step[verb]);
  if (verb === 'copy') return copy(disk, name, { cwd, beside });
  const file = inside(disk, cwd, name);
  switch (verb) {
    case 'write':
      disk.mkdirSync(dirname(file), { recursive: true });
      disk.writeFileSync(file, ended(textOf(step.text)));
      return `writes ${name}`;
    case 'append':
      disk.mkdirSync(dirname(file), { recursive: true });
      disk.writeFileSync(file, ended(textOf(step.text)), { flag: 'a' });
      return `adds to ${name}`;
    case 'replace': {
      const before = disk.readFileSync(file, 'utf8');
      const parts = before.split(textOf(step.find));
      if (parts.length !== 2) throw new Error(`${name} has the text to replace ${parts.length - 1} times, not once`);
      disk.writeFileSync(file, parts.join(textOf(step.by)));
      return `edits ${name}`;
    }
    case 'remove':
      if (!disk.existsSync(file)) throw new Error(`there is no ${name} to remove`);
      disk.rmSync(file, { recursive: true });
      return `removes ${name}`;
  }
}

function copy(disk: Disk, name: string, { cwd, beside }: Folders): string {
  const from = inside(disk, beside, name);
  if (!disk.existsSync(from) || !disk.statSync(from).isDirectory())
    throw new Error(`there is no folder ${from} to copy`);
  // A program stays one: some ways of installing a package drop the executable bit of what is copied.
  const programs: string[] = [];
  const noteProgram = (_from: string, to: string): boolean => {
    const there = disk.lstatSync(to, { throwIfNoEntry: false });
    if (there?.isFile() === true && (there.mode & 0o111) !== 0) programs.push(to);
    return true;
  };
  disk.cpSync(from, inside(disk, cwd, '.'), { recursive: true, filter: noteProgram });
  for (const program of programs) disk.chmodSync(program, 0o755);
  return `writes the files of ${name}`;
}

/** The longest part of the path that exists is resolved, links followed. */
function inside(disk: Disk, folder: string, name: string): string {
  const root = disk.realpathSync(folder);
  const file = resolve(root, name);
  let there = file;
  while (!disk.existsSync(there)) there = dirname(there);
  const real = join(disk.realpathSync(there), relative(there, file));
  const way = relative(root, real);
  if (way === '..' || way.startsWith('../') || isAbsolute(way)) throw new Error(`${name} is outside ${root}`);
  if (way.split('/')[0] === '.git') throw new Error(`${name} is git’s own`);
  return real;
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
