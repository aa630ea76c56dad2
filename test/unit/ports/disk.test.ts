// The disk as Liza opens it takes the flags that node takes; nothing of it waits at a pipe, and it makes no project anew.

import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realDisk } from '../../../src/ports/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each(['r', 'r+', 'w', 'w+', 'wx', 'wx+', 'a', 'a+', 'ax', 'ax+'])(
  'a file opened with %s does what node promises',
  (flags) => {
    const file = join(temporaryFolder(), 'file');
    if (!flags.includes('x')) realDisk.writeFileSync(file, 'was\n');
    const fd = realDisk.openSync(file, flags, 0o600);
    try {
      if (flags !== 'r') realDisk.writeSync(fd, 'new\n');
      const head = Buffer.alloc(4);
      if (flags.includes('+') || flags === 'r') {
        realDisk.readSync(fd, head, 0, head.length, 0);
        expect(head.toString()).toBe(flags === 'r' || flags === 'a+' ? 'was\n' : 'new\n');
      }
    } finally {
      realDisk.closeSync(fd);
    }
    if (flags.includes('x')) expect(() => realDisk.openSync(file, flags)).toThrow('EEXIST');
  },
);

describe('a pipe is never waited for', () => {
  const piped = (): { readonly folder: string; readonly pipe: string; readonly free: string } => {
    const folder = temporaryFolder();
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    mkdirSync(join(folder, 'other'));
    return { folder, pipe, free: join(folder, 'other', 'free') };
  };

  /** What each function does with a pipe; one that is new here has to be thought of. */
  const NOW: Readonly<Record<string, (at: ReturnType<typeof piped>) => unknown>> = {
    openSync: ({ pipe }) => realDisk.openSync(pipe, 'r'),
    readFileSync: ({ pipe }) => realDisk.readFileSync(pipe),
    writeFileSync: ({ pipe }) => realDisk.writeFileSync(pipe, 'x'),
    copyFileSync: ({ pipe, free }) => realDisk.copyFileSync(pipe, free),
    cpSync: ({ folder, pipe }) => realDisk.cpSync(pipe, join(folder, 'copy')),
  };
  const LATER: Readonly<Record<string, (at: ReturnType<typeof piped>) => Promise<unknown>>> = {
    open: ({ pipe }) => realDisk.promises.open(pipe),
    copyFile: ({ pipe, free }) => realDisk.promises.copyFile(pipe, free),
  };
  /** They take names and descriptors, and open no file; a pipe of Liza's own is opened by the last. */
  const OPEN_NOTHING = new Set(
    (
      'accessSync chmodSync closeSync constants existsSync fstatSync fsyncSync ftruncateSync linkSync lstatSync mkdirSync ' +
      'mkdtempSync opendirSync promises readdirSync readlinkSync readSync realpathSync renameSync rmdirSync rmSync ' +
      'statfsSync statSync symlinkSync unlinkSync utimesSync watch writeSync openPipeSync heldEntries inHeld someNames'
    ).split(' '),
  );

  test.each(Object.keys(NOW))('%s refuses it', (name) => {
    expect(() => NOW[name]?.(piped())).toThrow();
  });

  test.each(Object.keys(LATER))('promises.%s refuses it', async (name) => {
    await expect(LATER[name]?.(piped())).rejects.toThrow();
  });

  test('every function of the disk is in one of the lists', () => {
    expect(
      Object.keys(realDisk)
        .filter((name) => !OPEN_NOTHING.has(name))
        .sort(),
    ).toEqual(Object.keys(NOW).sort());
    const names = 'lstat mkdir readdir readlink rm symlink utimes'.split(' ');
    expect(Object.keys(realDisk.promises).sort()).toEqual([...names, ...Object.keys(LATER)].sort());
  });
});

test('of a project that was moved away nothing is made again at its old place', () => {
  const folder = temporaryFolder();
  const root = join(folder, 'project');
  for (const name of ['.liza/cache/watch', '.worktrees/a', '.git/liza'])
    expect(() => realDisk.mkdirSync(join(root, name), { recursive: true })).toThrow(/ENOENT.*project is not there/);
  expect(realDisk.readdirSync(folder)).toEqual([]);
  realDisk.mkdirSync(root);
  realDisk.mkdirSync(join(root, '.liza/cache/watch'), { recursive: true });
  realDisk.mkdirSync(join(folder, 'a/b'), { recursive: true });
});
