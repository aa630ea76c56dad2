// Liza knows no package registry by its name: which one is in use is the user's and the package manager's to say.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** In parts, because this file is looked at too. */
const HOSTS = [
  ...[
    ['npmjs', 'org'],
    ['npmjs', 'com'],
    ['yarnpkg', 'com'],
    ['pypi', 'org'],
    ['pythonhosted', 'org'],
    ['crates', 'io'],
  ],
  ...[
    ['proxy.golang', 'org'],
    ['sum.golang', 'org'],
    ['rubygems', 'org'],
    ['packagist', 'org'],
    ['jsr', 'io'],
    ['npm.pkg.github', 'com'],
  ],
].map((parts) => parts.join('.'));

test('no file of the repository names a public registry', () => {
  const names = HOSTS.flatMap((host) => ['-e', host, '-e', host.replaceAll('.', '__')]);
  const found = spawnSync('git', ['grep', '-I', '-i', '-F', '--untracked', '-n', ...names], {
    cwd: join(import.meta.dirname, '../..'),
    encoding: 'utf8',
  });
  expect(found).toMatchObject({ status: 1, stdout: '', stderr: '' });
});
