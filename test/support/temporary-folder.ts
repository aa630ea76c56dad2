// Folders for tests. One that a test or its beforeEach makes goes with that test, after its afterEach; every other one
// goes at the end of the run (test/temporary.ts).

import { spawnSync } from 'node:child_process';
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
