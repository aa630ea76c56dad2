// A folder whose owner exchanges what is in it while it is read: the walk never leads outside.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function folders(): { readonly mine: string; readonly outside: string } {
  const base = temporaryFolder();
  const [mine, outside] = [path.join(base, 'mine'), path.join(base, 'outside')];
  for (const folder of [mine, outside]) {
    fs.mkdirSync(path.join(folder, 'd', 'e'), { recursive: true });
    fs.writeFileSync(path.join(folder, 'd', 'e', 'file'), folder);
  }
  return { mine, outside };
}

/** A link to the outside in the place of a folder, which stays beside it. */
function exchange(mine: string, name: string, outside: string): void {
  fs.renameSync(path.join(mine, name), path.join(mine, `${name.replaceAll('/', '-')}-gone`));
  fs.symlinkSync(path.join(outside, name), path.join(mine, name));
}

test('a folder that became a link before it is opened is not entered', () => {
  const { mine, outside } = folders();
  const seen: string[] = [];
  for (const { entry, path: below } of realDisk.heldEntries(mine, { most: 100 })) {
    seen.push(below);
    if (below === 'd' && entry.isDirectory()) exchange(mine, 'd', outside);
  }
  expect(seen).not.toContain('d/e');
});

test.runIf(fs.existsSync('/proc/self/fd'))('one that became a link afterwards is still the same folder', () => {
  const { mine, outside } = folders();
  for (const { path: below, at } of realDisk.heldEntries(mine, { most: 100 })) {
    if (below === 'd/e') exchange(mine, 'd', outside);
    if (below === 'd/e/file') fs.unlinkSync(at);
  }
  expect(fs.existsSync(path.join(outside, 'd/e/file'))).toBe(true);
  expect(fs.existsSync(path.join(mine, 'd-gone/e/file'))).toBe(false);
});

test('no more entries than are asked for, and nothing below what is skipped', () => {
  const { mine } = folders();
  const names = (most: number, skip?: (below: string) => boolean) =>
    [...realDisk.heldEntries(mine, { most, ...(skip === undefined ? {} : { skip }) })].map((held) => held.path);
  expect(names(100)).toEqual(['d', 'd/e', 'd/e/file']);
  expect(names(2)).toEqual(['d', 'd/e']);
  expect(names(100, (below) => below === 'd/e')).toEqual(['d', 'd/e']);
});
