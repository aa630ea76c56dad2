// Servers that a sandbox must not reach are looked for among what an agent bound, in bounded time.

import { expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { visibleSockets } from '../../../src/sandbox/listening-sockets.ts';

test('a hundred thousand names in five hundred folders cost twenty thousand looks', () => {
  let looks = 0;
  const names = Array.from({ length: 100_000 }, (_, n) => `0: 2 0 0 1 1 ${n} ../d${n}/s`).join('\n');
  const disk = {
    ...realDisk,
    readFileSync: () => names,
    readdirSync: (path: string) => (path === '/proc' ? Array.from({ length: 500 }, (_, n) => String(n + 1)) : []),
    readlinkSync: (path: string) => `/somewhere/${path.split('/')[2]}`,
    statSync: (path: string) => {
      looks += 1;
      return { isDirectory: () => /^\/somewhere\/\d+$/.test(path), isSocket: () => false, isFIFO: () => false };
    },
  } as unknown as typeof realDisk;
  const policy = { hide: [], read: [], write: [], home: { at: '/home/a', kept: '/tmp/a' }, tmp: '/tmp/b' };
  expect(visibleSockets(disk, policy as unknown as Parameters<typeof visibleSockets>[1], '/project', [])).toEqual([]);
  expect(looks).toBeLessThan(25_000);
});
