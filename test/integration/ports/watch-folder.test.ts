// A folder whose owner changes it without end, watched for real.

import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchFolder } from '../../../src/ports/watch-folder.ts';
import { hostAt } from '../../host.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Each is two events, and the system keeps no more than 16,384. */
const flood = (folder: string): void => {
  fs.writeFileSync(path.join(folder, 'a'), '');
  for (let at = 0; at < 4000; at += 1) {
    fs.renameSync(path.join(folder, 'a'), path.join(folder, 'b'));
    fs.renameSync(path.join(folder, 'b'), path.join(folder, 'a'));
  }
};

test('ten thousand changes at once call nobody back ten thousand times, and later ones are heard again', async () => {
  const folder = temporaryFolder();
  let calls = 0;
  const watcher = watchFolder(hostAt(), folder, () => {
    calls += 1;
  });
  flood(folder);
  await sleep(300);
  expect(calls).toBeGreaterThan(0);
  expect(calls).toBeLessThanOrEqual(1000);
  await expect.poll(() => calls, { timeout: 5000 }).toBeGreaterThan(1000); // told once that something may have changed
  const heard = calls;
  fs.writeFileSync(path.join(folder, 'later'), '');
  await expect.poll(() => calls, { timeout: 5000 }).toBeGreaterThan(heard);
  watcher?.close();
});

test('closed while it rests, it calls nobody any more', async () => {
  const folder = temporaryFolder();
  let calls = 0;
  const watcher = watchFolder(hostAt(), folder, () => {
    calls += 1;
  });
  flood(folder);
  await sleep(200);
  watcher?.close();
  const heard = calls;
  fs.writeFileSync(path.join(folder, 'later'), '');
  await sleep(1200);
  expect(calls).toBe(heard);
});
