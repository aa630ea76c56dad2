// Before the end-to-end tests: the program is built into a folder of its own, so that a rebuild meanwhile
// breaks no test, and the worker (a long-lived process that calls the store) is bundled beside it.
// LIZA_E2E names the folder; it goes when the tests are over. Two projects ask for it: the first one builds.

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

export default async function setup(): Promise<(() => void) | undefined> {
  if (process.env['LIZA_E2E'] !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'liza-e2e-program-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    await buildInto(folder);
  } catch (error) {
    remove();
    throw error;
  }
  process.env['LIZA_E2E'] = folder;
  return remove;
}

async function buildInto(folder: string): Promise<void> {
  const env = { ...process.env, LIZA_DIST: join(folder, 'dist') };
  execFileSync(process.execPath, ['tools/build.mjs'], { cwd: ROOT, env, stdio: 'inherit' });
  for (const part of ['schema', 'package.json', 'contracts', 'templates', 'scripts', 'demo']) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['test/e2e/worker.ts'],
    outfile: join(folder, 'worker.cjs'),
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    logLevel: 'warning',
  });
}
