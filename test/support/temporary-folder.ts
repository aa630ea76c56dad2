// Folders for tests. One that a test or its beforeEach makes goes with that test, after its afterEach; every other one
// goes at the end of the run (test/temporary.ts).

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished, TestRunner } from 'vitest';

export function temporaryFolder(): string {
  const folder = keptFolder();
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Stays until the end of the run. */
export const keptFolder = (): string => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'liza-')));

/**
 * Keeps a folder as it is now; the function it returns puts it back. For what takes long to make and many tests begin
 * with: made in beforeAll, put back in beforeEach. The place stays the same, so whatever knows its path still fits.
 */
export function snapshot(folder: string): () => void {
  const kept = path.join(keptFolder(), 'kept');
  fs.cpSync(folder, kept, { recursive: true, verbatimSymlinks: true });
  return () => {
    removeFolder(folder);
    fs.cpSync(kept, folder, { recursive: true, verbatimSymlinks: true });
  };
}

/**
 * Keeps a folder as it is now, for copies at other places: whatever file names the old place, as linked worktrees and
 * hooks do, names the new one in the copy.
 */
export function template(folder: string): (place: string) => void {
  const kept = path.join(keptFolder(), 'kept');
  fs.cpSync(folder, kept, { recursive: true, verbatimSymlinks: true });
  const placed = filesIn(kept).filter((file) => fs.readFileSync(path.join(kept, file), 'latin1').includes(folder));
  return (place) => {
    removeFolder(place);
    fs.cpSync(kept, place, { recursive: true, verbatimSymlinks: true });
    for (const file of placed) {
      const text = fs.readFileSync(path.join(place, file), 'latin1');
      fs.writeFileSync(path.join(place, file), text.replaceAll(folder, place), 'latin1');
    }
  };
}

const filesIn = (folder: string): readonly string[] =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));

/** Every byte below a folder, the named entries left out; equal hashes mean nothing changed. */
export function fingerprint(directory: string, without: readonly string[] = ['cache']): string {
  const hash = createHash('sha256');
  const walk = (at: string): void => {
    for (const entry of fs.readdirSync(at, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const full = path.join(at, entry.name);
      const relative = path.relative(directory, full);
      if (without.includes(relative)) continue;
      hash.update(`${relative}\0${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'f'}\0`);
      if (entry.isDirectory()) walk(full);
      else if (entry.isSymbolicLink()) hash.update(fs.readlinkSync(full));
      else if (entry.isFile()) hash.update(fs.readFileSync(full));
    }
  };
  if (fs.existsSync(directory)) walk(directory);
  return hash.digest('hex');
}

function removeFolder(folder: string): void {
  const remove = () => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  try {
    remove();
  } catch {
    // Something in it was made read-only.
    spawnSync('chmod', ['-R', 'u+rwX', folder]);
    remove();
  }
}
