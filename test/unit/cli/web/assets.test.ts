// Where the page's script and style come from: a checkout has them as they are written, a package as they are built.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readAssets } from '../../../../src/cli/web/assets.ts';

test('a checkout serves what is written in it, a package what was built', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'liza-assets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const served = () => {
    const { files, find } = readAssets({ asset: (name) => path.join(folder, name) });
    return [files.script, files.style].map((name) => find(name.slice(1))?.bytes.toString().split('\n').at(-1));
  };
  for (const part of ['dist', 'web']) {
    mkdirSync(path.join(folder, part));
    for (const name of ['dashboard.js', 'dashboard.css'])
      writeFileSync(path.join(folder, part, name), `${part} ${name}`);
    expect(served()).toEqual([`${part} dashboard.js`, `${part} dashboard.css`]);
  }
});
