// Pipes that an agent put where git expects a file: git would wait at one for ever. No repository holds a pipe, so
// nothing is lost with it: whoever waits there is let go, as at the end of an empty file, and the pipe is removed.

import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

/** Files that git looks for in every folder. */
const READ_BY_GIT: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitmodules', '.git']);
const MOST_ENTRIES = 500_000;

/** Below a folder, links not followed; in a git directory every file counts. */
export async function letGo(folder: string): Promise<void> {
  const folders = [folder];
  let left = MOST_ENTRIES;
  for (const at of folders) {
    const isGit = /\/\.git(\/|$)/.test(at);
    const entries = await opendir(at).catch(() => undefined); // gone meanwhile
    if (entries === undefined) continue;
    for await (const entry of entries) {
      left -= 1;
      if (left < 0) return;
      const path = join(at, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFIFO() && (isGit || READ_BY_GIT.has(entry.name))) await remove(path);
    }
  }
}

async function remove(pipe: string): Promise<void> {
  try {
    if (!(await lstat(pipe)).isFIFO()) return;
    // Both ends at once: this does not wait, and ends the waiting of others.
    const ends = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    unlinkSync(pipe);
    closeSync(ends);
  } catch {
    // Gone meanwhile, or not ours to open: git is ended when its time is over.
  }
}
