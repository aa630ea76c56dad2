// What a reader is told to type for this program: `liza` only where their shell would start this very one.

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import { ownCommand } from '../../../src/cli/own-command.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function machine(name = 'place') {
  const home = join(temporaryFolder(), name);
  for (const folder of ['dist', 'bin', 'other', 'node_modules/.bin', 'node/bin'])
    mkdirSync(join(home, folder), { recursive: true });
  const program = join(home, 'dist', 'liza.cjs');
  const node = join(home, 'node', 'bin', 'node');
  for (const file of [program, node, join(home, 'other', 'liza')]) {
    writeFileSync(file, '');
    chmodSync(file, 0o755);
  }
  for (const folder of ['bin', 'node_modules/.bin']) symlinkSync(program, join(home, folder, 'liza'));
  const typed = (...folders: readonly string[]): string =>
    ownCommand({
      env: { PATH: folders.map((folder) => (folder === '' ? '' : join(home, folder))).join(':') },
      host: { disk: realDisk },
      self: { argv: [node, program] },
    } as unknown as Io);
  return { typed, node, program };
}

test('a link to this program on PATH is typed as liza', () => {
  expect(machine().typed('bin', 'other')).toBe('liza');
});

test('another liza that comes first on PATH, or none, means node and the path of this one', () => {
  const { typed, node, program } = machine();
  expect(typed('other', 'bin', 'node/bin')).toBe(`node ${program}`);
  expect(typed('other')).toBe(`${node} ${program}`);
  expect(typed()).toBe(`${node} ${program}`);
});

test('the folder that npm and npx add to PATH for their children does not count', () => {
  const { typed, program } = machine();
  expect(typed('node_modules/.bin', 'node/bin')).toBe(`node ${program}`);
});

test('a path that a shell would take apart is quoted', () => {
  const { typed, program } = machine("it's here");
  expect(typed('node/bin')).toBe(`node '${program.replace("'", "'\\''")}'`);
});
