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
