// Whatever stands where Liza expects a file of its own: a pipe, a device or a socket is refused at once, and a file
// without end is not read.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { acquireLock } from '../../../src/ports/locks.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const fifo = (): string => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
};

const socket = async (): Promise<string> => {
  const path = join(folder, 'socket');
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(path, resolve));
  onTestFinished(() => void server.close());
  return path;
};

describe.each([
  ['a pipe', async () => fifo()],
  ['a device', async () => '/dev/zero'],
  ['a socket', socket],
])('%s', (_what, make) => {
  test('is never opened, read, written or copied', async () => {
    const path = await make();
    const refused = { code: 'ENOTREG', path };
    const attempt = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    expect(attempt(() => realDisk.readFileSync(path))).toMatchObject(refused);
    for (const flags of ['r', 'a', 'r+'] as const)
      expect(
        attempt(() => realDisk.openSync(path, flags)),
        flags,
      ).toMatchObject(refused);
    expect(attempt(() => realDisk.writeFileSync(path, 'text', { flag: 'a' }))).toMatchObject(refused);
    expect(attempt(() => realDisk.copyFileSync(path, join(folder, 'copy')))).toMatchObject(refused);
    await expect(realDisk.promises.open(path)).rejects.toThrow();
  });
});

test('a lock that is a pipe is refused at once', async () => {
  await expect(acquireLock(fifo())).rejects.toMatchObject({ code: 'ENOTREG' });
});

test('a file that is too large for a text is not read', () => {
  const path = join(folder, 'endless');
  writeFileSync(path, '');
  truncateSync(path, 600_000_000);
  expect(() => realDisk.readFileSync(path)).toThrow(/EFBIG/);
});

test('files and folders are opened, read, written and copied as ever', () => {
  const [path, copy] = [join(folder, 'file'), join(folder, 'copy')];
  realDisk.writeFileSync(path, 'one\n', { mode: 0o700 });
  realDisk.writeFileSync(path, 'two\n', { flag: 'a' });
  expect(realDisk.readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  realDisk.copyFileSync(path, copy, realDisk.constants.COPYFILE_EXCL);
  expect(readFileSync(copy, 'utf8')).toBe('one\ntwo\n');
  expect(statSync(copy).mode & 0o777).toBe(0o700);
  expect(() => realDisk.copyFileSync(path, copy, realDisk.constants.COPYFILE_EXCL)).toThrow(/EEXIST/);
  expect(() => realDisk.readFileSync(join(folder, 'none'))).toThrow(/ENOENT/);
  expect(() => realDisk.readFileSync(folder)).toThrow(/EISDIR/);
  mkdirSync(join(folder, 'sub'));
  realDisk.closeSync(realDisk.openSync(join(folder, 'sub'), 'r'));
  expect(realDisk.readFileSync('/proc/self/stat', 'utf8')).toContain(`${process.pid} (`);
});
