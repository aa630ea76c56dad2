// The line that installs an agent CLI: it must work as printed for a user who is not root.

import { expect, test } from 'vitest';
import type { Disk } from '../../../src/ports/disk.ts';
import { realDisk } from '../../../src/ports/disk.ts';
import { installLine, pathLine, pathLineAfter } from '../../../src/providers/install-line.ts';

/** What is there; who is not root may write below /home/ada alone. */
function disk(there: Readonly<Record<string, string>>): Disk {
  const isThere = (path: unknown): boolean =>
    Object.keys(there).some((file) => file === path || file.startsWith(`${path}/`));
  return {
    ...realDisk,
    existsSync: isThere,
    accessSync: (path, mode) => {
      if (!isThere(path)) throw new Error('ENOENT');
      if (mode === realDisk.constants.W_OK && !String(path).startsWith('/home/ada')) throw new Error('EACCES');
    },
    // ~/bin has links to a distribution's programs.
    realpathSync: ((path: string) => path.replace('/home/ada/bin/', '/usr/bin/')) as unknown as Disk['realpathSync'],
    statSync: (() => ({ isFile: () => true })) as unknown as Disk['statSync'],
    readFileSync: ((path: string) => {
      const text = there[path];
      if (text === undefined) throw new Error('ENOENT');
      return text;
    }) as unknown as Disk['readFileSync'],
  };
}

const DEBIAN = {
  '/usr/bin/npm': '',
  '/usr/bin/node': '',
  '/usr/lib/node_modules/npm/package.json': '',
  '/home/ada/.bashrc': '',
};
const NVM = {
  '/home/ada/.nvm/v20/bin/npm': '',
  '/home/ada/.nvm/v20/bin/node': '',
  '/home/ada/.nvm/v20/lib/node_modules/npm/package.json': '',
};
const CODEX = { hints: { install: { npm: '@openai/codex' }, login: '' } };
const home = { HOME: '/home/ada' };

test.each([
  ['a distribution’s Node', DEBIAN, { PATH: '/usr/bin' }, 'npm install -g --prefix ~/.local @openai/codex'],
  ['a Node of one’s own', NVM, { PATH: '/home/ada/.nvm/v20/bin' }, 'npm install -g @openai/codex'],
  [
    'links to a distribution’s Node in a folder of one’s own',
    { ...DEBIAN, '/home/ada/bin/node': '', '/home/ada/bin/npm': '' },
    { PATH: '/home/ada/bin:/usr/bin' },
    'npm install -g --prefix ~/.local @openai/codex',
  ],
  ['no npm at all', {}, { PATH: '/usr/bin' }, 'npm install -g @openai/codex'],
  [
    'a prefix in the environment',
    DEBIAN,
    { PATH: '/usr/bin', npm_config_prefix: '/home/ada/n' },
    'npm install -g @openai/codex',
  ],
  [
    'a prefix in ~/.npmrc',
    { ...DEBIAN, '/home/ada/.npmrc': 'x=1\nprefix = ~/n\n' },
    { PATH: '/usr/bin' },
    'npm install -g @openai/codex',
  ],
])('%s', (_, there, env, line) => {
  expect(installLine({ disk: disk(there), env: { ...home, ...env } }, CODEX)).toBe(line);
});

test('what is installed in another way says so itself', () => {
  const own = { hints: { install: 'its own way', login: '' } };
  expect(installLine({ disk: disk(DEBIAN), env: { ...home, PATH: '/usr/bin' } }, own)).toBe('its own way');
});

test('Liza in ~/.local/bin, which is not on PATH: the line that puts it there', () => {
  const installed = disk({ '/home/ada/.local/bin/liza': '' });
  expect(pathLine({ disk: installed, env: { ...home, PATH: '/usr/bin' } })).toBe(
    'export PATH="$HOME/.local/bin:$PATH"',
  );
  expect(pathLine({ disk: installed, env: { ...home, PATH: '/usr/bin:/home/ada/.local/bin' } })).toBeUndefined();
  expect(pathLine({ disk: disk(DEBIAN), env: { ...home, PATH: '/usr/bin' } })).toBeUndefined();
});

test('an install below ~/.local is followed by PATH, where that lacks it', () => {
  const root = { disk: disk(DEBIAN), env: { ...home, PATH: '/usr/bin' } };
  expect(pathLineAfter(root)).toBe('export PATH="$HOME/.local/bin:$PATH"');
  expect(pathLineAfter({ ...root, env: { ...home, PATH: '/usr/bin:/home/ada/.local/bin' } })).toBeUndefined();
  expect(pathLineAfter({ disk: disk(NVM), env: { ...home, PATH: '/home/ada/.nvm/v20/bin' } })).toBeUndefined();
});
