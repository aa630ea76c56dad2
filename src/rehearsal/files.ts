// A script's changes to files, confined to the working folder: no path and no link leads out of it, and git's
// own files are not a script's to write. Copies come from beside the script and are never filled in.

import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { textOf } from './commands.ts';
import type { Step } from './script.ts';

export const FILE_STEPS = ['write', 'copy', 'append', 'replace', 'remove'] as const;

/** Does it and says so in a phrase; throws an Error that names the fact otherwise. */
export function changeFiles(step: Step, verb: (typeof FILE_STEPS)[number], cwd: string, beside: string): string {
  const name = textOf(step[verb]);
  if (verb === 'copy') return copy(name, cwd, beside);
  const file = inside(cwd, name);
  switch (verb) {
    case 'write':
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, ended(textOf(step.text)));
      return `writes ${name}`;
    case 'append':
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, ended(textOf(step.text)), { flag: 'a' });
      return `adds to ${name}`;
    case 'replace': {
      const before = readFileSync(file, 'utf8');
      const parts = before.split(textOf(step.find));
      if (parts.length !== 2) throw new Error(`${name} has the text to replace ${parts.length - 1} times, not once`);
      writeFileSync(file, parts.join(textOf(step.by)));
      return `edits ${name}`;
    }
    case 'remove':
      if (!existsSync(file)) throw new Error(`there is no ${name} to remove`);
      rmSync(file, { recursive: true });
      return `removes ${name}`;
  }
}

function copy(name: string, cwd: string, beside: string): string {
  const from = inside(beside, name);
  if (!existsSync(from) || !statSync(from).isDirectory()) throw new Error(`there is no folder ${from} to copy`);
  cpSync(from, inside(cwd, '.'), { recursive: true });
  return `writes the files of ${name}`;
}

/** The longest part of the path that exists is looked at as it really is, links followed. */
function inside(folder: string, name: string): string {
  const root = realpathSync(folder);
  const file = resolve(root, name);
  let there = file;
  while (!existsSync(there)) there = dirname(there);
  const real = join(realpathSync(there), relative(there, file));
  const way = relative(root, real);
  if (way === '..' || way.startsWith('../') || isAbsolute(way)) throw new Error(`${name} lies outside of ${root}`);
  if (way.split('/')[0] === '.git') throw new Error(`${name} is git’s own`);
  return real;
}

const ended = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);
