// Second places of a folder, from what Linux tells of its mounts.

import { expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { otherPlaces } from '../../../src/sandbox/other-mounts.ts';

const disk = (mounts: readonly string[]) =>
  ({
    ...realDisk,
    readFileSync: () => mounts.map((one, at) => `${at} 1 ${one} rw - ext4 /dev/x rw\n`).join(''),
  }) as never;

test.each([
  ['the project, mounted in itself', ['8:1 / /', '8:1 /home/u/p /home/u/p/alias'], ['/home/u/p/alias/.liza']],
  ['the whole disk at a second place', ['8:1 / /', '8:1 / /mnt/disk'], ['/mnt/disk/home/u/p/.liza']],
  ['a home that comes from elsewhere', ['8:1 / /', '8:1 /persist/home/u/p /home/u/p'], ['/persist/home/u/p/.liza']],
  ['a part of it alone', ['8:1 / /', '8:1 /home/u/p/.liza/cache /srv/c'], ['/srv/c']],
  ['a name with a blank', ['8:1 / /', '8:1 /home/u /my\\040home'], ['/my home/p/.liza']],
  ['another disk with the same folder', ['8:1 / /', '8:2 /home/u/p /mnt/p'], []],
  ['a folder beside it', ['8:1 / /', '8:1 /home/u/p2 /mnt/p2'], []],
  ['what is seen at a place is the last mount there', ['8:1 / /', '8:1 /home/u /mnt', '8:3 / /mnt'], []],
])('%s', (_what, mounts, places) => {
  expect(otherPlaces(disk(mounts), ['/home/u/p/.liza'])).toEqual(places);
});

test('where the system tells nothing there are none', () => {
  const silent = { ...realDisk, readFileSync: () => JSON.parse('') } as never;
  expect(otherPlaces(silent, ['/home/u/p/.liza'])).toEqual([]);
});
