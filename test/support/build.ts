// The program as tests run it: built once a run into a folder of its own, so that a rebuild meanwhile breaks no test, with
// what is shipped beside it and the worker (test/e2e/worker.ts). The end-to-end tests build before they start, which is
// why this is their global setup; others build when they first ask.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { ON_DISK } from '../temporary.ts';

export const PACKAGE = path.join(import.meta.dirname, '../..');

export default (): void => void built(ON_DISK);

export function built(place = os.tmpdir()): string {
  const folder = path.join(place, 'program');
  if (fs.existsSync(folder)) return folder;
  const made = fs.mkdtempSync(path.join(place, 'program-'));
  fs.chmodSync(made, 0o755);
  const env = { ...process.env, LIZA_DIST: path.join(made, 'dist') };
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: PACKAGE, env, stdio: ['ignore', 'ignore', 'inherit'] });
  for (const part of ['schema', 'package.json', 'contracts', 'templates', 'scripts', 'demo', 'web'])
    fs.cpSync(path.join(PACKAGE, part), path.join(made, part), { recursive: true });
  buildSync({
    absWorkingDir: PACKAGE,
    entryPoints: ['test/e2e/worker.ts'],
    outfile: path.join(made, 'worker.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    logLevel: 'warning',
  });
  try {
    fs.renameSync(made, folder);
  } catch (error) {
    // Another test file was faster.
    if (!['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return folder;
}
