// Where a branch is, read from the plain file in which git keeps it: tests ask so often that a program for each answer
// takes minutes. undefined: only git knows, because the file is packed, or is none, or another ref may be meant.

import fs from 'node:fs';
import path from 'node:path';

/** The commit of a branch, by its short name. */
export function branchAt(root: string, branch: string): string | undefined {
  const gitDir = gitDirOf(root);
  if (gitDir === undefined) return undefined;
  const common = commonOf(gitDir);
  const others = [
    path.join(gitDir, branch),
    ...['packed-refs', branch, `refs/${branch}`, `refs/tags/${branch}`].map((one) => path.join(common, one)),
  ];
  return others.some((one) => fs.existsSync(one)) ? undefined : commitIn(path.join(common, 'refs/heads', branch));
}

/** The commit that is checked out in a folder. */
export function headOf(folder: string): string | undefined {
  const gitDir = gitDirOf(folder);
  if (gitDir === undefined) return undefined;
  const branch = /^ref: (refs\/heads\/\S+)\n$/.exec(textOf(path.join(gitDir, 'HEAD')) ?? '')?.[1];
  return commitIn(branch === undefined ? path.join(gitDir, 'HEAD') : path.join(commonOf(gitDir), branch));
}

function gitDirOf(folder: string): string | undefined {
  const git = path.join(folder, '.git');
  if (fs.lstatSync(git, { throwIfNoEntry: false })?.isDirectory()) return git;
  const named = /^gitdir: (.+)\n$/.exec(textOf(git) ?? '')?.[1];
  return named === undefined ? undefined : path.resolve(folder, named);
}

function commonOf(gitDir: string): string {
  const named = textOf(path.join(gitDir, 'commondir'))?.trimEnd();
  return named === undefined ? gitDir : path.resolve(gitDir, named);
}

const commitIn = (file: string): string | undefined => /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.exec(textOf(file) ?? '')?.[1];

const textOf = (file: string): string | undefined =>
  fs.lstatSync(file, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(file, 'utf8') : undefined;
