// What a checkout looks like from outside, for tests that nothing of it has changed.

import fs from 'node:fs';
import path from 'node:path';
import type { Repository } from '../../support/repository.ts';

/** A linked worktree beside the project, on the branch. */
export function addWorktree(repo: Repository, name: string, branch: string): { folder: string; gitDirectory: string } {
  const folder = path.join(repo.base, name);
  repo.git('worktree', 'add', '-q', folder, branch);
  return { folder, gitDirectory: repo.gitIn(folder, 'rev-parse', '--absolute-git-dir') };
}

/** All that a person can see of a checkout: files, index, HEAD, refs, stash, and names in its git directory. */
export function outside(repo: Repository, folder: string, gitDirectory: string): unknown {
  return {
    files: filesIn(folder),
    index: fs.readFileSync(path.join(gitDirectory, 'index')).toString('base64'),
    indexTime: fs.statSync(path.join(gitDirectory, 'index'), { bigint: true }).mtimeNs,
    head: fs.readFileSync(path.join(gitDirectory, 'HEAD'), 'utf8'),
    refs: repo.git('for-each-ref'),
    stash: repo.git('stash', 'list'),
    names: fs.readdirSync(gitDirectory).sort(),
  };
}

/** Path → mode and content; links are not followed. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file);
    if (name === '.git' || name.startsWith('.git/') || entry.isDirectory()) continue;
    const mode = (fs.lstatSync(file).mode & 0o777777).toString(8);
    const content = entry.isSymbolicLink() ? `-> ${fs.readlinkSync(file)}` : '';
    found[name] = `${mode} ${entry.isFile() ? fs.readFileSync(file, 'latin1') : content}`;
  }
  return found;
}
