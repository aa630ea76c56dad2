// Folders that are thrown away, whatever an agent or a test has put into them.

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { removeTree } from '../../../src/git/scratch-folders.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('folders in folders, deeper than any path can say', () => {
  const folder = temporaryFolder();
  const dig = `for (let n = 0; n < 60; n += 1) { require('fs').mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)); }`;
  expect(spawnSync(process.execPath, ['-e', dig], { cwd: folder }).status).toBe(0);
  removeTree(hostAt(), folder);
  expect(existsSync(folder)).toBe(false);
});
