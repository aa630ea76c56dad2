// Liza with one bug planted, as a package of its own in a temporary folder: what is not the bundle is copied, for a
// sandbox shows the package alone.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleInto } from '../tools/bundle.mjs';
import { plantedBundle } from './plugin.mjs';

const ROOT = join(import.meta.dirname, '..');
const BESIDE = ['package.json', 'schema', 'contracts', 'templates', 'scripts'];

/** `edits`: none, or the parts of one plant. Throws when one does not apply, or nothing runs: that would prove nothing. */
export async function buildPlanted(edits) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'liza-plant-')));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const { plugin, left } = plantedBundle(edits);
    await bundleInto(join(folder, 'dist'), [plugin]);
    if (left().length > 0) throw new Error(`no source has ${left().join(', ')}`);
    for (const name of BESIDE) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    const program = join(folder, 'dist', 'liza.cjs');
    // The second one reads the whole table.
    for (const argv of [['--version'], ['help', 'states']])
      execFileSync(process.execPath, [program, ...argv], { stdio: ['ignore', 'ignore', 'pipe'] });
    return { program, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
