// The disk as Liza opens it takes the flags that node takes.

import { join } from 'node:path';
import { expect, test } from 'vitest';
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
