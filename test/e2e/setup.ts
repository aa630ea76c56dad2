// Before the end-to-end tests: a private copy of the built program, so that a rebuild meanwhile breaks
// no test, and the worker (a long-lived process that calls the store) bundled beside it.
// LIZA_E2E names the folder; it goes when the tests are over.

import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '../..');

export default async function setup(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'liza-e2e-program-'));
  for (const part of ['dist', 'schema', 'package.json']) {
    if (existsSync(join(ROOT, part))) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  if (!existsSync(join(folder, 'dist', 'liza.cjs'))) throw new Error('build first: node tools/build.mjs');
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
  process.env['LIZA_E2E'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
