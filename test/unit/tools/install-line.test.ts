// The install line that `npm run build` ends with: it must work for the user who built, as printed.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';

interface Machine {
  readonly prefix: string | undefined;
  readonly isWritable: boolean;
  readonly home: string;
  readonly folders: readonly string[];
}

const TOOL = join(import.meta.dirname, '../../../tools/install-line.mjs');
const { installLines, mayInstallTo } = (await import(TOOL)) as {
  installLines(machine: Machine): readonly string[];
  mayInstallTo(prefix: string): boolean;
};

const DEBIAN: Machine = { prefix: '/usr', isWritable: false, home: '/home/ada', folders: ['/usr/bin', '/bin'] };

test('where npm’s own place is root’s, the line installs below ~/.local and says why', () => {
  const lines = installLines({ ...DEBIAN, folders: [...DEBIAN.folders, '/home/ada/.local/bin'] });
  expect(lines).toEqual(['To install it (needs no root):', '  npm install -g --prefix ~/.local .']);
});

test('a folder of programs that is not on PATH is said, with the line that puts it there', () => {
  expect(installLines(DEBIAN).slice(2)).toEqual([
    'So that your shell finds it, now and in ~/.profile:',
    '  export PATH="$HOME/.local/bin:$PATH"',
  ]);
  const own = installLines({ ...DEBIAN, prefix: '/home/ada/npm', isWritable: true });
  expect(own.at(-1)).toBe('  export PATH="/home/ada/npm/bin:$PATH"');
});

test('where npm may write to its own place, which is on PATH, the line is the short one', () => {
  const folders = ['/home/ada/.nvm/bin'];
  expect(installLines({ ...DEBIAN, prefix: '/home/ada/.nvm', isWritable: true, folders })).toEqual([
    'To install it:',
    '  npm install -g .',
  ]);
});

test.skipIf(process.getuid?.() === 0)('a place whose folders are not there yet counts by the folder above them', () => {
  const home = temporaryFolder();
  expect(mayInstallTo(join(home, 'new'))).toBe(true);
  mkdirSync(join(home, 'closed'), { mode: 0o555 });
  expect(mayInstallTo(join(home, 'closed'))).toBe(false);
});
