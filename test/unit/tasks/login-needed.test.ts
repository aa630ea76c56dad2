// Outputs of package managers that were refused for want of a login, and what the person is told to do.

import { expect, test } from 'vitest';
import { loginMend, wantsLogin } from '../../../src/tasks/rules/login-needed.ts';

test.each([
  ['npm error code E401\nnpm error Unable to authenticate, your authentication token seems to be invalid.', true],
  ['npm error code E403\nnpm error 403 403 Forbidden - GET https://npm.acme.example/@acme%2fwords', true],
  ['npm error code ENEEDAUTH', true],
  ['ERROR: HTTP error 401 while getting https://pip.acme.example/simple/words/', true],
  ['error An unexpected error occurred: "https://npm.acme.example/words: Request failed 401 Unauthorized".', true],
  ['npm error code E404\nnpm error 404 Not Found', false],
  ['added 401 packages in 3s', false],
])('%s: a login is missing: %s', (output, is) => {
  expect(wantsLogin(output)).toBe(is);
});

test('the mend names the file to show, keeps what is shown already, and never the command that failed', () => {
  const mend = loginMend('npm ci', { confined: true, setup_read: ['~/.netrc'] });
  expect(mend).toContain(`liza config set setup_read '["~/.netrc","~/.npmrc"]'`);
  expect(mend).not.toContain('post_worktree_cmd');
  expect(loginMend('pip install -r r.txt', { confined: true })).toContain('~/.config/pip/pip.conf');
  expect(loginMend('npm ci', { confined: true, sandbox_read: ['~/.npmrc'] })).toContain(
    'refused the login in ~/.npmrc',
  );
  expect(loginMend('npm ci', { confined: false })).toContain('npm login');
  expect(loginMend('npm ci', { confined: true, setup_read: ['~/.npmrc'], withheld: 'the lock file differs' })).toBe(
    'the registry needs a login, and set-up ran without the files of setup_read: the lock file differs',
  );
});
