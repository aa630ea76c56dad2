// What a person is told to do about a set-up that failed, by what it printed.

import { expect, test } from 'vitest';
import { type FailedSetup, setupMend } from '../../../src/tasks/rules/setup-mend.ts';

const mend = (output: string, more: Partial<FailedSetup> = {}): string =>
  setupMend({ command: 'npm ci', output, code: 1, confined: true, home: '/home/ada', isTasks: false, ...more });

test.each([
  ['npm error code EINTEGRITY\nnpm error sha512-x integrity checksum failed', 'package-lock.json'],
  ['npm error code EUSAGE\nnpm error `npm ci` can only install packages when … are in sync', 'package-lock.json'],
  ['npm error code ETARGET\nnpm error notarget No matching version found for left-pad@99', 'package.json'],
  ['npm error code E404\nnpm error 404 Not Found - GET https://npm.example/lefft-pad', 'package.json'],
  ['ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', 'pnpm-lock.yaml'],
  ['error: the lock file /x/Cargo.lock needs to be updated but --locked was passed', 'Cargo.lock'],
  ['go: example.org/x@v1.2.3: missing go.sum entry for go.mod file', 'go.sum'],
])('%s: the fault lies in a file of the repository', (output, file) => {
  expect(mend(output)).toBe(
    `the fault lies in ${file}, as it is committed: commit the fix on your branch, then: liza sync`,
  );
  const own = mend(output, { isTasks: true });
  expect(own).toBe(`the fault lies in ${file} of this commit: fix it there, and commit that`);
});

test('a commit without a lock file is told as that, with the step for an ignored one', () => {
  const output =
    'npm error code EUSAGE\nnpm error The `npm ci` command can only install with an existing package-lock.json';
  expect(mend(output)).toBe(
    'the commit has no package-lock.json that npm ci can use; where git ignores it: git add -f package-lock.json, commit it on your branch, then: liza sync',
  );
  expect(mend(output, { isTasks: true })).toMatch(/^the commit has no package-lock\.json .*: commit one/);
});

test.each([
  ['npm error code E401', 'the registry needs a login, and the sandbox has none'],
  ['npm error code ENEEDAUTH', 'the registry needs a login, and the sandbox has none'],
  [
    'npm error code E404\nnpm error 404 Not Found - GET https://npm.example/@acme%2fwords - Not found',
    'a registry may hide @acme from those without a login, and the sandbox has none',
  ],
])('%s: a login is missing', (output, fact) => {
  expect(mend(output)).toBe(`${fact}; to give it to set-up alone: liza config set setup_read '["~/.npmrc"]'`);
});

test.each([
  ["Error: ENOENT: no such file or directory, open '/home/ada/.cache/models/a.bin'", '~/.cache/models/a.bin'],
  ['cat: /home/ada/.netrc: No such file or directory', '~/.netrc'],
  ['npm error EACCES: permission denied, mkdir /home/ada/.tools', '~/.tools'],
])('%s: the sandbox hides it', (output, place) => {
  expect(mend(output, { sandbox_read: ['~/.x'] })).toBe(
    `it ran in the sandbox, which does not show ${place}; to show it: liza config set sandbox_read '["~/.x","${place}"]'`,
  );
  for (const more of [{ confined: false }, { sandbox_read: [place] }])
    expect(mend(output, more)).toMatch(/^fix what it names, or change the command: /);
});

test('a program that the sandbox may hide is named', () => {
  expect(mend('sh: 1: pnpm: not found', { code: 127 })).toMatch(/^it ran in the sandbox: if pnpm lies below your home/);
  expect(mend('sh: 1: pnpm: not found', { code: 127, confined: false })).toMatch(/^fix what it names/);
});

test.each([
  'Error: Cannot find module ./x',
  // A command of the user's own: nobody knows that a file of npm is at fault.
  'the registry says E404',
])('%s: nothing is said of the sandbox or of a file where nothing points to it', (output) => {
  expect(mend(output)).toBe('fix what it names, or change the command: liza config set post_worktree_cmd "<command>"');
});
